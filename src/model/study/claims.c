/* SPDX-License-Identifier: MIT */
/* From claims to questions, from questions to the rows of one comparison, and back to outcomes. */
#include "model/study/claims.h"

#include <math.h>
#include <string.h>

const char *const am_claim_outcomes[AM_CLAIM_OUTCOMES] = {
    [AM_CLAIM_REPRODUCED] = "reproduced",
    [AM_CLAIM_CONTRADICTED] = "contradicted",
    [AM_CLAIM_UNDECIDED] = "undecided here",
};

const double am_claims_margin = 0.02;
static const double level = 0.95;

/* What judging works with. */
struct judging {
    const struct am_result_set *set;
    struct am_arena *arena;
    struct am_judged_study *out;
    struct am_judged_claim *claim; /* at hand */
    const char *ranged;            /* axes over which `best` chose the left side at hand */
    size_t choices;                /* pairs among which `best` of the relation at hand chose */
    size_t passed_over;            /* pairs that it did not choose, of all relations */
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
                                      .constant = a ? 0 : q->that->value,
                                      .delta = margin_of(j, q->that)};
    own->want = want;
    q->n++;
    j->passed_over += j->choices - 1;
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

static void ask_pair(struct judging *j, const struct am_study_that *that,
                     const struct am_picks *rights, const struct am_pick *left)
{
    const struct partner partner = {left->result, that->differ, j->ranged};
    const struct am_picks found =
        that->right.best ? *rights : am_picks_filter(rights, is_partner, &partner);
    struct am_claim_question *const q = ask(j, that, NULL);

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

static void ask_that(struct judging *j, const struct am_study_that *that)
{
    const struct am_study_points left = am_study_select(j->set, &that->left, j->arena);
    struct am_study_points right = {0};

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
    if (!that->constant)
        right = am_study_select(j->set, &that->right, j->arena);
    if (!that->constant && right.picks.n == 0) {
        (void)ask(j, that, right.why);
        return;
    }
    j->choices *= that->constant ? 1 : right.candidates;
    for (size_t i = 0; i < left.picks.n; i++) {
        if (that->constant)
            ask_constant(j, that, &left.picks.items[i]);
        else
            ask_pair(j, that, &right.picks, &left.picks.items[i]);
    }
}

/* ---- answers ---- */

/* Shown not to lie above the margin, or below it where `turned`: what a verdict need not say. */
static bool is_not_above(const struct am_comparison_row *row, bool turned, double alpha)
{
    struct am_change c = row->change;

    c.d = turned ? -c.d : c.d;
    return am_change_above(&c) <= alpha;
}

/* The change is turned so that above zero is slower; `up` is B over A as measured. */
static enum am_claim_answer answer_of(const struct am_comparison_row *row, enum am_claim_want want,
                                      double alpha)
{
    const bool lower = row->metric_b->better == AM_LOWER;
    const int slower = am_verdict_direction(row->verdict), up = lower ? slower : -slower;
    const bool not_up = is_not_above(row, !lower, alpha),
               not_down = is_not_above(row, lower, alpha);
    const struct {
        bool holds, denied;
    } rules[AM_WANTS] = {
        [AM_WANT_ABOVE] = {up > 0, up < 0 || not_up},
        [AM_WANT_BELOW] = {up<0, up> 0 || not_down},
        [AM_WANT_NOT_BELOW] = {up > 0 || not_down, up < 0},
        [AM_WANT_NOT_ABOVE] = {up < 0 || not_up, up > 0},
        [AM_WANT_SAME] = {not_up && not_down, up != 0},
        [AM_WANT_NO_FALL] = {up >= 0, up < 0},
        [AM_WANT_NO_RISE] = {up <= 0, up > 0},
    };

    return rules[want].denied  ? AM_ANSWER_DENIED
           : rules[want].holds ? AM_ANSWER_HOLDS
                               : AM_ANSWER_OPEN;
}

/* Why a row cannot decide anything; NULL: it can. */
static const char *why_mute(const struct judging *j, const struct am_comparison_row *row)
{
    struct am_grading g = am_grading_worse(row->metric_a->grading, row->metric_b->grading);
    char reasons[256];
    const char *why;

    if (isnan(row->change.p))
        return row->n_a < AM_CHANGE_LEAST || row->n_b < AM_CHANGE_LEAST
                   ? "fewer than three launches"
                   : "a launch has a value that is not above 0";
    if (row->basis != AM_BASIS_DOUBTFUL)
        return NULL;
    why = am_arena_printf(j->arena, "grade C: %s", am_grading_text(g, reasons, sizeof(reasons)));
    return why ? why : "grade C";
}

static void answer_row(struct judging *j, size_t i)
{
    const struct am_comparison *const c = &j->out->comparison;
    struct am_claim_row *const row = &j->out->rows[i];
    const double alpha = (1 - level) / (double)(c->n_judged ? c->n_judged : 1);

    row->why = why_mute(j, &c->rows[i]);
    row->answer = row->why ? AM_ANSWER_OPEN : answer_of(&c->rows[i], row->want, alpha);
}

/* A question holds where all of its rows do, and is denied by any of them. */
static void answer_question(struct judging *j, struct am_claim_question *q)
{
    bool open = q->n == 0;

    if (q->n)
        q->answer = AM_ANSWER_HOLDS;
    for (size_t i = q->first; i < q->first + q->n; i++) {
        const struct am_claim_row *const row = &j->out->rows[i];

        if (row->answer == AM_ANSWER_DENIED) {
            q->answer = AM_ANSWER_DENIED;
            q->why = NULL;
            return;
        }
        if (row->answer == AM_ANSWER_OPEN && !open) {
            open = true;
            q->why = row->why ? row->why : "the launches scatter too much to tell";
        }
    }
    if (open)
        q->answer = AM_ANSWER_OPEN;
}

static enum am_claim_outcome outcome_of(const struct am_judged_claim *c)
{
    const size_t holds = c->count[AM_ANSWER_HOLDS], denied = c->count[AM_ANSWER_DENIED];
    const struct {
        bool reproduced, contradicted;
    } rules[AM_STUDY_SHARES] = {
        [AM_STUDY_EVERY] = {c->n && holds == c->n, denied > 0},
        [AM_STUDY_MOST] = {2 * holds > c->n, c->n && 2 * denied >= c->n},
        [AM_STUDY_SOME] = {holds > 0, c->n && denied == c->n},
    };

    return rules[c->claim->share].contradicted ? AM_CLAIM_CONTRADICTED
           : rules[c->claim->share].reproduced ? AM_CLAIM_REPRODUCED
                                               : AM_CLAIM_UNDECIDED;
}

/* The first open question's reason, and how many are open. */
static const char *why_open(const struct judging *j, const struct am_judged_claim *c)
{
    const size_t open = c->count[AM_ANSWER_OPEN];
    const char *first = NULL, *why;

    for (size_t i = 0; i < c->n && !first; i++)
        first = c->questions[i].answer == AM_ANSWER_OPEN ? c->questions[i].why : NULL;
    if (!first)
        return "as many hold as do not";
    why = open == 1 && c->n == 1
              ? first
              : am_arena_printf(j->arena, "%zu of %zu open: %s", open, c->n, first);
    return why ? why : first;
}

static void conclude(struct judging *j, struct am_judged_claim *c)
{
    for (size_t i = 0; i < c->n; i++) {
        answer_question(j, &c->questions[i]);
        c->count[c->questions[i].answer]++;
    }
    c->outcome = outcome_of(c);
    c->why = c->outcome == AM_CLAIM_UNDECIDED ? why_open(j, c) : NULL;
    j->out->count[c->outcome]++;
}

enum am_status am_claims_judge(const struct am_study *study, const struct am_result_set *set,
                               struct am_arena *arena, struct am_judged_study *out,
                               struct am_err *err)
{
    struct am_compare_settings settings = {.delta = am_claims_margin,
                                           .level = level,
                                           .basis = AM_BASIS_WITHIN_RUN,
                                           .graded = true,
                                           .both_ways = true};
    struct judging j = {.set = set, .arena = arena, .out = out};
    enum am_status s;

    *out = (struct am_judged_study){.study = study, .level = level};
    out->comparison.basis = settings.basis;
    out->claims = am_arena_array(arena, study->n_claims + 1, sizeof(*out->claims));
    if (!out->claims)
        return am_fail(err, AM_E_NOMEM, "no memory for the claims");
    for (size_t i = 0; i < study->n_claims; i++) {
        j.claim = &out->claims[i];
        j.claim->claim = &study->claims[i];
        for (size_t k = 0; k < study->claims[i].n_thats; k++)
            ask_that(&j, &study->claims[i].thats[k]);
    }
    if (j.broken)
        return am_fail(err, AM_E_NOMEM, "no memory for the claims");
    settings.passed_over = j.passed_over;
    s = am_verdicts_judge(&settings, &out->comparison, err);
    if (s != AM_OK)
        return s;
    for (size_t i = 0; i < out->comparison.n; i++)
        answer_row(&j, i);
    for (size_t i = 0; i < study->n_claims; i++)
        conclude(&j, &out->claims[i]);
    return AM_OK;
}
