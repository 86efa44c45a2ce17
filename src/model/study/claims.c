/* SPDX-License-Identifier: MIT */
/* From claims to questions, and from questions to the rows of one comparison. */
#include "model/study/claims.h"

#include <math.h>
#include <string.h>

const double am_claims_margin = 0.02;

/* What judging works with. */
struct judging {
    const struct am_result_set *set;
    struct am_arena *arena;
    struct am_judged_study *out;
    struct am_judged_claim *claim; /* at hand */
    const char *ranged;            /* axes over which `best` chose the left side at hand */
    size_t choices;                /* pairs among which `best` of the relation at hand chose */
    bool broken;                   /* memory was refused */
};

/* ---- questions and rows ---- */

static struct am_claim_question *ask(struct judging *j, const struct am_study_that *that,
                                     const char *why)
{
    struct am_claim_question *const q =
        AM_ARRAY_ADD(j->arena, j->claim->questions, j->claim->n, j->claim->cap);

    if (!q) {
        j->broken = true;
        return NULL;
    }
    *q = (struct am_claim_question){
        .that = that, .first = j->out->comparison.n, .answer = AM_ANSWER_OPEN, .why = why};
    return q;
}

static double margin_of(const struct judging *j, const struct am_study_that *that)
{
    const double own = that->margin, claims = j->claim->claim->margin;

    return isfinite(own) ? own : isfinite(claims) ? claims : am_claims_margin;
}

/* B is what the claim is about, A what it is held against; NULL: the relation's number. */
static void add_row(struct judging *j, struct am_claim_question *q, enum am_claim_want want,
                    const struct am_pick *a, const struct am_pick *b, double times)
{
    struct am_comparison *const c = &j->out->comparison;
    size_t n_rows = c->n;
    struct am_comparison_row *const row = AM_ARRAY_ADD(j->arena, c->rows, c->n, j->out->cap_rows);
    struct am_claim_row *const own =
        row ? AM_ARRAY_ADD(j->arena, j->out->rows, n_rows, j->out->cap_own) : NULL;

    if (!own) {
        j->broken = true;
        return;
    }
    *row = (struct am_comparison_row){.a = a ? a->result : b->result,
                                      .b = b->result,
                                      .metric_a = a ? a->metric : b->metric,
                                      .metric_b = b->metric,
                                      .times = times,
                                      .constant = a ? 0 : q->that->value};
    *own = (struct am_claim_row){.want = want,
                                 .margin = log1p(margin_of(j, q->that)),
                                 .allowance = am_claim_allowance(row),
                                 .choices = j->choices};
    row->delta = expm1(own->margin + (isfinite(own->allowance) ? own->allowance : 0));
    q->n++;
}

/* ---- pairs ---- */

static const enum am_claim_want wants[AM_STUDY_RELATIONS] = {
    [AM_STUDY_GREATER] = AM_WANT_ABOVE,      [AM_STUDY_LESS] = AM_WANT_BELOW,
    [AM_STUDY_AT_LEAST] = AM_WANT_NOT_BELOW, [AM_STUDY_AT_MOST] = AM_WANT_NOT_ABOVE,
    [AM_STUDY_WITHIN] = AM_WANT_SAME,        [AM_STUDY_GROWS] = AM_WANT_ABOVE,
    [AM_STUDY_FALLS] = AM_WANT_BELOW,        [AM_STUDY_INDEPENDENT] = AM_WANT_SAME,
    [AM_STUDY_PROPORTIONAL] = AM_WANT_SAME,
};

/* The point on the left, and the axes that need not agree with it. */
struct partner {
    const struct am_result *left;
    const char *differ, *ranged;
};

static bool is_partner(const struct am_result *r, const void *context)
{
    const struct partner *const p = context;

    for (size_t i = 0; i < p->left->n_params; i++) {
        const struct am_result_param *const a = &p->left->params[i];
        const struct am_result_param *const b = am_result_param(r, a->name);

        if (b && !am_names_hold(p->differ, a->name) && !am_names_hold(p->ranged, a->name) &&
            !am_param_same(a, b))
            return false;
    }
    return true;
}

/* Why the two cannot be compared; NULL: they can. */
static const char *why_not(const struct judging *j, const struct am_pick *a,
                           const struct am_pick *b)
{
    const char *why;

    if (a->metric == b->metric)
        return "both sides are the same point";
    if (strcmp(a->metric->unit, b->metric->unit) == 0)
        return NULL;
    why =
        am_arena_printf(j->arena, "the units differ: %s and %s", b->metric->unit, a->metric->unit);
    return why ? why : "the units differ";
}

static const char *why_no_partner(const struct judging *j, const struct am_picks *found,
                                  const struct am_pick *left, const struct am_study_that *that)
{
    const char *const why =
        found->n ? am_arena_printf(j->arena,
                                   "%zu points may stand on the right of %s; they differ in %s",
                                   found->n, left->result->text, am_picks_differ(found, NULL))
                 : am_arena_printf(j->arena, "no point with %s stands beside %s",
                                   *that->right.where ? that->right.where : that->right.bench,
                                   left->result->text);

    return why ? why : "no partner";
}

/* The partner of a point, where it is one that cannot be measured here; NULL: there is no such. */
static const struct am_result *skipped_partner(const struct judging *j,
                                               const struct am_study_that *that,
                                               const struct partner *partner)
{
    for (size_t i = 0; i < j->set->n; i++) {
        const struct am_result *const r = &j->set->results[i];

        if (r->state == AM_POINT_SKIP && am_study_matches(&that->right, r) &&
            is_partner(r, partner))
            return r;
    }
    return NULL;
}

/* A pair without its right point is passed over where that cannot be measured here, and open where
 * it was not. */
static void ask_pair(struct judging *j, const struct am_study_that *that,
                     const struct am_picks *rights, const struct am_pick *left)
{
    const struct partner partner = {left->result, that->differ, j->ranged};
    const struct am_picks found =
        that->right.best ? *rights : am_picks_filter(rights, is_partner, &partner);
    struct am_claim_question *q;

    if (found.n == 0 && skipped_partner(j, that, &partner)) {
        j->claim->skipped++;
        return;
    }
    q = ask(j, that, NULL);
    if (!q)
        return;
    q->why =
        found.n == 1 ? why_not(j, &found.items[0], left) : why_no_partner(j, &found, left, that);
    if (!q->why)
        add_row(j, q, wants[that->relation], &found.items[0], left, that->factor);
}

static bool is_unit(const char *of_metric, const char *stated)
{
    const char *const a = strcmp(of_metric, "1") == 0 ? "" : of_metric;
    const char *const b = strcmp(stated, "1") == 0 ? "" : stated;

    return strcmp(a, b) == 0;
}

/* A point against a number. */
static void ask_constant(struct judging *j, const struct am_study_that *that,
                         const struct am_pick *left)
{
    struct am_claim_question *const q = ask(j, that, NULL);

    if (!q)
        return;
    if (!is_unit(left->metric->unit, that->unit))
        q->why = am_arena_printf(j->arena, "its unit is \"%s\", not \"%s\"", left->metric->unit,
                                 that->unit);
    else
        add_row(j, q, wants[that->relation], NULL, left, that->factor);
}

/* ---- along an axis ---- */

static void ask_curve(struct judging *j, const struct am_study_that *that,
                      const struct am_picks *points)
{
    const bool steps = that->relation == AM_STUDY_GROWS || that->relation == AM_STUDY_FALLS;
    const enum am_claim_want step =
        that->relation == AM_STUDY_GROWS ? AM_WANT_NO_FALL : AM_WANT_NO_RISE;
    const char *several = NULL;
    const struct am_picks curve = am_picks_curve(points, that->axis, &several);
    struct am_claim_question *const q = ask(j, that, NULL);

    if (!q)
        return;
    if (curve.n < 2) {
        q->why = several ? am_arena_printf(j->arena, "several points per %s differ in %s",
                                           that->axis, several)
                         : am_arena_printf(j->arena, "%s was measured at one value of %s only",
                                           points->items[0].result->bench, that->axis);
        return;
    }
    if (steps)
        add_row(j, q, wants[that->relation], &curve.items[0], &curve.items[curve.n - 1], 1);
    for (size_t i = 1; steps && curve.n > 2 && i < curve.n; i++)
        add_row(j, q, step, &curve.items[i - 1], &curve.items[i], 1);
    for (size_t i = 1; !steps && i < curve.n; i++)
        add_row(j, q, AM_WANT_SAME, &curve.items[0], &curve.items[i],
                that->relation == AM_STUDY_PROPORTIONAL && curve.items[0].x > 0
                    ? curve.items[i].x / curve.items[0].x
                    : 1);
}

/* ---- a claim ---- */

/* All points of the left against theirs on the right. */
static void ask_pairs(struct judging *j, const struct am_study_that *that,
                      const struct am_picks *lefts)
{
    const struct am_study_points right = am_study_select(j->set, &that->right, j->arena);
    const size_t before = j->claim->n;

    if (right.picks.n == 0) {
        (void)ask(j, that, right.why);
        return;
    }
    j->choices *= right.candidates;
    for (size_t i = 0; i < lefts->n; i++)
        ask_pair(j, that, &right.picks, &lefts->items[i]);
    if (j->claim->n == before)
        (void)ask(j, that, "what it is held against cannot be measured here");
}

static void ask_that(struct judging *j, const struct am_study_that *that)
{
    const struct am_study_points left = am_study_select(j->set, &that->left, j->arena);

    j->claim->skipped += left.skipped;
    j->choices = left.candidates;
    j->ranged = left.ranged;
    if (left.failed && left.picks.n)
        (void)ask(j, that, left.failed);
    if (left.picks.n == 0) {
        (void)ask(j, that, left.why);
        return;
    }
    if (that->relation >= AM_STUDY_GROWS) {
        const struct am_groups curves =
            am_picks_group(&left.picks, am_picks_varying(&left.picks, that->axis));

        for (size_t i = 0; i < curves.n; i++)
            ask_curve(j, that, &curves.items[i].picks);
        return;
    }
    if (!that->constant) {
        ask_pairs(j, that, &left.picks);
        return;
    }
    for (size_t i = 0; i < left.picks.n; i++)
        ask_constant(j, that, &left.picks.items[i]);
}

static void ask_claim(struct judging *j, const struct am_study_claim *claim,
                      struct am_judged_claim *out)
{
    j->claim = out;
    out->claim = claim;
    out->outcome = AM_CLAIM_UNDECIDED;
    out->why = "nothing is there to be compared";
    for (size_t i = 0; i < claim->n_thats; i++)
        ask_that(j, &claim->thats[i]);
}

enum am_status am_claims_judge(const struct am_study *study, const struct am_result_set *set,
                               struct am_arena *arena, struct am_judged_study *out,
                               struct am_err *err)
{
    const struct am_compare_settings settings = {.delta = am_claims_margin,
                                                 .level = am_claims_level,
                                                 .basis = AM_BASIS_WITHIN_RUN,
                                                 .unadjusted = true};
    struct judging j = {.set = set, .arena = arena, .out = out};
    enum am_status s;

    *out = (struct am_judged_study){.study = study, .level = am_claims_level};
    out->comparison.basis = settings.basis;
    out->claims = am_arena_array(arena, study->n_claims + 1, sizeof(*out->claims));
    out->reasons = am_arena_array(arena, study->n_claims + 1, sizeof(*out->reasons));
    if (!out->claims || !out->reasons)
        return am_fail(err, AM_E_NOMEM, "no memory for the claims");
    for (size_t i = 0; i < study->n_claims; i++) {
        ask_claim(&j, &study->claims[i], &out->claims[i]);
        if (study->claims[i].reason)
            ask_claim(&j, study->claims[i].reason, &out->reasons[i]);
    }
    if (j.broken)
        return am_fail(err, AM_E_NOMEM, "no memory for the claims");
    s = am_verdicts_judge(&settings, &out->comparison, err);
    if (s == AM_OK)
        am_claims_answer(out, arena);
    return s;
}
