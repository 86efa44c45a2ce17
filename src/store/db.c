/* SPDX-License-Identifier: MIT */
/* The connection's statements and SQLite's errors told for a person. */
#include "store/db.h"

#include "base/text.h"
#include "core/bench/axis.h"
#include "core/bench/bench.h"
#include "core/bench/sane.h"
#include "store/store.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const am_db_axis_kinds[4] = {[AM_AXIS_INT] = "int",
                                         [AM_AXIS_SIZE] = "size",
                                         [AM_AXIS_REAL] = "real",
                                         [AM_AXIS_NAME] = "name"};
const char *const am_db_betters[2] = {[AM_HIGHER] = "higher", [AM_LOWER] = "lower"};

static const char *const sql_of[AM_DB_SLOT_COUNT] = {
    [AM_DB_PUT_POINT] = "INSERT INTO point (id, bench, text) VALUES (?, ?, ?)",
    [AM_DB_PUT_PARAM] = "INSERT INTO param VALUES (?, ?, ?)",
    [AM_DB_PUT_LAUNCH] = "INSERT INTO launch VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [AM_DB_PUT_SURROUNDINGS] = "INSERT INTO surroundings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [AM_DB_PUT_VISIT] = "INSERT INTO visit VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [AM_DB_PUT_FAILURE] = "INSERT INTO failure VALUES (?, ?, ?)",
    [AM_DB_PUT_NOTE] = "INSERT INTO note VALUES (?, ?, ?)",
    [AM_DB_PUT_CHOSEN] = "INSERT INTO chosen VALUES (?, ?, ?)",
    [AM_DB_PUT_PROPOSED] = "INSERT INTO proposed VALUES (?, ?, ?)",
    [AM_DB_PUT_ATTACHMENT] = "INSERT INTO attachment VALUES (?, ?, ?, ?)",
    [AM_DB_PUT_SAMPLE] = "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [AM_DB_PUT_OFF_CPU] = "INSERT INTO off_cpu VALUES (?, ?, ?)",
    [AM_DB_PUT_VALUE] = "INSERT INTO value VALUES (?, ?, ?, ?)",
    /* The limits are a worker's that invents libraries: no run has so many, or so many forms of
     * one. */
    [AM_DB_PUT_LIBRARY] = ("INSERT INTO environment SELECT NULL, 'library.' || ?1 || '.' || ?2,"
                           " ?3 || ', build id ' || ?4"
                           " WHERE (SELECT coalesce(max(seq), 0) FROM environment) < 8192"
                           " ON CONFLICT (key) DO UPDATE"
                           " SET value = excluded.value || ' | ' || value"
                           " WHERE instr(value, excluded.value) = 0 AND length(value) < 4096"),
    [AM_DB_PUT_SAMPLE_SEAL] = "INSERT INTO sample_seal VALUES (?, ?, ?)",
    [AM_DB_PUT_SEAL] = "INSERT INTO seal VALUES (?, ?)",
    [AM_DB_COUNT_SEAL] = "UPDATE chain SET launches = launches + 1 WHERE first + launches = ?",
    [AM_DB_PUT_TABLE_SEAL] = ("INSERT INTO table_seal VALUES (?, ?)"
                              " ON CONFLICT (name) DO UPDATE SET digest = excluded.digest"),
};

/* Extended codes stand before the primary codes that they refine. */
static const struct {
    int code;
    const char *text;
} stories[] = {
    {SQLITE_READONLY_ROLLBACK,
     "its writer was killed in the middle of a commit, and the last complete state can only be "
     "restored where the file and its directory are writable"},
    {SQLITE_FULL, "the disk is full"},
    {SQLITE_BUSY, "it is locked by another program"},
    {SQLITE_READONLY, "it is not writable"},
    {SQLITE_NOTADB, "it is not an SQLite database"},
    {SQLITE_CORRUPT, "the file is damaged"},
    {SQLITE_TOOBIG, "the file is damaged (a text has no plausible length)"},
    {SQLITE_INTERRUPT, "the file is damaged (reading it does not end)"},
    {SQLITE_ERROR, "the file is damaged or was edited"},
};

static const char *story_of(int code)
{
    for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
        if (stories[i].code == code || stories[i].code == (code & 0xff))
            return stories[i].text;
    }
    return NULL;
}

enum am_status am_db_fail(const struct am_store *store, const char *doing, struct am_err *err)
{
    const int code = store->db ? sqlite3_extended_errcode(store->db) : SQLITE_NOMEM;
    const int sys = store->db ? sqlite3_system_errno(store->db) : 0;
    const char *const why = story_of(code);

    if ((code & 0xff) == SQLITE_NOMEM)
        return am_fail(err, AM_E_NOMEM, "%s: cannot %s: out of memory", store->path, doing);
    if ((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN)
        return am_fail(err, AM_E_STORE, "%s: cannot %s: %s (%s)", store->path, doing,
                       sqlite3_errstr(code), sys ? strerror(sys) : "no cause given");
    return am_fail(err, AM_E_STORE, "%s: cannot %s: %s", store->path, doing,
                   why ? why : sqlite3_errmsg(store->db));
}

enum am_status am_db_exec(struct am_store *store, const char *sql, const char *doing,
                          struct am_err *err)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return AM_OK;
    return am_db_fail(store, doing, err);
}

enum am_status am_db_begin(struct am_store *store, struct am_err *err)
{
    return am_db_exec(store, "BEGIN IMMEDIATE", "write", err);
}

enum am_status am_db_end(struct am_store *store, enum am_status s, struct am_err *err)
{
    if (s == AM_OK)
        s = am_db_exec(store, "COMMIT", "write", err);
    /* After some errors SQLite has rolled back by itself; the file is whole either way. */
    if (s != AM_OK && !sqlite3_get_autocommit(store->db))
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return s;
}

struct am_db_value am_db_int(int64_t i)
{
    return (struct am_db_value){.type = SQLITE_INTEGER, .i = i};
}

struct am_db_value am_db_u64(uint64_t u)
{
    return am_db_int((int64_t)u);
}

struct am_db_value am_db_real(double r)
{
    return (struct am_db_value){.type = isfinite(r) ? SQLITE_FLOAT : SQLITE_NULL, .r = r};
}

struct am_db_value am_db_measured(double r)
{
    return (struct am_db_value){.type = am_is_sane(r) ? SQLITE_FLOAT : SQLITE_NULL, .r = r};
}

struct am_db_value am_db_text(const char *text)
{
    return (struct am_db_value){.type = text ? SQLITE_TEXT : SQLITE_NULL, .text = text};
}

struct am_db_value am_db_text_or(const char *text)
{
    return am_db_text(text ? text : "");
}

struct am_db_value am_db_blob(const void *data, size_t n)
{
    return (struct am_db_value){.type = SQLITE_BLOB, .i = (int64_t)n, .text = data};
}

struct am_db_value am_db_u64_text(uint64_t u, char buf[AM_DB_U64_TEXT_MAX])
{
    (void)am_str_format(buf, AM_DB_U64_TEXT_MAX, "%" PRIu64, u);
    return am_db_text(buf);
}

/* Texts are not copied: they outlive the step that follows. */
static int bind_value(sqlite3_stmt *stmt, int index, const struct am_db_value *v)
{
    if (v->type == SQLITE_INTEGER)
        return sqlite3_bind_int64(stmt, index, v->i);
    if (v->type == SQLITE_FLOAT)
        return sqlite3_bind_double(stmt, index, v->r);
    if (v->type == SQLITE_TEXT)
        return sqlite3_bind_text(stmt, index, v->text, -1, SQLITE_STATIC);
    if (v->type == SQLITE_BLOB)
        return sqlite3_bind_blob64(stmt, index, v->text, (sqlite3_uint64)v->i, SQLITE_STATIC);
    return sqlite3_bind_null(stmt, index);
}

static int bind_all_and_step(sqlite3_stmt *stmt, const struct am_db_value *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int rc = bind_value(stmt, (int)i + 1, &values[i]);

        if (rc != SQLITE_OK)
            return rc;
    }
    return sqlite3_step(stmt);
}

static enum am_status run(struct am_store *store, sqlite3_stmt *stmt,
                          const struct am_db_value *values, size_t n, struct am_err *err)
{
    const bool done = bind_all_and_step(stmt, values, n) == SQLITE_DONE;
    const enum am_status s = done ? AM_OK : am_db_fail(store, "write", err);

    (void)sqlite3_reset(stmt); /* repeats the step's error, told already */
    (void)sqlite3_clear_bindings(stmt);
    return s;
}

enum am_status am_db_put(struct am_store *store, enum am_db_slot slot,
                         const struct am_db_value *values, size_t n, struct am_err *err)
{
    sqlite3_stmt **const stmt = &store->cached[slot];

    if (!*stmt && sqlite3_prepare_v3(store->db, sql_of[slot], -1, SQLITE_PREPARE_PERSISTENT, stmt,
                                     NULL) != SQLITE_OK)
        return am_db_fail(store, "write", err);
    return run(store, *stmt, values, n, err);
}

/* With `some`, only those values that the statement has parameters for. */
static enum am_status run_once(struct am_store *store, const char *sql,
                               const struct am_db_value *values, size_t n, bool some,
                               struct am_err *err)
{
    sqlite3_stmt *stmt = NULL;
    size_t wanted;
    enum am_status s;

    if (sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL) != SQLITE_OK)
        return am_db_fail(store, "write", err);
    wanted = (size_t)sqlite3_bind_parameter_count(stmt);
    s = run(store, stmt, values, some && wanted < n ? wanted : n, err);
    (void)sqlite3_finalize(stmt);
    return s;
}

enum am_status am_db_put_once(struct am_store *store, const char *sql,
                              const struct am_db_value *values, size_t n, struct am_err *err)
{
    return run_once(store, sql, values, n, false, err);
}

enum am_status am_db_put_some(struct am_store *store, const char *sql,
                              const struct am_db_value *values, size_t n, struct am_err *err)
{
    return run_once(store, sql, values, n, true, err);
}
