/* SPDX-License-Identifier: MIT */
/* app.stencil on OpenCL devices in two and three dimensions: a launch per step, or waves. */
#include "bench/ocl/app/stencil_ways.h"

static enum am_status open_grid(struct am_ocl_stencil_point *w, const struct am_stencil_task *task,
                                struct am_err *err)
{
    struct am_ocl_grid_spec spec = {
        .dim = w->dim, .type = task->type, .steps = task->steps, .r = task->r};
    enum am_status s;

    if (task->form != AM_STENCIL_paper)
        return am_fail(err, AM_E_ABSENT, "grids of devices have the paper's form only");
    if (w->devices.count > 1)
        return am_fail(err, AM_E_ABSENT, "grids are stepped by one device");
    am_stencil_sides(w->dim, task->n, spec.n);
    s = am_ocl_grid_open(&w->grid, w->devices.use[0], &spec, err);
    w->spec.n = w->grid.points;
    am_ctx_note(w->devices.use[0]->ctx, "sides", "%zu x %zu x %zu", spec.n[0], spec.n[1],
                spec.n[2]);
    return s;
}

static enum am_status fill_grid(struct am_ocl_stencil_point *w, struct am_err *err)
{
    return am_ocl_grid_fill(&w->grid, err);
}

static enum am_status look_at_grid(struct am_ocl_stencil_point *w, struct am_err *err)
{
    return am_ocl_grid_look(&w->grid, w->seed, err);
}

static enum am_status open_sweeps(struct am_ocl_stencil_point *w,
                                  const struct am_stencil_task *task, struct am_err *err)
{
    if (task->width || task->depth)
        return am_fail(err, AM_E_ABSENT, "only waves have a width and a depth: auto has 0");
    return open_grid(w, task, err);
}

static enum am_status run_sweeps(struct am_ocl_stencil_point *w, uint64_t iters,
                                 uint64_t *elapsed_ns, struct am_err *err)
{
    struct am_ocl_ends ends = {.first = NULL};
    enum am_status s = AM_OK, waited;

    for (uint64_t i = 0; i < iters && s == AM_OK; i++)
        s = am_ocl_grid_sweep(&w->grid, w->spec.steps, &ends, err);
    waited = am_ocl_grid_wait(&w->grid, &ends, elapsed_ns, s == AM_OK ? err : NULL);
    return s == AM_OK ? waited : s;
}

static enum am_status check_sweeps(struct am_ocl_stencil_point *w, double *residual,
                                   struct am_err *err)
{
    enum am_status s = am_ocl_grid_fill(&w->grid, err);

    if (s == AM_OK)
        s = am_ocl_grid_sweep(&w->grid, w->spec.steps, NULL, err);
    return s == AM_OK ? am_ocl_grid_compare(&w->grid, w->spec.steps, w->seed, residual, err) : s;
}

static void note_waves(const struct am_ocl_stencil_point *w, const struct am_stencil_task *task,
                       const struct am_ocl_wave_found *found)
{
    const struct am_ocl_wave_shape *const shape = &w->wave.shape;
    const struct am_ctx *const ctx = w->devices.use[0]->ctx;
    const double sweep = (double)w->grid.points / (double)found->sweep_ns;

    if (!task->depth)
        am_ctx_chosen(ctx, "depth", "%u", shape->depth);
    if (!task->width)
        am_ctx_chosen(ctx, "w", "%u", shape->items[0] * shape->points[0]);
    am_ctx_note(ctx, "pass_depth", "%u", shape->depth);
    am_ctx_note(ctx, "sweep", "plain steps: %.4g updates per second", 1e9 * sweep);
    am_ctx_chosen(ctx, "winner",
                  "%u x %u work-items of %u x %u points, %u levels at once, %u planes ahead, "
                  "%u x %u of a tile written, %u cuts; %u tried",
                  shape->items[0], shape->items[1], shape->points[0], shape->points[1],
                  shape->at_once, shape->ahead, w->wave.own[0], w->wave.own[1], shape->cuts,
                  found->tried);
}

static enum am_status open_waves(struct am_ocl_stencil_point *w, const struct am_stencil_task *task,
                                 struct am_err *err)
{
    const struct am_ocl_wave_wish wish = {.width = task->width, .depth = task->depth};
    struct am_ocl_wave_found found = {.tried = 0};
    enum am_status s;

    if (task->depth > task->steps)
        return am_fail(err, AM_E_ABSENT, "a pass of %zu steps, of %zu in all", task->depth,
                       task->steps);
    s = open_grid(w, task, err);
    if (s == AM_OK)
        s = am_ocl_wave_tune(&w->wave, &w->grid, &wish, &found, err);
    if (s == AM_OK)
        note_waves(w, task, &found);
    return s;
}

static enum am_status run_waves(struct am_ocl_stencil_point *w, uint64_t iters,
                                uint64_t *elapsed_ns, struct am_err *err)
{
    struct am_ocl_ends ends = {.first = NULL};
    enum am_status s = AM_OK, waited;

    for (uint64_t i = 0; i < iters && s == AM_OK; i++)
        s = am_ocl_wave_advance(&w->wave, w->spec.steps, &ends, err);
    waited = am_ocl_grid_wait(&w->grid, &ends, elapsed_ns, s == AM_OK ? err : NULL);
    return s == AM_OK ? waited : s;
}

static size_t passes_of_waves(const struct am_ocl_stencil_point *w)
{
    return w->spec.steps / w->wave.shape.depth + w->spec.steps % w->wave.shape.depth;
}

/* Every point has the bits of plain steps, and these are right. */
static enum am_status check_waves(struct am_ocl_stencil_point *w, double *residual,
                                  struct am_err *err)
{
    const enum am_status s = am_ocl_wave_prove(&w->wave, w->spec.steps, err);

    return s == AM_OK ? am_ocl_grid_compare(&w->grid, w->spec.steps, w->seed, residual, err) : s;
}

static size_t passes_of_sweeps(const struct am_ocl_stencil_point *w)
{
    return w->spec.steps;
}

const struct am_ocl_stencil_way am_ocl_stencil_grid_ways[] = {
    {"auto", open_sweeps, fill_grid, run_sweeps, passes_of_sweeps, look_at_grid, check_sweeps,
     NULL},
    {"wave", open_waves, fill_grid, run_waves, passes_of_waves, look_at_grid, check_waves, NULL},
    {.variant = NULL},
};
