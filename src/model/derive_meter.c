/* SPDX-License-Identifier: MIT */
/* What meter.stability shows of each meter: median, mean, deviation and outliers of the energy of
 * equal work (seed 001, tables 5.7 and 5.8), all samples of all launches together. */
#include "model/derive.h"

#include "core/stats.h"

#include <math.h>
#include <string.h>

static const char energy_prefix[] = "energy:";
static const double outlier_sigmas = 3;

/* All samples of a metric, disturbed ones too: what disturbs the machine is told by the time. */
static double *pool(const struct am_series *series, struct am_arena *arena, size_t *n_p)
{
    double *values;
    size_t room = 0, n = 0;

    for (size_t i = 0; i < series->n; i++)
        room += series->launches[i].n;
    values = am_arena_array(arena, room + 1, sizeof(*values));
    for (size_t i = 0; values && i < series->n; i++) {
        for (size_t k = 0; k < series->launches[i].n; k++) {
            if (isfinite(series->launches[i].values[k]))
                values[n++] = series->launches[i].values[k];
        }
    }
    *n_p = n;
    return values;
}

static size_t count_outliers(const double *x, size_t n, const struct am_moments *m)
{
    size_t outliers = 0;

    for (size_t i = 0; i < n; i++)
        outliers += fabs(x[i] - m->mean) > outlier_sigmas * m->sigma;
    return outliers;
}

static void offer(struct am_facts *facts, const char *id, const char *what, const char *unit,
                  double value, const char *evidence)
{
    am_facts_offer(facts, (struct am_fact){.id = id,
                                           .what = what,
                                           .unit = unit,
                                           .value = value,
                                           .ci = {value, value, NAN},
                                           .evidence = evidence});
}

static void describe(struct am_facts *facts, const struct am_result *r,
                     const struct am_result_metric *metric)
{
    const char *const of = metric->name + strlen(energy_prefix);
    const char *const stem =
        am_arena_printf(facts->arena, "meter.%s.threads%.0f", of, am_result_number(r, "threads"));
    struct am_moments m;
    const char *evidence;
    size_t n;
    double *const x = pool(&metric->series, facts->arena, &n);

    if (!x || !stem || n < 2)
        return;
    m = am_stats_moments(x, n);
    evidence = am_arena_printf(facts->arena, "meter.stability %s: %zu repetitions", r->text, n);
    offer(facts, am_arena_printf(facts->arena, "%s.mean", stem), "mean energy of equal work", "J",
          m.mean, evidence);
    offer(facts, am_arena_printf(facts->arena, "%s.sigma", stem),
          "its standard deviation over the mean", "", m.sigma / m.mean, evidence);
    offer(facts, am_arena_printf(facts->arena, "%s.outliers", stem),
          "repetitions beyond three deviations", "", (double)count_outliers(x, n, &m), evidence);
    am_stats_sort(x, n);
    offer(facts, am_arena_printf(facts->arena, "%s.median", stem), "median energy of equal work",
          "J", am_stats_median(x, n), evidence);
}

void am_derive_meter(const struct am_result_set *set, struct am_facts *facts)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (strcmp(r->bench, "meter.stability") != 0 || strcmp(r->state, "ok") != 0)
            continue;
        for (size_t k = 0; k < r->n_metrics; k++) {
            if (strncmp(r->metrics[k].name, energy_prefix, strlen(energy_prefix)) == 0)
                describe(facts, r, &r->metrics[k]);
        }
    }
}
