/* SPDX-License-Identifier: MIT */
/* Which points are measured by one process. */
#include "conductor/sharing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUP_MAX = 64, /* points of a launch, whatever a bench allows: their request stays small */
    MIXED_MAX = 32, /* the same of several benches */
    /* A launch of several points may last this many times longer than its first point alone, in
     * units of what each point after the first saves: starting is then a fifth of it at most. */
    PAID_TIMES = 4,
};

/* One execution of a program measures all points of the launch. */
static bool executes_once(const struct am_bench *bench)
{
    return bench->fixed_iters == 1 && bench->points_per_launch > GROUP_MAX;
}

/* Of one bench. */
static size_t most_points(const struct am_bench *bench)
{
    const size_t allowed = bench->points_per_launch ? bench->points_per_launch : 1;
    const size_t room = executes_once(bench) ? AM_SHARING_MAX : GROUP_MAX;

    return allowed < room ? allowed : room;
}

/* Of all benches in the process of this one. */
static size_t most_of_launch(const struct am_bench *bench)
{
    return bench->mixes ? MIXED_MAX : most_points(bench);
}

static const struct am_worker *worker_of(const struct am_sharing *s, const struct am_bench *bench)
{
    return s->catalogue ? am_catalogue_worker(s->catalogue, bench) : NULL;
}

static bool may_mix(const struct am_sharing *s, const struct am_bench *a, const struct am_bench *b)
{
    return a == b ||
           (a->mixes && b->mixes && a->cpus == b->cpus && worker_of(s, a) == worker_of(s, b));
}

/* Whether one more point of its bench can be beside the n of `group`. */
static bool has_room(const struct am_sharing *s, const size_t *group, size_t n, size_t other)
{
    const struct am_bench *const bench = s->plan->points[other].bench;
    size_t own = 0;

    for (size_t i = 0; i < n; i++)
        own += s->plan->points[group[i]].bench == bench;
    return own < most_points(bench);
}

/* Whether the process of one point can measure the other in the same round. */
static bool may_share(const struct am_sharing *s, size_t first, size_t other)
{
    const struct am_point *const a = &s->plan->points[first], *const b = &s->plan->points[other];

    return may_mix(s, a->bench, b->bench) && s->points[other].next_round == s->round &&
           am_point_threads(a) == am_point_threads(b) &&
           strcmp(am_point_place(a), am_point_place(b)) == 0 && am_point_same_environment(a, b);
}

/* Seconds that the launch of this point may take with others. */
static double limit_of(const struct am_sharing *s, size_t first)
{
    const double budget = s->plan->settings.budget_s;
    const struct am_due *const due = &s->due[first];
    const double paid = due->each_s + PAID_TIMES * (due->each_s - due->behind_s);

    if (budget <= 0)
        return INFINITY;
    return fmin(fmax(budget / AM_SCHEDULE_FITS, paid), fmax(due->each_s, s->left_s));
}

static int by_index(const void *x, const void *y)
{
    const size_t a = *(const size_t *)x, b = *(const size_t *)y;

    return (a > b) - (a < b);
}

size_t am_sharing_gather(const struct am_sharing *s, size_t *order, size_t n)
{
    const struct am_bench *const bench = s->plan->points[order[0]].bench;
    const size_t most = most_of_launch(bench);
    const double limit = limit_of(s, order[0]);
    double expected = s->due[order[0]].each_s;
    size_t taken = 1;

    for (size_t i = 1; i < n && taken < most; i++) {
        const size_t other = order[i];
        const double behind = s->due[other].behind_s;

        if (expected + behind > limit || !may_share(s, order[0], other) ||
            !has_room(s, order, taken, other))
            continue;
        order[i] = order[taken];
        order[taken++] = other;
        expected += behind;
    }
    if (executes_once(bench))
        qsort(order, taken, sizeof(*order), by_index);
    return taken;
}

/* One with a twin waits for it: both are launched side by side. */
static bool may_ride(const struct am_sharing *s, size_t first, size_t other)
{
    const struct am_visited *const p = &s->points[other];

    return !p->chosen && !p->stopped && s->due[other].fits && !s->plan->points[other].twin &&
           may_share(s, first, other);
}

size_t am_sharing_ride(const struct am_sharing *s, size_t *group, size_t n)
{
    const struct am_bench *const bench = s->plan->points[group[0]].bench;
    const size_t most = most_of_launch(bench);
    size_t *const riders = group + n;
    size_t n_riders = 0, all = n;
    double room = limit_of(s, group[0]) - s->due[group[0]].each_s;

    if (s->plan->settings.budget_s <= 0 || executes_once(bench))
        return n;
    for (size_t i = 1; i < n; i++)
        room -= s->due[group[i]].behind_s;
    for (size_t i = 0; i < s->plan->n; i++) {
        if (may_ride(s, group[0], i))
            riders[n_riders++] = i;
    }
    am_schedule_sort(s->due, riders, n_riders);
    for (size_t i = 0; i < n_riders && all < most; i++) {
        const size_t rider = riders[i];

        if (s->due[rider].behind_s > room || !has_room(s, group, all, rider))
            continue;
        room -= s->due[rider].behind_s;
        group[all++] = rider;
    }
    return all;
}
