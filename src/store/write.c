/* SPDX-License-Identifier: MIT */
/* Writing a run: the plan and its circumstances once, then one commit per launch. */
#include "store/store.h"

#include "store/db.h"
#include "store/seal.h"

/* ---- the run's facts ---- */

static enum am_status put_run(struct am_store *store, const struct am_run_info *info,
                              const struct am_plan_settings *set, struct am_err *err)
{
    const struct am_sampler_settings *const sampler = &set->sampler;
    char seed[AM_DB_U64_TEXT_MAX];

    return am_db_put_once(
        store,
        "INSERT INTO run VALUES (1, ?, ?, coalesce(?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now')), NULL,"
        " 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        AM_DB_VALUES(am_db_text_or(info->command), am_db_text_or(info->version),
                     am_db_text(info->started), am_db_text(info->label), am_db_int(info->synthetic),
                     am_db_text(am_profile_name(set->profile)), am_db_u64_text(set->seed, seed),
                     am_db_int(set->min_launches), am_db_int(set->max_launches),
                     am_db_real(set->target), am_db_real(set->budget_s),
                     am_db_real(set->launch_limit_s), am_db_u64(sampler->min_batch_ns),
                     am_db_u64(sampler->max_point_ns), am_db_int(sampler->warmup),
                     am_db_int(sampler->samples), am_db_int(sampler->extra),
                     am_db_real(sampler->drift_limit)),
        err);
}

/* A key that comes twice keeps its first value, as am_kvs_get() has it. */
static enum am_status put_facts(struct am_store *store, const char *sql, const struct am_kvs *kvs,
                                struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; kvs && s == AM_OK && i < kvs->n; i++)
        s = am_db_put_once(
            store, sql,
            AM_DB_VALUES(am_db_text(kvs->items[i].key), am_db_text(kvs->items[i].value)), err);
    return s;
}

static enum am_status put_findings(struct am_store *store, const struct am_findings *findings,
                                   struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; findings && s == AM_OK && i < findings->n; i++) {
        const struct am_finding *const f = &findings->items[i];

        s = am_db_put_once(store, "INSERT INTO finding VALUES (NULL, ?, ?, ?, ?, ?, ?)",
                           AM_DB_VALUES(am_db_text(f->id), am_db_text_or(f->area),
                                        am_db_text(am_level_name(f->level)),
                                        am_db_text_or(f->value), am_db_text(f->effect),
                                        am_db_text(f->remedy)),
                           err);
    }
    return s;
}

static enum am_status put_circumstances(struct am_store *store, const struct am_run_facts *facts,
                                        struct am_err *err)
{
    const struct {
        const char *sql;
        const struct am_kvs *kvs;
    } tables[] = {
        {"INSERT OR IGNORE INTO machine VALUES (NULL, ?, ?)", facts->machine},
        {"INSERT OR IGNORE INTO environment VALUES (NULL, ?, ?)", facts->environment},
        {"INSERT OR IGNORE INTO setting VALUES (NULL, ?, ?)", facts->settings},
        {"INSERT OR IGNORE INTO build VALUES (NULL, ?, ?)", facts->build},
    };
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < sizeof(tables) / sizeof(tables[0]); i++)
        s = put_facts(store, tables[i].sql, tables[i].kvs, err);
    return s == AM_OK ? put_findings(store, facts->findings, err) : s;
}

static enum am_status replace_facts(struct am_store *store, const char *sql,
                                    const struct am_kvs *facts, unsigned sealed, struct am_err *err)
{
    enum am_status s = am_db_begin(store, err);

    if (s != AM_OK)
        return s;
    s = put_facts(store, sql, facts, err);
    if (s == AM_OK)
        s = am_seal_tables(store, sealed, err);
    return am_db_end(store, s, err);
}

enum am_status am_store_put_environment(struct am_store *store, const struct am_kvs *facts,
                                        struct am_err *err)
{
    return replace_facts(store,
                         "INSERT INTO environment VALUES (NULL, ?, ?)"
                         " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                         facts, AM_SEALED(ENVIRONMENT), err);
}

enum am_status am_store_put_settings(struct am_store *store, const struct am_kvs *settings,
                                     struct am_err *err)
{
    return replace_facts(store,
                         "INSERT INTO setting VALUES (NULL, ?, ?)"
                         " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                         settings, AM_SEALED(SETTING), err);
}

/* ---- the plan ---- */

enum { BENCHES_MAX = 1024, RULE_BYTES = 256 };

/* The benches of a plan as they get their rows. */
struct bench_ids {
    struct {
        const struct am_bench *bench;
        int64_t id, first_axis; /* ids of its axes follow each other */
    } known[BENCHES_MAX];
    size_t n;
    int64_t axes; /* axis ids given out */
};

static enum am_status put_axes(struct am_store *store, int64_t bench_id,
                               const struct am_bench *bench, int64_t first, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < am_axis_count(bench->axes); i++) {
        const struct am_axis *const axis = &bench->axes[i];

        s = am_db_put_once(
            store, "INSERT INTO axis VALUES (?, ?, ?, ?, ?)",
            AM_DB_VALUES(am_db_int(first + (int64_t)i), am_db_int(bench_id), am_db_text(axis->name),
                         am_db_text(am_db_axis_kinds[axis->kind]), am_db_text(axis->unit)),
            err);
    }
    return s;
}

/* "own pieces=192": the rule, then what the bench states of its uncertainty. */
static void rule_text(const struct am_bench *bench, const struct am_metric *m, char *buf,
                      size_t cap)
{
    const struct am_systematic *const stated = am_systematic_find(bench->systematic, m->name);
    struct am_text systematic;

    am_text_init(&systematic, cap);
    if (stated)
        am_systematic_write(stated, &systematic);
    (void)am_str_format(buf, cap, "%s%s%s", am_rule_name(m->rule), systematic.len ? " " : "",
                        am_text_str(&systematic));
    am_text_fini(&systematic);
}

static enum am_status put_metrics(struct am_store *store, int64_t bench_id,
                                  const struct am_bench *bench, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < am_metric_count(bench->metrics); i++) {
        const struct am_metric *const m = &bench->metrics[i];
        char rule[RULE_BYTES];

        rule_text(bench, m, rule, sizeof(rule));
        s = am_db_put_once(store, "INSERT INTO metric VALUES (NULL, ?, ?, ?, ?, ?)",
                           AM_DB_VALUES(am_db_int(bench_id), am_db_text(m->name),
                                        am_db_text_or(m->unit),
                                        am_db_text(am_db_betters[m->better]), am_db_text(rule)),
                           err);
    }
    return s;
}

/* Sets *index_p to the bench's place among the known ones, giving it its rows the first time. */
static enum am_status place_bench(struct am_store *store, const struct am_run_facts *facts,
                                  const struct am_bench *bench, struct bench_ids *ids,
                                  size_t *index_p, struct am_err *err)
{
    size_t at = ids->n;
    enum am_status s;

    while (at > 0 && ids->known[at - 1].bench != bench) /* nearly always the latest one */
        at--;
    if (at > 0) {
        *index_p = at - 1;
        return AM_OK;
    }
    if (ids->n == BENCHES_MAX)
        return am_fail(err, AM_E_LIMIT, "a plan has at most %d benches", BENCHES_MAX);
    *index_p = ids->n;
    ids->known[ids->n].bench = bench;
    ids->known[ids->n].id = (int64_t)ids->n + 1;
    ids->known[ids->n].first_axis = ids->axes + 1;
    ids->n++;
    ids->axes += (int64_t)am_axis_count(bench->axes);
    s = am_db_put_once(store, "INSERT INTO bench VALUES (?, ?, ?, ?, ?)",
                       AM_DB_VALUES(am_db_int(ids->known[*index_p].id), am_db_text(bench->name),
                                    am_db_int(bench->version),
                                    am_db_text_or(facts->worker_of(facts->self, bench)),
                                    am_db_text_or(bench->summary)),
                       err);
    if (s == AM_OK)
        s = put_axes(store, ids->known[*index_p].id, bench, ids->known[*index_p].first_axis, err);
    return s == AM_OK ? put_metrics(store, ids->known[*index_p].id, bench, err) : s;
}

static struct am_db_value param_value(const struct am_value *v)
{
    if (v->kind == AM_AXIS_NAME)
        return am_db_text(v->name);
    return v->kind == AM_AXIS_REAL ? am_db_real(v->r) : am_db_int(v->i);
}

static enum am_status put_point(struct am_store *store, int64_t id, const struct am_point *point,
                                int64_t bench_id, int64_t first_axis, struct am_err *err)
{
    const size_t axes = am_axis_count(point->bench->axes);
    char text[AM_POINT_TEXT_MAX];
    enum am_status s;

    am_point_text(point, text, sizeof(text));
    s = am_db_put(store, AM_DB_PUT_POINT,
                  AM_DB_VALUES(am_db_int(id), am_db_int(bench_id), am_db_text(text)), err);
    for (size_t i = 0; s == AM_OK && i < axes; i++)
        s = am_db_put(store, AM_DB_PUT_PARAM,
                      AM_DB_VALUES(am_db_int(id), am_db_int(first_axis + (int64_t)i),
                                   param_value(&point->values[i])),
                      err);
    return s;
}

static enum am_status put_plan(struct am_store *store, const struct am_run_facts *facts,
                               const struct am_plan *plan, struct am_err *err)
{
    struct bench_ids ids = {.n = 0};
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < plan->n; i++) {
        const struct am_point *const point = &plan->points[i];
        size_t at = 0;

        s = place_bench(store, facts, point->bench, &ids, &at, err);
        if (s == AM_OK)
            s = put_point(store, (int64_t)i + 1, point, ids.known[at].id, ids.known[at].first_axis,
                          err);
    }
    return s;
}

enum am_status am_store_begin_run(struct am_store *store, const struct am_run_facts *facts,
                                  struct am_plan *plan, struct am_err *err)
{
    enum am_status s = am_db_begin(store, err);

    if (s != AM_OK)
        return s;
    s = put_run(store, &facts->info, &plan->settings, err);
    if (s == AM_OK)
        s = put_circumstances(store, facts, err);
    if (s == AM_OK)
        s = put_plan(store, facts, plan, err);
    if (s == AM_OK)
        s = am_seal_begin(store, err);
    s = am_db_end(store, s, err);
    if (s != AM_OK)
        return s;
    store->fresh = false;
    for (size_t i = 0; i < plan->n; i++)
        plan->points[i].id = (int64_t)i + 1;
    return AM_OK;
}

static enum am_status add_point(struct am_store *store, const char *worker, struct am_point *point,
                                struct am_err *err)
{
    const struct am_bench *const bench = point->bench;
    char text[AM_POINT_TEXT_MAX];
    enum am_status s;

    am_point_text(point, text, sizeof(text));
    s = am_db_put_once(store,
                       "INSERT INTO point (bench, text) VALUES"
                       " ((SELECT id FROM bench WHERE name = ? AND worker = ?), ?)",
                       AM_DB_VALUES(am_db_text(bench->name), am_db_text(worker), am_db_text(text)),
                       err);
    if (s == AM_OK)
        point->id = sqlite3_last_insert_rowid(store->db);
    for (size_t i = 0; s == AM_OK && i < am_axis_count(bench->axes); i++)
        s = am_db_put_once(store,
                           "INSERT INTO param SELECT p.id, a.id, ? FROM point p"
                           " JOIN axis a ON a.bench = p.bench WHERE p.id = ? AND a.name = ?",
                           AM_DB_VALUES(param_value(&point->values[i]), am_db_int(point->id),
                                        am_db_text(bench->axes[i].name)),
                           err);
    return s;
}

enum am_status am_store_add_points(struct am_store *store, const char *worker,
                                   struct am_point *const *points, size_t n, struct am_err *err)
{
    enum am_status s = am_db_begin(store, err);

    if (s != AM_OK)
        return s;
    for (size_t i = 0; s == AM_OK && i < n; i++)
        s = add_point(store, worker, points[i], err);
    if (s == AM_OK)
        s = am_seal_tables(store, AM_SEALED(POINT) | AM_SEALED(STOP) | AM_SEALED(PARAM), err);
    return am_db_end(store, s, err);
}

enum am_status am_store_end_run(struct am_store *store, enum am_run_state state, struct am_err *err)
{
    enum am_status s = am_db_begin(store, err);

    if (s != AM_OK)
        return s;
    s = am_db_put_once(store,
                       "UPDATE run SET state = ?1, ended = CASE ?1 WHEN 'running' THEN NULL"
                       " ELSE strftime('%Y-%m-%dT%H:%M:%SZ', 'now') END",
                       AM_DB_VALUES(am_db_text(am_run_states[state])), err);
    if (s == AM_OK)
        s = am_seal_tables(store, AM_SEALED(RUN), err);
    return am_db_end(store, s, err);
}
