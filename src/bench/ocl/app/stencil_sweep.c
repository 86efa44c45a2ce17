/* SPDX-License-Identifier: MIT */
/* One step of a grid per launch on one OpenCL device: what is compiled and run, the search for its
 * shape, and copies beside it. */
#include "bench/ocl/app/stencil_sweep.h"

#include "base/clock.h"
#include "base/text.h"

enum {
    OPTIONS_MAX = 160,
    STEPS = 2,        /* of a trial's proof */
    LAUNCHES = 4,     /* that are timed together, */
    TIMINGS = 3,      /* and how often; the best counts */
    COPY_GROUP = 256, /* work-items */
    COPY_BYTES = 16,  /* at once */
    SHAPES = 4,
};

/* No further shape is tried after this. */
static const uint64_t search_ns = 3000000000;
/* A later candidate must be better by this: noise chooses nothing. */
static const double better = 0.99;

/* By dimension and type, the likeliest first; ended by one without points. */
static const struct am_ocl_sweep_shape gpu_shapes[2][AM_STENCIL_TYPES][SHAPES] = {
    {[AM_STENCIL_F32] = {{{4, 1}, {256, 1}, 3, 3},
                         {{2, 1}, {256, 1}, 4, 4},
                         {{4, 1}, {256, 1}, 5, 5}},
     [AM_STENCIL_F64] = {{{2, 1}, {256, 1}, 3, 3},
                         {{2, 1}, {128, 1}, 4, 4},
                         {{1, 1}, {256, 1}, 4, 4}}},
    {[AM_STENCIL_F32] = {{{4, 2}, {32, 8}, 6, 3},
                         {{4, 2}, {32, 8}, 5, 5},
                         {{4, 2}, {32, 4}, 15, 3},
                         {{4, 1}, {32, 8}, 9, 3}},
     [AM_STENCIL_F64] = {{{2, 2}, {32, 8}, 6, 3},
                         {{2, 2}, {32, 8}, 5, 5},
                         {{2, 2}, {32, 8}, 15, 3},
                         {{2, 1}, {32, 8}, 15, 3}}},
};
/* Work-items of a CPU take turns on one core: each has vectors of its own. */
static const struct am_ocl_sweep_shape cpu_shapes[2] = {{{4, 1}, {64, 1}, 8, 1},
                                                        {{4, 2}, {16, 4}, 8, 1}};

/* ---- build ---- */

static enum am_status compile(struct am_ocl_sweep *w, struct am_err *err)
{
    const struct am_ocl_sweep_shape *const shape = &w->shape;
    const bool wide = w->grid->spec.type == AM_STENCIL_F64;
    char options[OPTIONS_MAX];
    enum am_status s;

    if (!am_str_format(options, sizeof(options),
                       "-DELEMENT=%s -DWIDE=%d -DDIM=%u -DVX=%u -DROWS=%u -DUNROLL=%u",
                       wide ? "double" : "float", wide, w->grid->spec.dim, shape->points[0],
                       shape->points[1], shape->unroll))
        return am_fail(err, AM_E_LIMIT, "build options are too long");
    s = am_ocl_program_build(&w->program, w->grid->device, "stencil_sweep", options, err);
    if (s == AM_OK)
        s = am_ocl_program_kernel(&w->program, "am_sweep_step", &w->step, err);
    return s == AM_OK ? am_ocl_program_kernel(&w->program, "am_sweep_copy", &w->copy, err) : s;
}

/* Groups of at most as many work-items as the kernel allows. */
static enum am_status fit_group(struct am_ocl_sweep *w, struct am_err *err)
{
    unsigned *const group = w->shape.group;
    size_t most = 0;
    const enum am_status s = am_ocl_program_group_max(w->grid->device, w->step, &most, err);

    while (s == AM_OK && (size_t)group[0] * group[1] > most && group[0] * group[1] > 1)
        group[group[1] > 1] /= 2;
    return s;
}

enum am_status am_ocl_sweep_build(struct am_ocl_sweep *w, struct am_ocl_grid *grid,
                                  const struct am_ocl_sweep_shape *shape, struct am_err *err)
{
    enum am_status s;

    *w = (struct am_ocl_sweep){.grid = grid, .shape = *shape};
    while (grid->across[0] % w->shape.points[0])
        w->shape.points[0] /= 2;
    if (w->shape.chunk > grid->far)
        w->shape.chunk = grid->far;
    s = compile(w, err);
    if (s == AM_OK)
        s = fit_group(w, err);
    if (s != AM_OK)
        return s;
    for (unsigned d = 0; d < 2; d++) {
        const size_t points = w->shape.points[d], group = w->shape.group[d];
        const size_t items = (grid->across[d] + points - 1) / points;

        w->items[d] = (items + group - 1) / group * group;
    }
    w->items[2] = (grid->far + w->shape.chunk - 1) / w->shape.chunk;
    return AM_OK;
}

void am_ocl_sweep_free(struct am_ocl_sweep *w)
{
    am_ocl_release_kernel(w->step);
    am_ocl_release_kernel(w->copy);
    am_ocl_program_free(&w->program);
    *w = (struct am_ocl_sweep){.grid = NULL};
}

/* ---- steps ---- */

enum am_status am_ocl_sweep_advance(void *sweep, size_t steps, struct am_ocl_ends *ends,
                                    struct am_err *err)
{
    struct am_ocl_sweep *const w = sweep;
    const size_t group[3] = {w->shape.group[0], w->shape.group[1], 1};
    const cl_uint chunk = w->shape.chunk;
    const struct am_ocl_arg own = AM_OCL_ARG(chunk);
    enum am_status s = am_ocl_grid_args(w->grid, w->step, &own, 1, err);

    for (size_t i = 0; i < steps && s == AM_OK; i++)
        s = am_ocl_grid_enqueue(w->grid, w->step, w->items, group, ends, err);
    return s;
}

enum am_status am_ocl_sweep_prove(struct am_ocl_sweep *w, size_t steps, struct am_err *err)
{
    return am_ocl_grid_prove(w->grid, am_ocl_sweep_advance, w, steps, err);
}

/* ---- the search ---- */

/* What cannot be had, or is wrong, only loses. */
static void try_shape(struct am_ocl_grid *g, const struct am_ocl_sweep_shape *shape,
                      struct am_ocl_sweep_shape *best, struct am_ocl_sweep_found *found)
{
    struct am_ocl_sweep w = {.grid = NULL};
    uint64_t ns = 0;
    enum am_status s = am_ocl_sweep_build(&w, g, shape, NULL);

    if (s == AM_OK)
        s = am_ocl_sweep_prove(&w, STEPS, NULL);
    if (s == AM_OK)
        s = am_ocl_grid_time(g, am_ocl_sweep_advance, &w, LAUNCHES, TIMINGS, &ns, NULL);
    if (s == AM_OK) {
        ns /= LAUNCHES;
        found->tried++;
        if (!found->step_ns || (double)ns < better * (double)found->step_ns) {
            found->step_ns = ns ? ns : 1;
            *best = w.shape;
        }
    }
    am_ocl_sweep_free(&w);
}

enum am_status am_ocl_sweep_tune(struct am_ocl_sweep *w, struct am_ocl_grid *grid,
                                 struct am_ocl_sweep_found *found, struct am_err *err)
{
    const unsigned d = grid->spec.dim - 2;
    const bool is_cpu = grid->device->is_cpu;
    const struct am_ocl_sweep_shape *const list =
        is_cpu ? &cpu_shapes[d] : gpu_shapes[d][grid->spec.type];
    struct am_ocl_sweep_shape best = list[0];
    const uint64_t begin = am_now_ns();
    enum am_status s;

    *found = (struct am_ocl_sweep_found){.tried = 0};
    for (size_t i = 0; i < (is_cpu ? 1 : SHAPES) && list[i].points[0]; i++) {
        if (!found->step_ns || am_now_ns() - begin < search_ns)
            try_shape(grid, &list[i], &best, found);
    }
    s = am_ocl_sweep_build(w, grid, &best, err);
    return s == AM_OK ? am_ocl_grid_fill(grid, err) : s;
}

/* ---- copies ---- */

static enum am_status copy_by_driver(void *sweep, size_t copies, struct am_ocl_ends *ends,
                                     struct am_err *err)
{
    const struct am_ocl_sweep *const w = sweep;
    enum am_status s = AM_OK;

    for (size_t i = 0; i < copies && s == AM_OK; i++)
        s = am_ocl_grid_copy(w->grid, ends, err);
    return s;
}

static enum am_status copy_by_kernel(void *sweep, size_t copies, struct am_ocl_ends *ends,
                                     struct am_err *err)
{
    const struct am_ocl_sweep *const w = sweep;
    struct am_ocl_grid *const g = w->grid;
    const cl_uint points = (cl_uint)g->points;
    const size_t each = (size_t)COPY_GROUP * COPY_BYTES / g->element_bytes; /* points of a group */
    const size_t items[3] = {(g->points + each - 1) / each * COPY_GROUP, 1, 1};
    const size_t group[3] = {COPY_GROUP, 1, 1};
    const struct am_ocl_arg args[] = {AM_OCL_ARG(g->u[0]), AM_OCL_ARG(g->u[1]), AM_OCL_ARG(points)};
    enum am_status s = am_ocl_program_args(w->copy, args, sizeof(args) / sizeof(args[0]), err);

    for (size_t i = 0; i < copies && s == AM_OK; i++)
        s = am_ocl_grid_enqueue(g, w->copy, items, group, ends, err);
    return s;
}

/* Copies that are the state, timed; the better of this and `best_ns`. */
static enum am_status try_copy(struct am_ocl_sweep *w, am_ocl_advance_fn *copy, uint64_t *best_ns,
                               struct am_err *err)
{
    uint64_t ns = 0;
    enum am_status s = am_ocl_grid_clear_other(w->grid, err);

    if (s == AM_OK)
        s = copy(w, 1, NULL, err);
    if (s == AM_OK)
        s = am_ocl_grid_both_same(w->grid, err);
    if (s == AM_OK)
        s = am_ocl_grid_time(w->grid, copy, w, LAUNCHES, TIMINGS, &ns, err);
    if (s == AM_OK && ns / LAUNCHES < *best_ns)
        *best_ns = ns / LAUNCHES;
    return s;
}

enum am_status am_ocl_sweep_time_copy(struct am_ocl_sweep *w, uint64_t *copy_ns, struct am_err *err)
{
    enum am_status s;

    *copy_ns = UINT64_MAX;
    s = try_copy(w, copy_by_driver, copy_ns, err);
    return s == AM_OK ? try_copy(w, copy_by_kernel, copy_ns, err) : s;
}
