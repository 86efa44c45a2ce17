/* SPDX-License-Identifier: MIT */
/* Bounds here and there, and what follows for the rate. */
#include "model/predict.h"

#include "base/text.h"
#include "family/roles.h"
#include "family/speeds.h"
#include "model/likeness.h"

#include <math.h>
#include <string.h>

/* A point with more threads than the machine states would not run there as it did here. */
static const char *too_many(const struct am_explanation *e, const struct am_machine_model *machine,
                            struct am_arena *arena)
{
    const char *const text = am_kvs_get(&machine->set.machine, "threads");
    const double threads = am_result_threads(e->result);
    const char *story;
    double most;

    if (am_result_device(e->result) || !text || !am_parse_f64(text, strlen(text), &most) ||
        threads <= most)
        return NULL;
    story = am_arena_printf(arena, "%.0f threads, and that machine has %.0f", threads, most);
    return story ? story : "more threads than that machine has";
}

/* ---- what no roof explains ---- */

/* How many times as fast the rest is there: a range, and what is likely. */
struct gain {
    double lo, likely, hi;
    bool cores;          /* instructions were measured on both */
    const char *missing; /* else: what measures them */
};

static void widen(struct gain *g, double ratio)
{
    if (!(ratio > 0) || !isfinite(ratio))
        return;
    g->lo = fmin(g->lo, ratio);
    g->hi = fmax(g->hi, ratio);
}

static struct gain gain_of_rest(const struct am_prediction *p, const struct am_predicting *with,
                                const struct am_likeness *roofs)
{
    const struct am_facts *const here = &with->here_by->facts, *const there = &with->machine->facts;
    struct gain g = {roofs->here.least / roofs->there.most,
                     roofs->here.likely / roofs->there.likely,
                     roofs->here.most / roofs->there.least, false, NULL};
    struct am_speed_range cores;

    if (am_result_device(p->here->result))
        return g;
    widen(&g, am_speeds_waiting(here, p->here->slowest, there, p->there->slowest));
    if (am_speeds(here, there, AM_SPEED_CORE, &cores, &g.missing)) {
        widen(&g, cores.lo);
        widen(&g, cores.hi);
        g.likely = sqrt(cores.lo * cores.hi);
        g.cores = true;
    } else {
        widen(&g, am_speeds_clock(here, there));
    }
    return g;
}

/* ---- what to expect ---- */

static const char *why_unsure(const struct am_prediction *p)
{
    if (p->here->why_not)
        return p->here->why_not;
    if (p->here->metric->grading.grade == AM_GRADE_C)
        return "measured with grade C, which concludes nothing";
    return NULL;
}

/* Rate over measured rate, from seconds; no more than the bound there, as well as that is known. */
static void put_factors(struct am_prediction *p, const struct am_seconds *expected, double seconds)
{
    const struct am_summary *const m = &p->here->measured;
    const double most = p->there->bound_hi / am_explain_at_roof, top = most / m->median;

    p->factor = fmin(seconds / expected->likely, top);
    p->factor_lo = fmin(seconds / expected->most, p->factor);
    p->factor_hi = fmax(fmin(seconds / expected->least, top), p->factor);
    p->expected = p->factor * m->median;
    p->lo = p->factor_lo * fmin(m->ci.lo, m->median);
    p->hi = fmax(fmin(p->factor_hi * fmax(m->ci.hi, m->median), most), p->expected);
}

static const char *limit_of(const struct am_prediction *p, double share, struct am_arena *arena)
{
    const struct am_explanation *const e = p->there;
    const char *text = e->resource;

    if (share < am_explain_far_below)
        text = am_arena_printf(arena, "its core (the nearest roof: %s)", e->resource);
    else if (e->limit != AM_CEILING_FLOPS && e->slowest < AM_TIER_COUNT && e->slowest != e->level)
        text = am_arena_printf(arena, "%s, or %s", e->resource, am_tier_title(e->slowest));
    return text ? text : e->resource;
}

/* No roof explains half of the seconds, and what does was not measured. */
static const char *far_below(const struct gain *rest, struct am_arena *arena)
{
    static const char story[] = "less than half of their bound here: no roof holds them back";
    const char *const text = rest->missing ? am_arena_printf(arena,
                                                             "%s, and what does is not known; "
                                                             "missing: %s",
                                                             story, rest->missing)
                                           : NULL;

    return text ? text : story;
}

/* Seconds here are those of the roofs and a rest; both become those of the other machine. Roofs of
 * one level differ by as much as makes no difference at a roof. NULL, or why nothing is expected.
 */
static const char *expect_by(const struct am_prediction *p, const struct am_predicting *with,
                             struct am_likeness roofs, struct am_seconds *out)
{
    const double seconds =
        am_explanation_amount(p->here) / p->here->measured.median; /* of one iteration */
    const struct gain rest = gain_of_rest(p, with, &roofs);
    const struct am_seconds here = {fmin(roofs.here.least, seconds),
                                    fmin(roofs.here.likely, seconds),
                                    fmin(roofs.here.most, seconds)};

    *out = (struct am_seconds){
        am_explain_at_roof * (roofs.there.least + (seconds - here.most) / rest.hi),
        roofs.there.likely + (seconds - here.likely) / rest.likely,
        (roofs.there.most + (seconds - here.least) / rest.lo) / am_explain_at_roof,
    };
    return rest.cores || here.likely >= am_explain_far_below * seconds
               ? NULL
               : far_below(&rest, with->arena);
}

static void expect(struct am_prediction *p, const struct am_predicting *with)
{
    const double seconds = am_explanation_amount(p->here) / p->here->measured.median;
    struct am_likeness roofs[AM_LIKENESSES_MAX];
    struct am_seconds all = {INFINITY, 1, 0};
    double share = 0;
    const char *missing;
    const size_t n =
        am_likenesses(p->here, with->here_by, p->there, with->machine, roofs, &missing);

    if (n == 0)
        p->unsure = missing;
    for (size_t i = 0; i < n && !p->unsure; i++) {
        struct am_seconds one;

        p->unsure = expect_by(p, with, roofs[i], &one);
        all.least = fmin(all.least, one.least);
        all.most = fmax(all.most, one.most);
        all.likely *= pow(one.likely, 1 / (double)n);
        share = fmax(share, roofs[i].there.likely / one.likely);
    }
    if (p->unsure)
        return;
    put_factors(p, &all, seconds);
    p->limit = limit_of(p, share, with->arena);
}

static void predict_one(struct am_prediction *p, const struct am_predicting *with)
{
    p->expected = p->lo = p->hi = NAN;
    p->factor = p->factor_lo = p->factor_hi = NAN;
    p->why_not =
        p->there->why_not ? p->there->why_not : too_many(p->there, with->machine, with->arena);
    if (p->why_not)
        return;
    p->limit = p->there->resource;
    p->unsure = why_unsure(p);
    if (!p->unsure)
        expect(p, with);
}

enum am_status am_predict(const struct am_predicting *with, struct am_predictions *out,
                          struct am_err *err)
{
    *out = (struct am_predictions){
        .items = am_arena_array(with->arena, with->here->n + 1, sizeof(*out->items)),
        .n = with->here->n};
    if (!out->items || with->there->n != with->here->n)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu points", with->here->n);
    for (size_t i = 0; i < out->n; i++) {
        struct am_prediction *const p = &out->items[i];

        p->here = &with->here->items[i];
        p->there = &with->there->items[i];
        predict_one(p, with);
        out->unexplained += p->why_not != NULL;
    }
    return AM_OK;
}
