/* SPDX-License-Identifier: MIT */
/* Sign tests on pairs of fresh launches. */
#include "model/pairs.h"

#include "core/stats/stats.h"
#include "core/stats/summary.h"
#include "evidence/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool am_row_is_open(const struct am_comparison_row *row)
{
    switch (row->verdict) {
    case AM_VERDICT_MAYBE_SLOWER:
    case AM_VERDICT_MAYBE_FASTER:
    case AM_VERDICT_SUSPECT: return true;
    case AM_VERDICT_UNDECIDED: return fabs(row->change.d) > row->change.margin; /* NAN is not */
    default: return false;
    }
}

size_t am_comparison_open(const struct am_comparison *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        n += am_row_is_open(&c->rows[i]);
    return n;
}

size_t am_pairs_needed(size_t rows)
{
    size_t n = 2;

    while (am_stats_sign(n, 1) > 0.05 / (double)(rows ? rows : 1))
        n++;
    return n;
}

/* ---- the fresh launches of a row ---- */

static const struct am_result_metric *fresh_metric(const struct am_result_set *set,
                                                   const struct am_comparison_row *row)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const struct am_result_metric *m;

        if (strcmp(r->bench, row->a->bench) != 0 || strcmp(r->text, row->a->text) != 0 ||
            r->state != AM_POINT_OK)
            continue;
        m = am_result_metric(r, row->metric_a->name);
        return m && strcmp(m->unit, row->metric_a->unit) == 0 ? m : NULL;
    }
    return NULL;
}

/* The logarithm of a launch's median, turned so that more is slower; NAN where it has none. */
static double turned(const struct am_launch_values *launch, enum am_better better, double *scratch)
{
    const double x = log(am_launch_median(launch, scratch));

    return better == AM_LOWER ? x : -x;
}

/* Counts the pairs of rounds that both sides have, and those beyond the margin in the direction. */
static enum am_status count_pairs(struct am_comparison_row *row, const struct am_result_metric *a,
                                  const struct am_result_metric *b, struct am_err *err)
{
    const size_t room_a = am_series_most(&a->series), room_b = am_series_most(&b->series);
    double *const scratch = calloc((room_a > room_b ? room_a : room_b) + 1, sizeof(*scratch));
    const double direction = row->change.d > 0 ? 1 : -1;

    if (!scratch)
        return am_fail(err, AM_E_NOMEM, "no memory to compare launches");
    for (size_t i = 0; i < a->series.n; i++) {
        const double x = turned(&a->series.launches[i], a->better, scratch);

        for (size_t k = 0; k < b->series.n; k++) {
            const double y = turned(&b->series.launches[k], b->better, scratch);

            if (b->series.launches[k].round != a->series.launches[i].round || isnan(x - y))
                continue;
            row->pairs++;
            row->pairs_agree += (y - x) * direction > row->change.margin;
        }
    }
    free(scratch);
    return AM_OK;
}

/* ---- verdicts ---- */

/* Not confirmed: what the fresh launches show by themselves. */
static enum am_verdict leftover(const struct am_comparison_row *row, double alpha)
{
    return row->change.p_same <= alpha ? AM_VERDICT_SAME : AM_VERDICT_UNDECIDED;
}

static enum am_status take_fresh(struct am_comparison_row *row, const struct am_result_metric *a,
                                 const struct am_result_metric *b, enum am_basis basis,
                                 const struct am_compare_settings *settings, struct am_err *err)
{
    row->metric_a = a;
    row->metric_b = b;
    row->basis = basis;
    return am_row_measure(row, settings->delta, err);
}

/* p[i] of each row that has pairs, else NAN; the rows then have their fresh launches. */
static enum am_status test_pairs(const struct am_result_set *a, const struct am_result_set *b,
                                 const struct am_compare_settings *settings,
                                 struct am_comparison *c, double *p, int *direction,
                                 struct am_err *err)
{
    enum am_status status = AM_OK;

    for (size_t i = 0; i < c->n && status == AM_OK; i++) {
        struct am_comparison_row *const row = &c->rows[i];
        const bool open = am_row_is_open(row);
        const struct am_result_metric *const ma = open ? fresh_metric(a, row) : NULL;
        const struct am_result_metric *const mb = open ? fresh_metric(b, row) : NULL;

        p[i] = NAN;
        if (!ma || !mb)
            continue;
        direction[i] = row->change.d > 0 ? 1 : -1;
        status = count_pairs(row, ma, mb, err);
        if (status == AM_OK && row->pairs)
            p[i] = am_stats_sign(row->pairs, row->pairs - row->pairs_agree);
        if (status == AM_OK && row->pairs)
            status = take_fresh(row, ma, mb, AM_BASIS_PAIRS, settings, err);
    }
    return status;
}

enum am_status am_pairs_decide(const struct am_result_set *a, const struct am_result_set *b,
                               const struct am_compare_settings *settings, struct am_comparison *c,
                               struct am_err *err)
{
    double *const p = calloc(c->n + 1, sizeof(*p));
    int *const direction = calloc(c->n + 1, sizeof(*direction));
    const double alpha = 1 - settings->level;
    enum am_status status =
        p && direction ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory to compare");

    if (status == AM_OK)
        status = test_pairs(a, b, settings, c, p, direction, err);
    if (status == AM_OK)
        am_stats_holm(p, c->n);
    for (size_t i = 0; status == AM_OK && i < c->n; i++) {
        struct am_comparison_row *const row = &c->rows[i];

        if (isnan(p[i]))
            continue;
        row->p = p[i];
        row->verdict = p[i] > alpha       ? leftover(row, alpha)
                       : direction[i] > 0 ? AM_VERDICT_SLOWER
                                          : AM_VERDICT_FASTER;
    }
    if (status == AM_OK)
        am_verdicts_count(c);
    free(direction);
    free(p);
    return status;
}

enum am_status am_pairs_refresh(const struct am_result_set *b,
                                const struct am_compare_settings *settings, struct am_comparison *c,
                                struct am_err *err)
{
    enum am_status status = AM_OK;

    for (size_t i = 0; i < c->n && status == AM_OK; i++) {
        struct am_comparison_row *const row = &c->rows[i];
        const struct am_result_metric *const m = am_row_is_open(row) ? fresh_metric(b, row) : NULL;

        if (!m)
            continue;
        status = take_fresh(row, row->metric_a, m, AM_BASIS_AGAIN, settings, err);
        if (status == AM_OK && row->change.p_same <= 1 - settings->level)
            row->verdict = AM_VERDICT_SAME;
    }
    if (status == AM_OK)
        am_verdicts_count(c);
    return status;
}
