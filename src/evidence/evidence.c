/* SPDX-License-Identifier: MIT */
/* Settling a run: summaries and grades; parameters by value. */
#include "evidence/evidence.h"

#include "base/text.h"

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

static void settle_metric(struct am_result_metric *metric, bool verified)
{
    struct am_grade_input in = {.summary = &metric->summary, .verified = verified};

    metric->has_summary = am_summarise(&metric->series, &metric->summary);
    if (!metric->has_summary)
        return;
    count_samples(&metric->series, &in);
    metric->grading = am_grade(&in);
}

void am_evidence_settle_result(struct am_result *r)
{
    for (size_t i = 0; r->state == AM_POINT_OK && i < r->n_metrics; i++)
        settle_metric(&r->metrics[i], isfinite(r->residual));
}

void am_evidence_settle(struct am_result_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        am_evidence_settle_result(&set->results[i]);
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
