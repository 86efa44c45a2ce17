/* SPDX-License-Identifier: MIT */
/* Every raw sample in turn, for export. */
#include "store/store.h"

#include "store/db.h"
#include "store/read.h"

#include <math.h>

static const char SQL_RAW[] =
    "SELECT x.metric, x.value, v.launch, v.round, s.seq, s.iters, s.t0_ns, s.t1_ns, s.elapsed_ns,"
    " s.hz_before, s.hz_after, s.steal_ns, s.switches, s.labels, l.started_ns, o.off_ns"
    " FROM visit v"
    " CROSS JOIN launch l ON l.id = v.launch"
    " CROSS JOIN sample s ON s.visit = v.id"
    " LEFT JOIN off_cpu o ON o.visit = s.visit AND o.seq = s.seq"
    " CROSS JOIN value x ON x.visit = s.visit AND x.seq = s.seq"
    " WHERE v.point = ?1 AND v.state = 'ok' ORDER BY v.launch, s.seq, x.metric";

static void get_sample(struct am_db_rows *rows, int col, struct am_sample *out)
{
    *out = (struct am_sample){
        .iters = am_db_get_u64(rows, col),
        .t0_ns = am_db_get_u64(rows, col + 1),
        .t1_ns = am_db_get_u64(rows, col + 2),
        .elapsed_ns = am_db_get_u64(rows, col + 3),
        .hz_before = am_db_get_real(rows, col + 4, 0),
        .hz_after = am_db_get_real(rows, col + 5, 0),
        .steal_ns = am_db_get_u64(rows, col + 6),
        .switches = am_db_get_u64(rows, col + 7),
        .labels = am_db_get_unsigned(rows, col + 8),
    };
}

static enum am_status each_of_point(struct am_db_rows *rows, const struct am_read_bench *bench,
                                    const struct am_raw_sample *of_point, am_raw_fn *fn, void *self)
{
    struct am_raw_sample raw = *of_point;

    while (am_db_rows_next(rows)) {
        const size_t metric = am_read_index(rows, 0, bench->metric_ids, bench->n_metrics);

        if (metric == bench->n_metrics)
            break;
        raw.metric = bench->metrics[metric].name;
        raw.unit = bench->metrics[metric].unit;
        raw.value = am_db_get_real(rows, 1, NAN);
        raw.launch_id = am_db_get_int(rows, 2);
        raw.round = am_db_get_unsigned(rows, 3);
        raw.sequence = am_db_get_unsigned(rows, 4);
        get_sample(rows, 5, &raw.sample);
        raw.launch_started_ns = am_db_get_u64(rows, 14);
        raw.sample.off_ns = am_db_is_null(rows, 15) ? 0 : am_db_get_u64(rows, 15);
        raw.sample.values[metric] = raw.value;
        if (rows->status == AM_OK)
            rows->status = fn(self, &raw, rows->err);
    }
    return rows->status;
}

static enum am_status each_point(struct am_db_rows *points, struct am_db_rows *values,
                                 const struct am_read_benches *benches, am_raw_fn *fn, void *self)
{
    enum am_status s = AM_OK;

    am_db_rows_open(points, "SELECT id, bench, text FROM point ORDER BY id");
    am_db_rows_open(values, SQL_RAW);
    while (s == AM_OK && am_db_rows_next(points)) {
        const struct am_read_bench *const bench = am_read_bench_of(benches, points, 1);

        if (!bench || !bench->selected)
            continue;
        am_db_rows_bind(values, 1, am_db_get_int(points, 0));
        s = each_of_point(
            values, bench,
            &(struct am_raw_sample){.bench = bench->name, .text = am_db_get_text(points, 2)}, fn,
            self);
    }
    (void)am_db_rows_close(values);
    return am_db_rows_close(points) == AM_OK ? s : points->status;
}

enum am_status am_store_each_sample(struct am_store *store, const char *pattern, am_raw_fn *fn,
                                    void *self, struct am_err *err)
{
    struct am_arena arena = {NULL};
    struct am_db_rows points = {.store = store, .arena = &arena, .err = err}, values = points;
    struct am_read_benches benches;
    enum am_status s = am_db_read_begin(store, err);

    if (s != AM_OK)
        return s;
    s = am_read_benches(store, pattern, &arena, &benches, err);
    if (s == AM_OK)
        s = each_point(&points, &values, &benches, fn, self);
    am_db_read_end(store);
    am_arena_fini(&arena);
    return s;
}
