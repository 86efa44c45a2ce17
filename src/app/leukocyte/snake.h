/* SPDX-License-Identifier: MIT */
/* The contour of one cell: 20 radii around a centre, pulled onto the edges by the field, and held
 * together by a constraint on shape and size. */
#ifndef AM_APP_LEUKOCYTE_SNAKE_H
#define AM_APP_LEUKOCYTE_SNAKE_H

#include "app/leukocyte/image.h"

#include <stddef.h>

enum { AM_SNAKE_POINTS = 20 };
#define AM_SNAKE_RADIUS 10.0 /* pixels, of a usual cell */

struct am_snake {
    struct am_centre centre;
    double radius[AM_SNAKE_POINTS]; /* at angles 2 pi i / AM_SNAKE_POINTS, from x to y */
};

struct am_snake_setup {
    double stop;  /* it rests when centre and radii together move no more, pixels per step */
    size_t limit; /* of steps */
};

#define AM_SNAKE_DEFAULTS                                                                          \
    {                                                                                              \
        .stop = 0.01, .limit = 1000                                                                \
    }
extern const struct am_snake_setup am_snake_defaults;

/* A circle of 10 px. */
void am_snake_init(struct am_snake *snake, struct am_centre centre);
double am_snake_mean_radius(const struct am_snake *snake);

/* Moves the contour in the field of `window` (dense, row after row) until it rests, meets the limit
 * or touches the window's border. `expected_y` draws the centre gently. `work` has room for
 * four times the field, aligned to 16 bytes. Returns the steps. All places are those of the full
 * frame. */
size_t am_snake_move(struct am_snake *snake, const struct am_snake_setup *setup,
                     const struct am_window *window, const double *field, double expected_y,
                     double *work);

#endif
