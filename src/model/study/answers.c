/* SPDX-License-Identifier: MIT */
/* From rows that were compared to answers and outcomes, with the level shared out.
 *
 * A claim's share is alpha = 5 % over the claims that have launches. It is needed twice, but a
 * claim is true or false: `reproduced` is an error only of a false one, `contradicted` only of a
 * true one.
 *
 * Of n questions r must hold for `reproduced`. Where the claim is false at most r - 1 are true, and
 * one of the n - r + 1 or more others must be answered wrongly: each at alpha / (n - r + 1). Of
 * `every` pair that is alpha itself, whatever the number of pairs. The same of `contradicted`. A
 * question holds where all of its rows do, so that each may be asked at the question's share; one
 * row is enough to deny it, so that they share it. Where `best` chose one of k pairs by its values,
 * a row has 1 / k. */
#include "model/study/claims.h"

#include <math.h>
#include <string.h>

const char *const am_claim_outcomes[AM_CLAIM_OUTCOMES] = {
    [AM_CLAIM_REPRODUCED] = "reproduced",
    [AM_CLAIM_CONTRADICTED] = "contradicted",
    [AM_CLAIM_UNDECIDED] = "undecided here",
};

const char *const am_claim_supports[AM_CLAIM_OUTCOMES] = {
    [AM_CLAIM_REPRODUCED] = "supported",
    [AM_CLAIM_CONTRADICTED] = "not supported",
    [AM_CLAIM_UNDECIDED] = "untested here",
};

const double am_claims_level = 0.95;

/* What answering works with. */
struct answering {
    struct am_judged_study *study;
    struct am_arena *arena;
    double alpha; /* of one claim */
};

/* ---- rows ---- */

/* What a row may err by in either way. */
struct shares {
    double holds, denied;
};

/* Shown not to lie above the margin, or below it where `turned`, whatever slowed A alone. */
static bool is_not_above(const struct am_comparison_row *row, const struct am_claim_row *own,
                         bool turned, double share)
{
    struct am_change c = row->change;

    c.margin = own->margin - own->allowance;
    c.d = turned ? -c.d : c.d;
    return am_change_above(&c) <= share;
}

/* What a row shows at a share: B over A as measured. */
struct shown {
    int up; /* 1: above the margin, -1: below it */
    bool not_up, not_down;
};

static struct shown shown_at(const struct answering *a, size_t i, double share)
{
    const struct am_comparison_row *const row = &a->study->comparison.rows[i];
    const struct am_claim_row *const own = &a->study->rows[i];
    const bool lower = row->metric_b->better == AM_LOWER; /* a change above 0 is slower */
    const int slower = am_row_beyond(row, &a->study->comparison, share, 1 - am_claims_level);

    return (struct shown){.up = lower ? slower : -slower,
                          .not_up = is_not_above(row, own, !lower, share),
                          .not_down = is_not_above(row, own, lower, share)};
}

static enum am_claim_answer answer_of(const struct answering *a, size_t i, struct shares shares)
{
    const struct shown h = shown_at(a, i, shares.holds), d = shown_at(a, i, shares.denied);
    const struct {
        bool holds, denied;
    } rules[AM_WANTS] = {
        [AM_WANT_ABOVE] = {h.up > 0, d.up < 0 || d.not_up},
        [AM_WANT_BELOW] = {h.up<0, d.up> 0 || d.not_down},
        [AM_WANT_NOT_BELOW] = {h.up > 0 || h.not_down, d.up < 0},
        [AM_WANT_NOT_ABOVE] = {h.up < 0 || h.not_up, d.up > 0},
        [AM_WANT_SAME] = {h.not_up && h.not_down, d.up != 0},
        [AM_WANT_NO_FALL] = {d.up >= 0, d.up < 0},
        [AM_WANT_NO_RISE] = {d.up <= 0, d.up > 0},
    };
    const enum am_claim_want want = a->study->rows[i].want;

    return rules[want].denied  ? AM_ANSWER_DENIED
           : rules[want].holds ? AM_ANSWER_HOLDS
                               : AM_ANSWER_OPEN;
}

/* Why a row cannot decide anything; NULL: it can. */
static const char *why_mute(const struct answering *a, size_t i)
{
    const struct am_comparison_row *const row = &a->study->comparison.rows[i];
    const struct am_grading g = am_grading_worse(row->metric_a->grading, row->metric_b->grading);
    char reasons[256];
    const char *why;

    if (isnan(row->change.p))
        return row->n_a < AM_CHANGE_LEAST || row->n_b < AM_CHANGE_LEAST
                   ? "fewer than three launches"
                   : "a launch has a value that is not above 0";
    if (isfinite(a->study->rows[i].allowance))
        return NULL;
    why = am_arena_printf(a->arena, "grade C: %s", am_grading_text(g, reasons, sizeof(reasons)));
    return why ? why : "grade C";
}

/* Why one that could was not enough. */
static const char *why_open_row(const struct answering *a, const struct am_claim_row *own)
{
    const char *const why =
        own->allowance > 0
            ? am_arena_printf(a->arena,
                              "grade C: what others took of the CPUs may be a factor of %.3g",
                              exp(own->allowance))
            : NULL;

    return why ? why : "the launches scatter too much to tell";
}

static void answer_row(const struct answering *a, size_t i, struct shares shares)
{
    struct am_claim_row *const own = &a->study->rows[i];
    struct am_comparison_row *const row = &a->study->comparison.rows[i];
    const double chosen = (double)own->choices;

    shares = (struct shares){shares.holds / chosen, shares.denied / chosen};
    own->why = why_mute(a, i);
    own->answer = own->why ? AM_ANSWER_OPEN : answer_of(a, i, shares);
    row->p = fmin(1, row->p * (1 - am_claims_level) / shares.holds);
}

/* ---- questions ---- */

/* A question holds where all of its rows do, and is denied by any of them. */
static void answer_question(const struct answering *a, struct am_claim_question *q,
                            struct shares shares)
{
    bool open = q->n == 0;

    if (q->n) {
        q->answer = AM_ANSWER_HOLDS;
        shares.denied /= (double)q->n;
    }
    for (size_t i = q->first; i < q->first + q->n; i++)
        answer_row(a, i, shares);
    for (size_t i = q->first; i < q->first + q->n; i++) {
        const struct am_claim_row *const row = &a->study->rows[i];

        if (row->answer == AM_ANSWER_DENIED) {
            q->answer = AM_ANSWER_DENIED;
            q->why = NULL;
            return;
        }
        if (row->answer == AM_ANSWER_OPEN && !open) {
            open = true;
            q->why = row->why ? row->why : why_open_row(a, row);
        }
    }
    if (open)
        q->answer = AM_ANSWER_OPEN;
}

/* ---- claims ---- */

/* How many questions must hold for `reproduced`, and be denied for `contradicted`. */
struct needed {
    size_t holds, denied;
};

static struct needed needed_of(const struct am_judged_claim *c)
{
    const struct needed rules[AM_STUDY_SHARES] = {
        [AM_STUDY_EVERY] = {c->n, 1},
        [AM_STUDY_MOST] = {c->n / 2 + 1, (c->n + 1) / 2},
        [AM_STUDY_SOME] = {1, c->n},
    };

    return rules[c->claim->share];
}

static enum am_claim_outcome outcome_of(const struct am_judged_claim *c)
{
    const struct needed needed = needed_of(c);

    return c->count[AM_ANSWER_DENIED] >= needed.denied ? AM_CLAIM_CONTRADICTED
           : c->count[AM_ANSWER_HOLDS] >= needed.holds ? AM_CLAIM_REPRODUCED
                                                       : AM_CLAIM_UNDECIDED;
}

/* The first open question's reason, and how many are open. */
static const char *why_open(const struct answering *a, const struct am_judged_claim *c)
{
    const size_t open = c->count[AM_ANSWER_OPEN];
    const char *first = NULL, *why;

    for (size_t i = 0; i < c->n && !first; i++)
        first = c->questions[i].answer == AM_ANSWER_OPEN ? c->questions[i].why : NULL;
    if (!first)
        return "as many hold as do not";
    why = open == 1 && c->n == 1
              ? first
              : am_arena_printf(a->arena, "%zu of %zu open: %s", open, c->n, first);
    return why ? why : first;
}

static void conclude(const struct answering *a, struct am_judged_claim *c)
{
    const struct needed needed = needed_of(c);
    const struct shares shares = {a->alpha / (double)(c->n - needed.holds + 1),
                                  a->alpha / (double)(c->n - needed.denied + 1)};

    for (size_t i = 0; i < c->n; i++) {
        answer_question(a, &c->questions[i], shares);
        c->count[c->questions[i].answer]++;
    }
    c->outcome = outcome_of(c);
    c->why = c->outcome == AM_CLAIM_UNDECIDED ? why_open(a, c) : NULL;
}

/* Whether launches tell anything of the claim: else it needs no share. */
static bool has_rows(const struct am_judged_study *s, const struct am_judged_claim *c)
{
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = c->questions[i].first; k < c->questions[i].first + c->questions[i].n; k++) {
            if (!isnan(s->comparison.rows[k].change.p))
                return true;
        }
    }
    return false;
}

/* Claims, or reasons: those that are stated share one level. Returns among how many. */
static size_t answer_all(struct am_judged_study *s, struct am_judged_claim *claims,
                         struct am_arena *arena)
{
    struct answering a = {.study = s, .arena = arena};
    size_t judged = 0;

    for (size_t i = 0; i < s->study->n_claims; i++)
        judged += has_rows(s, &claims[i]);
    a.alpha = (1 - am_claims_level) / (double)(judged ? judged : 1);
    for (size_t i = 0; i < s->study->n_claims; i++) {
        if (claims[i].n)
            conclude(&a, &claims[i]);
    }
    return judged;
}

void am_claims_answer(struct am_judged_study *s, struct am_arena *arena)
{
    s->n_judged = answer_all(s, s->claims, arena);
    s->n_judged_reasons = answer_all(s, s->reasons, arena);
    for (size_t i = 0; i < s->study->n_claims; i++)
        s->count[s->claims[i].outcome]++;
}
