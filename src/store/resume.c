/* SPDX-License-Identifier: MIT */
/* What resume needs: the settings and, for every point, the rounds that are stored. */
#include "store/store.h"

#include "store/db.h"
#include "store/read.h"

static enum am_status read_points(struct am_db_rows *rows, const struct am_read_benches *benches,
                                  struct am_resume *out)
{
    size_t cap = 0;

    am_db_rows_open(rows, "SELECT id, bench, text, stop_reason FROM point ORDER BY id");
    while (am_db_rows_next(rows)) {
        const struct am_read_bench *const bench = am_read_bench_of(benches, rows, 1);
        struct am_resume_point *const points =
            am_db_rows_room(rows, out->points, out->n, &cap, sizeof(*points));

        if (!bench || !points)
            break;
        out->points = points;
        points[out->n++] = (struct am_resume_point){
            .point_id = am_db_get_int(rows, 0),
            .bench = bench->name,
            .worker = bench->worker,
            .version = bench->version,
            .text = am_db_get_text(rows, 2),
            .stop_reason = am_read_stop_reason(rows, 3),
        };
    }
    return am_db_rows_close(rows);
}

static enum am_status read_rounds(struct am_db_rows *rows, struct am_resume_point *point)
{
    size_t cap = 0;

    am_db_rows_bind(rows, 1, point->point_id);
    while (am_db_rows_next(rows)) {
        unsigned *const rounds =
            am_db_rows_room(rows, point->rounds, point->n_rounds, &cap, sizeof(*rounds));

        if (!rounds)
            break;
        point->rounds = rounds;
        rounds[point->n_rounds++] = am_db_get_unsigned(rows, 0);
        if (am_db_get_word(rows, 1, am_point_states, AM_POINT_STATES) == AM_POINT_FAIL)
            point->failures++;
    }
    return rows->status;
}

static enum am_status read_all_rounds(struct am_db_rows *rows, struct am_resume *out)
{
    am_db_rows_open(rows, "SELECT round, state FROM visit WHERE point = ? ORDER BY round");
    for (size_t i = 0; i < out->n && rows->status == AM_OK; i++)
        (void)read_rounds(rows, &out->points[i]);
    return am_db_rows_close(rows);
}

static enum am_status read_spent(struct am_db_rows *rows, struct am_resume *out)
{
    am_db_rows_open(rows, "SELECT total((ended_ns - started_ns) / 1e9) FROM launch");
    if (am_db_rows_next(rows))
        out->spent_s = am_db_get_real(rows, 0, 0);
    return am_db_rows_close(rows);
}

enum am_status am_store_load_resume(struct am_store *store, struct am_arena *arena,
                                    struct am_resume *out, struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .arena = arena, .err = err};
    struct am_read_benches benches;
    enum am_status s = am_db_read_begin(store, err);

    *out = (struct am_resume){.n = 0};
    if (s != AM_OK)
        return s;
    s = am_read_run(store, arena, &out->run, err);
    if (s == AM_OK)
        s = am_read_benches(store, NULL, arena, &benches, err);
    if (s == AM_OK)
        s = read_points(&rows, &benches, out);
    if (s == AM_OK)
        s = read_all_rounds(&rows, out);
    if (s == AM_OK)
        s = read_spent(&rows, out);
    am_db_read_end(store);
    return s;
}
