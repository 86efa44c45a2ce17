/* SPDX-License-Identifier: MIT */
/* app.stencil on OpenCL devices: time slices in the registers of many work-items, plain steps, and
 * small grids that stay in registers or local memory. */
#include "bench/apps/stencil.h"
#include "bench/ocl/units/arith_search.h"
#include "bench/ocl/host/split.h"
#include "bench/ocl/app/stencil_plain.h"
#include "bench/ocl/app/stencil_resident.h"
#include "bench/ocl/app/stencil_tune.h"
#include "bench/ocl/host/timing.h"

#include "base/text.h"
#include "bench/ocl/host/found.h"

#include <math.h>
#include <string.h>

enum {
    PAPER_FLOPS = 4,       /* of one point and step, whatever the form executes */
    TOGETHER_MAX = 8,      /* devices of one grid */
    PEAK_CHAINS = 8,       /* fused chains of a work-item, when the bound is measured */
    PEAK_GPU_ITEMS = 2048, /* of a compute unit */
    PEAK_CPU_ITEMS = 16,
    NAMES_MAX = 3 * AM_OCL_FOUND_MAX,
};

/* More than what fused products reach, measured, is no measurement of this. */
static const double share_max = 1.25;

struct stencil {
    struct am_ocl_device device[TOGETHER_MAX];
    struct am_ocl_split split;
    const struct am_ocl_device *use[TOGETHER_MAX];
    size_t count; /* of `use` */
    struct am_ocl_timer timer;
    const struct way *way;
    struct am_ocl_stencil_spec spec;
    struct am_ocl_stencil st;        /* slice */
    struct am_ocl_plain plain;       /* auto */
    struct am_ocl_resident resident; /* local, registers */
    size_t grids;                    /* alike, each of spec.n points */
    uint64_t runs;                   /* since prepare */
    uint64_t seed;
    double executed;          /* operations of one iteration */
    double bound_ns, peak_ns; /* that one iteration needs at least; 0: not known */
};

/* How a variant is done; by its place in `variants`. */
struct way {
    enum am_status (*open)(struct stencil *w, const struct am_stencil_task *task,
                           struct am_err *err); /* w->spec and w->use are set */
    enum am_status (*fill)(struct stencil *w, struct am_err *err);
    enum am_status (*run)(struct stencil *w, uint64_t iters, uint64_t *elapsed_ns,
                          struct am_err *err);
    struct am_stencil_view (*view)(const struct stencil *w);
    size_t (*passes)(const struct stencil *w); /* over all points, of one iteration */
};

/* ---- devices, and several as one ---- */

static const char together_named[] = "several devices are one where they are named";

/* NAME*2 for every device, and as many as there are equal ones. Made once: axes keep pointers. */
static struct {
    bool made;
    char text[NAMES_MAX][AM_OCL_NAME_MAX];
    const char *names[NAMES_MAX + 1];
} known;

static bool exists(const char *name, unsigned number)
{
    char wanted[AM_OCL_NAME_MAX];

    if (!am_str_format(wanted, sizeof(wanted), "%s-%u", name, number))
        return false;
    return am_name_index(am_ocl_device_names(), AM_NAMES_ENDED, wanted) >= 0;
}

static const char *const *device_names(void)
{
    size_t n = 0;

    if (known.made)
        return known.names;
    known.made = true;
    for (const char *const *name = am_ocl_device_names(); *name && n < NAMES_MAX; name++)
        known.names[n++] = *name;
    for (const char *const *name = am_ocl_device_names(); *name; name++) {
        for (unsigned k = 2; k <= TOGETHER_MAX && !am_ocl_device_why_not(*name); k++) {
            if ((k == 2 || exists(*name, k)) && n < NAMES_MAX &&
                am_str_format(known.text[n], sizeof(known.text[n]), "%s*%u", *name, k)) {
                known.names[n] = known.text[n];
                n++;
            }
        }
    }
    return known.names;
}

static const char *device_why_not(const char *name)
{
    return strchr(name, '*') ? together_named : am_ocl_device_why_not(name);
}

/* Equal devices where there are so many, else shares of the one. */
static enum am_status open_together(struct stencil *w, const struct am_ctx *ctx, const char *name,
                                    size_t k, struct am_err *err)
{
    enum am_status s = am_ocl_device_open(&w->device[0], ctx, name, err);

    w->count = k;
    w->use[0] = &w->device[0];
    if (s != AM_OK || k == 1)
        return s;
    if (!exists(name, (unsigned)k)) {
        s = am_ocl_split_open(&w->split, &w->device[0], k, err);
        for (size_t i = 0; i < k; i++)
            w->use[i] = &w->split.device[i];
        return s;
    }
    for (size_t i = 1; i < k && s == AM_OK; i++) {
        char other[AM_OCL_NAME_MAX];

        if (!am_str_format(other, sizeof(other), "%s-%zu", name, i + 1))
            return am_fail(err, AM_E_LIMIT, "the name of %s is too long", name);
        s = am_ocl_device_open(&w->device[i], ctx, other, err);
        w->use[i] = &w->device[i];
    }
    return s;
}

static enum am_status open_devices(struct stencil *w, const struct am_ctx *ctx, const char *choice,
                                   struct am_err *err)
{
    const char *const star = strchr(choice, '*');
    char name[AM_OCL_NAME_MAX];
    size_t k = 1;

    if (!am_str_copy(name, sizeof(name), choice))
        return am_fail(err, AM_E_ABSENT, "there is no device %s here", choice);
    if (star) {
        name[star - choice] = '\0';
        k = star[1] >= '2' && star[1] <= '0' + TOGETHER_MAX && !star[2] ? (size_t)(star[1] - '0')
                                                                        : 0;
    }
    if (!k)
        return am_fail(err, AM_E_ABSENT, "%s: 2 to %d devices can be one", choice, TOGETHER_MAX);
    return open_together(w, ctx, name, k, err);
}

/* ---- the bound ---- */

/* Fused products that all devices together complete in a nanosecond; 0: cannot be measured. */
static double fused_rate(const struct stencil *w, enum am_stencil_type type)
{
    const struct am_ocl_device *const d = w->use[0];
    const unsigned native = type == AM_STENCIL_F32 ? d->float_width : d->double_width;
    const unsigned group = d->is_cpu ? 64 : 256;
    const struct am_arith_request request = {
        .op = AM_ARITH_FMA,
        .type = type == AM_STENCIL_F32 ? AM_ARITH_FLOAT : AM_ARITH_DOUBLE,
        .width = d->is_cpu && native > 1 ? native : 1,
        .chains = PEAK_CHAINS,
        .items = d->compute_units * (d->is_cpu ? PEAK_CPU_ITEMS * group : PEAK_GPU_ITEMS),
        .group = group,
    };
    struct am_ctx silent = *d->ctx; /* what the search says is of ocl.arith's points */
    struct am_ocl_device quiet = *d;
    struct am_ocl_timer timer = {.device = &quiet};
    struct am_arith_buffers buffers = {.out = NULL};
    struct am_arith_trial trial = {.turn_ns = 0};
    double rate = 0;

    silent.note = NULL;
    silent.chosen = NULL;
    quiet.ctx = &silent;
    if (am_arith_search(&timer, &request, &buffers, &trial, NULL) == AM_OK && trial.turn_ns > 0)
        rate = (double)request.items * trial.shape.chains * trial.shape.width * trial.shape.unroll /
               trial.turn_ns;
    am_arith_trial_free(&trial);
    am_arith_buffers_free(&buffers);
    return rate * (double)w->count;
}

/* A GPU has one kind of units for products and sums. The cores of CPUs may have others for sums:
 * products alone are what they cannot do faster. */
static double bound_operations(const struct stencil *w)
{
    const bool paper = w->spec.form == AM_STENCIL_paper;

    if (w->use[0]->is_cpu)
        return paper ? 2 : 1;
    return paper ? 3 : 2;
}

static void state_work(struct stencil *w, struct am_work *work)
{
    const struct am_ocl_stencil_spec *const spec = &w->spec;
    const double element = spec->type == AM_STENCIL_F32 ? sizeof(cl_float) : sizeof(cl_double);
    const double points = (double)spec->n * (double)w->grids;
    const double updates = points * (double)spec->steps;
    const double rate = fused_rate(w, spec->type);

    work->ops = updates;
    work->flops = PAPER_FLOPS * updates;
    work->bytes_read = points * element * (double)w->way->passes(w);
    work->bytes_written = work->bytes_read;
    if (w->use[0]->is_cpu) /* two fused products per cycle of each 64 bytes */
        work->flops_per_cycle_max = 2 * PAPER_FLOPS / bound_operations(w) *
                                    w->use[0]->compute_units * (double)w->count * 64 / element;
    w->executed = am_stencil_form_flops[spec->form] * updates;
    w->bound_ns = rate > 0 ? bound_operations(w) * updates / rate : 0;
    w->peak_ns = rate > 0 ? work->flops / (2 * rate) : 0;
    am_ctx_note(w->use[0]->ctx, "fused_peak", "%.4g", 2e9 * rate);
}

/* ---- slices ---- */

/* Notes that are named like axes tell what was chosen where these were left open. */
static void note_shape(const struct stencil *w, const struct am_stencil_task *task, unsigned tried)
{
    const struct am_ocl_stencil_shape *const shape = &w->st.shape;
    const struct am_ctx *const ctx = w->use[0]->ctx;

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

static enum am_status open_slices(struct stencil *w, const struct am_stencil_task *task,
                                  struct am_err *err)
{
    const struct am_ocl_stencil_wish wish = {
        .width = task->width, .depth = task->depth, .seed = w->seed};
    unsigned tried = 0;
    const enum am_status s =
        am_ocl_stencil_tune(&w->st, w->use, w->count, &w->spec, &wish, &tried, err);

    if (s == AM_OK)
        note_shape(w, task, tried);
    return s;
}

static enum am_status fill_slices(struct stencil *w, struct am_err *err)
{
    return am_ocl_stencil_fill(&w->st, err);
}

static enum am_status run_slices(struct stencil *w, uint64_t iters, uint64_t *elapsed_ns,
                                 struct am_err *err)
{
    return am_ocl_stencil_run(&w->st, iters, elapsed_ns, err);
}

static struct am_stencil_view view_slices(const struct stencil *w)
{
    return am_ocl_stencil_view(&w->st, w->seed);
}

static size_t passes_of_slices(const struct stencil *w)
{
    return am_ocl_stencil_passes(&w->st);
}

/* ---- plain steps ---- */

static enum am_status open_plain(struct stencil *w, const struct am_stencil_task *task,
                                 struct am_err *err)
{
    if (task->width || task->depth)
        return am_fail(err, AM_E_ABSENT, "only slices have a width and a depth: auto has 0");
    if (w->count > 1)
        return am_fail(err, AM_E_ABSENT, "plain steps are made by one device");
    return am_ocl_plain_open(&w->plain, w->use[0], &w->spec, err);
}

static enum am_status fill_plain(struct stencil *w, struct am_err *err)
{
    return am_ocl_plain_fill(&w->plain, err);
}

static enum am_status run_plain(struct stencil *w, uint64_t iters, uint64_t *elapsed_ns,
                                struct am_err *err)
{
    return am_ocl_plain_run(&w->plain, iters, elapsed_ns, err);
}

static struct am_stencil_view view_plain(const struct stencil *w)
{
    return am_ocl_plain_view(&w->plain, w->seed);
}

static size_t passes_of_plain(const struct stencil *w)
{
    return w->spec.steps;
}

/* ---- data that stay ---- */

static enum am_status open_resident(struct stencil *w, const struct am_stencil_task *task,
                                    bool local, struct am_err *err)
{
    enum am_status s;

    if (task->width || task->depth)
        return am_fail(err, AM_E_ABSENT, "only slices have a width and a depth: 0 of both");
    if (w->count > 1)
        return am_fail(err, AM_E_ABSENT, "data that stay in place are those of one device");
    s = am_ocl_resident_open(&w->resident, w->use[0], &w->spec, local, err);
    w->grids = w->resident.grids;
    if (s == AM_OK)
        am_ctx_note(w->use[0]->ctx, "grids", "%zu", w->grids);
    return s;
}

static enum am_status open_local(struct stencil *w, const struct am_stencil_task *task,
                                 struct am_err *err)
{
    return open_resident(w, task, true, err);
}

static enum am_status open_registers(struct stencil *w, const struct am_stencil_task *task,
                                     struct am_err *err)
{
    return open_resident(w, task, false, err);
}

static enum am_status fill_resident(struct stencil *w, struct am_err *err)
{
    return am_ocl_resident_fill(&w->resident, err);
}

static enum am_status run_resident(struct stencil *w, uint64_t iters, uint64_t *elapsed_ns,
                                   struct am_err *err)
{
    return am_ocl_resident_run(&w->resident, iters, elapsed_ns, err);
}

static struct am_stencil_view view_resident(const struct stencil *w)
{
    return am_ocl_resident_view(&w->resident, w->seed);
}

static size_t passes_of_resident(const struct stencil *w)
{
    (void)w;
    return 1;
}

static const char *const variants[] = {"auto", "local", "registers", "slice", NULL};
static const struct way ways[] = {
    {open_plain, fill_plain, run_plain, view_plain, passes_of_plain},
    {open_local, fill_resident, run_resident, view_resident, passes_of_resident},
    {open_registers, fill_resident, run_resident, view_resident, passes_of_resident},
    {open_slices, fill_slices, run_slices, view_slices, passes_of_slices},
};

/* ---- hooks ---- */

static enum am_status read_point(const struct am_value *point, struct am_stencil_task *task,
                                 struct am_err *err)
{
    if (point[AM_STENCIL_DIM].i != 1)
        return am_fail(err, AM_E_ABSENT, "on devices grids have one dimension");
    if (point[AM_STENCIL_COMMON + AM_APPS_THREADS].i != 1)
        return am_fail(err, AM_E_ABSENT, "a device has no threads to count: threads=1");
    return am_stencil_read_point(point, task, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct stencil *const w = state;
    struct am_stencil_task task;
    enum am_status s = read_point(point, &task, err);

    if (s == AM_OK)
        s = open_devices(w, ctx, point[AM_STENCIL_DEVICE].name, err);
    if (s != AM_OK)
        return s;
    w->way = &ways[point[AM_STENCIL_VARIANT].i];
    w->spec = (struct am_ocl_stencil_spec){
        .form = task.form, .type = task.type, .n = task.n, .steps = task.steps, .r = task.r};
    w->seed = ctx->seed;
    w->grids = 1;
    w->timer.device = w->use[0];
    s = w->way->open(w, &task, err);
    if (s != AM_OK)
        return s;
    state_work(w, work);
    am_ctx_note(ctx, "accurate_form", "%s", am_stencil_forms[am_stencil_form_for(task.r)]);
    return AM_OK;
}

/* Events of one device are held against the host's clock; several are timed by that itself. */
static enum am_status time_run(struct stencil *w, uint64_t iters, uint64_t *elapsed_ns,
                               struct am_err *err)
{
    enum am_status s;

    am_ocl_timing_begin(&w->timer);
    s = w->way->run(w, iters, elapsed_ns, err);
    if (s != AM_OK || w->count > 1)
        return s;
    w->timer.device_ns = *elapsed_ns;
    w->timer.commands = 2 * iters * w->way->passes(w);
    return am_ocl_timing_end(&w->timer, elapsed_ns, err);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct stencil *const w = state;
    const enum am_status s = time_run(w, iters, &batch->elapsed_ns, err);
    const double ns = (double)batch->elapsed_ns;
    double share;

    if (s != AM_OK)
        return s;
    w->runs += iters;
    share = ns > 0 ? (double)iters * w->bound_ns / ns : 0;
    if (share > share_max && !w->use[0]->is_cpu)
        return am_fail(err, AM_E_WRONG,
                       "folded: %.2f times as fast as fused products alone were measured", share);
    batch->values[AM_STENCIL_EXECUTED] = ns > 0 ? (double)iters * w->executed * 1e9 / ns : 0;
    batch->values[AM_STENCIL_PEAK_SHARE] = ns > 0 ? (double)iters * w->peak_ns / ns : 0;
    batch->values[AM_STENCIL_BOUND_SHARE] = share;
    return AM_OK;
}

/* The outcome itself has been through any number of steps: it is looked at, and then the same
 * iteration is made once more from the beginning. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct stencil *const w = state;
    struct am_stencil_view view;
    uint64_t ns;
    enum am_status s;

    *residual = 0;
    if (!w->runs)
        return am_fail(err, AM_E_WRONG, "no step was made");
    view = w->way->view(w);
    s = am_stencil_look(&view, err);
    if (s == AM_OK)
        s = w->way->fill(w, err);
    if (s == AM_OK)
        s = w->way->run(w, 1, &ns, err);
    return s == AM_OK ? am_stencil_compare(&view, residual, err) : s;
}

static void finish(void *state)
{
    struct stencil *const w = state;

    am_ocl_stencil_free(&w->st);
    am_ocl_plain_close(&w->plain);
    am_ocl_resident_close(&w->resident);
    am_ocl_split_close(&w->split);
    for (size_t i = 0; i < TOGETHER_MAX; i++)
        am_ocl_device_close(&w->device[i]);
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
             "registers of a work-item"},
    {.name = "isa",
     .dflt = "usable",
     .choices = isas,
     .help = "instruction set of the loops, or a device's own"},
    {.name = "w", .tune = "16,24,32,48,64,80,96,112,128,160"},
    {.name = "depth", .tune = "16,24,32,48,64,96,128,192"},
    {.name = "executor", .dflt = "opencl", .thorough = "usable", .choices = executors},
    {.name = "device",
     .dflt = "usable",
     .enumerate = device_names,
     .why_not = device_why_not,
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
              .state_size = sizeof(struct stencil),
              .points_per_launch = 4,
              .cpus = AM_CPUS_ALL,
              .prepare = prepare,
              .run_timed = run_timed,
              .verify = verify,
              .finish = finish,
              .named_only = true}, /* it compiles for seconds */
};
