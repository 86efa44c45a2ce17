/* SPDX-License-Identifier: MIT */
/* Statistics as SQL aggregates: the same code as everywhere else. */
#include "store/functions.h"

#include "base/array.h"
#include "core/stats/summary.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* What an aggregate has seen. */
struct row {
    double x, weight;
    int64_t launch;
    uint32_t labels, busy;
};

struct rows {
    struct row *items;
    size_t n, cap;
    bool failed;
};

typedef double finish_fn(struct rows *rows);

/* NULL is no value, as in SQL's own aggregates. */
static void step(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct rows *const rows = sqlite3_aggregate_context(context, sizeof(*rows));
    struct row *row;

    if (!rows || sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    row = AM_ARRAY_ADD(NULL, rows->items, rows->n, rows->cap);
    if (!row) {
        rows->failed = true;
        return;
    }
    *row = (struct row){
        .x = sqlite3_value_double(values[0]),
        .weight = n == 2 ? sqlite3_value_double(values[1]) : 1,
        .launch = n == 4 ? sqlite3_value_int64(values[1]) : 0,
        .labels = n == 4 ? (uint32_t)sqlite3_value_int64(values[2]) : 0,
        .busy = n == 4 ? (uint32_t)sqlite3_value_int64(values[3]) : 0,
    };
}

static void finish(sqlite3_context *context)
{
    struct rows *const rows = sqlite3_aggregate_context(context, 0);
    finish_fn *const *const fn = sqlite3_user_data(context);
    const double result = rows && rows->n && !rows->failed ? (*fn)(rows) : NAN;

    if (rows && rows->failed)
        sqlite3_result_error_nomem(context);
    else if (isfinite(result))
        sqlite3_result_double(context, result);
    if (rows)
        free(rows->items);
}

static double median(struct rows *rows)
{
    double *const x = calloc(rows->n, sizeof(*x));
    double result = NAN;

    for (size_t i = 0; x && i < rows->n; i++)
        x[i] = rows->items[i].x;
    if (x) {
        am_stats_sort(x, rows->n);
        result = am_stats_median(x, rows->n);
    }
    free(x);
    return result;
}

static struct am_weighted weighted(const struct rows *rows)
{
    double *const x = calloc(rows->n, 2 * sizeof(*x));
    struct am_weighted result = {NAN, NAN};

    for (size_t i = 0; x && i < rows->n; i++) {
        x[i] = rows->items[i].x;
        x[rows->n + i] = rows->items[i].weight;
    }
    if (x)
        result = am_stats_weighted(x, x + rows->n, rows->n);
    free(x);
    return result;
}

static double mean(struct rows *rows)
{
    return weighted(rows).mean;
}

static double deviation(struct rows *rows)
{
    return weighted(rows).stddev;
}

static int by_launch(const void *x, const void *y)
{
    const struct row *const a = x, *const b = y;

    return (a->launch > b->launch) - (a->launch < b->launch);
}

/* As `show` summarises: the median of the launches' medians. */
static double launch_median(struct rows *rows)
{
    double *const x = calloc(rows->n, sizeof(*x));
    uint32_t *const labels = calloc(rows->n, sizeof(*labels));
    struct am_launch_values *const launches = calloc(rows->n, sizeof(*launches));
    struct am_series series = {.launches = launches};
    struct am_summary summary = {.median = NAN};

    if (x && labels && launches) {
        qsort(rows->items, rows->n, sizeof(*rows->items), by_launch);
        for (size_t i = 0; i < rows->n; i++) {
            x[i] = rows->items[i].x;
            labels[i] = rows->items[i].labels;
            if (i == 0 || rows->items[i].launch != rows->items[i - 1].launch)
                launches[series.n++] = (struct am_launch_values){.launch_id = rows->items[i].launch,
                                                                 .values = x + i,
                                                                 .labels = labels + i,
                                                                 .busy = rows->items[i].busy};
            launches[series.n - 1].n++;
        }
        if (!am_summarise(&series, &summary))
            summary.median = NAN;
    }
    free(x);
    free(labels);
    free(launches);
    return summary.median;
}

static const struct {
    const char *name;
    int arguments;
    finish_fn *finish;
} functions[] = {
    {"median", 1, median},
    {"stddev", 1, deviation},
    {"weighted_mean", 2, mean},
    {"weighted_stddev", 2, deviation},
    {"launch_median", 4, launch_median},
};

bool am_functions_register(sqlite3 *db)
{
    bool good = true;

    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
        good = good && sqlite3_create_function_v2(
                           db, functions[i].name, functions[i].arguments,
                           SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                           (void *)&functions[i].finish, NULL, step, finish, NULL) == SQLITE_OK;
    return good;
}
