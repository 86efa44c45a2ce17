/* SPDX-License-Identifier: MIT */
/* Programs that are not ours: executions, commands and marked regions, which the worker exec
 * measures. What they do is known only as far as they, their experiment or the counters say it. */
#include "family/programs.h"

#include "base/text.h"
#include "family/families.h"
#include "family/roles.h"

#include <math.h>

static const char every[] = "exec.*";

bool am_result_is_program(const struct am_result *result)
{
    return am_glob_match(every, result->bench);
}

/* What one call of a region touches, times the threads that are in it at a time: `ops` are the
 * calls of all of them. A program as a whole is one call. */
static double working_set(const struct am_result *r)
{
    const double bytes = r->work.bytes_read + r->work.bytes_written;
    const double calls = fmax(1, r->work.ops), threads = am_result_threads(r);

    return bytes / calls * fmin(calls, threads);
}

const struct am_result_metric *am_program_rate(const struct am_result *result, double amount,
                                               const char *unit, struct am_arena *arena)
{
    const struct am_result_metric *const time = am_result_metric(result, "time");
    struct am_result_metric *const rate = time ? am_arena_alloc(arena, sizeof(*rate)) : NULL;
    struct am_summary *const s = rate ? &rate->summary : NULL;

    if (!rate || !time->has_summary || !(time->summary.min > 0))
        return NULL;
    *rate = *time;
    rate->name = "rate";
    rate->unit = unit;
    rate->better = AM_HIGHER;
    s->median = amount / time->summary.median;
    s->ci.lo = amount / time->summary.ci.hi;
    s->ci.hi = amount / time->summary.ci.lo;
    s->min = amount / time->summary.max;
    s->max = amount / time->summary.min;
    s->p5 = amount / time->summary.p95;
    s->p95 = amount / time->summary.p5;
    s->systematic = s->median * time->summary.systematic / time->summary.median;
    s->mad = s->median * time->summary.mad / time->summary.median;
    return rate;
}

static const struct am_bound_row bounds[] = {
    {.bench = every, .role = AM_BOUND_ORDINARY, .working_set = working_set},
    {.bench = NULL},
};

const struct am_family am_family_programs = {
    .name = "programs",
    .title = "Programs",
    .bounds = bounds,
};
