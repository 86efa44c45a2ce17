/* SPDX-License-Identifier: MIT */
/* How far a summary can be trusted: A is fit to quote, B may support conclusions with its interval,
 * C is shown and concludes nothing.
 *
 * The rule is one table (grade.c): each row is a reason with the limit up to which a summary is
 * still A and the limit up to which it is still B. A summary has the worst grade of all rows, and
 * keeps the reasons that kept it from A. A conclusion has the worst grade of what it rests on. */
#ifndef AM_CORE_STATS_GRADE_H
#define AM_CORE_STATS_GRADE_H

#include "core/stats/summary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum am_grade { AM_GRADE_A, AM_GRADE_B, AM_GRADE_C, AM_GRADES };
extern const char *const am_grade_names[AM_GRADES]; /* "A", "B", "C" */

/* X(enumerator, word, phrase). The word is for programs, the phrase for a person. */
#define AM_REASON_MAP(X)                                                                           \
    X(AM_REASON_LAUNCHES, "launches", "too few launches")                                          \
    X(AM_REASON_WIDE, "wide", "the interval is wide")                                              \
    X(AM_REASON_DISTURBED, "disturbed", "many samples were disturbed")                             \
    X(AM_REASON_BUSY, "busy", "others were busy during launches")                                  \
    X(AM_REASON_MODES, "modes", "the values have two modes")                                       \
    X(AM_REASON_ZERO, "zero", "not resolved from zero")                                            \
    X(AM_REASON_CLOCK, "clock", "the core clock was unsteady")                                     \
    X(AM_REASON_UNVERIFIED, "unverified", "the outcome was not verified")                          \
    X(AM_REASON_STANDARD, "standard", "a standard of known latency was missed")

#define AM_REASON_ENUM(id, word, phrase) id,
enum am_reason { AM_REASON_MAP(AM_REASON_ENUM) AM_REASONS };
#undef AM_REASON_ENUM
extern const char *const am_reason_words[AM_REASONS];
extern const char *const am_reason_phrases[AM_REASONS];

/* What the rule looks at beside the summary. */
struct am_grade_input {
    const struct am_summary *summary;
    size_t all_samples; /* used or not */
    size_t drifted;     /* of them, those labelled AM_LABEL_DRIFT */
    bool verified;      /* the point was compared with a reference, or needs none */
    size_t missed;      /* of what counts cycles: standards of known latency that the run missed */
};

/* A grade with the reasons that kept it from A, as bits 1 << am_reason. */
struct am_grading {
    enum am_grade grade;
    uint32_t reasons;
};

struct am_grading am_grade(const struct am_grade_input *input);
/* What a row's limits are held against. */
double am_grade_measure(enum am_reason reason, const struct am_grade_input *input);
/* The worse of both, with the reasons of both. */
struct am_grading am_grading_worse(struct am_grading a, struct am_grading b);
/* "too few launches, the interval is wide"; "" for A. Returns buf. */
const char *am_grading_text(struct am_grading g, char *buf, size_t cap);

/* One row of the rule, for the documentation and its test. Limits are of the row's measure: up to
 * `a` it is A, up to `b` it is B, beyond it is C. */
struct am_grade_row {
    enum am_reason reason;
    double a, b;
    const char *measure; /* what is measured, in words */
};
extern const struct am_grade_row am_grade_rows[AM_REASONS];

#endif
