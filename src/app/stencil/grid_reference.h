/* SPDX-License-Identifier: MIT */
/* Grids as they are written down, in the widest type: what every method is compared with. */
#ifndef AM_APP_STENCIL_GRID_REFERENCE_H
#define AM_APP_STENCIL_GRID_REFERENCE_H

#include <stddef.h>

/* Steps a grid in its place; `other` has room for as many points. `wall`: values beyond both sides
 * of each dimension; NULL: a grid without sides. */
void am_grid_reference(long double *x, long double *other, unsigned dim, const size_t n[3],
                       size_t steps, double r, const double (*wall)[2]);

#endif
