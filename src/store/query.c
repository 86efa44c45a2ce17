/* SPDX-License-Identifier: MIT */
/* Views made for whatever a run measured, and users' queries over them. */
#include "store/query.h"

#include "base/array.h"
#include "base/text.h"
#include "store/db.h"
#include "store/functions.h"
#include "store/read.h"

#include <string.h>
#include <strings.h>

enum {
    COLUMNS_MAX = 1024,
    SQL_MAX = 16 * 1024 * 1024,
    CELLS_MAX = 4 * 1000 * 1000,
    STEPS_FACTOR = 4, /* of what reading the file once may cost */
};

/* A column of the views: an axis or a metric of one or several benches. */
struct column {
    const char *name;   /* in the views */
    const char *source; /* in the benches */
    bool metric;
};

struct views {
    struct am_read_benches benches;
    struct column columns[COLUMNS_MAX];
    size_t n;
    struct am_arena *arena;
    struct am_text sql;
    bool failed; /* no memory, or too many columns */
};

/* ---- columns ---- */

static const char *const fixed[] = {"test_name", "testset"};

static bool is_taken(const struct views *v, const char *name)
{
    for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++) {
        if (strcasecmp(fixed[i], name) == 0)
            return true;
    }
    for (size_t i = 0; i < v->n; i++) {
        if (strcasecmp(v->columns[i].name, name) == 0)
            return true;
    }
    return false;
}

static void add_column(struct views *v, const char *source, bool metric)
{
    const char *name = source;

    for (size_t i = 0; i < v->n; i++) {
        if (v->columns[i].metric == metric && strcmp(v->columns[i].source, source) == 0)
            return;
    }
    while (name && is_taken(v, name))
        name = am_arena_printf(v->arena, "%s_%s", name, metric ? "result" : "axis");
    if (!name || v->n == COLUMNS_MAX) {
        v->failed = true;
        return;
    }
    v->columns[v->n++] = (struct column){.name = name, .source = source, .metric = metric};
}

static bool is_testset(const char *axis)
{
    return strcmp(axis, "testset") == 0;
}

static void gather_columns(struct views *v)
{
    for (size_t b = 0; b < v->benches.n; b++) {
        for (size_t i = 0; i < v->benches.items[b].n_axes; i++) {
            if (!is_testset(v->benches.items[b].axes[i].name))
                add_column(v, v->benches.items[b].axes[i].name, false);
        }
    }
    for (size_t b = 0; b < v->benches.n; b++) {
        for (size_t i = 0; i < v->benches.items[b].n_metrics; i++)
            add_column(v, v->benches.items[b].metrics[i].name, true);
    }
}

/* ---- SQL ---- */

static void add_quoted(struct views *v, char quote, const char *text)
{
    am_text_addn(&v->sql, &quote, 1);
    for (; *text; text++) {
        if (*text == quote)
            am_text_addn(&v->sql, &quote, 1);
        am_text_addn(&v->sql, text, 1);
    }
    am_text_addn(&v->sql, &quote, 1);
}

static void add_name(struct views *v, const char *name, const char *ending)
{
    am_text_add(&v->sql, " AS ");
    add_quoted(v, '"', ending ? am_arena_printf(v->arena, "%s_%s", name, ending) : name);
}

/* The value of an axis; a value that a run did not set is NULL. */
static void add_axis(struct views *v, const struct am_read_bench *b, const char *axis)
{
    for (size_t i = 0; i < b->n_axes; i++) {
        if (strcmp(b->axes[i].name, axis) != 0)
            continue;
        am_text_addf(&v->sql,
                     "(SELECT nullif(a.value, '-') FROM main.param a WHERE a.point = p.id AND"
                     " a.axis = %lld)",
                     (long long)b->axis_ids[i]);
        return;
    }
    am_text_add(&v->sql, "NULL");
}

static int64_t metric_id(const struct am_read_bench *b, const char *metric)
{
    for (size_t i = 0; i < b->n_metrics; i++) {
        if (strcmp(b->metrics[i].name, metric) == 0)
            return b->metric_ids[i];
    }
    return 0;
}

static void add_value(struct views *v, int64_t metric)
{
    am_text_addf(&v->sql,
                 "(SELECT x.value FROM main.value x WHERE x.visit = s.visit AND x.seq = s.seq AND"
                 " x.metric = %lld)",
                 (long long)metric);
}

/* How many iterations a sample stands for. */
static void add_weight(struct views *v, const struct am_read_bench *b)
{
    const int64_t id = metric_id(b, "iterations");

    if (id)
        add_value(v, id);
    else
        am_text_add(&v->sql, "s.iters");
}

static bool has_axis(const struct am_read_bench *b, const char *axis)
{
    for (size_t i = 0; i < b->n_axes; i++) {
        if (strcmp(b->axes[i].name, axis) == 0)
            return true;
    }
    return false;
}

/* A point of our own benches may belong to several testsets: it then has a row in each. */
static const char join_testsets[] = " LEFT JOIN temp.testsets t ON t.point = p.id";

/* What both views begin with. */
static void add_point(struct views *v, const struct am_read_bench *b)
{
    const bool program = strcmp(b->worker, "exec") == 0 && strncmp(b->name, "exec.", 5) == 0;

    am_text_add(&v->sql, "SELECT ");
    add_quoted(v, '\'', program ? b->name + 5 : b->name);
    am_text_add(&v->sql, " AS test_name, ");
    if (has_axis(b, "testset"))
        add_axis(v, b, "testset");
    else
        am_text_add(&v->sql, "t.name");
    am_text_add(&v->sql, " AS testset");
    for (size_t i = 0; i < v->n; i++) {
        if (v->columns[i].metric)
            continue;
        am_text_add(&v->sql, ", ");
        add_axis(v, b, v->columns[i].source);
        add_name(v, v->columns[i].name, NULL);
    }
}

static const char from_samples[] =
    " FROM main.point p JOIN main.visit v ON v.point = p.id AND v.state = 'ok'"
    " JOIN main.sample s ON s.visit = v.id";

static void add_extra(struct views *v, const char *expression, const char *name)
{
    if (!is_taken(v, name))
        am_text_addf(&v->sql, ", %s AS %s", expression, name);
}

static void results_of(struct views *v, const struct am_read_bench *b)
{
    add_point(v, b);
    for (size_t i = 0; i < v->n; i++) {
        const int64_t id = v->columns[i].metric ? metric_id(b, v->columns[i].source) : 0;

        if (!v->columns[i].metric)
            continue;
        am_text_add(&v->sql, ", ");
        if (id)
            add_value(v, id);
        else
            am_text_add(&v->sql, "NULL");
        add_name(v, v->columns[i].name, NULL);
    }
    add_extra(v, "p.id", "point");
    add_extra(v, "v.launch", "launch");
    add_extra(v, "v.round", "round");
    add_extra(v, "s.seq", "sample");
    if (!is_taken(v, "weight")) {
        am_text_add(&v->sql, ", ");
        add_weight(v, b);
        am_text_add(&v->sql, " AS weight");
    }
    add_extra(v, "s.labels", "labels");
    am_text_addf(&v->sql, "%s%s WHERE p.bench = %lld", from_samples,
                 has_axis(b, "testset") ? "" : join_testsets, (long long)b->id);
}

/* Five columns per metric; those of other benches' metrics are NULL. */
static void add_statistics(struct views *v, const struct column *c, bool own, size_t i)
{
    static const struct {
        const char *ending, *of;
    } all[] = {{"median", "launch_median(q.m%zu, q.l, q.k, q.b)"},
               {"mean", "weighted_mean(q.m%zu, q.w)"},
               {"stddev", "weighted_stddev(q.m%zu, q.w)"},
               {"range_min", "min(q.m%zu)"},
               {"range_max", "max(q.m%zu)"}};

    for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++) {
        am_text_add(&v->sql, ", ");
        if (own)
            am_text_addf(&v->sql, all[k].of, i);
        else
            am_text_add(&v->sql, "NULL");
        add_name(v, c->name, all[k].ending);
    }
}

static void stats_of(struct views *v, const struct am_read_bench *b)
{
    add_point(v, b);
    add_extra(v, "p.id", "point");
    add_extra(v, "count(DISTINCT q.l)", "launches");
    add_extra(v, "count(*)", "samples");
    for (size_t i = 0; i < v->n; i++) {
        if (v->columns[i].metric)
            add_statistics(v, &v->columns[i], metric_id(b, v->columns[i].source) != 0, i);
    }
    am_text_add(&v->sql,
                " FROM main.point p JOIN (SELECT p.id AS p, v.launch AS l, s.labels AS k,"
                " CASE WHEN EXISTS (SELECT 1 FROM chosen c WHERE c.visit = v.id AND c.name = "
                "'" AM_CHOSEN_CLOCK "' AND c.value = '" AM_CLOCK_DEVICE "') THEN 0 ELSE"
                " coalesce((SELECT u.labels FROM surroundings u WHERE u.launch = v.launch), 0) END"
                " AS b, ");
    add_weight(v, b);
    am_text_add(&v->sql, " AS w");
    for (size_t i = 0; i < v->n; i++) {
        const int64_t id = v->columns[i].metric ? metric_id(b, v->columns[i].source) : 0;

        if (!id)
            continue;
        am_text_add(&v->sql, ", ");
        add_value(v, id);
        am_text_addf(&v->sql, " AS m%zu", i);
    }
    am_text_addf(&v->sql,
                 "%s WHERE p.bench = %lld) q ON q.p = p.id%s WHERE p.bench = %lld GROUP BY p.id%s",
                 from_samples, (long long)b->id, has_axis(b, "testset") ? "" : join_testsets,
                 (long long)b->id, has_axis(b, "testset") ? "" : ", t.name");
}

static void make_view(struct views *v, const char *name,
                      void (*of)(struct views *v, const struct am_read_bench *b))
{
    am_text_addf(&v->sql, "CREATE TEMP VIEW %s AS ", name);
    for (size_t b = 0; b < v->benches.n; b++) {
        am_text_add(&v->sql, b ? " UNION ALL " : "");
        of(v, &v->benches.items[b]);
    }
    am_text_add(&v->sql, ";\n");
}

/* Which points of our own benches belong to which testsets (AM_STORE_TESTSETS). */
static const char make_testsets[] =
    "CREATE TEMP TABLE testsets (point INTEGER NOT NULL, name TEXT NOT NULL,"
    " PRIMARY KEY (point, name)) WITHOUT ROWID;\n"
    "INSERT OR IGNORE INTO temp.testsets SELECT p.id, j.value ->> 0 FROM"
    " json_each((SELECT value FROM setting WHERE key = '" AM_STORE_TESTSETS
    "' AND json_valid(value))) j JOIN main.bench b ON b.name = j.value ->> 1"
    " JOIN main.point p ON p.bench = b.id AND p.text = j.value ->> 2"
    " WHERE j.type = 'array' AND j.value ->> 0 NOT NULL;\n";

static const char make_given[] =
    "CREATE TEMP TABLE given (name TEXT PRIMARY KEY, value REAL) WITHOUT ROWID;\n"
    "INSERT OR IGNORE INTO temp.given SELECT substr(key, length('" AM_STORE_GIVEN "') + 1),"
    " CAST(value AS REAL) FROM setting WHERE key GLOB '" AM_STORE_GIVEN "?*';\n";

static void add_given(struct views *v, const struct am_kvs *given)
{
    am_text_add(&v->sql, make_given);
    for (size_t i = 0; given && i < given->n; i++) {
        am_text_add(&v->sql, "INSERT OR REPLACE INTO temp.given VALUES (");
        add_quoted(v, '\'', given->items[i].key);
        am_text_add(&v->sql, ", CAST(");
        add_quoted(v, '\'', given->items[i].value);
        am_text_add(&v->sql, " AS REAL));\n");
    }
}

/* ---- the connection ---- */

/* Whatever a query does beside reading is refused before it runs. Transactions and the size of the
 * file are our own needs (am_db_read_begin()). */
static int only_reading(void *self, int action, const char *a, const char *b, const char *database,
                        const char *trigger)
{
    bool good = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE ||
                action == SQLITE_TRANSACTION;

    (void)self, (void)database, (void)trigger;
    if (action == SQLITE_FUNCTION)
        good = b && strcasecmp(b, "load_extension") != 0;
    if (action == SQLITE_PRAGMA)
        good = !b && (strcmp(a, "page_count") == 0 || strcmp(a, "page_size") == 0);
    return good ? SQLITE_OK : SQLITE_DENY;
}

static enum am_status create_views(struct am_store *store, const struct views *v,
                                   struct am_err *err)
{
    enum am_status s = am_db_exec(store, "PRAGMA query_only = OFF", "read", err);

    if (s == AM_OK && sqlite3_exec(store->db, am_text_str(&v->sql), NULL, NULL, NULL) != SQLITE_OK)
        s = am_fail(err, AM_E_STORE, "%s: cannot make the views for queries: %s", store->path,
                    sqlite3_errmsg(store->db));
    if (s == AM_OK)
        s = am_db_exec(store, "PRAGMA query_only = ON", "read", err);
    return s;
}

enum am_status am_store_open_queries(struct am_store *store, const struct am_kvs *given,
                                     struct am_err *err)
{
    struct am_arena arena = {0};
    struct views *const v = am_arena_alloc(&arena, sizeof(*v));
    enum am_status s = v ? am_db_read_begin(store, err) : am_fail(err, AM_E_NOMEM, "no memory");

    if (s == AM_OK) {
        s = am_read_benches(store, NULL, &arena, &v->benches, err);
        am_db_read_end(store);
    }
    if (s == AM_OK) {
        v->arena = &arena;
        am_text_init(&v->sql, SQL_MAX);
        gather_columns(v);
        am_text_add(&v->sql, make_testsets);
        add_given(v, given);
        make_view(v, "results", results_of);
        make_view(v, "stats", stats_of);
        if (v->failed || v->sql.overflow)
            s = am_fail(err, AM_E_LIMIT, "%s: too many axes and metrics for one table",
                        store->path);
        else if (!am_functions_register(store->db))
            s = am_db_fail(store, "read", err);
        if (s == AM_OK)
            s = create_views(store, v, err);
        am_text_fini(&v->sql);
    }
    if (s == AM_OK) { /* "a name that is no column" is a mistake, not a text */
        (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
        (void)sqlite3_set_authorizer(store->db, only_reading, NULL);
    }
    am_arena_fini(&arena);
    return s;
}

/* ---- queries ---- */

static enum am_status refuse(const struct am_store *store, struct am_err *err)
{
    const int code = sqlite3_errcode(store->db);

    if (code == SQLITE_AUTH)
        return am_fail(err, AM_E_USAGE, "only SELECT is possible here (%s)",
                       sqlite3_errmsg(store->db));
    if (code == SQLITE_INTERRUPT)
        return am_fail(err, AM_E_USAGE, "the query takes too long");
    return am_fail(err, AM_E_USAGE, "%s", sqlite3_errmsg(store->db));
}

static void read_cell(struct am_db_rows *rows, int column, struct am_cell *cell)
{
    switch (sqlite3_column_type(rows->stmt, column)) {
    case SQLITE_INTEGER:
        *cell = (struct am_cell){AM_CELL_INT, .i = sqlite3_column_int64(rows->stmt, column)};
        return;
    case SQLITE_FLOAT:
        *cell = (struct am_cell){AM_CELL_REAL, .r = sqlite3_column_double(rows->stmt, column)};
        return;
    case SQLITE_NULL: *cell = (struct am_cell){.kind = AM_CELL_NULL}; return;
    default:
        *cell = (struct am_cell){
            AM_CELL_TEXT, .text = am_arena_strdup(
                              rows->arena, (const char *)sqlite3_column_text(rows->stmt, column))};
        if (!cell->text)
            rows->status = AM_E_NOMEM;
    }
}

static enum am_status read_rows(struct am_db_rows *rows, struct am_query_table *out)
{
    size_t cap = 0;
    int rc;

    while ((rc = sqlite3_step(rows->stmt)) == SQLITE_ROW && rows->status == AM_OK) {
        if ((out->n_rows + 1) * out->n_columns > CELLS_MAX)
            return am_fail(rows->err, AM_E_USAGE, "more than %d cells", CELLS_MAX);
        if (!am_array_reserve(rows->arena, &out->cells, out->n_rows * out->n_columns, &cap,
                              out->n_columns, sizeof(*out->cells)))
            return am_fail(rows->err, AM_E_NOMEM, "no memory for the rows");
        for (size_t i = 0; i < out->n_columns; i++)
            read_cell(rows, (int)i, &out->cells[out->n_rows * out->n_columns + i]);
        out->n_rows++;
    }
    if (rows->status != AM_OK)
        return am_fail(rows->err, AM_E_NOMEM, "no memory for the rows");
    return rc == SQLITE_DONE ? AM_OK : refuse(rows->store, rows->err);
}

static enum am_status read_columns(struct am_db_rows *rows, struct am_query_table *out)
{
    out->n_columns = (size_t)sqlite3_column_count(rows->stmt);
    if (out->n_columns == 0)
        return am_fail(rows->err, AM_E_USAGE, "only SELECT is possible here");
    out->columns = am_arena_array(rows->arena, out->n_columns, sizeof(*out->columns));
    for (size_t i = 0; i < out->n_columns; i++) {
        const char *const name = sqlite3_column_name(rows->stmt, (int)i);

        if (out->columns)
            out->columns[i] = am_arena_strdup(rows->arena, name ? name : "?");
        if (!out->columns || !out->columns[i])
            return am_fail(rows->err, AM_E_NOMEM, "no memory for the columns");
    }
    return AM_OK;
}

static enum am_status read_all(struct am_db_rows *rows, const char *sql, struct am_query_table *out)
{
    const char *tail = NULL;
    enum am_status s;

    if (sqlite3_prepare_v2(rows->store->db, sql, -1, &rows->stmt, &tail) != SQLITE_OK)
        return refuse(rows->store, rows->err);
    if (!rows->stmt)
        return am_fail(rows->err, AM_E_USAGE, "the query is empty");
    if (tail[strspn(tail, " \t\r\n;")] != '\0')
        return am_fail(rows->err, AM_E_USAGE, "one statement is one query");
    s = read_columns(rows, out);
    return s == AM_OK ? read_rows(rows, out) : s;
}

enum am_status am_store_query(struct am_store *store, const char *sql, struct am_arena *arena,
                              struct am_query_table *out, struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .arena = arena, .err = err};
    enum am_status s = am_db_read_begin(store, err);

    *out = (struct am_query_table){0};
    if (s != AM_OK)
        return s;
    store->steps_left *= STEPS_FACTOR;
    s = read_all(&rows, sql, out);
    (void)sqlite3_finalize(rows.stmt);
    am_db_read_end(store);
    return s;
}
