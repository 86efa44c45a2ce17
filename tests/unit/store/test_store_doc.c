/* SPDX-License-Identifier: MIT */
/* doc/internals/schema.md tells the truth: its queries run on a real file, its tables name every
 * column. */
#include "store/store.h"

#include "base/text.h"
#include "store_fixture.h"
#include "tap.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

enum { DOC_MAX = 64 * 1024, ROW_MAX = 1024 };

static bool make_run(const char *path)
{
    struct am_point points[FX_POINTS];
    struct am_plan plan = fx_plan(points);
    struct am_store *store = NULL;
    struct am_err err = {0};
    const bool good = am_store_create(path, &store, &err) == AM_OK &&
                      fx_begin(store, &plan, &err) == AM_OK && fx_fill(store, &err) == AM_OK;

    am_store_close(store);
    return ok(good, "a run is written: %s", err.text);
}

static bool read_doc(const char *path, char *buf, size_t cap)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, buf, cap - 1) : -1;

    if (fd >= 0)
        (void)close(fd);
    buf[n > 0 ? n : 0] = '\0';
    return n > 0 && (size_t)n < cap - 1;
}

static int count_rows(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int rows = 0, rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(stmt);
        rows += rc == SQLITE_ROW;
    }
    if (rc != SQLITE_DONE)
        printf("# %s\n", sqlite3_errmsg(db));
    (void)sqlite3_finalize(stmt);
    return rc == SQLITE_DONE ? rows : -1;
}

/* Runs every ```sql block; cuts the text at the blocks' ends. */
static size_t run_queries(sqlite3 *db, char *doc)
{
    static const char begin[] = "```sql\n", end[] = "```";
    size_t n = 0;

    for (char *block = strstr(doc, begin); block; n++) {
        char *const sql = block + strlen(begin);
        char *const stop = strstr(sql, end);
        int rows;

        if (!stop)
            break;
        *stop = '\0';
        rows = count_rows(db, sql);
        ok(rows > 0, "query %zu gives %d rows", n + 1, rows);
        block = strstr(stop + 1, begin);
    }
    return n;
}

/* The documentation's line of a table or view, up to its newline. */
static bool doc_row(const char *doc, const char *object, char *row, size_t cap)
{
    char start[ROW_MAX];
    const char *at, *end;

    if (!am_str_format(start, sizeof(start), "\n| `%s` |", object))
        return false;
    at = strstr(doc, start);
    end = at ? strchr(at + 1, '\n') : NULL;
    return end && am_str_format(row, cap, "%.*s", (int)(end - at), at);
}

static void check_object(sqlite3 *db, const char *doc, const char *object)
{
    char row[ROW_MAX], column[ROW_MAX];
    sqlite3_stmt *stmt = NULL;
    bool all = doc_row(doc, object, row, sizeof(row));

    (void)sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_info(?)", -1, &stmt, NULL);
    (void)sqlite3_bind_text(stmt, 1, object, -1, SQLITE_STATIC);
    while (all && sqlite3_step(stmt) == SQLITE_ROW) {
        (void)am_str_format(column, sizeof(column), "`%s`",
                            (const char *)sqlite3_column_text(stmt, 0));
        if (!strstr(row, column)) {
            printf("# %s is missing\n", column);
            all = false;
        }
    }
    ok(all, "%s is documented with all its columns", object);
    (void)sqlite3_finalize(stmt);
}

static void check_objects(sqlite3 *db, const char *doc)
{
    sqlite3_stmt *stmt = NULL;
    size_t n = 0;

    (void)sqlite3_prepare_v2(db, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')",
                             -1, &stmt, NULL);
    for (; sqlite3_step(stmt) == SQLITE_ROW; n++)
        check_object(db, doc, (const char *)sqlite3_column_text(stmt, 0));
    ok(n == 31, "there are 26 tables and 5 views: %zu", n);
    (void)sqlite3_finalize(stmt);
}

int main(int argc, char **argv)
{
    static char doc[DOC_MAX];
    char path[] = P_tmpdir "/test_store_doc_XXXXXX/run.db";
    char *const slash = strrchr(path, '/');
    sqlite3 *db = NULL;

    *slash = '\0';
    if (argc != 2 || !mkdtemp(path))
        return 2;
    *slash = '/';
    if (make_run(path) && ok(read_doc(argv[1], doc, sizeof(doc)), "the page is read") &&
        ok(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK, "and the file")) {
        ok(count_rows(db, "SELECT 1 FROM pragma_user_version WHERE user_version = 5") == 1 &&
               AM_SCHEMA_VERSION == 5,
           "the schema's version is the program's");
        check_objects(db, doc);
        ok(run_queries(db, doc) >= 8, "all queries were found");
    }
    (void)sqlite3_close(db);
    (void)unlink(path);
    *slash = '\0';
    (void)rmdir(path);
    return tap_done();
}
