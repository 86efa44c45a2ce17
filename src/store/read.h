/* SPDX-License-Identifier: MIT */
/* Inside the store only: what loading, resuming and exporting read alike. */
#ifndef AM_STORE_READ_H
#define AM_STORE_READ_H

#include "store/db.h"
#include "store/store.h"

/* A stored bench with what its points share. */
struct am_read_bench {
    int64_t id;
    const char *name, *worker;
    unsigned version;
    bool selected; /* its name matches the pattern */
    int64_t axis_ids[AM_AXES_MAX];
    struct am_result_param axes[AM_AXES_MAX]; /* name and kind */
    size_t n_axes;
    int64_t metric_ids[AM_METRICS_MAX];
    struct am_result_metric metrics[AM_METRICS_MAX]; /* without series */
    size_t n_metrics;
};

struct am_read_benches {
    struct am_read_bench *items;
    size_t n;
};

/* Each needs am_db_read_begin() before it. */
enum am_status am_read_run(struct am_store *store, struct am_arena *arena, struct am_run_info *out,
                           struct am_err *err);
enum am_status am_read_benches(struct am_store *store, const char *pattern, struct am_arena *arena,
                               struct am_read_benches *out, struct am_err *err);

/* Whether the file was made out of those of several machines. */
bool am_read_is_merged(struct am_store *store);
/* None in the file of one machine. */
enum am_status am_read_nodes(struct am_store *store, struct am_arena *arena, struct am_nodes *out,
                             struct am_err *err);

/* Of a column that is NULL while more launches are planned. */
enum am_stop_reason am_read_stop_reason(struct am_db_rows *rows, int col);
/* Of a failure, which has one. */
enum am_failure_kind am_read_failure_kind(struct am_db_rows *rows, int col);

/* The bench of a row's column; NULL sets rows->status. */
const struct am_read_bench *am_read_bench_of(const struct am_read_benches *benches,
                                             struct am_db_rows *rows, int col);
/* Index of a row's column in ids; n sets rows->status. */
size_t am_read_index(struct am_db_rows *rows, int col, const int64_t *ids, size_t n);

/* A metric value of one sample with what is read of that sample, as it comes: by launch, sequence,
 * metric. */
struct am_read_value {
    int64_t launch, visit, seq, elapsed_ns;
    double value; /* NAN: NULL */
    unsigned round;
    uint32_t labels;
    size_t metric;              /* index in the bench; n_metrics of a sample without values */
    double hz_before, hz_after; /* NAN: NULL */
};

struct am_read_list {
    struct am_read_value *items;
    size_t n, cap;
};

/* The samples of a point's visits that are ok, into `out`, whose items live in the arena of
 * `samples`. Both statements are opened by the caller with the texts below; their parameters 2 and
 * 3 choose rounds, as am_filter does. */
extern const char am_read_sql_samples[], am_read_sql_values[];
enum am_status am_read_samples(struct am_db_rows *samples, struct am_db_rows *values,
                               const struct am_read_bench *bench, int64_t point,
                               struct am_read_list *out);

/* Of all rows of a point: the time of a batch, and the highest core clock; 0 where there is none.
 */
double am_read_batch_ns(const struct am_read_value *rows, size_t n_rows);
double am_read_clock(const struct am_read_value *rows, size_t n_rows);

/* What was seen around launches, by launch, rising. */
struct am_read_label {
    int64_t launch;
    uint32_t labels; /* AM_BUSY_* */
    double others;   /* as in struct am_launch_values */
};
struct am_read_labels {
    struct am_read_label *items;
    size_t n;
};
enum am_status am_read_surroundings(struct am_store *store, struct am_arena *arena,
                                    struct am_read_labels *out, struct am_quiet *quiet,
                                    struct am_err *err);
/* Of a launch that nobody looked around at: no label, others not known. */
struct am_read_label am_read_label(const struct am_read_labels *labels, int64_t launch);

#endif
