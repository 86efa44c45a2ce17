/* SPDX-License-Identifier: MIT */
/* mpi.device: app.stencil in one to three dimensions over ranks with OpenCL devices. */
#include "bench/apps/stencil_dim.h"
#include "bench/mpi/device.h"

enum axis_index { SCALING, RANKS, DEVICE, DIM, FORM, TYPE, W, DEPTH, STEPS, N };
enum metric_index { FLOPS, TIME, UPDATES, EXCHANGE };
enum scaling { STRONG, WEAK };

static enum am_status describe(struct am_mpi_device *w, const struct am_value *point,
                               struct am_err *err)
{
    const int64_t n = point[N].i * (point[SCALING].i == WEAK ? w->team->size : 1);
    const enum am_stencil_form form = (enum am_stencil_form)point[FORM].i;
    const enum am_stencil_type type = (enum am_stencil_type)point[TYPE].i;
    double r;

    if (point[DIM].i < 1 || point[DIM].i > 3)
        return am_fail(err, AM_E_ABSENT, "a grid has 1 to 3 dimensions");
    if (point[N].i < 1 || point[STEPS].i < 1 || point[W].i < 0 || point[W].i > 1 << 12 ||
        point[DEPTH].i < 0 || point[DEPTH].i > point[STEPS].i)
        return am_fail(err, AM_E_ABSENT,
                       "n and steps are 1 or more, w and depth 0 or more, and a "
                       "pass has no more steps than there are");
    if (point[DIM].i > 1 && form != AM_STENCIL_paper)
        return am_fail(err, AM_E_ABSENT, "grids of devices have the paper's form only");
    w->dim = (unsigned)point[DIM].i;
    w->n = (size_t)n;
    w->steps = (size_t)point[STEPS].i;
    w->width = (size_t)point[W].i;
    w->depth = (size_t)point[DEPTH].i;
    r = 0.25 / w->dim;
    w->line = (struct am_ocl_stencil_spec){
        .form = form, .type = type, .n = w->n, .steps = w->steps, .r = r};
    w->grid = (struct am_ocl_grid_spec){.dim = w->dim, .type = type, .steps = w->steps, .r = r};
    if (w->dim > 1) {
        am_stencil_sides(w->dim, w->n, w->grid.n);
        w->n = w->grid.n[0] * w->grid.n[1] * w->grid.n[2];
    }
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_mpi_team *team,
                              const struct am_value *point, struct am_work *work,
                              struct am_err *err)
{
    struct am_mpi_device *const w = state;
    enum am_status s;

    w->team = team;
    s = describe(w, point, err);
    if (s == AM_OK)
        s = am_mpi_device_open(w, point[DEVICE].name, err);
    if (s != AM_OK)
        return s;
    work->ops = (double)w->n * (double)w->steps;
    work->flops = (2 + 2.0 * w->dim) * work->ops;
    return am_mpi_device_fill(w, err);
}

static void run(void *state, uint64_t iters, struct am_batch *batch)
{
    struct am_mpi_device *const w = state;
    const struct am_clock *const clock = w->team->clock;
    uint64_t begin;

    w->traded = w->trade_ns = 0;
    (void)MPI_Barrier(w->team->comm);
    begin = clock->now_ns(clock->self);
    for (uint64_t i = 0; i < iters; i++) {
        const enum am_status s = am_mpi_device_advance(w, &w->why);

        w->failed = w->failed == AM_OK ? s : w->failed;
    }
    batch->elapsed_ns = clock->now_ns(clock->self) - begin;
    batch->values[EXCHANGE] = w->traded ? 1e-9 * (double)w->trade_ns / (double)w->traded : 0;
}

/* From the start again: what was measured has been through any number of iterations. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct am_mpi_device *const w = state;
    enum am_status s = w->failed, filled = am_mpi_device_fill(w, err), advanced;

    *residual = 0;
    advanced = am_mpi_device_advance(w, err);
    if (s != AM_OK)
        *err = w->why;
    s = s != AM_OK ? s : filled != AM_OK ? filled : advanced;
    return s == AM_OK ? am_mpi_device_compare(w, residual, err) : s;
}

static void finish(void *state)
{
    am_mpi_device_close(state);
}

static const char *const scalings[] = {"strong", "weak", NULL};

static const struct am_axis axes[] = {
    [SCALING] = {.name = "scaling",
                 .kind = AM_AXIS_NAME,
                 .dflt = "strong",
                 .thorough = "all",
                 .choices = scalings,
                 .help = "whether n is of the whole grid, or of each rank"},
    [RANKS] = AM_MPI_RANKS_AXIS,
    [DEVICE] = {.name = "device",
                .kind = AM_AXIS_NAME,
                .dflt = "usable",
                .enumerate = am_ocl_together_names,
                .why_not = am_ocl_together_why_not,
                .env = AM_OCL_DEVICE_VARIABLE,
                .help = "OpenCL device of a rank: of equal ones each rank takes another; NAME*2: "
                        "two for each rank, or the halves of one"},
    [DIM] = {.name = "dim", .kind = AM_AXIS_INT, .dflt = "1,2,3", .help = "dimensions"},
    [FORM] = {.name = "form",
              .kind = AM_AXIS_NAME,
              .dflt = "paper",
              .choices = am_stencil_forms,
              .help = "of the arithmetic; in two and three dimensions the paper's"},
    [TYPE] = {.name = "type",
              .kind = AM_AXIS_NAME,
              .dflt = "f32",
              .thorough = "all",
              .choices = am_stencil_types,
              .help = "element type"},
    [W] = {.name = "w",
           .kind = AM_AXIS_INT,
           .dflt = "0",
           .tune = "16,24,32,48,64,80,96,112,128,160",
           .help = "points of a slice, or of a tile along x; 0: searched for by rank 0"},
    [DEPTH] = {.name = "depth",
               .kind = AM_AXIS_INT,
               .dflt = "0",
               .tune = "2,4,8,16,32,48,64",
               .help = "steps of a pass, and points or planes that each neighbour gets; 0: "
                       "searched for"},
    [STEPS] = {.name = "steps",
               .kind = AM_AXIS_INT,
               .dflt = "96",
               .quick = "48",
               .help = "time steps of one iteration"},
    [N] = {.name = "n",
           .kind = AM_AXIS_INT,
           .dflt = "16M",
           .quick = "1M",
           .key = AM_KEY_CLASS,
           .help = "grid points, of all dimensions together"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [FLOPS] = {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE,
               "4, 6 and 8 operations per point and step"},
    [TIME] = {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "of all steps"},
    [UPDATES] = {"updates", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "points stepped"},
    [EXCHANGE] = {"exchange", "s", AM_LOWER, AM_RULE_OWN,
                  "of one pass's messages on rank 0, the wait for other ranks included"},
    {.name = NULL},
};

const struct am_mpi_bench am_mpi_bench_device = {
    .descriptor = {.name = "mpi.device",
                   .summary = "the heat equation over ranks with OpenCL devices",
                   .version = 1,
                   .axes = axes,
                   .metrics = metrics,
                   .points_per_launch = 4,
                   .named_only = true},
    .state_size = sizeof(struct am_mpi_device),
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
};
