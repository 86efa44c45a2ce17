/* SPDX-License-Identifier: MIT */
/* The machines of a merged file against each other. */
#include "model/nodes.h"

#include "base/array.h"
#include "evidence/evidence.h"
#include "family/roles.h"
#include "model/between.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_LEAST = 3 };

/* One point on one machine; sorted, the machines of a point stand together. */
struct place {
    struct am_keyed point; /* without its node */
    size_t node;
};

static int by_point(const void *x, const void *y)
{
    const struct place *const a = x, *const b = y;
    const int order = am_keyed_order(&a->point, &b->point);

    return order ? order : a->node < b->node ? -1 : a->node > b->node;
}

static bool same_point(const struct place *a, const struct place *b)
{
    return am_keyed_order(&a->point, &b->point) == 0;
}

/* What the node's own file had in the table `area`: what all nodes share, and its own. */
static struct am_kvs area_of(const struct am_node *node, const char *area,
                             const struct am_kvs *shared, struct am_arena *arena)
{
    const size_t len = strlen(area);
    struct am_kvs all = {0};

    for (size_t i = 0; i < node->facts.n; i++) {
        const struct am_kv *const kv = &node->facts.items[i];

        if (strncmp(kv->key, area, len) == 0 && kv->key[len] == '.')
            am_kvs_add(&all, arena, kv->key + len + 1, kv->value);
    }
    for (size_t i = 0; i < shared->n; i++) {
        if (!am_kvs_get(&all, shared->items[i].key))
            am_kvs_add(&all, arena, shared->items[i].key, shared->items[i].value);
    }
    return all;
}

/* Comparisons give up who measured a point; a machine's own results keep it. */
static void keep_workers(const struct am_result_set *set, const char *node,
                         struct am_result_set *out)
{
    size_t k = 0;

    for (size_t i = 0; i < set->n && k < out->n; i++) {
        if (am_result_param(&set->results[i], am_node_axis) &&
            am_result_is(&set->results[i], am_node_axis, node))
            out->results[k++].worker = set->results[i].worker;
    }
}

bool am_nodes_part(const struct am_result_set *set, size_t node, struct am_arena *arena,
                   struct am_result_set *out)
{
    const struct am_node *const n = &set->nodes.items[node];
    struct am_err ignored = {0};

    if (!n->ok || am_results_where(set, am_node_axis, n->name, arena, out, &ignored) != AM_OK)
        return false;
    keep_workers(set, n->name, out);
    out->nodes = (struct am_nodes){0};
    out->machine = area_of(n, "machine", &set->machine, arena);
    out->environment = area_of(n, "environment", &set->environment, arena);
    out->build = area_of(n, "build", &set->build, arena);
    if (n->started) {
        out->run.command = n->command;
        out->run.started = n->started;
        out->run.ended = n->ended;
        /* one simulated part stamps the whole file; the machine itself says what it is */
        out->run.synthetic = am_kvs_get(&out->machine, "synthetic") != NULL;
    }
    return true;
}

const struct am_result_set *am_nodes_first(const struct am_result_set *set, struct am_arena *arena)
{
    for (size_t i = 0; i < set->nodes.n; i++) {
        struct am_result_set *const one = am_arena_alloc(arena, sizeof(*one));

        if (one && am_nodes_part(set, i, arena, one))
            return one;
    }
    return set;
}

/* ---- pooling ---- */

/* The launches of a point on all machines but one, as one result. */
static bool pool(const struct place *group, size_t n, size_t without, struct am_arena *arena,
                 struct am_result *out)
{
    const struct am_result *const model = group[without ? 0 : 1].point.result;
    struct am_result_metric *const metric = am_arena_alloc(arena, sizeof(*metric));
    size_t launches = 0;

    for (size_t i = 0; i < n; i++)
        launches += i == without ? 0 : group[i].point.result->metrics[0].series.n;
    if (!metric || launches == 0)
        return false;
    *metric = model->metrics[0];
    metric->series.launches = am_arena_array(arena, launches, sizeof(*metric->series.launches));
    metric->series.n = 0;
    if (!metric->series.launches)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct am_series *const series = &group[i].point.result->metrics[0].series;

        for (size_t l = 0; i != without && l < series->n; l++)
            metric->series.launches[metric->series.n++] = series->launches[l];
    }
    *out = *model;
    out->metrics = metric;
    out->n_metrics = 1;
    am_evidence_settle_result(out);
    return true;
}

struct study {
    const struct am_result_set *set;
    const struct am_compare_settings *settings;
    struct am_arena *arena;
    struct place *places;
    size_t n_places;
    struct am_node_study *out;
    size_t outliers_cap;
    struct am_err *err;
};

/* The two sides of a node's comparison. */
static void collect_sides(const struct study *st, size_t node, struct am_result_set *others,
                          struct am_result_set *own)
{
    for (size_t i = 0, n = 0; i < st->n_places; i += n) {
        size_t mine = SIZE_MAX;

        for (n = 0; i + n < st->n_places && same_point(&st->places[i], &st->places[i + n]); n++)
            mine = st->places[i + n].node == node ? n : mine;
        if (n < NODES_LEAST || mine == SIZE_MAX)
            continue;
        if (!pool(&st->places[i], n, mine, st->arena, &others->results[others->n]))
            continue;
        others->n++;
        own->results[own->n++] = *st->places[i + mine].point.result;
    }
}

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return a < b ? -1 : a > b;
}

static double percentile(const double *sorted, size_t n, double share)
{
    return sorted[(size_t)lround(share * (double)(n - 1))];
}

static bool add_outlier(struct study *st, const struct am_node *node,
                        const struct am_comparison_row *row, double p)
{
    struct am_node_study *const out = st->out;
    struct am_node_outlier *const outlier =
        AM_ARRAY_ADD(st->arena, out->outliers, out->n_outliers, st->outliers_cap);

    if (outlier)
        *outlier = (struct am_node_outlier){node, row, p};
    return outlier != NULL;
}

static enum am_status stand(struct study *st, size_t node, const struct am_comparison *comparison)
{
    struct am_node_standing *const s = &st->out->standings[node];
    double *const speeds = am_arena_array(st->arena, comparison->n + 1, sizeof(*speeds));

    if (!speeds)
        return am_fail(st->err, AM_E_NOMEM, "no memory for the nodes");
    for (size_t i = 0; i < comparison->n; i++) {
        const struct am_comparison_row *const row = &comparison->rows[i];
        const double p = fmin(1, row->p * (double)st->set->nodes.n);
        const int direction = am_verdict_direction(row->verdict);

        speeds[s->rows++] = row->speedup;
        if (direction == 0 || !(p < 1 - st->settings->level))
            continue;
        s->slower += direction > 0;
        s->faster += direction < 0;
        if (!add_outlier(st, s->node, row, p))
            return am_fail(st->err, AM_E_NOMEM, "no memory for the nodes");
    }
    if (s->rows == 0)
        return AM_OK;
    qsort(speeds, s->rows, sizeof(*speeds), by_value);
    s->median = percentile(speeds, s->rows, 0.5);
    s->low = percentile(speeds, s->rows, 0.05);
    s->high = percentile(speeds, s->rows, 0.95);
    return AM_OK;
}

static enum am_status study_node(struct study *st, size_t node)
{
    struct am_result_set others = *st->set, own = *st->set;
    struct am_comparison comparison = {0};
    enum am_status s;

    others.n = own.n = 0;
    others.results = am_arena_array(st->arena, st->n_places + 1, sizeof(*others.results));
    own.results = am_arena_array(st->arena, st->n_places + 1, sizeof(*own.results));
    if (!others.results || !own.results)
        return am_fail(st->err, AM_E_NOMEM, "no memory for the nodes");
    collect_sides(st, node, &others, &own);
    if (own.n == 0)
        return AM_OK;
    s = am_compare(&others, &own, st->settings, st->arena, &comparison, st->err);
    return s == AM_OK ? stand(st, node, &comparison) : s;
}

/* Every point of every machine that was measured. */
static enum am_status collect_places(struct study *st)
{
    const struct am_result_set *const set = st->set;
    struct am_result_set one;
    struct am_err ignored = {0};

    st->places = am_arena_array(st->arena, set->n + 1, sizeof(*st->places));
    if (!st->places)
        return am_fail(st->err, AM_E_NOMEM, "no memory for the nodes");
    for (size_t node = 0; node < set->nodes.n; node++) {
        if (am_results_where(set, am_node_axis, set->nodes.items[node].name, st->arena, &one,
                             &ignored) != AM_OK)
            continue;
        for (size_t i = 0; i < one.n; i++) {
            struct place *const p = &st->places[st->n_places];

            if (one.results[i].state != AM_POINT_OK || !one.results[i].n_metrics)
                continue;
            if (!am_keyed_make(&one.results[i], st->arena, &p->point))
                return am_fail(st->err, AM_E_NOMEM, "no memory for the nodes");
            p->node = node;
            st->n_places++;
        }
    }
    qsort(st->places, st->n_places, sizeof(*st->places), by_point);
    return AM_OK;
}

enum am_status am_nodes_study(const struct am_result_set *set,
                              const struct am_compare_settings *settings, struct am_arena *arena,
                              struct am_node_study *out, struct am_err *err)
{
    struct am_compare_settings within = *settings;
    struct study st = {.set = set, .settings = &within, .arena = arena, .out = out, .err = err};
    enum am_status s;

    within.basis = AM_BASIS_WITHIN_RUN; /* the machines of one run, which they measured together */
    *out = (struct am_node_study){
        .standings = am_arena_array(arena, set->nodes.n + 1, sizeof(*out->standings))};
    if (!out->standings)
        return am_fail(err, AM_E_NOMEM, "no memory for the nodes");
    for (size_t i = 0; i < set->nodes.n; i++)
        out->standings[i] = (struct am_node_standing){
            .node = &set->nodes.items[i], .median = NAN, .low = NAN, .high = NAN};
    s = collect_places(&st);
    for (size_t i = 0; s == AM_OK && i < set->nodes.n; i++)
        s = study_node(&st, i);
    return s;
}
