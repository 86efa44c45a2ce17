/* SPDX-License-Identifier: MIT */
/* Two result sets side by side. The unit is the launch: its median is one observation. */
#include "model/compare.h"

#include "core/stats/summary.h"
#include "evidence/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEEDED_MIN = 6,   /* fewer launches cannot give a 95 % interval of a median */
    NEEDED_MAX = 1000 /* beyond this nobody waits: "cannot be told" (0) */
};

const char *am_verdict_name(enum am_verdict verdict)
{
    static const char *const names[AM_VERDICT_COUNT] = {
        [AM_VERDICT_SAME] = "same",
        [AM_VERDICT_FASTER] = "faster",
        [AM_VERDICT_SLOWER] = "slower",
        [AM_VERDICT_INCONCLUSIVE] = "inconclusive",
    };

    return (unsigned)verdict < AM_VERDICT_COUNT ? names[verdict] : "unknown";
}

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

static void add_missing(struct am_comparison *out, const struct am_result *result, const char *why)
{
    out->missing[out->n_missing++] = (struct am_missing_row){.result = result, .why = why};
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
            add_missing(out, a, other ? "metric differs in B" : "no values of its metric in B");
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
        add_missing(out, a, why);
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

        if (order < 0)
            add_missing(out, as[i++].result, "only in A");
        else if (order > 0)
            add_missing(out, bs[k++].result, "only in B");
        else
            add_pair(out, as[i++].result, bs[k++].result, all_metrics, arena);
    }
    return AM_OK;
}

/* ---- judging ---- */

/* Ratio and raw p of one row; NAN where a side is empty or not positive. */
static enum am_status measure(struct am_comparison_row *row, double level, struct am_err *err)
{
    const struct am_series *sa = &row->metric_a->series, *sb = &row->metric_b->series;
    double *medians = calloc(sa->n + sb->n + 1, sizeof(*medians));
    size_t na, nb;

    if (!medians)
        return am_fail(err, AM_E_NOMEM, "no memory to compare launches");
    na = am_series_medians(sa, medians);
    nb = am_series_medians(sb, medians + na);
    row->ratio = am_stats_hodges_lehmann(medians, na, medians + na, nb, level);
    row->p = am_stats_mann_whitney(medians, na, medians + na, nb);
    row->speedup = row->metric_a->better == AM_LOWER ? 1 / row->ratio.ratio : row->ratio.ratio;
    free(medians);
    return AM_OK;
}

/* The interval of log(speedup) and delta on the same scale: all rules are symmetric there. */
struct effect {
    double at, lo, hi, delta;
};

static struct effect effect_of(const struct am_comparison_row *row, double delta)
{
    const bool lower = row->metric_a->better == AM_LOWER;
    const double at = log(row->ratio.ratio), lo = log(row->ratio.lo), hi = log(row->ratio.hi);

    return (struct effect){
        .at = lower ? -at : at,
        .lo = lower ? -hi : lo,
        .hi = lower ? -lo : hi,
        .delta = log1p(delta),
    };
}

static enum am_verdict judge(const struct am_comparison_row *row,
                             const struct am_compare_settings *settings)
{
    const struct effect e = effect_of(row, settings->delta);
    const double slack = 1e-9; /* coverage is a sum of exact fractions in doubles */

    if (!isfinite(e.at) || !isfinite(e.lo) || !isfinite(e.hi))
        return AM_VERDICT_INCONCLUSIVE;
    /* Equivalence by two one-sided tests at 1-level each: an interval of 2*level-1 suffices. */
    if (e.lo >= -e.delta && e.hi <= e.delta)
        return row->ratio.coverage >= 2 * settings->level - 1 - slack ? AM_VERDICT_SAME
                                                                      : AM_VERDICT_INCONCLUSIVE;
    if (!(row->p <= 1 - settings->level))
        return AM_VERDICT_INCONCLUSIVE;
    if (e.lo > e.delta)
        return AM_VERDICT_FASTER;
    if (e.hi < -e.delta)
        return AM_VERDICT_SLOWER;
    return AM_VERDICT_INCONCLUSIVE;
}

/* The interval narrows with the root of the launches: how many bring its edge to delta? */
static size_t launches_needed(const struct am_comparison_row *row, double delta)
{
    const struct effect e = effect_of(row, delta);
    const size_t na = row->metric_a->series.n, nb = row->metric_b->series.n;
    const double n = (double)(na < nb ? na : nb);
    const double half = (e.hi - e.lo) / 2, distance = fabs(fabs(e.at) - e.delta);
    double needed;

    if (!isfinite(half) || !(distance > 0))
        return 0;
    needed = ceil(n * (half / distance) * (half / distance));
    /* few launches may lack power by their number alone, whatever the width */
    needed = needed > n ? needed : n + 1;
    needed = needed > NEEDED_MIN ? needed : NEEDED_MIN;
    return needed <= NEEDED_MAX ? (size_t)needed : 0;
}

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

static enum am_status judge_all(const struct am_compare_settings *settings,
                                struct am_comparison *out, struct am_err *err)
{
    double *p = calloc(out->n + 1, sizeof(*p));
    enum am_status status = AM_OK;

    if (!p)
        return am_fail(err, AM_E_NOMEM, "no memory to compare");
    for (size_t i = 0; i < out->n && status == AM_OK; i++) {
        status = measure(&out->rows[i], settings->level, err);
        p[i] = out->rows[i].p;
    }
    am_stats_benjamini_hochberg(p, out->n);
    for (size_t i = 0; i < out->n && status == AM_OK; i++) {
        struct am_comparison_row *row = &out->rows[i];

        row->p = p[i];
        row->verdict = judge(row, settings);
        out->count[row->verdict]++;
        if (row->verdict == AM_VERDICT_INCONCLUSIVE)
            row->launches_needed = launches_needed(row, settings->delta);
    }
    free(p);
    return status;
}

/* Primary metrics only: the others restate them. */
static double geomean(const struct am_comparison *c)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct am_comparison_row *row = &c->rows[i];

        if (row->metric_a != row->a->metrics || !isfinite(row->speedup) || row->speedup <= 0)
            continue;
        sum += log(row->speedup);
        n++;
    }
    return n ? exp(sum / (double)n) : NAN;
}

/* ---- circumstances ---- */

/* Facts that differ from minute to minute and say nothing about what was compared. */
static bool is_fleeting(const char *key)
{
    static const char *const keys[] = {"load", "steal_share", "memory_available_bytes",
                                       "swap_free_bytes"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(keys[i], key) == 0)
            return true;
    }
    return false;
}

static void add_difference(struct am_kvs *out, struct am_arena *arena, const char *key,
                           const char *a, const char *b)
{
    if (strcmp(a, b) != 0 && !is_fleeting(key))
        am_kvs_addf(out, arena, key, "%s | %s", a, b);
}

static void add_differences(const struct am_kvs *a, const struct am_kvs *b, struct am_arena *arena,
                            struct am_kvs *out)
{
    for (size_t i = 0; i < a->n; i++) {
        const char *other = am_kvs_get(b, a->items[i].key);

        add_difference(out, arena, a->items[i].key, a->items[i].value, other ? other : "(none)");
    }
    for (size_t i = 0; i < b->n; i++) {
        if (!am_kvs_get(a, b->items[i].key))
            add_difference(out, arena, b->items[i].key, "(none)", b->items[i].value);
    }
}

enum am_status am_compare(const struct am_result_set *a, const struct am_result_set *b,
                          const struct am_compare_settings *settings, struct am_arena *arena,
                          struct am_comparison *out, struct am_err *err)
{
    enum am_status status;

    *out = (struct am_comparison){0};
    status = pair_up(a, b, settings->all_metrics, arena, out, err);
    if (status == AM_OK)
        status = judge_all(settings, out, err);
    if (status != AM_OK)
        return status;
    qsort(out->rows, out->n, sizeof(*out->rows), by_effect);
    out->geomean_speedup = geomean(out);
    add_differences(&a->machine, &b->machine, arena, &out->differences);
    add_differences(&a->environment, &b->environment, arena, &out->differences);
    add_differences(&a->settings, &b->settings, arena, &out->differences);
    add_differences(&a->build, &b->build, arena, &out->differences);
    return AM_OK;
}
