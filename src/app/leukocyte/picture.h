/* SPDX-License-Identifier: MIT */
/* Pictures for people: frames with contours drawn into them, tracks as a plot. */
#ifndef AM_APP_LEUKOCYTE_PICTURE_H
#define AM_APP_LEUKOCYTE_PICTURE_H

#include "app/leukocyte/image.h"
#include "app/leukocyte/snake.h"
#include "base/status.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

enum { AM_PICTURE_BYTES_MAX = 128 << 20 }; /* of an encoded one */

/* Red, green, blue. */
struct am_picture {
    uint8_t *rgb;
    size_t width, height;
};

enum am_status am_picture_init(struct am_picture *picture, struct am_image frame,
                               struct am_err *err);
void am_picture_fini(struct am_picture *picture); /* accepts a zeroed struct */

/* The outline and a cross in its centre; what lies outside the picture is left out. */
void am_picture_draw(struct am_picture *picture, const struct am_snake *snake);

/* Bytes of a file, appended. PNG without compression; PGM with the outline in white. */
void am_picture_png(const struct am_picture *picture, struct am_text *out);
void am_picture_pgm(const struct am_picture *picture, struct am_text *out);

/* ---- tracks ---- */

/* Places of n cells in frames 0, 1, ...: cell i in frame t is at[t * n + i]. */
struct am_tracks {
    const struct am_centre *at;
    const uint64_t *names; /* numbers of the cells */
    size_t n, frames;
    size_t width, height; /* of the video */
};

/* An SVG file: one line per cell, from a circle where it began, with its number. */
void am_tracks_svg(const struct am_tracks *tracks, struct am_text *out);

#endif
