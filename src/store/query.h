/* SPDX-License-Identifier: MIT */
/* Queries that users write: SELECT over a run, with views that have axes and metrics as columns. */
#ifndef AM_STORE_QUERY_H
#define AM_STORE_QUERY_H

#include "store/store.h"

enum am_cell_kind { AM_CELL_NULL, AM_CELL_INT, AM_CELL_REAL, AM_CELL_TEXT };

struct am_cell {
    enum am_cell_kind kind;
    int64_t i;
    double r;
    const char *text;
};

/* Memory belongs to the arena. */
struct am_query_table {
    const char **columns;
    size_t n_columns;
    struct am_cell *cells; /* row by row */
    size_t n_rows;
};

/* Key of the table setting: the testsets of the points of our own benches, as JSON
 * [["TESTSET", "BENCH", "POINT"], ...], the point as its table has it. Programs of an experiment
 * have an axis instead. */
#define AM_STORE_TESTSETS "experiment.testsets"

/* Beginning of keys of the table setting: numbers that the user gave with the run. */
#define AM_STORE_GIVEN "given."

/* Makes the views and functions for queries of this connection (nothing is written to the file),
 * and from then on allows nothing but reading.
 *
 * View results, a row per sample: test_name, testset, every axis, every metric, and where the names
 * are free point, launch, round, sample, weight, labels.
 *
 * View stats, a row per point: test_name, testset, every axis, point, launches, samples, and for
 * each metric M the columns M_median (of launch medians, as `show` has it), M_mean and M_stddev
 * (weighted), M_range_min and M_range_max.
 *
 * Tables testsets (point, name) and given (name, value): numbers that the run has kept, and those
 * of `given` (NULL: none), which count first. Functions median(x), stddev(x), weighted_mean(x, w),
 * weighted_stddev(x, w).
 *
 * A metric called like an axis is M_result. A point in several testsets has its rows in each. */
enum am_status am_store_open_queries(struct am_store *store, const struct am_kvs *given,
                                     struct am_err *err);

/* One SELECT. AM_E_USAGE with SQLite's story, without file and line, when it is wrong. */
enum am_status am_store_query(struct am_store *store, const char *sql, struct am_arena *arena,
                              struct am_query_table *out, struct am_err *err);

#endif
