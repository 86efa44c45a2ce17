/* SPDX-License-Identifier: MIT */
/* Claims of a study judged by what a run measured: reproduced, contradicted, or undecided here.
 *
 * A claim's relations become questions: a point held against another one, against a number, or the
 * points along an axis held against each other. Every question is one or several rows of one
 * comparison over all claims of the study, whose points were measured in turns in one run. A claim
 * is true or false, and its outcome wrong in one of two ways; each is tested at 5 % over the number
 * of claims that can be judged, so that the probability that any outcome of the study is wrong is
 * at most 5 %. How a claim's share is parted over its rows: answers.c; what points of grade C may
 * still conclude: disturbance.c; both in doc/internals/verdicts.md. Reasons, which a claim may have
 * for being contradicted, are claims too, with a level of their own. Too few launches, points that
 * are missing: undecided, with the reason. The set must be settled. */
#ifndef AM_MODEL_STUDY_CLAIMS_H
#define AM_MODEL_STUDY_CLAIMS_H

#include "core/spec/study.h"
#include "evidence/select.h"
#include "model/compare.h"

enum am_claim_outcome {
    AM_CLAIM_REPRODUCED,
    AM_CLAIM_CONTRADICTED,
    AM_CLAIM_UNDECIDED,
    AM_CLAIM_OUTCOMES,
};
extern const char *const am_claim_outcomes[AM_CLAIM_OUTCOMES];
extern const char *const am_claim_supports[AM_CLAIM_OUTCOMES]; /* the same of a reason */

/* What a row must show for its question to hold: B over A. */
enum am_claim_want {
    AM_WANT_ABOVE,
    AM_WANT_BELOW,
    AM_WANT_NOT_BELOW,
    AM_WANT_NOT_ABOVE,
    AM_WANT_SAME,
    AM_WANT_NO_FALL, /* a step: only a decided fall speaks against it */
    AM_WANT_NO_RISE,
    AM_WANTS,
};

enum am_claim_answer { AM_ANSWER_HOLDS, AM_ANSWER_DENIED, AM_ANSWER_OPEN };

/* One row of a question, parallel to the rows of the comparison. */
struct am_claim_row {
    enum am_claim_want want;
    enum am_claim_answer answer;
    const char *why;  /* open: the reason; NULL: it was not resolved */
    double margin;    /* ln(1 + the smallest difference that matters) */
    double allowance; /* ln of what disturbance may have slowed a side of grade C by; 0: no side is
                       * of that grade; INFINITY: nothing bounds it */
    size_t choices;   /* pairs among which `best` chose; 1 without it */
};

struct am_claim_question {
    const struct am_study_that *that;
    size_t first, n; /* rows of the comparison; 0 of them: what is to be compared is not there */
    enum am_claim_answer answer;
    const char *why; /* open: the reason */
};

struct am_judged_claim {
    const struct am_study_claim *claim;
    struct am_claim_question *questions;
    size_t n, cap;
    size_t count[3]; /* of questions, by their answers */
    size_t skipped;  /* points that cannot be measured here, and are passed over */
    enum am_claim_outcome outcome;
    const char *why; /* undecided: the reason */
};

struct am_judged_study {
    const struct am_study *study;
    struct am_judged_claim *claims; /* as many as the study has */
    struct am_comparison comparison;
    struct am_claim_row *rows; /* parallel to the comparison's */
    size_t cap_rows, cap_own;
    size_t count[AM_CLAIM_OUTCOMES];
    struct am_judged_claim *reasons; /* parallel to the claims; without a claim: none is stated */
    double level;                    /* over all claims, and over all reasons */
    size_t n_judged;                 /* claims among which it is shared: those that have launches */
    size_t n_judged_reasons;
};

extern const double am_claims_margin; /* of claims that state none */
extern const double am_claims_level;

enum am_status am_claims_judge(const struct am_study *study, const struct am_result_set *set,
                               struct am_arena *arena, struct am_judged_study *out,
                               struct am_err *err);

/* Of rows that were compared: answers, outcomes and counts (answers.c). */
void am_claims_answer(struct am_judged_study *study, struct am_arena *arena);

/* The allowance of a row (disturbance.c). */
double am_claim_allowance(const struct am_comparison_row *row);

/* ---- which points (points.c) ---- */

struct am_study_points {
    struct am_picks picks;
    const char *why;    /* there are none: the reason; never NULL then */
    size_t skipped;     /* that cannot be measured here */
    size_t candidates;  /* among which `best` chose; 1 without it */
    const char *ranged; /* axes in which these differ, "a,b"; "" without it */
    const char *failed; /* of points that belong here and have no result: the first, why; NULL: none
                         */
};
/* Whether a point belongs to the selector by its bench and conditions, whatever its state. */
bool am_study_matches(const struct am_study_selector *selector, const struct am_result *result);
/* What a selector of a study selects. */
struct am_study_points am_study_select(const struct am_result_set *set,
                                       const struct am_study_selector *selector,
                                       struct am_arena *arena);

#endif
