/* SPDX-License-Identifier: MIT */
/* The EPCC paper's test for clean runs, over all launches of the OpenMP benches of a runtime: large
 * deviations and many outliers tell of other work on the machine. */
#include "model/derive.h"

#include <math.h>
#include <string.h>

/* A launch is clean with a deviation up to this share of its mean, and so many outliers. The paper
 * says "large" and "many". */
static const double sigma_limit = 0.1, outlier_limit = 0.05;

/* What the launches of a runtime have shown. */
struct tally {
    double *sigmas; /* relative, one a launch */
    size_t launches, clean;
    size_t values, outliers;
};

/* The series of the time of a directive; NULL for results without. */
static const struct am_series *times_of(const struct am_result *r)
{
    if (strncmp(r->bench, "omp.", 4) != 0 || r->state != AM_POINT_OK ||
        !am_result_text(r, "runtime"))
        return NULL;
    for (size_t i = 0; i < r->n_metrics; i++) {
        if (strcmp(r->metrics[i].name, "time") == 0)
            return &r->metrics[i].series;
    }
    return NULL;
}

static bool is_of(const struct am_result *r, const char *runtime)
{
    return times_of(r) && strcmp(am_result_text(r, "runtime"), runtime) == 0;
}

static void count(struct tally *t, const struct am_launch_values *launch)
{
    const struct am_moments m = am_stats_moments(launch->values, launch->n);
    const double relative = m.sigma / m.mean;

    if (!isfinite(relative))
        return; /* one value has no deviation */
    t->sigmas[t->launches++] = relative;
    t->values += launch->n;
    t->outliers += m.outliers;
    t->clean += relative <= sigma_limit && (double)m.outliers <= outlier_limit * (double)launch->n;
}

static bool tally_runtime(const struct am_result_set *set, const char *runtime,
                          struct am_arena *arena, struct tally *t)
{
    size_t room = 0;

    for (size_t i = 0; i < set->n; i++)
        room += is_of(&set->results[i], runtime) ? times_of(&set->results[i])->n : 0;
    *t = (struct tally){.sigmas = am_arena_array(arena, room ? room : 1, sizeof(*t->sigmas))};
    for (size_t i = 0; t->sigmas && i < set->n; i++) {
        const struct am_series *const series =
            is_of(&set->results[i], runtime) ? times_of(&set->results[i]) : NULL;

        for (size_t k = 0; series && k < series->n; k++)
            count(t, &series->launches[k]);
    }
    return t->launches > 0;
}

static void add_share(struct am_facts *facts, const char *runtime, const char *name,
                      const char *what, size_t part, size_t whole)
{
    const double share = (double)part / (double)whole;

    am_facts_offer(facts, (struct am_fact){
                              .id = am_arena_printf(facts->arena, "omp.%s.runs.%s", runtime, name),
                              .what = what,
                              .unit = "",
                              .value = share,
                              .ci = {share, share, NAN},
                              .evidence = am_arena_printf(facts->arena, "%zu of %zu", part, whole),
                          });
}

static void add_runtime(const struct am_result_set *set, struct am_facts *facts,
                        const char *runtime)
{
    struct tally t;

    if (!tally_runtime(set, runtime, facts->arena, &t))
        return;
    am_stats_sort(t.sigmas, t.launches);
    am_facts_offer(
        facts, (struct am_fact){
                   .id = am_arena_printf(facts->arena, "omp.%s.runs.sigma", runtime),
                   .what = "deviation within a launch over its mean",
                   .unit = "",
                   .value = am_stats_median(t.sigmas, t.launches),
                   .ci = am_stats_median_interval(t.sigmas, t.launches, 0.95),
                   .evidence = am_arena_printf(facts->arena,
                                               "the median of %zu launches of a point", t.launches),
               });
    add_share(facts, runtime, "outliers", "times more than three deviations above the mean",
              t.outliers, t.values);
    add_share(facts, runtime, "clean", "launches without large deviation or many outliers", t.clean,
              t.launches);
}

void am_derive_runs(const struct am_result_set *set, struct am_facts *facts)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        bool first = times_of(r) != NULL;

        for (size_t k = 0; k < i && first; k++)
            first = !is_of(&set->results[k], am_result_text(r, "runtime"));
        if (first)
            add_runtime(set, facts, am_result_text(r, "runtime"));
    }
}
