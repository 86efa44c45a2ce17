/* SPDX-License-Identifier: MIT */
/* Two result sets side by side: a verdict a metric, with ratio, interval and adjusted p. */
#ifndef AM_MODEL_COMPARE_H
#define AM_MODEL_COMPARE_H

#include "base/arena.h"
#include "core/stats/stats.h"
#include "store/store.h"

enum am_verdict {
    AM_VERDICT_SAME,   /* interval wholly inside +-delta: equivalence shown */
    AM_VERDICT_FASTER, /* interval wholly beyond delta, in the metric's better direction */
    AM_VERDICT_SLOWER,
    AM_VERDICT_INCONCLUSIVE, /* not rejecting is not "same" */
    AM_VERDICT_COUNT,
};

struct am_comparison_row {
    const struct am_result *a, *b;
    const struct am_result_metric *metric_a, *metric_b;
    struct am_ratio ratio; /* b over a, as measured (not turned by direction) */
    double p;              /* adjusted (Benjamini-Hochberg) */
    double speedup;        /* > 1: b is better */
    enum am_verdict verdict;
    size_t launches_needed; /* inconclusive: launches a side that would probably settle it */
};

struct am_missing_row {
    const struct am_result *result;
    const char *why; /* "only in A", "only in B", "not ok in A: ...", "bench versions differ" */
};

struct am_comparison {
    struct am_comparison_row *rows; /* sorted by effect, largest first */
    size_t n;
    struct am_missing_row *missing;
    size_t n_missing;
    struct am_kvs differences; /* machine, environment and settings that differ: key -> "A | B" */
    size_t count[AM_VERDICT_COUNT];
    double geomean_speedup; /* over the compared primary metrics */
};

struct am_compare_settings {
    double delta;     /* smallest relative effect that matters, e.g. 0.02 */
    double level;     /* 0.95 */
    bool all_metrics; /* else the primary metric of each bench */
};

enum am_status am_compare(const struct am_result_set *a, const struct am_result_set *b,
                          const struct am_compare_settings *settings, struct am_arena *arena,
                          struct am_comparison *out, struct am_err *err);
const char *am_verdict_name(enum am_verdict verdict);

#endif
