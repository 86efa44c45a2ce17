/* SPDX-License-Identifier: MIT */
/* Positive values with an interval each, compared where the launches behind them are not at hand.
 *
 * A value of a machine model has an interval, its coverage and the number of launches: from these
 * comes an error of its logarithm, and two of them make a change (core/stats/change.h) that is
 * judged like any other. What is lost against launches is said by two rules: the error is taken
 * as that of a normal law from the interval, which for medians of five launches and more is larger
 * than the true one, with the degrees of freedom of the launches; and in place of ranks the
 * intervals themselves must lie apart by more than the margin. The same simulations as for launches
 * are in tests/unit/core/test_estimate.c. */
#ifndef AM_CORE_STATS_ESTIMATE_H
#define AM_CORE_STATS_ESTIMATE_H

#include "core/stats/change.h"
#include "core/stats/stats.h"

#include <stdbool.h>

struct am_estimate {
    double log;    /* of the value */
    double se, df; /* error of the logarithm, degrees of freedom */
    double lo, hi; /* logarithms of the interval's ends */
};

/* False where the interval has no coverage (neighbours of a sweep gave it, or it is exact), comes
 * from fewer than three launches, or reaches to zero: such values are compared by their bounds. */
bool am_estimate_of(double value, const struct am_interval *ci, size_t launches,
                    struct am_estimate *out);

/* What `n` others make of a value together: their middle, with the spread between them as its
 * error, so that one that differs no more than they do among themselves does not stand out. Uses
 * the median and the median deviation: some that are odd among many do no harm. n >= 1; for one it
 * is that one. Allocates; false when memory is refused. */
bool am_estimate_of_others(const struct am_estimate *others, size_t n, struct am_estimate *out);

/* The change from a to b. `delta` >= 0. */
struct am_change am_change_of_estimates(const struct am_estimate *a, const struct am_estimate *b,
                                        double delta);

#endif
