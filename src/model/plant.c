/* SPDX-License-Identifier: MIT */
/* Rows made slower on purpose, and judged. */
#include "model/plant.h"

#include <math.h>
#include <string.h>

/* A copy of the series, each value times `factor`. */
static bool scale(struct am_series *series, double factor, struct am_arena *arena)
{
    struct am_launch_values *const launches = am_arena_array(arena, series->n, sizeof(*launches));

    if (!launches)
        return false;
    for (size_t i = 0; i < series->n; i++) {
        const struct am_launch_values *const from = &series->launches[i];
        double *const values = am_arena_array(arena, from->n + 1, sizeof(*values));

        if (!values)
            return false;
        for (size_t k = 0; k < from->n; k++)
            values[k] = from->values[k] * factor;
        launches[i] = *from;
        launches[i].values = values;
    }
    series->launches = launches;
    return true;
}

/* The set with one metric of one result scaled. */
static bool plant_row(const struct am_result_set *b, const struct am_comparison_row *row,
                      double factor, struct am_arena *arena, struct am_result_set *out)
{
    const size_t result = (size_t)(row->b - b->results);
    const size_t metric = (size_t)(row->metric_b - row->b->metrics);
    struct am_result *const results = am_arena_array(arena, b->n, sizeof(*results));
    struct am_result_metric *const metrics =
        am_arena_array(arena, row->b->n_metrics, sizeof(*metrics));

    if (!results || !metrics)
        return false;
    memcpy(results, b->results, b->n * sizeof(*results));
    memcpy(metrics, row->b->metrics, row->b->n_metrics * sizeof(*metrics));
    results[result].metrics = metrics;
    *out = *b;
    out->results = results;
    return scale(&metrics[metric].series, row->metric_b->better == AM_LOWER ? factor : 1 / factor,
                 arena);
}

/* Whether the planted row is called slower; the rows are in another order then. */
static bool is_found(const struct am_comparison *c, const struct am_comparison_row *planted)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->rows[i].a == planted->a &&
            strcmp(c->rows[i].metric_a->name, planted->metric_a->name) == 0)
            return am_verdict_direction(c->rows[i].verdict) > 0;
    }
    return false;
}

static enum am_status try_row(const struct am_result_set *a, const struct am_result_set *b,
                              const struct am_compare_settings *settings,
                              const struct am_comparison_row *row, double factor,
                              struct am_planted *out, struct am_err *err)
{
    struct am_arena arena = {0};
    struct am_result_set planted;
    struct am_comparison c;
    enum am_status status = plant_row(b, row, factor, &arena, &planted)
                                ? am_compare(a, &planted, settings, &arena, &c, err)
                                : am_fail(err, AM_E_NOMEM, "no memory to plant an effect");

    if (status == AM_OK) {
        out->rows++;
        out->found += is_found(&c, row);
    }
    am_arena_fini(&arena);
    return status;
}

enum am_status am_plant(const struct am_result_set *a, const struct am_result_set *b,
                        const struct am_compare_settings *settings,
                        const struct am_comparison *comparison, double factor,
                        struct am_planted *out, struct am_err *err)
{
    const size_t step = 1 + comparison->n / AM_PLANT_ROWS_MAX;
    enum am_status status = AM_OK;

    *out = (struct am_planted){0};
    for (size_t i = 0; i < comparison->n && status == AM_OK; i += step) {
        const struct am_comparison_row *const row = &comparison->rows[i];
        const double own = (1 + row->seen) * (1 + row->seen);

        if (isnan(row->change.d) || (factor <= 0 && !(row->seen <= 1)))
            continue;
        status = try_row(a, b, settings, row, factor > 0 ? factor : own, out, err);
    }
    return status;
}
