/* SPDX-License-Identifier: MIT */
/* Seals: every column of every table is under one; killed, resumed, upgraded and merged files have
 * their true answers; bits that change what is shown are found. */
#include "store/verify.h"

#include "base/rng.h"
#include "base/text.h"
#include "seal_fixture.h"
#include "store/merge.h"
#include "store/seal.h"

#include <stdlib.h>

enum { FLIPS = TAP_CASES(60), SQL_MAX = 1024, TABLES_MAX = 40 };

static const char whole[] = "seal-whole.db", edited[] = "seal-edited.db",
                  merged[] = "seal-merged.db";

/* ---- what is sealed ---- */

static void test_whole(void)
{
    struct am_arena arena = {0};
    struct am_seal a, b;

    sx_make_run(whole);
    a = sx_seal_of(whole, &arena);
    ok(a.state == AM_SEAL_HOLDS && a.sealed == 11 && a.unsealed == 0,
       "a killed run's seals hold up to its last launch: %zu %s", a.sealed, a.story ? a.story : "");
    sx_make_run(edited);
    b = sx_seal_of(edited, &arena);
    ok(strlen(a.digest) == AM_DIGEST_TEXT - 1, "the file has a digest");
    is_str(b.digest, a.digest, "which its contents alone decide");
    am_arena_fini(&arena);
}

/* Another value of the same type in one column of one row. */
static void edit_column(const char *table, const char *column, const char *row)
{
    char sql[SQL_MAX];

    (void)am_str_format(
        sql, sizeof(sql),
        "UPDATE %s SET %s = CASE typeof(%s) WHEN 'text' THEN %s || 'x' WHEN 'blob' THEN"
        " CAST(%s || x'01' AS BLOB) WHEN 'null' THEN 1 WHEN 'real' THEN"
        " coalesce(nullif(%s * 1.0000000000000009, %s), 1e-300) ELSE %s + 1000 END"
        " WHERE %s",
        table, column, column, column, column, column, column, column, row);
    sx_copy(whole, edited);
    (void)sx_execute(edited, sql);
}

/* Which row of the table is edited: the last, or of those without row numbers the first. */
static void choose_row(const char *table, const char *column, char *where)
{
    char sql[SQL_MAX];

    (void)am_str_format(sql, sizeof(sql), "SELECT wr FROM pragma_table_list('%s')", table);
    if (sx_number(whole, sql) == 0)
        (void)am_str_format(where, SQL_MAX, "rowid = (SELECT max(rowid) FROM %s)", table);
    else if (strcmp(table, "param") == 0)
        (void)am_str_format(where, SQL_MAX, "point = 1 AND axis = 1");
    else
        (void)am_str_format(where, SQL_MAX, "(visit, %s) = (SELECT visit, %s FROM %s LIMIT 1)",
                            column, column, table);
}

static void test_columns_of(sqlite3 *db, const char *table)
{
    sqlite3_stmt *stmt = NULL;

    (void)sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_info(?)", -1, &stmt, NULL);
    (void)sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *const column = (const char *)sqlite3_column_text(stmt, 0);
        struct am_arena arena = {0};
        struct am_seal seal;
        char where[SQL_MAX];

        if (strcmp(table, "chain") == 0 && strcmp(column, "id") == 0)
            continue; /* its value says nothing */
        choose_row(table, column, where);
        edit_column(table, column, where);
        seal = sx_seal_of(edited, &arena);
        ok(seal.state == AM_SEAL_BROKEN, "%s.%s is sealed: %s", table, column,
           seal.story ? seal.story : "");
        am_arena_fini(&arena);
    }
    (void)sqlite3_finalize(stmt);
}

/* Whatever a table gets: forgetting to seal it fails here. */
static void test_columns(void)
{
    char names[TABLES_MAX][64];
    size_t n = 0;
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;

    (void)sqlite3_open(whole, &db);
    (void)sqlite3_prepare_v2(db, "SELECT name FROM sqlite_schema WHERE type = 'table'", -1, &stmt,
                             NULL);
    while (n < TABLES_MAX && sqlite3_step(stmt) == SQLITE_ROW)
        (void)am_str_format(names[n++], sizeof(names[0]), "%s",
                            (const char *)sqlite3_column_text(stmt, 0));
    (void)sqlite3_finalize(stmt);
    for (size_t i = 0; i < n; i++)
        test_columns_of(db, names[i]);
    (void)sqlite3_close(db);
}

/* Rows that vanish or appear. */
static void test_rows(void)
{
    static const char *const edits[] = {
        "DELETE FROM launch WHERE id = 4",
        "DELETE FROM launch WHERE id = 11",
        "DELETE FROM launch WHERE id = 11; DELETE FROM seal WHERE launch = 11;"
        "DELETE FROM visit WHERE launch = 11",
        "DELETE FROM value WHERE visit = 11; DELETE FROM sample WHERE visit = 11;"
        "DELETE FROM off_cpu WHERE visit = 11; DELETE FROM note WHERE visit = 11;"
        "DELETE FROM chosen WHERE visit = 11; DELETE FROM proposed WHERE visit = 11;"
        "DELETE FROM attachment WHERE visit = 11; DELETE FROM failure WHERE visit = 11;"
        "DELETE FROM sample_seal WHERE visit = 11; DELETE FROM visit WHERE launch = 11;"
        "DELETE FROM surroundings WHERE launch = 11; DELETE FROM seal WHERE launch = 11;"
        "DELETE FROM launch WHERE id = 11; UPDATE chain SET launches = launches - 1",
        "DELETE FROM launch; DELETE FROM seal; DELETE FROM visit",
        "DELETE FROM visit WHERE id = 5",
        "DELETE FROM sample WHERE visit = 1 AND seq = 2; DELETE FROM value WHERE visit = 1 AND"
        " seq = 2",
        "DELETE FROM value WHERE visit = 1 AND seq = 0 AND metric = 1",
        "DELETE FROM point WHERE id = 6; DELETE FROM param WHERE point = 6",
        "DELETE FROM surroundings WHERE launch = 1",
        "DELETE FROM table_seal",
        "DELETE FROM table_seal WHERE name = 'stop'",
        "DELETE FROM chain",
        "DELETE FROM seal",
        "DELETE FROM sample_seal WHERE visit = 2",
        "UPDATE chain SET launches = 10",
        "UPDATE chain SET first = 12, launches = 0; DELETE FROM seal; DELETE FROM sample_seal",
        "INSERT INTO note VALUES (1, 'added', 'by hand')",
        "INSERT INTO note VALUES (99, 'added', 'to nothing')",
        "INSERT INTO value VALUES (1, 99, 1, 7)",
        "INSERT INTO off_cpu VALUES (1, 0, 7)",
        "INSERT INTO launch SELECT 12, round, seed, worker, cpus, environment, pid, started_ns,"
        " ended_ns, wall_start, clock_overhead_ns, clock_resolution_ns, hz, output FROM launch"
        " WHERE id = 11",
        "UPDATE value SET value = value * 2 WHERE metric = 1",
        "UPDATE visit SET launch = CASE id WHEN 1 THEN 2 ELSE 1 END WHERE id IN (1, 2)",
        "PRAGMA user_version = 4",
    };

    for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
        struct am_arena arena = {0};
        struct am_seal seal;

        sx_copy(whole, edited);
        (void)sx_execute(edited, edits[i]);
        seal = sx_seal_of(edited, &arena);
        ok(seal.state == AM_SEAL_BROKEN && !*seal.digest, "%.40s...: %s", edits[i],
           seal.story ? seal.story : "");
        am_arena_fini(&arena);
    }
}

/* ---- what becomes of a file ---- */

static void test_resumed(void)
{
    struct am_arena arena = {0};
    struct am_store *store = NULL;
    struct am_err err = {0};
    const struct am_seal before = sx_seal_of(whole, &arena);
    struct am_seal after;

    sx_copy(whole, edited);
    ok(am_store_open(edited, true, &store, &err) == AM_OK &&
           am_store_end_run(store, AM_RUN_RUNNING, &err) == AM_OK &&
           fx_put(store, 6, 0, &err) == AM_OK &&
           am_store_put_environment(store, &fx_machine, &err) == AM_OK &&
           am_store_put_settings(store, &fx_machine, &err) == AM_OK &&
           am_store_end_run(store, AM_RUN_DONE, &err) == AM_OK,
       "a run is gone on with %s", err.text);
    am_store_close(store);
    after = sx_seal_of(edited, &arena);
    ok(after.state == AM_SEAL_HOLDS && after.sealed == 12, "the chain goes on: %s",
       after.story ? after.story : "");
    ok(strcmp(before.digest, after.digest) != 0, "and the digest is another one");
    am_arena_fini(&arena);
}

/* As archmeters before the seals left it. */
static void make_version_4(const char *path)
{
    sx_copy(whole, path);
    (void)sx_execute(path, "DROP TABLE seal; DROP TABLE sample_seal; DROP TABLE table_seal;"
                           "DROP TABLE chain; PRAGMA user_version = 4");
}

static void test_upgraded(void)
{
    struct am_arena arena = {0};
    struct am_store *store = NULL;
    struct am_err err = {0};
    struct am_seal seal;

    make_version_4(edited);
    seal = sx_seal_of(edited, &arena);
    ok(seal.state == AM_SEAL_NONE && seal.unsealed == 11 && !*seal.digest,
       "a file of version 4 is not sealed: %s", seal.story ? seal.story : "");
    ok(am_store_open(edited, true, &store, &err) == AM_OK && fx_put(store, 6, 0, &err) == AM_OK,
       "it is gone on with %s", err.text);
    am_store_close(store);
    seal = sx_seal_of(edited, &arena);
    ok(seal.state == AM_SEAL_PARTLY && seal.sealed == 1 && seal.unsealed == 11,
       "and sealed from then on: %s", seal.story ? seal.story : "");
    (void)sx_execute(edited, "UPDATE value SET value = 1 WHERE visit = 12");
    ok(sx_state_of(edited) == AM_SEAL_BROKEN, "what is sealed is compared");
    am_arena_fini(&arena);
}

/* ---- the first form ---- */

/* What the chain of a run started from by the first form; the digests of the tables are in it. */
static enum am_status start_of_first_form(struct am_store *store,
                                          unsigned char out[AM_DIGEST_BYTES], struct am_err *err)
{
    static const char sql[] =
        "SELECT digest FROM (VALUES (1, 'plan'), (2, 'machine'), (3, 'build'), (4, 'finding'),"
        " (5, 'bench'), (6, 'axis'), (7, 'metric')) JOIN table_seal ON name = column2"
        " ORDER BY column1";
    static const char heading[] = "archmeter seals 1";
    static const unsigned char first[9] = {'i', 0, 0, 0, 0, 0, 0, 0, 1};
    struct am_db_rows rows = {.store = store, .err = err};
    struct am_digest d;

    am_digest_init(&d);
    am_digest_add(&d, heading, sizeof(heading));
    am_digest_add(&d, first, sizeof(first));
    am_db_rows_open(&rows, sql);
    while (am_db_rows_next(&rows))
        am_digest_add(&d, sqlite3_column_blob(rows.stmt, 0), AM_DIGEST_BYTES);
    am_digest_finish(&d, out);
    return am_db_rows_close(&rows);
}

static enum am_status seal_launches(struct am_store *store, struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .err = err};
    enum am_status s = AM_OK;

    am_db_rows_open(&rows, "SELECT launch, min(id), max(id) FROM visit GROUP BY launch");
    while (s == AM_OK && am_db_rows_next(&rows))
        s = am_seal_launch(store, am_db_get_int(&rows, 0), am_db_get_int(&rows, 1),
                           am_db_get_int(&rows, 2), err);
    return am_db_rows_close(&rows) == AM_OK ? s : rows.status;
}

/* The whole run as it was sealed before the length of its chain had a seal. */
static bool make_first_form(const char *path)
{
    unsigned char start[AM_DIGEST_BYTES];
    struct am_store *store = NULL;
    struct am_err err = {0};
    enum am_status s;

    sx_copy(whole, path);
    s = am_store_open(path, true, &store, &err);
    if (s == AM_OK)
        s = start_of_first_form(store, start, &err);
    if (s == AM_OK)
        s = am_db_begin(store, &err);
    if (s == AM_OK) {
        s = am_db_exec(store, "DELETE FROM seal; DELETE FROM sample_seal", "seal", &err);
        if (s == AM_OK)
            s = am_db_put_once(store, "UPDATE chain SET launches = 0, start = ?",
                               AM_DB_VALUES(am_db_blob(start, sizeof(start))), &err);
        if (s == AM_OK)
            s = seal_launches(store, &err);
        s = am_db_end(store, s, &err);
    }
    am_store_close(store);
    return s == AM_OK;
}

static void test_first_form(void)
{
    static const char drop_last[] =
        "UPDATE chain SET launches = 10; DELETE FROM seal WHERE launch = 11;"
        "DELETE FROM value WHERE visit = 11; DELETE FROM sample WHERE visit = 11;"
        "DELETE FROM sample_seal WHERE visit = 11; DELETE FROM surroundings WHERE launch = 11;"
        "DELETE FROM note WHERE visit = 11; DELETE FROM chosen WHERE visit = 11;"
        "DELETE FROM proposed WHERE visit = 11; DELETE FROM attachment WHERE visit = 11;"
        "DELETE FROM off_cpu WHERE visit = 11; DELETE FROM visit WHERE id = 11;"
        "DELETE FROM launch WHERE id = 11;";
    static const char forget[] = "DELETE FROM table_seal WHERE name = 'chain';";
    struct am_arena arena = {0};
    struct am_seal seal;

    ok(make_first_form(edited) && sx_state_of(edited) == AM_SEAL_HOLDS,
       "a file of the first form holds where its chain has a seal");
    (void)sx_execute(edited, forget);
    seal = sx_seal_of(edited, &arena);
    ok(seal.state == AM_SEAL_PARTLY && seal.story && seal.sealed == 11 && seal.unsealed == 0,
       "without one it says what is not known: %s", seal.story ? seal.story : "nothing");
    (void)sx_execute(edited, drop_last);
    ok(sx_state_of(edited) == AM_SEAL_PARTLY, "and it is not known, indeed");
    ok(make_first_form(edited) && sx_execute(edited, forget) &&
           sx_execute(edited, "UPDATE value SET value = 2 * value WHERE visit = 1") &&
           sx_state_of(edited) == AM_SEAL_BROKEN,
       "what is changed in it is found");
    sx_copy(whole, edited);
    ok(sx_execute(edited, forget) && sx_state_of(edited) == AM_SEAL_BROKEN,
       "no file of today is taken for one of the first form");
    ok(sx_execute(edited, drop_last) && sx_state_of(edited) == AM_SEAL_BROKEN,
       "nor one without its last launch");
    am_arena_fini(&arena);
}

static void merge_two(const char *second)
{
    const struct am_node_part parts[] = {{.name = "a", .path = whole},
                                         {.name = "b", .path = second}};
    struct am_err err = {0};

    (void)unlink(merged);
    ok(am_store_merge(merged, &(struct am_merge){"merge", parts, 2, NULL}, &err) == AM_OK,
       "two are merged %s", err.text);
}

static void test_merged(void)
{
    struct am_arena arena = {0};
    struct am_seal seal;

    sx_make_run(edited);
    merge_two(edited);
    seal = sx_seal_of(merged, &arena);
    ok(seal.state == AM_SEAL_HOLDS && seal.sealed == 22, "a merged file keeps both chains: %s",
       seal.story ? seal.story : "");
    ok(sx_number(merged, "SELECT count(*) FROM seal a JOIN seal b ON b.launch = a.launch + 11"
                         " AND b.digest = a.digest") == 11,
       "the launches have the seals of their own files");
    (void)sx_execute(merged, "UPDATE node_fact SET value = 'x'; UPDATE node SET command = 'x'");
    ok(sx_state_of(merged) == AM_SEAL_BROKEN, "what was said of the nodes is sealed");
    merge_two(edited);
    (void)sx_execute(merged, "UPDATE value SET value = value + 1 WHERE visit = 12");
    ok(sx_state_of(merged) == AM_SEAL_BROKEN, "and so are their samples");
    make_version_4(edited);
    merge_two(edited);
    seal = sx_seal_of(merged, &arena);
    ok(seal.state == AM_SEAL_PARTLY && seal.sealed == 11 && seal.unsealed == 11,
       "a part without seals is told: %s", seal.story ? seal.story : "");
    sx_copy(whole, edited);
    (void)sx_execute(edited, "UPDATE value SET value = value + 1 WHERE visit = 1");
    merge_two(edited);
    ok(sx_state_of(merged) == AM_SEAL_BROKEN, "and one that does not hold stays so");
    am_arena_fini(&arena);
}

/* ---- bits ---- */

static void add_text(struct am_digest *d, const char *text)
{
    am_digest_add(d, text ? text : "\x01", text ? strlen(text) + 1 : 1);
}

static void add_kvs(struct am_digest *d, const struct am_kvs *kvs)
{
    for (size_t i = 0; i < kvs->n; i++) {
        add_text(d, kvs->items[i].key);
        add_text(d, kvs->items[i].value);
    }
}

static void add_result(struct am_digest *d, const struct am_result *r)
{
    add_text(d, r->bench);
    add_text(d, r->text);
    add_text(d, r->reason);
    am_digest_add(d, &r->state, sizeof(r->state));
    am_digest_add(d, &r->stop_reason, sizeof(r->stop_reason));
    am_digest_add(d, &r->work, sizeof(r->work));
    am_digest_add(d, &r->timing, sizeof(r->timing));
    am_digest_add(d, &r->residual, sizeof(r->residual));
    for (size_t i = 0; i < r->n_params; i++)
        add_text(d, r->params[i].text);
    for (size_t i = 0; i < r->n_metrics; i++) {
        add_text(d, r->metrics[i].unit);
        for (size_t l = 0; l < r->metrics[i].series.n; l++) {
            const struct am_launch_values *const v = &r->metrics[i].series.launches[l];

            am_digest_add(d, &v->launch_id, sizeof(v->launch_id));
            am_digest_add(d, &v->busy, sizeof(v->busy));
            am_digest_add(d, v->values, v->n * sizeof(*v->values));
            am_digest_add(d, v->labels, v->n * sizeof(*v->labels));
        }
    }
    add_kvs(d, &r->notes);
    add_kvs(d, &r->chosen);
    for (size_t i = 0; i < r->n_attachments; i++)
        am_digest_add(d, r->attachments[i].data, r->attachments[i].n);
}

static enum am_status add_raw(void *self, const struct am_raw_sample *raw, struct am_err *err)
{
    const uint64_t numbers[] = {raw->sample.iters,    raw->sample.t0_ns,     raw->sample.t1_ns,
                                raw->sample.steal_ns, raw->sample.switches,  raw->sample.off_ns,
                                raw->sample.labels,   raw->sample.elapsed_ns};

    (void)err;
    am_digest_add(self, numbers, sizeof(numbers));
    am_digest_add(self, &raw->value, sizeof(raw->value));
    am_digest_add(self, &raw->sample.hz_before, sizeof(raw->sample.hz_before));
    return AM_OK;
}

/* A digest of all that any command can show of a file; false when it cannot be read. */
static bool shown(const char *path, unsigned char out[AM_DIGEST_BYTES])
{
    struct am_arena arena = {0};
    struct am_store *store = NULL;
    struct am_result_set set = {0};
    struct am_err err = {0};
    struct am_digest d;
    const bool good = am_store_open(path, false, &store, &err) == AM_OK &&
                      am_store_load(store, NULL, &arena, &set, &err) == AM_OK;

    am_digest_init(&d);
    if (good) {
        add_kvs(&d, &set.machine);
        add_kvs(&d, &set.environment);
        add_kvs(&d, &set.settings);
        add_kvs(&d, &set.build);
        add_text(&d, set.run.command);
        add_text(&d, set.run.started);
        am_digest_add(&d, &set.run.settings.seed, sizeof(set.run.settings.seed));
        am_digest_add(&d, &set.quiet.busy, sizeof(set.quiet.busy));
        am_digest_add(&d, &set.quiet.others, sizeof(set.quiet.others));
        am_digest_add(&d, &set.launches, sizeof(set.launches));
        for (size_t i = 0; i < set.n; i++)
            add_result(&d, &set.results[i]);
        for (size_t i = 0; i < set.n_failures; i++)
            add_text(&d, set.failures[i].reason);
    }
    if (good && am_store_each_sample(store, NULL, add_raw, &d, &err) != AM_OK)
        add_text(&d, err.text);
    am_digest_finish(&d, out);
    am_store_close(store);
    am_arena_fini(&arena);
    return good;
}

static bool verifies(const char *path)
{
    struct am_arena arena = {0};
    struct am_verification v = {.holds = false};
    struct am_store *store = NULL;
    struct am_err err = {0};
    /* the fixture's values are made up, and follow from nothing */
    const bool holds = am_store_open(path, false, &store, &err) == AM_OK &&
                       am_store_verify(store, &arena, &v, &err) == AM_OK &&
                       v.checks[AM_CHECK_STRUCTURE].state == AM_CHECK_HOLDS &&
                       v.checks[AM_CHECK_REFERENCES].state == AM_CHECK_HOLDS &&
                       v.checks[AM_CHECK_COUNTS].state == AM_CHECK_HOLDS &&
                       v.checks[AM_CHECK_SEALS].state == AM_CHECK_HOLDS;

    am_store_close(store);
    am_arena_fini(&arena);
    return holds;
}

/* What became of flipped bits. */
struct flips {
    size_t unreadable, changed, harmless, missed;
};

/* Flips one bit, sees what is shown and found then, and flips it back. */
static void flip(unsigned char *bytes, size_t n, size_t at, unsigned bit, struct flips *out)
{
    static unsigned char before[AM_DIGEST_BYTES], after[AM_DIGEST_BYTES];
    bool readable, differs;

    (void)shown(whole, before);
    bytes[at] ^= (unsigned char)(1u << bit);
    sx_write_bytes(edited, bytes, n);
    bytes[at] ^= (unsigned char)(1u << bit);
    readable = shown(edited, after);
    differs = readable && memcmp(before, after, sizeof(before)) != 0;
    out->unreadable += !readable;
    out->changed += differs;
    out->harmless += readable && !differs;
    if ((differs || !readable) && verifies(edited)) {
        out->missed++;
        printf("# bit %u of byte %zu is missed\n", bit, at);
    }
}

/* Where a stored value lies in the file, as SQLite writes a real; SIZE_MAX: nowhere. */
static size_t place_of(const unsigned char *bytes, size_t n, double value)
{
    unsigned char text[sizeof(double)];
    uint64_t x;

    memcpy(&x, &value, sizeof(x));
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (unsigned char)(x >> (56 - 8 * i));
    for (size_t at = 0; at + sizeof(text) <= n; at++) {
        if (memcmp(bytes + at, text, sizeof(text)) == 0)
            return at;
    }
    return SIZE_MAX;
}

/* Each flip changes nothing that is shown, or is found: anywhere, and in stored values. */
static void test_flips(uint64_t seed, size_t count)
{
    static unsigned char bytes[SX_FILE_MAX];
    const size_t n = sx_read_bytes(whole, bytes);
    struct flips anywhere = {0}, values = {0};
    struct am_rng rng;

    am_rng_seed(&rng, seed, 0);
    ok(n > 0 && verifies(whole), "the file of %zu bytes is whole", n);
    for (size_t i = 0; i < count; i++) {
        const size_t at = place_of(bytes, n,
                                   fx_value(1, (unsigned)am_rng_below(&rng, 4),
                                            am_rng_below(&rng, 3), am_rng_below(&rng, 2)));

        flip(bytes, n, am_rng_below(&rng, n), (unsigned)am_rng_below(&rng, 8), &anywhere);
        if (at != SIZE_MAX)
            flip(bytes, n, at + am_rng_below(&rng, sizeof(double)), (unsigned)am_rng_below(&rng, 8),
                 &values);
    }
    ok(anywhere.missed == 0,
       "of %zu bits anywhere %zu change what is shown, %zu make it unreadable, %zu do neither: %zu "
       "are missed; seed %llu",
       count, anywhere.changed, anywhere.unreadable, anywhere.harmless, anywhere.missed,
       (unsigned long long)seed);
    ok(values.missed == 0 && values.harmless == 0 && values.changed > 0,
       "of %zu bits of values all are found: %zu change what is shown, %zu make it unreadable",
       values.changed + values.unreadable, values.changed, values.unreadable);
}

static void test_verify(void)
{
    struct am_arena arena = {0};
    struct am_verification v = {.holds = false};
    struct am_store *store = NULL;
    struct am_err err = {0};

    sx_copy(whole, edited);
    (void)sx_execute(edited, "UPDATE point SET bench = 77 WHERE id = 2");
    ok(am_store_open(edited, false, &store, &err) == AM_OK &&
           am_store_verify(store, &arena, &v, &err) == AM_OK && !v.holds &&
           v.checks[AM_CHECK_REFERENCES].state == AM_CHECK_BROKEN,
       "a dangling reference is told: %s", v.checks[AM_CHECK_REFERENCES].story);
    ok(v.checks[AM_CHECK_VALUES].state == AM_CHECK_BROKEN, "so are values that do not follow: %s",
       v.checks[AM_CHECK_VALUES].story);
    ok(v.checks[AM_CHECK_COUNTS].state == AM_CHECK_BROKEN, "and counts: %s",
       v.checks[AM_CHECK_COUNTS].story);
    am_store_close(store);
    am_arena_fini(&arena);
}

static uint64_t argument(int argc, char **argv, int at, uint64_t otherwise)
{
    uint64_t n;

    return argc > at && am_parse_u64(argv[at], strlen(argv[at]), &n) ? n : otherwise;
}

/* Arguments: how many bits are flipped of each sort, and the seed. */
int main(int argc, char **argv)
{
    const size_t count = argument(argc, argv, 1, FLIPS);
    const uint64_t seed = argument(argc, argv, 2, 20261116);

    test_whole();
    test_columns();
    test_rows();
    test_resumed();
    test_upgraded();
    test_first_form();
    test_merged();
    test_verify();
    test_flips(seed, count);
    (void)unlink(whole);
    (void)unlink(edited);
    (void)unlink(merged);
    return tap_done();
}
