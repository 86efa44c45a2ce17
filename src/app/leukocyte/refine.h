/* SPDX-License-Identifier: MIT */
/* A cell's centre between the pixels: where the gradient along its outline is strongest. */
#ifndef AM_APP_LEUKOCYTE_REFINE_H
#define AM_APP_LEUKOCYTE_REFINE_H

#include "app/leukocyte/image.h"

#include <stddef.h>

/* Pixels from a centre that a search looks at; all of them must be in the map. */
enum { AM_REFINE_REACH = 21 };

/* Slopes of a frame, row after row. */
struct am_gradients {
    const float *gx, *gy;
    size_t width;
};

/* The centre of the circle near `centre` (4 px at most) with the largest mean gradient across it,
 * outward where `sign` is above 0, else inward; to 1/32 px. */
struct am_centre am_refine_centre(const struct am_gradients *map, struct am_centre centre,
                                  double sign);

#endif
