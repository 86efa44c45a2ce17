/* SPDX-License-Identifier: MIT */
/* cpu.instr: latency and reciprocal throughput of one instruction form, in core cycles. And
 * cpu.standard, the same of a few forms whose latency is known: what they show is the test of every
 * other count of cycles in a run. */
#include "core/bench/bench.h"
#include "core/bench/place.h"
#include "core/stats/stats.h"
#include "kernels/instr.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { INSTR, ON };
enum metric_index { LATENCY, THROUGHPUT };

enum {
    /* Passes in one call of a kernel. Each call begins with the same registers, so that values
     * stay near where they began however long a batch is; it costs less than 0.1 %. */
    CHUNK = 1024,
    PILOT = 64,  /* passes by which the two kernels' times are balanced */
    PILOTS = 3,  /* of which the best counts */
    ROUND = 8,   /* slices between two readings of the core clock */
    SLICES = 64, /* of a batch */
    SLICES_MAX = 256,
    AGREEING = 3,    /* slices that must confirm the best of each part; until then more are taken */
    BALANCE_MAX = 32 /* passes of the quicker kernel for one of the slower */
};

/* Cycles below which an instruction cannot have been executed as written. Register renaming can do
 * a move between registers, and on recent cores (Golden Cove) also add a small constant: neither
 * has a latency then. */
static const double latency_min = 0.5, throughput_min = 0.125;
static const uint64_t judged_ns = 500000; /* shorter batches only look for the loop count */
#define AGREEMENT 0.005                   /* relative, of slices that confirm the best */

/* Of a pass that are not the measured ones: they take slots of independent ones, and hide behind
 * dependent ones. */
#define LOOP_INSTRUCTIONS 2.0

enum part { CHAIN, FREE, EXTRA, PARTS };

struct timed {
    am_instr_fn *fn;            /* NULL: the form has no such part */
    struct am_instr_regs *regs; /* its registers, start values and results */
    uint64_t weight;            /* passes for one iteration */
    double instructions;        /* in one pass */
};

struct instr {
    const struct am_instr *form;
    const struct am_clock *clock;
    struct am_instr_regs *regs; /* one per part */
    struct timed parts[PARTS];
};

static void run_part(const struct timed *part, uint64_t passes)
{
    for (; passes > CHUNK; passes -= CHUNK)
        part->fn(part->regs, CHUNK);
    part->fn(part->regs, passes);
}

static uint64_t time_part(const struct instr *in, const struct timed *part, uint64_t passes)
{
    const struct am_clock *const clock = in->clock;
    const uint64_t t0 = clock->now_ns(clock->self);
    uint64_t took;

    run_part(part, passes);
    took = clock->now_ns(clock->self) - t0;
    return took > clock->overhead_ns ? took - clock->overhead_ns : 0;
}

static uint64_t pilot(const struct instr *in, const struct timed *part)
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < PILOTS; i++) {
        const uint64_t took = time_part(in, part, PILOT);

        best = took < best ? took : best;
    }
    return best;
}

/* As many passes of each part for one iteration as make them take about as long. */
static void balance(struct instr *in)
{
    uint64_t took[PARTS] = {0}, longest = 0;

    for (int i = 0; i < PARTS; i++) {
        if (in->parts[i].fn)
            took[i] = pilot(in, &in->parts[i]);
        longest = took[i] > longest ? took[i] : longest;
    }
    for (int i = 0; i < PARTS; i++) {
        const uint64_t weight = took[i] ? longest / took[i] : 1;

        in->parts[i].weight = weight < BALANCE_MAX ? weight : BALANCE_MAX;
    }
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct instr *const in = state;
    const char *const name = point[INSTR].name;
    const char *const why_not = am_instr_why_not(name);

    if (why_not)
        return am_fail(err, AM_E_ABSENT, "%s: %s", name, why_not);
    in->form = am_instr_find(name);
    in->clock = ctx->clock;
    in->regs = aligned_alloc(_Alignof(struct am_instr_regs), PARTS * sizeof(*in->regs));
    if (!in->regs)
        return am_fail(err, AM_E_NOMEM, "registers of %s", name);
    in->parts[CHAIN] = (struct timed){.fn = in->form->chain, .instructions = AM_INSTR_CHAIN};
    in->parts[FREE] = (struct timed){.fn = in->form->free, .instructions = AM_INSTR_FREE};
    in->parts[EXTRA] = (struct timed){.fn = in->form->extra, .instructions = AM_INSTR_CHAIN};
    for (int i = 0; i < PARTS; i++) {
        in->parts[i].regs = &in->regs[i];
        am_instr_fill(&in->regs[i], in->form->domain);
    }
    balance(in);
    for (int i = 0; i < PARTS; i++) {
        if (in->parts[i].fn)
            work->ops += SLICES * in->parts[i].instructions * (double)in->parts[i].weight;
        am_instr_fill(&in->regs[i], in->form->domain); /* verify() must see the runs to come */
    }
    return AM_OK;
}

/* The slices of a batch, and the highest reading of the core clock among them. */
struct slices {
    size_t n;
    double hz;
    double took_ns[PARTS][SLICES_MAX];
};

static bool read_clock(const struct instr *in, struct slices *s)
{
    const double hz = am_clock_core_hz(in->clock);

    s->hz = fmax(s->hz, hz);
    return hz > 0;
}

/* A round of slices, the parts of each in turn, and the clock after it. */
static bool time_round(const struct instr *in, uint64_t iters, struct slices *s)
{
    for (size_t end = s->n + ROUND; s->n < end; s->n++) {
        for (int i = 0; i < PARTS; i++) {
            const struct timed *const part = &in->parts[i];

            if (part->fn)
                s->took_ns[i][s->n] = (double)time_part(in, part, iters * part->weight);
        }
    }
    return read_clock(in, s);
}

static double least_of(const double *values, size_t n)
{
    double least = INFINITY;

    for (size_t k = 0; k < n; k++)
        least = fmin(least, values[k]);
    return least;
}

/* Whether enough slices of every part confirm its best: undisturbed ones agree, disturbed ones
 * scatter. */
static bool is_settled(const struct slices *s)
{
    for (int i = 0; i < PARTS; i++) {
        const double limit = (1 + AGREEMENT) * least_of(s->took_ns[i], s->n);
        unsigned agreeing = 0;

        for (size_t k = 0; k < s->n; k++)
            agreeing += s->took_ns[i][k] <= limit;
        if (agreeing < AGREEING)
            return false;
    }
    return true;
}

static bool done_by_renaming(const struct am_instr *form)
{
    return strcmp(form->category, "move") == 0 || strcmp(form->name, "inc_r64") == 0 ||
           strcmp(form->name, "dec_r64") == 0;
}

static enum am_status check_bounds(const struct am_instr *form, const double *values,
                                   struct am_err *err)
{
    if (values[LATENCY] < latency_min && !done_by_renaming(form))
        return am_fail(err, AM_E_WRONG, "%s: a latency of %.3f cycles is below %.3f: not executed?",
                       form->name, values[LATENCY], latency_min);
    if (values[THROUGHPUT] < throughput_min)
        return am_fail(err, AM_E_WRONG,
                       "%s: %.3f cycles per instruction is below %.3f: not executed?", form->name,
                       values[THROUGHPUT], throughput_min);
    return AM_OK;
}

/* A part's value is its best slice by the highest reading of the clock: an interrupt, another
 * guest's thread on the core's sibling, an unlucky phase of the scheduler only add to what an
 * instruction takes, and only take from what the clock seems to be. The batch's own time is made of
 * median slices, so that it grows with the iterations. */
static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    const struct instr *const in = state;
    struct slices s = {.n = 0};
    bool clocked = read_clock(in, &s);
    double cycles[PARTS], took_ns = 0;

    while (clocked && s.n < SLICES_MAX && (s.n < SLICES || !is_settled(&s)))
        clocked = time_round(in, iters, &s);
    if (!clocked)
        return am_fail(err, AM_E_ABSENT, "the core clock cannot be measured");
    for (int i = 0; i < PARTS; i++) {
        const double executed = (double)(iters * in->parts[i].weight) * in->parts[i].instructions;

        cycles[i] = least_of(s.took_ns[i], s.n) * 1e-9 * s.hz / executed;
        am_stats_sort(s.took_ns[i], s.n);
        took_ns += SLICES * am_stats_median(s.took_ns[i], s.n);
    }
    batch->elapsed_ns = (uint64_t)took_ns;
    batch->values[LATENCY] = cycles[CHAIN] - cycles[EXTRA];
    batch->values[THROUGHPUT] = cycles[FREE];
    return batch->elapsed_ns < judged_ns ? AM_OK : check_bounds(in->form, batch->values, err);
}

/* The same start gives the same end: nothing outside the stated registers takes part. */
static enum am_status check_repeats(const struct instr *in, const struct timed *part,
                                    struct am_err *err)
{
    struct am_instr_regs first, second;

    am_instr_fill(&first, in->form->domain);
    part->fn(&first, 2);
    am_instr_fill(&second, in->form->domain);
    part->fn(&second, 2);
    if (in->form->domain != AM_INSTR_A && memcmp(first.out, second.out, sizeof(first.out)) != 0)
        return am_fail(err, AM_E_WRONG, "%s: two runs from the same registers differ",
                       in->form->name);
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct instr *const in = state;

    *residual = 1;
    for (int i = 0; i < PARTS; i++) {
        const struct timed *const part = &in->parts[i];
        const char *fault;

        if (!part->fn)
            continue;
        fault = am_instr_fault(part->regs, in->form->domain);
        if (fault)
            return am_fail(err, AM_E_WRONG, "%s: %s", in->form->name, fault);
        if (check_repeats(in, part, err) != AM_OK)
            return AM_E_WRONG;
    }
    *residual = 0;
    return AM_OK;
}

static void finish(void *state)
{
    struct instr *const in = state;

    free(in->regs);
}

static const struct am_axis axes[] = {
    [INSTR] = {.name = "instr",
               .kind = AM_AXIS_NAME,
               .dflt = "usable",
               .quick = am_instr_selection,
               .choices = am_instr_names,
               .why_not = am_instr_why_not,
               .help = "the instruction and its operands; _pair: there and back, half of both"},
    [ON] = AM_AXIS_ON(.dflt = "machine,kind:*", .quick = "machine"),
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [LATENCY] = {"latency", "cycle", AM_LOWER, AM_RULE_OWN,
                 "from an instruction's operand to its result, in a chain of dependent ones"},
    [THROUGHPUT] = {"throughput", "cycle", AM_LOWER, AM_RULE_OWN,
                    "cycles for each of many independent ones"},
    {.name = NULL},
};

/* Every slice of every part is timed alone, and of each part the best counts. */
#define SLICED .pieces = SLICES * PARTS, .selection = AGREEMENT

static const struct am_systematic systematic[] = {
    {.metric = "latency", SLICED},
    {.metric = "throughput", SLICED, .loop = LOOP_INSTRUCTIONS / AM_INSTR_FREE},
    {.metric = NULL},
};

const struct am_bench am_bench_cpu_instr = {
    .name = "cpu.instr",
    .summary = "instruction latency and reciprocal throughput",
    .version = 2,
    .axes = axes,
    .metrics = metrics,
    .systematic = systematic,
    .state_size = sizeof(struct instr),
    .points_per_launch = 32,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};

/* ---- standards ---- */

static const struct am_axis standard_axes[] = {
    [INSTR] = {.name = "form",
               .kind = AM_AXIS_NAME,
               .dflt = "usable",
               .choices = am_instr_standards,
               .why_not = am_instr_why_not,
               .help = "the instruction: an addition, a product, a fused product"},
    {.name = NULL},
};

static const struct am_metric standard_metrics[] = {
    [LATENCY] = {"latency", "cycle", AM_LOWER, AM_RULE_OWN,
                 "of an instruction whose latency is known: a whole number of cycles"},
    {.name = NULL},
};

static const struct am_systematic standard_systematic[] = {
    {.metric = "latency", SLICED, .standard = true},
    {.metric = NULL},
};

const struct am_bench am_bench_cpu_standard = {
    .name = "cpu.standard",
    .summary = "instructions of known latency, the test of every count of cycles",
    .version = 1,
    .axes = standard_axes,
    .metrics = standard_metrics,
    .systematic = standard_systematic,
    .state_size = sizeof(struct instr),
    .points_per_launch = 32,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
