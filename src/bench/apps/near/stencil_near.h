/* SPDX-License-Identifier: MIT */
/* Parts of an iteration of app.stencil in two and three dimensions, for an account of its time: how
 * often its loop turns, and how long the same loop takes on data in the first-level cache.
 *
 * Rows cost something to begin, whatever their length: the loop is timed on rows of two lengths,
 * and a run is taken to be so many beginnings and so many points. */
#ifndef AM_BENCH_APPS_NEAR_STENCIL_NEAR_H
#define AM_BENCH_APPS_NEAR_STENCIL_NEAR_H

#include "app/stencil/grid.h"
#include "base/clock.h"

#include <stdint.h>

struct am_stencil_parts {
    uintptr_t code;  /* of the loop; 0: not told, and neither is the rest */
    double turns;    /* of the loop in an iteration */
    double l2_bytes; /* moved from and to the second-level cache beside what the work states */
    double near;     /* seconds of an iteration on near data; 0: not measured */
    double begin;    /* of these, what rows take whatever their length */
    double crossing; /* and what it costs that rows begin between lines; 0: they do not */
};

/* Of a grid of one part. Its state is lost. */
void am_stencil_parts_measure(const struct am_stencil_grid *grid, size_t steps,
                              const struct am_clock *clock, struct am_stencil_parts *parts);

#endif
