/* SPDX-License-Identifier: MIT */
/* What somebody tries who wants a changed file to hold: going on with it, merging it, rows of
 * another file, files beside it; and what a file beside it must not do to others. */
#include "store/verify.h"

#include "base/text.h"
#include "seal_again.h"
#include "seal_fixture.h"
#include "store/merge.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SQL_MAX = 1024, JOURNAL_MAX = 8192, SECTOR = 512 };

static const char whole[] = "attack-whole.db", edited[] = "attack-edited.db",
                  merged[] = "attack-merged.db", other[] = "attack-other.db";

/* Changes that a resume could make hold again by sealing the table anew: it writes all of these
 * tables. */
static const char *const edits[] = {
    "UPDATE environment SET value = 'another kernel' WHERE key = 'kernel'",
    "INSERT INTO environment (key, value) VALUES ('governor', 'performance')",
    "UPDATE setting SET value = 'no'",
    "UPDATE run SET ended = '2030-01-01T00:00:00Z', state = 'done'",
    "UPDATE run SET label = 'after'",
    "UPDATE point SET stop_reason = 'max-launches'",
    "UPDATE point SET text = 'size=8192 pattern=seq' WHERE id = 1",
    "UPDATE param SET value = 8192 WHERE point = 1 AND axis = 1",
    "UPDATE machine SET value = 'A faster CPU' WHERE key = 'model'",
    "UPDATE build SET value = 'another compiler'",
    "UPDATE finding SET level = 'ok'",
    "UPDATE metric SET better = 'higher'",
    "UPDATE chain SET launches = launches - 1; DELETE FROM seal WHERE launch = 11;"
    "DELETE FROM launch WHERE id = 11; DELETE FROM visit WHERE launch = 11;"
    "DELETE FROM sample WHERE visit = 11; DELETE FROM value WHERE visit = 11;"
    "DELETE FROM surroundings WHERE launch = 11; DELETE FROM sample_seal WHERE visit = 11;"
    "DELETE FROM note WHERE visit = 11; DELETE FROM chosen WHERE visit = 11;"
    "DELETE FROM proposed WHERE visit = 11; DELETE FROM attachment WHERE visit = 11;"
    "DELETE FROM off_cpu WHERE visit = 11; DELETE FROM failure WHERE visit = 11",
};
enum { EDITS = sizeof(edits) / sizeof(*edits) };

/* Everything that a resume writes, as a resume writes it. */
static bool go_on_with(const char *path, struct am_err *err)
{
    const struct am_stop stops[] = {{2, AM_STOP_TARGET}};
    struct am_store *store = NULL;
    const bool good = am_store_open(path, true, &store, err) == AM_OK &&
                      am_store_end_run(store, AM_RUN_RUNNING, err) == AM_OK &&
                      fx_put(store, 6, 7, err) == AM_OK &&
                      am_store_put_environment(store, &fx_machine, err) == AM_OK &&
                      am_store_put_settings(store, &fx_machine, err) == AM_OK &&
                      am_store_put_stops(store, stops, 1, err) == AM_OK &&
                      am_store_end_run(store, AM_RUN_DONE, err) == AM_OK;

    am_store_close(store);
    return good;
}

static void test_going_on(void)
{
    struct am_err err = {0};

    sx_copy(whole, edited);
    ok(go_on_with(edited, &err) && sx_state_of(edited) == AM_SEAL_HOLDS,
       "a whole file that is gone on with holds %s", err.text);
    for (size_t i = 0; i < EDITS; i++) {
        struct am_arena arena = {0};
        struct am_seal seal;

        sx_copy(whole, edited);
        (void)sx_execute(edited, edits[i]);
        err = (struct am_err){0};
        (void)go_on_with(edited, &err); /* it may refuse, too */
        seal = sx_seal_of(edited, &arena);
        ok(seal.state == AM_SEAL_BROKEN, "going on does not make it hold: %.50s...: %s", edits[i],
           seal.story ? seal.story : err.text);
        am_arena_fini(&arena);
    }
}

static enum am_status merge_with(const char *part, struct am_err *err)
{
    const struct am_node_part parts[] = {{.name = "a", .path = whole}, {.name = "b", .path = part}};

    (void)unlink(merged);
    return am_store_merge(merged, &(struct am_merge){"merge", parts, 2, NULL}, err);
}

static void test_merging(void)
{
    struct am_err err = {0};

    ok(merge_with(whole, &err) == AM_OK && sx_state_of(merged) == AM_SEAL_HOLDS,
       "whole files that are merged hold %s", err.text);
    for (size_t i = 0; i < EDITS; i++) {
        sx_copy(whole, edited);
        (void)sx_execute(edited, edits[i]);
        err = (struct am_err){0};
        ok(merge_with(edited, &err) == AM_OK && sx_state_of(merged) == AM_SEAL_BROKEN &&
               sx_number(merged, "SELECT count(*) FROM node WHERE name = 'b' AND state = 'partial'"
                                 " AND reason LIKE '%not as it was written%'") == 1,
           "merging does not make it hold: %.50s... %s", edits[i], err.text);
    }
    sx_copy(whole, edited);
    (void)sx_execute(edited, "DELETE FROM chain; DELETE FROM seal; DELETE FROM sample_seal");
    ok(merge_with(edited, &err) == AM_OK && sx_state_of(merged) == AM_SEAL_BROKEN,
       "nor is a part without its chain taken for an old one");
}

/* As every command that reads a part alone would refuse it. */
static void test_merging_numbers(void)
{
    static const char *const columns[][2] = {
        {"value", "value"},
        {"visit", "bytes_read"},
        {"visit", "flops"},
        {"visit", "residual"},
        {"sample", "hz_before"},
        {"sample", "hz_after"},
        {"launch", "hz"},
        {"surroundings", "load"},
        {"surroundings", "others"},
        {"surroundings", "steal"},
        {"surroundings", "runnable"},
        {"surroundings", "pressure_cpu"},
        {"surroundings", "pressure_memory"},
        {"surroundings", "pressure_io"},
        {"run", "target"},
        {"run", "launch_limit_s"},
    };
    static const char *const numbers[] = {"1e308", "-1e308", "9e999", "5e-324"};

    for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
        size_t taken = 0;

        for (size_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++) {
            struct am_err err = {0};
            char sql[SQL_MAX];

            if (strcmp(columns[i][1], "residual") == 0 && k == 3)
                continue; /* may be as small as it likes */
            sx_copy(whole, edited);
            (void)am_str_format(sql, sizeof(sql), "UPDATE %s SET %s = %s", columns[i][0],
                                columns[i][1], numbers[k]);
            (void)sx_execute(edited, sql);
            taken += merge_with(edited, &err) != AM_OK ||
                     sx_number(merged, "SELECT count(*) FROM node WHERE name = 'b' AND"
                                       " state = 'lost'") != 1;
        }
        ok(taken == 0, "no part with such a %s.%s is taken", columns[i][0], columns[i][1]);
    }
}

/* ---- a writer that seals what is not so ---- */

/* The first check of the file that does not hold; NULL: all do. */
static const char *broken_check(const char *path, struct am_arena *arena)
{
    struct am_store *store = NULL;
    struct am_verification v = {0};
    struct am_err err = {0};
    const char *name = NULL;

    if (am_store_open(path, false, &store, &err) != AM_OK ||
        am_store_verify(store, arena, &v, &err) != AM_OK)
        return "unreadable";
    for (size_t i = AM_CHECK_KINDS; i-- > 0;) {
        if (v.checks[i].state == AM_CHECK_BROKEN)
            name = am_arena_printf(arena, "%s: %s", v.checks[i].name, v.checks[i].story);
    }
    am_store_close(store);
    return name;
}

/* Where the seals hold, the other checks must tell. The values of the run at hand follow from no
 * work: they are made to be their metrics' own. */
static void test_patched_writer(void)
{
    static const struct {
        const char *sql, *check;
    } lies[] = {
        {"UPDATE metric SET rule = 'own'", NULL},
        {"UPDATE visit SET bytes_read = NULL, bytes_written = NULL, flops = NULL, ops = NULL",
         "counts"},
        {"UPDATE metric SET rule = 'time/op'", "values"},
        {"UPDATE metric SET rule = 'of my own'", "values"},
        {"UPDATE param SET value = 65536 WHERE point = 1 AND axis = 1", "counts"},
        {"UPDATE point SET text = 'size=65536 pattern=seq' WHERE id = 1", "counts"},
        {"UPDATE point SET text = text || ' ' WHERE id = 1", "counts"},
        {"UPDATE point SET text = '' WHERE id = 1", "counts"},
        {"DELETE FROM param WHERE point = 1 AND axis = 1", "counts"},
        {"DELETE FROM sample WHERE visit = 1; DELETE FROM value WHERE visit = 1;"
         "DELETE FROM off_cpu WHERE visit = 1",
         "counts"},
        {"DELETE FROM sample WHERE visit = 1 AND seq = 0; DELETE FROM value WHERE visit = 1 AND"
         " seq = 0",
         "counts"},
        {"DELETE FROM value WHERE visit = 1 AND seq = 0 AND metric = 1", "counts"},
    };

    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
        struct am_arena arena = {0};
        struct am_err err = {0};
        const char *found;

        sx_copy(whole, edited);
        (void)sx_execute(edited, "UPDATE metric SET rule = 'own'");
        (void)sx_execute(edited, lies[i].sql);
        ok(sa_seal(edited, &err) == AM_OK && sx_state_of(edited) == AM_SEAL_HOLDS,
           "sealed by another: %.50s %s", lies[i].sql, err.text);
        found = broken_check(edited, &arena);
        ok(lies[i].check ? found && strncmp(found, lies[i].check, strlen(lies[i].check)) == 0
                         : !found,
           "verify: %s", found ? found : "holds");
        am_arena_fini(&arena);
    }
}

/* ---- rows of another file, or of another launch ---- */

#define EXCHANGE(table)                                                                            \
    "UPDATE " table " SET visit = -visit WHERE visit IN (1, 2);"                                   \
    "UPDATE " table " SET visit = 3 + visit WHERE visit < 0;"

static void test_rows_of_another(void)
{
    static const char *const copies[] = {
        "DELETE FROM main.machine; INSERT INTO main.machine SELECT * FROM o.machine",
        "DELETE FROM main.machine; INSERT INTO main.machine SELECT * FROM o.machine;"
        "UPDATE main.table_seal SET digest = (SELECT digest FROM o.table_seal WHERE"
        " name = 'machine') WHERE name = 'machine'",
        "DELETE FROM main.machine; INSERT INTO main.machine SELECT * FROM o.machine;"
        "DELETE FROM main.table_seal; INSERT INTO main.table_seal SELECT * FROM o.table_seal",
        "DELETE FROM main.machine; INSERT INTO main.machine SELECT * FROM o.machine;"
        "DELETE FROM main.table_seal; INSERT INTO main.table_seal SELECT * FROM o.table_seal;"
        "DELETE FROM main.chain; INSERT INTO main.chain SELECT * FROM o.chain",
        "DELETE FROM main.seal; INSERT INTO main.seal SELECT * FROM o.seal",
        "UPDATE main.seal SET digest = (SELECT digest FROM o.seal WHERE launch = 11)"
        " WHERE launch = 11",
        EXCHANGE("value"),
        EXCHANGE("value") EXCHANGE("sample_seal"),
        EXCHANGE("value") EXCHANGE("sample") EXCHANGE("off_cpu") EXCHANGE("sample_seal"),
    };
    const char *const model = fx_machine_items[1].value;

    fx_machine_items[1].value = "Another CPU"; /* whole and sealed, of another machine */
    sx_make_run(other);
    fx_machine_items[1].value = model;
    ok(sx_state_of(other) == AM_SEAL_HOLDS, "the other file holds");
    for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++) {
        char sql[4 * SQL_MAX];

        sx_copy(whole, edited);
        (void)am_str_format(sql, sizeof(sql), "ATTACH '%s' AS o; %s", other, copies[i]);
        ok(sx_execute(edited, sql) && sx_state_of(edited) == AM_SEAL_BROKEN,
           "rows of another do not hold: %.60s...", copies[i]);
    }
}

/* ---- files beside it ---- */

/* A rollback journal that rolls nothing back, and names a file of several databases. */
static size_t make_journal(const char *victim, unsigned pages, unsigned char *out)
{
    static const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    const size_t n = strlen(victim);
    const uint32_t head[] = {0, 7, pages, SECTOR, 4096};
    uint32_t sum = 0;
    size_t at = SECTOR;

    memset(out, 0, SECTOR);
    memcpy(out, magic, sizeof(magic));
    for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++) {
        for (size_t k = 0; k < 4; k++)
            out[sizeof(magic) + 4 * i + k] = (unsigned char)(head[i] >> (24 - 8 * k));
    }
    for (size_t i = 0; i < n; i++)
        sum += (uint32_t)(signed char)victim[i];
    const uint32_t words[] = {0x40000000 / 4096 + 1, (uint32_t)n, sum};

    for (size_t k = 0; k < 4; k++)
        out[at++] = (unsigned char)(words[0] >> (24 - 8 * k));
    memcpy(out + at, victim, n);
    at += n;
    for (size_t i = 1; i < 3; i++) {
        for (size_t k = 0; k < 4; k++)
            out[at++] = (unsigned char)(words[i] >> (24 - 8 * k));
    }
    memcpy(out + at, magic, sizeof(magic));
    return at + sizeof(magic);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Reading a file must not remove another one. */
static void test_journal(void)
{
    unsigned char journal[JOURNAL_MAX];
    const char *const bystander = "attack-bystander";
    char journal_name[64], victim[1024];
    struct am_store *store = NULL;
    struct am_err err = {0};
    const unsigned pages = (unsigned)sx_number(whole, "PRAGMA page_count");

    if (!getcwd(victim, sizeof(victim) - 64))
        victim[0] = '\0';
    (void)am_str_format(victim + strlen(victim), 64, "/%s", bystander);
    (void)am_str_format(journal_name, sizeof(journal_name), "%s-journal", edited);
    for (int writable = 0; writable < 2; writable++) {
        sx_copy(whole, edited);
        sx_write_bytes(bystander, (const unsigned char *)"mine\n", 5);
        sx_write_bytes(journal_name, journal, make_journal(victim, pages, journal));
        err = (struct am_err){0};
        ok(am_store_open(edited, writable, &store, &err) == AM_E_STORE && is_there(bystander),
           "a journal that names another file is refused: %s", err.text);
        (void)unlink(journal_name);
    }
    sx_write_bytes(journal_name, journal, make_journal(victim, pages, journal));
    ok(sx_number(edited, "SELECT count(*) FROM run") == 1 && !is_there(bystander),
       "which SQLite itself would have removed");
    (void)unlink(journal_name);
    (void)unlink(bystander);
}

/* SQLite looks beside the file that a link names, not beside the link. */
static void test_journal_behind_link(void)
{
    unsigned char journal[JOURNAL_MAX];
    const char *const link_name = "attack-link.db", *const bystander = "attack-bystander";
    char journal_name[64], victim[1024];
    struct am_store *store = NULL;
    struct am_err err = {0};

    if (!getcwd(victim, sizeof(victim) - 64))
        victim[0] = '\0';
    (void)am_str_format(victim + strlen(victim), 64, "/%s", bystander);
    (void)am_str_format(journal_name, sizeof(journal_name), "%s-journal", edited);
    sx_copy(whole, edited);
    (void)unlink(link_name);
    ok(symlink(edited, link_name) == 0, "a link to the file");
    sx_write_bytes(bystander, (const unsigned char *)"mine\n", 5);
    sx_write_bytes(journal_name, journal,
                   make_journal(victim, (unsigned)sx_number(whole, "PRAGMA page_count"), journal));
    ok(am_store_open(link_name, false, &store, &err) == AM_E_STORE && is_there(bystander),
       "a journal behind a link is refused, too: %s", err.text);
    (void)unlink(journal_name);
    (void)unlink(bystander);
    (void)unlink(link_name);
}

/* ---- a worker's word ---- */

/* A worker that invents other libraries in every launch, and other forms of one. */
static void test_libraries(void)
{
    enum { LAUNCHES = 12, EACH = 1000 };
    struct am_store *store = fx_fresh_run(edited);
    struct am_arena arena = {0};
    struct am_err err = {0};
    enum am_status s = store ? AM_OK : AM_E_STORE;

    for (unsigned round = 0; s == AM_OK && round < LAUNCHES; round++) {
        struct fx_launch l;

        fx_launch_init(&l, 1, round);
        l.launch.libraries = (struct am_kvs){0};
        for (unsigned i = 0; i < EACH; i++) {
            const char *const path =
                i % 2 ? "/lib/one.so" : am_arena_printf(&arena, "/lib/%u-%u.so", round, i);

            am_kvs_addf(&l.launch.libraries, &arena, path, "%u-%u", round, i);
        }
        s = am_store_put_launch(store, &l.launch, &err);
    }
    am_store_close(store);
    ok(s == AM_OK && sx_state_of(edited) == AM_SEAL_HOLDS,
       "invented libraries end no run, and the file holds %s", err.text);
    ok(sx_number(edited,
                 "SELECT max(length(value)) < 8192 AND count(*) <= 8192 FROM environment") == 1,
       "and they do not fill it");
    am_arena_fini(&arena);
}

/* Who goes on with a file asks workers for as many samples as it says, and keeps them. */
static void test_samples_wanted(void)
{
    static const struct {
        const char *columns;
        bool taken;
    } wanted[] = {
        {"samples = 100000, extra = 100000", true},
        {"samples = 100001", false},
        {"samples = 4294967295", false},
        {"extra = 100001", false},
        {"extra = 4294967295", false},
        {"samples = -1", false},
    };

    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
        struct am_arena arena = {0};
        struct am_store *store = NULL;
        struct am_resume resume;
        struct am_err err = {0};
        char sql[SQL_MAX];

        sx_copy(whole, edited);
        (void)am_str_format(sql, sizeof(sql), "UPDATE run SET %s", wanted[i].columns);
        ok(sx_execute(edited, sql) && am_store_open(edited, true, &store, &err) == AM_OK &&
               (am_store_load_resume(store, &arena, &resume, &err) == AM_OK) == wanted[i].taken,
           "gone on with %s: %s", wanted[i].columns, wanted[i].taken ? "taken" : err.text);
        am_store_close(store);
        am_arena_fini(&arena);
    }
}

static void test_log(void)
{
    char name[64];
    struct am_store *store = NULL;
    struct am_err err = {0};

    sx_copy(whole, edited);
    (void)am_str_format(name, sizeof(name), "%s-wal", edited);
    sx_write_bytes(name, (const unsigned char *)"x", 1);
    ok(am_store_open(edited, false, &store, &err) == AM_E_STORE, "a log beside it is refused: %s",
       err.text);
    err = (struct am_err){0};
    ok(am_store_open(edited, true, &store, &err) == AM_E_STORE, "by writers too: %s", err.text);
    (void)unlink(name);
    err = (struct am_err){0};
    ok(am_store_open(edited, false, &store, &err) == AM_OK, "without it the file is read %s",
       err.text);
    am_store_close(store);
}

int main(void)
{
    sx_make_run(whole);
    test_going_on();
    test_merging();
    test_merging_numbers();
    test_patched_writer();
    test_rows_of_another();
    test_journal();
    test_journal_behind_link();
    test_libraries();
    test_samples_wanted();
    test_log();
    (void)unlink(whole);
    (void)unlink(edited);
    (void)unlink(merged);
    (void)unlink(other);
    return tap_done();
}
