/* SPDX-License-Identifier: MIT */
/* Runs united to one side of a comparison. */
#include "model/side.h"

#include "core/stats/change.h"
#include "evidence/evidence.h"
#include "model/circumstances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one observation per run ---- */

double am_side_run_mean(const struct am_series *series)
{
    double *const medians = calloc(series->n + 1, sizeof(*medians));
    const size_t n = medians ? am_series_medians(series, medians) : 0;
    double sum = 0, logs = 0;

    for (size_t i = 0; i < n; i++) {
        sum += medians[i];
        logs += log(medians[i]); /* NAN or -INFINITY where it is not positive */
    }
    free(medians);
    if (n == 0)
        return NAN;
    return isfinite(logs) ? exp(logs / (double)n) : sum / (double)n;
}

/* The metric of the same name in every run of the group, as a series of runs. */
static bool unite_metric(const struct am_keyed *group, size_t n, struct am_arena *arena,
                         struct am_result_metric *metric)
{
    struct am_launch_values *const runs = am_arena_array(arena, n, sizeof(*runs));
    double *const values = am_arena_array(arena, n, sizeof(*values));
    size_t used = 0;

    if (!runs || !values)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct am_result_metric *const m = am_result_metric(group[i].result, metric->name);

        values[used] = m && strcmp(m->unit, metric->unit) == 0 ? am_side_run_mean(&m->series) : NAN;
        runs[used] = (struct am_launch_values){
            .launch_id = (int64_t)i, .round = (unsigned)i, .values = &values[used], .n = 1};
        used += isfinite(values[used]);
    }
    metric->series = (struct am_series){runs, used};
    return true;
}

static bool unite_point(const struct am_keyed *group, size_t n, struct am_arena *arena,
                        struct am_result *out)
{
    size_t model = 0;

    while (model + 1 < n && group[model].result->state != AM_POINT_OK)
        model++;
    *out = *group[model].result;
    out->metrics = am_arena_array(arena, out->n_metrics + 1, sizeof(*out->metrics));
    if (!out->metrics)
        return false;
    for (size_t i = 0; i < out->n_metrics; i++) {
        out->metrics[i] = group[model].result->metrics[i];
        if (!unite_metric(group, n, arena, &out->metrics[i]))
            return false;
    }
    am_evidence_settle_result(out);
    return true;
}

/* Points of another version of a bench are other points. */
static int by_point(const void *x, const void *y)
{
    const struct am_keyed *const a = x, *const b = y;
    int order = am_keyed_order(a, b);

    order = order ? order : strcmp(a->result->worker, b->result->worker);
    if (order)
        return order;
    return (a->result->version > b->result->version) - (a->result->version < b->result->version);
}

static struct am_keyed *all_points(const struct am_side *side, struct am_arena *arena, size_t *n)
{
    struct am_keyed *out;

    *n = 0;
    for (size_t r = 0; r < side->n; r++)
        *n += side->runs[r].n;
    out = am_arena_array(arena, *n + 1, sizeof(*out));
    for (size_t r = 0, k = 0; out && r < side->n; r++) {
        for (size_t i = 0; i < side->runs[r].n; i++) {
            if (!am_keyed_make(&side->runs[r].results[i], arena, &out[k++]))
                return NULL;
        }
    }
    if (out)
        qsort(out, *n, sizeof(*out), by_point);
    return out;
}

enum am_status am_side_unite(const struct am_side *side, struct am_arena *arena,
                             struct am_result_set *out, struct am_err *err)
{
    struct am_keyed *points;
    size_t n;

    *out = side->runs[0];
    if (side->n == 1)
        return AM_OK;
    points = all_points(side, arena, &n);
    out->n = 0;
    out->results = am_arena_array(arena, n + 1, sizeof(*out->results));
    if (!points || !out->results)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu results", n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && by_point(&points[i], &points[end]) == 0;)
            end++;
        if (!unite_point(&points[i], end - i, arena, &out->results[out->n++]))
            return am_fail(err, AM_E_NOMEM, "no memory for %zu results", n);
    }
    return AM_OK;
}

/* ---- what they can show ---- */

struct moment {
    const char *started;
    unsigned side;
};

static int by_time(const void *x, const void *y)
{
    const struct moment *const a = x, *const b = y;
    const int order = strcmp(a->started ? a->started : "", b->started ? b->started : "");

    return order ? order : a->side < b->side ? -1 : a->side > b->side;
}

static const struct am_result_set *run_at(const struct am_side *a, const struct am_side *b,
                                          size_t i)
{
    return i < a->n ? &a->runs[i] : &b->runs[i - a->n];
}

/* In order of time the sides take turns: A B B A, not A A B B. */
static bool in_turns(const struct am_side *a, const struct am_side *b)
{
    const size_t n = a->n + b->n;
    struct moment *const moments = calloc(n, sizeof(*moments));
    size_t turns = 0;

    for (size_t i = 0; moments && i < n; i++)
        moments[i] = (struct moment){run_at(a, b, i)->run.started, i >= a->n};
    if (moments)
        qsort(moments, n, sizeof(*moments), by_time);
    for (size_t i = 1; moments && i < n; i++)
        turns += moments[i].side != moments[i - 1].side;
    free(moments);
    return turns >= 2;
}

enum am_status am_side_basis(const struct am_side *a, const struct am_side *b, enum am_basis *out,
                             struct am_err *err)
{
    const size_t n = a->n + b->n;

    *out = AM_BASIS_ONE_RUN;
    if (n == 2)
        return AM_OK; /* a run against itself is remarked on, and harmless */
    if (a->n < AM_CHANGE_LEAST || b->n < AM_CHANGE_LEAST)
        return am_fail(err, AM_E_USAGE,
                       "%zu against %zu runs: one per side, or at least %d on both sides", a->n,
                       b->n, AM_CHANGE_LEAST);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            if (am_run_same(&run_at(a, b, i)->run, &run_at(a, b, k)->run))
                return am_fail(err, AM_E_USAGE, "%s and %s are one run: it counts once",
                               run_at(a, b, i)->run.name, run_at(a, b, k)->run.name);
        }
    }
    *out = in_turns(a, b) ? AM_BASIS_RUNS : AM_BASIS_RUNS_APART;
    return AM_OK;
}
