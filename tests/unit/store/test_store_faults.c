/* SPDX-License-Identifier: MIT */
/* The store in trouble: foreign, damaged and hostile files, full disks, writers that are killed. */
#include "store/store.h"

#include "base/rng.h"
#include "store_fixture.h"
#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GOOD "good.db" /* a whole run that is never touched */
#define BAD "bad.db"   /* a copy that something was done to */

enum { IMAGE_MAX = 1024 * 1024, FLIPS = TAP_CASES(300), KILLS = TAP_CASES(20) };

static size_t read_file(const char *path, char *buf, size_t cap)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, buf, cap) : -1;

    if (fd >= 0)
        (void)close(fd);
    return n > 0 ? (size_t)n : 0;
}

static bool write_file(const char *path, const char *data, size_t n)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const bool good = fd >= 0 && write(fd, data, n) == (ssize_t)n;

    return fd >= 0 && close(fd) == 0 && good;
}

/* Runs SQL on a file behind the store's back, with the checks off. */
static bool tamper(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *why = NULL;
    bool good;

    good =
        sqlite3_open(path, &db) == SQLITE_OK &&
        sqlite3_exec(db, "PRAGMA ignore_check_constraints = ON", NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK;
    if (!good)
        printf("# %s: %s\n", sql, why ? why : sqlite3_errmsg(db));
    sqlite3_free(why);
    (void)sqlite3_close(db);
    return good;
}

/* SQLite's own word: no page, index, key or constraint is wrong. */
static bool whole(const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *check = NULL, *keys = NULL;
    const bool good =
        sqlite3_open(path, &db) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &check, NULL) == SQLITE_OK &&
        sqlite3_step(check) == SQLITE_ROW &&
        strcmp((const char *)sqlite3_column_text(check, 0), "ok") == 0 &&
        sqlite3_prepare_v2(db, "PRAGMA foreign_key_check", -1, &keys, NULL) == SQLITE_OK &&
        sqlite3_step(keys) == SQLITE_DONE;

    (void)sqlite3_finalize(check);
    (void)sqlite3_finalize(keys);
    (void)sqlite3_close(db);
    return good;
}

static void make_good(void)
{
    struct am_store *store = fx_fresh_run(GOOD);
    struct am_err err = {0};

    ok(fx_fill(store, &err) == AM_OK, "a good run is written: %s", err.text);
    am_store_close(store);
    ok(whole(GOOD), "and SQLite finds nothing wrong in it");
}

static enum am_status ignore_raw(void *self, const struct am_raw_sample *raw, struct am_err *err)
{
    (void)self;
    (void)raw;
    (void)err;
    return AM_OK;
}

/* A file that is no run is the caller's mistake; one that cannot be read is the store's trouble. */
static bool refused(enum am_status s)
{
    return s == AM_E_USAGE || s == AM_E_STORE;
}

/* Opens for reading and reads in every way; the first status that is not AM_OK. */
static enum am_status read_all(const char *path, struct am_err *err)
{
    struct am_store *store = NULL;
    struct am_arena arena = {0};
    struct am_result_set set;
    struct am_resume resume;
    enum am_status s = am_store_open(path, false, &store, err);

    if (s == AM_OK)
        s = am_store_load(store, NULL, &arena, &set, err);
    if (s == AM_OK)
        s = am_store_load_resume(store, &arena, &resume, err);
    if (s == AM_OK)
        s = am_store_each_sample(store, NULL, ignore_raw, NULL, err);
    am_store_close(store);
    am_arena_fini(&arena);
    return s;
}

static bool told_of(const struct am_err *err, const char *path, const char *what)
{
    const bool told =
        strncmp(err->text, path, strlen(path)) == 0 && strstr(err->text, what) != NULL;

    if (!told)
        printf("# got \"%s\", want \"%s\"\n", err->text, what);
    return told;
}

static void test_foreign(void)
{
    static const struct {
        const char *text, *sql, *want, *name;
    } cases[] = {
        {"", NULL, "the file is empty", "an empty file"},
        {"hello\n", NULL, "not an SQLite database", "a short text"},
        {NULL, "PRAGMA application_id = 7", "another program", "another program's database"},
        {NULL, "PRAGMA user_version = 9", "a newer archmeter (schema version 9", "a newer schema"},
        {NULL, "PRAGMA user_version = 1", "an older archmeter", "an older schema"},
        {NULL, "PRAGMA journal_mode = WAL", "journal mode", "a file in WAL mode"},
        {NULL, "DELETE FROM run", "holds no run", "a file without a run"},
    };
    struct am_err err = {0};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        static char image[IMAGE_MAX];
        const size_t n = read_file(GOOD, image, sizeof(image));

        err = (struct am_err){0};
        if (cases[i].text)
            (void)write_file(BAD, cases[i].text, strlen(cases[i].text));
        else if (!write_file(BAD, image, n) || !tamper(BAD, cases[i].sql))
            ok(false, "the case can be made");
        ok(refused(read_all(BAD, &err)) && told_of(&err, BAD, cases[i].want), "%s is refused",
           cases[i].name);
        ok(!fx_exists(BAD "-wal") && !fx_exists(BAD "-shm") && !fx_exists(BAD "-journal"),
           "and nothing is created beside it");
    }
    (void)unlink(BAD);
    err = (struct am_err){0};
    ok(refused(read_all(BAD, &err)) && told_of(&err, BAD, "No such file") && !fx_exists(BAD),
       "a file that is not there is not created");
    err = (struct am_err){0};
    ok(refused(read_all(".", &err)) && told_of(&err, ".", "not a regular file"),
       "a directory is refused");
    ok(mkfifo("fifo", 0600) == 0 && refused(read_all("fifo", &err)), "a FIFO does not block");
    (void)unlink("fifo");
}

static void test_hostile(void)
{
    static const struct {
        const char *sql, *want; /* NULL: it is read all the same */
    } cases[] = {
        {"UPDATE run SET seed = '12x'", "column seed"},
        {"UPDATE run SET seed = ''", "column seed"},
        {"UPDATE run SET profile = 'odd'", "column profile"},
        {"UPDATE run SET warmup = -1", "column warmup"},
        {"UPDATE run SET samples = 1 << 40", "column samples"},
        {"UPDATE finding SET level = 'bad'", "column level"},
        {"UPDATE axis SET kind = 'odd'", "column kind"},
        {"UPDATE metric SET better = 'sideways'", "column better"},
        {"UPDATE visit SET state = 'odd'", "column state"},
        {"UPDATE bench SET version = -1", "column version"},
        {"UPDATE sample SET labels = -1", "column labels"},
        {"UPDATE sample SET seq = seq - 10; UPDATE value SET seq = seq - 10", "column seq"},
        {"UPDATE launch SET round = -5; UPDATE visit SET round = -launch", "column round"},
        {"UPDATE point SET bench = 77", "belongs to no bench"},
        {"DELETE FROM bench", "belongs to no bench"},
        {"UPDATE param SET axis = axis + 50", "no axis or metric"},
        {"UPDATE value SET metric = metric + 50", "no axis or metric"},
        {"DELETE FROM failure", "column kind"},
        {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25)"
         " INSERT INTO axis SELECT NULL, 1, 'a' || i, 'int', NULL FROM n",
         "too many axes"},
        {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 65)"
         " INSERT INTO metric SELECT NULL, 1, 'a' || i, 's', 'lower', 'own' FROM n",
         "too many metrics"},
        {"UPDATE run SET command = printf('%.*c', 20000000, 'x')", "no plausible length"},
        {"DROP VIEW samples", "its view samples"},
        {"ALTER TABLE launch ADD COLUMN extra TEXT", "its table launch"},
        {"DROP TABLE finding; CREATE VIEW finding AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
         " SELECT i + 1 FROM n) SELECT i AS seq, i AS id FROM n",
         "its table finding"},
        {"UPDATE run SET command = CAST(x'610062' AS TEXT), label = CAST(x'fffe' AS TEXT)", NULL},
        {"CREATE TABLE mine (x); CREATE INDEX fast ON value (metric);"
         "CREATE TRIGGER t AFTER INSERT ON launch BEGIN DELETE FROM launch; END",
         NULL},
        {"UPDATE sample SET hz_before = 9e999, hz_after = NULL", "not zero or between"},
        {"UPDATE value SET value = 1e308", "column value is not zero or between 1e-30 and 1e30"},
        {"UPDATE value SET value = 5e-324", "column value is not zero or between 1e-30 and 1e30"},
        {"UPDATE value SET value = -9e999", "column value is not zero or between 1e-30 and 1e30"},
        {"UPDATE value SET value = 1e30", NULL},
        {"UPDATE value SET value = -1e-30", NULL},
        {"UPDATE visit SET flops = 1e31", "column flops"},
        {"UPDATE visit SET ops = -1", "work of a visit is negative"},
        {"UPDATE visit SET residual = 9e999", "column residual"},
        {"UPDATE visit SET residual = 5e-324", NULL},
        {"UPDATE sample SET elapsed_ns = -5", "a time or a clock is negative"},
        {"UPDATE launch SET clock_resolution_ns = -1", "a time or a clock is negative"},
        {"UPDATE surroundings SET load = 1e300", "column load"},
        {"UPDATE run SET launch_limit_s = 9e999", "column launch_limit_s"},
        {"UPDATE param SET value = 1e300 WHERE typeof(value) = 'real'", "column value"},
        {"UPDATE param SET value = '1e300' WHERE typeof(value) = 'integer'", "a parameter is not"},
        {"PRAGMA page_size = 512; VACUUM", NULL},
    };
    static char image[IMAGE_MAX], before[IMAGE_MAX], after[IMAGE_MAX];
    const size_t n = read_file(GOOD, image, sizeof(image));

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_err err = {0};
        enum am_status s;
        size_t size;

        if (!write_file(BAD, image, n) || !tamper(BAD, cases[i].sql))
            ok(false, "the case can be made");
        size = read_file(BAD, before, sizeof(before));
        s = read_all(BAD, &err);
        if (cases[i].want)
            ok(refused(s) && told_of(&err, BAD, cases[i].want), "told after: %.60s", cases[i].sql);
        else
            ok(s == AM_OK, "harmless: %.60s%s", cases[i].sql, err.text);
        ok(read_file(BAD, after, sizeof(after)) == size && memcmp(before, after, size) == 0,
           "and the file is not changed");
    }
}

static void test_damaged(void)
{
    static char image[IMAGE_MAX], bad[IMAGE_MAX];
    const size_t n = read_file(GOOD, image, sizeof(image));
    struct am_rng rng;
    size_t told = 0, cuts = 0, good = 0, read = 0;

    for (size_t cut = 1; cut < n; cut += 1531, cuts++) {
        struct am_err err = {0};

        told += write_file(BAD, image, cut) && refused(read_all(BAD, &err)) &&
                strncmp(err.text, BAD ": ", strlen(BAD ": ")) == 0;
    }
    ok(told == cuts, "a file cut short is told at every one of %zu lengths", cuts);

    am_rng_seed(&rng, 20, 4);
    for (size_t i = 0; i < FLIPS; i++) {
        struct am_err err = {0};
        enum am_status s;

        memcpy(bad, image, n);
        for (size_t k = 0; k <= i % 8; k++)
            bad[am_rng_below(&rng, n)] = (char)am_rng_below(&rng, 256);
        (void)write_file(BAD, bad, n);
        s = read_all(BAD, &err);
        read += s == AM_OK;
        good += s == AM_OK || (refused(s) && told_of(&err, BAD, ": "));
        (void)unlink(BAD);
    }
    ok(good == FLIPS, "with bytes changed, %d files are read (%zu) or refused", FLIPS, read);
}

/* ---- a full disk ---- */

static bool limit_file_size(rlim_t bytes)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
        return false;
    limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
    return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

static size_t count_launches(const char *path)
{
    struct am_store *store = NULL;
    struct am_arena arena = {0};
    struct am_result_set set = {.launches = SIZE_MAX};
    struct am_err err = {0};

    if (am_store_open(path, false, &store, &err) != AM_OK ||
        am_store_load(store, NULL, &arena, &set, &err) != AM_OK) {
        printf("# %s\n", err.text);
        set.launches = SIZE_MAX;
    }
    am_store_close(store);
    am_arena_fini(&arena);
    return set.launches;
}

static void test_full_disk(void)
{
    struct am_store *store = NULL;
    struct am_err err = {0};
    struct stat st;
    unsigned stored = 0;

    (void)unlink(BAD);
    (void)signal(SIGXFSZ, SIG_IGN);
    ok(limit_file_size(8192), "files are limited to 8 KiB");
    ok(am_store_create(BAD, &store, &err) == AM_E_STORE && told_of(&err, BAD, "cannot"),
       "a file that cannot grow is not created: %s", err.text);
    ok(!fx_exists(BAD) && !fx_exists(BAD "-journal"), "and nothing is left behind");
    (void)limit_file_size(RLIM_INFINITY);

    store = fx_fresh_run(BAD);
    (void)stat(BAD, &st);
    (void)limit_file_size((rlim_t)st.st_size + 16384);
    err = (struct am_err){0};
    while (stored < 10000 && fx_put(store, 1, stored, &err) == AM_OK)
        stored++;
    ok(stored > 0 && stored < 10000 && err.status == AM_E_STORE && told_of(&err, BAD, "cannot"),
       "the launch that does not fit fails, after %u: %s", stored, err.text);
    ok(count_launches(BAD) == stored, "all launches before it are there");
    (void)limit_file_size(RLIM_INFINITY);
    err = (struct am_err){0};
    ok(fx_put(store, 1, stored, &err) == AM_OK, "with room again, it can be stored: %s", err.text);
    am_store_close(store);
    ok(count_launches(BAD) == stored + 1u, "and is there");
    ok(whole(BAD), "in a file that is whole");
}

/* ---- writers that are killed ---- */

/* Stores round after round, four points a launch, and says each when it is committed. */
static void write_until_killed(const char *path, int report)
{
    struct am_store *const store = fx_fresh_run(path);

    for (unsigned round = 0;; round++) {
        struct fx_launch l[4];
        struct am_visit visits[4];
        struct am_err err = {0};

        for (int i = 0; i < 4; i++) {
            fx_launch_init(&l[i], i + 1, round);
            visits[i] = l[i].visit;
        }
        l[0].launch.visits = visits;
        l[0].launch.n_visits = 4;
        if (am_store_put_launch(store, &l[0].launch, &err) != AM_OK ||
            write(report, &round, sizeof(round)) != sizeof(round))
            _exit(1);
    }
}

/* Every launch has all its points and samples, and rounds have no hole. */
static bool complete(const struct am_result_set *set)
{
    for (size_t p = 0; p < 4; p++) {
        for (size_t m = 0; m < FX_METRICS; m++) {
            const struct am_series *const series = &set->results[p].metrics[m].series;

            if (series->n != set->launches)
                return false;
            for (size_t l = 0; l < series->n; l++) {
                if (series->launches[l].n != FX_SAMPLES || series->launches[l].round != l ||
                    series->launches[l].values[2] != fx_value((int64_t)p + 1, (unsigned)l, 2, m))
                    return false;
            }
        }
    }
    return true;
}

/* The number of rounds that the child reported before it died. */
static unsigned run_and_kill(const char *path, useconds_t after_us)
{
    unsigned round = 0, rounds = 0;
    pid_t child;
    int fds[2];

    if (pipe(fds) != 0)
        return 0;
    child = fork();
    if (child == 0)
        write_until_killed(path, fds[1]);
    (void)close(fds[1]);
    if (read(fds[0], &round, sizeof(round)) == sizeof(round))
        rounds = round + 1;
    (void)usleep(after_us);
    (void)kill(child, SIGKILL);
    while (read(fds[0], &round, sizeof(round)) == sizeof(round))
        rounds = round + 1;
    (void)close(fds[0]);
    (void)waitpid(child, NULL, 0);
    return rounds;
}

static void test_killed(void)
{
    const uint64_t seed = am_rng_entropy();
    struct am_rng rng;
    unsigned kept = 0, journals = 0, resumed = 0, sound = 0, total = 0;

    printf("# seed %llu\n", (unsigned long long)seed);
    am_rng_seed(&rng, seed, 0);
    for (int i = 0; i < KILLS; i++) {
        const unsigned rounds = run_and_kill(BAD, (useconds_t)am_rng_below(&rng, 15000));
        struct am_arena arena = {0};
        struct am_result_set set = {.n = 0};
        struct am_store *store = NULL;
        struct am_err err = {0};

        journals += fx_exists(BAD "-journal");
        total += rounds;
        if (am_store_open(BAD, false, &store, &err) == AM_OK &&
            am_store_load(store, NULL, &arena, &set, &err) == AM_OK)
            kept += rounds > 0 && complete(&set) &&
                    (set.launches == rounds || set.launches == rounds + 1u);
        am_store_close(store);
        store = NULL;
        if (am_store_open(BAD, true, &store, &err) == AM_OK)
            resumed += fx_put(store, 1, (unsigned)set.launches, &err) == AM_OK;
        if (err.text[0])
            printf("# %s\n", err.text);
        am_store_close(store);
        sound += whole(BAD);
        am_arena_fini(&arena);
    }
    printf("# %u rounds, %u journals were left\n", total, journals);
    ok(kept == KILLS, "killed %d times: every committed launch is whole and there", KILLS);
    ok(resumed == KILLS, "and each file is written on");
    ok(sound == KILLS, "and whole afterwards");
}

/* Leaves a half-done commit: pages changed in the file, the old ones in a journal. */
static void leave_hot_journal(const char *path)
{
    const pid_t child = fork();

    if (child == 0) {
        sqlite3 *db = NULL;

        (void)sqlite3_open(path, &db);
        (void)sqlite3_exec(db,
                           "PRAGMA cache_size = 1; BEGIN; UPDATE value SET value = -1;"
                           "UPDATE sample SET iters = 1; UPDATE visit SET residual = 1;",
                           NULL, NULL, NULL);
        _exit(0); /* without a close: as if killed */
    }
    (void)waitpid(child, NULL, 0);
}

static bool recovery_is_refused(void)
{
    struct am_err err = {0};

    return refused(read_all("dir/run.db", &err)) &&
           told_of(&err, "dir/run.db", "killed in the middle of a commit") &&
           fx_exists("dir/run.db-journal");
}

static void test_hot_journal(void)
{
    static char image[IMAGE_MAX], left[IMAGE_MAX];
    const size_t n = read_file(GOOD, image, sizeof(image));
    struct am_err err = {0};
    int status = 1;
    pid_t child;

    (void)chmod(".", 0755); /* mkdtemp gave 0700 */
    ok(mkdir("dir", 0755) == 0 && write_file("dir/run.db", image, n), "a run in a directory");
    leave_hot_journal("dir/run.db");
    ok(fx_exists("dir/run.db-journal") && read_file("dir/run.db", left, sizeof(left)) == n &&
           memcmp(left, image, n) != 0,
       "its writer was killed in the middle of a commit");
    (void)chmod("dir/run.db-journal", 0444);
    (void)chmod("dir/run.db", 0444);
    (void)chmod("dir", 0555);
    child = fork();
    if (child == 0) { /* root may write everywhere */
        const bool dropped = geteuid() != 0 || setresuid(65534, 65534, 65534) == 0;

        _exit(dropped && recovery_is_refused() ? 0 : 1);
    }
    ok(waitpid(child, &status, 0) == child && status == 0,
       "where nothing may be written, the message says what is to be done");
    (void)chmod("dir", 0755);
    (void)chmod("dir/run.db", 0644);
    (void)chmod("dir/run.db-journal", 0644);
    ok(read_all("dir/run.db", &err) == AM_OK, "elsewhere it is read: %s", err.text);
    ok(read_file("dir/run.db", left, sizeof(left)) == n && memcmp(left, image, n) == 0 &&
           !fx_exists("dir/run.db-journal"),
       "as it was after the last commit");
    (void)unlink("dir/run.db");
    ok(rmdir("dir") == 0, "and nothing is left beside it");
}

static void test_killed_at_start(void)
{
    struct am_store *store = NULL;
    struct am_err err = {0};
    pid_t child;

    (void)unlink(BAD);
    child = fork();
    if (child == 0)
        _exit(am_store_create(BAD, &store, NULL) == AM_OK ? 0 : 1);
    (void)waitpid(child, NULL, 0);
    ok(refused(read_all(BAD, &err)) && told_of(&err, BAD, "holds no run"),
       "a file whose writer was killed before the run began says so");
}

int main(void)
{
    char dir[] = P_tmpdir "/test_store_XXXXXX";

    if (!mkdtemp(dir) || chdir(dir) != 0)
        return 1;
    make_good();
    test_foreign();
    test_hostile();
    test_damaged();
    test_full_disk();
    test_killed();
    test_killed_at_start();
    test_hot_journal();
    (void)unlink(GOOD);
    (void)unlink(BAD);
    ok(chdir("/") == 0 && rmdir(dir) == 0, "nothing is left behind");
    return tap_done();
}
