/* SPDX-License-Identifier: MIT */
/* app.stencil: explicit steps of the heat equation. A block is a sub-domain, one per thread; blocks
 * do not wait for each other, an executor's rounds are the steps' order. What a grid is, by
 * dimension and method, is behind the table of operations in stencil_dim.h: this file knows no
 * grid. */
#include "bench/apps/stencil.h"

#include "app/stencil/fft_rival.h"
#include "bench/shared/usable.h"
#include "bench/shared/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct stencil_state {
    struct am_apps_engine engine;
    const struct am_stencil_dim *dim;
    void *grid; /* the dimension's own */
    struct am_blocks filling, stepping;
    uint64_t rounds; /* of one iteration */
    uint64_t runs;   /* iterations since prepare */
    size_t threads;
    bool told; /* how long parts of an iteration take */
    struct am_stencil_cost cost;
    const struct am_clock *clock;
};

/* By the axis `dim`; NULL: not built. */
static const struct am_stencil_dim *const dims[] = {&am_stencil_line, &am_stencil_flat,
                                                    &am_stencil_solid};
enum { DIMS = sizeof(dims) / sizeof(dims[0]) };

/* By am_stencil_method, and one more. */
static const char *const variants[] = {
    [AM_STENCIL_BY_SCALAR] = "scalar",
    [AM_STENCIL_BY_AUTO] = "auto",
    [AM_STENCIL_BY_UNALIGNED] = "unaligned",
    [AM_STENCIL_BY_INTERLEAVED] = "interleaved",
    [AM_STENCIL_BY_PREFETCH] = "prefetch",
    [AM_STENCIL_BY_SKEW] = "skew",
    [AM_STENCIL_BY_SLICE] = "slice",
    [AM_STENCIL_BY_REGISTERS] = "registers",
    [AM_STENCIL_BY_WAVE] = "wave",
    "fft",
    NULL,
};

static const char *variant_why_not(const char *variant)
{
    return strcmp(variant, "fft") == 0 ? am_fft_rival_why_not() : NULL;
}

static const struct am_metric metrics[] = {
    [AM_STENCIL_FLOPS] = {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE,
                          "operations of the paper's form, whatever the form executes: four per "
                          "point and step in one dimension, two more in each other"},
    [AM_STENCIL_EXECUTED] = {"executed_flops", "flop/s", AM_HIGHER, AM_RULE_OWN,
                             "operations of the form"},
    [AM_STENCIL_PEAK_SHARE] =
        {"peak_share", "", AM_HIGHER, AM_RULE_OWN,
         "executed_flops, of the most that any mix of products and sums reaches"},
    [AM_STENCIL_BOUND_SHARE] = {"bound_share", "", AM_HIGHER, AM_RULE_OWN,
                                "cycles that the arithmetic units (waves: or loads, stores, "
                                "caches, memory) need at least, of those taken"},
    [AM_STENCIL_UPDATES] = {"updates", "1/s", AM_HIGHER, AM_RULE_OP_RATE,
                            "points times steps per second"},
    [AM_STENCIL_TIME] = {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER,
                         "of one iteration: all its steps"},
    [AM_STENCIL_OVER_SWEEP] =
        {"over_sweep", "", AM_HIGHER, AM_RULE_OWN,
         "updates, over those of one sweep per step at the rate of memory: the time of a copy of "
         "the grid from array to array, per step (two and three dimensions, one device)"},
    {.name = NULL},
};

static enum am_status find_dim(const struct am_value *point, const struct am_stencil_dim **dim_p,
                               struct am_err *err)
{
    const int64_t dim = point[AM_STENCIL_DIM].i;

    if (dim < 1 || dim > DIMS)
        return am_fail(err, AM_E_ABSENT, "a grid has 1 to %d dimensions, not %lld", DIMS,
                       (long long)dim);
    *dim_p = dims[dim - 1];
    if (strcmp(point[AM_STENCIL_VARIANT].name, "fft") == 0) {
        *dim_p = &am_stencil_transform;
        if (dim != 1)
            return am_fail(err, AM_E_ABSENT, "the transform is of one dimension, not %lld",
                           (long long)dim);
    }
    return *dim_p ? AM_OK
                  : am_fail(err, AM_E_ABSENT, "built without grids of %lld dimensions",
                            (long long)dim);
}

enum am_status am_stencil_read_point(const struct am_value *point, struct am_stencil_task *task,
                                     struct am_err *err)
{
    const int64_t n = point[AM_STENCIL_N].i, steps = point[AM_STENCIL_STEPS].i;
    const int64_t width = point[AM_STENCIL_W].i, depth = point[AM_STENCIL_DEPTH].i;
    const struct am_stencil_dim *dim;
    const double r = point[AM_STENCIL_R].r;
    const enum am_status s = find_dim(point, &dim, err);

    if (s != AM_OK)
        return s;
    if (n < 1 || steps < 1 || steps > AM_STENCIL_STEPS_MAX)
        return am_fail(err, AM_E_ABSENT, "n is 1 or more, steps 1 to %d, not %lld and %lld",
                       AM_STENCIL_STEPS_MAX, (long long)n, (long long)steps);
    if (width < 0 || depth < 0 || width > UINT32_MAX)
        return am_fail(err, AM_E_ABSENT, "w and depth are 0 or more, not %lld and %lld",
                       (long long)width, (long long)depth);
    if (!(r >= 0 && r <= dim->r_max))
        return am_fail(err, AM_E_ABSENT, "r is above 0 and at most %g, not %g", dim->r_max, r);
    *task = (struct am_stencil_task){
        .method = (enum am_stencil_method)point[AM_STENCIL_VARIANT].i,
        .form = (enum am_stencil_form)point[AM_STENCIL_FORM].i,
        .type = (enum am_stencil_type)point[AM_STENCIL_TYPE].i,
        .isa = point[AM_STENCIL_ISA].name,
        .width = (unsigned)width,
        .depth = (size_t)depth,
        .steps = (size_t)steps,
        .n = (size_t)n,
        .r = r > 0 ? r : dim->r_max / 2,
        .threads = (size_t)point[AM_STENCIL_COMMON + AM_APPS_THREADS].i,
    };
    return AM_OK;
}

/* A grid whose memory lies where it is worked on, and blocks that the executor has made room for.
 */
static enum am_status make_grid(struct stencil_state *w, const struct am_ctx *ctx,
                                struct am_err *err)
{
    enum am_status s = am_memory_allowed(w->dim->bytes(w->grid), ctx->memory_limit_bytes, err);

    if (s == AM_OK)
        s = w->dim->map(w->grid, err);
    if (s != AM_OK)
        return s;
    w->filling = w->dim->filling(w->grid);
    w->stepping = w->dim->stepping(w->grid);
    w->rounds = w->dim->rounds(w->grid);
    s = w->engine.executor->prepare(w->engine.self, &w->stepping, err);
    if (s == AM_OK)
        w->engine.executor->run(w->engine.self, &w->filling, 1);
    return s;
}

static void propose_range(const struct am_ctx *ctx, const char *axis,
                          const struct am_stencil_range *range)
{
    if (range->least == 0 || range->least > range->most)
        am_ctx_propose(ctx, axis, "%zu", range->most);
    else
        am_ctx_propose(ctx, axis, "%zu:%zu:%s", range->least, range->most, range->step);
}

/* What a tuner may try for what the point leaves open. */
static void propose_ranges(const struct stencil_state *w, const struct am_stencil_task *task,
                           const struct am_ctx *ctx)
{
    const struct am_stencil_ranges ranges =
        w->dim->ranges ? w->dim->ranges(w->grid) : (struct am_stencil_ranges){0};

    if (!task->width)
        propose_range(ctx, "w", &ranges.width);
    if (!task->depth)
        propose_range(ctx, "depth", &ranges.depth);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct stencil_state *const w = state;
    struct am_stencil_task task;
    enum am_status s = am_usable_isa(point[AM_STENCIL_ISA].name, err);

    if (s == AM_OK)
        s = am_stencil_read_point(point, &task, err);
    if (s == AM_OK)
        s = am_apps_open(&w->engine, ctx, point, err);
    if (s == AM_OK)
        s = find_dim(point, &w->dim, err);
    if (s != AM_OK)
        return s;
    task.seed = ctx->seed;
    w->threads = task.threads;
    w->clock = ctx->clock;
    s = w->dim->open(&task, &w->grid, err);
    if (s == AM_OK)
        s = make_grid(w, ctx, err);
    if (s != AM_OK)
        return s;
    w->dim->cost(w->grid, w->clock, work, &w->cost);
    if (w->dim->split) {
        w->dim->split(w->grid, w->clock);
        w->engine.executor->run(w->engine.self, &w->filling, 1);
    }
    w->dim->note(w->grid, ctx);
    propose_ranges(w, &task, ctx);
    return AM_OK;
}

static void iterate(struct stencil_state *w, uint64_t iters)
{
    w->engine.executor->run(w->engine.self, &w->stepping, iters * w->rounds);
    w->runs += iters;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct stencil_state *const w = state;
    const double before = am_clock_core_hz(w->clock);
    const uint64_t begin = w->clock->now_ns(w->clock->self);
    double seconds, cycles;

    (void)err;
    iterate(w, iters);
    batch->elapsed_ns = w->clock->now_ns(w->clock->self) - begin;
    seconds = (double)batch->elapsed_ns * 1e-9;
    cycles = seconds * (double)w->threads * (before + am_clock_core_hz(w->clock)) / 2;
    batch->values[AM_STENCIL_EXECUTED] =
        seconds > 0 ? (double)iters * w->cost.executed / seconds : 0;
    batch->values[AM_STENCIL_PEAK_SHARE] =
        cycles > 0 ? (double)iters * w->cost.peak_cycles / cycles : 0;
    batch->values[AM_STENCIL_BOUND_SHARE] =
        cycles > 0 ? (double)iters * w->cost.bound_cycles / cycles : 0;
    batch->values[AM_STENCIL_OVER_SWEEP] = NAN;
    return AM_OK;
}

/* ---- parts of an iteration, by one thread ---- */

enum { TRIES = 5 };
static const double long_s = 0.1; /* of an iteration: it is tried once */

/* Seconds of an iteration's rounds: every other one is an exchange. */
struct rounds {
    double exchanges, advances;
};

/* What disturbs a round only makes it longer: the least of each in several iterations. False: no
 * memory. */
static bool time_rounds(struct stencil_state *w, struct rounds *out)
{
    double *const least = calloc(w->rounds, sizeof(*least));
    double all = 0;

    for (int i = 0; least && i < TRIES && all < long_s; i++) {
        for (size_t round = 0; round < w->rounds; round++) {
            const uint64_t begin = w->clock->now_ns(w->clock->self);
            double seconds;

            w->engine.executor->run(w->engine.self, &w->stepping, 1);
            seconds = (double)(w->clock->now_ns(w->clock->self) - begin) * 1e-9;
            least[round] = i == 0 ? seconds : fmin(least[round], seconds);
            all += seconds;
        }
    }
    *out = (struct rounds){0, 0};
    for (size_t round = 0; least && round < w->rounds; round++)
        *(round % 2 ? &out->advances : &out->exchanges) += least[round];
    free(least);
    return least != NULL;
}

/* Seconds of advances with something in place of the loops; 0: the grid has nothing. */
static double advances_by(struct stencil_state *w, enum am_stencil_instead what)
{
    struct rounds rounds = {0, 0};

    if (w->dim->instead && w->dim->instead(w->grid, what)) {
        (void)time_rounds(w, &rounds);
        (void)w->dim->instead(w->grid, AM_STENCIL_REAL);
    }
    return rounds.advances;
}

/* What is around the loops is measured without them, and they by what is left without it. */
static void tell_parts(struct stencil_state *w)
{
    const struct am_ctx *const ctx = w->engine.ctx;
    const struct am_stencil_near near =
        w->dim->near ? w->dim->near(w->grid) : (struct am_stencil_near){0};
    const double around = advances_by(w, AM_STENCIL_SILENT),
                 walk = advances_by(w, AM_STENCIL_WALKING);
    struct rounds rounds;
    double all;

    if (!time_rounds(w, &rounds))
        return;
    all = rounds.exchanges + rounds.advances;
    if (!(all > 0))
        return;
    am_ctx_step(ctx, "halo", rounds.exchanges / all);
    if (around > 0)
        am_ctx_step(ctx, "around", around / all);
    if (!(near.loops > 0))
        return;
    am_ctx_near(ctx, near.loops / all, near.begin / all);
    am_ctx_far(ctx, fmax(rounds.advances - around, 0) / all);
    if (near.crossing > 0)
        am_ctx_crossing(ctx, near.crossing / all);
    if (walk > 0)
        am_ctx_walk(ctx, walk / all, near.walk / all);
}

/* The outcome itself has been through any number of steps: it is looked at, and then iterations are
 * made once more from the beginning, until the next would begin where one of them
 * has. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct stencil_state *const w = state;
    enum am_status s;

    *residual = 0;
    if (!w->runs)
        return am_fail(err, AM_E_WRONG, "no step was made");
    s = w->dim->look(w->grid, err);
    if (s != AM_OK)
        return s;
    if (w->dim != &am_stencil_transform && !w->told && w->threads == 1)
        tell_parts(w);
    w->told = true;
    w->engine.executor->run(w->engine.self, &w->filling, 1);
    w->engine.executor->run(w->engine.self, &w->stepping,
                            w->rounds * (w->dim->cycle ? w->dim->cycle(w->grid) : 1));
    return w->dim->check(w->grid, residual, err);
}

static void finish(void *state)
{
    struct stencil_state *const w = state;

    am_apps_close(&w->engine);
    if (w->dim)
        w->dim->close(w->grid);
}

static const struct am_axis axes[] = {
    [AM_STENCIL_DIM] = {.name = "dim",
                        .kind = AM_AXIS_INT,
                        .dflt = "1",
                        .help = "dimensions of the grid: 1, 2 or 3"},
    [AM_STENCIL_VARIANT] =
        {.name = "variant",
         .kind = AM_AXIS_NAME,
         .quick = "auto,slice",
         .dflt = "scalar,auto,unaligned,interleaved,prefetch,skew,slice",
         .choices = variants,
         .why_not = variant_why_not,
         .help =
             "scalar, auto: plain loops; unaligned: vector loads; interleaved: lanes apart; "
             "prefetch: one load per vector; skew, slice: many steps per pass; registers: a grid "
             "that they hold; wave: rows in registers, two and three dimensions; fft: all steps "
             "at once"},
    [AM_STENCIL_FORM] = {.name = "form",
                         .kind = AM_AXIS_NAME,
                         .dflt = "paper,scaled",
                         .thorough = "all",
                         .choices = am_stencil_forms,
                         .help = "paper: add, mul, fma; scaled, centred: add, fma on a scaled "
                                 "state"},
    [AM_STENCIL_TYPE] = {.name = "type",
                         .kind = AM_AXIS_NAME,
                         .dflt = "all",
                         .quick = "f32",
                         .choices = am_stencil_types,
                         .help = "element type"},
    [AM_STENCIL_ISA] = {.name = "isa", .thorough = "usable"},
    [AM_STENCIL_W] = {.name = "w",
                      .kind = AM_AXIS_INT,
                      .dflt = "0",
                      .tune = "1:28",
                      .help = "vectors of a slice (dim=1) or of a tile's row (dim=2, 3); rows of a "
                              "wave (dim=2) or of its strip (dim=3); 0: chosen, and none of them"},
    [AM_STENCIL_DEPTH] = {.name = "depth",
                          .kind = AM_AXIS_INT,
                          .dflt = "0",
                          .tune = "8:2048:*1.5",
                          .help = "steps of a pass of skew, slice or wave; 0: chosen, and none of "
                                  "them"},
    [AM_STENCIL_STEPS] = {.name = "steps",
                          .kind = AM_AXIS_INT,
                          .dflt = "480",
                          .quick = "120",
                          .help = "time steps of one iteration"},
    [AM_STENCIL_N] = {.name = "n",
                      .kind = AM_AXIS_INT,
                      .dflt = "l1/32,l2/32,l3/32,16M",
                      .quick = "256K",
                      .key = AM_KEY_CLASS,
                      .help = "grid points, of all dimensions together: of 4 or 8 bytes, in two "
                              "arrays (skew, slice, wave: in one)"},
    [AM_STENCIL_R] = {.name = "r",
                      .kind = AM_AXIS_REAL,
                      .dflt = "0",
                      .key = AM_KEY_FREE,
                      .help = "the weight of a neighbour, at most 1/2 over the dimensions; 0: "
                              "half of that"},
    [AM_STENCIL_EXECUTOR] = {.name = "executor",
                             .thorough = "usable",
                             .help = "who runs the sub-domains: serial, OpenMP, our task policies"},
    [AM_STENCIL_DEVICE] = {.name = "device"},
    [AM_STENCIL_COMMON] = {.name = "threads",
                           .quick = "cpus",
                           .help = "threads, one per CPU and sub-domain"},
    {.name = NULL},
};

static const char *const usual[] = {"serial", "omp-for", NULL};

const struct am_app am_app_stencil = {
    .bench = {.name = "app.stencil",
              .summary = "explicit steps of the heat equation, from a plain loop to time slices",
              .axes = axes,
              .version = 3, /* 2: peak_share was flops over fused products alone */
              .metrics = metrics,
              .state_size = sizeof(struct stencil_state),
              .prepare = prepare,
              .run_timed = run_timed,
              .verify = verify,
              .finish = finish},
    .usual = usual,
    .quick = usual,
};
