/* SPDX-License-Identifier: MIT */
/* Facts of the inside of a core: width of the front end, units of each resource, what bounds each
 * class, and how well mixes are predicted that were not fitted. What the measurements leave open is
 * remarked upon. */
#include "family/core.h"
#include "family/incore/incore.h"

#include "base/text.h"

#include <math.h>

/* A class is bounded by a resource that it keeps busy for this share of its time alone. */
static const double bounded = 0.93;

/* A weight is decided within a tenth of a class's cycles: a model that misses mixes by more than
 * that in the mean decides none. */
static const double error_most = 0.1;

enum {
    NAMED_MOST = 6,   /* forms that the evidence of a class names, and uses that a remark does */
    CLOSED_NAMED = 3, /* classes to which ports are closed */
    USERS_NAMED = 3,  /* classes that say what a resource is */
};

static struct am_fact begin_fact(const struct am_incore *core, const char *name, const char *what,
                                 const char *unit)
{
    struct am_fact fact = {.name = name,
                           .what = what,
                           .unit = unit,
                           .kind = AM_FACT_CAPABILITY,
                           .grading = core->grading,
                           .launches = core->launches};

    for (; fact.n_points < core->n_points; fact.n_points++)
        fact.points[fact.n_points] = core->points[fact.n_points];
    return fact;
}

/* The weight of a class with an interval that holds what its own measurement leaves open too: the
 * fit takes measured times as they are. */
static struct am_resources_weight widened(const struct am_incore *core, size_t kind, size_t r)
{
    const struct am_incore_cell *const alone = &core->forms[core->kinds[kind].first].alone;
    const double share = alone->half / alone->value;
    struct am_resources_weight w = *am_resources_weight(&core->model, kind, r);

    w.lo *= fmax(1 - share, 0);
    w.hi *= 1 + share;
    return w;
}

/* Instructions per cycle for a weight in cycles per instruction. */
static void set_rate(struct am_fact *fact, const struct am_resources_weight *w)
{
    fact->value = 1 / w->value;
    fact->ci = (struct am_interval){1 / w->hi, w->lo > 0 ? 1 / w->lo : INFINITY, NAN};
}

static bool bounds_class(const struct am_incore *core, size_t kind, size_t r)
{
    return am_resources_weight(&core->model, kind, r)->value >= bounded * core->kinds[kind].alone;
}

static void offer_width(const struct am_deriving *d, const struct am_incore *core)
{
    const size_t slot = core->forms[core->anchors[AM_MIX_slot][1]].kind;
    const struct am_resources_weight w = widened(core, slot, 0);
    struct am_fact fact =
        begin_fact(core, "ports_width", "instructions per cycle through the front end", "1/cycle");

    if (!(w.lo > 0))
        return;
    set_rate(&fact, &w);
    fact.evidence = am_arena_printf(d->arena,
                                    "cpu.ports: instructions that need no unit, alone and beside "
                                    "%zu classes of forms",
                                    core->n_kinds);
    am_facts_offer(d->facts, fact);
}

static void offer_count(const struct am_deriving *d, const struct am_incore *core)
{
    struct am_fact fact =
        begin_fact(core, "ports_classes", "classes of instructions that behave alike", "");

    fact.value = (double)core->n_kinds;
    fact.ci = (struct am_interval){fact.value, fact.value, NAN};
    fact.evidence =
        am_arena_printf(d->arena, "cpu.ports: %zu forms alone and beside %d anchors in %zu ratios",
                        core->n_forms, AM_MIX_ANCHORS, core->n_counts);
    am_facts_offer(d->facts, fact);
}

/* The lightest class that the resource bounds; n_kinds: none. */
static size_t lightest(const struct am_incore *core, size_t r)
{
    size_t found = core->n_kinds;

    for (size_t c = 0; c < core->n_kinds; c++) {
        if (bounds_class(core, c, r) &&
            (found == core->n_kinds || am_resources_weight(&core->model, c, r)->value <
                                           am_resources_weight(&core->model, found, r)->value))
            found = c;
    }
    return found;
}

/* The three classes that keep the resource busy for the largest share of their time, and for how
 * long. */
static void add_sharers(const struct am_incore *core, size_t r, struct am_text *text)
{
    size_t named[USERS_NAMED];

    for (size_t k = 0; k < USERS_NAMED; k++) {
        double most = 0;

        named[k] = core->n_kinds;
        for (size_t c = 0; c < core->n_kinds; c++) {
            const double cycles = am_resources_weight(&core->model, c, r)->value;
            bool told = false;

            for (size_t i = 0; i < k; i++)
                told = told || named[i] == c;
            if (told || cycles <= most * core->kinds[c].alone)
                continue;
            most = cycles / core->kinds[c].alone;
            named[k] = c;
        }
        if (named[k] == core->n_kinds)
            break;
        am_text_addf(text, "%s %s (%.2f cycles)", k ? "," : "shared by", core->kinds[named[k]].name,
                     am_resources_weight(&core->model, named[k], r)->value);
    }
}

/* " imul_r64, popcnt_r64 and 12 more": what the resource bounds. */
static void add_bounded(const struct am_incore *core, size_t r, struct am_text *text)
{
    size_t named = 0, forms = 0;

    for (size_t c = 0; c < core->n_kinds; c++) {
        if (!bounds_class(core, c, r))
            continue;
        if (named < USERS_NAMED)
            am_text_addf(text, "%s %s", named ? "," : "", core->kinds[c].name);
        named += named < USERS_NAMED;
        forms += core->kinds[c].members;
    }
    if (forms > named)
        am_text_addf(text, " and %zu more", forms - named);
}

const char *am_incore_users(const struct am_incore *core, size_t r, struct am_arena *arena)
{
    const size_t least = lightest(core, r);
    struct am_text text;
    const char *out;

    am_text_init(&text, 512);
    if (least < core->n_kinds) {
        am_text_addf(&text,
                     "%.2g per cycle:", 1 / am_resources_weight(&core->model, least, r)->value);
        add_bounded(core, r, &text);
    } else {
        add_sharers(core, r, &text);
    }
    out = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return out;
}

static const char *what_of_units(const struct am_incore *core, size_t r, struct am_arena *arena)
{
    struct am_text text;
    const char *out;

    am_text_init(&text, 512);
    am_text_add(&text, "instructions per cycle of a resource:");
    add_bounded(core, r, &text);
    out = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return out ? out : "";
}

static void offer_units(const struct am_deriving *d, const struct am_incore *core, size_t r)
{
    const size_t kind = lightest(core, r);
    struct am_fact fact = begin_fact(core, "ports_units", "", "1/cycle");
    struct am_resources_weight w;

    if (kind == core->n_kinds)
        return;
    w = widened(core, kind, r);
    if (!am_resources_is_decided(&w, core->kinds[kind].alone))
        return;
    set_rate(&fact, &w);
    fact.what = what_of_units(core, r, d->arena);
    fact.evidence = am_arena_printf(d->arena, "of %s, which it bounds; %s", core->kinds[kind].name,
                                    core->model.certain[r]
                                        ? "found by every start of the fit that is as good"
                                        : "not certain: another mapping fits as well without it");
    if (!core->model.certain[r] && fact.grading.grade == AM_GRADE_A)
        fact.grading.grade = AM_GRADE_B;
    am_fact_label(&fact, d->arena, "resource", AM_AXIS_NAME, core->resources[r]);
    am_facts_offer(d->facts, fact);
}

/* "24 forms: add_r64, add_r32, ..." */
static const char *members_of(const struct am_incore *core, size_t kind, struct am_arena *arena)
{
    struct am_text text = {.data = NULL};
    size_t named = 0;
    const char *out;

    am_text_init(&text, 512);
    am_text_addf(&text, "%zu form%s:", core->kinds[kind].members,
                 core->kinds[kind].members == 1 ? "" : "s");
    for (size_t i = 0; i < core->n_forms && named <= NAMED_MOST; i++) {
        if (core->forms[i].kind != kind)
            continue;
        am_text_addf(&text, "%s %s", named ? "," : "",
                     named < NAMED_MOST ? core->forms[i].name : "...");
        named++;
    }
    out = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return out;
}

/* What bounds a class alone; the resource with the largest share where several do. */
static void offer_use(const struct am_deriving *d, const struct am_incore *core, size_t kind)
{
    const struct am_resources_use one = {.kind = kind, .n = 1};
    struct am_fact fact = begin_fact(
        core, "ports_use", "cycles that an instruction of the class takes of it", "cycle");
    struct am_resources_weight w;
    size_t r = 0;

    (void)am_resources_cycles(&core->model, &one, 1, &r);
    w = widened(core, kind, r);
    if (!am_resources_is_decided(&w, core->kinds[kind].alone) || !core->model.certain[r])
        return;
    fact.value = w.value;
    fact.ci = (struct am_interval){w.lo, w.hi, NAN};
    fact.evidence = members_of(core, kind, d->arena);
    am_fact_label(&fact, d->arena, "class", AM_AXIS_NAME, core->kinds[kind].name);
    am_fact_label(&fact, d->arena, "resource", AM_AXIS_NAME, core->resources[r]);
    am_facts_offer(d->facts, fact);
}

/* Cycles of a class alone, by a model. */
static double alone_by(const struct am_resources_model *model, size_t kind)
{
    double most = 0;

    for (size_t r = 0; r < model->resources; r++)
        most = fmax(most, am_resources_weight(model, kind, r)->value);
    return most;
}

const char *am_incore_closed(const struct am_incore *core, struct am_arena *arena)
{
    static const double clearly = 1.1;
    struct am_text text = {.data = NULL};
    size_t longer = 0;
    const char *out;

    if (!core->beside_wide)
        return NULL;
    am_text_init(&text, 512);
    for (size_t c = 0; c < core->n_kinds; c++) {
        const double without = alone_by(&core->model, c);
        const double with = alone_by(&core->beside_wide->model, c);

        if (core->model.wide[c] || !(with > clearly * without))
            continue;
        if (longer < CLOSED_NAMED)
            am_text_addf(&text, "%s %s %.1f instead of %.1f per cycle", longer ? "," : "",
                         core->kinds[c].name, 1 / with, 1 / without);
        longer++;
    }
    if (longer > CLOSED_NAMED)
        am_text_addf(&text, " and %zu other classes", longer - CLOSED_NAMED);
    out = longer ? am_arena_printf(arena,
                                   "512-bit vectors close ports to narrower ones wherever they "
                                   "are about:%s",
                                   am_text_str(&text))
                 : "beside 512-bit vectors instructions go to other ports";
    am_text_fini(&text);
    return out;
}

static void remark_wide(const struct am_deriving *d, const struct am_incore *core)
{
    const char *const closed = am_incore_closed(core, d->arena);

    if (core->wide)
        am_facts_remark(d->facts,
                        "core.ports: %zu further mixes with 512-bit instructions are missed by "
                        "%.1f %% in the mean; %s",
                        core->wide, 100 * core->wide_error,
                        closed ? closed : "they close no port to others that could be seen");
}

static void offer_error(const struct am_deriving *d, const struct am_incore *core)
{
    struct am_fact fact =
        begin_fact(core, "ports_error", "mean error on mixes that were not fitted", "");
    const char *const aside =
        core->n_aside ? am_arena_printf(d->arena, "; launches left out, whose clock was wrong: %zu",
                                        core->n_aside)
                      : "";

    if (!isfinite(core->held_half) || !aside)
        return;
    fact.kind = AM_FACT_TYPICAL;
    fact.value = core->held_error;
    fact.ci = (struct am_interval){fmax(core->held_error - core->held_half, 0),
                                   core->held_error + core->held_half, 0.95};
    fact.evidence = am_arena_printf(
        d->arena, "cpu.mix: %zu mixes held back; %zu mixes fitted with a mean error of %.1f %%%s",
        core->held, core->n_mixes, 100 * core->model.error, aside);
    am_facts_offer(d->facts, fact);
    remark_wide(d, core);
}

/* Which uses the measurements leave open, the widest named first come. */
static void remark_open(const struct am_deriving *d, const struct am_incore *core)
{
    struct am_text text = {.data = NULL};
    size_t open = 0, all = 0;

    am_text_init(&text, 1024);
    for (size_t r = 0; r < core->model.resources; r++) {
        for (size_t c = 0; c < core->n_kinds; c++) {
            const struct am_resources_weight *const w = am_resources_weight(&core->model, c, r);

            all += w->hi > 0;
            if (am_resources_is_decided(w, core->kinds[c].alone))
                continue;
            if (open < NAMED_MOST)
                am_text_addf(&text, "%s %s of %s %.2f to %.2f cycles", open ? ";" : "",
                             core->kinds[c].name, core->resources[r], w->lo, w->hi);
            open++;
        }
    }
    if (open)
        am_facts_remark(d->facts,
                        "core.ports: %zu of %zu uses of resources are undecided, several values "
                        "fit as well:%s%s",
                        open, all, am_text_str(&text), open > NAMED_MOST ? "; and others" : "");
    am_text_fini(&text);
}

/* Which classes could go to other ports: two mappings fit equally then. */
static void remark_equal(const struct am_deriving *d, const struct am_incore *core)
{
    struct am_text text = {.data = NULL};
    size_t movable = 0;

    am_text_init(&text, 1024);
    for (size_t c = 0; core->model.movable && c < core->n_kinds; c++) {
        if (!core->model.movable[c])
            continue;
        if (movable < NAMED_MOST)
            am_text_addf(&text, "%s %s", movable ? "," : "", core->kinds[c].name);
        movable++;
    }
    if (movable)
        am_facts_remark(
            d->facts,
            "core.ports: the mapping is ambiguous: %zu of %zu classes could go to other "
            "ports, one at a time, and the mixes would be explained as well:%s%s",
            movable, core->n_kinds, am_text_str(&text), movable > NAMED_MOST ? " and others" : "");
    am_text_fini(&text);
}

void am_core_derive_ports(const struct am_deriving *d)
{
    struct am_incore *const core = am_arena_alloc(d->arena, sizeof(*core));
    const char *why_not = NULL;
    double error;

    if (!core || !am_incore_infer(d->set, d->arena, core, &why_not)) {
        if (why_not)
            am_facts_remark(d->facts, "core.ports is not concluded: %s", why_not);
        return;
    }
    if (!d->facts->on)
        d->facts->core = core;
    error = am_incore_error(core, false);
    offer_error(d, core);
    if (error > error_most) {
        am_facts_remark(d->facts,
                        "core.ports: no resource is concluded: mixes of instructions are explained "
                        "within %.0f %% only, as where others use the core now and then",
                        100 * error);
        return;
    }
    offer_width(d, core);
    offer_count(d, core);
    for (size_t r = 1; r < core->model.resources; r++)
        offer_units(d, core, r);
    for (size_t c = 0; c < core->n_kinds; c++)
        offer_use(d, core, c);
    remark_open(d, core);
    remark_equal(d, core);
}
