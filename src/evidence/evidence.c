/* SPDX-License-Identifier: MIT */
/* Settling a run: summaries and grades; parameters by value. */
#include "evidence/evidence.h"

#include "base/text.h"
#include "evidence/standards.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- summaries and grades ---- */

static void count_samples(const struct am_series *series, struct am_grade_input *in)
{
    for (size_t i = 0; i < series->n; i++) {
        const struct am_launch_values *const l = &series->launches[i];

        in->all_samples += l->n;
        for (size_t k = 0; l->labels && k < l->n; k++)
            in->drifted += (l->labels[k] & AM_LABEL_DRIFT) != 0;
    }
}

const struct am_result_metric *am_result_base(const struct am_result *r,
                                              const struct am_result_metric *m)
{
    for (size_t i = 0; m->systematic.difference && i < r->n_metrics; i++) {
        if (strcmp(r->metrics[i].name, m->systematic.difference) == 0)
            return &r->metrics[i];
    }
    return m;
}

double am_result_whole(const struct am_result *r, const struct am_result_metric *m)
{
    const struct am_result_metric *const base = am_result_base(r, m);
    const double in_unit = am_unit_has_cycles(m->unit) && !am_unit_has_cycles(base->unit)
                               ? r->timing.hz
                               : 1; /* cycles less a reference, of a time in seconds */

    return base->has_summary ? in_unit * fabs(base->summary.median) : 0;
}

/* In the unit of the metric. */
static double systematic_of(const struct am_result *r, const struct am_result_metric *m)
{
    return am_systematic_share(&m->systematic, m->unit, &r->timing) * am_result_whole(r, m);
}

/* A standard that was missed is the evidence against the others: its own grade stays. */
static bool counts_cycles(const struct am_result_metric *m)
{
    return am_unit_has_cycles(m->unit) && !m->systematic.standard;
}

static void grade_metric(struct am_result_metric *metric, bool verified, size_t missed)
{
    struct am_grade_input in = {.summary = &metric->summary,
                                .verified = verified,
                                .missed = counts_cycles(metric) ? missed : 0};

    count_samples(&metric->series, &in);
    metric->grading = am_grade(&in);
}

/* What was measured itself and was never below zero is not: the user time of a program that sleeps
 * is 0 in some launches, which is its value and no lack of resolution. */
static void stay_above_zero(struct am_result_metric *m)
{
    if (!m->systematic.difference && m->summary.min >= 0)
        m->summary.ci.lo = fmax(m->summary.ci.lo, 0);
}

static void settle_result(struct am_result *r, size_t missed)
{
    if (r->state != AM_POINT_OK)
        return;
    for (size_t i = 0; i < r->n_metrics; i++)
        r->metrics[i].has_summary = am_summarise(&r->metrics[i].series, &r->metrics[i].summary);
    for (size_t i = 0; i < r->n_metrics; i++) {
        struct am_result_metric *const m = &r->metrics[i];

        if (!m->has_summary)
            continue;
        am_summary_widen(&m->summary, systematic_of(r, m));
        stay_above_zero(m);
        grade_metric(m, isfinite(r->residual), missed);
    }
}

void am_evidence_settle_result(struct am_result *r)
{
    settle_result(r, 0);
}

/* What standards show decides on everything that counts cycles. */
void am_evidence_settle(struct am_result_set *set)
{
    size_t missed;

    for (size_t i = 0; i < set->n; i++)
        settle_result(&set->results[i], 0);
    missed = am_standards_missed(set);
    for (size_t i = 0; missed && i < set->n; i++)
        settle_result(&set->results[i], missed);
}

double am_evidence_bound(const struct am_interval *ci, const char *unit)
{
    return am_unit_is_timed(unit) && ci->lo < 0 && ci->hi > 0 ? ci->hi : (double)NAN;
}

const struct am_result_metric *am_result_metric(const struct am_result *result, const char *name)
{
    for (size_t i = 0; result->state == AM_POINT_OK && i < result->n_metrics; i++) {
        const struct am_result_metric *const m = &result->metrics[i];

        if (!name || strcmp(m->name, name) == 0)
            return m->has_summary ? m : NULL;
    }
    return NULL;
}

/* ---- parameters ---- */

const struct am_result_param *am_result_param(const struct am_result *result, const char *axis)
{
    for (size_t i = 0; i < result->n_params; i++) {
        if (strcmp(result->params[i].name, axis) == 0)
            return &result->params[i];
    }
    return NULL;
}

static double number_of(const struct am_result_param *p)
{
    double value;

    if (!p || p->kind == AM_AXIS_NAME || !am_parse_f64(p->text, strlen(p->text), &value))
        return NAN;
    return value;
}

double am_result_number(const struct am_result *result, const char *axis)
{
    return number_of(am_result_param(result, axis));
}

const char *am_result_text(const struct am_result *result, const char *axis)
{
    const struct am_result_param *const p = am_result_param(result, axis);

    return p ? p->text : NULL;
}

bool am_result_is(const struct am_result *result, const char *axis, const char *text)
{
    const struct am_result_param *const p = am_result_param(result, axis);

    return p && am_param_same(p, &(struct am_result_param){axis, p->kind, text});
}

int am_param_order(const struct am_result_param *a, const struct am_result_param *b)
{
    const double x = number_of(a), y = number_of(b);
    int order;

    if (!a || !b)
        return (a != NULL) - (b != NULL);
    if (isfinite(x) && isfinite(y))
        return (x > y) - (x < y);
    order = strcmp(a->text, b->text);
    return (order > 0) - (order < 0);
}

bool am_param_same(const struct am_result_param *a, const struct am_result_param *b)
{
    return am_param_order(a, b) == 0;
}

bool am_result_same(const struct am_result *a, const struct am_result *b, const char *axis)
{
    return am_param_same(am_result_param(a, axis), am_result_param(b, axis));
}

/* ---- points ---- */

static int by_name(const void *a, const void *b)
{
    const struct am_result_param *const *const x = a, *const *const y = b;

    return strcmp((*x)->name, (*y)->name);
}

bool am_keyed_make(const struct am_result *result, struct am_arena *arena, struct am_keyed *out)
{
    const struct am_result_param **const params =
        am_arena_array(arena, result->n_params + 1, sizeof(*params));

    if (!params)
        return false;
    for (size_t i = 0; i < result->n_params; i++)
        params[i] = &result->params[i];
    qsort(params, result->n_params, sizeof(*params), by_name);
    *out = (struct am_keyed){result, params};
    return true;
}

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

int am_keyed_order(const struct am_keyed *a, const struct am_keyed *b)
{
    const size_t n = a->result->n_params, m = b->result->n_params;
    int order = sign(strcmp(a->result->bench, b->result->bench));

    for (size_t i = 0; order == 0 && i < n && i < m; i++) {
        order = sign(strcmp(a->params[i]->name, b->params[i]->name));
        if (order == 0)
            order = am_param_order(a->params[i], b->params[i]);
    }
    return order ? order : (n > m) - (n < m);
}
