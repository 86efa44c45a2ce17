/* SPDX-License-Identifier: MIT */
/* The record of earlier runs of a machine. */
#include "model/record.h"

#include "core/stats/stats.h"
#include "evidence/evidence.h"
#include "model/circumstances.h"
#include "model/side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORKER_KEY "worker."

static const struct am_result *same_point(const struct am_result_set *set,
                                          const struct am_result *of)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (r->version == of->version && strcmp(r->bench, of->bench) == 0 &&
            strcmp(r->text, of->text) == 0 && strcmp(r->worker, of->worker) == 0)
            return r;
    }
    return NULL;
}

double am_record_spread(const struct am_record *record, const struct am_result *result,
                        const char *metric, size_t *runs)
{
    double *const means = calloc(record->n + 1, sizeof(*means));
    double spread = NAN;

    *runs = 0;
    for (size_t i = 0; means && i < record->n; i++) {
        const struct am_result *const r = same_point(&record->runs[i], result);
        const struct am_result_metric *const m = r ? am_result_metric(r, metric) : NULL;

        means[*runs] = m ? log(am_side_run_mean(&m->series)) : NAN;
        *runs += isfinite(means[*runs]);
    }
    if (means && *runs >= AM_RECORD_LEAST)
        spread = am_stats_moments(means, *runs).sigma;
    free(means);
    return spread;
}

bool am_record_same_workers(const struct am_result_set *a, const struct am_result_set *b)
{
    size_t both = 0;

    for (size_t i = 0; i < a->build.n; i++) {
        const struct am_kv *const kv = &a->build.items[i];
        const char *const other = am_kvs_get(&b->build, kv->key);

        if (strncmp(kv->key, WORKER_KEY, strlen(WORKER_KEY)) != 0 || !other)
            continue;
        if (strcmp(kv->value, other) != 0)
            return false;
        both++;
    }
    return both > 0;
}

/* How a sample was taken: what makes means of runs comparable. */
static bool same_sampling(const struct am_plan_settings *a, const struct am_plan_settings *b)
{
    return a->sampler.min_batch_ns == b->sampler.min_batch_ns &&
           a->sampler.samples == b->sampler.samples && a->sampler.warmup == b->sampler.warmup;
}

bool am_record_takes(const struct am_result_set *of, const struct am_result_set *run)
{
    return run->run.state == AM_RUN_DONE && !am_run_same(&of->run, &run->run) &&
           run->run.synthetic == of->run.synthetic &&
           am_machine_same(&of->machine, &run->machine) &&
           same_sampling(&of->run.settings, &run->run.settings) && am_record_same_workers(of, run);
}
