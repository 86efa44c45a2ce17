/* SPDX-License-Identifier: MIT */
/* cpu.operand: latency from one operand of an instruction to its result. And cpu.idiom:
 * instructions that a core may do while it renames registers, and pairs that it may take in as one.
 *
 * The kernels of a point (kernels/path/path.h) are timed in turn, in slices of a batch, and the
 * core clock is read after every round of slices. A kernel's value is its best slice by the highest
 * reading of the clock, as in cpu.instr: what disturbs adds to a slice and takes from the clock. So
 * what an idiom is held against was measured in the same milliseconds. */
#include "core/bench/bench.h"
#include "core/bench/place.h"
#include "core/stats/stats.h"
#include "kernels/path/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1024, /* passes in one call of a kernel: each begins with the same registers */
    PILOT = 32,   /* passes by which slices are sized */
    PILOTS = 3,
    SLICE_NS = 20000,
    SLICES = 48, /* of a batch; the clock is read after every ROUND of them */
    ROUND = 6,
    SLICES_MAX = 192,
    AGREEING = 3, /* slices that must confirm the best of each kernel; until then more are taken */
    KERNELS_MAX = 5,
};
#define AGREEMENT 0.005
static const double throughput_min = 0.1; /* cycles, of anything that was executed */

struct kernel {
    am_instr_fn *fn;
    double per;      /* steps, instructions or groups in one pass */
    uint64_t weight; /* passes of a slice */
    double took_ns[SLICES_MAX];
};

struct kernels {
    const struct am_clock *clock;
    struct am_instr_regs *regs;
    enum am_instr_domain domain;
    struct kernel items[KERNELS_MAX]; /* indexed as metrics */
    size_t n;
};

/* ---- timing ---- */

static double time_kernel(const struct kernels *k, const struct kernel *kernel, uint64_t passes)
{
    const struct am_clock *const clock = k->clock;
    const uint64_t t0 = clock->now_ns(clock->self);
    uint64_t took;

    for (; passes > CHUNK; passes -= CHUNK)
        kernel->fn(k->regs, CHUNK);
    kernel->fn(k->regs, passes);
    took = clock->now_ns(clock->self) - t0;
    return took > clock->overhead_ns ? (double)(took - clock->overhead_ns) : 1;
}

/* As many passes of each kernel as make a slice. */
static void size_slices(struct kernels *k)
{
    for (size_t i = 0; i < k->n; i++) {
        double took = INFINITY;

        for (int p = 0; p < PILOTS; p++)
            took = fmin(took, time_kernel(k, &k->items[i], PILOT));
        k->items[i].weight = 1 + (uint64_t)(SLICE_NS * PILOT / took);
    }
}

static enum am_status open_kernels(struct kernels *k, const struct am_ctx *ctx,
                                   struct am_work *work, struct am_err *err)
{
    k->clock = ctx->clock;
    k->regs = aligned_alloc(_Alignof(struct am_instr_regs), sizeof(*k->regs));
    if (!k->regs)
        return am_fail(err, AM_E_NOMEM, "registers of a kernel");
    am_path_fill(k->regs, k->domain);
    size_slices(k);
    for (size_t i = 0; i < k->n; i++)
        work->ops += SLICES * k->items[i].per * (double)k->items[i].weight;
    return AM_OK;
}

static double least_of(const double *values, size_t n)
{
    double least = INFINITY;

    for (size_t i = 0; i < n; i++)
        least = fmin(least, values[i]);
    return least;
}

static bool is_settled(const struct kernels *k, size_t n)
{
    for (size_t i = 0; i < k->n; i++) {
        const double limit = (1 + AGREEMENT) * least_of(k->items[i].took_ns, n);
        unsigned agreeing = 0;

        for (size_t s = 0; s < n; s++)
            agreeing += k->items[i].took_ns[s] <= limit;
        if (agreeing < AGREEING)
            return false;
    }
    return true;
}

/* Slices of all kernels in turn until each has its best confirmed; returns how many, and the
 * highest clock. */
static size_t time_slices(struct kernels *k, uint64_t iters, double *hz)
{
    size_t n = 0;

    *hz = am_clock_core_hz(k->clock);
    while (*hz > 0 && n < SLICES_MAX && (n < SLICES || !is_settled(k, n))) {
        for (size_t end = n + ROUND; n < end; n++) {
            for (size_t i = 0; i < k->n; i++)
                k->items[i].took_ns[n] = time_kernel(k, &k->items[i], iters * k->items[i].weight);
        }
        *hz = fmax(*hz, am_clock_core_hz(k->clock));
    }
    return n;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct kernels *const k = state;
    double hz, took_ns = 0;
    const size_t n = time_slices(k, iters, &hz);

    if (!(hz > 0))
        return am_fail(err, AM_E_ABSENT, "the core clock cannot be measured");
    for (size_t i = 0; i < k->n; i++) {
        struct kernel *const kernel = &k->items[i];
        const double executed = (double)(iters * kernel->weight) * kernel->per;

        batch->values[i] = least_of(kernel->took_ns, n) * 1e-9 * hz / executed;
        am_stats_sort(kernel->took_ns, n);
        took_ns += SLICES * am_stats_median(kernel->took_ns, n);
    }
    batch->elapsed_ns = (uint64_t)took_ns;
    for (size_t i = 0; i < k->n; i++) {
        if (batch->values[i] < throughput_min)
            return am_fail(err, AM_E_WRONG, "%.3f cycles is below %.3f: not executed?",
                           batch->values[i], throughput_min);
    }
    return AM_OK;
}

/* ---- verifying ---- */

/* From the same start to the same end, which is stored; addresses stay, zeros stay zeros. Numbers
 * need not: idioms make zeros and bits of them. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct kernels *const k = state;
    struct am_instr_regs first, second;

    *residual = 1;
    for (size_t i = 0; i < k->n; i++) {
        const char *fault;

        am_path_fill(&first, k->domain);
        k->items[i].fn(&first, 2);
        am_path_fill(&second, k->domain);
        k->items[i].fn(&second, 2);
        fault = am_path_fault(&first, k->n == 1 ? k->domain : AM_INSTR_I);
        if (fault)
            return am_fail(err, AM_E_WRONG, "%s", fault);
        if (k->domain != AM_INSTR_A && memcmp(first.out, second.out, sizeof(first.out)) != 0)
            return am_fail(err, AM_E_WRONG, "two runs from the same registers differ");
    }
    *residual = 0;
    return AM_OK;
}

static void finish(void *state)
{
    free(((struct kernels *)state)->regs);
}

/* ---- cpu.operand ---- */

enum operand_axis { PATH, OPERAND_ON };
enum { LATENCY };

static enum am_status prepare_operand(void *state, const struct am_ctx *ctx,
                                      const struct am_value *point, struct am_work *work,
                                      struct am_err *err)
{
    struct kernels *const k = state;
    const char *const why_not = am_path_why_not(point[PATH].name);
    const struct am_path *const path = am_path_find(point[PATH].name);

    if (why_not)
        return am_fail(err, AM_E_ABSENT, "%s: %s", point[PATH].name, why_not);
    k->domain = path->domain;
    k->items[LATENCY] = (struct kernel){.fn = path->chain, .per = path->steps};
    k->n = 1;
    return open_kernels(k, ctx, work, err);
}

static const struct am_axis operand_axes[] = {
    [PATH] = {.name = "path",
              .kind = AM_AXIS_NAME,
              .dflt = "usable",
              .choices = am_path_names,
              .why_not = am_path_why_not,
              .help = "the instruction, and the operand that the chain runs through"},
    [OPERAND_ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

static const struct am_metric operand_metrics[] = {
    [LATENCY] = {"latency", "cycle", AM_LOWER, AM_RULE_OWN,
                 "from that operand to the result, all others being ready"},
    {.name = NULL},
};

#define SLICED(kernels) .pieces = SLICES * (kernels), .selection = AGREEMENT

static const struct am_systematic operand_systematic[] = {
    {.metric = "latency", SLICED(1)},
    {.metric = NULL},
};

const struct am_bench am_bench_cpu_operand = {
    .name = "cpu.operand",
    .summary = "latency of instructions by operand",
    .version = 1,
    .axes = operand_axes,
    .metrics = operand_metrics,
    .systematic = operand_systematic,
    .state_size = sizeof(struct kernels),
    .points_per_launch = 64,
    .once = true,
    .target = 0.02,
    .named_only = true,
    .prepare = prepare_operand,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};

/* ---- cpu.idiom ---- */

enum idiom_axis { IDIOM, IDIOM_ON };
enum idiom_metric { ALONE, SLOT, UNIT, BEHIND, PRODUCTS };

static enum am_status prepare_idiom(void *state, const struct am_ctx *ctx,
                                    const struct am_value *point, struct am_work *work,
                                    struct am_err *err)
{
    struct kernels *const k = state;
    const char *const why_not = am_idiom_why_not(point[IDIOM].name);
    const struct am_idiom *const idiom = am_idiom_find(point[IDIOM].name);

    if (why_not)
        return am_fail(err, AM_E_ABSENT, "%s: %s", point[IDIOM].name, why_not);
    k->domain = idiom->domain;
    k->items[ALONE] = (struct kernel){.fn = idiom->alone, .per = AM_PATH_FREE};
    k->items[SLOT] = (struct kernel){.fn = idiom->slot, .per = AM_PATH_FREE};
    k->items[UNIT] = (struct kernel){.fn = idiom->unit, .per = AM_PATH_FREE};
    k->items[BEHIND] = (struct kernel){.fn = idiom->behind, .per = AM_PATH_CHAIN};
    k->items[PRODUCTS] = (struct kernel){.fn = idiom->products, .per = AM_PATH_CHAIN};
    k->n = idiom->behind ? KERNELS_MAX : BEHIND;
    am_ctx_chosen(ctx, "kind", "%s",
                  idiom->kind == AM_IDIOM_PAIR   ? "pair"
                  : idiom->kind == AM_IDIOM_COPY ? "copy"
                                                 : "constant");
    return open_kernels(k, ctx, work, err);
}

/* A pair has no chain: the metrics of one stay out. */
static enum am_status run_idiom(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    const struct kernels *const k = state;
    const enum am_status s = run_timed(state, iters, batch, err);

    for (size_t i = k->n; i < KERNELS_MAX; i++)
        batch->values[i] = NAN;
    return s;
}

static const struct am_axis idiom_axes[] = {
    [IDIOM] = {.name = "idiom",
               .kind = AM_AXIS_NAME,
               .dflt = "usable",
               .choices = am_idiom_names,
               .why_not = am_idiom_why_not,
               .help = "the instruction, of a register with itself where it makes a constant; or "
                       "two, the second of which is a jump"},
    [IDIOM_ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

static const struct am_metric idiom_metrics[] = {
    [ALONE] = {"alone", "cycle", AM_LOWER, AM_RULE_OWN,
               "for each of many independent ones; of pairs with four nops behind each"},
    [SLOT] = {"slot", "cycle", AM_LOWER, AM_RULE_OWN,
              "for as many nops, which need a slot only; of pairs five"},
    [UNIT] = {"unit", "cycle", AM_LOWER, AM_RULE_OWN,
              "for as many additions, which need a unit each; of pairs with a nop between the two"},
    [BEHIND] = {"behind", "cycle", AM_LOWER, AM_RULE_OWN,
                "of a product in a chain with the idiom behind it"},
    [PRODUCTS] = {"products", "cycle", AM_LOWER, AM_RULE_OWN, "of a product in a chain"},
    {.name = NULL},
};

static const struct am_systematic idiom_systematic[] = {
    {.metric = "alone", SLICED(KERNELS_MAX)},    {.metric = "slot", SLICED(KERNELS_MAX)},
    {.metric = "unit", SLICED(KERNELS_MAX)},     {.metric = "behind", SLICED(KERNELS_MAX)},
    {.metric = "products", SLICED(KERNELS_MAX)}, {.metric = NULL},
};

const struct am_bench am_bench_cpu_idiom = {
    .name = "cpu.idiom",
    .summary = "zeros, moves and jumps that a core does without a unit",
    .version = 1,
    .axes = idiom_axes,
    .metrics = idiom_metrics,
    .systematic = idiom_systematic,
    .state_size = sizeof(struct kernels),
    .points_per_launch = 64,
    .once = true,
    .target = 0.02,
    .named_only = true,
    .prepare = prepare_idiom,
    .run_timed = run_idiom,
    .verify = verify,
    .finish = finish,
};
