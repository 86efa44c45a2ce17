/* SPDX-License-Identifier: MIT */
/* Inside the store only: the connection, statements written and rows read, SQLite's errors told. */
#ifndef AM_STORE_DB_H
#define AM_STORE_DB_H

#include "base/arena.h"
#include "base/status.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Statements of the inner loops, kept prepared. */
enum am_db_slot {
    AM_DB_PUT_POINT,
    AM_DB_PUT_PARAM,
    AM_DB_PUT_LAUNCH,
    AM_DB_PUT_SURROUNDINGS,
    AM_DB_PUT_VISIT,
    AM_DB_PUT_FAILURE,
    AM_DB_PUT_NOTE,
    AM_DB_PUT_CHOSEN,
    AM_DB_PUT_PROPOSED,
    AM_DB_PUT_ATTACHMENT,
    AM_DB_PUT_SAMPLE,
    AM_DB_PUT_OFF_CPU,
    AM_DB_PUT_VALUE,
    AM_DB_PUT_LIBRARY,
    AM_DB_PUT_SAMPLE_SEAL,
    AM_DB_PUT_SEAL,
    AM_DB_COUNT_SEAL,
    AM_DB_PUT_TABLE_SEAL,
    AM_DB_SLOT_COUNT,
};

/* Statements of rows that are kept prepared, by their text. */
enum { AM_DB_KEPT_MAX = 40 };
struct am_db_kept {
    const char *sql; /* by address: texts of the program */
    sqlite3_stmt *stmt;
    bool taken; /* by rows that are open */
};

struct am_store {
    sqlite3 *db;
    char *path;       /* as the user wrote it: for messages, and to remove a fresh file */
    int lock_fd;      /* writers: holds the lock that keeps a second writer away; -1 for readers */
    unsigned version; /* of the file's schema */
    bool fresh;       /* created here and no run begun yet: removed again by close */

    /* What one reading may still cost, so that a damaged or hostile file ends in an error and
     * never in an endless loop or in all of memory. In proportion to the file's size. */
    int64_t steps_left; /* virtual-machine steps, counted in large units */
    size_t bytes_left;  /* of results */

    sqlite3_stmt *cached[AM_DB_SLOT_COUNT]; /* writers: prepared on first use */
    struct am_db_kept kept[AM_DB_KEPT_MAX];
    size_t n_kept;

    /* Writers: the parts (AM_SEALED) whose seals did not hold when the file was opened. They are
     * never sealed again, so that going on with an edited file does not make it hold. */
    unsigned doubtful;
};

/* schema.sql, embedded by tools/embed.py */
extern const char am_store_schema[];
/* version2.sql */
extern const char am_store_version2[];
/* merge.sql */
extern const char am_store_merge_schema[];

/* Enumerators and the words stored for them. */
extern const char *const am_db_axis_kinds[4];
extern const char *const am_db_betters[2];

/* Tells the connection's latest error: "FILE: cannot DOING: WHY". AM_E_STORE, or AM_E_NOMEM. */
enum am_status am_db_fail(const struct am_store *store, const char *doing, struct am_err *err);
enum am_status am_db_exec(struct am_store *store, const char *sql, const char *doing,
                          struct am_err *err);
/* BEGIN IMMEDIATE; am_db_end() commits when `s` is AM_OK, else rolls back, and returns what came
 * of it. */
enum am_status am_db_begin(struct am_store *store, struct am_err *err);
enum am_status am_db_end(struct am_store *store, enum am_status s, struct am_err *err);

/* ---- writing ---- */

/* One value to bind: built by the functions below, so that the compiler checks the types. */
struct am_db_value {
    int type; /* SQLITE_INTEGER (also the bytes of a blob), _FLOAT, _TEXT, _BLOB or _NULL */
    int64_t i;
    double r;
    const void *text;
};

struct am_db_value am_db_int(int64_t i);
struct am_db_value am_db_u64(uint64_t u);           /* the bit pattern */
struct am_db_value am_db_real(double r);            /* NULL when not finite */
struct am_db_value am_db_measured(double r);        /* NULL when no result may hold it */
struct am_db_value am_db_text(const char *text);    /* NULL stays NULL */
struct am_db_value am_db_text_or(const char *text); /* NULL becomes '' */

struct am_db_value am_db_blob(const void *data, size_t n);

/* Seeds are kept as text: SQLite's integers are signed, and a person can give it to --seed. */
enum { AM_DB_U64_TEXT_MAX = 24 };
struct am_db_value am_db_u64_text(uint64_t u, char buf[AM_DB_U64_TEXT_MAX]);

/* Binds and runs a statement that returns no rows. */
enum am_status am_db_put(struct am_store *store, enum am_db_slot slot,
                         const struct am_db_value *values, size_t n, struct am_err *err);
enum am_status am_db_put_once(struct am_store *store, const char *sql,
                              const struct am_db_value *values, size_t n, struct am_err *err);
/* The same of a statement that may use the first of the values only. */
enum am_status am_db_put_some(struct am_store *store, const char *sql,
                              const struct am_db_value *values, size_t n, struct am_err *err);
#define AM_DB_VALUES(...)                                                                          \
    (const struct am_db_value[]){__VA_ARGS__},                                                     \
        sizeof((const struct am_db_value[]){__VA_ARGS__}) / sizeof(struct am_db_value)

/* ---- reading ---- */

/* One snapshot for all statements in between, with the budget set. */
enum am_status am_db_read_begin(struct am_store *store, struct am_err *err);
void am_db_read_end(struct am_store *store);

/* A statement's rows. The getters tell the first thing that is wrong (a type, a range, memory) and
 * set `status`; what they return then is harmless: 0, NAN, "". One check per row is enough. */
struct am_db_rows {
    struct am_store *store;
    struct am_arena *arena; /* texts and lists are copied there */
    struct am_err *err;
    bool keep; /* the statement is opened again and again, by one text: it stays prepared */
    sqlite3_stmt *stmt;
    enum am_status status;
};

/* Prepares; the other fields are set by the caller. */
void am_db_rows_open(struct am_db_rows *rows, const char *sql);
void am_db_rows_bind(struct am_db_rows *rows, int index, int64_t value); /* from 1; restarts */
bool am_db_rows_next(struct am_db_rows *rows); /* false at the end and after any failure */
enum am_status am_db_rows_close(struct am_db_rows *rows);
/* The first column of a statement's only row; -1 when it cannot be had. */
int64_t am_db_ask(struct am_store *store, const char *sql);
enum am_status am_db_rows_damaged(struct am_db_rows *rows, const char *what);

bool am_db_is_null(const struct am_db_rows *rows, int col);
int64_t am_db_get_int(struct am_db_rows *rows, int col);
uint64_t am_db_get_u64(struct am_db_rows *rows, int col);      /* a bit pattern */
uint64_t am_db_get_u64_text(struct am_db_rows *rows, int col); /* unsigned decimal */
unsigned am_db_get_unsigned(struct am_db_rows *rows, int col);
double am_db_get_real(struct am_db_rows *rows, int col, double if_null); /* as am_is_sane() */
double am_db_get_residual(struct am_db_rows *rows, int col); /* may be tiny; NAN if there is none */
const char *am_db_get_text(struct am_db_rows *rows, int col);
const char *am_db_get_text_or_null(struct am_db_rows *rows, int col);
/* A copy of the bytes, and how many they are. */
const void *am_db_get_blob(struct am_db_rows *rows, int col, size_t *n);
/* The index of the stored word in `words`. */
unsigned am_db_get_word(struct am_db_rows *rows, int col, const char *const *words, unsigned n);

/* Memory from the arena, within the reading's budget; NULL sets `status`. */
void *am_db_rows_alloc(struct am_db_rows *rows, size_t count, size_t size);
/* Room for one more item behind the n of `items`: the list itself, or a larger copy; NULL sets
 * `status`. `cap` is kept by the caller, from 0. */
void *am_db_rows_room(struct am_db_rows *rows, void *items, size_t n, size_t *cap, size_t size);

#endif
