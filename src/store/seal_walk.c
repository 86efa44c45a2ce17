/* SPDX-License-Identifier: MIT */
/* The walk over launches that seals them or compares their seals.
 *
 * Every table of launches is read once, in the order of launches and visits, by a cursor of its
 * own; a cursor stands still until the walk comes to the launch or visit that its row belongs to.
 * So a row that belongs to nothing stops its cursor, and the next seal does not hold. */
#include "store/seal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { SAID = 6 };

/* What hangs on a visit, and the letter that begins its rows in the encoding. The seal over the
 * samples stands for them. */
static const struct {
    char letter;
    const char *sql;
} said[SAID] = {
    {'f', "SELECT visit, kind, reason FROM failure WHERE visit BETWEEN ?1 AND ?2 ORDER BY visit"},
    {'n', "SELECT visit, key, value FROM note WHERE visit BETWEEN ?1 AND ?2 ORDER BY visit, key"},
    {'c',
     "SELECT visit, name, value FROM chosen WHERE visit BETWEEN ?1 AND ?2 ORDER BY visit, name"},
    {'p',
     "SELECT visit, axis, value FROM proposed WHERE visit BETWEEN ?1 AND ?2 ORDER BY visit, axis"},
    {'a', "SELECT visit, name, type, data FROM attachment WHERE visit BETWEEN ?1 AND ?2"
          " ORDER BY visit, name"},
    {'s',
     "SELECT visit, shown, rest FROM sample_seal WHERE visit BETWEEN ?1 AND ?2 ORDER BY visit"},
};
enum { SAMPLE_SEALS = SAID - 1 };

static const char sql_launches[] =
    "SELECT id, round, seed, worker, cpus, environment, pid, started_ns, ended_ns, wall_start,"
    " clock_overhead_ns, clock_resolution_ns, hz, output FROM launch WHERE id BETWEEN ?1 AND ?2"
    " ORDER BY id";
static const char sql_surroundings[] =
    "SELECT launch, load, runnable, others, steal, pressure_cpu, pressure_memory, pressure_io,"
    " labels FROM surroundings WHERE launch BETWEEN ?1 AND ?2 ORDER BY launch";
static const char sql_seals[] =
    "SELECT launch, digest FROM seal WHERE launch BETWEEN ?1 AND ?2 ORDER BY launch";
static const char sql_visits[] =
    "SELECT v.id, v.launch, p.text, b.name, b.worker, b.version, v.round, v.state, v.bytes_read,"
    " v.bytes_written, v.flops, v.ops, v.residual FROM visit v LEFT JOIN point p ON p.id = v.point"
    " LEFT JOIN bench b ON b.id = p.bench WHERE v.id BETWEEN ?1 AND ?2 ORDER BY v.id";
static const char sql_samples[] =
    "SELECT visit, seq, labels, elapsed_ns, hz_before, hz_after, iters, t0_ns, t1_ns, steal_ns,"
    " switches FROM sample WHERE visit BETWEEN ?1 AND ?2 ORDER BY visit, seq";
static const char sql_off[] = "SELECT visit, seq, off_ns FROM off_cpu WHERE visit BETWEEN ?1 AND ?2"
                              " ORDER BY visit, seq";
static const char sql_values[] = "SELECT visit, seq, metric, value FROM value"
                                 " WHERE visit BETWEEN ?1 AND ?2 ORDER BY visit, seq, metric";

/* A table's rows in turn. */
struct cursor {
    struct am_db_rows rows;
    int64_t key; /* launch or visit of the row at hand; INT64_MAX behind the last */
};

/* A metric's name, by its id, and its place among all names. */
struct metric_name {
    const char *name;
    size_t rank;
};

struct walk {
    struct am_store *store;
    struct am_err *err;
    struct am_arena arena;
    struct metric_name *metrics; /* of ids 1 to n */
    size_t n_metrics;
    bool whole; /* the samples are read too */
    bool keep;  /* the statements stay prepared: of who walks launch by launch */
    struct cursor launches, surroundings, seals, visits, said[SAID], samples, off, values;
};

static void advance(struct cursor *c)
{
    c->key = am_db_rows_next(&c->rows) ? sqlite3_column_int64(c->rows.stmt, 0) : INT64_MAX;
}

static void open_cursor(struct walk *w, struct cursor *c, const char *sql, int64_t first,
                        int64_t last)
{
    c->rows =
        (struct am_db_rows){.store = w->store, .arena = &w->arena, .err = w->err, .keep = w->keep};
    am_db_rows_open(&c->rows, sql);
    am_db_rows_bind(&c->rows, 1, first);
    am_db_rows_bind(&c->rows, 2, last);
    advance(c);
}

/* Merged files may have the metrics in another order than their parts: the order is that of names.
 */
static enum am_status read_metrics(struct walk *w)
{
    static const char sql_count[] = "SELECT count(*) FROM metric";
    static const char sql_names[] = "SELECT id, name FROM metric ORDER BY name, id";
    struct am_db_rows rows = {
        .store = w->store, .arena = &w->arena, .err = w->err, .keep = w->keep};
    size_t rank = 0;

    am_db_rows_open(&rows, sql_count);
    if (am_db_rows_next(&rows))
        w->n_metrics = am_db_get_unsigned(&rows, 0);
    if (am_db_rows_close(&rows) != AM_OK)
        return rows.status;
    w->metrics = am_arena_array(&w->arena, w->n_metrics + 1, sizeof(*w->metrics));
    if (!w->metrics)
        return am_fail(w->err, AM_E_NOMEM, "%s: out of memory", w->store->path);
    am_db_rows_open(&rows, sql_names);
    for (; am_db_rows_next(&rows); rank++) {
        const int64_t id = am_db_get_int(&rows, 0);
        const char *const name = (const char *)sqlite3_column_text(rows.stmt, 1);

        if (name && id >= 1 && (uint64_t)id <= w->n_metrics)
            w->metrics[id - 1] =
                (struct metric_name){am_arena_strdup(&w->arena, name), rank}; /* NULL: no value */
    }
    return am_db_rows_close(&rows);
}

static enum am_status open_samples(struct walk *w, int64_t first, int64_t last)
{
    open_cursor(w, &w->samples, sql_samples, first, last);
    open_cursor(w, &w->off, sql_off, first, last);
    open_cursor(w, &w->values, sql_values, first, last);
    return read_metrics(w);
}

static void open_launches(struct walk *w, int64_t launch, int64_t last_launch, int64_t first,
                          int64_t last)
{
    open_cursor(w, &w->launches, sql_launches, launch, last_launch);
    open_cursor(w, &w->surroundings, sql_surroundings, launch, last_launch);
    open_cursor(w, &w->visits, sql_visits, first, last);
    for (size_t i = 0; i < SAID; i++)
        open_cursor(w, &w->said[i], said[i].sql, first, last);
}

/* The first thing that went wrong, or AM_OK. Accepts a walk of which nothing was opened. */
static enum am_status close_walk(struct walk *w)
{
    struct cursor *const all[] = {&w->launches, &w->surroundings, &w->seals, &w->visits,
                                  &w->samples,  &w->off,          &w->values};
    enum am_status s = AM_OK;

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        const enum am_status closed = am_db_rows_close(&all[i]->rows);

        s = s == AM_OK ? closed : s;
    }
    for (size_t i = 0; i < SAID; i++) {
        const enum am_status closed = am_db_rows_close(&w->said[i].rows);

        s = s == AM_OK ? closed : s;
    }
    am_arena_fini(&w->arena);
    return s;
}

/* ---- a visit's samples ---- */

/* The two seals of a visit's samples. */
struct sample_seals {
    unsigned char shown[AM_DIGEST_BYTES], rest[AM_DIGEST_BYTES];
};

enum { REST_COLUMN = 6 }; /* of sql_samples: where what is not shown begins */

static double real_of(const struct cursor *c, int col)
{
    return am_db_is_null(&c->rows, col) ? (double)NAN : sqlite3_column_double(c->rows.stmt, col);
}

struct named_value {
    const struct metric_name *metric;
    double value;
};

/* The values of one sample, by the names of their metrics. A value that is too many, or of no
 * metric, stays where it is. */
static void add_values(struct walk *w, struct am_digest *d, int64_t visit, int64_t seq)
{
    struct named_value values[AM_METRICS_MAX];
    sqlite3_stmt *const stmt = w->values.rows.stmt;
    size_t n = 0;

    while (w->values.key == visit && sqlite3_column_int64(stmt, 1) == seq && n < AM_METRICS_MAX) {
        const int64_t id = sqlite3_column_int64(stmt, 2);
        size_t at = n;

        if (id < 1 || (uint64_t)id > w->n_metrics || !w->metrics[id - 1].name)
            break;
        for (; at > 0 && values[at - 1].metric->rank > w->metrics[id - 1].rank; at--)
            values[at] = values[at - 1];
        values[at] = (struct named_value){&w->metrics[id - 1], real_of(&w->values, 3)};
        n++;
        advance(&w->values);
    }
    for (size_t i = 0; i < n; i++)
        am_seal_value(d, values[i].metric->name, values[i].value);
}

static void digest_samples(struct walk *w, int64_t visit, struct sample_seals *out)
{
    sqlite3_stmt *const stmt = w->samples.rows.stmt;
    struct am_digest shown, rest;

    am_digest_init(&shown);
    am_digest_init(&rest);
    for (; w->samples.key == visit; advance(&w->samples)) {
        const struct am_sealed_sample sample = {
            .seq = sqlite3_column_int64(stmt, 1),
            .labels = sqlite3_column_int64(stmt, 2),
            .elapsed_ns = sqlite3_column_int64(stmt, 3),
            .hz_before = real_of(&w->samples, 4),
            .hz_after = real_of(&w->samples, 5),
        };

        am_seal_sample(&shown, &sample);
        am_seal_columns(&rest, stmt, REST_COLUMN);
        if (w->off.key == visit && sqlite3_column_int64(w->off.rows.stmt, 1) == sample.seq) {
            am_seal_columns(&rest, w->off.rows.stmt, 2);
            advance(&w->off);
        }
        add_values(w, &shown, visit, sample.seq);
    }
    am_digest_finish(&shown, out->shown);
    am_digest_finish(&rest, out->rest);
}

/* Whether the column of the row at hand holds this digest. */
static bool holds(const struct cursor *c, int64_t key, int col,
                  const unsigned char digest[AM_DIGEST_BYTES])
{
    const void *const stored = c->key == key ? sqlite3_column_blob(c->rows.stmt, col) : NULL;

    return stored && sqlite3_column_bytes(c->rows.stmt, col) == AM_DIGEST_BYTES &&
           memcmp(stored, digest, AM_DIGEST_BYTES) == 0;
}

/* ---- a launch ---- */

/* A point's text as it was in the file of its own machine: without "node=NAME". */
static const char *own_text(const char *text, const char *node)
{
    static const char axis[] = "node=";
    const size_t n = node ? strlen(node) : 0;

    if (!text || !node || strncmp(text, axis, strlen(axis)) != 0 ||
        strncmp(text + strlen(axis), node, n) != 0)
        return text;
    text += strlen(axis) + n;
    return *text == ' ' ? text + 1 : text;
}

static void add_visit(struct walk *w, struct am_digest *d, const char *node)
{
    sqlite3_stmt *const stmt = w->visits.rows.stmt;
    const char *const text = own_text((const char *)sqlite3_column_text(stmt, 2), node);

    am_digest_add(d, "v", 1);
    if (text)
        am_digest_add(d, text, strlen(text) + 1);
    am_seal_columns(d, stmt, 3);
    for (size_t i = 0; i < SAID; i++) {
        for (; w->said[i].key == w->visits.key; advance(&w->said[i])) {
            am_digest_add(d, &said[i].letter, 1);
            am_seal_columns(d, w->said[i].rows.stmt, 1);
        }
    }
}

/* True when the samples are as they were stored, or are not asked for. */
static bool samples_hold(struct walk *w)
{
    const struct cursor *const stored = &w->said[SAMPLE_SEALS];
    struct sample_seals seals;

    if (!w->whole)
        return true;
    digest_samples(w, w->visits.key, &seals);
    return holds(stored, w->visits.key, 1, seals.shown) &&
           holds(stored, w->visits.key, 2, seals.rest);
}

/* The seal of the launch at hand; *same: its samples are as they were stored. */
static void digest_launch(struct walk *w, const unsigned char before[AM_DIGEST_BYTES],
                          const char *node, unsigned char out[AM_DIGEST_BYTES], bool *same)
{
    const int64_t launch = w->launches.key;
    struct am_digest d;

    *same = true;
    am_digest_init(&d);
    am_digest_add(&d, before, AM_DIGEST_BYTES);
    am_seal_columns(&d, w->launches.rows.stmt, 1);
    if (w->surroundings.key == launch) {
        am_digest_add(&d, "l", 1);
        am_seal_columns(&d, w->surroundings.rows.stmt, 1);
        advance(&w->surroundings);
    }
    while (w->visits.key != INT64_MAX && sqlite3_column_int64(w->visits.rows.stmt, 1) == launch) {
        *same = samples_hold(w) && *same;
        add_visit(w, &d, node);
        advance(&w->visits);
    }
    am_digest_finish(&d, out);
}

/* ---- writing ---- */

static enum am_status put_sample_seals(struct am_store *store, int64_t first, int64_t last,
                                       struct am_err *err)
{
    struct walk w = {.store = store, .err = err, .keep = true};
    struct sample_seals seals;
    enum am_status s = open_samples(&w, first, last), closed;

    for (int64_t visit = first; s == AM_OK && visit <= last; visit++) {
        digest_samples(&w, visit, &seals);
        s = am_db_put(store, AM_DB_PUT_SAMPLE_SEAL,
                      AM_DB_VALUES(am_db_int(visit), am_db_blob(seals.shown, sizeof(seals.shown)),
                                   am_db_blob(seals.rest, sizeof(seals.rest))),
                      err);
    }
    closed = close_walk(&w);
    return s == AM_OK ? closed : s;
}

/* What the launch's seal goes on from: the latest seal, or the chain's start. */
static enum am_status read_before(struct am_store *store, int64_t launch,
                                  unsigned char out[AM_DIGEST_BYTES], struct am_err *err)
{
    static const char sql[] = "SELECT CASE WHEN c.first = ?1 THEN c.start ELSE s.digest END"
                              " FROM chain c LEFT JOIN seal s ON s.launch = ?1 - 1"
                              " WHERE c.first + c.launches = ?1";
    struct am_db_rows rows = {.store = store, .err = err, .keep = true};
    const void *digest = NULL;

    am_db_rows_open(&rows, sql);
    am_db_rows_bind(&rows, 1, launch);
    if (am_db_rows_next(&rows) && sqlite3_column_bytes(rows.stmt, 0) == AM_DIGEST_BYTES)
        digest = sqlite3_column_blob(rows.stmt, 0);
    if (digest)
        memcpy(out, digest, AM_DIGEST_BYTES);
    else
        (void)am_db_rows_damaged(&rows, "its seals do not reach its last launch");
    return am_db_rows_close(&rows);
}

enum am_status am_seal_launch(struct am_store *store, int64_t launch, int64_t first_visit,
                              int64_t last_visit, struct am_err *err)
{
    struct walk w = {.store = store, .err = err, .keep = true};
    unsigned char before[AM_DIGEST_BYTES], digest[AM_DIGEST_BYTES];
    bool same;
    enum am_status s = read_before(store, launch, before, err);

    if (s == AM_OK)
        s = put_sample_seals(store, first_visit, last_visit, err);
    if (s != AM_OK)
        return s;
    open_launches(&w, launch, launch, first_visit, last_visit);
    digest_launch(&w, before, NULL, digest, &same);
    s = close_walk(&w);
    if (s == AM_OK)
        s = am_db_put(store, AM_DB_PUT_SEAL,
                      AM_DB_VALUES(am_db_int(launch), am_db_blob(digest, sizeof(digest))), err);
    if (s == AM_OK)
        s = am_db_put(store, AM_DB_COUNT_SEAL, AM_DB_VALUES(am_db_int(launch)), err);
    if (s == AM_OK)
        s = am_seal_tables(store, AM_SEALED(CHAIN), err);
    return s;
}

/* ---- checking ---- */

static struct am_chain *chain_of(const struct am_chains *chains, int64_t launch)
{
    for (size_t i = chains->n; i-- > 0;) {
        struct am_chain *const c = &chains->items[i];

        if (launch >= c->first && launch - c->first < c->launches)
            return c;
    }
    return NULL;
}

static bool broken(const struct walk *w, int64_t launch, const char *what)
{
    (void)am_fail(w->err, AM_E_STORE, "launch %lld %s", (long long)launch, what);
    return false;
}

/* A launch of no chain: of a version without seals, or put there behind the last sealed one. */
static bool pass_unsealed(struct walk *w, const struct am_chains *chains, size_t *unsealed)
{
    const struct am_chain *const last = chains->n ? &chains->items[chains->n - 1] : NULL;
    unsigned char digest[AM_DIGEST_BYTES] = {0};
    const int64_t launch = w->launches.key;
    bool same;

    if (last && !last->node && launch >= last->first)
        return broken(w, launch, "has no seal");
    digest_launch(w, digest, NULL, digest, &same);
    ++*unsealed;
    return true;
}

static bool check_launch(struct walk *w, struct am_chain *c)
{
    const int64_t launch = w->launches.key;
    unsigned char digest[AM_DIGEST_BYTES];
    bool same;

    if (launch != c->first + c->checked)
        return broken(w, c->first + c->checked, "is missing");
    digest_launch(w, c->checked ? c->head : c->start, c->node, digest, &same);
    if (!same)
        return broken(w, launch, "has samples that are not as they were stored");
    if (!holds(&w->seals, launch, 1, digest))
        return broken(w, launch, "is not as it was stored, or its seal is not");
    memcpy(c->head, digest, sizeof(digest));
    c->checked++;
    advance(&w->seals);
    return true;
}

/* Nothing may be left: a row behind the last launch belongs to none. */
static bool all_met(const struct walk *w, const struct am_chains *chains)
{
    bool all = w->seals.key == INT64_MAX && w->visits.key == INT64_MAX &&
               w->surroundings.key == INT64_MAX &&
               (!w->whole || (w->samples.key == INT64_MAX && w->off.key == INT64_MAX &&
                              w->values.key == INT64_MAX));

    for (size_t i = 0; i < SAID; i++)
        all = all && w->said[i].key == INT64_MAX;
    for (size_t i = 0; i < chains->n; i++) {
        const struct am_chain *const c = &chains->items[i];

        if (c->checked < c->launches)
            return broken(w, c->first + c->checked, "is missing");
    }
    if (!all)
        (void)am_fail(w->err, AM_E_STORE, "there are rows that belong to no launch");
    return all;
}

bool am_seal_walk(struct am_store *store, struct am_chains *chains, bool whole, size_t *unsealed,
                  struct am_err *story)
{
    struct walk w = {.store = store, .err = story, .whole = whole};
    bool good = !whole || open_samples(&w, INT64_MIN, INT64_MAX) == AM_OK;

    open_launches(&w, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX);
    open_cursor(&w, &w.seals, sql_seals, INT64_MIN, INT64_MAX);
    while (good && w.launches.key != INT64_MAX) {
        struct am_chain *const c = chain_of(chains, w.launches.key);

        good = c ? check_launch(&w, c) : pass_unsealed(&w, chains, unsealed);
        if (good)
            advance(&w.launches);
    }
    good = good && all_met(&w, chains);
    return close_walk(&w) == AM_OK && good;
}
