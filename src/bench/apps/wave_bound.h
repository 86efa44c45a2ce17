/* SPDX-License-Identifier: MIT */
/* What a wave (app/stencil/wave.h) costs at least, part by part: arithmetic units, loads, stores,
 * lines from the caches that hold what is under way, and bytes from where the grid lies.
 *
 * How often each is needed follows from the shape of the blocks; what it costs is measured here and
 * now, by loops that do nothing else. The greatest part is a bound. What the parts are together,
 * but for units, which work beside everything, is what a core would take that moves one thing at a
 * time (the model ECM without overlap): a loop is between the two. */
#ifndef AM_BENCH_APPS_WAVE_BOUND_H
#define AM_BENCH_APPS_WAVE_BOUND_H

#include "app/stencil/grid.h"
#include "base/clock.h"
#include "base/status.h"

#include <stddef.h>

/* Of one vector and step. */
struct am_wave_needs {
    double loads, stores;
    double near_bytes; /* that loads bring into the first-level cache */
    double far_bytes;  /* that come from where the grid lies, and go there */
    size_t footprint;  /* bytes of all rows that are under way at a time */
};

struct am_wave_needs am_wave_needs_of(const struct am_grid_spec *spec);

/* Cycles of one vector and step. */
struct am_wave_bound {
    double units, loads, stores, near, far;
};

/* `units` is known; the rest is measured. The grid's memory is read only; a few ms. */
enum am_status am_wave_bound_measure(const struct am_grid_spec *spec, void *grid, size_t bytes,
                                     const struct am_clock *clock, struct am_wave_bound *bound,
                                     struct am_err *err);

/* The least, and all of it one after the other. */
double am_wave_bound_least(const struct am_wave_bound *bound);
double am_wave_bound_apart(const struct am_wave_bound *bound);
/* Which part is the greatest, for sentences. */
const char *am_wave_bound_part(const struct am_wave_bound *bound);

#endif
