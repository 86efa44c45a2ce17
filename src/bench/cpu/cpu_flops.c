/* SPDX-License-Identifier: MIT */
/* cpu.flops: floating-point instructions a core completes, by chains that never leave registers. */
#include "base/rng.h"
#include "bench/cpu/axes.h"
#include "bench/shared/bound.h"
#include "core/bench/bench.h"
#include "core/measure/team.h"
#include "kernels/flops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { OP, TYPE, ISA, STREAMS, THREADS, ON };

enum {
    /* Steps in one call. Chains start afresh with each: values stay between 1 and 256 whatever
     * the number of iterations, and the reference has a bounded way to go. The call costs less
     * than 0.1 % of them. */
    CHUNK = 32768,
    OPERANDS = 2,
    VECTORS = AM_FLOPS_STREAMS_MAX + OPERANDS,
};

/* Packed vectors, room for the widest and most. */
union values {
    float f32[(size_t)VECTORS * AM_FLOPS_VEC_BYTES_MAX / sizeof(float)];
    double f64[(size_t)VECTORS * AM_FLOPS_VEC_BYTES_MAX / sizeof(double)];
};

struct chains {
    _Alignas(128) union values in; /* accumulators' start values, m, a */
    union values full;             /* accumulators after CHUNK steps, if so many were asked for */
    union values last;             /* after the last call's steps */
};

struct flops {
    am_flops_fn *fn;
    enum am_flops_op op;
    enum am_flops_type type;
    size_t lanes, streams, threads;
    uint64_t iters;        /* of the latest run */
    struct chains *chains; /* one per thread; all start alike */
    struct am_team *team;
};

static size_t element_bytes(const struct flops *f)
{
    return f->type == AM_FLOPS_F32 ? sizeof(float) : sizeof(double);
}

static double get(const struct flops *f, const union values *v, size_t i)
{
    return f->type == AM_FLOPS_F32 ? (double)v->f32[i] : v->f64[i];
}

static void put(const struct flops *f, union values *v, size_t i, double value)
{
    if (f->type == AM_FLOPS_F32)
        v->f32[i] = (float)value;
    else
        v->f64[i] = value;
}

/* Start values in [1, 2). fma and add grow by less than 100, mul by less than e. Operands differ
 * from lane to lane, so that lanes cannot stand in for each other. */
static void fill(const struct flops *f, struct chains *c, uint64_t seed)
{
    const size_t n = f->streams * f->lanes;
    struct am_rng rng;

    am_rng_seed(&rng, seed, 0);
    for (size_t i = 0; i < n; i++)
        put(f, &c->in, i, 1 + am_rng_unit(&rng));
    for (size_t i = 0; i < f->lanes; i++) {
        const double k = (double)(i + 1);

        put(f, &c->in, n + i, 1 + k * 0x1p-20);
        put(f, &c->in, n + f->lanes + i, (64 + k) * 0x1p-15);
    }
}

static enum am_status choose(struct flops *f, const struct am_value *point, struct am_err *err)
{
    const struct am_flops_variant *const v = am_flops_find(point[ISA].name);
    const int64_t streams = point[STREAMS].i;
    const enum am_status s = am_usable_isa(point[ISA].name, err);

    if (s != AM_OK)
        return s;
    f->op = (enum am_flops_op)point[OP].i;
    f->type = (enum am_flops_type)point[TYPE].i;
    if (am_flops_fuses(f->op) && !v->has_fma)
        return am_fail(err, AM_E_ABSENT, "%s has no fused multiply-add instruction", v->isa);
    if (streams < 1 || streams > (int64_t)v->streams_max)
        return am_fail(err, AM_E_ABSENT, "%s keeps 1 to %u streams in registers, not %lld", v->isa,
                       v->streams_max, (long long)streams);
    f->streams = (size_t)streams;
    f->lanes = v->lanes[f->type];
    f->fn = v->fn[f->op][f->type][streams - 1];
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct flops *const f = state;
    enum am_status s = choose(f, point, err);

    if (s == AM_OK)
        s = am_usable_threads(point[THREADS].i, ctx, err);
    if (s != AM_OK)
        return s;
    f->threads = (size_t)point[THREADS].i;
    s = am_team_new(f->threads, ctx->cpus, f->threads, &f->team, err);
    if (s != AM_OK)
        return s;
    f->chains = aligned_alloc(_Alignof(struct chains), f->threads * sizeof(*f->chains));
    if (!f->chains)
        return am_fail(err, AM_E_NOMEM, "chains of %zu threads", f->threads);
    memset(f->chains, 0xff, f->threads * sizeof(*f->chains)); /* NaN: never a result */
    for (size_t i = 0; i < f->threads; i++)
        fill(f, &f->chains[i], ctx->seed);
    work->ops = (double)(f->streams * f->threads);
    work->flops = work->ops * (double)f->lanes * am_flops_count(f->op);
    work->flops_per_cycle_max =
        am_bound_flops(f->op, f->type, f->lanes * element_bytes(f)) * (double)f->threads;
    return AM_OK;
}

static void run_member(void *arg, size_t thread, size_t threads)
{
    const struct flops *const f = arg;
    struct chains *const c = &f->chains[thread];
    uint64_t left = f->iters;

    (void)threads;
    for (; left > CHUNK; left -= CHUNK)
        f->fn(&c->in, &c->full, CHUNK);
    f->fn(&c->in, &c->last, left);
}

static void run(void *state, uint64_t iters)
{
    struct flops *const f = state;

    f->iters = iters;
    am_team_run(f->team, run_member, f);
}

/* What happens to an accumulator in one step. */
enum step { STEP_FMA, STEP_ADD, STEP_MUL, STEP_FMA_ADD, STEP_ADD_FMA };

static enum step step_of(const struct flops *f, size_t stream)
{
    static const enum step steps[AM_FLOPS_OPS] = {[AM_FLOPS_FMA] = STEP_FMA,
                                                  [AM_FLOPS_ADD] = STEP_ADD,
                                                  [AM_FLOPS_MUL] = STEP_MUL,
                                                  [AM_FLOPS_MIX] = STEP_FMA_ADD};

    if (f->op == AM_FLOPS_MIX && am_flops_adds_first(stream, f->streams))
        return STEP_ADD_FMA;
    return steps[f->op];
}

static float step_f32(enum step step, float x, float m, float a)
{
    switch (step) {
    case STEP_FMA: return fmaf(m, a, x);
    case STEP_ADD: return x + a;
    case STEP_MUL: return x * m;
    case STEP_FMA_ADD: return fmaf(m, a, x) + a;
    case STEP_ADD_FMA: return fmaf(m, a, x + a);
    }
    return x;
}

static double step_f64(enum step step, double x, double m, double a)
{
    switch (step) {
    case STEP_FMA: return fma(m, a, x);
    case STEP_ADD: return x + a;
    case STEP_MUL: return x * m;
    case STEP_FMA_ADD: return fma(m, a, x) + a;
    case STEP_ADD_FMA: return fma(m, a, x + a);
    }
    return x;
}

/* Where accumulator i must be after `steps`: one rounding an operation, so bits agree. */
static double expected(const struct flops *f, size_t i, uint64_t steps)
{
    const union values *const in = &f->chains[0].in;
    const size_t n = f->streams * f->lanes;
    const double x = get(f, in, i);
    const double m = get(f, in, n + i % f->lanes);
    const double a = get(f, in, n + f->lanes + i % f->lanes);
    const enum step step = step_of(f, i / f->lanes);
    float narrow = (float)x;
    double wide = x;

    for (; steps && f->type == AM_FLOPS_F32; steps--)
        narrow = step_f32(step, narrow, (float)m, (float)a);
    for (; steps && f->type == AM_FLOPS_F64; steps--)
        wide = step_f64(step, wide, m, a);
    return f->type == AM_FLOPS_F32 ? (double)narrow : wide;
}

static enum am_status compare(const struct flops *f, bool full, uint64_t steps, double *residual,
                              struct am_err *err)
{
    for (size_t i = 0; i < f->streams * f->lanes; i++) {
        const double want = expected(f, i, steps);

        for (size_t t = 0; t < f->threads; t++) {
            const struct chains *const c = &f->chains[t];
            const double got = get(f, full ? &c->full : &c->last, i);

            if (memcmp(&got, &want, sizeof(got)) != 0) {
                *residual = fabs(got - want);
                return am_fail(
                    err, AM_E_WRONG,
                    "thread %zu, stream %zu, lane %zu after %llu steps: %.17g, not %.17g", t,
                    i / f->lanes, i % f->lanes, (unsigned long long)steps, got, want);
            }
        }
    }
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct flops *const f = state;
    const bool several = f->iters > CHUNK;
    enum am_status s = AM_OK;

    *residual = 0;
    if (several)
        s = compare(f, true, CHUNK, residual, err);
    if (s == AM_OK)
        s = compare(f, false, f->iters ? (f->iters - 1) % CHUNK + 1 : 0, residual, err);
    return s;
}

static void finish(void *state)
{
    struct flops *const f = state;

    am_team_free(f->team);
    free(f->chains);
}

static struct am_team *team(void *state)
{
    return ((const struct flops *)state)->team;
}

static const struct am_axis axes[] = {
    [OP] = {.name = "op",
            .kind = AM_AXIS_NAME,
            .dflt = "all",
            .quick = "fma,mix",
            .choices = am_flops_ops,
            .help = "the instruction; fma counts two operations; mix: fma and add in turn, three"},
    [TYPE] = {.name = "type",
              .kind = AM_AXIS_NAME,
              .dflt = "all",
              .choices = am_flops_types,
              .help = "element type"},
    [ISA] = AM_AXIS_ISA(.dflt = "usable", .quick = "best", .help = "instruction set of the chains"),
    [STREAMS] = {.name = "streams",
                 .kind = AM_AXIS_INT,
                 .dflt = "1,4,8,12,14",
                 .quick = "14",
                 .thorough = "1:16",
                 .help = "independent chains per thread: 1 shows latency, 8 and more throughput"},
    [THREADS] = AM_AXIS_THREADS(.dflt = "1,2,smt,cores,cpus", .quick = "1,cpus",
                                .help = "threads, one per CPU"),
    [ON] = AM_AXIS_ON(.dflt = "machine,smt*,kind:*", .quick = "machine"),
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE,
     "operations per second of all threads together"},
    {"flops_per_cycle", "flop/cycle", AM_HIGHER, AM_RULE_FLOPS_PER_CYCLE,
     "the same by the core clock of all threads, measured around the batch"},
    {"clock_ratio", "", AM_LOWER, AM_RULE_CLOCK_RATIO,
     "core clock of the fastest thread over that of the slowest"},
    {.name = NULL},
};

const struct am_bench am_bench_cpu_flops = {
    .name = "cpu.flops",
    .summary = "floating-point peak by independent register chains",
    .version = 2,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct flops),
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
    .team = team,
};
