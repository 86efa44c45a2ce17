/* SPDX-License-Identifier: MIT */
/* The stencil as it is written down, in the widest type: what every method is compared with. */
#ifndef AM_APP_STENCIL_REFERENCE_H
#define AM_APP_STENCIL_REFERENCE_H

#include <stddef.h>

/* Values at step 0 of the points from `steps` before a window of `count` points to `steps` after it
 * are in x, count + 2 steps of them. Afterwards x[0] to x[count - 1] are the window after the
 * steps. A window of all points, its surroundings those of a periodic grid, is the whole solution.
 */
void am_stencil_reference(long double *x, size_t count, size_t steps, double r);

#endif
