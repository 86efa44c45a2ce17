/* SPDX-License-Identifier: MIT */
/* The best of a machine by energy: most operations a joule, least joules a byte. Work over mean
 * energy of the launches, with intervals by resampling whole launches. */
#include "model/derive.h"

#include "core/stats/bootstrap.h"

#include <math.h>
#include <string.h>

static const char energy_prefix[] = "energy:";

/* The mean energy of an iteration in each launch of a point. */
struct means {
    double *joules;
    size_t n;
    double work; /* of an iteration: operations, or bytes */
};

static double flops_of(const struct am_work *w)
{
    return w->flops;
}

static double bytes_of(const struct am_work *w)
{
    return w->bytes_read + w->bytes_written;
}

static double mean_joules(const struct means *m, const size_t *pick, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += m->joules[pick ? pick[i] : i];
    return sum / (double)n;
}

static double work_per_joule(const void *self, const size_t *pick, size_t n)
{
    const struct means *const m = self;

    return m->work / mean_joules(m, pick, n);
}

static double joules_per_work(const void *self, const size_t *pick, size_t n)
{
    const struct means *const m = self;

    return mean_joules(m, pick, n) / m->work;
}

static const struct kind {
    const char *id, *what, *unit;
    double (*work)(const struct am_work *w);
    am_bootstrap_fn *value;
    bool most; /* the greatest is the best */
} kinds[] = {
    {"flops_per_watt.peak", "most operations a joule", "flop/J", flops_of, work_per_joule, true},
    {"joule_per_byte.least", "least energy a byte read or written", "J/B", bytes_of,
     joules_per_work, false},
};

static bool gather(const struct am_result *r, const struct am_series *series, const struct kind *k,
                   struct am_arena *arena, struct means *m)
{
    *m = (struct means){.work = k->work(&r->work)};
    m->joules = am_arena_array(arena, series->n + 1, sizeof(*m->joules));
    if (!m->joules || !(m->work > 0))
        return false;
    for (size_t i = 0; i < series->n; i++) {
        const double mean =
            am_stats_moments(series->launches[i].values, series->launches[i].n).mean;

        if (isfinite(mean) && mean > 0)
            m->joules[m->n++] = mean;
    }
    return m->n > 0;
}

static const struct am_result_metric *find_metric(const struct am_result *r, const char *name)
{
    for (size_t i = 0; r->state == AM_POINT_OK && i < r->n_metrics; i++) {
        if (strcmp(r->metrics[i].name, name) == 0)
            return &r->metrics[i];
    }
    return NULL;
}

/* The best point of the run for one kind and one group of meters ("energy:package"). */
static void offer_best(const struct am_result_set *set, const char *metric, const struct kind *k,
                       struct am_facts *facts)
{
    const struct am_result *best = NULL;
    struct means of_best = {0};
    struct am_interval ci;
    double value = NAN;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result_metric *const found = find_metric(&set->results[i], metric);
        struct means m;
        double x;

        if (!found || !gather(&set->results[i], &found->series, k, facts->arena, &m))
            continue;
        x = k->value(&m, NULL, m.n);
        if (!best || (k->most ? x > value : x < value)) {
            best = &set->results[i];
            of_best = m;
            value = x;
        }
    }
    if (!best)
        return;
    ci = am_bootstrap(of_best.n, k->value, &of_best);
    if (isnan(ci.lo))
        ci = (struct am_interval){value, value, 0}; /* one launch shows no spread */
    am_facts_offer(facts, (struct am_fact){
                              .id = am_arena_printf(facts->arena, "energy.%s.%s",
                                                    metric + strlen(energy_prefix), k->id),
                              .what = k->what,
                              .unit = k->unit,
                              .value = value,
                              .ci = ci,
                              .evidence = am_arena_printf(
                                  facts->arena, "%s %s; interval by resampling %zu launches",
                                  best->bench, best->text, of_best.n),
                          });
}

/* Whether no result before this one has the metric. */
static bool is_new(const struct am_result_set *set, size_t before, const char *name)
{
    for (size_t i = 0; i < before; i++) {
        if (find_metric(&set->results[i], name))
            return false;
    }
    return true;
}

void am_derive_energy(const struct am_result_set *set, struct am_facts *facts)
{
    for (size_t i = 0; i < set->n; i++) {
        for (size_t m = 0; m < set->results[i].n_metrics; m++) {
            const char *const name = set->results[i].metrics[m].name;

            if (strncmp(name, energy_prefix, strlen(energy_prefix)) != 0 || !is_new(set, i, name))
                continue;
            for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
                offer_best(set, name, &kinds[k], facts);
        }
    }
}
