/* SPDX-License-Identifier: MIT */
/* cpu.ports: cycles of an instruction form beside forms that keep known units busy. And cpu.mix:
 * cycles of random mixes, by which what follows from the former is made exact, and tested.
 *
 * A point of cpu.ports is one form and two counts, so many of it for so many of the other; its
 * metrics are the form alone and beside each anchor (kernels/mix/anchors.h), all in cycles per
 * mix. The loops are made in prepare() and timed in slices (bench/cpu/units/slices.h). */
#include "base/rng.h"
#include "bench/cpu/units/slices.h"
#include "core/bench/place.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BESIDES = 1 + AM_MIX_ANCHORS }; /* loops of a point of cpu.ports */

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

/* What comes from the roles that not every machine has is left out with them: they are the last
 * metrics. */
static enum am_status add_beside(struct am_slices *m, const struct am_mix_form *form,
                                 enum am_mix_anchor role, const unsigned counts[2],
                                 struct am_err *err)
{
    const struct am_mix_form *const anchor = am_mix_anchor(role, form->bank);
    const struct am_mix_part parts[] = {{form, counts[0]}, {anchor, counts[1]}};

    if (!anchor && role >= AM_MIX_wide)
        return AM_OK;
    if (!anchor)
        return am_fail(err, AM_E_ABSENT, "this machine has no anchor %s",
                       am_mix_anchor_roles[role]);
    return am_slices_add(m, parts, 2, err);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct am_slices *const m = state;
    const char *const why_not = am_mix_why_not(point[FORM].name);
    const struct am_mix_form *const form = am_mix_find(point[FORM].name);
    enum am_status status;

    if (why_not)
        return am_fail(err, AM_E_ABSENT, "%s: %s", point[FORM].name, why_not);
    status = am_slices_open(m, ctx, BESIDES, form->domain, err);
    if (status == AM_OK)
        status = am_slices_add(m, &(const struct am_mix_part){form, 1}, 1, err);
    for (int i = 0; status == AM_OK && i < AM_MIX_ANCHORS; i++)
        status = add_beside(m, form, (enum am_mix_anchor)i, counts_pairs[point[COUNTS].i], err);
    if (status == AM_OK)
        am_ctx_chosen(ctx, "anchors", "%s",
                      am_mix_anchor(AM_MIX_fadd, form->bank)->bank == AM_MIX_SSE ? "legacy"
                                                                                 : "vex");
    return status == AM_OK ? am_slices_seal(m, work, err) : status;
}

/* Of anchors that the machine lacks there is no value. */
static enum am_status run_ports(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    const struct am_slices *const m = state;
    const enum am_status status = am_slices_run_timed(state, iters, batch, err);

    for (size_t i = m->n; i < BESIDES; i++)
        batch->values[i] = NAN;
    return status;
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
                .dflt = "1:1,1:3,3:1,1:12",
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

#define BESIDE_SLICED(role, legacy, other, arm, what) {.metric = "with_" #role, AM_SLICED(BESIDES)},
static const struct am_systematic systematic[] = {
    {.metric = "alone", AM_SLICED(BESIDES)},
    AM_MIX_ANCHOR_MAP(BESIDE_SLICED){.metric = NULL},
};

const struct am_bench am_bench_cpu_ports = {
    .name = "cpu.ports",
    .summary = "cycles of an instruction beside others, which show the units they share",
    .version = 3, /* 2: registers by turns, some with too few chains beside another form */
    .axes = axes,
    .metrics = metrics,
    .systematic = systematic,
    .state_size = sizeof(struct am_slices),
    .points_per_launch = 32,
    .once = true,
    .target = 0.02,
    .named_only = true,
    .prepare = prepare,
    .run_timed = run_ports,
    .verify = am_slices_verify,
    .finish = am_slices_finish,
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
    status = am_slices_open(state, ctx, AM_MIX_SET, AM_INSTR_F64, err);
    for (uint64_t i = 0; status == AM_OK && i < AM_MIX_SET; i++) {
        struct am_mix_part parts[AM_MIX_PARTS_MAX] = {{.form = NULL}};
        const size_t n = draw(first + i, from, n_from, parts);

        status = am_slices_add(state, parts, n, err);
        if (status == AM_OK)
            tell_mix(ctx, mix_names[i], parts, n);
    }
    return status == AM_OK ? am_slices_seal(state, work, err) : status;
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

#define MIX_SLICED(i) {.metric = "mix_" #i, AM_SLICED(AM_MIX_SET)},
static const struct am_systematic mix_systematic[] = {
    AM_MIX_SET_MAP(MIX_SLICED){.metric = NULL},
};

const struct am_bench am_bench_cpu_mix = {
    .name = "cpu.mix",
    .summary = "cycles of random mixes of instructions",
    .version = 4, /* 3: registers by turns; 2: drawn from two forms of 512 bits fewer */
    .axes = mix_axes,
    .metrics = mix_metrics,
    .systematic = mix_systematic,
    .state_size = sizeof(struct am_slices),
    .points_per_launch = 16,
    .once = true,
    .target = 0.02,
    .named_only = true,
    .prepare = prepare_mix,
    .run_timed = am_slices_run_timed,
    .verify = am_slices_verify,
    .finish = am_slices_finish,
};
