/* SPDX-License-Identifier: MIT */
/* What is said about a compared row, and on what kind of evidence it rests.
 *
 * A verdict is decided by the change against the margin delta (core/stats/change.h), adjusted over
 * all rows of the comparison by Holm, with ranks that must agree. Launches of one run share the
 * state that the machine had then, and two runs a minute apart differ by more than their launches
 * tell. So a row that is beyond doubt within two runs is `slower?`, and `slower` needs sides whose
 * measuring was interleaved. doc/internals/verdicts.md has the method with its error rates. */
#ifndef AM_MODEL_VERDICT_H
#define AM_MODEL_VERDICT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* X(enumerator, word, direction): +1 slower, -1 faster, 0 neither. */
#define AM_VERDICT_MAP(X)                                                                          \
    X(AM_VERDICT_SAME, "same", 0)                                                                  \
    X(AM_VERDICT_FASTER, "faster", -1)                                                             \
    X(AM_VERDICT_SLOWER, "slower", 1)                                                              \
    X(AM_VERDICT_MAYBE_FASTER, "faster?", -1)                                                      \
    X(AM_VERDICT_MAYBE_SLOWER, "slower?", 1)                                                       \
    X(AM_VERDICT_SUSPECT, "suspect", 0)                                                            \
    X(AM_VERDICT_UNDECIDED, "undecided", 0)

#define AM_VERDICT_ENUM(id, word, direction) id,
enum am_verdict { AM_VERDICT_MAP(AM_VERDICT_ENUM) AM_VERDICT_COUNT };
#undef AM_VERDICT_ENUM

/* same: shown to be within delta. faster?, slower?: beyond doubt between these two runs, which is
 * not yet a statement about the machine. suspect: beyond delta if it were the only row; measure it
 * again. undecided: not shown to differ, which is not "same". */
const char *am_verdict_name(enum am_verdict verdict);
int am_verdict_direction(enum am_verdict verdict);

/* X(enumerator, words, decides): whether faster and slower may be said without a question mark. */
#define AM_BASIS_MAP(X)                                                                            \
    X(AM_BASIS_ONE_RUN, "one run per side: how much runs differ was not measured", false)          \
    X(AM_BASIS_WITHIN_RUN, "both sides interleaved in one run", true)                              \
    X(AM_BASIS_RUNS_APART, "several runs per side, but those of one side before the other's",      \
      false)                                                                                       \
    X(AM_BASIS_RUNS, "several runs per side, interleaved", true)                                   \
    X(AM_BASIS_RECORD, "one run per side, and what earlier runs of it differ by", true)            \
    X(AM_BASIS_PAIRS, "fresh pairs of launches of both sides", true)                               \
    X(AM_BASIS_AGAIN, "A as stored, and B measured again: nothing but the time tells them apart",  \
      false)                                                                                       \
    X(AM_BASIS_DOUBTFUL,                                                                           \
      "both sides interleaved in one run, one of them of grade C: it may be what disturbed them",  \
      false)

#define AM_BASIS_ENUM(id, words, decides) id,
enum am_basis { AM_BASIS_MAP(AM_BASIS_ENUM) AM_BASIS_COUNT };
#undef AM_BASIS_ENUM
const char *am_basis_text(enum am_basis basis);

struct am_change;
struct am_comparison;
struct am_comparison_row;
struct am_compare_settings;

/* The change of one row by the launches of its metrics, and what is shown of it; not adjusted. */
enum am_status am_row_measure(struct am_comparison_row *row, double delta, struct am_err *err);
/* Counts the verdicts of all rows anew. */
void am_verdicts_count(struct am_comparison *out);
/* What is said of one change, whose p is adjusted over all of them: SLOWER where it is above 0.
 * `agrees`: so does what is asked beside p, ranks of launches or intervals that lie apart. */
enum am_verdict am_verdict_of(const struct am_change *change, double p, bool agrees,
                              enum am_basis basis, double level);

/* Whether a row that was judged is shown to lie beyond its margin: 1 slower, -1 faster, 0 not
 * shown. `share` is what it may err by itself; `alpha`, what all rows may together, is what
 * launches in two modes are held against. */
int am_row_beyond(const struct am_comparison_row *row, const struct am_comparison *all,
                  double share, double alpha);

/* Changes, adjusted p and verdicts of all rows, and the counts. */
enum am_status am_verdicts_judge(const struct am_compare_settings *settings,
                                 struct am_comparison *out, struct am_err *err);

#endif
