/* SPDX-License-Identifier: MIT */
/* The time of a tuning: by its budget, else by what the plan expects of a visit. */
#include "cli/tune/tune_time.h"

#include "base/log.h"
#include "base/text.h"
#include "conductor/schedule.h"
#include "document/units.h"

#include <math.h>

/* Seconds of the longest visit of any point. */
static double longest_visit(const struct am_plan *plan)
{
    double longest = 0;

    for (size_t i = 0; i < plan->n; i++)
        longest = fmax(longest, am_schedule_guess(plan, &plan->points[i]));
    return longest;
}

/* A budget too short for a verdict is spent in vain. */
static void tell_least(double budget_s, double visit_s)
{
    const double least_s = AM_TUNE_LEAST_VISITS * visit_s;
    char visit[AM_UNITS_MAX], least[AM_UNITS_MAX];

    am_units_duration(visit_s, visit, sizeof(visit));
    am_units_duration(least_s, least, sizeof(least));
    if (visit_s >= 1 && budget_s < least_s)
        am_log(AM_LOG_WARN,
               "a visit takes about %s and %d are the fewest that can show a gain: --budget less "
               "than %s cannot",
               visit, AM_TUNE_LEAST_VISITS, least);
}

void am_tune_tell_time(const struct am_plan *plan, const struct am_tuner *tuner, double candidates)
{
    const double visit_s = longest_visit(plan);
    char all[AM_UNITS_MAX], each[AM_UNITS_MAX];

    if (tuner->mode != AM_TUNE_ESTIMATE && tuner->budget_s > 0) {
        am_units_duration(tuner->budget_s * (double)plan->n, all, sizeof(all));
        am_units_duration(tuner->budget_s, each, sizeof(each));
        am_log(AM_LOG_INFO, "%zu point%s to tune, at most %s (--budget: %s each)", plan->n,
               plan->n == 1 ? "" : "s", all, each);
        tell_least(tuner->budget_s, visit_s);
        return;
    }
    if (tuner->mode == AM_TUNE_ESTIMATE)
        candidates = (double)plan->n;
    am_units_duration(candidates * visit_s, all, sizeof(all));
    am_log(AM_LOG_INFO,
           "%zu point%s to tune, up to %.0f visit%s before the best are compared, about %s",
           plan->n, plan->n == 1 ? "" : "s", candidates, candidates > 1 ? "s" : "", all);
}
