/* SPDX-License-Identifier: MIT */
/* The plain statistics of many repetitions of the same work (seed 001, tables 5.7 and 5.8). */
#ifndef AM_CORE_STEADY_H
#define AM_CORE_STEADY_H

#include "base/arena.h"
#include "core/stats/summary.h"

#include <stdbool.h>
#include <stddef.h>

struct am_steady {
    size_t n; /* repetitions */
    double median, mean, sigma, min, max;
    size_t outliers; /* further than three deviations from the mean, on either side */
};

/* All samples of all launches, disturbed ones too: what disturbs the machine is told by the time.
 * False when there are fewer than two, or no memory. */
bool am_steady_describe(const struct am_series *series, struct am_arena *arena,
                        struct am_steady *out);

#endif
