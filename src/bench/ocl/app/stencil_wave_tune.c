/* SPDX-License-Identifier: MIT */
/* Passes of several steps on one OpenCL device: the search for the shape of their tiles.
 *
 * Likely shapes stand in tables, the likeliest first. Each is compiled, proved on two passes, and
 * timed with the numbers of cuts that suit one to four groups per compute unit; around the best one
 * other depths are tried. What is compared is the time of a whole iteration, with the plain steps
 * that are left over when the depth does not divide it. */
#include "bench/ocl/app/stencil_wave.h"

#include "base/clock.h"

enum {
    PASSES = 2,   /* of a trial */
    RESIDENT = 4, /* groups of a compute unit at once, at most, that cuts are made for */
    SWEEPS = 4,   /* plain steps that are timed */
    TIMINGS = 2,  /* of a trial; the best counts */
};

/* No further shape is tried after this. */
static const uint64_t search_ns = 12000000000;
/* A later candidate must be better by this: noise chooses nothing. */
static const double better = 0.99;

enum { SHAPES = 5 };
struct shapes {
    struct am_ocl_wave_shape list[SHAPES]; /* ended by one without depth */
};

/* By dimension and type. State is two registers per point and level; local memory is what vendors
 * give at least, 32 to 48 KiB. */
static const struct shapes gpu_shapes[2][AM_STENCIL_TYPES] = {
    {[AM_STENCIL_F32] = {{{{128, 1}, {4, 1}, 8, 2, 1, 9, 2, true, false, 0},
                          {{128, 1}, {4, 1}, 8, 2, 1, 9, 2, false, false, 0},
                          {{128, 1}, {4, 1}, 8, 4, 1, 9, 0, false, false, 0}}},
     [AM_STENCIL_F64] = {{{{128, 1}, {2, 1}, 8, 4, 1, 9, 2, true, false, 0},
                          {{128, 1}, {2, 1}, 8, 4, 1, 9, 2, false, false, 0},
                          {{128, 1}, {4, 1}, 6, 3, 1, 7, 0, false, false, 0}}}},
    {[AM_STENCIL_F32] = {{{{32, 8}, {2, 8}, 4, 1, 2, 2, 0, false, true, 0},
                          {{16, 16}, {4, 4}, 4, 1, 1, 1, 4, false, false, 0},
                          {{16, 8}, {4, 4}, 4, 1, 1, 1, 2, false, false, 0},
                          {{16, 16}, {4, 4}, 4, 1, 1, 1, 0, false, false, 0}}},
     [AM_STENCIL_F64] = {{{{32, 8}, {2, 4}, 4, 1, 1, 2, 0, false, true, 0},
                          {{32, 8}, {2, 5}, 3, 1, 1, 2, 0, false, true, 0},
                          {{16, 16}, {2, 4}, 4, 1, 2, 2, 2, true, false, 0},
                          {{16, 16}, {2, 4}, 4, 1, 1, 1, 2, false, false, 0},
                          {{16, 16}, {2, 4}, 4, 1, 1, 5, 0, false, false, 0}}}},
};
/* Work-items of a CPU take turns on one core, and keep their registers in memory. */
static const struct am_ocl_wave_shape cpu_shapes[2] = {
    {{64, 1}, {4, 1}, 4, 4, 1, 1, 0, false, false, 0},
    {{16, 8}, {4, 4}, 2, 2, 1, 1, 0, false, false, 0}};

struct search {
    struct am_ocl_grid *grid;
    const struct am_ocl_wave_wish *wish;
    uint64_t begin_ns;
    struct am_ocl_wave_shape best;
    struct am_ocl_wave_found *found; /* planned_ns 0: none works so far */
    struct am_err why_not;           /* of the last shape that failed */
    enum am_status failure;
};

static bool has_time(const struct search *s)
{
    return !s->found->planned_ns || am_now_ns() - s->begin_ns < search_ns;
}

unsigned am_ocl_wave_cuts(size_t tiles, size_t planes, unsigned depth, size_t places)
{
    size_t best = 0;
    unsigned cuts = 1;

    for (unsigned c = 1; c <= planes && c <= places * 16; c++) {
        const size_t chunk = (planes + c - 1) / c, groups = tiles * ((planes + chunk - 1) / chunk);
        const size_t takes = (groups + places - 1) / places * (chunk + 2 * (size_t)depth);

        if (!best || takes < best) {
            best = takes;
            cuts = c;
        }
    }
    return cuts;
}

/* ---- trials ---- */

static enum am_status time_sweeps(struct am_ocl_grid *g, uint64_t *sweep_ns, struct am_err *err)
{
    const enum am_status s =
        am_ocl_grid_time(g, am_ocl_grid_sweep, g, SWEEPS, TIMINGS, sweep_ns, err);

    *sweep_ns /= SWEEPS;
    return s;
}

static enum am_status time_passes(struct am_ocl_wave *w, uint64_t *pass_ns, struct am_err *err)
{
    const enum am_status s = am_ocl_grid_time(
        w->grid, am_ocl_wave_advance, w, PASSES * (size_t)w->shape.depth, TIMINGS, pass_ns, err);

    *pass_ns /= PASSES;
    return s;
}

static void try_cuts(struct search *s, struct am_ocl_wave *w, unsigned cuts)
{
    const size_t steps = s->grid->spec.steps;
    uint64_t pass_ns = 0, planned;

    am_ocl_wave_cut(w, cuts);
    s->failure = time_passes(w, &pass_ns, &s->why_not);
    if (s->failure != AM_OK)
        return;
    s->found->tried++;
    planned = steps / w->shape.depth * pass_ns + steps % w->shape.depth * s->found->sweep_ns;
    if (!s->found->planned_ns || (double)planned < better * (double)s->found->planned_ns) {
        s->found->planned_ns = planned ? planned : 1;
        s->best = w->shape;
    }
}

/* One kernel, with the cuts that suit more and more groups per compute unit. What cannot be had, or
 * is wrong, only loses. */
static void try_kernel(struct search *s, const struct am_ocl_wave_shape *shape)
{
    const unsigned units = s->grid->device->compute_units;
    struct am_ocl_wave w = {.grid = NULL};
    unsigned before = 0;

    if (!has_time(s))
        return;
    s->why_not = (struct am_err){.sys = 0};
    s->failure = am_ocl_wave_build(&w, s->grid, shape, &s->why_not);
    if (s->failure == AM_OK)
        am_ocl_wave_cut(
            &w, am_ocl_wave_cuts(w.groups[0] * w.groups[1], s->grid->far, shape->depth, units));
    if (s->failure == AM_OK)
        s->failure = am_ocl_wave_prove(&w, PASSES * (size_t)shape->depth, &s->why_not);
    for (unsigned resident = 1; resident <= RESIDENT && s->failure == AM_OK; resident++) {
        const unsigned cuts = am_ocl_wave_cuts(w.groups[0] * w.groups[1], s->grid->far,
                                               shape->depth, (size_t)units * resident);

        if (cuts != before && has_time(s))
            try_cuts(s, &w, cuts);
        before = cuts;
    }
    am_ocl_wave_free(&w);
}

/* What the point asks for in place of what is usual. */
static void try_shape(struct search *s, struct am_ocl_wave_shape shape)
{
    const struct am_ocl_grid *const g = s->grid;
    const size_t most = s->wish->depth ? s->wish->depth : shape.depth;
    const unsigned items = shape.items[0] * shape.items[1];

    shape.depth = (unsigned)(most < g->spec.steps ? most : g->spec.steps);
    if (s->wish->width) {
        while (s->wish->width % shape.points[0])
            shape.points[0] /= 2;
        shape.lanes = shape.lanes && s->wish->width == shape.items[0] * shape.points[0];
        shape.items[0] = s->wish->width / shape.points[0];
        shape.items[1] = g->spec.dim == 3 && shape.items[0] < items ? items / shape.items[0] : 1;
    }
    if (shape.lanes && am_ocl_wave_local_bytes(g, &shape) > g->device->local_bytes)
        shape.ahead = 1;
    while (shape.at_once > 1 && am_ocl_wave_local_bytes(g, &shape) > g->device->local_bytes)
        shape.at_once /= 2;
    try_kernel(s, &shape);
}

static void search_gpu(struct search *s)
{
    static const int other_depths[] = {+1, -1, +2, -2};
    const struct am_ocl_wave_shape *const list =
        gpu_shapes[s->grid->spec.dim - 2][s->grid->spec.type].list;

    for (size_t i = 0; i < SHAPES && list[i].depth; i++)
        try_shape(s, list[i]);
    for (size_t i = 0; i < sizeof(other_depths) / sizeof(other_depths[0]); i++) {
        struct am_ocl_wave_shape shape = s->best;
        const int depth = (int)shape.depth + other_depths[i];

        if (s->wish->depth || !s->found->planned_ns || depth < 1)
            return;
        shape.depth = (unsigned)depth;
        shape.unroll = shape.ahead;
        try_shape(s, shape);
    }
}

enum am_status am_ocl_wave_tune(struct am_ocl_wave *w, struct am_ocl_grid *grid,
                                const struct am_ocl_wave_wish *wish,
                                struct am_ocl_wave_found *found, struct am_err *err)
{
    struct search s = {.grid = grid, .wish = wish, .begin_ns = am_now_ns(), .found = found};
    enum am_status status;

    *found = (struct am_ocl_wave_found){.tried = 0};
    status = time_sweeps(grid, &found->sweep_ns, err);
    if (status != AM_OK)
        return status;
    if (grid->device->is_cpu)
        try_shape(&s, cpu_shapes[grid->spec.dim - 2]);
    else
        search_gpu(&s);
    if (!found->planned_ns) {
        *err = s.why_not;
        return s.failure;
    }
    status = am_ocl_wave_build(w, grid, &s.best, err);
    if (status != AM_OK)
        return status;
    am_ocl_wave_cut(w, s.best.cuts);
    return am_ocl_grid_fill(grid, err);
}
