/* SPDX-License-Identifier: MIT */
/* Files of schema versions 2 and 3, as earlier archmeters wrote them (version2/ holds those of
 * version 2 as SQL): they are read without a change, become files of this version when they are
 * written, and are merged. */
#include "store/store.h"

#include "base/text.h"
#include "store/merge.h"
#include "store/query.h"
#include "store_fixture.h"
#include "tap.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 20, SHOWN_MAX = 1 << 20 };

static char folder[] = P_tmpdir "/test_version2_XXXXXX";
static const char *source; /* where the SQL lies */

static const char *at(const char *name)
{
    static char path[4][512];
    static int turn;
    char *const p = path[turn++ % 4];

    (void)snprintf(p, sizeof(path[0]), "%s/%s", folder, name);
    return p;
}

static size_t read_file(const char *path, char *buf)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, buf, FILE_MAX - 1) : -1;

    if (fd >= 0)
        (void)close(fd);
    buf[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

static bool run_sql(sqlite3 *db, const char *name)
{
    static char sql[FILE_MAX];
    char path[512];

    (void)snprintf(path, sizeof(path), "%s/%s.sql", source, name);
    return read_file(path, sql) > 0 && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* The file `name`.db of version 2, with what `change` does to it (NULL: nothing). */
static const char *make(const char *name, const char *change)
{
    char file[64];
    const char *path;
    sqlite3 *db = NULL;
    bool good;

    (void)snprintf(file, sizeof(file), "%s.db", name);
    path = at(file);
    (void)unlink(path);
    good = sqlite3_open(path, &db) == SQLITE_OK &&
           sqlite3_exec(db, "PRAGMA synchronous = OFF; BEGIN", NULL, NULL, NULL) == SQLITE_OK &&
           run_sql(db, "schema") && run_sql(db, name) &&
           sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK &&
           (!change || sqlite3_exec(db, change, NULL, NULL, NULL) == SQLITE_OK);
    if (!good)
        ok(false, "cannot make %s: %s", path, sqlite3_errmsg(db));
    (void)sqlite3_close(db);
    return path;
}

/* One number of a file, as any SQLite program reads it. */
static int number(const char *path, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3 *db = NULL;
    int n = -1;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        n = sqlite3_column_int(stmt, 0);
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
    return n;
}

/* ---- all that a load gives, as text ---- */

static void show_kvs(struct am_text *out, const char *what, const struct am_kvs *kvs)
{
    for (size_t i = 0; i < kvs->n; i++)
        am_text_addf(out, "%s %s=%s\n", what, kvs->items[i].key, kvs->items[i].value);
}

static void show_result(struct am_text *out, const struct am_result *r)
{
    am_text_addf(out, "%s %s: %s %s\n", r->bench, r->text, am_point_states[r->state],
                 am_stop_reasons[r->stop_reason]);
    show_kvs(out, "note", &r->notes);
    show_kvs(out, "chosen", &r->chosen);
    for (size_t i = 0; i < r->n_attachments; i++)
        am_text_addf(out, "attached %s %s %zu\n%s", r->attachments[i].name, r->attachments[i].type,
                     r->attachments[i].n, (const char *)r->attachments[i].data);
    for (size_t m = 0; m < r->n_metrics; m++) {
        const struct am_series *const s = &r->metrics[m].series;

        for (size_t l = 0; l < s->n; l++)
            for (size_t k = 0; k < s->launches[l].n; k++)
                am_text_addf(out, "%s %a\n", r->metrics[m].name, s->launches[l].values[k]);
    }
}

/* "" when it cannot be read. */
static void show(const char *path, bool writable, struct am_text *out)
{
    struct am_store *store = NULL;
    struct am_arena arena = {0};
    struct am_result_set set;
    struct am_err err = {0};

    am_text_init(out, SHOWN_MAX);
    if (am_store_open(path, writable, &store, &err) == AM_OK &&
        am_store_load(store, NULL, &arena, &set, &err) == AM_OK) {
        show_kvs(out, "machine", &set.machine);
        show_kvs(out, "environment", &set.environment);
        show_kvs(out, "setting", &set.settings);
        for (size_t i = 0; i < set.n; i++)
            show_result(out, &set.results[i]);
    }
    am_store_close(store);
    am_arena_fini(&arena);
    if (err.text[0])
        printf("# %s\n", err.text);
}

static bool has(const struct am_text *text, const char *words)
{
    return strstr(am_text_str(text), words) != NULL;
}

/* ---- the tests ---- */

static const struct {
    const char *name;
    const char *has[6], *lacks[3];
} files[] = {
    {"settings",
     {"environment kernel=6.1\n", "setting option.no-tuning=yes\n",
      "setting experiment.interleave=1\n", "setting experiment.spec=folder /\ntest null\n",
      "null n=2: ok \n"},
     {"environment option", "environment experiment"}},
    {"tracks",
     {"chosen flt=1\nchosen slt=1\n", "note bound=6.000 cycles",
      "attached tracks text/x-tracks 257\n640x480 px, 3 cells, 2 frames\n0: 449.00,229.00,0.48,",
      "0.33,0.30\n1: 303.00,239.00,-0.42,0.43 "},
     {"note flt", "note tracks", "; 1:"}},
    {"tuned",
     {"chosen depth=64\nchosen w=12\n", "note accurate_form=scaled\n",
      "setting tuning.mode=measure\n"},
     {"note w=", "note tune_", "environment tuning"}},
    {"device",
     {"chosen device_kind=cpu\nchosen winner=chains 10, items 2048, group 64; 2 tried\n",
      "note doubling=2.02\n", "flops 0x"},
     {"note device_kind", "note winner"}},
};
enum { FILES = sizeof(files) / sizeof(files[0]) };

static void test_read(size_t i)
{
    static char before[FILE_MAX], after[FILE_MAX];
    const char *const path = make(files[i].name, NULL);
    const size_t n = read_file(path, before);
    struct am_text text;

    show(path, false, &text);
    for (size_t k = 0; k < 6 && files[i].has[k]; k++)
        ok(has(&text, files[i].has[k]), "%s has case %zu", files[i].name, k);
    for (size_t k = 0; k < 3 && files[i].lacks[k]; k++)
        ok(!has(&text, files[i].lacks[k]), "%s lacks case %zu", files[i].name, k);
    ok(n > 0 && read_file(path, after) == n && memcmp(before, after, n) == 0,
       "%s: reading changes nothing", files[i].name);
    am_text_fini(&text);
}

static void test_upgrade(size_t i)
{
    const char *const path = make(files[i].name, NULL);
    struct am_text before, during, after;

    show(path, false, &before);
    show(path, true, &during);
    show(path, false, &after);
    ok(before.len > 0 && strcmp(am_text_str(&before), am_text_str(&during)) == 0 &&
           strcmp(am_text_str(&before), am_text_str(&after)) == 0,
       "%s: the same before, while and after it becomes version 5", files[i].name);
    ok(number(path, "PRAGMA user_version") == AM_SCHEMA_VERSION, "which it then is");
    ok(number(path, "SELECT count(*) FROM note WHERE key GLOB 't*' OR key = 'winner'") == 0 &&
           number(path, "SELECT count(*) FROM environment WHERE key GLOB '*.*'") == 0,
       "nothing stands in two places");
    am_text_fini(&before);
    am_text_fini(&during);
    am_text_fini(&after);
}

static void test_proposed(void)
{
    const char *const path = make("tuned", NULL);
    struct am_text text;

    show(path, true, &text);
    ok(number(path, "SELECT count(*) FROM proposed WHERE axis = 'w' AND value = '1:13:1'") == 1 &&
           number(path, "SELECT count(*) FROM proposed WHERE axis = 'depth'") == 1,
       "candidates in notes are proposals");
    am_text_fini(&text);
}

/* Going on with an old file: it takes launches with everything that version 5 has. */
static void test_written(void)
{
    const char *const path = make("settings", NULL);
    static struct am_kv chosen[] = {{"n", "1"}};
    static struct am_attachment picture = {"p", "image/png", "\0\1", 2};
    struct am_store *store = NULL;
    struct am_err err = {0};
    struct fx_launch l;

    fx_launch_init(&l, 1, 1);
    l.visit.chosen = (struct am_kvs){chosen, 1, 1};
    l.visit.attachments = &picture;
    l.visit.n_attachments = 1;
    l.visit.n_metrics = 1;
    ok(am_store_open(path, true, &store, &err) == AM_OK &&
           am_store_put_launch(store, &l.launch, &err) == AM_OK,
       "an old file is gone on with (%s)", err.text);
    am_store_close(store);
    ok(number(path, "SELECT count(*) FROM attachment WHERE data = x'0001'") == 1, "and keeps it");
}

static void test_merged(void)
{
    const struct am_node_part parts[] = {{.name = "a", .path = make("tracks", NULL)},
                                         {.name = "b", .path = make("tuned", NULL)}};
    struct am_text text;
    struct am_err err = {0};

    show(parts[1].path, true, &text); /* the second of version 5, the first of version 2 */
    am_text_fini(&text);
    ok(am_store_merge(at("merged.db"), &(struct am_merge){"merge", parts, 2, NULL}, &err) == AM_OK,
       "both versions merge (%s)", err.text);
    show(at("merged.db"), false, &text);
    ok(has(&text, "attached tracks text/x-tracks 257\n640x480") && has(&text, "chosen flt=1\n") &&
           has(&text, "chosen depth=64\nchosen w=12\n"),
       "with what was chosen and attached");
    ok(!has(&text, "note w=") && !has(&text, "note tracks"), "and not in notes");
    ok(number(at("merged.db"), "SELECT count(*) FROM proposed") == 2 &&
           number(
               at("merged.db"),
               "SELECT count(*) FROM node_fact WHERE area = 'setting' AND key = 'tuning.mode'") ==
               1,
       "proposals and settings too");
    am_text_fini(&text);
}

/* ---- version 3 ---- */

static bool change(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    const bool done = sqlite3_open(path, &db) == SQLITE_OK &&
                      sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;

    (void)sqlite3_close(db);
    return done;
}

/* Version 3 differs from this one by tables that it did not have. */
static const char *make3(const char *name)
{
    const char *const path = at(name);
    struct am_point points[FX_POINTS];
    struct am_plan plan = fx_plan(points);
    struct am_store *store = NULL;
    struct am_err err = {0};
    bool good;

    (void)unlink(path);
    good = am_store_create(path, &store, &err) == AM_OK && fx_begin(store, &plan, &err) == AM_OK &&
           fx_put(store, 1, 0, &err) == AM_OK && fx_put(store, 1, 1, &err) == AM_OK;
    am_store_close(store);
    if (!good || !change(path, "DROP TABLE surroundings; DROP TABLE off_cpu; DROP TABLE seal;"
                               "DROP TABLE sample_seal; DROP TABLE table_seal; DROP TABLE chain;"
                               "PRAGMA user_version = 3"))
        ok(false, "cannot make %s: %s", path, err.text);
    return path;
}

static void test_version3(void)
{
    const char *const path = make3("three.db");
    struct am_text before, after;
    struct am_store *store = NULL;
    struct am_err err = {0};

    show(path, false, &before);
    ok(before.len > 0 && number(path, "PRAGMA user_version") == 3,
       "a file of version 3 is read and stays what it is");
    ok(am_store_open(path, true, &store, &err) == AM_OK && fx_put(store, 1, 2, &err) == AM_OK &&
           fx_put(store, 1, 3, &err) == AM_OK,
       "and gone on with (%s)", err.text);
    am_store_close(store);
    ok(number(path, "PRAGMA user_version") == AM_SCHEMA_VERSION &&
           number(path, "SELECT count(*) FROM surroundings") == 2 &&
           number(path, "SELECT count(*) FROM off_cpu WHERE off_ns = 250") == 2 &&
           number(path, "SELECT count(*) FROM launch") == 4,
       "then it knows what happened around the new launches, and of the old ones nothing");
    show(path, false, &after);
    ok(after.len > before.len && strncmp(am_text_str(&before), am_text_str(&after), 100) == 0,
       "with all that it had");
    am_text_fini(&before);
    am_text_fini(&after);
    ok(change(make3("three.db"), "CREATE TABLE surroundings (x)") &&
           am_store_open(at("three.db"), false, &store, &err) == AM_OK,
       "a table that people added is let be while the file is of version 3 (%s)", err.text);
    am_store_close(store);
    (void)unlink(at("three.db"));
}

static void test_merged3(void)
{
    const struct am_node_part parts[] = {{.name = "a", .path = make3("three.db")},
                                         {.name = "b", .path = make3("four.db")}};
    struct am_text text;
    struct am_err err = {0};

    show(parts[1].path, true, &text);
    am_text_fini(&text);
    (void)unlink(at("merged.db"));
    ok(am_store_merge(at("merged.db"), &(struct am_merge){"merge", parts, 2, NULL}, &err) ==
               AM_OK &&
           number(at("merged.db"), "SELECT count(*) FROM launch") == 4 &&
           number(at("merged.db"), "SELECT count(*) FROM surroundings") == 0,
       "files of version 3 and 5 merge (%s)", err.text);
    (void)unlink(at("three.db"));
    (void)unlink(at("four.db"));
}

static void test_queried(void)
{
    struct am_store *store = NULL;
    struct am_arena arena = {0};
    struct am_query_table table = {0};
    struct am_err err = {0};

    ok(am_store_open(make("settings", NULL), false, &store, &err) == AM_OK &&
           am_store_open_queries(store, NULL, &err) == AM_OK &&
           am_store_query(store,
                          "SELECT testset, count(*) FROM stats GROUP BY testset ORDER BY testset",
                          &arena, &table, &err) == AM_OK,
       "an old file is asked (%s)", err.text);
    ok(table.n_rows == 2 && strcmp(table.cells[0].text, "both") == 0 && table.cells[1].i == 1 &&
           table.cells[3].i == 2,
       "its testsets are those of the experiment");
    am_store_close(store);
    am_arena_fini(&arena);
}

static void test_refused(void)
{
    static const struct {
        const char *change, *why;
    } cases[] = {
        {"PRAGMA user_version = 1", "an older archmeter (schema version 1, this one reads 2 to 5)"},
        {"PRAGMA user_version = 6", "a newer archmeter"},
        {"PRAGMA user_version = 4", "its table setting is not that of schema 4"},
        {"PRAGMA user_version = 3", "its table setting is not that of schema 3"},
        {"DROP VIEW notes", "its view notes is not that of schema 2"},
        {"DROP TABLE finding; CREATE TABLE finding (x)", "its table finding"},
        {"DROP VIEW notes; CREATE VIEW notes AS SELECT 1", "its view notes"},
        {"ALTER TABLE note ADD COLUMN more TEXT", "its table note"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int writable = 0; writable < 2; writable++) {
            struct am_store *store = NULL;
            struct am_err err = {0};

            ok(am_store_open(make("settings", cases[i].change), writable, &store, &err) != AM_OK &&
                   strstr(err.text, cases[i].why),
               "%s: %s", cases[i].change, err.text);
            am_store_close(store);
        }
    }
}

/* Comments and blanks of a schema are for readers. */
static void test_comments(void)
{
    struct am_text text;

    show(make("tracks", "DROP VIEW params; CREATE VIEW params AS -- by hand\n"
                        "SELECT b.name AS bench, p.text AS point, a.name AS axis, a.kind, a.unit,"
                        " x.value, p.id AS point_id -- all\n\n FROM param x JOIN axis a"
                        " ON a.id = x.axis JOIN point p ON p.id = x.point\n"
                        "JOIN bench b ON b.id = p.bench"),
         false, &text);
    ok(text.len > 0, "a schema with other comments is the same");
    am_text_fini(&text);
    show(make("tracks", "DROP VIEW params; CREATE VIEW params AS "
                        "SELECT b.name AS bench, p.text AS point, a.name AS axis, a.kind, a.unit,"
                        " x.value, p.id AS point_id FROM param x JOIN axis a"
                        " ON a.id = x.axis JOIN point p ON p.id = x.point "
                        "JOIN bench b ON b.id = p.bench -- WHERE 1\n WHERE 0"),
         false, &text);
    ok(text.len == 0, "one with other words is not");
    am_text_fini(&text);
}

int main(int argc, char **argv)
{
    char command[sizeof(folder) + 16];

    if (argc != 2 || !mkdtemp(folder))
        return 2;
    *strrchr(argv[1], '/') = '\0'; /* a file of the folder was given */
    source = argv[1];
    for (size_t i = 0; i < FILES; i++) {
        test_read(i);
        test_upgrade(i);
    }
    test_proposed();
    test_written();
    test_merged();
    test_version3();
    test_merged3();
    test_queried();
    test_refused();
    test_comments();
    for (size_t i = 0; i < FILES; i++) {
        (void)snprintf(command, sizeof(command), "%s.db", files[i].name);
        (void)unlink(at(command));
    }
    (void)unlink(at("merged.db"));
    (void)rmdir(folder);
    return tap_done();
}
