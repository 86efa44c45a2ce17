/* SPDX-License-Identifier: MIT */
/* Pictures and places in them, as detection and tracking see them. */
#ifndef AM_APP_LEUKOCYTE_IMAGE_H
#define AM_APP_LEUKOCYTE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AM_IMAGE_SIDE_MIN = 64,   /* pixels: room for one sub-image */
    AM_IMAGE_SIDE_MAX = 4096, /* of a frame's width and height */
};

/* A picture of grey values, row 0 at the top, no gaps between rows. */
struct am_image {
    const uint8_t *pixels;
    size_t width, height;
};

/* Pixels of the full frame; (0, 0) is the centre of the pixel in the upper left corner. */
struct am_centre {
    double x, y;
};

/* Between the centres of a frame's outermost pixels. */
static inline bool am_image_has(size_t width, size_t height, struct am_centre at)
{
    return at.x >= 0 && at.x <= (double)(width - 1) && at.y >= 0 && at.y <= (double)(height - 1);
}

/* A part of a frame: columns x0, ..., x0 + columns - 1, rows likewise. */
struct am_window {
    size_t x0, y0, columns, rows;
};

enum {
    AM_WINDOW_REACH_X = 40, /* columns on either side of the centre */
    AM_WINDOW_REACH_Y = 20, /* rows, likewise */
    AM_WINDOW_COLUMNS_MAX = 2 * AM_WINDOW_REACH_X + 1,
    AM_WINDOW_ROWS_MAX = 2 * AM_WINDOW_REACH_Y + 1,
};

/* The surroundings of a cell in a frame of width x height, cut off at the frame's border; at least
 * AM_WINDOW_REACH_Y rows and AM_WINDOW_REACH_X columns wherever the centre lies in the frame. */
struct am_window am_window_around(struct am_centre centre, size_t width, size_t height);

/* Strength of the edges in a window: length of the gradient, moved and scaled to 0..1; dense, row
 * after row. A flat window has none: zeros. */
void am_window_edges(struct am_image frame, const struct am_window *window, double *edge);

#endif
