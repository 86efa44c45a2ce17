/* SPDX-License-Identifier: MIT */
/* cpu.chain: latencies of all instruction forms in seconds, and what a form needs more between
 * vectors of another kind. And cpu.loop: short loops of instructions that need nothing.
 *
 * A point of cpu.chain is one form. Its loops are the form's chain, each instruction waiting for
 * the one before, and the same chain with an addition of zeros, of floating-point numbers or of
 * integers, behind every copy. What such a pair takes beyond the two alone is the way of a result
 * from one kind of unit to the other and back. cpu.instr measures the same latencies in batches
 * that are graded one by one, in some minutes; these are for predictions, which need all of them.
 * A point of cpu.loop are loops of 1 to 24 instructions beside their own end, which show how many
 * operations a core takes in per cycle where it jumps back; with one that is split in two, where in
 * a cycle's operations that may stand; with rows of one kind before those that need nothing, how
 * many of the kind are handed out per cycle; of vectors, how many of these; with runs of loads of
 * vectors and of others, to which units of memory they go. The loops are made in prepare() and
 * timed in slices (bench/cpu/units/slices.h). */
#include "bench/cpu/units/slices.h"
#include "core/bench/place.h"

#include <stdbool.h>
#include <string.h>

enum axis_index { FORM, ON };
enum metric_index { LATENCY, WITH_FLOAT, WITH_INTEGER, METRICS };
enum { LESS = METRICS, LOOPS = METRICS + 1 }; /* what else is in the chain, where something is */

struct chain {
    struct am_slices slices; /* first: its hooks take it for their state */
    unsigned links;
};

static enum am_status add_pair(struct am_slices *m, const struct am_mix_form *form,
                               enum am_mix_link kind, struct am_err *err)
{
    const struct am_mix_part parts[] = {{form, 1}, {am_mix_link(form, kind), 1}};

    return am_slices_add_chain(m, parts, 2, err);
}

static enum am_status add_less(struct am_slices *m, const struct am_mix_form *form,
                               struct am_err *err)
{
    struct am_mix_form less = *form;

    less.chain = form->less;
    return am_slices_add_chain(m, &(const struct am_mix_part){&less, 1}, 1, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct chain *const c = state;
    struct am_slices *const m = &c->slices;
    const char *const why_not = am_mix_chain_why_not(point[FORM].name);
    const struct am_mix_form *const form = am_mix_find(point[FORM].name);
    enum am_status status;

    if (why_not)
        return am_fail(err, AM_E_ABSENT, "%s: %s", point[FORM].name, why_not);
    c->links = form->links;
    status = am_slices_open(m, ctx, LOOPS, form->domain, err);
    if (status == AM_OK)
        status = am_slices_add_chain(m, &(const struct am_mix_part){form, 1}, 1, err);
    if (status == AM_OK)
        status = add_pair(m, form, AM_MIX_FLOAT_LINK, err);
    if (status == AM_OK)
        status = add_pair(m, form, AM_MIX_INTEGER_LINK, err);
    if (status == AM_OK && form->less)
        status = add_less(m, form, err);
    if (status != AM_OK)
        return status;
    am_ctx_chosen(ctx, "float_link", "%s", am_mix_link(form, AM_MIX_FLOAT_LINK)->name);
    am_ctx_chosen(ctx, "integer_link", "%s", am_mix_link(form, AM_MIX_INTEGER_LINK)->name);
    return am_slices_seal(m, work, err);
}

/* Per instruction of the form; what else is in the chain is taken off. */
static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    const struct chain *const c = state;
    const enum am_status status = am_slices_run_timed(state, iters, batch, err);

    for (int i = 0; status == AM_OK && i < METRICS; i++)
        batch->values[i] -= c->slices.n > LESS ? batch->values[LESS] : 0;
    if (status == AM_OK)
        batch->values[LATENCY] /= c->links;
    return status;
}

static const struct am_axis axes[] = {
    [FORM] = {.name = "instr",
              .kind = AM_AXIS_NAME,
              .dflt = "usable",
              .choices = am_mix_names,
              .why_not = am_mix_chain_why_not,
              .help = "the instruction and its operands, as in cpu.instr; destination first"},
    [ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    [LATENCY] = {"latency", "cycle", AM_LOWER, AM_RULE_OWN,
                 "from the operand that the chain runs through to the result"},
    [WITH_FLOAT] = {"with_float", "cycle", AM_LOWER, AM_RULE_OWN,
                    "of the chain's step and an addition of f64 vectors behind it (of integers "
                    "where the form has no vectors)"},
    [WITH_INTEGER] = {"with_integer", "cycle", AM_LOWER, AM_RULE_OWN,
                      "of the chain's step and an addition of integers behind it"},
    {.name = NULL},
};

static const struct am_systematic systematic[] = {
    {.metric = "latency", AM_SLICED(METRICS)},
    {.metric = "with_float", AM_SLICED(METRICS)},
    {.metric = "with_integer", AM_SLICED(METRICS)},
    {.metric = NULL},
};

const struct am_bench am_bench_cpu_chain = {
    .name = "cpu.chain",
    .summary = "latencies of instructions in chains, and between vectors of two kinds",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .systematic = systematic,
    .state_size = sizeof(struct chain),
    .points_per_launch = 64,
    .once = true,
    .target = 0.02,
    .named_only = true,
    .prepare = prepare,
    .run_timed = run_timed,
    .verify = am_slices_verify,
    .finish = am_slices_finish,
};

/* ---- cpu.loop ---- */

enum loop_axis { WITH, LOOP_ON };
#define ROW_NAME(kind, other, arm) #kind,
#define PLACE_NAME(name, begin, more, fewest, step) #name,
#define VECTORS_NAME(name, stored) #name,
static const char *const with_names[] = {
    AM_MIX_PLACE_MAP(PLACE_NAME) "indexed",
    AM_MIX_ROW_MAP(ROW_NAME) AM_MIX_ALL_VECTORS_MAP(VECTORS_NAME) AM_MIX_RUN_MAP(ROW_NAME) NULL};
#undef VECTORS_NAME
#undef ROW_NAME
#undef PLACE_NAME
#define PLACE(name, begin, more, fewest, step) {#name, {begin, more}, fewest, step},
static const struct placed {
    const char *name;
    struct am_mix_at at;
    unsigned fewest, step;
} places[AM_MIX_PLACES] = {AM_MIX_PLACE_MAP(PLACE)};
#undef PLACE
#define ROW_FORM(kind, other, arm) {#kind, other, arm},
static const char *const with_forms[][3] = {{"indexed", "cmp_r64_m64_indexed", ""},
                                            AM_MIX_ROW_MAP(ROW_FORM)};
/* Behind loads of vectors, in runs. */
static const char *const run_forms[AM_MIX_RUNS][3] = {AM_MIX_RUN_MAP(ROW_FORM)};
#undef ROW_FORM
#define LENGTHS(loads, others) {loads, others},
static const unsigned char run_lengths[AM_MIX_SET][2] = {AM_MIX_RUN_LENGTH_MAP(LENGTHS)};
#undef LENGTHS
#define MOVED(name, moved) {#name, moved},
static const struct vectors {
    const char *name;
    bool moved;
} vectors[AM_MIX_ALL_VECTORS] = {AM_MIX_ALL_VECTORS_MAP(MOVED)};
#undef MOVED

/* Where loops lie that have nothing else in them; NULL: they have. */
static const struct placed *placed_as(const char *name)
{
    for (size_t i = 0; i < AM_MIX_PLACES; i++) {
        if (strcmp(places[i].name, name) == 0)
            return &places[i];
    }
    return NULL;
}

/* A form by its name on either architecture; NULL: none. */
static const struct am_mix_form *one_of(const char *x86_64, const char *aarch64)
{
    const struct am_mix_form *const form = am_mix_find(x86_64);

    return form ? form : am_mix_find(aarch64);
}

/* What else is in the loops; NULL: nothing, or nothing that is known here. */
static const struct am_mix_form *form_with(const char *name)
{
    for (size_t i = 0; i < sizeof(with_forms) / sizeof(with_forms[0]); i++) {
        if (strcmp(with_forms[i][0], name) == 0)
            return one_of(with_forms[i][1], with_forms[i][2]);
    }
    for (size_t i = 0; i < AM_MIX_RUNS; i++) {
        if (strcmp(run_forms[i][0], name) == 0)
            return one_of(run_forms[i][1], run_forms[i][2]);
    }
    return NULL;
}

static bool is_run(const char *name)
{
    for (size_t i = 0; i < AM_MIX_RUNS; i++) {
        if (strcmp(run_forms[i][0], name) == 0)
            return true;
    }
    return false;
}

static const struct vectors *vectors_as(const char *name)
{
    for (size_t i = 0; i < AM_MIX_ALL_VECTORS; i++) {
        if (strcmp(vectors[i].name, name) == 0)
            return &vectors[i];
    }
    return NULL;
}

static const char *why_not_with(const char *name)
{
    const struct am_mix_form *const form = form_with(name);

    if (am_mix_unsupported || placed_as(name))
        return am_mix_unsupported;
    if (vectors_as(name))
        return am_mix_find("pxor_xmm_zero") ? am_mix_why_not("pxor_xmm_zero")
                                            : "this architecture has no such form";
    return form ? am_mix_why_not(form->name) : "this architecture has no such form";
}

/* Runs of loads of vectors and of others. */
static enum am_status add_runs(struct am_slices *m, const struct am_mix_form *others, unsigned i,
                               struct am_err *err)
{
    const struct am_mix_form *const loads = one_of("movups_xmm_m128", "ldr_q");
    enum { PARTS = 2 * AM_MIX_RUN_TURNS };
    struct am_mix_part parts[PARTS];

    for (size_t k = 0; k < PARTS; k++)
        parts[k] = (struct am_mix_part){k % 2 ? others : loads, run_lengths[i - 1][k % 2]};
    return am_slices_add_rows(m, parts, PARTS, err);
}

/* Instructions of six bytes and more, so that no front end is held up by how many lie in a line. */
enum { VECTORS_MORE = 2 };

static enum am_status add_vectors(struct am_slices *m, bool moved, unsigned i, struct am_err *err)
{
    const unsigned counts[] = AM_MIX_ALL_VECTORS_OF(i, moved);
    const struct am_mix_part parts[] = {{am_mix_find("pxor_xmm_zero"), counts[0]},
                                        {am_mix_find("pand_xmm"), counts[1]},
                                        {am_mix_find("movups_xmm_m128"), counts[2]},
                                        {am_mix_find("movups_m128_xmm"), counts[3]}};

    return am_slices_add_at(m, parts, moved ? 4 : 2, (struct am_mix_at){0, VECTORS_MORE}, err);
}

static enum am_status add_loop(struct am_slices *m, const struct am_mix_form *slot,
                               const char *with, unsigned i, struct am_err *err)
{
    const struct am_mix_form *const form = form_with(with);
    const struct placed *const p = placed_as(with);
    const struct am_mix_part beside[] = {{slot, p ? p->fewest + (i - 1) * p->step : i}, {form, 1}};
    const struct am_mix_part rows[] = {{form, i}, {slot, AM_MIX_ROW_SLOTS * i}};

    if (p)
        return am_slices_add_at(m, beside, 1, p->at, err);
    if (vectors_as(with))
        return add_vectors(m, vectors_as(with)->moved, i, err);
    if (is_run(with))
        return add_runs(m, form, i, err);
    if (form && strcmp(with, "indexed") != 0)
        return am_slices_add_rows(m, rows, 2, err);
    return am_slices_add_once(m, beside, form ? 2 : 1, err);
}

/* Whoever reads the results needs the place of every instruction. */
static void say_place(const struct am_ctx *ctx, const struct am_mix_loop *first,
                      const struct placed *p)
{
    am_ctx_chosen(ctx, "begin", "%zu", first->begin);
    am_ctx_chosen(ctx, "bytes", "%zu", first->bytes / p->fewest);
    am_ctx_chosen(ctx, "back", "%zu", first->back);
    am_ctx_chosen(ctx, "fewest", "%u", p->fewest);
    am_ctx_chosen(ctx, "step", "%u", p->step);
}

static enum am_status prepare_loop(void *state, const struct am_ctx *ctx,
                                   const struct am_value *point, struct am_work *work,
                                   struct am_err *err)
{
    const struct am_mix_form *const slot =
        am_mix_unsupported ? NULL : am_mix_anchor(AM_MIX_slot, AM_MIX_GPR);
    enum am_status status;

    if (!slot || why_not_with(point[WITH].name))
        return am_fail(err, AM_E_ABSENT, "%s",
                       slot ? why_not_with(point[WITH].name)
                            : "no form that needs nothing can be measured here");
    status = am_slices_open(state, ctx, AM_MIX_SET, slot->domain, err);
    for (unsigned i = 1; status == AM_OK && i <= AM_MIX_SET; i++)
        status = add_loop(state, slot, point[WITH].name, i, err);
    if (status == AM_OK && placed_as(point[WITH].name))
        say_place(ctx, &((const struct am_slices *)state)->loops[0].loop,
                  placed_as(point[WITH].name));
    return status == AM_OK ? am_slices_seal(state, work, err) : status;
}

static const struct am_axis loop_axes[] = {
    [WITH] = {.name = "with",
              .kind = AM_AXIS_NAME,
              .dflt = "usable",
              .choices = with_names,
              .why_not = why_not_with,
              .help = "what else is in the loops: nothing, which is measured of longer loops, of "
                      "loops elsewhere in a line and of longer instructions, too (halfway, many, "
                      "many_halfway, longer, longest); one comparison with memory at an index, "
                      "which some cores split in two; a row of one kind before twice as many "
                      "that need no unit; vectors alone, in registers or with loads and stores of "
                      "them; or loads of vectors by turns with loads or stores of general "
                      "registers, in runs"},
    [LOOP_ON] = AM_AXIS_ON(.dflt = "machine"),
    {.name = NULL},
};

#define LOOP_METRIC(i)                                                                                \
    {"loop_" #i, "cycle", AM_LOWER, AM_RULE_OWN,                                                      \
     "per pass of loop " #i ": as many instructions, what is with them and the jump back; of "        \
     "many, many_halfway, longer and longest two more with each loop, of vectors eight more of each " \
     "kind than the number says; of load_runs and store_runs six times the runs of that number"},
static const struct am_metric loop_metrics[] = {
    AM_MIX_SET_MAP(LOOP_METRIC){.name = NULL},
};

#define LOOP_SLICED(i) {.metric = "loop_" #i, AM_SLICED(AM_MIX_SET)},
static const struct am_systematic loop_systematic[] = {
    AM_MIX_SET_MAP(LOOP_SLICED){.metric = NULL},
};

const struct am_bench am_bench_cpu_loop = {
    .name = "cpu.loop",
    .summary = "cycles of short loops of instructions that need no unit",
    .version = 3,
    .axes = loop_axes,
    .metrics = loop_metrics,
    .systematic = loop_systematic,
    .state_size = sizeof(struct am_slices),
    .once = true,
    .target = 0.02,
    .named_only = true,
    .prepare = prepare_loop,
    .run_timed = am_slices_run_timed,
    .verify = am_slices_verify,
    .finish = am_slices_finish,
};
