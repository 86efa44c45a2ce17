/* SPDX-License-Identifier: MIT */
/* app.stencil on OpenCL devices in two and three dimensions: a launch per step, or waves; on one
 * device, timed by its events, or on several, timed by the host's clock. */
#include "base/clock.h"
#include "bench/ocl/app/stencil_ways.h"

static bool is_alone(const struct am_ocl_stencil_point *w)
{
    return w->devices.count == 1;
}

static enum am_status describe(struct am_ocl_stencil_point *w, const struct am_stencil_task *task,
                               struct am_ocl_grid_spec *spec, struct am_err *err)
{
    *spec = (struct am_ocl_grid_spec){
        .dim = w->dim, .type = task->type, .steps = task->steps, .r = task->r};
    if (task->form != AM_STENCIL_paper)
        return am_fail(err, AM_E_ABSENT, "grids of devices have the paper's form only");
    am_stencil_sides(w->dim, task->n, spec->n);
    w->spec.n = spec->n[0] * spec->n[1] * spec->n[2];
    am_ctx_note(w->devices.use[0]->ctx, "sides", "%zu x %zu x %zu", spec->n[0], spec->n[1],
                spec->n[2]);
    return AM_OK;
}

static enum am_status fill_grid(struct am_ocl_stencil_point *w, struct am_err *err)
{
    return is_alone(w) ? am_ocl_grid_fill(&w->grid, err) : am_ocl_parts_fill(&w->parts, err);
}

static enum am_status look_at_grid(struct am_ocl_stencil_point *w, struct am_err *err)
{
    return is_alone(w) ? am_ocl_grid_look(&w->grid, w->seed, err)
                       : am_ocl_parts_look(&w->parts, w->seed, err);
}

static enum am_status run_parts(struct am_ocl_stencil_point *w, uint64_t iters,
                                uint64_t *elapsed_ns, struct am_err *err)
{
    const uint64_t begin = am_now_ns();
    enum am_status s = AM_OK;

    for (uint64_t i = 0; i < iters && s == AM_OK; i++)
        s = am_ocl_parts_advance(&w->parts, w->spec.steps, err);
    *elapsed_ns = am_now_ns() - begin;
    return s;
}

/* Every point has the bits of plain steps of one device, where it has room for them, and all parts
 * are right. */
static enum am_status check_parts(struct am_ocl_stencil_point *w, double *residual,
                                  struct am_err *err)
{
    struct am_err no_room = {.sys = 0};
    enum am_status s = am_ocl_parts_prove(&w->parts, w->spec.steps, &no_room);

    if (s == AM_E_ABSENT) {
        am_ctx_note(w->devices.use[0]->ctx, "not_proven", "by plain steps of one device: %s",
                    no_room.text);
        s = AM_OK;
    } else if (s != AM_OK) {
        *err = no_room;
    }
    return s == AM_OK ? am_ocl_parts_compare(&w->parts, w->spec.steps, w->seed, residual, err) : s;
}

/* Of the shape that was found for one device. */
static void note_sweeps(const struct am_ocl_stencil_point *w,
                        const struct am_ocl_sweep_found *found)
{
    const struct am_ocl_sweep_shape *const shape = &w->sweep.shape;

    am_ctx_chosen(w->devices.use[0]->ctx, "winner",
                  "%u x %u work-items of %u x %u points, %u planes each, %u written out; %u tried",
                  shape->group[0], shape->group[1], shape->points[0], shape->points[1],
                  shape->chunk, shape->unroll, found->tried);
}

/* What one sweep per step could do: both arrays as they are used. */
static enum am_status time_copy(struct am_ocl_stencil_point *w, struct am_err *err)
{
    const double bytes = 2 * (double)w->grid.points * (double)w->grid.element_bytes;
    const enum am_status s = am_ocl_sweep_time_copy(&w->sweep, &w->copy_ns, err);

    if (s == AM_OK && w->copy_ns)
        am_ctx_note(w->devices.use[0]->ctx, "copy", "%.4g bytes per second: %.4g updates",
                    1e9 * bytes / (double)w->copy_ns,
                    1e9 * (double)w->grid.points / (double)w->copy_ns);
    return s;
}

static enum am_status open_sweeps_alone(struct am_ocl_stencil_point *w,
                                        const struct am_ocl_grid_spec *spec, struct am_err *err)
{
    struct am_ocl_sweep_found found;
    enum am_status s = am_ocl_grid_open(&w->grid, w->devices.use[0], spec, err);

    if (s == AM_OK)
        s = am_ocl_sweep_tune(&w->sweep, &w->grid, &found, err);
    if (s != AM_OK)
        return s;
    note_sweeps(w, &found);
    return time_copy(w, err);
}

static enum am_status open_sweeps(struct am_ocl_stencil_point *w,
                                  const struct am_stencil_task *task, struct am_err *err)
{
    struct am_ocl_grid_spec spec;
    enum am_status s;

    if (task->width || task->depth)
        return am_fail(err, AM_E_ABSENT, "only waves have a width and a depth: auto has 0");
    s = describe(w, task, &spec, err);
    if (s != AM_OK)
        return s;
    return is_alone(w) ? open_sweeps_alone(w, &spec, err)
                       : am_ocl_parts_open(&w->parts, w->devices.use, w->devices.count, &spec, NULL,
                                           NULL, err);
}

static enum am_status run_sweeps(struct am_ocl_stencil_point *w, uint64_t iters,
                                 uint64_t *elapsed_ns, struct am_err *err)
{
    struct am_ocl_ends ends = {.first = NULL};
    enum am_status s = AM_OK, waited;

    if (!is_alone(w))
        return run_parts(w, iters, elapsed_ns, err);
    for (uint64_t i = 0; i < iters && s == AM_OK; i++)
        s = am_ocl_sweep_advance(&w->sweep, w->spec.steps, &ends, err);
    waited = am_ocl_grid_wait(&w->grid, &ends, elapsed_ns, s == AM_OK ? err : NULL);
    return s == AM_OK ? waited : s;
}

/* Every point has the bits of simple steps, and these are right; where there is no room for both,
 * the outcome itself is. */
static enum am_status check_sweeps(struct am_ocl_stencil_point *w, double *residual,
                                   struct am_err *err)
{
    struct am_err no_room = {.sys = 0};
    enum am_status s;

    if (!is_alone(w))
        return check_parts(w, residual, err);
    s = am_ocl_sweep_prove(&w->sweep, w->spec.steps, &no_room);
    if (s == AM_E_ABSENT || s == AM_E_NOMEM) {
        am_ctx_note(w->devices.use[0]->ctx, "not_proven", "by simple steps: %s", no_room.text);
        s = am_ocl_grid_fill(&w->grid, err);
        if (s == AM_OK)
            s = am_ocl_sweep_advance(&w->sweep, w->spec.steps, NULL, err);
    } else if (s != AM_OK) {
        *err = no_room;
    }
    return s == AM_OK ? am_ocl_grid_compare(&w->grid, w->spec.steps, w->seed, residual, err) : s;
}

/* Of the shape that was found for one device. */
static void note_waves(const struct am_ocl_stencil_point *w, const struct am_stencil_task *task,
                       const struct am_ocl_wave_found *found)
{
    const struct am_ocl_wave_shape *const shape = &w->wave.shape;
    const struct am_ctx *const ctx = w->devices.use[0]->ctx;

    if (!task->depth)
        am_ctx_chosen(ctx, "depth", "%u", shape->depth);
    if (!task->width)
        am_ctx_chosen(ctx, "w", "%u", shape->items[0] * shape->points[0]);
    am_ctx_note(ctx, "pass_depth", "%u", shape->depth);
    am_ctx_chosen(
        ctx, "winner",
        "%u x %u work-items of %u x %u points, %u levels at once, %u planes ahead, "
        "%u written out, %u fetched, loads %s, %s shown, %u x %u of a tile written, %u cuts; %u tried",
        shape->items[0], shape->items[1], shape->points[0], shape->points[1], shape->at_once,
        shape->ahead, shape->unroll, shape->fetch, shape->pinned ? "pinned" : "free",
        shape->lanes ? "rows" : "points", w->wave.own[0], w->wave.own[1], shape->cuts,
        found->tried);
}

/* What waves are held against: plain steps, and the rate of memory. */
static enum am_status look_at_memory(struct am_ocl_stencil_point *w, struct am_err *err)
{
    struct am_ocl_sweep_found found;
    enum am_status s = am_ocl_sweep_tune(&w->sweep, &w->grid, &found, err);

    if (s == AM_OK)
        s = time_copy(w, err);
    if (s == AM_OK && found.step_ns)
        am_ctx_note(w->devices.use[0]->ctx, "sweep", "plain steps: %.4g updates per second",
                    1e9 * (double)w->grid.points / (double)found.step_ns);
    am_ocl_sweep_free(&w->sweep);
    return s;
}

/* The shape is searched for on the first device, with a grid of its share; that grid is then given
 * back. */
static enum am_status open_waves_of_parts(struct am_ocl_stencil_point *w,
                                          const struct am_stencil_task *task,
                                          const struct am_ocl_grid_spec *spec, struct am_err *err)
{
    const struct am_ocl_wave_wish wish = {.width = task->width, .depth = task->depth};
    struct am_ocl_wave_found found = {.tried = 0};
    struct am_ocl_grid_spec share = *spec;
    struct am_ocl_wave_shape shape;
    enum am_status s;

    share.planes = spec->n[w->dim - 1] / w->devices.count;
    if (!share.planes)
        return am_fail(err, AM_E_ABSENT, "fewer planes than devices");
    s = am_ocl_grid_open(&w->grid, w->devices.use[0], &share, err);
    if (s == AM_OK)
        s = look_at_memory(w, err);
    w->copy_ns = 0; /* of one device's share */
    if (s == AM_OK)
        s = am_ocl_wave_tune(&w->wave, &w->grid, &wish, &found, err);
    if (s != AM_OK)
        return s;
    note_waves(w, task, &found);
    shape = w->wave.shape;
    am_ocl_wave_free(&w->wave);
    am_ocl_grid_close(&w->grid);
    return am_ocl_parts_open(&w->parts, w->devices.use, w->devices.count, spec, &shape, NULL, err);
}

static enum am_status open_waves(struct am_ocl_stencil_point *w, const struct am_stencil_task *task,
                                 struct am_err *err)
{
    const struct am_ocl_wave_wish wish = {.width = task->width, .depth = task->depth};
    struct am_ocl_wave_found found = {.tried = 0};
    struct am_ocl_grid_spec spec;
    enum am_status s;

    if (task->depth > task->steps)
        return am_fail(err, AM_E_ABSENT, "a pass of %zu steps, of %zu in all", task->depth,
                       task->steps);
    s = describe(w, task, &spec, err);
    if (s == AM_OK && !is_alone(w))
        return open_waves_of_parts(w, task, &spec, err);
    if (s == AM_OK)
        s = am_ocl_grid_open(&w->grid, w->devices.use[0], &spec, err);
    if (s == AM_OK)
        s = look_at_memory(w, err);
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

    if (!is_alone(w))
        return run_parts(w, iters, elapsed_ns, err);
    for (uint64_t i = 0; i < iters && s == AM_OK; i++)
        s = am_ocl_wave_advance(&w->wave, w->spec.steps, &ends, err);
    waited = am_ocl_grid_wait(&w->grid, &ends, elapsed_ns, s == AM_OK ? err : NULL);
    return s == AM_OK ? waited : s;
}

static size_t passes_of_waves(const struct am_ocl_stencil_point *w)
{
    const size_t depth = is_alone(w) ? w->wave.shape.depth : w->parts.depth;

    return w->spec.steps / depth + w->spec.steps % depth;
}

/* Every point has the bits of plain steps, and these are right. */
static enum am_status check_waves(struct am_ocl_stencil_point *w, double *residual,
                                  struct am_err *err)
{
    enum am_status s;

    if (!is_alone(w))
        return check_parts(w, residual, err);
    s = am_ocl_wave_prove(&w->wave, w->spec.steps, err);
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
