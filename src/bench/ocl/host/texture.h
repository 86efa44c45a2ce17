/* SPDX-License-Identifier: MIT */
/* Images of ocl.image on the host: formats, shapes, and what is in each pixel. */
#ifndef AM_BENCH_OCL_TEXTURE_H
#define AM_BENCH_OCL_TEXTURE_H

#include "base/status.h"
#include "bench/ocl/host/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AM_TEXTURE_CHANNELS = 4 };

/* Pixels hold whole numbers from 0 to 255, times `scale`. */
struct am_texture_format {
    cl_image_format format;
    size_t channels, channel_bytes;
    double scale;     /* of what kernels read and write */
    double tolerance; /* relative, of a sum of what is read; 0: exact */
};
extern const struct am_texture_format am_texture_formats[];
extern const char *const am_texture_format_names[]; /* parallel, ended by NULL */

extern const char *const am_texture_shape_names[]; /* by shape, ended by NULL */

struct am_texture {
    const struct am_texture_format *format;
    uint32_t width, height; /* powers of two */
};

/* An image of `bytes` in a format and a shape (index of the names): as near to it as powers of two
 * allow. AM_E_ABSENT when there is none. */
enum am_status am_texture_choose(struct am_texture *t, size_t format, size_t shape, int64_t bytes,
                                 struct am_err *err);

/* As many pixels, `across` of them side by side: a power of two. AM_E_ABSENT for others. */
enum am_status am_texture_reshape(struct am_texture *t, int64_t across, struct am_err *err);

size_t am_texture_pixel_bytes(const struct am_texture *t);

/* Channel c of a pixel, 0 to 255. */
uint32_t am_texture_channel(uint32_t x, uint32_t y, unsigned c);
/* The sum of the four numbers that reading the pixel gives. */
double am_texture_pixel_sum(const struct am_texture *t, uint32_t x, uint32_t y);
/* `rows` rows from `y` on, in the format: width x rows x pixel bytes. As they are read, or as turn
 * `turn` of the writing kernel leaves them. */
void am_texture_pack(const struct am_texture *t, uint32_t y, uint32_t rows, void *to);
void am_texture_pack_written(const struct am_texture *t, uint32_t y, uint32_t turn, uint32_t rows,
                             void *to);

/* How the writing kernel divides an image: bands of `rows` rows, of which turn i writes band
 * i mod `bands`. Powers of two. */
struct am_texture_bands {
    uint32_t bands, rows;
};
/* As many bands as leave `items` pixels in each, at most 8. */
struct am_texture_bands am_texture_divide(const struct am_texture *t, size_t items);
/* The last of `turns` turns that writes row y; false when none does. */
bool am_texture_last_turn(const struct am_texture_bands *b, uint32_t y, uint32_t turns,
                          uint32_t *turn);

/* How far the coordinates move from turn to turn: to another part of the image, in whole groups of
 * neighbours. */
void am_texture_step(const struct am_texture *t, int32_t step[2]);

#endif
