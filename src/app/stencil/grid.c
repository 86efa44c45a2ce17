/* SPDX-License-Identifier: MIT */
/* Grids of two and three dimensions: what is possible, and one pass after the other. */
#include "app/stencil/grid.h"

#include "app/stencil/grid_layout.h"
#include "app/stencil/grid_tiles.h"
#include "app/stencil/wave.h"
#include "app/stencil/wave_order.h"

#include <float.h>
#include <stdint.h>

enum { PARTS_MAX = 1 << 10, SIDE_MAX = 1 << 30, DEPTH_MAX = 1 << 16 };
static const double points_max = 0x1p48; /* ghosts included */

static enum am_status check_shape(const struct am_grid_spec *spec, struct am_err *err)
{
    double points = 1;

    if (spec->dim < 2 || spec->dim > 3 || (spec->dim == 2 && spec->n[2] != 1))
        return am_fail(err, AM_E_ABSENT, "a grid of %u dimensions", spec->dim);
    for (unsigned d = 0; d < spec->dim; d++) {
        if (spec->n[d] < 1 || spec->n[d] > SIDE_MAX)
            return am_fail(err, AM_E_ABSENT, "a side of %zu grid points", spec->n[d]);
        points *= (double)spec->n[d] + 2.0 * (double)spec->depth;
    }
    if (points > points_max)
        return am_fail(err, AM_E_ABSENT, "%g grid points", points);
    return AM_OK;
}

static enum am_status check(const struct am_grid_spec *spec, struct am_err *err)
{
    const bool sweeps = spec->method < AM_STENCIL_BY_SKEW;
    enum am_status s;

    if (spec->method == AM_STENCIL_BY_REGISTERS)
        return am_fail(err, AM_E_ABSENT, "this variant is for one dimension");
    if (spec->fixed && spec->method != AM_STENCIL_BY_WAVE)
        return am_fail(err, AM_E_ABSENT, "only wave has fixed sides");
    s = check_shape(spec, err);
    if (s != AM_OK)
        return s;
    if (spec->parts < 1 || spec->parts > PARTS_MAX)
        return am_fail(err, AM_E_ABSENT, "%zu parts, not 1 to %d", spec->parts, PARTS_MAX);
    if (spec->method == AM_STENCIL_BY_WAVE)
        return am_wave_check(spec, err);
    if (!sweeps && (spec->depth < 1 || spec->depth > DEPTH_MAX))
        return am_fail(err, AM_E_ABSENT, "%s needs 1 to %d steps per pass, not %zu",
                       am_stencil_methods[spec->method], DEPTH_MAX, spec->depth);
    for (unsigned d = 0; !sweeps && d < spec->dim; d++) {
        if (spec->tile[d] < 1)
            return am_fail(err, AM_E_ABSENT, "%s needs tiles of 1 point or more",
                           am_stencil_methods[spec->method]);
    }
    if (!am_grid_loop(spec))
        return am_fail(err, AM_E_ABSENT, "%s has no vectors for a compiler to use",
                       spec->kernels->isa);
    return AM_OK;
}

static enum am_status set_up(struct am_stencil_grid *grid, const struct am_grid_spec *spec,
                             struct am_err *err)
{
    enum am_status s = check(spec, err);

    *grid = (struct am_stencil_grid){.spec = *spec};
    if (s == AM_OK)
        s = am_stencil_coefs_in(2 * spec->dim, spec->form, spec->type, spec->r, &grid->coefs, err);
    if (s == AM_OK)
        am_grid_lay_out(grid);
    return s;
}

enum am_status am_grid_bytes(const struct am_grid_spec *spec, size_t *bytes, struct am_err *err)
{
    struct am_stencil_grid grid;
    const enum am_status s = set_up(&grid, spec, err);

    *bytes = s == AM_OK ? grid.bytes : 0;
    return s;
}

enum am_status am_stencil_grid_init(struct am_stencil_grid *grid, const struct am_grid_spec *spec,
                                    void *memory, struct am_err *err)
{
    const enum am_status s = set_up(grid, spec, err);

    grid->memory = memory;
    return s;
}

/* A state lies in its place or up to `depth` before it: a pass goes forth where that takes it to
 * the end of its room, or where there is less behind it than the pass needs. */
static bool goes_forth(size_t depth, size_t shift, size_t steps)
{
    return shift + steps == depth || shift < steps;
}

static bool has_room(size_t depth, size_t shift, size_t steps)
{
    return shift + steps <= depth || shift >= steps;
}

/* Where neither way has room for a whole pass, the run before ended with a shorter one: as many
 * steps come first, so that all runs of as many steps have as many passes. */
static size_t steps_of(size_t depth, size_t shift, size_t left)
{
    const size_t whole = left < depth ? left : depth, rest = left % depth;

    if (has_room(depth, shift, whole))
        return whole;
    if (rest && has_room(depth, shift, rest))
        return rest;
    return shift > depth - shift ? shift : depth - shift;
}

struct am_grid_pass am_grid_next(const struct am_stencil_grid *grid,
                                 const struct am_grid_phase *phase, size_t left)
{
    const size_t steps = steps_of(grid->ghosts, phase->shift, left);

    if (am_wave_runs_on(grid))
        return (struct am_grid_pass){.steps = left, .from = *phase, .forth = true, .last = true};
    return (struct am_grid_pass){.steps = steps,
                                 .from = *phase,
                                 .forth = goes_forth(grid->ghosts, phase->shift, steps),
                                 .last = steps == left};
}

size_t am_grid_reach(const struct am_stencil_grid *grid)
{
    return am_wave_runs_on(grid) ? SIZE_MAX : grid->ghosts;
}

/* What nobody else has to do for it. */
static bool is_empty(const struct am_stencil_grid *grid, size_t part)
{
    return !am_wave_is_shared(&grid->spec) &&
           am_grid_part_start(grid, part) == am_grid_part_start(grid, part + 1);
}

void am_grid_exchange(const struct am_stencil_grid *grid, size_t part,
                      const struct am_grid_pass *pass)
{
    if (is_empty(grid, part))
        return;
    if (grid->spec.method == AM_STENCIL_BY_WAVE)
        am_wave_exchange(grid, part, pass);
    else if (am_grid_is_plain(&grid->spec) && pass->from.passes > 0)
        am_grid_fill_from_parts(grid, part, &pass->from);
    else
        am_grid_fill_ghosts(grid, part, &pass->from, pass->steps);
}

void am_grid_advance(const struct am_stencil_grid *grid, size_t part,
                     const struct am_grid_pass *pass)
{
    if (is_empty(grid, part))
        return;
    if (grid->spec.method == AM_STENCIL_BY_WAVE)
        am_wave_advance(grid, part, pass);
    else
        am_grid_advance_tiles(grid, part, pass);
}

void am_grid_passed(const struct am_stencil_grid *grid, struct am_grid_phase *phase,
                    const struct am_grid_pass *pass)
{
    *phase = pass->from;
    phase->passes += (pass->steps - 1) / grid->ghosts + 1;
    phase->age = pass->last ? 0 : (phase->age + pass->steps) % grid->coefs.rescale_every;
    if (grid->spec.method < AM_STENCIL_BY_SKEW)
        phase->front = !phase->front;
    else
        phase->shift = pass->forth ? phase->shift + pass->steps : phase->shift - pass->steps;
}

void am_grid_run(struct am_stencil_grid *grid, size_t steps)
{
    while (steps) {
        const struct am_grid_pass pass = am_grid_next(grid, &grid->phase, steps);

        for (size_t part = 0; part < grid->spec.parts; part++)
            am_grid_exchange(grid, part, &pass);
        for (size_t part = 0; part < grid->spec.parts; part++)
            am_grid_advance(grid, part, &pass);
        am_grid_passed(grid, &grid->phase, &pass);
        steps -= pass.steps;
    }
}

/* Each step rounds as often as a point has neighbours and once more, by half an epsilon of what is
 * at most 1, and no error grows later on. What r is off by adds as much again. */
double am_grid_tolerance(unsigned dim, enum am_stencil_type type, size_t steps)
{
    const double epsilon = type == AM_STENCIL_F32 ? FLT_EPSILON : DBL_EPSILON;

    return epsilon * (4 + (double)(2 * dim + 1) * (double)steps);
}
