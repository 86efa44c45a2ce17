/* SPDX-License-Identifier: MIT */
/* A cell found again by its own picture, without edges, flow or contour.
 *
 * A frame in which the cell's place is known gives its profile: the median grey of each ring around
 * that place. In another frame the profile is moved until it fits best (least squares by
 * Gauss-Newton steps, together with its contrast and a background that may slope). Pixels that
 * other cells cover are left out, pixels that fit badly count less (Huber's weights). Where the
 * background is known it is taken off before.
 *
 * How far the result may be off is asked of the picture itself: the last step is repeated without
 * each of eight sectors in turn, and the scatter of the places is the jackknife's standard error.
 * What pulls at one side only, a wall or a neighbour unknown, shows there. */
#ifndef AM_APP_LEUKOCYTE_CELL_FIT_H
#define AM_APP_LEUKOCYTE_CELL_FIT_H

#include "app/leukocyte/image.h"

#include <stdbool.h>
#include <stddef.h>

enum { AM_CELL_RINGS = 19 };

/* What one cell looks like. */
struct am_cell_profile {
    double grey[AM_CELL_RINGS]; /* at 0, 1, 2, ... px from the centre, less that of the last */
    double range;               /* between the brightest and the darkest ring */
    double reach;               /* px; beyond it less than a tenth of the range is seen of it */
};

/* A disc in which another cell is seen. */
struct am_cell_cover {
    struct am_centre at;
    double radius; /* px */
};

struct am_cell_fit {
    bool found; /* the rest means nothing otherwise */
    struct am_centre at;
    double error;    /* px, standard error of the place; INFINITY: the picture does not tell */
    double contrast; /* 1: as in the profile */
};

/* The profile of the cell at this place, which lies in the frame. */
void am_cell_profile_learn(struct am_image frame, struct am_centre at,
                           struct am_cell_profile *profile);

/* Looks for the cell around a place, no further than about a cell's radius. `ground`: the grey of
 * every pixel without cells, NAN where that is not known (such pixels are left out); NULL: pictures
 * are taken as they are. Not found where more than half of it is left out, the steps do not settle,
 * or its contrast is off by more than half of it. */
struct am_cell_fit am_cell_profile_find(const struct am_cell_profile *profile,
                                        struct am_image frame, struct am_centre from,
                                        const struct am_cell_cover *covers, size_t n,
                                        const float *ground);

#endif
