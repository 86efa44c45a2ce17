/* SPDX-License-Identifier: MIT */
/* Visits of a point: what came of them, and the rule by which they end. */
#include "conductor/visited.h"

#include "base/array.h"
#include "core/stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FAILURES_MAX = 2, /* launches that may fail before a point that never worked is given up */
    OUT_OF_REACH = 4, /* times the most launches: what is further off is given up */
};

static void add_median(struct am_visited *p, double median)
{
    double *added;

    if (isnan(median))
        return; /* the store leaves such launches out of a series too */
    added = AM_ARRAY_ADD(NULL, p->medians, p->n_medians, p->cap);
    if (added) /* else it costs precision of the stop rule only: the store has the samples */
        *added = median;
}

/* Takes the median of a launch, or none where the launch was disturbed and one in its place may
 * still be asked for. Repeats are bounded per point: on a machine that is always busy the disturbed
 * launches count in the end. */
static bool take_median(struct am_visited *p, unsigned repeats,
                        const struct am_launch_values *launch, double *scratch)
{
    const bool disturbed = am_launch_disturbed(launch);

    if (p->repeats < repeats && disturbed)
        p->repeats++;
    else
        add_median(p, am_launch_median(launch, scratch));
    return disturbed;
}

/* The primary metric of a visit. */
static bool take_samples(struct am_visited *p, unsigned repeats, const struct am_visit *v,
                         uint32_t busy)
{
    struct am_launch_values values = {.n = v->n_samples, .busy = busy};
    double *x = calloc(v->n_samples, 2 * sizeof(*x));
    uint32_t *labels = calloc(v->n_samples, sizeof(*labels));
    bool disturbed = false;

    if (x && labels) {
        for (size_t i = 0; i < v->n_samples; i++) {
            x[i] = v->samples[i].values[0];
            labels[i] = v->samples[i].labels;
        }
        values.values = x;
        values.labels = labels;
        disturbed = take_median(p, repeats, &values, x + v->n_samples);
    }
    free(labels);
    free(x);
    return disturbed;
}

bool am_visited_note(struct am_visited *p, unsigned repeats, const struct am_visit *visit,
                     uint32_t busy)
{
    p->visits++;
    p->skipped |= visit->state == AM_POINT_SKIP;
    p->failures += visit->state == AM_POINT_FAIL;
    p->worked |= visit->state == AM_POINT_OK;
    return visit->state == AM_POINT_OK && take_samples(p, repeats, visit, busy);
}

void am_visited_take_over(struct am_visited *p, const struct am_plan_settings *set,
                          const struct am_resume_point *state, const struct am_result *result)
{
    const struct am_series *series = result->n_metrics ? &result->metrics[0].series : NULL;

    p->visits = (unsigned)state->n_rounds;
    p->next_round = state->n_rounds ? state->rounds[state->n_rounds - 1] + 1 : 0;
    p->failures = (unsigned)state->failures;
    p->worked = result->state == AM_POINT_OK;
    p->skipped = result->state == AM_POINT_SKIP;
    p->stopped = state->stop_reason != AM_STOP_OPEN;
    for (size_t k = 0; series && k < series->n; k++) {
        double *scratch = malloc((series->launches[k].n + 1) * sizeof(*scratch));

        if (scratch)
            (void)take_median(p, set->repeats, &series->launches[k], scratch);
        free(scratch);
    }
}

/* An interval narrows with the root of the number of launches. Where several times the most there
 * may be would not bring it to the target, further ones buy nothing. */
static bool out_of_reach(const struct am_visited *p, unsigned most, double width, double target)
{
    const double needed = (double)p->n_medians * (width / target) * (width / target);

    return needed > OUT_OF_REACH * (double)most;
}

/* Precision is asked at the looks only: who asked after every launch would stop where luck made an
 * interval narrow. */
enum am_stop_reason am_visited_stop(const struct am_visited *p, const struct am_plan_settings *set,
                                    const struct am_looks *looks, const struct am_point *point)
{
    const double target = fmax(set->target, point->bench->target);
    const unsigned counted = p->visits - p->repeats;
    const unsigned most = point->most ? point->most : set->max_launches;

    if (p->skipped && !p->worked)
        return AM_STOP_SKIP;
    if (!p->worked && p->failures >= FAILURES_MAX)
        return AM_STOP_FAIL;
    if (am_looks_at(looks, p->n_medians)) {
        const double width = am_looks_precision(p->medians, p->n_medians);

        if (width <= target)
            return AM_STOP_TARGET;
        if (most > counted && !point->needed && out_of_reach(p, most, width, target))
            return AM_STOP_OUT_OF_REACH;
    }
    if (counted >= most)
        return p->worked ? AM_STOP_MAX_LAUNCHES : AM_STOP_FAIL;
    return AM_STOP_OPEN;
}

double am_visited_median(const struct am_visited *p)
{
    double *sorted = malloc((p->n_medians + 1) * sizeof(*sorted));
    double median = NAN;

    if (sorted && p->n_medians) {
        memcpy(sorted, p->medians, p->n_medians * sizeof(*sorted));
        am_stats_sort(sorted, p->n_medians);
        median = am_stats_median(sorted, p->n_medians);
    }
    free(sorted);
    return median;
}
