/* SPDX-License-Identifier: MIT */
/* Runs whose files are changed behind the store's back, and what their seals say then. */
#ifndef AM_TESTS_SEAL_FIXTURE_H
#define AM_TESTS_SEAL_FIXTURE_H

#include "store/verify.h"

#include "store_fixture.h"
#include "tap.h"

#include <sqlite3.h>

enum { SX_FILE_MAX = 1 << 20 };

static inline size_t sx_read_bytes(const char *path, unsigned char *buf)
{
    FILE *const f = fopen(path, "rb");
    const size_t n = f ? fread(buf, 1, SX_FILE_MAX, f) : 0;

    if (f)
        (void)fclose(f);
    return n;
}

static inline void sx_write_bytes(const char *path, const unsigned char *buf, size_t n)
{
    FILE *const f = fopen(path, "wb");

    if (!f || fwrite(buf, 1, n, f) != n)
        printf("# cannot write %s\n", path);
    if (f)
        (void)fclose(f);
}

static inline void sx_copy(const char *from, const char *to)
{
    static unsigned char buf[SX_FILE_MAX];

    sx_write_bytes(to, buf, sx_read_bytes(from, buf));
}

static inline bool sx_execute(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    bool good =
        sqlite3_open(path, &db) == SQLITE_OK &&
        sqlite3_exec(db, "PRAGMA ignore_check_constraints = ON;", NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;

    if (!good)
        printf("# %s: %s\n", sql, sqlite3_errmsg(db));
    (void)sqlite3_close(db);
    return good;
}

static inline int64_t sx_number(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    int64_t n = -1;

    if (sqlite3_open(path, &db) == SQLITE_OK &&
        sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        n = sqlite3_column_int64(stmt, 0);
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
    return n;
}

static inline void sx_make_run(const char *path)
{
    struct am_store *const store = fx_fresh_run(path);
    struct am_err err = {0};
    const struct am_stop stops[] = {{1, AM_STOP_TARGET}, {3, AM_STOP_TARGET}};

    ok(store && fx_fill(store, &err) == AM_OK && am_store_put_stops(store, stops, 2, &err) == AM_OK,
       "a run is written %s", err.text);
    am_store_close(store);
}

/* The seals of a file; one that cannot be opened counts as broken. */
static inline struct am_seal sx_seal_of(const char *path, struct am_arena *arena)
{
    struct am_seal seal = {.state = AM_SEAL_BROKEN};
    struct am_store *store = NULL;
    struct am_err err = {0};

    if (am_store_open(path, false, &store, &err) == AM_OK)
        am_store_seal(store, arena, &seal);
    else
        seal.story = am_arena_strdup(arena, err.text);
    am_store_close(store);
    return seal;
}

static inline enum am_seal_state sx_state_of(const char *path)
{
    struct am_arena arena = {0};
    const enum am_seal_state state = sx_seal_of(path, &arena).state;

    am_arena_fini(&arena);
    return state;
}

#endif
