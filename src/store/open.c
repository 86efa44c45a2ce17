/* SPDX-License-Identifier: MIT */
/* Creating, opening and closing a results file; what is no archmeter run is refused here. */
#include "store/store.h"

#include "base/text.h"
#include "store/db.h"
#include "store/seal.h"
#include "store/version.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    LOCK_TRIES = 50,             /* a second */
    APPLICATION_ID = 0x414d7472, /* as in schema.sql */
    READ_BUSY_MS = 10000,        /* how long a reader waits for a commit */
    WRITE_BUSY_MS = 60000,       /* a commit for readers: somebody looking must not end a run */
    TEXT_MAX = 16 * 1024 * 1024, /* no text that we write is longer */
    HEADER_BYTES = 100,          /* of SQLite's file format */
    /* A byte that stands for "being written", in the page that SQLite reserves for locks at 1 GiB
     * and behind the 512 bytes that it uses itself. */
    LOCK_BYTE = 0x40000000 + 1024,
};

static struct am_store *store_new(const char *path, struct am_err *err)
{
    struct am_store *store = calloc(1, sizeof(*store));
    char *copy = strdup(path);

    if (!store || !copy) {
        free(store);
        free(copy);
        (void)am_fail(err, AM_E_NOMEM, "%s: out of memory", path);
        return NULL;
    }
    store->path = copy;
    store->lock_fd = -1;
    store->version = AM_SCHEMA_VERSION;
    return store;
}

/* Waits for a lock that is held for a moment: a child of a writer that was killed has it from its
 * fork until it is another program, or ended with its parent. */
static bool take_lock(int fd)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_BYTE, .l_len = 1};

    for (int tries = 1; fcntl(fd, F_OFD_SETLK, &lock) != 0; tries++) {
        if ((errno != EAGAIN && errno != EACCES) || tries == LOCK_TRIES)
            return false;
        (void)nanosleep(&pause, NULL);
    }
    return true;
}

/* Open-file-description locks do not vanish when some other descriptor of the file is closed, as
 * the process's own (which SQLite uses) do, and they tell apart two stores in one process. */
static enum am_status lock_writer(struct am_store *store, struct am_err *err)
{
    store->lock_fd = open(store->path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (store->lock_fd < 0)
        return am_fail(err, AM_E_STORE, "%s: cannot open for writing: %s", store->path,
                       strerror(errno));
    if (take_lock(store->lock_fd))
        return AM_OK;
    if (errno == EAGAIN || errno == EACCES)
        return am_fail(err, AM_E_STORE, "%s: being written by another archmeter", store->path);
    return am_fail(err, AM_E_STORE, "%s: cannot lock: %s", store->path, strerror(errno));
}

static enum am_status connect_db(struct am_store *store, int flags, struct am_err *err)
{
    char path[PATH_MAX + 2];

    /* "./" keeps SQLite from reading a name as a URI ("file:x") or as its own (":memory:"). */
    if (!am_str_format(path, sizeof(path), "%s%s", store->path[0] == '/' ? "" : "./", store->path))
        return am_fail(err, AM_E_STORE, "%s: cannot open: the name is too long", store->path);
    /* One thread has a store at a time; a lock around every column would be a sixth of a load. */
    if (sqlite3_open_v2(path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return am_db_fail(store, "open", err);
    (void)sqlite3_extended_result_codes(store->db, 1);
    (void)sqlite3_busy_timeout(store->db,
                               flags & SQLITE_OPEN_READWRITE ? WRITE_BUSY_MS : READ_BUSY_MS);
    (void)sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, TEXT_MAX);
    /* Whatever a file brings along (triggers, views, functions in its schema) is not run. */
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    return AM_OK;
}

/* synchronous FULL: a launch that was reported stored survives a power cut too, and the disk is
 * written between two launches instead of some time during the next measurement. */
static enum am_status configure_writer(struct am_store *store, struct am_err *err)
{
    return am_db_exec(store,
                      "PRAGMA foreign_keys = ON; PRAGMA journal_mode = DELETE;"
                      "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;",
                      "write", err);
}

static enum am_status configure_reader(struct am_store *store, struct am_err *err)
{
    return am_db_exec(store,
                      "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;"
                      "PRAGMA cell_size_check = ON; PRAGMA cache_size = -16384;",
                      "read", err);
}

static uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Read through SQLite's own descriptor and before any SQL, so that nothing foreign is interpreted,
 * and a file in WAL mode is refused before SQLite would create files beside it. */
static enum am_status check_header(struct am_store *store, struct am_err *err)
{
    unsigned char h[HEADER_BYTES] = {0};
    sqlite3_file *file = NULL;
    uint32_t version;
    int rc;

    if (sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        !file || !file->pMethods)
        return am_fail(err, AM_E_STORE, "%s: cannot open", store->path);
    rc = file->pMethods->xRead(file, h, HEADER_BYTES, 0);
    if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ)
        return am_fail(err, AM_E_STORE, "%s: cannot read: %s", store->path, sqlite3_errstr(rc));
    if (memcmp(h, "SQLite format 3", 16) != 0)
        return am_fail(err, AM_E_USAGE, "%s: not an archmeter run (not an SQLite database)",
                       store->path);
    if (big_endian(h + 68) != APPLICATION_ID)
        return am_fail(err, AM_E_USAGE,
                       "%s: not an archmeter run (an SQLite database of another"
                       " program)",
                       store->path);
    version = big_endian(h + 60);
    if (version < AM_SCHEMA_OLDEST || version > AM_SCHEMA_VERSION)
        return am_fail(err, AM_E_USAGE,
                       "%s: written by %s archmeter (schema version %u, this one reads %d to %d)",
                       store->path, version > AM_SCHEMA_VERSION ? "a newer" : "an older", version,
                       AM_SCHEMA_OLDEST, AM_SCHEMA_VERSION);
    store->version = version;
    if (h[18] != 1 || h[19] != 1)
        return am_fail(err, AM_E_STORE,
                       "%s: its journal mode was changed; restore it with"
                       " sqlite3 FILE 'PRAGMA journal_mode=DELETE'",
                       store->path);
    return AM_OK;
}

static enum am_status check_has_run(struct am_store *store, struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .err = err};
    bool has_run;

    am_db_rows_open(&rows, "SELECT 1 FROM run");
    has_run = am_db_rows_next(&rows);
    if (am_db_rows_close(&rows) == AM_OK && !has_run)
        return am_fail(err, AM_E_USAGE, "%s: holds no run (archmeter was stopped at its start)",
                       store->path);
    return rows.status;
}

/* A reader may not roll back what a killed writer left; a connection that may write does so when it
 * first reads. It restores the last commit and is the only thing that reading ever changes. */
static bool needs_rollback(struct am_store *store)
{
    return sqlite3_exec(store->db, "SELECT 1 FROM sqlite_schema", NULL, NULL, NULL) ==
           SQLITE_READONLY_ROLLBACK;
}

static enum am_status roll_back(struct am_store *store, struct am_err *err)
{
    enum am_status s;

    (void)sqlite3_close(store->db);
    store->db = NULL;
    s = connect_db(store, SQLITE_OPEN_READWRITE, err);
    if (s == AM_OK)
        s = am_db_exec(store, "SELECT 1 FROM sqlite_schema", "read", err);
    (void)sqlite3_close(store->db);
    store->db = NULL;
    return s == AM_OK ? connect_db(store, SQLITE_OPEN_READONLY, err) : s;
}

static enum am_status open_reader(struct am_store *store, struct am_err *err)
{
    enum am_status s = connect_db(store, SQLITE_OPEN_READONLY, err);

    if (s == AM_OK)
        s = check_header(store, err);
    if (s == AM_OK && needs_rollback(store)) {
        s = roll_back(store, err);
        if (s == AM_OK)
            s = check_header(store, err);
    }
    return s == AM_OK ? configure_reader(store, err) : s;
}

static enum am_status open_writer(struct am_store *store, struct am_err *err)
{
    enum am_status s = lock_writer(store, err);

    if (s == AM_OK)
        s = connect_db(store, SQLITE_OPEN_READWRITE, err);
    if (s == AM_OK)
        s = check_header(store, err);
    return s == AM_OK ? configure_writer(store, err) : s;
}

/* stat(2) and not open(2): a FIFO would block, and a descriptor of ours closed again would take
 * with it the locks of another store on the same file in this process. */
static enum am_status check_file(const char *path, struct am_err *err)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return am_fail(err, AM_E_USAGE, "%s: cannot open: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return am_fail(err, AM_E_USAGE, "%s: not an archmeter run (not a regular file)", path);
    if (st.st_size == 0)
        return am_fail(err, AM_E_USAGE, "%s: not an archmeter run (the file is empty)", path);
    return AM_OK;
}

/* Whether the rollback journal, if there is one, ends with the name of a journal of several
 * databases. SQLite removes that file when it has rolled back, whatever file it is. */
static bool journal_names_another(const char *path)
{
    static const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char end[sizeof(magic)];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const bool named = fd >= 0 && lseek(fd, -(off_t)sizeof(end), SEEK_END) > 0 &&
                       read(fd, end, sizeof(end)) == (ssize_t)sizeof(end) &&
                       memcmp(end, magic, sizeof(end)) == 0;

    if (fd >= 0)
        (void)close(fd);
    return named;
}

/* SQLite takes what lies beside a database for a part of it: beside the file itself, where the path
 * is a link. We leave a journal there that is of one file, and nothing else: pages out of a log,
 * and removing another file, are refused. */
static enum am_status check_beside(const char *path, struct am_err *err)
{
    char file[PATH_MAX], name[PATH_MAX + sizeof("-journal")];
    struct stat st;

    if (!realpath(path, file))
        return am_fail(err, AM_E_USAGE, "%s: cannot open: %s", path, strerror(errno));
    if (am_str_format(name, sizeof(name), "%s-wal", file) && lstat(name, &st) == 0)
        return am_fail(err, AM_E_STORE,
                       "%s: cannot read: %s lies beside it, which no archmeter wrote; who changed "
                       "the journal mode restores it with sqlite3 FILE 'PRAGMA "
                       "journal_mode=DELETE'",
                       path, name);
    if (am_str_format(name, sizeof(name), "%s-journal", file) && journal_names_another(name))
        return am_fail(err, AM_E_STORE,
                       "%s: cannot read: its journal names another file, which no archmeter does",
                       path);
    return AM_OK;
}

/* The rest of the store knows the current version only. */
static enum am_status make_current(struct am_store *store, bool writable, struct am_err *err)
{
    enum am_status s;

    if (store->version == AM_SCHEMA_VERSION)
        return AM_OK;
    if (writable)
        return am_version_upgrade(store, err);
    s = am_db_exec(store, "PRAGMA query_only = OFF", "read", err);
    if (s == AM_OK)
        s = am_version_adapt(store, "main", store->version, err);
    return s == AM_OK ? am_db_exec(store, "PRAGMA query_only = ON", "read", err) : s;
}

enum am_status am_store_open(const char *path, bool writable, struct am_store **store_p,
                             struct am_err *err)
{
    struct am_store *store;
    enum am_status s = check_file(path, err);

    if (s == AM_OK)
        s = check_beside(path, err);
    if (s != AM_OK)
        return s;
    store = store_new(path, err);
    if (!store)
        return AM_E_NOMEM;
    s = writable ? open_writer(store, err) : open_reader(store, err);
    if (s == AM_OK)
        s = am_version_check(store, err);
    if (s == AM_OK)
        s = check_has_run(store, err);
    if (s == AM_OK)
        s = make_current(store, writable, err);
    if (s == AM_OK && writable)
        am_seal_doubt(store);
    if (s == AM_OK)
        *store_p = store;
    else
        am_store_close(store);
    return s;
}

/* O_EXCL decides who creates; SQLite opens what is there. */
static enum am_status create_file(const char *path, struct am_err *err)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (fd >= 0) {
        (void)close(fd);
        return AM_OK;
    }
    if (errno == EEXIST)
        return am_fail(err, AM_E_USAGE, "%s: exists already", path);
    return am_fail(err, AM_E_STORE, "%s: cannot create: %s", path, strerror(errno));
}

static enum am_status write_schema(struct am_store *store, struct am_err *err)
{
    enum am_status s = am_db_begin(store, err);

    if (s != AM_OK)
        return s;
    return am_db_end(store, am_db_exec(store, am_store_schema, "create", err), err);
}

enum am_status am_store_create(const char *path, struct am_store **store_p, struct am_err *err)
{
    struct am_store *const store = store_new(path, err);
    enum am_status s;

    if (!store)
        return AM_E_NOMEM;
    s = create_file(path, err);
    if (s == AM_OK) {
        store->fresh = true;
        s = lock_writer(store, err);
    }
    if (s == AM_OK)
        s = connect_db(store, SQLITE_OPEN_READWRITE, err);
    if (s == AM_OK)
        s = configure_writer(store, err);
    if (s == AM_OK)
        s = write_schema(store, err);
    if (s == AM_OK)
        *store_p = store;
    else
        am_store_close(store);
    return s;
}

void am_store_close(struct am_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < AM_DB_SLOT_COUNT; i++)
        (void)sqlite3_finalize(store->cached[i]);
    for (size_t i = 0; i < store->n_kept; i++)
        (void)sqlite3_finalize(store->kept[i].stmt);
    (void)sqlite3_close(store->db); /* rolls back what is open */
    if (store->fresh)
        (void)unlink(store->path);
    if (store->lock_fd >= 0)
        (void)close(store->lock_fd);
    free(store->path);
    free(store);
}

const char *am_store_sqlite_version(void)
{
    return sqlite3_libversion();
}
