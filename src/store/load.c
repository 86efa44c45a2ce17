/* SPDX-License-Identifier: MIT */
/* Loading a run: its circumstances, and every selected point with its samples as series. */
#include "store/store.h"

#include "base/text.h"
#include "core/bench/sane.h"
#include "store/db.h"
#include "store/read.h"
#include "store/seal.h"

#include <math.h>
#include <string.h>

enum { SQL_MAX = 64 * 1024 };

/* What a load carries from point to point. The statements stay prepared. */
struct loader {
    struct am_db_rows points, params, visits, samples, values, notes, chosen, parts, attachments,
        seals;
    struct am_read_benches benches;
    struct am_read_labels busy; /* of the launches */
    bool apart;                 /* the point at hand was timed by a device's own clock */
    const struct am_filter *filter;
    int64_t unsealed;        /* the first launch whose samples are not as stored; 0: none */
    struct am_arena scratch; /* of `rows`, reused for every point */
    struct am_read_list rows;
    size_t results_cap, failures_cap;
    struct am_result_set *out;
};

/* ---- circumstances ---- */

/* Rows of a key and a value. */
static void take_kvs(struct am_db_rows *rows, struct am_kvs *out)
{
    while (am_db_rows_next(rows)) {
        struct am_kv *const items =
            am_db_rows_room(rows, out->items, out->n, &out->cap, sizeof(*items));

        if (!items)
            break;
        out->items = items;
        items[out->n++] = (struct am_kv){am_db_get_text(rows, 0), am_db_get_text(rows, 1)};
    }
}

static enum am_status read_facts(struct am_db_rows *rows, const char *sql, struct am_kvs *out)
{
    am_db_rows_open(rows, sql);
    take_kvs(rows, out);
    return am_db_rows_close(rows);
}

static enum am_status read_findings(struct am_db_rows *rows, struct am_findings *out)
{
    const char *levels[AM_LEVEL_COUNT];
    size_t cap = 0;

    for (int i = 0; i < AM_LEVEL_COUNT; i++)
        levels[i] = am_level_name((enum am_level)i);
    am_db_rows_open(rows,
                    "SELECT id, area, level, value, effect, remedy FROM finding ORDER BY seq");
    while (am_db_rows_next(rows)) {
        struct am_finding *const items =
            am_db_rows_room(rows, out->items, out->n, &cap, sizeof(*items));

        if (!items)
            break;
        out->items = items;
        items[out->n++] = (struct am_finding){
            .id = am_db_get_text(rows, 0),
            .area = am_db_get_text(rows, 1),
            .level = (enum am_level)am_db_get_word(rows, 2, levels, AM_LEVEL_COUNT),
            .value = am_db_get_text(rows, 3),
            .effect = am_db_get_text_or_null(rows, 4),
            .remedy = am_db_get_text_or_null(rows, 5),
        };
    }
    return am_db_rows_close(rows);
}

static enum am_status read_circumstances(struct am_db_rows *rows, struct am_result_set *out)
{
    const struct {
        const char *sql;
        struct am_kvs *kvs;
    } tables[] = {
        {"SELECT key, value FROM machine ORDER BY seq", &out->machine},
        {"SELECT key, value FROM environment ORDER BY seq", &out->environment},
        {"SELECT key, value FROM setting ORDER BY seq", &out->settings},
        {"SELECT key, value FROM build ORDER BY seq", &out->build},
    };
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < sizeof(tables) / sizeof(tables[0]); i++)
        s = read_facts(rows, tables[i].sql, tables[i].kvs);
    return s == AM_OK ? read_findings(rows, &out->findings) : s;
}

/* ---- one point ---- */

/* A number of a numeric axis is within the limits of results, however it is stored. */
static const char *checked_text(struct am_db_rows *rows, int col, enum am_axis_kind kind)
{
    const char *const text = am_db_get_text(rows, col);
    double x;

    if (kind != AM_AXIS_NAME && am_parse_f64(text, strlen(text), &x) && !am_is_sane(x))
        (void)am_db_rows_damaged(rows, "a parameter is not between 1e-30 and 1e30");
    return text;
}

static const char *param_text(struct am_db_rows *rows, int col, enum am_axis_kind kind)
{
    struct am_value value = {.kind = AM_AXIS_REAL};
    char *text;

    if (sqlite3_column_type(rows->stmt, col) != SQLITE_FLOAT)
        return checked_text(rows, col, kind); /* SQLite's decimal of an integer is canonical */
    value.r = am_db_get_real(rows, col, 0);
    text = am_db_rows_alloc(rows, AM_VALUE_TEXT_MAX, 1);
    if (!text)
        return "";
    am_value_text(&value, text, AM_VALUE_TEXT_MAX);
    return text;
}

static enum am_status read_params(struct am_db_rows *rows, const struct am_read_bench *bench,
                                  struct am_result *r)
{
    r->params = bench->n_axes ? am_db_rows_alloc(rows, bench->n_axes, sizeof(*r->params)) : NULL;
    am_db_rows_bind(rows, 1, r->point_id);
    while (am_db_rows_next(rows)) {
        const size_t axis = am_read_index(rows, 0, bench->axis_ids, bench->n_axes);

        if (axis == bench->n_axes || r->n_params == bench->n_axes)
            return am_db_rows_damaged(rows, "a point has too many parameters");
        r->params[r->n_params] = bench->axes[axis];
        r->params[r->n_params++].text = param_text(rows, 1, bench->axes[axis].kind);
    }
    return rows->status;
}

static void add_failure(struct loader *ld, const struct am_result *r, unsigned round)
{
    struct am_db_rows *const rows = &ld->visits;
    const enum am_failure_kind kind = am_read_failure_kind(rows, 7);
    struct am_result_set *const out = ld->out;
    struct am_failure *const items =
        am_db_rows_room(rows, out->failures, out->n_failures, &ld->failures_cap, sizeof(*items));

    if (!items)
        return;
    out->failures = items;
    items[out->n_failures++] = (struct am_failure){
        .bench = r->bench,
        .text = r->text,
        .round = round,
        .kind = kind,
        .reason = am_db_get_text(rows, 8),
        .output = am_db_get_text_or_null(rows, 9),
    };
}

/* Columns as in SQL_VISITS. */
static void get_work(struct am_db_rows *rows, struct am_work *work)
{
    if (am_db_is_null(rows, 2))
        return;
    for (int col = 2; col < 6; col++) {
        if (am_db_get_real(rows, col, 0) < 0)
            (void)am_db_rows_damaged(rows, "the work of a visit is negative");
    }
    *work = (struct am_work){
        .bytes_read = am_db_get_real(rows, 2, 0),
        .bytes_written = am_db_get_real(rows, 3, 0),
        .flops = am_db_get_real(rows, 4, 0),
        .ops = am_db_get_real(rows, 5, 0),
    };
}

/* The coarsest of the launches' clocks; columns as in SQL_VISITS. */
static void get_clock(struct am_db_rows *rows, struct am_timing *timing)
{
    const double step_ns = am_db_get_real(rows, 10, 0), reading_ns = am_db_get_real(rows, 11, 0);

    if (step_ns < 0 || reading_ns < 0)
        (void)am_db_rows_damaged(rows, "a time or a clock is negative");
    timing->step_s = fmax(timing->step_s, step_ns * 1e-9);
    timing->reading_s = fmax(timing->reading_s, reading_ns * 1e-9);
}

/* AM_POINT_OK when one visit was, else what the latest one was. */
static enum am_status read_visits(struct loader *ld, struct am_result *r)
{
    struct am_db_rows *const rows = &ld->visits;
    bool any_ok = false;

    am_db_rows_bind(rows, 1, r->point_id);
    while (am_db_rows_next(rows)) {
        const unsigned round = am_db_get_unsigned(rows, 0);
        const enum am_point_state state =
            (enum am_point_state)am_db_get_word(rows, 1, am_point_states, AM_POINT_STATES);

        get_work(rows, &r->work);
        if (state == AM_POINT_OK)
            get_clock(rows, &r->timing);
        r->residual = fmax(r->residual, am_db_get_residual(rows, 6)); /* fmax passes NAN over */
        any_ok = any_ok || state == AM_POINT_OK;
        r->failures += state == AM_POINT_FAIL;
        r->state = state;
        if (state != AM_POINT_OK) {
            add_failure(ld, r, round);
            if (rows->status == AM_OK)
                r->reason = ld->out->failures[ld->out->n_failures - 1].reason;
        }
    }
    if (any_ok) {
        r->state = AM_POINT_OK;
        r->reason = NULL;
    }
    return rows->status;
}

static void take_attachments(struct am_db_rows *rows, struct am_result *r)
{
    size_t cap = 0;

    while (am_db_rows_next(rows)) {
        struct am_attachment *const items =
            am_db_rows_room(rows, r->attachments, r->n_attachments, &cap, sizeof(*items));
        struct am_attachment *a;

        if (!items)
            break;
        r->attachments = items;
        a = &items[r->n_attachments++];
        *a = (struct am_attachment){.name = am_db_get_text(rows, 0),
                                    .type = am_db_get_text(rows, 1)};
        a->data = am_db_get_blob(rows, 2, &a->n);
    }
}

/* What the worker said beside its samples. A statement that was not opened has nothing to say. */
static enum am_status read_said(struct loader *ld, struct am_result *r)
{
    if (ld->notes.stmt) {
        am_db_rows_bind(&ld->notes, 1, r->point_id);
        take_kvs(&ld->notes, &r->notes);
    }
    if (ld->chosen.stmt) {
        am_db_rows_bind(&ld->chosen, 1, r->point_id);
        take_kvs(&ld->chosen, &r->chosen);
    }
    if (ld->parts.stmt) {
        am_db_rows_bind(&ld->parts, 1, r->point_id);
        take_kvs(&ld->parts, &r->parts);
    }
    if (ld->attachments.stmt) {
        am_db_rows_bind(&ld->attachments, 1, r->point_id);
        take_attachments(&ld->attachments, r);
    }
    return ld->notes.status != AM_OK    ? ld->notes.status
           : ld->chosen.status != AM_OK ? ld->chosen.status
           : ld->parts.status != AM_OK  ? ld->parts.status
                                        : ld->attachments.status;
}

/* How many launches and values the rows hold of one metric. */
static void count_series(const struct loader *ld, size_t metric, size_t *launches, size_t *values)
{
    int64_t latest = 0;

    *launches = *values = 0;
    for (size_t i = 0; i < ld->rows.n; i++) {
        const struct am_read_value *const row = &ld->rows.items[i];

        if (row->metric != metric || isnan(row->value))
            continue;
        if (*values == 0 || row->launch != latest)
            ++*launches;
        latest = row->launch;
        ++*values;
    }
}

static enum am_status fill_series(struct loader *ld, size_t metric, struct am_series *series)
{
    struct am_db_rows *const rows = &ld->points; /* its arena is the results' */
    size_t launches, n, used = 0;
    double *values;
    uint32_t *labels;

    count_series(ld, metric, &launches, &n);
    if (n == 0)
        return AM_OK;
    series->launches = am_db_rows_alloc(rows, launches, sizeof(*series->launches));
    values = am_db_rows_alloc(rows, n, sizeof(*values));
    labels = am_db_rows_alloc(rows, n, sizeof(*labels));
    if (rows->status != AM_OK)
        return rows->status;
    for (size_t i = 0; i < ld->rows.n; i++) {
        const struct am_read_value *const row = &ld->rows.items[i];

        if (row->metric != metric || isnan(row->value))
            continue;
        if (used == 0 || series->launches[series->n - 1].launch_id != row->launch) {
            const struct am_read_label seen = am_read_label(&ld->busy, row->launch);

            series->launches[series->n++] =
                (struct am_launch_values){.launch_id = row->launch,
                                          .round = row->round,
                                          .values = values + used,
                                          .labels = labels + used,
                                          .busy = ld->apart ? 0 : seen.labels,
                                          .others = ld->apart ? 0 : seen.others};
        }
        values[used] = row->value;
        labels[used++] = row->labels;
        series->launches[series->n - 1].n++;
    }
    return AM_OK;
}

/* What keeps the host busy around a launch is no reason to doubt such times (bench.h), though other
 * points of the launch may have to bear it. */
static bool is_timed_apart(const struct am_result *r)
{
    const char *const clock = am_kvs_get(&r->chosen, AM_CHOSEN_CLOCK);

    return clock && strcmp(clock, AM_CLOCK_DEVICE) == 0;
}

static enum am_status read_series(struct loader *ld, const struct am_read_bench *bench,
                                  struct am_result *r)
{
    enum am_status s = am_read_samples(&ld->samples, &ld->values, bench, r->point_id, &ld->rows);

    if (s != AM_OK || bench->n_metrics == 0)
        return s;
    r->metrics = am_db_rows_alloc(&ld->points, bench->n_metrics, sizeof(*r->metrics));
    if (!r->metrics)
        return ld->points.status;
    memcpy(r->metrics, bench->metrics, bench->n_metrics * sizeof(*r->metrics));
    r->n_metrics = bench->n_metrics;
    for (size_t i = 0; s == AM_OK && i < r->n_metrics; i++)
        s = fill_series(ld, i, &r->metrics[i].series);
    return s;
}

/* ---- all points ---- */

static const char SQL_POINTS[] = "SELECT id, bench, text, stop_reason FROM point ORDER BY id";
static const char SQL_PARAMS[] = "SELECT axis, value FROM param WHERE point = ?1 ORDER BY axis";
/* CROSS JOIN fixes the order of the loops: visits by their index, then what hangs on each. */
static const char SQL_VISITS[] =
    "SELECT v.round, v.state, v.bytes_read, v.bytes_written, v.flops, v.ops, v.residual, f.kind,"
    " f.reason, l.output, l.clock_resolution_ns, l.clock_overhead_ns"
    " FROM visit v LEFT JOIN failure f ON f.visit = v.id LEFT JOIN launch l ON l.id = v.launch"
    " WHERE v.point = ?1 AND (?2 = 0 OR v.round % ?2 = ?3) ORDER BY v.launch";
/* Of the latest visit that has any. */
#define LATEST_SAID(columns, table)                                                                \
    "SELECT " columns " FROM " table " WHERE visit = (SELECT v.id FROM visit v"                    \
    " WHERE v.point = ?1 AND (?2 = 0 OR v.round % ?2 = ?3)"                                        \
    " AND EXISTS (SELECT 1 FROM " table " x WHERE x.visit = v.id)"                                 \
    " ORDER BY v.launch DESC LIMIT 1)"
static const char SQL_NOTES[] = LATEST_SAID("key, value", "note");
static const char SQL_CHOSEN[] = LATEST_SAID("name, value", "chosen");
/* Of all visits: what each measured of itself. */
static const char SQL_PARTS[] =
    "SELECT c.name, c.value FROM visit v CROSS JOIN chosen c ON c.visit = v.id"
    " WHERE v.point = ?1 AND (?2 = 0 OR v.round % ?2 = ?3)"
    " AND (c.name GLOB 'code_*' OR c.name GLOB 'step_*') ORDER BY v.launch, c.name";
static const char SQL_ATTACHMENTS[] = LATEST_SAID("name, type, data", "attachment");
/* What the samples say of it, beside the clocks that the visits told. */
static enum am_status finish_timing(struct loader *ld, struct am_result *r)
{
    r->timing.batch_s = am_read_batch_ns(ld->rows.items, ld->rows.n) * 1e-9;
    r->timing.hz = am_read_clock(ld->rows.items, ld->rows.n);
    if (fmin(r->timing.batch_s, r->timing.hz) < 0)
        return am_db_rows_damaged(&ld->visits, "a time or a clock is negative");
    return AM_OK;
}

static enum am_status load_point(struct loader *ld, const struct am_read_bench *bench)
{
    struct am_db_rows *const rows = &ld->points;
    struct am_result_set *const out = ld->out;
    struct am_result *const results =
        am_db_rows_room(rows, out->results, out->n, &ld->results_cap, sizeof(*results));
    struct am_result *r;
    enum am_status s;

    if (!results)
        return rows->status;
    out->results = results;
    r = &results[out->n++];
    *r = (struct am_result){
        .point_id = am_db_get_int(rows, 0),
        .bench = bench->name,
        .worker = bench->worker,
        .version = bench->version,
        .text = am_db_get_text(rows, 2),
        .stop_reason = am_read_stop_reason(rows, 3),
        .residual = NAN,
    };
    s = read_params(&ld->params, bench, r);
    if (s == AM_OK)
        s = read_visits(ld, r);
    if (s == AM_OK)
        s = read_said(ld, r);
    ld->apart = is_timed_apart(r);
    if (s == AM_OK)
        s = read_series(ld, bench, r);
    if (s == AM_OK)
        s = finish_timing(ld, r);
    if (s == AM_OK && ld->filter->check)
        s = am_seal_compare(&ld->seals, bench, ld->rows.items, ld->rows.n, &ld->unsealed);
    return s;
}

static void open_for_filter(struct loader *ld, struct am_db_rows *rows, const char *sql)
{
    am_db_rows_open(rows, sql);
    am_db_rows_bind(rows, 2, ld->filter->round_mod);
    am_db_rows_bind(rows, 3, ld->filter->round_rem);
}

/* Not of a table without rows: most files have no attachments, and many no notes. */
static void open_said(struct loader *ld, struct am_db_rows *rows, const char *sql, const char *any)
{
    bool there;

    am_db_rows_open(rows, any);
    there = am_db_rows_next(rows);
    if (am_db_rows_close(rows) == AM_OK && there)
        open_for_filter(ld, rows, sql);
}

static enum am_status load_points(struct loader *ld)
{
    enum am_status s = AM_OK;

    am_db_rows_open(&ld->points, SQL_POINTS);
    am_db_rows_open(&ld->params, SQL_PARAMS);
    open_for_filter(ld, &ld->visits, SQL_VISITS);
    open_for_filter(ld, &ld->samples, am_read_sql_samples);
    open_for_filter(ld, &ld->values, am_read_sql_values);
    open_said(ld, &ld->notes, SQL_NOTES, "SELECT 1 FROM note LIMIT 1");
    open_said(ld, &ld->chosen, SQL_CHOSEN, "SELECT 1 FROM chosen LIMIT 1");
    open_said(ld, &ld->parts, SQL_PARTS, "SELECT 1 FROM chosen WHERE name = 'code_passes' LIMIT 1");
    open_said(ld, &ld->attachments, SQL_ATTACHMENTS, "SELECT 1 FROM attachment LIMIT 1");
    if (ld->filter->check)
        am_db_rows_open(&ld->seals, am_seal_sql_shown);
    while (s == AM_OK && am_db_rows_next(&ld->points)) {
        const struct am_read_bench *const bench = am_read_bench_of(&ld->benches, &ld->points, 1);

        if (bench && bench->selected)
            s = load_point(ld, bench);
    }
    (void)am_db_rows_close(&ld->seals);
    (void)am_db_rows_close(&ld->attachments);
    (void)am_db_rows_close(&ld->parts);
    (void)am_db_rows_close(&ld->chosen);
    (void)am_db_rows_close(&ld->notes);
    (void)am_db_rows_close(&ld->values);
    (void)am_db_rows_close(&ld->samples);
    (void)am_db_rows_close(&ld->visits);
    (void)am_db_rows_close(&ld->params);
    return am_db_rows_close(&ld->points) == AM_OK ? s : ld->points.status;
}

/* A launch may measure points of several benches: it counts once. */
static enum am_status count_launches(struct loader *ld, struct am_db_rows *rows)
{
    struct am_text sql;
    enum am_status s = AM_OK;

    am_text_init(&sql, SQL_MAX);
    am_text_add(&sql, "SELECT count(DISTINCT v.launch) FROM point p CROSS JOIN visit v"
                      " ON v.point = p.id WHERE (?2 = 0 OR v.round % ?2 = ?3) AND p.bench IN (0");
    for (size_t i = 0; i < ld->benches.n; i++) {
        if (ld->benches.items[i].selected)
            am_text_addf(&sql, ", %lld", (long long)ld->benches.items[i].id);
    }
    am_text_add(&sql, ")");
    if (sql.overflow) {
        s = am_fail(rows->err, AM_E_LIMIT, "a run of %zu benches", ld->benches.n);
    } else {
        open_for_filter(ld, rows, am_text_str(&sql));
        if (am_db_rows_next(rows))
            ld->out->launches = (size_t)am_db_get_int(rows, 0);
        s = am_db_rows_close(rows);
    }
    am_text_fini(&sql);
    return s;
}

/* Everything but the samples, which were compared when they were read. */
static void check_seals(struct loader *ld, struct am_arena *arena)
{
    struct am_seal *const seal = &ld->out->seal;

    am_seal_check(ld->points.store, false, arena, seal);
    if (seal->state == AM_SEAL_BROKEN || !ld->unsealed)
        return;
    seal->state = AM_SEAL_BROKEN;
    seal->story = am_arena_printf(arena, "launch %lld has samples that are not as they were stored",
                                  (long long)ld->unsealed);
    seal->digest[0] = '\0';
}

enum am_status am_store_load(struct am_store *store, const struct am_filter *filter,
                             struct am_arena *arena, struct am_result_set *out, struct am_err *err)
{
    static const struct am_filter everything = {.pattern = NULL};
    struct am_db_rows rows = {.store = store, .arena = arena, .err = err};
    struct loader ld = {.points = rows,
                        .params = rows,
                        .visits = rows,
                        .samples = rows,
                        .values = rows,
                        .notes = rows,
                        .chosen = rows,
                        .parts = rows,
                        .attachments = rows,
                        .seals = rows,
                        .out = out};
    enum am_status s = am_db_read_begin(store, err);

    *out = (struct am_result_set){.n = 0};
    if (s != AM_OK)
        return s;
    ld.filter = filter ? filter : &everything;
    ld.samples.arena = &ld.scratch;
    s = am_read_run(store, arena, &out->run, err);
    if (s == AM_OK)
        s = read_circumstances(&rows, out);
    if (s == AM_OK)
        s = am_read_nodes(store, arena, &out->nodes, err);
    if (s == AM_OK)
        s = am_read_benches(store, ld.filter->pattern, arena, &ld.benches, err);
    if (s == AM_OK)
        s = am_read_surroundings(store, arena, &ld.busy, &out->quiet, err);
    if (s == AM_OK)
        s = load_points(&ld);
    if (s == AM_OK)
        s = count_launches(&ld, &rows);
    if (s == AM_OK && ld.filter->check)
        check_seals(&ld, arena);
    am_db_read_end(store);
    am_arena_fini(&ld.scratch);
    return s;
}

const struct am_attachment *am_result_attachment(const struct am_result *result, const char *name)
{
    for (size_t i = 0; i < result->n_attachments; i++) {
        if (strcmp(result->attachments[i].name, name) == 0)
            return &result->attachments[i];
    }
    return NULL;
}
