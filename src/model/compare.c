/* SPDX-License-Identifier: MIT */
/* Two result sets side by side: points paired by their values, rows judged, largest effect first.
 */
#include "model/compare.h"

#include "evidence/evidence.h"
#include "model/circumstances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pairing ---- */

static int by_key(const void *x, const void *y)
{
    const struct am_keyed *const a = x, *const b = y;
    const int order = am_keyed_order(a, b);

    /* one bench may come from several workers, e.g. one per runtime */
    return order ? order : strcmp(a->result->worker, b->result->worker);
}

static struct am_keyed *sorted_results(const struct am_result_set *set, struct am_arena *arena)
{
    struct am_keyed *const out = am_arena_array(arena, set->n + 1, sizeof(*out));

    if (!out)
        return NULL;
    for (size_t i = 0; i < set->n; i++) {
        if (!am_keyed_make(&set->results[i], arena, &out[i]))
            return NULL;
    }
    qsort(out, set->n, sizeof(*out), by_key);
    return out;
}

/* `lost`: A has it, and nothing of B can be compared with it. */
static void add_missing(struct am_comparison *out, const struct am_result *result, bool lost,
                        const char *why)
{
    out->missing[out->n_missing++] =
        (struct am_missing_row){.result = result, .lost = lost, .why = why};
}

static bool is_ok(const struct am_result *r)
{
    return r->state == AM_POINT_OK;
}

/* Why the pair cannot be compared, or NULL. */
static const char *why_not(const struct am_result *a, const struct am_result *b,
                           struct am_arena *arena)
{
    const struct am_result *bad = !is_ok(a) ? a : b;
    const char *why;

    if (a->version != b->version)
        return "bench versions differ";
    if (is_ok(a) && is_ok(b))
        return NULL;
    why = am_arena_printf(arena, "not ok in %s: %s", bad == a ? "A" : "B",
                          bad->reason ? bad->reason : am_point_states[bad->state]);
    return why ? why : "not ok";
}

static void add_rows(struct am_comparison *out, const struct am_result *a,
                     const struct am_result *b, bool all_metrics)
{
    const size_t n = all_metrics ? a->n_metrics : a->n_metrics > 0;

    for (size_t i = 0; i < n; i++) {
        const struct am_result_metric *other = am_result_metric(b, a->metrics[i].name);

        if (!other || strcmp(other->unit, a->metrics[i].unit) != 0) {
            add_missing(out, a, true,
                        other ? "metric differs in B" : "no values of its metric in B");
            continue;
        }
        out->rows[out->n++] = (struct am_comparison_row){
            .a = a, .b = b, .metric_a = &a->metrics[i], .metric_b = other};
    }
}

static void add_pair(struct am_comparison *out, const struct am_result *a,
                     const struct am_result *b, bool all_metrics, struct am_arena *arena)
{
    const char *const why = why_not(a, b, arena);

    if (!is_ok(a) && !is_ok(b)) /* e.g. skipped: nothing is missing */
        return;
    if (why)
        add_missing(out, a, is_ok(a), why);
    else
        add_rows(out, a, b, all_metrics);
}

/* Walks both sorted lists at once. Every result gives at most one row per metric of A, or one
 * missing entry per metric: the arrays were sized so. */
static enum am_status pair_up(const struct am_result_set *a, const struct am_result_set *b,
                              bool all_metrics, struct am_arena *arena, struct am_comparison *out,
                              struct am_err *err)
{
    const struct am_keyed *const as = sorted_results(a, arena), *const bs =
                                                                    sorted_results(b, arena);
    size_t room = a->n + b->n + 1;

    for (size_t i = 0; i < a->n; i++)
        room += a->results[i].n_metrics;
    out->rows = am_arena_array(arena, room, sizeof(*out->rows));
    out->missing = am_arena_array(arena, room, sizeof(*out->missing));
    if (!as || !bs || !out->rows || !out->missing)
        return am_fail(err, AM_E_NOMEM, "no memory to compare %zu with %zu points", a->n, b->n);
    for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
        const int order = i == a->n ? 1 : k == b->n ? -1 : by_key(&as[i], &bs[k]);

        if (order < 0) {
            add_missing(out, as[i].result, is_ok(as[i].result), "only in A");
            i++;
        } else if (order > 0)
            add_missing(out, bs[k++].result, false, "only in B");
        else
            add_pair(out, as[i++].result, bs[k++].result, all_metrics, arena);
    }
    return AM_OK;
}

/* ---- the whole ---- */

static int by_effect(const void *x, const void *y)
{
    const struct am_comparison_row *a = x, *b = y;
    const double ea = isfinite(a->speedup) && a->speedup > 0 ? fabs(log(a->speedup)) : -1;
    const double eb = isfinite(b->speedup) && b->speedup > 0 ? fabs(log(b->speedup)) : -1;
    int order;

    if (ea > eb || ea < eb)
        return ea > eb ? -1 : 1;
    order = strcmp(a->a->bench, b->a->bench); /* so that the order never depends on qsort */
    order = order ? order : strcmp(a->a->text, b->a->text);
    return order ? order : strcmp(a->metric_a->name, b->metric_a->name);
}

/* Primary metrics only: the others restate them. Without differences near zero, whose ratios mean
 * nothing. */
static double geomean(const struct am_comparison *c)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct am_comparison_row *row = &c->rows[i];

        if (row->metric_a != row->a->metrics || row->slight || !isfinite(row->speedup) ||
            row->speedup <= 0)
            continue;
        sum += log(row->speedup);
        n++;
    }
    return n ? exp(sum / (double)n) : NAN;
}

enum am_status am_compare(const struct am_result_set *a, const struct am_result_set *b,
                          const struct am_compare_settings *settings, struct am_arena *arena,
                          struct am_comparison *out, struct am_err *err)
{
    enum am_status status;

    *out = (struct am_comparison){.basis = settings->basis};
    status = pair_up(a, b, settings->all_metrics, arena, out, err);
    if (status == AM_OK)
        status = am_verdicts_judge(settings, out, err);
    if (status != AM_OK)
        return status;
    qsort(out->rows, out->n, sizeof(*out->rows), by_effect);
    out->geomean_speedup = geomean(out);
    am_circumstances_add(a, b, settings, arena, out);
    return AM_OK;
}
