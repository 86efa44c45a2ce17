/* SPDX-License-Identifier: MIT */
/* Writing what happened: a launch with all its visits and samples is one commit. */
#include "store/store.h"

#include "base/loaded.h"
#include "store/db.h"
#include "store/seal.h"

#include <math.h>

enum { OFF_LEAST = 100 }; /* the part of a batch off the CPU that is stored: one in so many */

/* Ids of the metrics of a point's bench, in the bench's order. */
struct metric_ids {
    int64_t id[AM_METRICS_MAX];
    size_t n;
};

static enum am_status find_metrics(struct am_store *store, int64_t point_id, struct metric_ids *out,
                                   struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .err = err};

    out->n = 0;
    am_db_rows_open(&rows, "SELECT m.id FROM point p JOIN metric m ON m.bench = p.bench"
                           " WHERE p.id = ? ORDER BY m.id");
    am_db_rows_bind(&rows, 1, point_id);
    while (out->n < AM_METRICS_MAX && am_db_rows_next(&rows))
        out->id[out->n++] = am_db_get_int(&rows, 0);
    return am_db_rows_close(&rows);
}

static enum am_status put_launch_row(struct am_store *store, const struct am_launch *l,
                                     int64_t *id_p, struct am_err *err)
{
    char seed[AM_DB_U64_TEXT_MAX];
    const enum am_status s = am_db_put(
        store, AM_DB_PUT_LAUNCH,
        AM_DB_VALUES(am_db_int(l->round), am_db_u64_text(l->seed, seed), am_db_text_or(l->worker),
                     am_db_text_or(l->cpus), am_db_text(l->environment), am_db_int(l->pid),
                     am_db_u64(l->started_ns), am_db_u64(l->ended_ns), am_db_int(l->wall_start),
                     am_db_u64(l->clock_overhead_ns), am_db_u64(l->clock_resolution_ns),
                     am_db_measured(l->hz), am_db_text(l->output)),
        err);

    *id_p = sqlite3_last_insert_rowid(store->db);
    return s;
}

static enum am_status put_surroundings(struct am_store *store, const struct am_launch *l,
                                       int64_t launch_id, struct am_err *err)
{
    const struct am_surroundings *const x = &l->surroundings;

    if (!l->has_surroundings)
        return AM_OK;
    return am_db_put(store, AM_DB_PUT_SURROUNDINGS,
                     AM_DB_VALUES(am_db_int(launch_id), am_db_measured(x->load),
                                  am_db_measured(x->runnable), am_db_measured(x->others),
                                  am_db_measured(x->steal), am_db_measured(x->pressure_cpu),
                                  am_db_measured(x->pressure_memory),
                                  am_db_measured(x->pressure_io), am_db_int(x->labels)),
                     err);
}

/* A (point, round) that is stored already is the caller's mistake, and has a message of its own. */
static enum am_status put_visit_row(struct am_store *store, const struct am_visit *v,
                                    const struct am_launch *launch, int64_t launch_id,
                                    struct am_err *err)
{
    /* Stored as NULL. */
    const struct am_work nothing = {
        .bytes_read = NAN, .bytes_written = NAN, .flops = NAN, .ops = NAN};
    const struct am_work *const work = v->has_work ? &v->work : &nothing;
    const enum am_status s = am_db_put(
        store, AM_DB_PUT_VISIT,
        AM_DB_VALUES(am_db_int(launch_id), am_db_int(v->point_id), am_db_int(launch->round),
                     am_db_text(am_point_states[v->state]), am_db_measured(work->bytes_read),
                     am_db_measured(work->bytes_written), am_db_measured(work->flops),
                     am_db_measured(work->ops), am_db_real(v->has_residual ? v->residual : NAN)),
        NULL);

    if (s == AM_OK)
        return AM_OK;
    if (sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_UNIQUE)
        return am_fail(err, AM_E_STORE, "%s: point %lld is stored already for round %u",
                       store->path, (long long)v->point_id, launch->round);
    return am_db_fail(store, "write", err);
}

static enum am_status put_sample(struct am_store *store, int64_t visit_id, int64_t seq,
                                 const struct am_sample *x, const struct metric_ids *metrics,
                                 struct am_err *err)
{
    enum am_status s = am_db_put(
        store, AM_DB_PUT_SAMPLE,
        AM_DB_VALUES(am_db_int(visit_id), am_db_int(seq), am_db_u64(x->iters), am_db_u64(x->t0_ns),
                     am_db_u64(x->t1_ns), am_db_u64(x->elapsed_ns), am_db_measured(x->hz_before),
                     am_db_measured(x->hz_after), am_db_u64(x->steal_ns), am_db_u64(x->switches),
                     am_db_int(x->labels)),
        err);

    if (s == AM_OK && x->off_ns && x->off_ns >= (x->t1_ns - x->t0_ns) / OFF_LEAST)
        s = am_db_put(store, AM_DB_PUT_OFF_CPU,
                      AM_DB_VALUES(am_db_int(visit_id), am_db_int(seq), am_db_u64(x->off_ns)), err);
    for (size_t i = 0; s == AM_OK && i < metrics->n; i++)
        s = am_db_put(store, AM_DB_PUT_VALUE,
                      AM_DB_VALUES(am_db_int(visit_id), am_db_int(seq), am_db_int(metrics->id[i]),
                                   am_db_measured(x->values[i])),
                      err);
    return s;
}

static enum am_status put_failure(struct am_store *store, int64_t visit_id,
                                  const struct am_visit *v, struct am_err *err)
{
    if (v->state == AM_POINT_OK)
        return AM_OK;
    return am_db_put(store, AM_DB_PUT_FAILURE,
                     AM_DB_VALUES(am_db_int(visit_id), am_db_text(am_failure_kinds[v->kind]),
                                  am_db_text_or(v->reason)),
                     err);
}

static enum am_status put_kvs(struct am_store *store, enum am_db_slot slot, int64_t visit_id,
                              const struct am_kvs *kvs, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < kvs->n; i++)
        s = am_db_put(store, slot,
                      AM_DB_VALUES(am_db_int(visit_id), am_db_text(kvs->items[i].key),
                                   am_db_text(kvs->items[i].value)),
                      err);
    return s;
}

/* What the worker said beside its samples. */
static enum am_status put_said(struct am_store *store, int64_t visit_id, const struct am_visit *v,
                               struct am_err *err)
{
    enum am_status s = put_kvs(store, AM_DB_PUT_NOTE, visit_id, &v->notes, err);

    if (s == AM_OK)
        s = put_kvs(store, AM_DB_PUT_CHOSEN, visit_id, &v->chosen, err);
    if (s == AM_OK)
        s = put_kvs(store, AM_DB_PUT_PROPOSED, visit_id, &v->proposed, err);
    for (size_t i = 0; s == AM_OK && i < v->n_attachments; i++) {
        const struct am_attachment *const a = &v->attachments[i];

        s = am_db_put(store, AM_DB_PUT_ATTACHMENT,
                      AM_DB_VALUES(am_db_int(visit_id), am_db_text(a->name), am_db_text(a->type),
                                   am_db_blob(a->data, a->n)),
                      err);
    }
    return s;
}

/* The launch that the visits of am_store_put_launch() belong to, and what they came to. */
struct put {
    const struct am_launch *launch;
    int64_t launch_id, last_visit;
};

static enum am_status put_visit(struct am_store *store, const struct am_visit *v, struct put *put,
                                struct am_err *err)
{
    struct metric_ids metrics;
    int64_t visit_id;
    enum am_status s = find_metrics(store, v->point_id, &metrics, err);

    if (s != AM_OK)
        return s;
    if (metrics.n < v->n_metrics || metrics.n == 0)
        return am_fail(err, AM_E_STORE, "%s: point %lld has %zu metrics in this run, not %zu",
                       store->path, (long long)v->point_id, metrics.n, v->n_metrics);
    metrics.n = v->n_metrics;
    s = put_visit_row(store, v, put->launch, put->launch_id, err);
    put->last_visit = visit_id = sqlite3_last_insert_rowid(store->db);
    if (s == AM_OK)
        s = put_failure(store, visit_id, v, err);
    if (s == AM_OK)
        s = put_said(store, visit_id, v, err);
    for (size_t i = 0; s == AM_OK && i < v->n_samples; i++)
        s = put_sample(store, visit_id, (int64_t)i, &v->samples[i], &metrics, err);
    return s;
}

/* Circumstances that launches have in common: each library once per worker, as
 * "library.WORKER.NAME"; one that changed during the run has both, the latest first. */
static enum am_status put_libraries(struct am_store *store, const struct am_launch *l,
                                    struct am_err *err)
{
    const int before = sqlite3_total_changes(store->db);
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < l->libraries.n; i++) {
        const char *const path = l->libraries.items[i].key;
        char name[AM_LIBRARY_NAME_MAX];

        am_library_name(path, name);
        s = am_db_put(store, AM_DB_PUT_LIBRARY,
                      AM_DB_VALUES(am_db_text(l->worker), am_db_text(name), am_db_text(path),
                                   am_db_text(l->libraries.items[i].value)),
                      err);
    }
    if (s == AM_OK && sqlite3_total_changes(store->db) != before)
        s = am_seal_tables(store, AM_SEALED(ENVIRONMENT), err);
    return s;
}

enum am_status am_store_put_launch(struct am_store *store, const struct am_launch *launch,
                                   struct am_err *err)
{
    struct put put = {.launch = launch};
    enum am_status s = am_db_begin(store, err);

    if (s != AM_OK)
        return s;
    s = put_launch_row(store, launch, &put.launch_id, err);
    if (s == AM_OK)
        s = put_surroundings(store, launch, put.launch_id, err);
    for (size_t i = 0; s == AM_OK && i < launch->n_visits; i++)
        s = put_visit(store, &launch->visits[i], &put, err);
    if (s == AM_OK)
        s = put_libraries(store, launch, err);
    if (s == AM_OK) /* ids of visits follow each other */
        s = am_seal_launch(store, put.launch_id, put.last_visit - (int64_t)launch->n_visits + 1,
                           put.last_visit, err);
    return am_db_end(store, s, err);
}

enum am_status am_store_put_stops(struct am_store *store, const struct am_stop *stops, size_t n,
                                  struct am_err *err)
{
    enum am_status s = am_db_begin(store, err);

    if (s != AM_OK)
        return s;
    for (size_t i = 0; s == AM_OK && i < n; i++) {
        s = am_db_put_once(store, "UPDATE point SET stop_reason = ? WHERE id = ?",
                           AM_DB_VALUES(am_db_text(am_stop_reason_word(stops[i].reason)),
                                        am_db_int(stops[i].point_id)),
                           err);
        if (s == AM_OK && sqlite3_changes(store->db) != 1)
            s = am_fail(err, AM_E_STORE, "%s: no point %lld in this run", store->path,
                        (long long)stops[i].point_id);
    }
    if (s == AM_OK)
        s = am_seal_tables(store, AM_SEALED(STOP), err);
    return am_db_end(store, s, err);
}
