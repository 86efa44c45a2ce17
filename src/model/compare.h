/* SPDX-License-Identifier: MIT */
/* Two result sets side by side: a verdict per metric, with ratio, interval and adjusted p.
 *
 * The unit is the launch (its median is one observation), because samples of one process are not
 * independent; of sides that are several runs it is the run (model/side.h). Points are paired by
 * their values, rows judged together by model/verdict.h, and what both runs differ in beside is
 * told by model/circumstances.h. Sets must be settled (evidence/evidence.h). */
#ifndef AM_MODEL_COMPARE_H
#define AM_MODEL_COMPARE_H

#include "base/arena.h"
#include "core/stats/change.h"
#include "model/record.h"
#include "model/verdict.h"
#include "store/store.h"

/* B over A as measured (not turned by direction): of the means of logarithms, with its 95 %
 * interval. */
struct am_ratio {
    double ratio, lo, hi, coverage;
};

struct am_comparison_row {
    const struct am_result *a, *b;
    const struct am_result_metric *metric_a, *metric_b;
    /* Of a row that asks its own question; all 0: as the settings ask. */
    double times;            /* A counts so many times */
    double constant;         /* A is this number, in the unit of B's metric, which stands for A's */
    double delta;            /* smallest relative effect that matters here */
    size_t n_a, n_b;         /* launches, or runs where the sides are several runs */
    struct am_change change; /* turned by direction: above 0 is slower */
    struct am_ratio ratio;
    double p;         /* adjusted over all rows (Holm) */
    double speedup;   /* > 1: b is better */
    double seen;      /* smallest relative change that this row would have shown with 90 % */
    double mode_span; /* ln(largest / smallest launch) of a side whose launches lie in two groups
                       * further apart than delta, the wider of both; 0: none does */
    enum am_verdict verdict;
    bool slight; /* of a time less a reference: the change is within delta of that time, whatever
                  * ratio it makes of what is left of it */
    enum am_basis basis;
    size_t runs;               /* of the record that it rests on; 0: none */
    size_t pairs, pairs_agree; /* fresh ones that it was decided by, and those that confirm it */
    size_t launches_needed; /* suspect, undecided: per side to show the change as measured; 0: more
                             * than 1000, or it is within delta */
};

struct am_missing_row {
    const struct am_result *result;
    bool lost;       /* A has a result and B none that could be compared with it */
    const char *why; /* "only in A", "only in B", "not ok in A: ...", "bench versions differ" */
};

struct am_comparison {
    struct am_comparison_row *rows; /* sorted by effect, largest first */
    size_t n;
    struct am_missing_row *missing;
    size_t n_missing;
    enum am_basis basis;
    struct am_kvs differences; /* machine, environment and settings that differ: key -> "A | B" */
    struct am_kvs remarks;     /* what to know before reading the rows: stable word -> sentence */
    size_t count[AM_VERDICT_COUNT];
    size_t n_judged;        /* rows that have a p: those over which it is adjusted */
    size_t slower_suspects; /* of the suspects, those that look slower */
    size_t two_modes;       /* rows with a mode_span, */
    double mode_span;       /* and the widest of them */
    double geomean_speedup; /* over the compared primary metrics */
};

struct am_compare_settings {
    double delta; /* smallest relative effect that matters, e.g. 0.02 */
    double level; /* 0.95 */
    enum am_basis basis;
    bool all_metrics; /* else the primary metric of each bench */
    bool paired;      /* launches of one round were measured next to each other, and
                       * are compared with each other alone */
    bool graded;      /* grade C of a side leaves the row AM_BASIS_DOUBTFUL */
    bool unadjusted;  /* p stays that of the row alone: the caller shares out the level
                       * (am_row_beyond) */
    const struct am_record *record; /* earlier runs, for one run per side; NULL: none */
};

enum am_status am_compare(const struct am_result_set *a, const struct am_result_set *b,
                          const struct am_compare_settings *settings, struct am_arena *arena,
                          struct am_comparison *out, struct am_err *err);

#endif
