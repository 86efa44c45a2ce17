/* SPDX-License-Identifier: MIT */
/* Both widths in turn on one grid. */
#include "bench/apps/auto_width.h"

#include <math.h>

enum {
    ROUNDS = 8,       /* what disturbs a try only makes it longer */
    ROUNDS_LEAST = 2, /* of grids that take longer than all of it should */
    PAIR = 2,         /* steps that lead back to the first array */
};
static const double try_s = 1e-3, all_s = 0.3;
/* By as much whole vectors must be better: what cannot be told apart stays the same in every
 * launch. */
static const double gain = 1.02;

static double seconds_of(struct am_stencil_grid *grid, bool whole, size_t steps,
                         const struct am_clock *clock)
{
    uint64_t begin;

    grid->spec.whole = whole;
    begin = clock->now_ns(clock->self);
    am_grid_run(grid, steps);
    return 1e-9 * (double)(clock->now_ns(clock->self) - begin) / (double)steps;
}

/* As many steps as a try takes, after a few that bring the grid to where it will lie. */
static size_t steps_of_try(struct am_stencil_grid *grid, const struct am_clock *clock)
{
    const double step = seconds_of(grid, false, PAIR, clock);

    return step > 0 && step * PAIR < try_s ? PAIR * (size_t)ceil(try_s / (step * PAIR)) : PAIR;
}

void am_auto_width_choose(struct am_stencil_grid *grid, const struct am_clock *clock,
                          struct am_auto_width *width)
{
    const struct am_grid_spec *const spec = &grid->spec;
    const uint64_t begin = clock->now_ns(clock->self);
    size_t steps;

    *width = (struct am_auto_width){0};
    if (spec->method != AM_STENCIL_BY_AUTO ||
        !spec->kernels->step[spec->dim - AM_GRID_DIM_LEAST][AM_GRID_WHOLE][spec->form][spec->type])
        return;
    *width = (struct am_auto_width){INFINITY, INFINITY};
    steps = steps_of_try(grid, clock);
    for (int i = 0; i < ROUNDS; i++) {
        const bool first = i % 2;

        for (int k = 0; k < 2; k++) {
            const bool whole = first != (k == 1);
            double *const best = whole ? &width->whole : &width->half;

            *best = fmin(*best, seconds_of(grid, whole, steps, clock));
        }
        if (i + 1 >= ROUNDS_LEAST && 1e-9 * (double)(clock->now_ns(clock->self) - begin) > all_s)
            break;
    }
    grid->spec.whole = width->half > gain * width->whole;
    grid->phase = (struct am_grid_phase){.age = 0};
}
