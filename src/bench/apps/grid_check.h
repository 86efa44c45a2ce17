/* SPDX-License-Identifier: MIT */
/* A grid before and after its steps, where the outcome is known for every point.
 *
 * The start is a sum of one random line for each dimension, constant along the others, and of a
 * product of cosines. Steps turn each line into what it would be alone, and shrink the cosines by
 * one factor per step: both are cheap to compute for any number of steps. A neighbour taken from
 * the wrong place shows in the lines, one taken across a corner in the cosines. */
#ifndef AM_BENCH_APPS_GRID_CHECK_H
#define AM_BENCH_APPS_GRID_CHECK_H

#include "app/stencil/grid.h"
#include "base/rng.h"

#include <stdint.h>

/* The state at step 0 in parts: a line and a cosine along each dimension. A point is 1/2, its lines
 * and `amplitude` times its cosines. */
struct am_grid_lines {
    long double *line[3], *cosine[3];
    long double amplitude;
};
/* Of `spec` only the dimension, sides and r count. To be freed, also after a failure. */
enum am_status am_grid_lines_make(const struct am_grid_spec *spec, size_t steps,
                                  struct am_grid_lines *lines, struct am_err *err);
void am_grid_lines_free(struct am_grid_lines *lines);

/* A grid that somebody holds: processors, a device, several. */
struct am_grid_view {
    struct am_grid_spec spec; /* dimension, form, type, sides and r */
    const void *self;
    double (*value)(const void *self, const size_t at[3]);
    /* Moves some of the random points, by i, to where layouts go wrong. */
    void (*seam)(const void *self, struct am_rng *rng, size_t i, size_t at[3]);
    void (*row)(const void *self, size_t y, size_t z, double *values); /* all points of it */
    size_t first, rows; /* counted from (0, 0, 0), those that are here; rows 0: all are */
    size_t all;     /* points up to which all are compared; of larger grids whole rows of as many */
    size_t samples; /* points of larger grids that are compared besides, at seams and between */
};
/* As the two functions at the end of this file. */
enum am_status am_grid_view_look(const struct am_grid_view *view, uint64_t seed,
                                 struct am_err *err);
enum am_status am_grid_view_compare(const struct am_grid_view *view, size_t steps, uint64_t seed,
                                    double *residual, struct am_err *err);

/* All points at step 0, values of the element type between 0 and 1; the cosines are such that
 * `steps` of them leave something to see. */
enum am_status am_grid_start_all(const struct am_grid_spec *spec, size_t steps, void *x,
                                 struct am_err *err);

/* AM_E_WRONG when a point has left the range of the start, which no step does. */
enum am_status am_grid_look(const struct am_stencil_grid *grid, uint64_t seed, struct am_err *err);
/* AM_E_WRONG unless points agree with the outcome of `steps` steps: all of them up to
 * am_grid_compared() points; of larger grids rows of as many points, others with each seed, and
 * points at the seams between lanes and parts. */
enum am_status am_grid_compare(const struct am_stencil_grid *grid, size_t steps, uint64_t seed,
                               double *residual, struct am_err *err);
/* Points of a grid that am_grid_compare() looks at. */
size_t am_grid_compared(size_t points);

#endif
