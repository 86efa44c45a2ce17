/* SPDX-License-Identifier: MIT */
/* app.stencil on OpenCL devices: time slices in the registers of many work-items, plain steps, and
 * small grids that stay in registers or local memory; in two and three dimensions waves, tiles that
 * make several steps while they stream along the grid. */
#include "bench/ocl/app/stencil_peak.h"
#include "bench/ocl/app/stencil_ways.h"

#include <math.h>
#include <string.h>

enum {
    /* What fills a compute unit, where the point leaves n open: lanes by points of each, so many
     * that the start of a pass is no part of it; points of a tile by planes. */
    LANES_OF_UNIT = 256,
    POINTS_OF_LANE = 32768,
    TILE_OF_UNIT = 4096,
    PLANES_OF_TILE = 1024,
    POINTS_OF_CPU_LANE = 16384,
    SIDE_GRAIN = 64,   /* chosen sides are multiples */
    MEMORY_PARTS = 8,  /* of a device's memory, one of which is an array at most */
    SEAMS_BESIDE = 64, /* that the host compares beside all points on the device */
};

/* More than what fused products reach, measured, is no measurement of this. */
static const double share_max = 1.25;

/* ---- the bound ---- */

/* A GPU has one kind of units for products and sums. The cores of CPUs may have others for sums:
 * products alone are what they cannot do faster. */
static double bound_operations(const struct am_ocl_stencil_point *w)
{
    const bool paper = w->spec.form == AM_STENCIL_paper;

    /* As in waves of processors: sums that two points share are made once. */
    if (w->dim > 1)
        return w->devices.use[0]->is_cpu ? w->dim : 2.0 * w->dim;
    if (w->devices.use[0]->is_cpu)
        return paper ? 2 : 1;
    return paper ? 3 : 2;
}

/* Operations that fit into the time of a fused product: its own two, and on CPUs, where sums may
 * have units of their own, a sum beside it. */
static double peak_per_fused(const struct am_ocl_stencil_point *w)
{
    return w->devices.use[0]->is_cpu ? 3 : 2;
}

/* Of one point and step, whatever the form executes. */
static double paper_flops(const struct am_ocl_stencil_point *w)
{
    return 2 + 2.0 * w->dim;
}

static void state_work(struct am_ocl_stencil_point *w, struct am_work *work)
{
    const struct am_ocl_stencil_spec *const spec = &w->spec;
    const double element = spec->type == AM_STENCIL_F32 ? sizeof(cl_float) : sizeof(cl_double);
    const double points = (double)spec->n * (double)w->grids;
    const double updates = points * (double)spec->steps;
    const double rate = am_ocl_fused_rate(w->devices.use[0], spec->type) * (double)w->devices.count;

    work->ops = updates;
    work->flops = paper_flops(w) * updates;
    work->bytes_read = points * element * (double)w->way->passes(w);
    work->bytes_written = work->bytes_read;
    if (w->devices.use[0]->is_cpu) /* two fused products per cycle of each 64 bytes */
        work->flops_per_cycle_max = 2 * paper_flops(w) / bound_operations(w) *
                                    w->devices.use[0]->compute_units * (double)w->devices.count *
                                    64 / element;
    w->executed = w->dim > 1 ? work->flops : am_stencil_form_flops[spec->form] * updates;
    w->bound_ns = rate > 0 ? bound_operations(w) * updates / rate : 0;
    w->peak_ns = rate > 0 ? w->executed / (peak_per_fused(w) * rate) : 0;
    am_ctx_note(w->devices.use[0]->ctx, "fused_peak", "%.4g", 2e9 * rate);
}

/* ---- slices ---- */

/* Notes that are named like axes tell what was chosen where these were left open. */
static void note_shape(const struct am_ocl_stencil_point *w, const struct am_stencil_task *task,
                       unsigned tried)
{
    const struct am_ocl_stencil_shape *const shape = &w->st.shape;
    const struct am_ctx *const ctx = w->devices.use[0]->ctx;

    if (!task->depth)
        am_ctx_chosen(ctx, "depth", "%zu", shape->depth);
    if (!task->width)
        am_ctx_chosen(ctx, "w", "%u", shape->width);
    am_ctx_note(ctx, "pass_depth", "%zu", shape->depth); /* what was asked for may be too much */
    am_ctx_chosen(ctx, "winner",
                  "group %u of %u lanes, %u groups, edges in %s memory, %u points a transfer, "
                  "unrolled %u; %u tried",
                  shape->group, shape->vector, shape->groups,
                  shape->local_edges ? "local" : "global", shape->pack, shape->unroll, tried);
}

static enum am_status open_slices(struct am_ocl_stencil_point *w,
                                  const struct am_stencil_task *task, struct am_err *err)
{
    const struct am_ocl_stencil_wish wish = {
        .width = task->width, .depth = task->depth, .seed = w->seed};
    unsigned tried = 0;
    const enum am_status s =
        am_ocl_stencil_tune(&w->st, w->devices.use, w->devices.count, &w->spec, &wish, &tried, err);

    if (s == AM_OK)
        note_shape(w, task, tried);
    return s;
}

static enum am_status fill_slices(struct am_ocl_stencil_point *w, struct am_err *err)
{
    return am_ocl_stencil_fill(&w->st, err);
}

static enum am_status run_slices(struct am_ocl_stencil_point *w, uint64_t iters,
                                 uint64_t *elapsed_ns, struct am_err *err)
{
    return am_ocl_stencil_run(&w->st, iters, elapsed_ns, err);
}

static struct am_stencil_view view_slices(const struct am_ocl_stencil_point *w)
{
    return am_ocl_stencil_view(&w->st, w->seed);
}

static size_t passes_of_slices(const struct am_ocl_stencil_point *w)
{
    return am_ocl_stencil_passes(&w->st);
}

/* ---- plain steps ---- */

static enum am_status open_plain(struct am_ocl_stencil_point *w, const struct am_stencil_task *task,
                                 struct am_err *err)
{
    if (task->width || task->depth)
        return am_fail(err, AM_E_ABSENT, "only slices have a width and a depth: auto has 0");
    if (w->devices.count > 1)
        return am_fail(err, AM_E_ABSENT, "plain steps are made by one device");
    return am_ocl_plain_open(&w->plain, w->devices.use[0], &w->spec, err);
}

static enum am_status fill_plain(struct am_ocl_stencil_point *w, struct am_err *err)
{
    return am_ocl_plain_fill(&w->plain, err);
}

static enum am_status run_plain(struct am_ocl_stencil_point *w, uint64_t iters,
                                uint64_t *elapsed_ns, struct am_err *err)
{
    return am_ocl_plain_run(&w->plain, iters, elapsed_ns, err);
}

static struct am_stencil_view view_plain(const struct am_ocl_stencil_point *w)
{
    return am_ocl_plain_view(&w->plain, w->seed);
}

static size_t passes_of_plain(const struct am_ocl_stencil_point *w)
{
    return w->spec.steps;
}

/* ---- lines: what both of these have ---- */

static enum am_status look_at_line(struct am_ocl_stencil_point *w, struct am_err *err)
{
    const struct am_stencil_view view = w->way->view(w);

    return am_stencil_look(&view, err);
}

static enum am_status check_line(struct am_ocl_stencil_point *w, double *residual,
                                 struct am_err *err)
{
    const struct am_stencil_view view = w->way->view(w);
    uint64_t ns;
    enum am_status s = w->way->fill(w, err);

    if (s == AM_OK)
        s = w->way->run(w, 1, &ns, err);
    return s == AM_OK ? am_stencil_compare(&view, residual, err) : s;
}

/* What slices may be off by from plain steps: nothing where both are the paper's form, else what
 * each may be off by from the reference. */
static enum am_status allowed_apart(const struct am_ocl_stencil_point *w,
                                    const struct am_stencil_view *view, double *allowed,
                                    struct am_err *err)
{
    const enum am_status s = am_stencil_allowed(view, allowed, err);

    *allowed = w->spec.form == AM_STENCIL_paper ? 0 : 2 * *allowed;
    return s;
}

/* All points of the slices against plain steps on the same device, and these against the reference.
 */
static enum am_status check_all(struct am_ocl_stencil_point *w, double *residual,
                                struct am_err *err)
{
    const struct am_stencil_view plain = view_plain(w);
    struct am_ocl_difference found = {0, 0};
    double allowed = 0;
    uint64_t ns;
    enum am_status s = run_plain(w, 1, &ns, err);

    if (s == AM_OK)
        s = am_stencil_compare(&plain, residual, err);
    if (s == AM_OK)
        s = allowed_apart(w, &plain, &allowed, err);
    if (s == AM_OK)
        s = am_ocl_stencil_differ(&w->st, w->plain.u[w->plain.front], allowed, &found, err);
    if (s == AM_OK && found.count)
        s = am_fail(err, AM_E_WRONG, "%u points are not what plain steps make, the first is %u",
                    found.count, found.first);
    return s;
}

/* Where there is room for plain steps beside them, at every point; else at the seams. */
static enum am_status check_slices(struct am_ocl_stencil_point *w, double *residual,
                                   struct am_err *err)
{
    struct am_stencil_view view = view_slices(w);
    struct am_err no_room = {0};
    uint64_t ns;
    enum am_status s = fill_slices(w, err);
    bool all;

    if (s == AM_OK)
        s = run_slices(w, 1, &ns, err);
    if (s != AM_OK)
        return s;
    all = w->devices.count == 1 &&
          am_ocl_plain_open(&w->plain, w->devices.use[0], &w->spec, &no_room) == AM_OK;
    if (all)
        view.seams = view.seams < SEAMS_BESIDE ? view.seams : SEAMS_BESIDE;
    s = am_stencil_compare(&view, residual, err);
    if (s == AM_OK && all)
        s = check_all(w, residual, err);
    am_ocl_plain_close(&w->plain);
    return s;
}

/* ---- data that stay ---- */

static enum am_status open_resident(struct am_ocl_stencil_point *w,
                                    const struct am_stencil_task *task, bool local,
                                    struct am_err *err)
{
    enum am_status s;

    if (task->width || task->depth)
        return am_fail(err, AM_E_ABSENT, "only slices have a width and a depth: 0 of both");
    if (w->devices.count > 1)
        return am_fail(err, AM_E_ABSENT, "data that stay in place are those of one device");
    s = am_ocl_resident_open(&w->resident, w->devices.use[0], &w->spec, local, err);
    w->grids = w->resident.grids;
    if (s == AM_OK)
        am_ctx_note(w->devices.use[0]->ctx, "grids", "%zu", w->grids);
    return s;
}

static enum am_status open_local(struct am_ocl_stencil_point *w, const struct am_stencil_task *task,
                                 struct am_err *err)
{
    return open_resident(w, task, true, err);
}

static enum am_status open_registers(struct am_ocl_stencil_point *w,
                                     const struct am_stencil_task *task, struct am_err *err)
{
    return open_resident(w, task, false, err);
}

static enum am_status fill_resident(struct am_ocl_stencil_point *w, struct am_err *err)
{
    return am_ocl_resident_fill(&w->resident, err);
}

static enum am_status run_resident(struct am_ocl_stencil_point *w, uint64_t iters,
                                   uint64_t *elapsed_ns, struct am_err *err)
{
    return am_ocl_resident_run(&w->resident, iters, elapsed_ns, err);
}

static struct am_stencil_view view_resident(const struct am_ocl_stencil_point *w)
{
    return am_ocl_resident_view(&w->resident, w->seed);
}

static size_t passes_of_resident(const struct am_ocl_stencil_point *w)
{
    (void)w;
    return 1;
}

static const char *const variants[] = {"auto", "local", "registers", "slice", "wave", NULL};
static const struct am_ocl_stencil_way ways[] = {
    {"auto", open_plain, fill_plain, run_plain, passes_of_plain, look_at_line, check_line,
     view_plain},
    {"slice", open_slices, fill_slices, run_slices, passes_of_slices, look_at_line, check_slices,
     view_slices},
    {"local", open_local, fill_resident, run_resident, passes_of_resident, look_at_line, check_line,
     view_resident},
    {"registers", open_registers, fill_resident, run_resident, passes_of_resident, look_at_line,
     check_line, view_resident},
};

static const struct am_ocl_stencil_way *find_way(const char *variant, bool is_grid)
{
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (!is_grid && strcmp(ways[i].variant, variant) == 0)
            return &ways[i];
    }
    for (const struct am_ocl_stencil_way *way = am_ocl_stencil_grid_ways; way->variant; way++) {
        if (is_grid && strcmp(way->variant, variant) == 0)
            return way;
    }
    return NULL;
}

/* ---- hooks ---- */

/* As many points as fill the device, for axes that leave n open. */
static int64_t chosen_points(const struct am_ocl_stencil_point *w, enum am_stencil_type type)
{
    const struct am_ocl_device *const d = w->devices.use[0];
    const size_t element = type == AM_STENCIL_F32 ? sizeof(cl_float) : sizeof(cl_double);
    const unsigned native = type == AM_STENCIL_F32 ? d->float_width : d->double_width;
    const double cpu_lanes = native > 1 ? native : 1;
    const double lanes = d->is_cpu     ? cpu_lanes * POINTS_OF_CPU_LANE
                         : w->dim == 1 ? (double)LANES_OF_UNIT * POINTS_OF_LANE
                                       : (double)TILE_OF_UNIT * PLANES_OF_TILE;
    const double room = (double)d->memory_bytes / (MEMORY_PARTS * (double)element);
    const double points = fmin(lanes * d->compute_units * (double)w->devices.count, room);
    const double side = floor(pow(points, 1.0 / w->dim) / SIDE_GRAIN) * SIDE_GRAIN;

    return (int64_t)(w->dim == 1 || side < SIDE_GRAIN ? points : pow(side, w->dim));
}

static enum am_status read_point(struct am_ocl_stencil_point *w, const struct am_value *point,
                                 struct am_stencil_task *task, struct am_err *err)
{
    struct am_value own[AM_AXES_MAX];
    const enum am_stencil_type type = (enum am_stencil_type)point[AM_STENCIL_TYPE].i;
    const char *const variant = point[AM_STENCIL_VARIANT].name;

    memcpy(own, point, (AM_STENCIL_COMMON + AM_APPS_AXES) * sizeof(own[0]));
    if (own[AM_STENCIL_N].i == 0) {
        own[AM_STENCIL_N].i = chosen_points(w, type);
        am_ctx_chosen(w->devices.use[0]->ctx, "points", "%lld", (long long)own[AM_STENCIL_N].i);
    }
    w->way = find_way(variant, w->dim > 1);
    if (!w->way)
        return am_fail(err, AM_E_ABSENT, "on devices %s is of %s", variant,
                       w->dim > 1 ? "one dimension" : "two and three dimensions");
    return am_stencil_read_point(own, task, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct am_ocl_stencil_point *const w = state;
    const int64_t dim = point[AM_STENCIL_DIM].i;
    struct am_stencil_task task;
    enum am_status s;

    if (dim < 1 || dim > 3)
        return am_fail(err, AM_E_ABSENT, "a grid has 1 to 3 dimensions, not %lld", (long long)dim);
    if (point[AM_STENCIL_COMMON + AM_APPS_THREADS].i != 1)
        return am_fail(err, AM_E_ABSENT, "a device has no threads to count: threads=1");
    w->dim = (unsigned)dim;
    s = am_ocl_together_open(&w->devices, ctx, point[AM_STENCIL_DEVICE].name, err);
    if (s == AM_OK)
        s = read_point(w, point, &task, err);
    if (s != AM_OK)
        return s;
    w->spec = (struct am_ocl_stencil_spec){
        .form = task.form, .type = task.type, .n = task.n, .steps = task.steps, .r = task.r};
    w->seed = ctx->seed;
    w->grids = 1;
    w->timer.device = w->devices.use[0];
    s = w->way->open(w, &task, err);
    if (s != AM_OK)
        return s;
    state_work(w, work);
    am_ctx_note(ctx, "accurate_form", "%s", am_stencil_forms[am_stencil_form_for(task.r)]);
    return AM_OK;
}

/* Events of one device are held against the host's clock; several are timed by that itself. */
static enum am_status time_run(struct am_ocl_stencil_point *w, uint64_t iters, uint64_t *elapsed_ns,
                               struct am_err *err)
{
    enum am_status s;

    am_ocl_timing_begin(&w->timer);
    s = w->way->run(w, iters, elapsed_ns, err);
    if (s != AM_OK || w->devices.count > 1)
        return s;
    w->timer.device_ns = *elapsed_ns;
    w->timer.commands = 2 * iters * w->way->passes(w);
    return am_ocl_timing_end(&w->timer, elapsed_ns, err);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct am_ocl_stencil_point *const w = state;
    const enum am_status s = time_run(w, iters, &batch->elapsed_ns, err);
    const double ns = (double)batch->elapsed_ns;
    double share;

    if (s != AM_OK)
        return s;
    w->runs += iters;
    share = ns > 0 ? (double)iters * w->bound_ns / ns : 0;
    if (share > share_max && !w->devices.use[0]->is_cpu)
        return am_fail(err, AM_E_WRONG,
                       "folded: %.2f times as fast as fused products alone were measured", share);
    batch->values[AM_STENCIL_EXECUTED] = ns > 0 ? (double)iters * w->executed * 1e9 / ns : 0;
    batch->values[AM_STENCIL_PEAK_SHARE] = ns > 0 ? (double)iters * w->peak_ns / ns : 0;
    batch->values[AM_STENCIL_BOUND_SHARE] = share;
    batch->values[AM_STENCIL_OVER_SWEEP] =
        w->copy_ns && ns > 0 ? (double)iters * (double)w->spec.steps * (double)w->copy_ns / ns
                             : NAN;
    return AM_OK;
}

/* The outcome itself has been through any number of steps: it is looked at, and then the same
 * iteration is made once more from the beginning. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct am_ocl_stencil_point *const w = state;
    enum am_status s;

    *residual = 0;
    if (!w->runs)
        return am_fail(err, AM_E_WRONG, "no step was made");
    s = w->way->look(w, err);
    return s == AM_OK ? w->way->check(w, residual, err) : s;
}

static void finish(void *state)
{
    struct am_ocl_stencil_point *const w = state;

    am_ocl_stencil_free(&w->st);
    am_ocl_plain_close(&w->plain);
    am_ocl_resident_close(&w->resident);
    am_ocl_wave_free(&w->wave);
    am_ocl_sweep_free(&w->sweep);
    am_ocl_grid_close(&w->grid);
    am_ocl_parts_close(&w->parts);
    am_ocl_together_close(&w->devices);
}

static const char *const isas[] = {"device", NULL};
static const char *const executors[] = {"opencl", NULL};
static const char *const runtimes[] = {"opencl", NULL};
static const char *const bindings[] = {"close", NULL};
static const char *const places[] = {"cores", NULL};
static const char *const waits[] = {"default", NULL};

/* What differs from the application's axes: some have one value on devices. */
static const struct am_axis axes[] = {
    {.name = "variant",
     .dflt = "auto,slice",
     .quick = "slice",
     .choices = variants,
     .help = "auto: a launch per step; slice: many steps per pass; local, registers: many equal "
             "grids of n points, each stepped in the local memory of a work-group or in the "
             "registers of a work-item; wave: several steps per pass in two and three dimensions"},
    {.name = "isa",
     .dflt = "usable",
     .choices = isas,
     .help = "instruction set of the loops, or a device's own"},
    {.name = "w", .tune = "16,24,32,48,64,80,96,112,128,160"},
    {.name = "depth", .tune = "16,24,32,48,64,96,128,192"},
    {.name = "n",
     .dflt = "0",
     .quick = "0",
     .help = "grid points, of all dimensions together; 0: as many as fill the device"},
    {.name = "executor", .dflt = "opencl", .thorough = "usable", .choices = executors},
    {.name = "device",
     .dflt = "usable",
     .enumerate = am_ocl_together_names,
     .why_not = am_ocl_together_why_not,
     .env = "ARCHMETER_OCL_DEVICE",
     .help = "cpu, or an OpenCL device; NAME*2: two such devices, or the halves of one"},
    {.name = "runtime",
     .dflt = "usable",
     .choices = runtimes,
     .help = "whose threads or work-items step the sub-domains"},
    {.name = "threads", .dflt = "1"},
    {.name = "binding", .dflt = "usable", .choices = bindings},
    {.name = "places", .dflt = "usable", .choices = places},
    {.name = "wait", .dflt = "usable", .choices = waits},
    {.name = NULL},
};

const struct am_app_port am_port_stencil_opencl = {
    .app = &am_app_stencil,
    .bench = {.axes = axes,
              .state_size = sizeof(struct am_ocl_stencil_point),
              .points_per_launch = 4,
              .cpus = AM_CPUS_ALL,
              .prepare = prepare,
              .run_timed = run_timed,
              .verify = verify,
              .finish = finish,
              .named_only = true}, /* it compiles for seconds */
};
