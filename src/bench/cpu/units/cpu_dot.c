/* SPDX-License-Identifier: MIT */
/* cpu.dot: multiply-adds of narrow types: dot products within vectors, half precision, tiles.
 *
 * A batch is plain passes over the instructions, which give the rate, and between them short pieces
 * in which a chain of known length goes on beside the same instructions: cores lower their clock
 * while such units work and raise it some microseconds later, so that a clock that is read
 * afterwards is not the one they worked by. What a cycle does is found per piece, by the clocks
 * before and behind it, and the most that other pieces confirm counts: what interrupts a piece, or
 * shares its core for a while, only takes from it. Sums are whole numbers and are compared exactly
 * (kernels/dot/dot.h). */
#include "bench/cpu/axes.h"
#include "bench/shared/usable.h"
#include "core/bench/bench.h"
#include "core/measure/team.h"
#include "core/stats/stats.h"
#include "kernels/dot/dot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum axis_index { FORM, THREADS, ON };
enum metric_index { RATE, PER_CYCLE, CLOCK };

enum {
    PIECES = 8,       /* of a batch; a piece with the chain after each */
    CHAIN_NS = 40000, /* of such a piece: reading the clock is below a thousandth of it */
    PILOT = 64,       /* passes by which it is sized */
    PILOTS = 3,
    AGREEING = 3, /* pieces that must agree on what a cycle does */
};
#define AGREEMENT 0.01    /* relative, of pieces that confirm each other */
#define CLOCK_STEADY 0.02 /* relative, of clocks before and behind a piece */
/* The chain is what a pass waits for when the sums alone need at most this share of its time. */
static const double chain_bound = 0.8;
/* No core has done as many multiply-adds per cycle: more were not executed as written. */
static const double per_cycle_max = 8192;

struct worker {
    _Alignas(128) struct am_dot_operands in;
    unsigned char full[AM_DOT_SUMS]; /* after AM_DOT_STEPS steps, if so many were asked for */
    unsigned char last[AM_DOT_SUMS]; /* after the last call's */
    double hz;                       /* of the latest chain */
};

struct dots {
    const struct am_dot_form *form;
    const struct am_clock *clock;
    size_t threads;
    struct worker *workers;
    struct am_team *team;
    uint64_t steps;        /* of the latest piece */
    uint64_t chain_passes; /* of a piece with the chain */
    uint64_t verified;     /* steps of the latest batch's last piece */
};

static void run_steps(void *arg, size_t thread, size_t threads)
{
    const struct dots *const d = arg;
    struct worker *const w = &d->workers[thread];
    uint64_t left = d->steps;

    (void)threads;
    for (; left > AM_DOT_STEPS; left -= AM_DOT_STEPS)
        d->form->run(&w->in, w->full, AM_DOT_STEPS);
    d->form->run(&w->in, w->last, left);
}

static double time_chain(const struct dots *d, struct worker *w, uint64_t passes)
{
    const uint64_t t0 = d->clock->now_ns(d->clock->self);
    uint64_t took;

    d->form->chained(&w->in, passes);
    took = d->clock->now_ns(d->clock->self) - t0;
    return took > d->clock->overhead_ns ? (double)(took - d->clock->overhead_ns) : 1;
}

/* An interrupt only lowers what the chain shows. */
static void run_chain(void *arg, size_t thread, size_t threads)
{
    const struct dots *const d = arg;
    struct worker *const w = &d->workers[thread];
    const double took = time_chain(d, w, d->chain_passes);

    (void)threads;
    w->hz = (double)(d->chain_passes * d->form->chain) * 1e9 / took;
}

static void size_chain(struct dots *d)
{
    double best = INFINITY;

    for (int i = 0; i < PILOTS; i++)
        best = fmin(best, time_chain(d, &d->workers[0], PILOT));
    d->chain_passes = 1 + (uint64_t)(CHAIN_NS * PILOT / best);
}

/* Multiply-adds of one step of one thread. */
static double step_work(const struct am_dot_form *form)
{
    return (double)(am_dot_streams(form) * am_dot_sums(form) * am_dot_products(form));
}

static enum am_status open_workers(struct dots *d, const struct am_ctx *ctx, struct am_err *err)
{
    enum am_status s = am_dot_open(d->form, err);

    if (s == AM_OK)
        s = am_team_new(d->threads, ctx->cpus, d->threads, &d->team, err);
    if (s != AM_OK)
        return s;
    d->workers = aligned_alloc(_Alignof(struct worker), d->threads * sizeof(*d->workers));
    if (!d->workers)
        return am_fail(err, AM_E_NOMEM, "operands of %zu threads", d->threads);
    memset(d->workers, 0xff, d->threads * sizeof(*d->workers));
    for (size_t i = 0; i < d->threads; i++)
        am_dot_fill(d->form, ctx->seed + i, &d->workers[i].in);
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct dots *const d = state;
    const char *const why_not = am_dot_why_not(point[FORM].name);
    enum am_status s = AM_OK;

    if (why_not)
        return am_fail(err, AM_E_ABSENT, "%s: %s", point[FORM].name, why_not);
    d->form = am_dot_find(point[FORM].name);
    d->clock = ctx->clock;
    s = am_usable_threads(point[THREADS].i, ctx, err);
    if (s != AM_OK)
        return s;
    d->threads = (size_t)point[THREADS].i;
    s = open_workers(d, ctx, err);
    if (s != AM_OK)
        return s;
    size_chain(d);
    work->ops = step_work(d->form) * (double)d->threads;
    return AM_OK;
}

/* ---- a batch ---- */

struct piece {
    double steps, ns;
    double hz; /* of the clocks around it, the higher; 0: it moved */
};

/* The sums' own need in a pass with the chain, of the time that the pass takes by the clocks. */
static bool is_bound_by_chain(const struct dots *d, const struct piece *p)
{
    return p->ns * 1e-9 * p->hz <= chain_bound * p->steps * d->form->chain;
}

static double read_hz(struct dots *d)
{
    double sum = 0;

    am_team_run(d->team, run_chain, d);
    for (size_t i = 0; i < d->threads; i++)
        sum += d->workers[i].hz / (double)d->threads;
    return sum;
}

/* Returns the highest clock of the batch. */
static double time_pieces(struct dots *d, uint64_t iters, struct piece *pieces, uint64_t n)
{
    double before = read_hz(d), most = before;

    for (uint64_t i = 0; i < n; i++) {
        struct piece *const p = &pieces[i];
        uint64_t t0;
        double after;

        d->steps = iters * (i + 1) / n - iters * i / n;
        t0 = d->clock->now_ns(d->clock->self);
        am_team_run(d->team, run_steps, d);
        p->ns = (double)(d->clock->now_ns(d->clock->self) - t0) - (double)d->clock->overhead_ns;
        p->ns = fmax(p->ns, 1);
        p->steps = (double)d->steps;
        after = read_hz(d);
        p->hz = fmax(before, after);
        if (fmin(before, after) < (1 - CLOCK_STEADY) * p->hz)
            p->hz = 0;
        before = after;
        most = fmax(most, after);
    }
    return most;
}

/* By the least time that AGREEING pieces confirm; where they are fewer, or do not agree, the
 * middle. NAN: the clock of no piece is known. */
static double per_cycle(const struct dots *d, const struct piece *pieces, uint64_t n)
{
    double cycles[PIECES]; /* of a multiply-add */
    size_t used = 0;
    double least;

    for (uint64_t i = 0; i < n; i++) {
        const struct piece *const p = &pieces[i];

        if (p->hz > 0 && is_bound_by_chain(d, p))
            cycles[used++] = p->ns * 1e-9 * p->hz / (step_work(d->form) * p->steps);
    }
    if (used == 0)
        return NAN;
    am_stats_sort(cycles, used);
    least = am_stats_confirmed(cycles, used, AGREEING, AGREEMENT);
    return 1 / (isnan(least) ? am_stats_median(cycles, used) : least);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct dots *const d = state;
    const uint64_t n = iters < PIECES ? iters : PIECES;
    struct piece pieces[PIECES] = {{.steps = 0}};
    const double hz = time_pieces(d, iters, pieces, n);
    double elapsed_ns = 0;

    for (uint64_t i = 0; i < n; i++)
        elapsed_ns += pieces[i].ns;
    d->verified = d->steps;
    batch->elapsed_ns = (uint64_t)elapsed_ns;
    batch->values[RATE] =
        step_work(d->form) * (double)iters * (double)d->threads / (elapsed_ns * 1e-9);
    batch->values[CLOCK] = hz;
    batch->values[PER_CYCLE] = per_cycle(d, pieces, n);
    if (batch->values[PER_CYCLE] > per_cycle_max)
        return am_fail(err, AM_E_WRONG, "%s: %.0f multiply-adds per cycle of a core: not executed?",
                       d->form->name, batch->values[PER_CYCLE]);
    return AM_OK;
}

static enum am_status compare(const struct dots *d, size_t thread, const unsigned char *got,
                              uint64_t steps, struct am_err *err)
{
    const size_t wrong = am_dot_wrong(d->form, &d->workers[thread].in, got, steps);
    const size_t sums = am_dot_sums(d->form);

    if (wrong == SIZE_MAX)
        return AM_OK;
    return am_fail(err, AM_E_WRONG,
                   "%s: thread %zu, accumulator %zu, element %zu is wrong after "
                   "%llu steps",
                   d->form->name, thread, wrong / sums, wrong % sums, (unsigned long long)steps);
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct dots *const d = state;
    enum am_status s = AM_OK;

    *residual = 1;
    for (size_t i = 0; i < d->threads && s == AM_OK; i++) {
        if (d->verified > AM_DOT_STEPS)
            s = compare(d, i, d->workers[i].full, AM_DOT_STEPS, err);
        if (s == AM_OK && d->verified)
            s = compare(d, i, d->workers[i].last, (d->verified - 1) % AM_DOT_STEPS + 1, err);
    }
    *residual = s == AM_OK ? 0 : 1;
    return s;
}

static void finish(void *state)
{
    struct dots *const d = state;

    am_team_free(d->team);
    free(d->workers);
}

static struct am_team *team(void *state)
{
    return ((const struct dots *)state)->team;
}

static const struct am_axis axes[] = {
    [FORM] = {.name = "instr",
              .kind = AM_AXIS_NAME,
              .dflt = "usable",
              .choices = am_dot_names,
              .why_not = am_dot_why_not,
              .help = "the instruction; vpmaddwd with the addition that belongs to it"},
    [THREADS] =
        AM_AXIS_THREADS(.dflt = "1,cores,cpus", .quick = "1,cpus", .help = "threads, one per CPU"),
    [ON] = AM_AXIS_ON(.dflt = "machine,kind:*", .quick = "machine"),
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [RATE] = {"rate", "op/s", AM_HIGHER, AM_RULE_OWN,
              "multiply-adds per second of all threads together"},
    [PER_CYCLE] = {"per_cycle", "op/cycle", AM_HIGHER, AM_RULE_OWN,
                   "multiply-adds per cycle of a core, by the clock while the instructions run"},
    [CLOCK] = {"clock", "Hz", AM_HIGHER, AM_RULE_OWN,
               "of the cores while the instructions run, by a chain among them"},
    {.name = NULL},
};

static const struct am_systematic systematic[] = {
    {.metric = "rate", .pieces = PIECES},
    {.metric = "per_cycle", .pieces = 2 * PIECES, .selection = AGREEMENT},
    {.metric = "clock", .pieces = PIECES, .selection = 0.005},
    {.metric = NULL},
};

const struct am_bench am_bench_cpu_dot = {
    .name = "cpu.dot",
    .summary = "multiply-adds of bytes, words, bfloat16, half precision, and tiles",
    .version = 3, /* 2: twelve sums of every vector form */
    .axes = axes,
    .metrics = metrics,
    .systematic = systematic,
    .state_size = sizeof(struct dots),
    .named_only = true,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
    .team = team,
};
