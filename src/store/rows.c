/* SPDX-License-Identifier: MIT */
/* Rows read with every type, range and size checked: the file may be damaged or hostile. */
#include "store/db.h"

#include "base/text.h"
#include "core/bench/sane.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* A load of an honest file needs about 3 steps and 1 byte of results per byte of the file. */
enum {
    STEP_UNIT = 10000,
    STEPS_BASE = 20 * 1000 * 1000,
    STEPS_PER_BYTE = 64,
    BYTES_BASE = 64 * 1024 * 1024,
    BYTES_PER_BYTE = 16,
    FIRST_CAP = 16,
};

static int spend_steps(void *self)
{
    struct am_store *store = self;

    store->steps_left -= STEP_UNIT;
    return store->steps_left < 0; /* non-zero interrupts the statement */
}

static int64_t pragma_int(struct am_store *store, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int64_t value = 0;

    if (sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        value = sqlite3_column_int64(stmt, 0);
    (void)sqlite3_finalize(stmt);
    return value;
}

/* SQLite takes part of a last page for a whole one, and does not look at it before it is read. */
static enum am_status check_length(struct am_store *store, int64_t size, struct am_err *err)
{
    sqlite3_file *file = NULL;
    sqlite3_int64 there = 0;

    if (sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        !file || !file->pMethods || file->pMethods->xFileSize(file, &there) != SQLITE_OK)
        return am_fail(err, AM_E_STORE, "%s: cannot read its size", store->path);
    if (there < size)
        return am_fail(err, AM_E_STORE, "%s: cannot read: the file is damaged (its end is missing)",
                       store->path);
    return AM_OK;
}

enum am_status am_db_read_begin(struct am_store *store, struct am_err *err)
{
    /* BEGIN alone takes no lock; the first statement that reads does, and keeps the snapshot. */
    enum am_status s = am_db_exec(store, "BEGIN; SELECT 1 FROM run;", "read", err);
    int64_t size;

    if (s != AM_OK) {
        am_db_read_end(store);
        return s;
    }
    size = pragma_int(store, "PRAGMA page_count") * pragma_int(store, "PRAGMA page_size");
    store->steps_left = STEPS_BASE + STEPS_PER_BYTE * size;
    store->bytes_left = (size_t)(BYTES_BASE + BYTES_PER_BYTE * size);
    sqlite3_progress_handler(store->db, STEP_UNIT, spend_steps, store);
    s = check_length(store, size, err);
    if (s != AM_OK)
        am_db_read_end(store);
    return s;
}

void am_db_read_end(struct am_store *store)
{
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    if (!sqlite3_get_autocommit(store->db))
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

/* The kept statement of this text that nobody has open; NULL when there is none. */
static struct am_db_kept *find_kept(struct am_store *store, const char *sql)
{
    for (size_t i = 0; i < store->n_kept; i++) {
        if (store->kept[i].sql == sql && !store->kept[i].taken)
            return &store->kept[i];
    }
    return NULL;
}

static struct am_db_kept *kept_of(struct am_store *store, const sqlite3_stmt *stmt)
{
    for (size_t i = 0; stmt && i < store->n_kept; i++) {
        if (store->kept[i].stmt == stmt)
            return &store->kept[i];
    }
    return NULL;
}

void am_db_rows_open(struct am_db_rows *rows, const char *sql)
{
    struct am_store *const store = rows->store;
    struct am_db_kept *const kept = rows->keep ? find_kept(store, sql) : NULL;

    rows->stmt = kept ? kept->stmt : NULL;
    rows->status = AM_OK;
    if (kept)
        kept->taken = true;
    else if (sqlite3_prepare_v2(store->db, sql, -1, &rows->stmt, NULL) != SQLITE_OK)
        rows->status = am_db_fail(store, "read", rows->err);
    else if (rows->keep && store->n_kept < AM_DB_KEPT_MAX)
        store->kept[store->n_kept++] = (struct am_db_kept){sql, rows->stmt, true};
}

void am_db_rows_bind(struct am_db_rows *rows, int index, int64_t value)
{
    if (rows->status != AM_OK)
        return;
    (void)sqlite3_reset(rows->stmt);
    if (sqlite3_bind_int64(rows->stmt, index, value) != SQLITE_OK)
        rows->status = am_db_fail(rows->store, "read", rows->err);
}

bool am_db_rows_next(struct am_db_rows *rows)
{
    int rc;

    if (rows->status != AM_OK)
        return false;
    rc = sqlite3_step(rows->stmt);
    if (rc == SQLITE_ROW)
        return true;
    if (rc != SQLITE_DONE)
        rows->status = am_db_fail(rows->store, "read", rows->err);
    return false;
}

enum am_status am_db_rows_close(struct am_db_rows *rows)
{
    struct am_db_kept *const kept = kept_of(rows->store, rows->stmt);

    if (kept) {
        (void)sqlite3_reset(rows->stmt); /* repeats an error that was told already */
        (void)sqlite3_clear_bindings(rows->stmt);
        kept->taken = false;
    } else {
        (void)sqlite3_finalize(rows->stmt);
    }
    rows->stmt = NULL;
    return rows->status;
}

enum am_status am_db_rows_damaged(struct am_db_rows *rows, const char *what)
{
    if (rows->status == AM_OK)
        rows->status = am_fail(rows->err, AM_E_STORE, "%s: cannot read: the file is damaged (%s)",
                               rows->store->path, what);
    return rows->status;
}

static void wrong_column(struct am_db_rows *rows, int col, const char *want)
{
    const char *const name = sqlite3_column_name(rows->stmt, col);

    if (rows->status == AM_OK)
        rows->status = am_fail(rows->err, AM_E_STORE,
                               "%s: cannot read: the file is damaged (column %s is not %s)",
                               rows->store->path, name ? name : "?", want);
}

bool am_db_is_null(const struct am_db_rows *rows, int col)
{
    return sqlite3_column_type(rows->stmt, col) == SQLITE_NULL;
}

int64_t am_db_get_int(struct am_db_rows *rows, int col)
{
    sqlite3_value *const value = sqlite3_column_value(rows->stmt, col);

    if (sqlite3_value_type(value) == SQLITE_INTEGER)
        return sqlite3_value_int64(value);
    wrong_column(rows, col, "a whole number");
    return 0;
}

uint64_t am_db_get_u64(struct am_db_rows *rows, int col)
{
    return (uint64_t)am_db_get_int(rows, col);
}

uint64_t am_db_get_u64_text(struct am_db_rows *rows, int col)
{
    const char *const text = (const char *)sqlite3_column_text(rows->stmt, col);
    uint64_t value = 0;

    if (!text || !am_parse_u64(text, strlen(text), &value))
        wrong_column(rows, col, "a whole number");
    return value;
}

unsigned am_db_get_unsigned(struct am_db_rows *rows, int col)
{
    const int64_t value = am_db_get_int(rows, col);

    if (value >= 0 && value <= UINT_MAX)
        return (unsigned)value;
    wrong_column(rows, col, "a count");
    return 0;
}

/* A number whatever its size; false where there is none. */
static bool get_number(struct am_db_rows *rows, int col, double *out)
{
    sqlite3_value *const value = sqlite3_column_value(rows->stmt, col);
    const int type = sqlite3_value_type(value);

    *out = sqlite3_value_double(value);
    if (type == SQLITE_FLOAT || type == SQLITE_INTEGER)
        return true;
    if (type != SQLITE_NULL)
        wrong_column(rows, col, "a number");
    return false;
}

double am_db_get_real(struct am_db_rows *rows, int col, double if_null)
{
    double x;

    if (!get_number(rows, col, &x))
        return if_null;
    if (am_is_sane(x))
        return x;
    wrong_column(rows, col, "zero or between 1e-30 and 1e30");
    return if_null;
}

double am_db_get_residual(struct am_db_rows *rows, int col)
{
    double x;

    if (!get_number(rows, col, &x))
        return NAN;
    if (fabs(x) <= AM_SANE_MOST)
        return x;
    wrong_column(rows, col, "below 1e30");
    return NAN;
}

const char *am_db_get_text_or_null(struct am_db_rows *rows, int col)
{
    const char *const text = (const char *)sqlite3_column_text(rows->stmt, col);
    size_t n;
    char *copy;

    if (!text)
        return NULL;
    n = strlen(text); /* a NUL inside ends it: nobody writes one */
    copy = am_db_rows_alloc(rows, n + 1, 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, n);
    return copy;
}

const char *am_db_get_text(struct am_db_rows *rows, int col)
{
    const char *const text = am_db_get_text_or_null(rows, col);

    if (text)
        return text;
    wrong_column(rows, col, "a text");
    return "";
}

const void *am_db_get_blob(struct am_db_rows *rows, int col, size_t *n)
{
    const bool is_blob = sqlite3_column_type(rows->stmt, col) == SQLITE_BLOB;
    const void *const data = is_blob ? sqlite3_column_blob(rows->stmt, col) : NULL;
    void *copy;

    *n = 0;
    if (!is_blob)
        wrong_column(rows, col, "a blob");
    else
        *n = (size_t)sqlite3_column_bytes(rows->stmt, col);
    copy = am_db_rows_alloc(rows, *n + 1, 1); /* the byte behind it is 0, for readers of text */
    if (!copy) {
        *n = 0;
        return "";
    }
    if (data)
        memcpy(copy, data, *n);
    return copy;
}

unsigned am_db_get_word(struct am_db_rows *rows, int col, const char *const *words, unsigned n)
{
    const char *const text = (const char *)sqlite3_column_text(rows->stmt, col);

    for (unsigned i = 0; text && i < n; i++) {
        if (strcmp(text, words[i]) == 0)
            return i;
    }
    wrong_column(rows, col, "a known word");
    return 0;
}

void *am_db_rows_alloc(struct am_db_rows *rows, size_t count, size_t size)
{
    void *p = NULL;

    if (rows->status != AM_OK)
        return NULL;
    if (count > rows->store->bytes_left / size) {
        (void)am_db_rows_damaged(rows, "it holds more than its size allows");
        return NULL;
    }
    rows->store->bytes_left -= count * size;
    p = am_arena_array(rows->arena, count, size);
    if (!p)
        rows->status =
            am_fail(rows->err, AM_E_NOMEM, "%s: cannot read: out of memory", rows->store->path);
    return p;
}

void *am_db_rows_room(struct am_db_rows *rows, void *items, size_t n, size_t *cap, size_t size)
{
    void *more;

    if (n < *cap)
        return items;
    more = am_db_rows_alloc(rows, *cap ? *cap * 2 : FIRST_CAP, size);
    if (!more)
        return NULL;
    if (n)
        memcpy(more, items, n * size);
    *cap = *cap ? *cap * 2 : FIRST_CAP;
    return more;
}

int64_t am_db_ask(struct am_store *store, const char *sql)
{
    struct am_err ignored = {0};
    struct am_db_rows rows = {.store = store, .err = &ignored};
    int64_t answer = -1;

    am_db_rows_open(&rows, sql);
    if (am_db_rows_next(&rows))
        answer = am_db_get_int(&rows, 0);
    return am_db_rows_close(&rows) == AM_OK ? answer : -1;
}
