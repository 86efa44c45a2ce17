/* SPDX-License-Identifier: MIT */
/* app.stencil in two and three dimensions: am_stencil_flat and am_stencil_solid (stencil_dim.h).
 * Chooses tile and depth where the point leaves them open, and states work and bounds. */
#include "app/stencil/turns.h"
#include "bench/apps/auto_width.h"
#include "bench/apps/grid_check.h"
#include "bench/apps/ports.h"
#include "bench/apps/stencil_dim.h"
#include "bench/apps/near/stencil_near.h"
#include "bench/apps/wave_bound.h"
#include "bench/apps/wave_room.h"
#include "bench/shared/bound.h"
#include "bench/shared/memory.h"

#include <math.h>
#include <stdlib.h>

struct grid {
    struct am_stencil_grid grid;
    struct am_memory memory;
    struct am_stencil_turns turns;
    void *x;      /* the state at step 0 */
    size_t bytes; /* of the grid's memory */
    size_t steps;
    size_t cycle; /* iterations that are compared */
    uint64_t seed;
    struct am_wave_room room;      /* of waves whose shape is chosen */
    struct am_auto_width width;    /* of the compiler's loop; tried with the cost */
    struct am_wave_bound bound;    /* of waves; measured with the cost */
    struct am_stencil_parts parts; /* with one thread */
    struct am_grid_variant silent; /* while loops do nothing */
    struct am_wave_variant silent_waves;
};

static size_t points_of(const struct am_grid_spec *spec)
{
    return spec->n[0] * spec->n[1] * spec->n[2];
}

static size_t element_bytes(const struct am_grid_spec *spec)
{
    return spec->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double);
}

void am_stencil_sides(unsigned dim, size_t n, size_t sides[3])
{
    size_t side = (size_t)(dim == 2 ? sqrt((double)n) : cbrt((double)n) + 0.5);

    if (side < 1)
        side = 1;
    sides[0] = side;
    sides[1] = dim == 2 ? n / side : side;
    sides[2] = dim == 2 ? 1 : n / (side * side);
    if (sides[2] < 1)
        sides[2] = 1;
}

static enum am_status check_shape(const struct am_stencil_task *task, struct am_err *err)
{
    const bool tiles = task->method >= AM_STENCIL_BY_SKEW;

    if ((task->width || task->depth) && !tiles)
        return am_fail(err, AM_E_ABSENT,
                       "only skew, slice and wave have tiles: %s has w = 0, depth = 0",
                       am_stencil_methods[task->method]);
    if (task->depth > task->steps)
        return am_fail(err, AM_E_ABSENT, "a pass of %zu steps, of %zu in all", task->depth,
                       task->steps);
    return AM_OK;
}

static enum am_status open_grid(unsigned dim, const struct am_stencil_task *task, void **self_p,
                                struct am_err *err)
{
    struct am_grid_spec spec = {.kernels = am_grid_find(task->isa),
                                .dim = dim,
                                .method = task->method,
                                .form = task->form,
                                .type = task->type,
                                .r = task->r,
                                .depth = task->depth,
                                .tile = {task->width},
                                .parts = task->threads};
    struct grid *const grid = calloc(1, sizeof(*grid));
    struct am_clock clock;
    enum am_status s;

    *self_p = grid;
    if (!grid)
        return am_fail(err, AM_E_NOMEM, "no memory for a grid");
    grid->steps = task->steps;
    grid->seed = task->seed;
    am_stencil_sides(dim, task->n, spec.n);
    s = check_shape(task, err);
    if (s != AM_OK)
        return s;
    if (spec.method == AM_STENCIL_BY_WAVE && spec.kernels && !(spec.depth && spec.tile[0])) {
        am_clock_init(&clock);
        am_wave_room_measure(&spec, task->steps, &clock, &grid->room);
        spec.near_bytes = am_wave_room_bytes(&grid->room);
    }
    am_grid_choose(&spec, task->steps);
    s = am_grid_bytes(&spec, &grid->bytes, err);
    grid->grid.spec = spec;
    return s;
}

static enum am_status open_flat(const struct am_stencil_task *task, void **self_p,
                                struct am_err *err)
{
    return open_grid(2, task, self_p, err);
}

static enum am_status open_solid(const struct am_stencil_task *task, void **self_p,
                                 struct am_err *err)
{
    return open_grid(3, task, self_p, err);
}

static uint64_t bytes_of_grid(const void *self)
{
    const struct grid *const grid = self;
    const struct am_grid_spec *const spec = &grid->grid.spec;

    return grid->bytes + points_of(spec) * element_bytes(spec);
}

static enum am_status map_grid(void *self, struct am_err *err)
{
    struct grid *const grid = self;
    const struct am_grid_spec spec = grid->grid.spec;
    enum am_status s;

    grid->x = malloc(points_of(&spec) * element_bytes(&spec));
    if (!grid->x)
        return am_fail(err, AM_E_NOMEM, "%zu points", points_of(&spec));
    s = am_memory_map(&grid->memory, grid->bytes, AM_PAGES_ANY, err);
    if (s == AM_OK)
        s = am_stencil_grid_init(&grid->grid, &spec, grid->memory.base, err);
    if (s == AM_OK)
        s = am_stencil_turns_init_grid(&grid->turns, &grid->grid, grid->steps, grid->x, err);
    if (s != AM_OK)
        return s;
    grid->cycle = am_stencil_turns_cycle(&grid->turns);
    return am_grid_start_all(&spec, grid->cycle * grid->steps, grid->x, err);
}

/* Cycles of one vector and step. Where a product is fused with a sum, sums can be fused products by
 * one too: instructions are as many of each as there are units for. */
static double vector_cycles(const struct am_grid_spec *spec, const struct am_ports *ports)
{
    const unsigned neighbours = 2 * spec->dim;
    const unsigned products = spec->form == AM_STENCIL_paper ? 2 : 1;
    const unsigned all = neighbours + products - 1; /* one sum is fused */

    /* Pairs of neighbours that two points share are added once: as many sums as dimensions. One
     * sum of three dimensions is fused to a second product. */
    if (spec->method == AM_STENCIL_BY_WAVE)
        return am_ports_cycles(ports, ports->fuses ? spec->dim : 2,
                               ports->fuses ? spec->dim : spec->dim + 1);
    if (!ports->fuses)
        return am_ports_cycles(ports, products, neighbours);
    return am_ports_cycles(ports, all - all / 2, all / 2);
}

/* Operations of a point and step of waves: those of the instructions above. */
static unsigned wave_flops(unsigned dim, bool fuses)
{
    return fuses ? 2 * dim + dim : 2 + dim + 1;
}

/* Waves wait for more than units. Where the rest could not be measured units alone count. */
static double bound_of(struct grid *grid, const struct am_clock *clock, double units)
{
    grid->bound = (struct am_wave_bound){.units = units};
    if (grid->grid.spec.method == AM_STENCIL_BY_WAVE && units > 0)
        (void)am_wave_bound_measure(&grid->grid.spec, grid->memory.base, grid->bytes, clock,
                                    &grid->bound, NULL);
    return units > 0 ? am_wave_bound_least(&grid->bound) : 0;
}

static void cost_of_grid(void *self, const struct am_clock *clock, struct am_work *work,
                         struct am_stencil_cost *cost)
{
    struct grid *const grid = self;
    const struct am_grid_spec *const spec = &grid->grid.spec;
    const enum am_flops_type type = spec->type == AM_STENCIL_F32 ? AM_FLOPS_F32 : AM_FLOPS_F64;
    const unsigned *const flops = am_grid_form_flops[spec->dim - AM_GRID_DIM_LEAST];
    const double lanes = (double)spec->kernels->lanes[spec->type];
    const double points = (double)points_of(spec), updates = points * (double)grid->steps;
    const double passes = (double)((grid->steps - 1) / grid->grid.ghosts + 1);
    struct am_ports ports;

    am_auto_width_choose(&grid->grid, clock, &grid->width);
    am_ports_measure(spec->kernels->isa, type, clock, &ports);
    work->ops = updates;
    work->flops = flops[AM_STENCIL_paper] * updates;
    work->bytes_read = points * (double)element_bytes(spec) * passes;
    work->bytes_written = work->bytes_read;
    /* Where sums have units of their own, fused products alone are not all that can be done. */
    work->flops_per_cycle_max =
        2 *
        am_bound_flops(AM_FLOPS_FMA, type, spec->kernels->lanes[spec->type] * element_bytes(spec)) *
        (double)spec->parts;
    cost->executed = (spec->method == AM_STENCIL_BY_WAVE ? wave_flops(spec->dim, ports.fuses)
                                                         : flops[spec->form]) *
                     updates;
    cost->bound_cycles = bound_of(grid, clock, vector_cycles(spec, &ports)) * updates / lanes;
    cost->peak_cycles =
        am_ports_peak(&ports) > 0 ? cost->executed / (am_ports_peak(&ports) * lanes) : 0;
}

static void split_grid(void *self, const struct am_clock *clock)
{
    struct grid *const grid = self;

    if (grid->grid.spec.parts == 1)
        am_stencil_parts_measure(&grid->grid, grid->steps, clock, &grid->parts);
}

static struct am_stencil_near near_of_grid(const void *self)
{
    const struct grid *const grid = self;

    return (struct am_stencil_near){grid->parts.near, grid->parts.begin, grid->parts.crossing, 0};
}

static void step_nothing(const struct am_grid_box *box)
{
    (void)box;
}

static void wave_nothing(const struct am_wave_block *block)
{
    (void)block;
}

/* The same kernels, whose steps do nothing. */
static void make_silent(struct grid *grid)
{
    const struct am_wave_variant *const waves = am_wave_find(grid->grid.spec.kernels->isa);

    grid->silent = *grid->grid.spec.kernels;
    for (size_t i = 0; i < sizeof(grid->silent.step) / sizeof(am_grid_fn *); i++)
        (&grid->silent.step[0][0][0][0])[i] = step_nothing;
    grid->silent_waves = *waves;
    for (size_t type = 0; type < AM_STENCIL_TYPES; type++) {
        for (size_t i = 0; i < AM_WAVE_ROWS_MAX; i++)
            grid->silent_waves.flat[type][i] = wave_nothing;
        for (size_t i = 0; i < (size_t)AM_WAVE_PLANES_MAX * AM_WAVE_DEEP_MAX; i++)
            (&grid->silent_waves.solid[type][0][0])[i] = wave_nothing;
        for (size_t i = 0; i < AM_WAVE_DEEP_MAX; i++)
            grid->silent_waves.solid_ahead[type][i] =
                waves->solid_ahead[type][i] ? wave_nothing : NULL;
        grid->silent_waves.flat_ahead[type] = wave_nothing;
    }
}

static bool replace_loops(void *self, enum am_stencil_instead what)
{
    struct grid *const grid = self;
    const char *const isa = grid->grid.spec.kernels->isa;
    const bool silent = what == AM_STENCIL_SILENT;

    if (what == AM_STENCIL_WALKING)
        return false;
    if (silent)
        make_silent(grid);
    grid->grid.spec.kernels = silent ? &grid->silent : am_grid_find(isa);
    if (grid->grid.spec.method == AM_STENCIL_BY_WAVE)
        grid->grid.waves = silent ? &grid->silent_waves : am_wave_find(isa);
    return true;
}

/* Of a wave a row is a whole number of vectors, which a few points are in twice. */
static void keep_code(const struct am_stencil_parts *parts, const struct am_ctx *ctx)
{
    if (!parts->code)
        return;
    am_ctx_hot_loop(ctx, parts->code, parts->turns);
    if (parts->l2_bytes > 0)
        am_ctx_l2_bytes(ctx, parts->l2_bytes);
}

static void note_grid(const void *self, const struct am_ctx *ctx)
{
    const struct grid *const grid = self;
    const struct am_grid_spec *const spec = &grid->grid.spec;
    const struct am_wave_bound *const b = &grid->bound;

    keep_code(&grid->parts, ctx);
    am_ctx_note(ctx, "sides", "%zu x %zu x %zu", spec->n[0], spec->n[1], spec->n[2]);
    am_ctx_note(ctx, "memory", "%.2f times the grid",
                (double)grid->bytes / (double)(points_of(spec) * element_bytes(spec)));
    am_ctx_note(ctx, "accurate_form", "%s", am_stencil_forms[am_stencil_form_for(spec->r)]);
    if (am_grid_compared(points_of(spec)) < points_of(spec))
        am_ctx_note(ctx, "not_proven",
                    "%zu of %zu points are compared with the known outcome, others by each launch",
                    am_grid_compared(points_of(spec)), points_of(spec));
    if (grid->width.half > 0)
        am_ctx_note(ctx, "vectors", "%s: whole ones take %.2f of the time of halves here",
                    spec->whole ? "whole" : "halves", grid->width.whole / grid->width.half);
    if (spec->method < AM_STENCIL_BY_SKEW)
        return;
    if (grid->room.l2_bytes)
        am_ctx_note(ctx, "room",
                    "waves that fit %zu KiB of second-level cache take %.2f of the time of longer "
                    "ones: %s",
                    grid->room.l2_bytes / 1024, grid->room.inside / grid->room.beyond,
                    spec->near_bytes ? "they are to fit there" : "longer ones are taken");
    am_ctx_chosen(ctx, "depth", "%zu", spec->depth);
    am_ctx_chosen(ctx, "w", "%zu", spec->tile[0]);
    if (spec->method == AM_STENCIL_BY_WAVE)
        am_ctx_note(ctx, "bound",
                    "cycles per vector and step: units %.2f, loads %.2f, stores %.2f, caches %.2f, "
                    "where the grid lies %.2f; at least %.2f (%s), one after the other %.2f",
                    b->units, b->loads, b->stores, b->near, b->far, am_wave_bound_least(b),
                    am_wave_bound_part(b), am_wave_bound_apart(b));
    else
        am_ctx_note(ctx, "tile", "%zu x %zu x %zu", spec->tile[0], spec->tile[1], spec->tile[2]);
}

static struct am_stencil_ranges ranges_of_wave(const struct grid *grid)
{
    static const struct am_stencil_range strips = {8, 128, "*1.5"}, depths = {2, 24, "*1.5"};
    const struct am_grid_spec *const spec = &grid->grid.spec;
    const struct am_stencil_range waves = {2, am_wave_find(spec->kernels->isa)->rows, "1"};
    struct am_stencil_ranges ranges = {spec->dim == 2 ? waves : strips, depths};

    if (ranges.depth.most > grid->steps)
        ranges.depth.most = grid->steps;
    if (spec->dim == 3 && ranges.width.most > spec->n[1])
        ranges.width.most = spec->n[1];
    return ranges;
}

/* Wider than a row is as wide as it; a pass is no longer than all steps, and where it is long
 * against a lane its ghosts are more than what it is for. */
static struct am_stencil_ranges ranges_of_grid(const void *self)
{
    static const struct am_stencil_range widths[] = {{16, 1024, "*2"}, {8, 512, "*2"}},
                                         depths[] = {{2, 64, "*1.5"}, {1, 12, "*1.5"}};
    const struct grid *const grid = self;
    const struct am_grid_spec *const spec = &grid->grid.spec;
    struct am_stencil_ranges ranges = {0};
    const size_t kind = spec->dim - AM_GRID_DIM_LEAST;
    size_t longest = grid->grid.length[spec->dim - 1];

    if (spec->method < AM_STENCIL_BY_SKEW)
        return ranges;
    ranges = (struct am_stencil_ranges){widths[kind], depths[kind]};
    if (spec->method == AM_STENCIL_BY_WAVE)
        return ranges_of_wave(grid);
    if (longest > grid->steps)
        longest = grid->steps;
    if (ranges.depth.most > longest)
        ranges.depth.most = longest;
    if (ranges.width.most > grid->grid.length[0])
        ranges.width.most = grid->grid.length[0];
    return ranges;
}

static struct am_blocks fill_grid(void *self)
{
    struct grid *const grid = self;

    return am_stencil_filling(&grid->turns);
}

static struct am_blocks step_grid(void *self)
{
    struct grid *const grid = self;

    return am_stencil_stepping(&grid->turns);
}

static uint64_t rounds_of_grid(const void *self)
{
    const struct grid *const grid = self;

    return am_stencil_rounds(&grid->turns);
}

static size_t cycle_of_grid(const void *self)
{
    return ((const struct grid *)self)->cycle;
}

static enum am_status look_at_grid(const void *self, struct am_err *err)
{
    const struct grid *const grid = self;

    am_stencil_turns_settle(&grid->turns);
    return am_grid_look(&grid->grid, grid->seed, err);
}

static enum am_status check_grid(const void *self, double *residual, struct am_err *err)
{
    const struct grid *const grid = self;

    am_stencil_turns_settle(&grid->turns);
    return am_grid_compare(&grid->grid, grid->cycle * grid->steps, grid->seed, residual, err);
}

static void close_grid(void *self)
{
    struct grid *const grid = self;

    if (!grid)
        return;
    am_stencil_turns_fini(&grid->turns);
    am_memory_unmap(&grid->memory);
    free(grid->x);
    free(grid);
}

#define OPERATIONS                                                                                 \
    .bytes = bytes_of_grid, .map = map_grid, .cost = cost_of_grid, .split = split_grid,            \
    .near = near_of_grid, .instead = replace_loops, .note = note_grid, .ranges = ranges_of_grid,   \
    .filling = fill_grid, .stepping = step_grid, .rounds = rounds_of_grid, .look = look_at_grid,   \
    .cycle = cycle_of_grid, .check = check_grid, .close = close_grid

const struct am_stencil_dim am_stencil_flat = {.r_max = 1.0 / 4, .open = open_flat, OPERATIONS};
const struct am_stencil_dim am_stencil_solid = {.r_max = 1.0 / 6, .open = open_solid, OPERATIONS};
