/* SPDX-License-Identifier: MIT */
/* One results file out of those of several machines, row by row as they are. */
#include "store/merge.h"

#include "base/text.h"
#include "store/db.h"
#include "store/parts.h"
#include "store/read.h"
#include "store/seal.h"
#include "store/version.h"

#include <limits.h>
#include <string.h>

const char *const am_node_states[] = {"done", "partial", "lost", NULL};

/* What a statement of a part is given. Ids of its rows are raised by those that are there already;
 * what differs between schema versions is read from temporary views (am_version_adapt()). */
#define NODE "?1" /* its name */
#define POINT "?2 +"
#define LAUNCH "?3 +"
#define VISIT "?4 +"

static const char temporary[] =
    "CREATE TEMP TABLE found (node, id, area, level, value, effect, remedy);"
    "CREATE TEMP TABLE metric_of (part INTEGER PRIMARY KEY, main);";

/* Benches with their axes and metrics, which most parts have alike. */
static const char *const copy_plan[] = {
    "INSERT INTO main.bench (name, version, worker, summary)"
    " SELECT name, version, worker, summary FROM part.bench p WHERE NOT EXISTS"
    " (SELECT 1 FROM main.bench b WHERE b.name = p.name AND b.worker = p.worker) ORDER BY id",

    "INSERT INTO main.axis (bench, name, kind) SELECT id, 'node', 'name' FROM main.bench b"
    " WHERE NOT EXISTS (SELECT 1 FROM main.axis a WHERE a.bench = b.id)",

    "INSERT OR IGNORE INTO main.axis (bench, name, kind, unit)"
    " SELECT b.id, a.name, a.kind, a.unit FROM part.axis a JOIN part.bench p ON p.id = a.bench"
    " JOIN main.bench b ON b.name = p.name AND b.worker = p.worker ORDER BY a.id",

    "INSERT OR IGNORE INTO main.metric (bench, name, unit, better, rule)"
    " SELECT b.id, m.name, m.unit, m.better, m.rule FROM part.metric m"
    " JOIN part.bench p ON p.id = m.bench"
    " JOIN main.bench b ON b.name = p.name AND b.worker = p.worker ORDER BY m.id",

    "DELETE FROM temp.metric_of",
    "INSERT INTO temp.metric_of SELECT o.id, m.id FROM part.metric o"
    " JOIN part.bench p ON p.id = o.bench"
    " JOIN main.bench b ON b.name = p.name AND b.worker = p.worker"
    " JOIN main.metric m ON m.bench = b.id AND m.name = o.name",
};

static const struct {
    const char *sql;
    unsigned needs; /* the tables it copies, of those that may be empty: AM_PART_HAS() */
} copy_part[] = {
    {"INSERT INTO main.point SELECT " POINT " x.id, b.id, rtrim('node=' || " NODE
     " || ' ' || x.text), x.stop_reason FROM part.point x JOIN part.bench p ON p.id = x.bench"
     " JOIN main.bench b ON b.name = p.name AND b.worker = p.worker ORDER BY x.id",
     0},

    {"INSERT INTO main.param SELECT y.id, a.id, " NODE " FROM part.point x"
     " JOIN main.point y ON y.id = " POINT " x.id"
     " JOIN main.axis a ON a.bench = y.bench AND a.name = 'node'",
     0},

    {"INSERT INTO main.param SELECT y.id, a.id, x.value FROM part.param x"
     " JOIN part.axis o ON o.id = x.axis JOIN main.point y ON y.id = " POINT " x.point"
     " JOIN main.axis a ON a.bench = y.bench AND a.name = o.name",
     0},

    {"INSERT INTO main.launch SELECT " LAUNCH " id, round, seed, worker, cpus, environment, pid,"
     " started_ns, ended_ns, wall_start, clock_overhead_ns, clock_resolution_ns, hz, output"
     " FROM part.launch ORDER BY id",
     0},

    {"INSERT INTO main.surroundings SELECT " LAUNCH " launch, load, runnable, others, steal,"
     " pressure_cpu, pressure_memory, pressure_io, labels FROM temp.surroundings",
     0},

    {"INSERT INTO main.visit SELECT " VISIT " id, " LAUNCH " launch, " POINT " point, round, state,"
     " bytes_read, bytes_written, flops, ops, residual FROM part.visit ORDER BY id",
     0},

    {"INSERT INTO main.failure SELECT " VISIT " visit, kind, reason FROM part.failure",
     AM_PART_HAS(FAILURE)},
    {"INSERT INTO main.note SELECT " VISIT " visit, key, value FROM temp.note", AM_PART_HAS(NOTE)},
    {"INSERT INTO main.chosen SELECT " VISIT " visit, name, value FROM temp.chosen",
     AM_PART_HAS(CHOSEN)},
    {"INSERT INTO main.proposed SELECT " VISIT " visit, axis, value FROM temp.proposed",
     AM_PART_HAS(PROPOSED)},
    {"INSERT INTO main.attachment SELECT " VISIT " visit, name, type, data FROM temp.attachment",
     AM_PART_HAS(ATTACHMENT)},

    {"INSERT INTO main.sample SELECT " VISIT " visit, seq, iters, t0_ns, t1_ns, elapsed_ns,"
     " hz_before, hz_after, steal_ns, switches, labels FROM part.sample",
     0},

    {"INSERT INTO main.off_cpu SELECT " VISIT " visit, seq, off_ns FROM temp.off_cpu",
     AM_PART_HAS(OFF_CPU)},

    {"INSERT INTO main.value SELECT " VISIT " x.visit, x.seq, m.main, x.value"
     " FROM part.value x JOIN temp.metric_of m ON m.part = x.metric",
     0},

    {"INSERT INTO main.chain SELECT NULL, " NODE ", " LAUNCH " first, launches, start"
     " FROM temp.chain",
     0},
    {"INSERT INTO main.seal SELECT " LAUNCH " launch, digest FROM temp.seal", 0},
    {"INSERT INTO main.sample_seal SELECT " VISIT " visit, shown, rest FROM temp.sample_seal", 0},

    {"INSERT INTO temp.found SELECT " NODE ", id, area, level, value, effect, remedy"
     " FROM part.finding ORDER BY seq",
     0},

    {"INSERT INTO main.node_fact SELECT n.id, x.area, x.key, x.value FROM main.node n,"
     " (SELECT 'machine' AS area, key, value FROM part.machine"
     " UNION ALL SELECT 'environment', key, value FROM temp.environment"
     " UNION ALL SELECT 'setting', key, value FROM temp.setting"
     " UNION ALL SELECT 'build', key, value FROM part.build) x WHERE n.name = " NODE,
     0},
    {"UPDATE main.node SET (command, started, ended) ="
     " (SELECT command, started, ended FROM part.run), reason = (SELECT 'left out: ' || value"
     " FROM temp.setting WHERE key = 'cluster.left_out') WHERE name = " NODE,
     0},
};

/* A finding of several machines stands once: as it is where all have it alike, else with the first
 * machines that have it, and each one's own value where those differ. */
static const char merge_findings[] =
    "INSERT INTO finding (id, area, level, value, effect, remedy)"
    " SELECT id, area, level, CASE WHEN min(value) <> max(value)"
    " THEN group_concat(CASE WHEN nth <= 4 THEN node || ': ' || value END, '; ')"
    " || CASE WHEN count(*) > 4 THEN '; and ' || (count(*) - 4) || ' more' ELSE '' END"
    " WHEN count(DISTINCT node) = (SELECT count(DISTINCT node) FROM temp.found) THEN value"
    " ELSE group_concat(CASE WHEN nth <= 4 THEN node END, ', ')"
    " || CASE WHEN count(*) > 4 THEN ' and ' || (count(*) - 4) || ' more' ELSE '' END"
    " || coalesce(': ' || value, '') END, effect, remedy"
    " FROM (SELECT *, rowid AS place, row_number() OVER (PARTITION BY id, area, level, effect,"
    " remedy ORDER BY rowid) AS nth FROM temp.found ORDER BY rowid)"
    " GROUP BY id, area, level, effect, remedy ORDER BY min(place);";

/* Once all parts are there. */
static const char finish_sql[] =
    "CREATE TEMP TABLE common (area, key, value, PRIMARY KEY (area, key)) WITHOUT ROWID;"
    "INSERT INTO common SELECT area, key, min(value) FROM node_fact"
    " GROUP BY area, key HAVING min(value) = max(value) AND count(*) ="
    " (SELECT count(DISTINCT node) FROM node_fact);"
    "INSERT INTO machine (key, value) SELECT key, value FROM common WHERE area = 'machine';"
    "INSERT INTO environment (key, value) SELECT key, value FROM common WHERE area = 'environment';"
    "INSERT INTO setting (key, value) SELECT key, value FROM common WHERE area = 'setting';"
    "INSERT INTO build (key, value) SELECT key, value FROM common WHERE area = 'build';"
    "DELETE FROM node_fact WHERE EXISTS (SELECT 1 FROM common c"
    " WHERE c.area = node_fact.area AND c.key = node_fact.key);"
    "UPDATE run SET state = CASE WHEN EXISTS (SELECT 1 FROM node WHERE state <> 'done')"
    " THEN 'failed' ELSE 'done' END,"
    " started = coalesce((SELECT min(started) FROM node), started),"
    " ended = coalesce((SELECT max(ended) FROM node), started);";

static enum am_status put_node(struct am_store *store, const char *name, enum am_node_state state,
                               const char *reason, struct am_err *err)
{
    return am_db_put_once(
        store,
        "INSERT INTO node (name, state, reason) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (name) DO UPDATE SET state = ?2, reason = ?3",
        AM_DB_VALUES(am_db_text(name), am_db_text(am_node_states[state]), am_db_text(reason)), err);
}

/* Results of different versions, or with other axes, would stand in one table as if they were
 * comparable. */
static enum am_status check_alike(struct am_store *store, struct am_err *err)
{
    const int64_t others =
        am_db_ask(store, "SELECT count(*) FROM part.bench p JOIN main.bench b ON b.name = p.name"
                         " AND b.worker = p.worker WHERE b.version <> p.version");
    const int64_t axes = am_db_ask(
        store, "SELECT count(*) FROM (SELECT b.id AS bench, b.name, b.worker FROM part.bench p"
               " JOIN main.bench b ON b.name = p.name AND b.worker = p.worker) b WHERE"
               " (SELECT group_concat(name || ' ' || kind) FROM (SELECT name, kind FROM"
               " main.axis a WHERE a.bench = b.bench AND a.name <> 'node' ORDER BY a.id)) <>"
               " (SELECT group_concat(name || ' ' || kind) FROM (SELECT a.name, a.kind FROM"
               " part.axis a JOIN part.bench p ON p.id = a.bench WHERE p.name = b.name"
               " AND p.worker = b.worker ORDER BY a.id))");

    if (others == 0 && axes == 0)
        return AM_OK;
    return am_fail(err, AM_E_ABSENT,
                   "its benches are of other versions than those of the nodes before it");
}

static enum am_status first_run_row(struct am_store *store, const char *command, struct am_err *err)
{
    return am_db_put_once(store,
                          "INSERT INTO main.run SELECT 1, ?1, version, started, NULL, 'running',"
                          " label, synthetic, profile, seed, min_launches, max_launches, target,"
                          " budget_s, launch_limit_s, min_batch_ns, max_point_ns, warmup, samples,"
                          " extra, drift_limit FROM part.run WHERE NOT EXISTS"
                          " (SELECT 1 FROM main.run)",
                          AM_DB_VALUES(am_db_text(command)), err);
}

/* Of a part that nothing seals: what is sealed was checked when it was stored. SQLite's own check
 * of every row that is copied would look at all visits of the nodes before for each launch; it is
 * off meanwhile. */
static enum am_status check_references(struct am_store *store, struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .err = err};
    bool dangling;

    am_db_rows_open(&rows, "PRAGMA part.foreign_key_check");
    dangling = am_db_rows_next(&rows);
    if (am_db_rows_close(&rows) == AM_OK && dangling)
        return am_fail(err, AM_E_STORE, "it is damaged (rows of it belong to none)");
    return rows.status;
}

/* A part at hand: its node's name, and by how much its ids are raised. */
struct copy {
    const char *name;
    int64_t point, launch, visit;
};

static enum am_status begin_copy(struct am_store *store, const char *name, struct copy *out,
                                 struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .err = err};

    am_db_rows_open(&rows, "SELECT (SELECT coalesce(max(id), 0) FROM main.point),"
                           " (SELECT coalesce(max(id), 0) FROM main.launch),"
                           " (SELECT coalesce(max(id), 0) FROM main.visit)");
    if (am_db_rows_next(&rows))
        *out = (struct copy){name, am_db_get_int(&rows, 0), am_db_get_int(&rows, 1),
                             am_db_get_int(&rows, 2)};
    return am_db_rows_close(&rows);
}

static enum am_status copy_by(struct am_store *store, const char *sql, const struct copy *c,
                              struct am_err *err)
{
    return am_db_put_some(store, sql,
                          AM_DB_VALUES(am_db_text(c->name), am_db_int(c->point),
                                       am_db_int(c->launch), am_db_int(c->visit)),
                          err);
}

/* What was changed must not hold again because it was copied: the part gets a chain that holds for
 * no launch. */
static enum am_status break_chain(struct am_store *store, const struct copy *c, struct am_err *err)
{
    const enum am_status s = copy_by(store, "DELETE FROM main.chain WHERE node = " NODE, c, err);

    return s == AM_OK ? copy_by(store,
                                "INSERT INTO main.chain VALUES (NULL, " NODE ", " LAUNCH
                                " 1, 1, zeroblob(32))",
                                c, err)
                      : s;
}

/* The file at hand, and what the parts before have left for the next. */
struct merger {
    struct am_store *store;
    struct am_parts *parts;
    const char *command;
    unsigned shown; /* the version as which the temporary views show parts; 0: there are none */
    bool planned;   /* `plan` is that of the latest part that was taken */
    unsigned char plan[AM_DIGEST_BYTES];
};

/* Nothing is to be done where the part before had the same rows of all these tables. */
static enum am_status take_plan(const struct merger *m, const struct am_checked_part *checked,
                                const struct copy *c, struct am_err *err)
{
    enum am_status s;

    if (m->planned && memcmp(m->plan, checked->plan, sizeof(m->plan)) == 0)
        return AM_OK;
    s = check_alike(m->store, err);
    for (size_t i = 0; s == AM_OK && i < sizeof(copy_plan) / sizeof(*copy_plan); i++)
        s = copy_by(m->store, copy_plan[i], c, err);
    return s;
}

static enum am_status copy_rows(struct am_store *store, const struct am_checked_part *checked,
                                const struct copy *c, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < sizeof(copy_part) / sizeof(*copy_part); i++) {
        if ((copy_part[i].needs & ~checked->has) == 0)
            s = copy_by(store, copy_part[i].sql, c, err);
    }
    if (s == AM_OK && checked->broken.status != AM_OK)
        s = break_chain(store, c, err);
    return s;
}

/* Copies everything of the attached part; what fails leaves nothing of it, also of the temporary
 * tables. */
static enum am_status take_rows(struct merger *m, const char *name,
                                const struct am_checked_part *checked, struct am_err *err)
{
    struct am_store *const store = m->store;
    struct copy c = {.name = name};
    enum am_status s = am_db_begin(store, err);

    if (s != AM_OK)
        return s;
    s = begin_copy(store, name, &c, err);
    if (s == AM_OK && !checked->sealed)
        s = check_references(store, err);
    if (s == AM_OK)
        s = take_plan(m, checked, &c, err);
    if (s == AM_OK)
        s = first_run_row(store, m->command, err);
    if (s == AM_OK)
        s = put_node(store, name, AM_NODE_DONE, NULL, err);
    if (s == AM_OK)
        s = copy_rows(store, checked, &c, err);
    if (s == AM_OK && checked->synthetic)
        s = am_db_exec(store, "UPDATE main.run SET synthetic = 1", "merge", err);
    if (s == AM_OK && !am_checked_part_is_same(checked))
        s = am_fail(err, AM_E_STORE, "it was changed while it was merged");
    s = am_db_end(store, s, err);
    if (s == AM_OK) {
        memcpy(m->plan, checked->plan, sizeof(m->plan));
        m->planned = true;
    }
    return s;
}

/* Why a part that was taken is not whole; NULL when it is. */
static const char *reason_of(const struct am_node_part *part, const struct am_checked_part *checked)
{
    if (checked->broken.status != AM_OK)
        return checked->broken.text;
    if (checked->remark.status != AM_OK)
        return checked->remark.text;
    if (part->reason)
        return part->reason;
    return checked->ended ? NULL : "its run did not end";
}

/* As connect_db() does it: no name is a URI or one of SQLite's own. */
static enum am_status attach(struct am_store *store, const char *path, struct am_err *err)
{
    char name[PATH_MAX + 2];

    if (!am_str_format(name, sizeof(name), "%s%s", path[0] == '/' ? "" : "./", path))
        return am_fail(err, AM_E_STORE, "%s: cannot open: the name is too long", path);
    return am_db_put_once(store, "ATTACH ?1 AS part", AM_DB_VALUES(am_db_text(name)), err);
}

/* The views outlive a part: making them anew would be a fifth of its time. */
static enum am_status show_as_current(struct merger *m, unsigned version, struct am_err *err)
{
    enum am_status s = AM_OK;

    if (m->shown == version)
        return AM_OK;
    if (m->shown)
        s = am_version_drop(m->store, err);
    m->shown = version;
    return s == AM_OK ? am_version_adapt(m->store, "part", version, err) : s;
}

static enum am_status take_part(struct merger *m, const struct am_node_part *part,
                                struct am_err *err)
{
    struct am_store *const store = m->store;
    const struct am_checked_part *const checked = am_parts_next(m->parts);
    struct am_err ignored = {0};
    const char *reason;
    enum am_status s = checked->failed.status;

    if (s != AM_OK)
        return am_fail(err, s, "%s", checked->failed.text);
    s = attach(store, part->path, err);
    if (s != AM_OK)
        return s;
    s = show_as_current(m, checked->version, err);
    if (s == AM_OK)
        s = take_rows(m, part->name, checked, err);
    reason = s == AM_OK ? reason_of(part, checked) : NULL;
    if (reason)
        s = put_node(store, part->name, AM_NODE_PARTIAL, reason, err);
    (void)am_db_exec(store, "DETACH part", "merge", &ignored);
    return s;
}

/* A part that cannot be taken is told in the file, and costs nothing else. */
static enum am_status add_part(struct merger *m, const struct am_node_part *part, size_t *taken,
                               struct am_err *err)
{
    struct am_err why = {0};

    if (!part->path)
        return put_node(m->store, part->name, AM_NODE_LOST,
                        part->reason ? part->reason : "no results came", err);
    if (take_part(m, part, &why) == AM_OK) {
        ++*taken;
        return AM_OK;
    }
    return put_node(m->store, part->name, AM_NODE_LOST, why.text, err);
}

/* A file that is being merged holds nothing that its parts do not hold: where the system dies in
 * between, it is made again. So the disk is waited for once, at the end, and not three times per
 * part; rolling a bad part back needs no file either. */
static const char unsynced[] = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;"
                               "PRAGMA foreign_keys = OFF;";
static const char synced[] = "PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE;";

/* What all parts together say and the seals over it, in one commit, which also brings the parts to
 * the disk; the launches keep the seals of their parts. */
static enum am_status finish_merge(struct am_store *store, struct am_err *err)
{
    enum am_status s = am_db_exec(store, synced, "merge", err);

    if (s == AM_OK)
        s = am_db_begin(store, err);
    if (s != AM_OK)
        return s;
    s = am_db_exec(store, merge_findings, "merge", err);
    if (s == AM_OK)
        s = am_db_exec(store, finish_sql, "merge", err);
    if (s == AM_OK)
        s = am_seal_tables(store, AM_SEALED_ALL, err);
    return am_db_end(store, s, err);
}

static enum am_status add_parts(struct am_store *store, const struct am_merge *merge,
                                struct am_err *err)
{
    struct merger m = {.store = store, .command = merge->command};
    size_t taken = 0;
    enum am_status s = am_parts_open(merge, &m.parts, err);

    for (size_t i = 0; s == AM_OK && i < merge->n; i++) {
        if (merge->interrupted && *merge->interrupted)
            s = am_fail(err, AM_E_INTERRUPTED, "interrupted; %s is not made", store->path);
        else
            s = add_part(&m, &merge->parts[i], &taken, err);
    }
    am_parts_close(m.parts);
    if (s == AM_OK)
        s = am_version_drop(store, err);
    if (s == AM_OK && taken == 0)
        s = am_fail(err, AM_E_ABSENT, "%s: no node's results can be merged", store->path);
    return s;
}

enum am_status am_store_merge(const char *path, const struct am_merge *merge, struct am_err *err)
{
    struct am_store *store = NULL;
    enum am_status s;

    /* Counting its memory takes a lock that all threads would wait for. Where SQLite is in use
     * already it refuses, and merging is slower. */
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    s = am_store_create(path, &store, err);
    if (s == AM_OK)
        s = am_db_exec(store, am_store_merge_schema, "create", err);
    if (s == AM_OK)
        s = am_db_exec(store, unsynced, "merge", err);
    if (s == AM_OK)
        s = am_db_exec(store, temporary, "merge", err);
    if (s == AM_OK)
        s = add_parts(store, merge, err);
    if (s == AM_OK)
        s = finish_merge(store, err);
    if (s == AM_OK)
        store->fresh = false;
    am_store_close(store);
    return s;
}

/* ---- reading ---- */

bool am_read_is_merged(struct am_store *store)
{
    return am_db_ask(store, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
                            " AND name IN ('node', 'node_fact')") == 2;
}

static enum am_status read_node_facts(struct am_db_rows *rows, int64_t id, struct am_kvs *out)
{
    am_db_rows_open(rows, "SELECT area || '.' || key, value FROM node_fact WHERE node = ?1"
                          " ORDER BY area, key");
    am_db_rows_bind(rows, 1, id);
    while (am_db_rows_next(rows)) {
        struct am_kv *const items =
            am_db_rows_room(rows, out->items, out->n, &out->cap, sizeof(*items));

        if (!items)
            break;
        out->items = items;
        items[out->n++] = (struct am_kv){am_db_get_text(rows, 0), am_db_get_text(rows, 1)};
    }
    return am_db_rows_close(rows);
}

static enum am_status read_all_nodes(struct am_store *store, struct am_arena *arena,
                                     struct am_nodes *out, struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .arena = arena, .err = err};
    enum am_status s;
    size_t cap = 0;

    am_db_rows_open(&rows,
                    "SELECT n.name, n.state, n.reason, count(x.point), count(v.point),"
                    " n.command, n.started, n.ended"
                    " FROM node n LEFT JOIN (SELECT p.point, p.value FROM param p JOIN axis a"
                    " ON a.id = p.axis AND a.name = 'node') x ON x.value = n.name"
                    " LEFT JOIN (SELECT DISTINCT point FROM visit WHERE state = 'ok') v"
                    " ON v.point = x.point GROUP BY n.id ORDER BY n.id");
    while (am_db_rows_next(&rows)) {
        struct am_node *const items =
            am_db_rows_room(&rows, out->items, out->n, &cap, sizeof(*items));

        if (!items)
            break;
        out->items = items;
        items[out->n++] = (struct am_node){
            .name = am_db_get_text(&rows, 0),
            .state = (enum am_node_state)am_db_get_word(&rows, 1, am_node_states, AM_NODE_STATES),
            .reason = am_db_get_text_or_null(&rows, 2),
            .points = am_db_get_unsigned(&rows, 3),
            .ok = am_db_get_unsigned(&rows, 4),
            .command = am_db_get_text_or_null(&rows, 5),
            .started = am_db_get_text_or_null(&rows, 6),
            .ended = am_db_get_text_or_null(&rows, 7),
        };
    }
    s = am_db_rows_close(&rows);
    for (size_t i = 0; s == AM_OK && i < out->n; i++) {
        struct am_db_rows facts = {.store = store, .arena = arena, .err = err};

        s = read_node_facts(&facts, (int64_t)i + 1, &out->items[i].facts);
    }
    return s;
}

enum am_status am_read_nodes(struct am_store *store, struct am_arena *arena, struct am_nodes *out,
                             struct am_err *err)
{
    *out = (struct am_nodes){0};
    return am_read_is_merged(store) ? read_all_nodes(store, arena, out, err) : AM_OK;
}
