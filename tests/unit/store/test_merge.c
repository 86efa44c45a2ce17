/* SPDX-License-Identifier: MIT */
/* Files of several machines in one: nothing lost, nothing changed, and every bad part told. */
#include "store/merge.h"

#include "store/db.h"
#include "store/parts.h"
#include "store_fixture.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static char folder[] = "/tmp/archmeter-merge-XXXXXX";

static const char *at(const char *name)
{
    static char path[4][256];
    static int turn;
    char *const p = path[turn++ % 4];

    (void)snprintf(p, sizeof(path[0]), "%s/%s", folder, name);
    return p;
}

/* A run of which the first `measured` points were visited in `rounds` rounds. */
static void make(const char *path, int64_t measured, unsigned rounds, bool ends)
{
    struct am_point points[FX_POINTS];
    struct am_plan plan = fx_plan(points);
    struct am_store *store = NULL;
    struct am_err err = {0};
    bool good =
        am_store_create(path, &store, &err) == AM_OK && fx_begin(store, &plan, &err) == AM_OK;

    for (unsigned r = 0; good && r < rounds; r++) {
        for (int64_t p = 1; good && p <= measured; p++)
            good = fx_put(store, p, r, &err) == AM_OK;
    }
    if (good && ends)
        good = am_store_end_run(store, AM_RUN_DONE, &err) == AM_OK;
    am_store_close(store);
    if (!good)
        ok(false, "cannot make %s: %s", path, err.text);
}

static const char *param(const struct am_result *r, const char *name)
{
    for (size_t i = 0; i < r->n_params; i++) {
        if (strcmp(r->params[i].name, name) == 0)
            return r->params[i].text;
    }
    return "";
}

/* A result of the merged file against that of its node's own. */
static bool same_result(const struct am_result *merged, const struct am_result *own)
{
    const char *const text = strchr(merged->text, ' ');
    bool same = text && strcmp(text + 1, own->text) == 0 &&
                strcmp(merged->bench, own->bench) == 0 && merged->version == own->version &&
                merged->state == own->state && merged->n_params == own->n_params + 1 &&
                merged->n_metrics == own->n_metrics;

    for (size_t m = 0; same && m < own->n_metrics; m++) {
        const struct am_series *const a = &merged->metrics[m].series, *const b =
                                                                          &own->metrics[m].series;

        same = strcmp(merged->metrics[m].name, own->metrics[m].name) == 0 && a->n == b->n;
        for (size_t l = 0; same && l < a->n; l++)
            same = a->launches[l].n == b->launches[l].n &&
                   a->launches[l].busy == b->launches[l].busy &&
                   memcmp(a->launches[l].values, b->launches[l].values,
                          a->launches[l].n * sizeof(double)) == 0;
    }
    return same;
}

static void load(const char *path, struct am_arena *arena, struct am_result_set *set,
                 struct am_nodes *nodes)
{
    struct am_store *store = NULL;
    struct am_err err = {0};

    *set = (struct am_result_set){0};
    if (am_store_open(path, false, &store, &err) != AM_OK ||
        am_store_load(store, NULL, arena, set, &err) != AM_OK)
        ok(false, "%s: %s", path, err.text);
    am_store_close(store);
    *nodes = set->nodes;
}

static void test_union(void)
{
    static const struct am_node_part parts[] = {{.name = "a"}, {.name = "b"}};
    struct am_node_part files[] = {parts[0], parts[1]};
    struct am_arena arena = {0};
    struct am_result_set own[2], merged;
    struct am_nodes nodes, none;
    struct am_err err = {0};
    size_t same = 0;

    make(at("a.db"), FX_POINTS, 3, true);
    make(at("b.db"), 4, 2, true);
    files[0].path = at("a.db");
    files[1].path = at("b.db");
    ok(am_store_merge(at("all.db"), &(struct am_merge){"merge", files, 2, NULL}, &err) == AM_OK,
       "two files become one (%s)", err.text);
    load(files[0].path, &arena, &own[0], &none);
    load(files[1].path, &arena, &own[1], &nodes);
    ok(none.n == 0, "the file of one machine has no nodes");
    load(at("all.db"), &arena, &merged, &nodes);
    ok(merged.n == own[0].n + own[1].n, "with all points of both");
    ok(merged.quiet.launches == own[0].quiet.launches + own[1].quiet.launches &&
           merged.quiet.busy == own[0].quiet.busy + own[1].quiet.busy && merged.quiet.busy > 0,
       "and what else the machines did around all launches");
    for (size_t i = 0; i < merged.n; i++)
        same += same_result(&merged.results[i], &own[i / FX_POINTS].results[i % FX_POINTS]) &&
                strcmp(param(&merged.results[i], "node"), parts[i / FX_POINTS].name) == 0;
    ok(same == merged.n, "each with its samples, bit by bit, and its node");
    ok(merged.launches == own[0].launches + own[1].launches, "and all launches");
    is_str(am_run_states[merged.run.state], "done", "a run that is done");
    ok(merged.run.synthetic, "synthetic as its parts are");
    ok(nodes.n == 2 && nodes.items[0].ok == FX_POINTS && nodes.items[1].ok == 4 &&
           nodes.items[1].points == FX_POINTS && nodes.items[1].state == AM_NODE_DONE,
       "nodes say how many points they measured");
    is_str(am_kvs_get(&merged.machine, "model"), "Test CPU", "what all have in common stays there");
    am_arena_fini(&arena);
}

/* As make(), with the points in the opposite order: benches, axes and metrics have other ids. */
static void make_turned(const char *path)
{
    struct am_point points[FX_POINTS], turned[FX_POINTS];
    struct am_plan plan = fx_plan(points);
    struct am_store *store = NULL;
    struct am_err err = {0};
    bool good;

    for (size_t i = 0; i < FX_POINTS; i++)
        turned[i] = points[FX_POINTS - 1 - i];
    plan.points = turned;
    good = am_store_create(path, &store, &err) == AM_OK && fx_begin(store, &plan, &err) == AM_OK;
    for (int64_t p = 1; good && p <= FX_POINTS; p++)
        good = fx_put(store, p, 0, &err) == AM_OK;
    good = good && am_store_end_run(store, AM_RUN_DONE, &err) == AM_OK;
    am_store_close(store);
    ok(good, "a file with a turned plan %s", err.text);
}

/* Workers that said nothing beside their samples. */
static void make_silent(const char *path)
{
    struct am_point points[FX_POINTS];
    struct am_plan plan = fx_plan(points);
    struct am_store *store = NULL;
    struct am_err err = {0};
    bool good =
        am_store_create(path, &store, &err) == AM_OK && fx_begin(store, &plan, &err) == AM_OK;

    for (int64_t p = 1; good && p <= FX_POINTS; p++) {
        struct fx_launch l;

        fx_launch_init(&l, p, 0);
        l.visit.notes = l.visit.chosen = l.visit.proposed = (struct am_kvs){0};
        l.visit.n_attachments = 0;
        for (size_t i = 0; i < FX_SAMPLES; i++)
            l.samples[i].off_ns = 0;
        good = am_store_put_launch(store, &l.launch, &err) == AM_OK;
    }
    good = good && am_store_end_run(store, AM_RUN_DONE, &err) == AM_OK;
    am_store_close(store);
    ok(good, "a file of silent workers %s", err.text);
}

static void change(const char *path, const char *sql);

/* What one part leaves for the next (the plan, where it is the same) is of no other part, and not
 * of one that was refused. */
static void test_plans(void)
{
    static const char *const names[] = {"silent", "same", "turned", "other", "turned2", "silent2"};
    enum { N = 6, REFUSED = 3 };
    struct am_node_part files[N];
    struct am_arena arena = {0};
    struct am_result_set own, merged;
    struct am_nodes nodes, none;
    struct am_err err = {0};
    size_t at_result = 0, same = 0;

    for (size_t i = 0; i < N; i++)
        files[i] =
            (struct am_node_part){.name = names[i], .path = am_arena_strdup(&arena, at(names[i]))};
    make_silent(files[0].path);
    make(files[1].path, FX_POINTS, 1, true);
    make_turned(files[2].path);
    make(files[REFUSED].path, FX_POINTS, 1, true);
    change(files[REFUSED].path, "UPDATE bench SET version = 99");
    files[4].path = files[2].path;
    files[5].path = files[0].path;
    ok(am_store_merge(at("plans.db"), &(struct am_merge){"merge", files, N, NULL}, &err) == AM_OK,
       "files with other plans become one (%s)", err.text);
    load(at("plans.db"), &arena, &merged, &nodes);
    ok(nodes.n == N && nodes.items[REFUSED].state == AM_NODE_LOST, "but for one: %s",
       nodes.n == N && nodes.items[REFUSED].reason ? nodes.items[REFUSED].reason : "none");
    for (size_t i = 0; i < N; i++) {
        load(files[i].path, &arena, &own, &none);
        for (size_t k = 0; i != REFUSED && k < own.n && at_result < merged.n; k++, at_result++)
            same += same_result(&merged.results[at_result], &own.results[k]);
    }
    ok(same == merged.n && same == (N - 1) * (size_t)FX_POINTS,
       "all %zu points with their samples, whatever the part before was like", same);
    am_arena_fini(&arena);
}

/* Every row of the tables that may be empty is copied, of whatever part has it. */
static void test_sometimes_empty(void)
{
    static const char *const tables[] = {"note", "chosen", "proposed", "attachment", "off_cpu"};
    struct am_store *own = NULL, *merged = NULL;
    struct am_err err = {0};
    char sql[64];

    if (am_store_open(at("same"), false, &own, &err) == AM_OK &&
        am_store_open(at("plans.db"), false, &merged, &err) == AM_OK) {
        for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
            (void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", tables[i]);
            ok(am_db_ask(own, sql) > 0 && am_db_ask(merged, sql) == 3 * am_db_ask(own, sql),
               "%s: all rows of the three parts that have some", tables[i]);
        }
    } else {
        ok(false, "%s", err.text);
    }
    am_store_close(own);
    am_store_close(merged);
}

static void test_bad_parts(void)
{
    struct am_arena arena = {0};
    struct am_result_set set;
    struct am_nodes nodes;
    struct am_err err = {0};
    const struct am_node_part parts[] = {
        {.name = "lost", .reason = "no word from it for 60 s"},
        {.name = "foreign", .path = at("foreign.db")},
        {.name = "good", .path = at("a.db")},
        {.name = "cut", .path = at("cut.db")},
    };
    static const volatile sig_atomic_t asked = 1;
    FILE *const f = fopen(parts[1].path, "w");

    (void)fputs("this is no database, however long it may be read", f);
    (void)fclose(f);
    make(parts[3].path, 2, 1, false);
    ok(am_store_merge(at("bad.db"), &(struct am_merge){"merge", parts, 4, NULL}, &err) == AM_OK,
       "bad parts cost nothing (%s)", err.text);
    load(at("bad.db"), &arena, &set, &nodes);
    ok(nodes.n == 4, "every node is told");
    is_str(nodes.items[0].reason, "no word from it for 60 s", "with the reason of a lost one");
    ok(nodes.items[0].state == AM_NODE_LOST && nodes.items[1].state == AM_NODE_LOST &&
           strstr(nodes.items[1].reason, "not an archmeter run"),
       "of one whose file is no run (%s)", nodes.items[1].reason);
    ok(nodes.items[2].state == AM_NODE_DONE && !nodes.items[2].reason, "the good one is done");
    ok(nodes.items[3].state == AM_NODE_PARTIAL && nodes.items[3].ok == 2,
       "one that did not end is partial, its results are there");
    is_str(am_run_states[set.run.state], "failed", "the whole is not done");
    ok(set.n == 2 * FX_POINTS, "points of the two that could be read");
    ok(am_store_merge(at("bad.db"), &(struct am_merge){"merge", parts, 4, NULL}, &err) ==
           AM_E_USAGE,
       "a file that exists is not overwritten");
    ok(am_store_merge(at("none.db"), &(struct am_merge){"merge", parts, 2, NULL}, &err) ==
               AM_E_ABSENT &&
           access(at("none.db"), F_OK) != 0,
       "nothing to merge leaves no file");
    err = (struct am_err){0};
    ok(am_store_merge(at("none.db"), &(struct am_merge){"merge", parts, 4, &asked}, &err) ==
               AM_E_INTERRUPTED &&
           access(at("none.db"), F_OK) != 0,
       "who is asked to end ends, and leaves no file (%s)", err.text);
    am_arena_fini(&arena);
}

/* Replaces what a file holds, by SQL. */
static void change(const char *path, const char *sql)
{
    struct am_store *store = NULL;
    struct am_err err = {0};

    if (am_store_open(path, true, &store, &err) != AM_OK ||
        am_db_exec(store, sql, "test", &err) != AM_OK)
        ok(false, "%s: %s", path, err.text);
    am_store_close(store);
}

static const char *finding(const struct am_findings *findings, const char *id)
{
    const char *value = "";

    for (size_t i = 0; i < findings->n; i++) {
        if (strcmp(findings->items[i].id, id) == 0)
            value = *value ? "twice" : findings->items[i].value;
    }
    return value;
}

static void test_findings(void)
{
    static const char *const names[] = {"n1", "n2", "n3", "n4", "n5", "n6"};
    struct am_node_part parts[6];
    struct am_arena arena = {0};
    struct am_result_set set;
    struct am_nodes nodes;
    struct am_err err = {0};

    for (size_t i = 0; i < 6; i++) {
        char sql[1024];

        parts[i] =
            (struct am_node_part){.name = names[i], .path = am_arena_strdup(&arena, at(names[i]))};
        make(parts[i].path, 1, 1, true);
        (void)snprintf(sql, sizeof(sql),
                       "DELETE FROM finding; INSERT INTO finding (id, area, level, value) VALUES"
                       " ('all', 'x', 'warn', 'everywhere'), ('load', 'x', 'warn', '%zu %%')%s%s;",
                       i, i < 5 ? ", ('five', 'x', 'warn', 'on five')" : "",
                       i == 1 ? ", ('one', 'x', 'warn', 'on one')" : "");
        change(parts[i].path, sql);
    }
    ok(am_store_merge(at("findings.db"), &(struct am_merge){"merge", parts, 6, NULL}, &err) ==
           AM_OK,
       "six files (%s)", err.text);
    load(at("findings.db"), &arena, &set, &nodes);
    is_str(finding(&set.findings, "all"), "everywhere", "what all machines have stands once");
    is_str(finding(&set.findings, "one"), "n2: on one", "what one has names it");
    is_str(finding(&set.findings, "five"), "n1, n2, n3, n4 and 1 more: on five",
           "what many have names some");
    is_str(finding(&set.findings, "load"), "n1: 0 %; n2: 1 %; n3: 2 %; n4: 3 %; and 2 more",
           "values that differ stand beside their machines");
    ok(nodes.n == 6 && nodes.items[2].state == AM_NODE_PARTIAL,
       "files that were changed by hand are told apart");
    for (size_t i = 0; i < 6; i++)
        (void)unlink(parts[i].path);
    am_arena_fini(&arena);
}

static void test_left_out(void)
{
    struct am_kv items[] = {{"cluster.left_out", "no bench matches \"ocl.*\""}};
    const struct am_kvs settings = {items, 1, 1};
    const struct am_node_part parts[] = {{.name = "less", .path = at("less.db")}};
    struct am_store *store = NULL;
    struct am_arena arena = {0};
    struct am_result_set set;
    struct am_nodes nodes;
    struct am_err err = {0};

    make(parts[0].path, 1, 1, true);
    ok(am_store_open(parts[0].path, true, &store, &err) == AM_OK &&
           am_store_put_settings(store, &settings, &err) == AM_OK,
       "a part that lacks a bench (%s)", err.text);
    am_store_close(store);
    ok(am_store_merge(at("left.db"), &(struct am_merge){"merge", parts, 1, NULL}, &err) == AM_OK,
       "is merged (%s)", err.text);
    load(at("left.db"), &arena, &set, &nodes);
    ok(nodes.n == 1 && nodes.items[0].state == AM_NODE_DONE, "and is done");
    is_str(nodes.items[0].reason, "left out: no bench matches \"ocl.*\"", "and says what it lacks");
    am_arena_fini(&arena);
}

/* Parts are checked ahead of their turn, and come in their order all the same. */
static void test_parts(void)
{
    enum { MANY = 60 };
    char *const whole = strdup(at("parts.db")), *const none = strdup(at("none.db"));
    struct am_node_part list[MANY];
    const struct am_merge merge = {"merge", list, MANY, NULL};
    struct am_parts *parts = NULL;
    const struct am_checked_part *part = NULL;
    struct am_err err = {0};
    size_t wrong = 0;

    make(whole, 2, 2, true);
    for (size_t i = 0; i < MANY; i++)
        list[i] = (struct am_node_part){.name = "x",
                                        .path = i % 7 == 3   ? NULL
                                                : i % 5 == 1 ? none
                                                             : whole};
    ok(am_parts_open(&merge, &parts, &err) == AM_OK, "parts are opened %s", err.text);
    for (size_t i = 0; i < MANY; i++) {
        if (!list[i].path)
            continue;
        part = am_parts_next(parts);
        wrong += list[i].path == none
                     ? part->store || part->failed.status == AM_OK
                     : !part->store || !part->sealed || !am_checked_part_is_same(part);
    }
    ok(wrong == 0, "each is told as it is, in the order asked for");
    am_parts_close(parts);
    ok(am_parts_open(&merge, &parts, &err) == AM_OK && am_parts_next(parts)->store,
       "a merge may end early");
    am_parts_close(parts);
    list[0].path = whole;
    ok(am_parts_open(&(struct am_merge){"merge", list, 1, NULL}, &parts, &err) == AM_OK,
       "one part is opened %s", err.text);
    part = am_parts_next(parts);
    change(whole, "UPDATE run SET label = 'meanwhile'");
    ok(part->store && !am_checked_part_is_same(part), "a part that was changed meanwhile is told");
    am_parts_close(parts);
    free(whole);
    free(none);
}

int main(void)
{
    static const char *const made[] = {"less.db",     "left.db",    "a.db",   "b.db",
                                       "all.db",      "foreign.db", "cut.db", "bad.db",
                                       "findings.db", "parts.db"};

    if (!mkdtemp(folder))
        return 1;
    test_union();
    test_plans();
    test_sometimes_empty();
    test_bad_parts();
    test_findings();
    test_left_out();
    test_parts();
    for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
        (void)unlink(at(made[i]));
    (void)rmdir(folder);
    return tap_done();
}
