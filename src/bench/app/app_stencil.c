/* SPDX-License-Identifier: MIT */
/* app.stencil: the 1-D heat equation by every step of the staircase from a plain loop to slices. */
#include "app/stencil/reference.h"
#include "app/stencil/stencil.h"
#include "bench/app/ports.h"
#include "bench/cpu/axes.h"
#include "bench/cpu/bound.h"
#include "core/bench.h"

#include <math.h>
#include <stdlib.h>

enum axis_index { VARIANT, FORM, TYPE, ISA, WIDTH, DEPTH, STEPS, N, R };
enum metric_index { FLOPS, EXECUTED, BOUND_SHARE, UPDATES, FLOPS_PER_CYCLE, TIME };

enum {
    PAPER_FLOPS = 4, /* of one point and step, whatever the form executes */
    DEPTH_LEAST = 4,
    EDGE_BYTES = 16 << 10,     /* of the edges of a pass: half of the smallest first-level cache */
    WINDOW = 8,                /* points compared at once */
    SAMPLES = 4096,            /* points of the outcome that are looked at */
    REFERENCE_STEPS = 4 << 20, /* points times steps that a comparison may compute */
    WINDOWS_LEAST = 2,
    STEPS_MAX = 1 << 14, /* two windows of the reference then take seconds */
};

struct stencil {
    struct am_stencil st;
    struct am_memory memory;
    void *x; /* the state at step 0 */
    size_t steps;
    uint64_t runs;       /* since prepare */
    double executed;     /* operations of one iteration */
    double bound_cycles; /* that one iteration needs at least; 0: not known */
    uint64_t seed;       /* of what verify looks at */
    const struct am_clock *clock;
};

static size_t element_bytes(const struct am_stencil_spec *spec)
{
    return spec->type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double);
}

/* In [0, 1), so that the state tends to 1/2 and not to numbers too small to be fast. */
static double start_value(size_t i)
{
    return (double)((uint32_t)(i ^ i >> 20) * UINT32_C(2654435761) >> 8) * 0x1p-24;
}

/* What measurements on several cores have in common. A slice costs some 40 cycles besides its
 * steps, the triangle a cycle for each of its depth squared vectors: the best depth is the root of
 * their ratio, as long as its edges stay in the first-level cache. */
static size_t best_depth(size_t lane_vectors, size_t vector_bytes)
{
    const double root = sqrt(3.3 * (double)lane_vectors);
    const double edges = (double)(EDGE_BYTES / (2 * vector_bytes));

    return (size_t)fmax(DEPTH_LEAST, fmin(root, edges));
}

/* The widest that has its constants in registers; beyond 16 there is nothing left to gain. */
static unsigned best_width(const struct am_stencil_spec *spec)
{
    if (spec->kernels->width_max > AM_STENCIL_ROTATING)
        return 16;
    return spec->form == AM_STENCIL_paper ? 12 : AM_STENCIL_ROTATING;
}

static enum am_status choose_shape(struct am_stencil_spec *spec, const struct am_value *point,
                                   struct am_err *err)
{
    const int64_t width = point[WIDTH].i, depth = point[DEPTH].i;
    const size_t lanes = spec->kernels->lanes[spec->type];

    if (width < 0 || depth < 0 || width > AM_STENCIL_WIDTH_MAX)
        return am_fail(err, AM_E_ABSENT, "w is 0 to %d and depth 0 or more, not %lld and %lld",
                       AM_STENCIL_WIDTH_MAX, (long long)width, (long long)depth);
    if (width && spec->method != AM_STENCIL_BY_SLICE)
        return am_fail(err, AM_E_ABSENT, "only slices have a width: %s has w = 0",
                       am_stencil_methods[spec->method]);
    if (depth && spec->method < AM_STENCIL_BY_SKEW)
        return am_fail(err, AM_E_ABSENT, "only skew and slice have a depth: %s has depth = 0",
                       am_stencil_methods[spec->method]);
    spec->width = width ? (unsigned)width : best_width(spec);
    spec->depth = depth ? (size_t)depth : best_depth(spec->n / lanes, lanes * element_bytes(spec));
    if (spec->depth > (size_t)point[STEPS].i)
        spec->depth = (size_t)point[STEPS].i;
    return AM_OK;
}

static enum am_status choose(struct am_stencil_spec *spec, const struct am_value *point,
                             struct am_err *err)
{
    const enum am_status s = am_axes_check_isa(point[ISA].name, err);

    if (s != AM_OK)
        return s;
    if (point[N].i < 1 || point[STEPS].i < 1 || point[STEPS].i > STEPS_MAX)
        return am_fail(err, AM_E_ABSENT, "n is 1 or more, steps 1 to %d, not %lld and %lld",
                       STEPS_MAX, (long long)point[N].i, (long long)point[STEPS].i);
    *spec = (struct am_stencil_spec){.kernels = am_stencil_find(point[ISA].name),
                                     .method = (enum am_stencil_method)point[VARIANT].i,
                                     .form = (enum am_stencil_form)point[FORM].i,
                                     .type = (enum am_stencil_type)point[TYPE].i,
                                     .n = (size_t)point[N].i,
                                     .r = point[R].r,
                                     .parts = 1};
    return choose_shape(spec, point, err);
}

static enum am_status fill(struct stencil *w, struct am_err *err)
{
    const struct am_stencil_spec *const spec = &w->st.spec;
    float *const f32 = w->x = malloc(spec->n * element_bytes(spec));
    double *const f64 = w->x;

    if (!w->x)
        return am_fail(err, AM_E_NOMEM, "%zu points", spec->n);
    for (size_t i = 0; i < spec->n; i++) {
        if (spec->type == AM_STENCIL_F32)
            f32[i] = (float)start_value(i);
        else
            f64[i] = start_value(i);
    }
    return am_stencil_load(&w->st, w->x, err);
}

/* One vector and step: a product and a fused one, or two products; the sum, or two. */
static double vector_cycles(const struct am_stencil_spec *spec, const struct am_clock *clock)
{
    const enum am_flops_type type = spec->type == AM_STENCIL_F32 ? AM_FLOPS_F32 : AM_FLOPS_F64;
    const bool fuses = am_flops_find(spec->kernels->isa)->has_fma;
    struct am_ports ports;

    am_ports_measure(spec->kernels->isa, type, clock, &ports);
    return am_ports_cycles(&ports, spec->form == AM_STENCIL_paper ? 2 : 1, fuses ? 1 : 2);
}

static void state_work(struct stencil *w, struct am_work *work)
{
    const struct am_stencil_spec *const spec = &w->st.spec;
    const bool fuses = am_flops_find(spec->kernels->isa)->has_fma;
    const enum am_flops_type type = spec->type == AM_STENCIL_F32 ? AM_FLOPS_F32 : AM_FLOPS_F64;
    const size_t lanes = spec->kernels->lanes[spec->type];
    const size_t passes = (w->steps + w->st.ghosts - 1) / w->st.ghosts;
    const double updates = (double)spec->n * (double)w->steps;

    work->ops = updates;
    work->flops = PAPER_FLOPS * updates;
    work->bytes_read = (double)(spec->n * element_bytes(spec)) * (double)passes;
    work->bytes_written = work->bytes_read;
    /* Two instructions a vector and step are half as many as the paper's count has operations. */
    work->flops_per_cycle_max = am_bound_flops(AM_FLOPS_FMA, type, lanes * element_bytes(spec)) *
                                (fuses && spec->form != AM_STENCIL_paper ? 2 : 1);
    w->executed = am_stencil_form_flops[spec->form] * updates;
    w->bound_cycles = vector_cycles(spec, w->clock) * updates / (double)lanes;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct stencil *const w = state;
    struct am_stencil_spec spec;
    size_t bytes = 0;
    enum am_status s = choose(&spec, point, err);

    if (s == AM_OK)
        s = am_stencil_bytes(&spec, &bytes, err);
    if (s == AM_OK)
        s = am_memory_allowed(bytes + spec.n * element_bytes(&spec), ctx->memory_limit_bytes, err);
    if (s == AM_OK)
        s = am_memory_map(&w->memory, bytes, AM_PAGES_ANY, err);
    if (s == AM_OK)
        s = am_stencil_init(&w->st, &spec, w->memory.base, err);
    if (s == AM_OK)
        s = fill(w, err);
    if (s != AM_OK)
        return s;
    w->steps = (size_t)point[STEPS].i;
    w->clock = ctx->clock;
    w->seed = ctx->seed;
    state_work(w, work);
    if (spec.method >= AM_STENCIL_BY_SKEW)
        am_ctx_note(ctx, "pass_depth", "%zu", spec.depth);
    if (spec.method == AM_STENCIL_BY_SLICE)
        am_ctx_note(ctx, "slice_width", "%u", spec.width);
    am_ctx_note(ctx, "accurate_form", "%s", am_stencil_forms[am_stencil_form_for(spec.r)]);
    return AM_OK;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct stencil *const w = state;
    const double before = am_clock_core_hz(w->clock);
    const uint64_t begin = w->clock->now_ns(w->clock->self);
    double seconds, hz;

    (void)err;
    for (uint64_t i = 0; i < iters; i++)
        am_stencil_run(&w->st, w->steps);
    batch->elapsed_ns = w->clock->now_ns(w->clock->self) - begin;
    w->runs += iters;
    hz = (before + am_clock_core_hz(w->clock)) / 2;
    seconds = (double)batch->elapsed_ns * 1e-9;
    batch->values[EXECUTED] = seconds > 0 ? (double)iters * w->executed / seconds : 0;
    batch->values[BOUND_SHARE] =
        seconds > 0 && hz > 0 ? (double)iters * w->bound_cycles / (seconds * hz) : 0;
    return AM_OK;
}

/* No step leads out of the range of the state that it began with. */
static enum am_status check_outcome(const struct stencil *w, struct am_err *err)
{
    const size_t n = w->st.spec.n, step = n / SAMPLES + 1;

    for (size_t i = 0; i < n; i += step) {
        const double x = am_stencil_value(&w->st, i);

        if (!(x > -0.01 && x < 1.01))
            return am_fail(err, AM_E_WRONG, "point %zu is %g after %llu runs: not between 0 and 1",
                           i, x, (unsigned long long)w->runs);
    }
    return AM_OK;
}

/* A few points, by the reference on all that they depend on. */
static enum am_status check_window(const struct stencil *w, long double *work, size_t first,
                                   double *residual, struct am_err *err)
{
    const struct am_stencil_spec *const spec = &w->st.spec;
    const size_t n = spec->n, count = WINDOW < n ? WINDOW : n;
    const double tolerance = am_stencil_tolerance(spec->type, w->steps);

    for (size_t i = 0; i < count + 2 * w->steps; i++) {
        const double x = start_value((first + i + n - w->steps % n) % n);

        work[i] = spec->type == AM_STENCIL_F32 ? (double)(float)x : x;
    }
    am_stencil_reference(work, count, w->steps, spec->r);
    for (size_t i = 0; i < count; i++) {
        const size_t point = (first + i) % n;
        const double off = fabs((double)(am_stencil_value(&w->st, point) - work[i]));

        *residual = fmax(*residual, off);
        if (!(off <= tolerance))
            return am_fail(err, AM_E_WRONG, "point %zu after %zu steps: %.17g, not %.17g", point,
                           w->steps, am_stencil_value(&w->st, point), (double)work[i]);
    }
    return AM_OK;
}

/* The seams between lanes first, where layouts go wrong, then points between them. */
static enum am_status check_windows(const struct stencil *w, double *residual, struct am_err *err)
{
    const size_t n = w->st.spec.n, length = WINDOW + 2 * w->steps;
    const size_t windows = REFERENCE_STEPS / (length * w->steps) + WINDOWS_LEAST;
    const size_t seams = w->st.lanes, all = n / WINDOW + 1;
    long double *const work = malloc(length * sizeof(*work));
    enum am_status s = AM_OK;

    if (!work)
        return am_fail(err, AM_E_NOMEM, "a window of %zu points", length);
    for (size_t i = 0; i < windows && i < seams + all && s == AM_OK; i++) {
        const size_t seam = am_stencil_lane_start(&w->st, (i + w->seed % seams) % seams);
        const size_t between = (size_t)((double)n * start_value(i + (size_t)(w->seed % 1000)));
        const size_t first = i < seams ? seam + n - WINDOW / 2 % n : between;

        s = check_window(w, work, first % n, residual, err);
    }
    free(work);
    return s;
}

/* The outcome itself has been through any number of steps: it is looked at, and then the same
 * iteration is made once more from the beginning. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    struct stencil *const w = state;
    enum am_status s;

    *residual = 0;
    if (!w->runs)
        return am_fail(err, AM_E_WRONG, "no step was made");
    s = check_outcome(w, err);
    if (s == AM_OK)
        s = am_stencil_load(&w->st, w->x, err);
    if (s != AM_OK)
        return s;
    am_stencil_run(&w->st, w->steps);
    return check_windows(w, residual, err);
}

static void finish(void *state)
{
    struct stencil *const w = state;

    am_memory_unmap(&w->memory);
    free(w->x);
}

static const struct am_axis axes[] = {
    [VARIANT] = {.name = "variant",
                 .kind = AM_AXIS_NAME,
                 .dflt = "usable",
                 .quick = "auto,slice",
                 .choices = am_stencil_methods,
                 .help = "scalar, auto: plain loops; unaligned: vector loads; interleaved: lanes "
                         "apart; prefetch: one load a vector; skew, slice: many steps a pass"},
    [FORM] = {.name = "form",
              .kind = AM_AXIS_NAME,
              .dflt = "paper,scaled",
              .thorough = "all",
              .choices = am_stencil_forms,
              .help = "paper: add, mul, fma; scaled, centred: add, fma on a scaled state"},
    [TYPE] = {.name = "type",
              .kind = AM_AXIS_NAME,
              .dflt = "all",
              .choices = am_stencil_types,
              .help = "element type"},
    [ISA] =
        AM_AXIS_ISA(.dflt = "best", .thorough = "usable", .help = "instruction set of the loops"),
    [WIDTH] = {.name = "w",
               .kind = AM_AXIS_INT,
               .dflt = "0",
               .help = "vectors of a slice; 0: chosen by the instruction set, and not a slice"},
    [DEPTH] = {.name = "depth",
               .kind = AM_AXIS_INT,
               .dflt = "0",
               .help = "steps of a pass of skew or slice; 0: chosen by n, and neither of them"},
    [STEPS] = {.name = "steps",
               .kind = AM_AXIS_INT,
               .dflt = "480",
               .quick = "120",
               .help = "time steps of one iteration"},
    [N] = {.name = "n",
           .kind = AM_AXIS_INT,
           .dflt = "l1/32,l2/32,l3/32,16M",
           .quick = "256K",
           .help = "grid points: of 4 or 8 bytes, in two arrays (skew, slice: in one)"},
    [R] = {.name = "r",
           .kind = AM_AXIS_REAL,
           .dflt = "0.25",
           .help = "the weight of a neighbour, above 0 and at most 1/2"},
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [FLOPS] = {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE,
               "four operations a point and step, whatever the form executes"},
    [EXECUTED] = {"executed_flops", "flop/s", AM_HIGHER, AM_RULE_OWN,
                  "operations of the form: four in the paper's, three in the others"},
    [BOUND_SHARE] = {"bound_share", "", AM_HIGHER, AM_RULE_OWN,
                     "cycles that the arithmetic units need at least, of those taken"},
    [UPDATES] = {"updates", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "points times steps a second"},
    [FLOPS_PER_CYCLE] = {"flops_per_cycle", "flop/cycle", AM_HIGHER, AM_RULE_FLOPS_PER_CYCLE,
                         "as flops, by the core clock measured around the batch"},
    [TIME] = {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "of one iteration: all its steps"},
    {.name = NULL},
};

const struct am_bench am_bench_app_stencil = {
    .name = "app.stencil",
    .summary = "explicit steps of the 1-D heat equation, from a plain loop to time slices",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct stencil),
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
