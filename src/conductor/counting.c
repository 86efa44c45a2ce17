/* SPDX-License-Identifier: MIT */
/* Hardware events beside time. */
#include "conductor/counting.h"

#include <math.h>
#include <string.h>

/* Quotients of two counts, or of a count and the operations of an iteration. */
static const struct quotient {
    const char *name, *unit;
    const char *over, *under; /* under NULL: flops */
    const char *help;
} quotients[] = {
    {"miss_ratio:l2", "", "PAPI_L2_TCM", "PAPI_L2_TCA", "misses per access of the second level"},
    {"miss_ratio:l3", "", "PAPI_L3_TCM", "PAPI_L3_TCA", "misses per access of the third level"},
    {"accesses_per_flop:memory", "1/flop", "PAPI_L3_TCM", NULL,
     "R_m: third-level misses an operation"},
};
enum { QUOTIENTS = sizeof(quotients) / sizeof(*quotients) };

static int index_of(const struct am_counting *c, const char *event)
{
    for (size_t i = 0; i < c->events.n; i++) {
        if (strcmp(c->events.items[i], event) == 0)
            return (int)i;
    }
    return -1;
}

static bool has_quotient(const struct am_counting *c, const struct quotient *q)
{
    return index_of(c, q->over) >= 0 && (!q->under || index_of(c, q->under) >= 0);
}

static size_t metrics_of(const struct am_counting *c, struct am_arena *arena, struct am_metric *out)
{
    size_t n = 0;

    for (size_t i = 0; i < c->events.n; i++)
        out[n++] = (struct am_metric){
            .name = am_arena_printf(arena, "count:%s", c->events.items[i]),
            .unit = "",
            .better = AM_LOWER,
            .rule = AM_RULE_OWN,
            .help = "events per iteration",
        };
    for (size_t i = 0; i < QUOTIENTS; i++) {
        if (has_quotient(c, &quotients[i]))
            out[n++] = (struct am_metric){
                .name = quotients[i].name,
                .unit = quotients[i].unit,
                .better = AM_LOWER,
                .rule = AM_RULE_OWN,
                .help = quotients[i].help,
            };
    }
    return n;
}

static enum am_status extend_bench(const struct am_counting *c, struct am_bench *bench,
                                   struct am_arena *arena, struct am_err *err)
{
    const size_t n = am_metric_count(bench->metrics);
    struct am_metric *const all = am_arena_array(arena, AM_METRICS_MAX + 1, sizeof(*all));

    if (!all)
        return am_fail(err, AM_E_NOMEM, "no memory for the metrics of events");
    if (n + AM_COUNTERS_MAX + QUOTIENTS > AM_METRICS_MAX)
        return am_fail(err, AM_E_LIMIT, "%s has no room for the metrics of events", bench->name);
    memcpy(all, bench->metrics, n * sizeof(*all));
    bench->metrics_added += metrics_of(c, arena, all + n);
    bench->metrics = all;
    return AM_OK;
}

enum am_status am_counting_extend(const struct am_counting *c, struct am_catalogue *catalogue,
                                  struct am_arena *arena, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t w = 0; c->events.n && w < catalogue->n; w++) {
        for (size_t b = 0; b < catalogue->workers[w].n && s == AM_OK; b++)
            s = extend_bench(c, (struct am_bench *)&catalogue->workers[w].benches[b], arena, err);
    }
    return s;
}

bool am_counting_counts(const struct am_counting *c, unsigned round)
{
    return c->events.n && (c->with_time || round % 2 == 0);
}

bool am_counting_times(const struct am_counting *c, unsigned round)
{
    return c->events.n == 0 || c->with_time || round % 2 == 1;
}

static double quotient_of(const struct am_counting *c, const struct quotient *q,
                          const double *counts, const struct am_work *work)
{
    const double under = q->under ? counts[index_of(c, q->under)] : work->flops;

    return under > 0 ? counts[index_of(c, q->over)] / under : NAN;
}

/* `own` are the worker's values, `end` all of them; the counts lie behind the worker's. */
static void place(const struct am_counting *c, const struct am_visit *visit, bool counts,
                  bool times, size_t own, size_t end, struct am_sample *sample)
{
    double got[AM_COUNTERS_MAX];
    size_t at = end;

    for (size_t i = 0; i < c->events.n; i++)
        got[i] = counts ? sample->values[own + i] : NAN;
    for (size_t i = times ? own : 0; i < end; i++)
        sample->values[i] = NAN;
    for (size_t i = QUOTIENTS; i-- > 0;) {
        if (has_quotient(c, &quotients[i]))
            sample->values[--at] = quotient_of(c, &quotients[i], got, &visit->work);
    }
    memcpy(&sample->values[at - c->events.n], got, c->events.n * sizeof(*got));
}

void am_counting_attribute(const struct am_counting *c, const struct am_point *const *points,
                           struct am_launch *launch)
{
    const bool counts = am_counting_counts(c, launch->round);
    const bool times = am_counting_times(c, launch->round);

    for (size_t i = 0; c->events.n && i < launch->n_visits; i++) {
        const struct am_bench *const bench = points[i]->bench;
        const size_t end = am_metric_count(bench->metrics), own = end - bench->metrics_added;
        struct am_visit *const visit = &launch->visits[i];

        visit->n_metrics = end;
        for (size_t k = 0; k < visit->n_samples; k++)
            place(c, visit, counts, times, own, end, &visit->samples[k]);
    }
}
