/* SPDX-License-Identifier: MIT */
/* cpu.ports: cycles of an instruction form beside forms that keep known units busy. And cpu.mix:
 * cycles of random mixes, by which what follows from the former is made exact, and tested.
 *
 * A point of cpu.ports is one form and two counts, so many of it for so many of the other; its
 * metrics are the form alone and beside each anchor (kernels/mix/anchors.h), all in cycles per
 * mix. The loops are made in prepare() (kernels/mix/mix.h). A batch passes over all of them several
 * times, so that the slices of one loop lie apart, and reads the core clock around each pass: a
 * slice's cycles are by the clock of its own pass, for clocks move within milliseconds. A loop's
 * value is the least that three slices confirm: the bare minimum can be one slice in which units
 * were chosen better than ever again. */
#include "base/rng.h"
#include "core/bench/bench.h"
#include "core/bench/place.h"
#include "core/stats/stats.h"
#include "kernels/mix/mix.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 8,      /* passes over all loops */
    ROUNDS_MAX = 24, /* while a loop is not settled */
    IN_A_ROW = 2,    /* slices of a loop in one pass */
    SLICES_MAX = ROUNDS_MAX * IN_A_ROW,
    AGREEING = 3, /* slices that must agree on the value */
    PILOTS = 3,
    PILOT = 8,        /* passes of a loop by which its slices are sized */
    SLICE_NS = 16000, /* 40 000 cycles and more: reading the clock is some tenths of a percent */
    BESIDES = 1 + AM_MIX_ANCHORS, /* loops of a point of cpu.ports */
    LOOPS_MAX = BESIDES > AM_MIX_SET ? BESIDES : AM_MIX_SET,
};
#define AGREEMENT 0.005   /* relative, of slices that confirm each other */
#define CLOCK_STEADY 0.02 /* relative, of readings that may be of one clock */

/* No core begins more instructions per cycle: fewer cycles were not executed as written. */
static const double rate_max = 16;

struct timed_loop {
    struct am_mix_loop loop;
    uint64_t passes; /* of a slice */
    size_t n;        /* slices taken */
    double took_ns[SLICES_MAX];
    double hz[SLICES_MAX]; /* of the pass that each was taken in */
};

struct mixes {
    const struct am_clock *clock;
    struct am_mix_area *area;
    struct am_mix_room room;
    enum am_instr_domain domain; /* of the registers' start values */
    double hz;                   /* highest of the batch */
    size_t n;
    struct timed_loop loops[LOOPS_MAX]; /* indexed as metrics */
};

/* ---- loops ---- */

static uint64_t time_passes(const struct mixes *m, const struct timed_loop *l, uint64_t passes)
{
    const uint64_t t0 = m->clock->now_ns(m->clock->self);
    uint64_t took;

    l->loop.fn(&m->area->regs, passes);
    took = m->clock->now_ns(m->clock->self) - t0;
    return took > m->clock->overhead_ns ? took - m->clock->overhead_ns : 1;
}

static void size_slices(struct mixes *m, struct timed_loop *l)
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < PILOTS; i++) {
        const uint64_t took = time_passes(m, l, PILOT);

        best = took < best ? took : best;
    }
    l->passes = 1 + (uint64_t)SLICE_NS * PILOT / best;
}

static enum am_status open_mixes(struct mixes *m, const struct am_ctx *ctx, size_t loops,
                                 enum am_instr_domain domain, struct am_err *err)
{
    m->clock = ctx->clock;
    m->domain = domain;
    m->area = aligned_alloc(4096, sizeof(*m->area));
    if (!m->area)
        return am_fail(err, AM_E_NOMEM, "registers of a mix");
    memset(m->area, 0, sizeof(*m->area));
    am_instr_fill(&m->area->regs, domain);
    return am_mix_room_open(&m->room, loops, err);
}

static enum am_status add_mix(struct mixes *m, const struct am_mix_part *parts, size_t n,
                              struct am_err *err)
{
    return am_mix_add(&m->room, parts, n, &m->loops[m->n++].loop, err);
}

static enum am_status seal_mixes(struct mixes *m, struct am_work *work, struct am_err *err)
{
    const enum am_status status = am_mix_seal(&m->room, err);

    for (size_t i = 0; status == AM_OK && i < m->n; i++) {
        struct timed_loop *const l = &m->loops[i];

        size_slices(m, l);
        work->ops +=
            (double)(l->passes * l->loop.copies * l->loop.instructions) * ROUNDS * IN_A_ROW;
    }
    return status;
}

static void finish(void *state)
{
    struct mixes *const m = state;

    am_mix_room_close(&m->room);
    free(m->area);
}

/* ---- timing ---- */

/* Cycles per mix of a loop's slices, sorted; returns how many. Those of passes whose clock was
 * lower than the highest are left out: what slows the clock's chain for some milliseconds need not
 * slow the loop, which would seem quicker than it is. */
static size_t slices_of(const struct mixes *m, const struct timed_loop *l, double *cycles)
{
    const double mixes = (double)(l->passes * l->loop.copies);
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (l->hz[i] >= (1 - CLOCK_STEADY) * m->hz)
            cycles[n++] = l->took_ns[i] * 1e-9 * l->hz[i] / mixes;
    }
    am_stats_sort(cycles, n);
    return n;
}

/* The least that AGREEING slices confirm; NAN when none is confirmed. */
static double confirmed(const struct mixes *m, const struct timed_loop *l)
{
    double cycles[SLICES_MAX];
    const size_t n = slices_of(m, l, cycles);

    return am_stats_confirmed(cycles, n, AGREEING, AGREEMENT);
}

/* One pass over the loops; after the first rounds only over those that are not settled. False when
 * there are none. */
static bool time_round(struct mixes *m, unsigned round, bool *timed)
{
    bool any = false;

    for (size_t i = 0; i < m->n; i++) {
        struct timed_loop *const l = &m->loops[i];

        timed[i] = round < ROUNDS || isnan(confirmed(m, l));
        any = any || timed[i];
        for (int k = 0; timed[i] && k < IN_A_ROW; k++)
            l->took_ns[l->n++] = (double)time_passes(m, l, l->passes);
    }
    return any;
}

static void set_clock(struct mixes *m, const bool *timed, double hz)
{
    for (size_t i = 0; i < m->n; i++) {
        struct timed_loop *const l = &m->loops[i];

        for (size_t k = timed[i] ? l->n - IN_A_ROW : l->n; k < l->n; k++)
            l->hz[k] = hz;
    }
    m->hz = fmax(m->hz, hz);
}

/* Clocks that moved during a pass are the clock of none of its slices. False when the clock cannot
 * be read. */
static bool time_all(struct mixes *m)
{
    double before = am_clock_core_hz(m->clock), after = before;
    bool more = true;

    m->hz = 0;
    for (size_t i = 0; i < m->n; i++)
        m->loops[i].n = 0;
    for (unsigned round = 0; more && after > 0 && round < ROUNDS_MAX; round++) {
        bool timed[LOOPS_MAX];
        double hz;

        more = time_round(m, round, timed);
        after = am_clock_core_hz(m->clock);
        hz = fmax(before, after);
        set_clock(m, timed, fmin(before, after) < (1 - CLOCK_STEADY) * hz ? 0 : hz);
        before = after;
    }
    return after > 0;
}

/* The confirmed least; of a loop that never settles the middle by the highest clock. */
static double value_of(const struct mixes *m, const struct timed_loop *l)
{
    double took_ns[SLICES_MAX];
    const double best = confirmed(m, l);

    if (!isnan(best))
        return best;
    memcpy(took_ns, l->took_ns, l->n * sizeof(*took_ns));
    am_stats_sort(took_ns, l->n);
    return am_stats_median(took_ns, l->n) * 1e-9 * m->hz / (double)(l->passes * l->loop.copies);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct mixes *const m = state;
    double elapsed_ns = 0;

    (void)iters; /* always one */
    if (!time_all(m) || !(m->hz > 0))
        return am_fail(err, AM_E_ABSENT,
                       "the core clock cannot be measured, or never stands still");
    for (size_t i = 0; i < m->n; i++) {
        const struct timed_loop *const l = &m->loops[i];

        batch->values[i] = value_of(m, l);
        for (size_t k = 0; k < (size_t)ROUNDS * IN_A_ROW; k++)
            elapsed_ns += l->took_ns[k];
        if (batch->values[i] * rate_max < (double)l->loop.instructions)
            return am_fail(err, AM_E_WRONG,
                           "%zu instructions in %.3f cycles are more than %.0f per cycle: not "
                           "executed?",
                           l->loop.instructions, batch->values[i], rate_max);
    }
    batch->elapsed_ns = (uint64_t)elapsed_ns;
    return AM_OK;
}

/* Each loop leaves its chains behind, and the same ones from the same start. */
static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct mixes *const m = state;
    struct am_instr_regs *const regs = &m->area->regs;

    *residual = 1;
    for (size_t i = 0; i < m->n; i++) {
        unsigned char first[sizeof(regs->out)];
        const char *fault;

        am_instr_fill(regs, m->domain);
        m->loops[i].loop.fn(regs, 2);
        fault = am_instr_fault(regs, AM_INSTR_I);
        if (fault)
            return am_fail(err, AM_E_WRONG, "loop %zu: %s", i, fault);
        memcpy(first, regs->out, sizeof(first));
        am_instr_fill(regs, m->domain);
        m->loops[i].loop.fn(regs, 2);
        if (memcmp(first, regs->out, sizeof(first)) != 0)
            return am_fail(err, AM_E_WRONG, "loop %zu: two runs from the same registers differ", i);
    }
    *residual = 0;
    return AM_OK;
}

/* ---- cpu.ports ---- */

enum axis_index { FORM, COUNTS, ON };

/* Of the form : of the anchor. */
#define COUNTS_MAP(X)                                                                              \
    X("1:1", 1, 1)                                                                                 \
    X("1:2", 1, 2)                                                                                 \
    X("2:1", 2, 1) X("1:3", 1, 3) X("3:1", 3, 1) X("1:6", 1, 6) X("6:1", 6, 1) X("1:12", 1, 12)
#define COUNTS_NAME(text, form, anchor) text,
#define COUNTS_PAIR(text, form, anchor) {form, anchor},
static const char *const counts_names[] = {COUNTS_MAP(COUNTS_NAME) NULL};
static const unsigned counts_pairs[][2] = {COUNTS_MAP(COUNTS_PAIR)};

static enum am_status add_beside(struct mixes *m, const struct am_mix_form *form,
                                 enum am_mix_anchor role, const unsigned counts[2],
                                 struct am_err *err)
{
    const struct am_mix_form *const anchor = am_mix_anchor(role, form->bank);
    const struct am_mix_part parts[] = {{form, counts[0]}, {anchor, counts[1]}};

    if (!anchor)
        return am_fail(err, AM_E_ABSENT, "this machine has no anchor %s",
                       am_mix_anchor_roles[role]);
    return add_mix(m, parts, 2, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct mixes *const m = state;
    const char *const why_not = am_mix_why_not(point[FORM].name);
    const struct am_mix_form *const form = am_mix_find(point[FORM].name);
    enum am_status status;

    if (why_not)
        return am_fail(err, AM_E_ABSENT, "%s: %s", point[FORM].name, why_not);
    status = open_mixes(m, ctx, BESIDES, form->domain, err);
    if (status == AM_OK)
        status = add_mix(m, &(const struct am_mix_part){form, 1}, 1, err);
    for (int i = 0; status == AM_OK && i < AM_MIX_ANCHORS; i++)
        status = add_beside(m, form, (enum am_mix_anchor)i, counts_pairs[point[COUNTS].i], err);
    if (status == AM_OK)
        am_ctx_chosen(ctx, "anchors", "%s",
                      am_mix_anchor(AM_MIX_fadd, form->bank)->bank == AM_MIX_SSE ? "legacy"
                                                                                 : "vex");
    return status == AM_OK ? seal_mixes(m, work, err) : status;
}

static const struct am_axis axes[] = {
    [FORM] = {.name = "instr",
              .kind = AM_AXIS_NAME,
              .dflt = "usable",
              .quick = am_mix_selection,
              .choices = am_mix_names,
              .why_not = am_mix_why_not,
              .help = "the instruction and its operands, as in cpu.instr; destination first"},
    [COUNTS] = {.name = "counts",
                .kind = AM_AXIS_NAME,
                .dflt = "1:1,1:3,3:1",
                .choices = counts_names,
                .help = "so many of the form for so many of the anchor beside it"},
    [ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

#define BESIDE(role, legacy, other, arm, what)                                                     \
    {"with_" #role, "cycle", AM_LOWER, AM_RULE_OWN, "of the counts, the form beside " what},
static const struct am_metric metrics[] = {
    {"alone", "cycle", AM_LOWER, AM_RULE_OWN, "for each of many independent ones"},
    AM_MIX_ANCHOR_MAP(BESIDE){.name = NULL},
};

/* Slices of one loop are timed alone, and the least that others confirm counts. */
#define SLICED(loops) .pieces = ROUNDS * IN_A_ROW * (loops), .selection = AGREEMENT
#define BESIDE_SLICED(role, legacy, other, arm, what) {.metric = "with_" #role, SLICED(BESIDES)},
static const struct am_systematic systematic[] = {
    {.metric = "alone", SLICED(BESIDES)},
    AM_MIX_ANCHOR_MAP(BESIDE_SLICED){.metric = NULL},
};

const struct am_bench am_bench_cpu_ports = {
    .name = "cpu.ports",
    .summary = "cycles of an instruction beside others, which show the units they share",
    .version = 2,
    .axes = axes,
    .metrics = metrics,
    .systematic = systematic,
    .state_size = sizeof(struct mixes),
    .points_per_launch = 32,
    .once = true,
    .target = 0.02,
    .named_only = true,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};

/* ---- cpu.mix ---- */

enum {
    SET,
    DRAWN_LEAST = 4,
    DRAWN_MOST = 10,
    FEW_LEAST = 2, /* of every third mix: few forms, several of each */
    FEW_MOST = 3,
    EACH_MOST = 6,
    CANDIDATES_MAX = 128,
};
static const uint64_t mix_stream = 0x6d6978; /* of random numbers, beside the number of the mix */

/* Divisions and roots hide whatever stands beside them: they are drawn seldom. */
static bool is_long(const char *name)
{
    return strstr(name, "div") || strstr(name, "sqrt");
}

/* The usable forms of the selection that may stand in one loop; returns how many. Dividers of
 * integers are left out: they fault when another form changes their operands. */
static size_t candidates(const struct am_mix_form **out)
{
    const struct am_mix_form *const like = am_mix_anchor(AM_MIX_fadd, AM_MIX_GPR);
    size_t n = 0;

    for (const char *at = am_mix_selection; like && *at && n < CANDIDATES_MAX;) {
        const size_t len = strcspn(at, ",");

        for (const struct am_mix_form *f = am_mix_forms; f->name; f++) {
            if (strlen(f->name) == len && strncmp(f->name, at, len) == 0 &&
                !am_mix_why_not(f->name) && am_mix_go_together(f, like) &&
                f->domain != AM_INSTR_D64 && f->domain != AM_INSTR_D32)
                out[n++] = f;
        }
        at += len + (at[len] == ',');
    }
    return n;
}

static void add_part(struct am_mix_part *parts, size_t *n, const struct am_mix_form *form,
                     unsigned count)
{
    size_t i = 0;

    while (i < *n && parts[i].form != form)
        i++;
    parts[i].form = form;
    parts[i].count += count;
    *n += i == *n;
}

/* The mix of a number: the same on every machine that has the same forms. Returns its parts. */
static size_t draw(uint64_t number, const struct am_mix_form **from, size_t n,
                   struct am_mix_part *parts)
{
    const bool few = number % 3 == 0;
    const uint64_t least = few ? FEW_LEAST : DRAWN_LEAST, most = few ? FEW_MOST : DRAWN_MOST;
    struct am_rng rng;
    uint64_t wanted;
    size_t used = 0;

    am_rng_seed(&rng, number, mix_stream);
    wanted = least + am_rng_below(&rng, most - least + 1);
    while (wanted > 0) {
        const struct am_mix_form *const form = from[am_rng_below(&rng, n)];

        if (is_long(form->name) && am_rng_below(&rng, 4) != 0)
            continue;
        add_part(parts, &used, form, few ? 1 + (unsigned)am_rng_below(&rng, EACH_MOST) : 1);
        wanted--;
    }
    return used;
}

static void tell_mix(const struct am_ctx *ctx, const char *name, const struct am_mix_part *parts,
                     size_t n)
{
    struct am_text text = {.data = NULL};

    am_text_init(&text, 480);
    for (size_t i = 0; i < n; i++)
        am_text_addf(&text, "%s%u*%s", i ? " " : "", parts[i].count, parts[i].form->name);
    am_ctx_chosen(ctx, name, "%s", am_text_str(&text));
    am_text_fini(&text);
}

#define MIX_NAME(i) "mix_" #i,
static const char *const mix_names[] = {AM_MIX_SET_MAP(MIX_NAME)};

static enum am_status prepare_mix(void *state, const struct am_ctx *ctx,
                                  const struct am_value *point, struct am_work *work,
                                  struct am_err *err)
{
    const struct am_mix_form *from[CANDIDATES_MAX];
    const size_t n_from = am_mix_unsupported ? 0 : candidates(from);
    const uint64_t first = (uint64_t)point[SET].i * AM_MIX_SET;
    enum am_status status;

    if (n_from == 0)
        return am_fail(err, AM_E_ABSENT, "%s",
                       am_mix_unsupported ? am_mix_unsupported : "no form can be mixed here");
    status = open_mixes(state, ctx, AM_MIX_SET, AM_INSTR_F64, err);
    for (uint64_t i = 0; status == AM_OK && i < AM_MIX_SET; i++) {
        struct am_mix_part parts[AM_MIX_PARTS_MAX] = {{.form = NULL}};
        const size_t n = draw(first + i, from, n_from, parts);

        status = add_mix(state, parts, n, err);
        if (status == AM_OK)
            tell_mix(ctx, mix_names[i], parts, n);
    }
    return status == AM_OK ? seal_mixes(state, work, err) : status;
}

static const struct am_axis mix_axes[] = {
    [SET] = {.name = "set",
             .kind = AM_AXIS_INT,
             .dflt = "1:256",
             .quick = "1:96",
             .help = "a number from which 24 mixes are drawn; every fourth set tests what the "
                     "others helped to fit"},
    {.name = NULL},
};

#define MIX_METRIC(i)                                                                              \
    {"mix_" #i, "cycle", AM_LOWER, AM_RULE_OWN, "of mix " #i " of the set, many copies in a row"},
static const struct am_metric mix_metrics[] = {
    AM_MIX_SET_MAP(MIX_METRIC){.name = NULL},
};

#define MIX_SLICED(i) {.metric = "mix_" #i, SLICED(AM_MIX_SET)},
static const struct am_systematic mix_systematic[] = {
    AM_MIX_SET_MAP(MIX_SLICED){.metric = NULL},
};

const struct am_bench am_bench_cpu_mix = {
    .name = "cpu.mix",
    .summary = "cycles of random mixes of instructions",
    .version = 2,
    .axes = mix_axes,
    .metrics = mix_metrics,
    .systematic = mix_systematic,
    .state_size = sizeof(struct mixes),
    .points_per_launch = 16,
    .once = true,
    .target = 0.02,
    .named_only = true,
    .prepare = prepare_mix,
    .run_timed = run_timed,
    .verify = verify,
    .finish = finish,
};
