/* SPDX-License-Identifier: MIT */
/* What meter.stability shows of each meter: median, mean, deviation and outliers of the energy of
 * equal work (seed 001, tables 5.7 and 5.8), all samples of all launches together. */
#include "model/derive.h"

#include "core/stats/steady.h"

#include <math.h>
#include <string.h>

static const char energy_prefix[] = "energy:";

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
    struct am_steady y;
    const char *evidence;

    if (!stem || !am_steady_describe(&metric->series, facts->arena, &y))
        return;
    evidence = am_arena_printf(facts->arena, "meter.stability %s: %zu repetitions", r->text, y.n);
    offer(facts, am_arena_printf(facts->arena, "%s.mean", stem), "mean energy of equal work", "J",
          y.mean, evidence);
    offer(facts, am_arena_printf(facts->arena, "%s.sigma", stem),
          "its standard deviation over the mean", "", y.sigma / y.mean, evidence);
    offer(facts, am_arena_printf(facts->arena, "%s.outliers", stem),
          "repetitions beyond three deviations", "", (double)y.outliers, evidence);
    offer(facts, am_arena_printf(facts->arena, "%s.median", stem), "median energy of equal work",
          "J", y.median, evidence);
}

void am_derive_meter(const struct am_result_set *set, struct am_facts *facts)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (strcmp(r->bench, "meter.stability") != 0 || r->state != AM_POINT_OK)
            continue;
        for (size_t k = 0; k < r->n_metrics; k++) {
            if (strncmp(r->metrics[k].name, energy_prefix, strlen(energy_prefix)) == 0)
                describe(facts, r, &r->metrics[k]);
        }
    }
}
