/* SPDX-License-Identifier: MIT */
/* Several runs as one side of a comparison: each run gives one observation per point and metric,
 * the geometric mean of its launch medians.
 *
 * Launches of one run share what the machine was like then, so several runs are not more launches:
 * the run is the unit, and what runs differ by is in the spread of these observations. United sets
 * are compared like any others. The sets must be settled; what is made belongs to the arena. */
#ifndef AM_MODEL_SIDE_H
#define AM_MODEL_SIDE_H

#include "model/verdict.h"
#include "store/store.h"

struct am_side {
    struct am_result_set *runs;
    size_t n;
};

/* One set of all points of all runs; the first run itself where there is but one. Machine,
 * environment and settings are the first run's. */
enum am_status am_side_unite(const struct am_side *side, struct am_arena *arena,
                             struct am_result_set *out, struct am_err *err);

/* A run's observation of a metric: the mean of the launch medians, by logarithms where all are
 * positive; NAN when there is none. */
double am_side_run_mean(const struct am_series *series);

/* What comparing the sides can show. AM_E_USAGE where a run occurs twice, which would make its
 * noise look smaller, or where one side has several runs and any has fewer than three. */
enum am_status am_side_basis(const struct am_side *a, const struct am_side *b, enum am_basis *out,
                             struct am_err *err);

#endif
