/* SPDX-License-Identifier: MIT */
/* Grey videos from files: uncompressed 8-bit AVI, binary PGM (one picture after the other in a
 * file, or a folder of them). Whatever else a file says is refused with its reason, before any
 * memory is taken for it. */
#ifndef AM_APP_LEUKOCYTE_VIDEO_H
#define AM_APP_LEUKOCYTE_VIDEO_H

#include "app/leukocyte/image.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { AM_VIDEO_FRAMES_MAX = 1 << 20 };

/* Bytes that can be read anywhere. */
struct am_source {
    const char *name; /* for stories */
    void *self;
    uint64_t size;
    /* All n bytes from `at` on, or false; at + n is never above `size`. */
    bool (*read)(void *self, uint64_t at, void *buf, size_t n);
};

/* Where the frames of one file lie: pictures of one size, one byte per pixel. */
struct am_stills {
    size_t width, height;
    size_t stride; /* bytes from a row to the next */
    bool bottom_up;
    uint8_t grey[256]; /* what a byte means, 0 black to 255 white */
    uint64_t *at;      /* first byte of every frame */
    size_t frames, cap;
};

/* Checks the whole file's structure: every frame lies inside it. AM_E_PARSE with the reason and the
 * place in the file; AM_E_USAGE for pixels of another kind, which others may read. */
enum am_status am_avi_index(const struct am_source *source, struct am_stills *out,
                            struct am_err *err);
enum am_status am_pgm_index(const struct am_source *source, struct am_stills *out,
                            struct am_err *err);
/* Either, by the first bytes. */
enum am_status am_stills_index(const struct am_source *source, struct am_stills *out,
                               struct am_err *err);
void am_stills_fini(struct am_stills *stills); /* accepts a zeroed struct */
/* Another frame begins there; refused beyond the most. */
enum am_status am_stills_add(struct am_stills *stills, const struct am_source *source, uint64_t at,
                             struct am_err *err);
/* Frame t as height rows of width pixels from the top. */
enum am_status am_stills_read(const struct am_stills *stills, const struct am_source *source,
                              size_t t, uint8_t *pixels, struct am_err *err);
/* Refuses sizes that cannot be tracked, AM_IMAGE_SIDE_MIN to AM_IMAGE_SIDE_MAX. */
enum am_status am_stills_size(struct am_stills *stills, const struct am_source *source,
                              uint64_t width, uint64_t height, struct am_err *err);

/* ---- a path ---- */

struct am_video;

/* A file, or a folder whose files *.pgm, in the order of their names, are the frames. */
enum am_status am_video_open(const char *path, struct am_video **video_p, struct am_err *err);
void am_video_close(struct am_video *video); /* accepts NULL */
void am_video_size(const struct am_video *video, size_t *width, size_t *height, size_t *frames);
enum am_status am_video_read(struct am_video *video, size_t t, uint8_t *pixels, struct am_err *err);

/* ---- writing ---- */

/* An AVI of `frames` pictures: the head, each frame in turn, the index. Failed writes show in the
 * stream's error flag. AM_E_LIMIT above 1 GiB, which is what all players take. */
enum am_status am_avi_begin(FILE *out, size_t width, size_t height, size_t frames,
                            struct am_err *err);
void am_avi_frame(FILE *out, struct am_image frame);
void am_avi_end(FILE *out, size_t width, size_t height, size_t frames);

#endif
