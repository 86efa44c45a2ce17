/* SPDX-License-Identifier: MIT */
/* All points of a line made once more by a plain loop: what windows at seams cannot see.
 *
 * The loop is the one that the compiler makes for the instruction set of the result, over pieces of
 * the line that stay in cache. Windows hold that loop to a reference (stencil_check.h), and it
 * holds the method to itself at every point. */
#ifndef AM_BENCH_APPS_LINE_AGAIN_H
#define AM_BENCH_APPS_LINE_AGAIN_H

#include "bench/apps/stencil_check.h"

/* AM_E_WRONG unless every point that is looked at is within `allowed` of the plain loop's; 0: has
 * its bits. */
enum am_status am_line_again(const struct am_stencil_view *view, double allowed,
                             struct am_err *err);

/* Points that it looks at: all that are here, or, where they would take longer than a second or
 * two, pieces of the line that differ with each seed. */
size_t am_line_again_points(const struct am_stencil_view *view);

#endif
