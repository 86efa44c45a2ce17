/* SPDX-License-Identifier: MIT */
/* The order of a run that has a budget. */
#include "conductor/schedule.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Launches beyond the least number: behind all classes, and behind all ranks. */
enum { CLASS_OF_MORE = AM_WORTH_LAST, RANK_OF_MORE = INT_MAX - 1 };

static unsigned least_of(const struct am_due *due, unsigned min_launches)
{
    return due->least ? due->least : min_launches;
}

unsigned am_due_visits(const struct am_due *due, unsigned min_launches)
{
    const unsigned least = least_of(due, min_launches);

    if (due->stopped)
        return 0;
    if (due->visits < least)
        return least - due->visits;
    return due->next > due->visits ? due->next - due->visits : 1;
}

/* Of a point that was first in its process whenever it was visited, the part that is not starting;
 * guesses of that may be too high, so that a little is left in any case. */
static double behind_of(const struct am_due *due, double start_s)
{
    static const double least = 0.05;

    return due->behind ? due->spent_behind_s / due->behind
                       : fmax(due->each_s - start_s, least * due->each_s);
}

void am_schedule_expect(struct am_due *due, size_t n)
{
    double spent = 1, expected = 1; /* as if a second had been spent as expected before */

    for (size_t i = 0; i < n; i++) {
        spent += due[i].spent_s;
        expected += due[i].visits * due[i].guess_s;
    }
    for (size_t i = 0; i < n; i++) {
        due[i].each_s =
            due[i].visits ? due[i].spent_s / due[i].visits : due[i].guess_s * spent / expected;
        due[i].behind_s = behind_of(&due[i], due[i].start_s * spent / expected);
    }
}

double am_schedule_left(const struct am_due *due, size_t n, unsigned min_launches, size_t *visits)
{
    double left = 0;

    *visits = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned more = due[i].fits ? am_due_visits(&due[i], min_launches) : 0;

        *visits += more;
        left += more * due[i].each_s;
    }
    return left;
}

/* Further launches of points of the first class come before those of others. */
static unsigned turn_of(const struct am_due *due, unsigned min_launches)
{
    return due->visits < least_of(due, min_launches)
               ? due->worth
               : RANK_OF_MORE + (due->worth >= AM_WORTH_HEADLINES);
}

static int by_turn(const void *x, const void *y)
{
    const struct am_due *const a = *(const struct am_due *const *)x;
    const struct am_due *const b = *(const struct am_due *const *)y;

    return (a->turn > b->turn) - (a->turn < b->turn);
}

/* One rank, from sorted[*i] on; *i moves behind it. */
struct rank {
    double seconds; /* still needed */
    bool begun;
};

static struct rank take_rank(struct am_due *const *sorted, size_t n, unsigned min_launches,
                             size_t *i)
{
    const unsigned turn = sorted[*i]->turn;
    struct rank rank = {0};

    for (; *i < n && sorted[*i]->turn == turn; (*i)++) {
        const struct am_due *const due = sorted[*i];

        rank.seconds += due->each_s * am_due_visits(due, min_launches);
        rank.begun |= due->visits > 0;
    }
    return rank;
}

double am_schedule_fit(struct am_due *due, size_t n, unsigned min_launches, double left_s,
                       double reserve_s)
{
    struct am_due **const sorted = malloc((n ? n : 1) * sizeof(*sorted));
    double used = 0;
    bool room = left_s > 0;

    for (size_t i = 0; i < n; i++) {
        due[i].fits = true;
        due[i].turn = turn_of(&due[i], min_launches);
        if (sorted)
            sorted[i] = &due[i];
    }
    if (!sorted)
        return left_s;
    qsort(sorted, n, sizeof(struct am_due *), by_turn);
    for (size_t i = 0; i < n;) {
        const size_t first = i;
        const struct rank rank = take_rank(sorted, n, min_launches, &i);
        const double limit = left_s - (rank.begun ? 0 : reserve_s);
        const bool whole = used + rank.seconds <= limit;
        const bool taken = room && (whole || rank.begun || first == 0);

        for (size_t k = first; k < i; k++)
            sorted[k]->fits = taken;
        used += taken ? rank.seconds : 0;
        room = room && (whole || !taken); /* what was begun and is too long has all that is left */
    }
    free(sorted);
    return used;
}

unsigned am_schedule_class(const struct am_due *due, unsigned min_launches)
{
    return due->visits < least_of(due, min_launches) ? due->worth / AM_WORTH_HEADLINES
                                                     : CLASS_OF_MORE;
}

bool am_schedule_turn(const struct am_due *due, size_t n, unsigned min_launches, unsigned *turn)
{
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        const unsigned now = am_schedule_class(&due[i], min_launches);

        if (due[i].stopped || !due[i].fits || (any && now >= *turn))
            continue;
        *turn = now;
        any = true;
    }
    return any;
}

static unsigned rank_of(const struct am_due *due)
{
    return due->worth < AM_WORTH_LAST ? due->worth : AM_WORTH_LAST;
}

void am_schedule_sort(const struct am_due *due, size_t *order, size_t n)
{
    size_t begin[AM_WORTH_LAST + 2] = {0};
    size_t *const sorted = calloc(n + 1, sizeof(*sorted));

    for (size_t i = 0; i < n; i++)
        begin[rank_of(&due[order[i]]) + 1]++;
    for (size_t w = 0; w <= AM_WORTH_LAST; w++)
        begin[w + 1] += begin[w];
    for (size_t i = 0; sorted && i < n; i++)
        sorted[begin[rank_of(&due[order[i]])]++] = order[i];
    if (sorted)
        memcpy(order, sorted, n * sizeof(*sorted));
    free(sorted);
}

/* Largest value of its axes of bytes: what a visit allocates and fills, about. */
static double bytes_of(const struct am_point *point)
{
    const struct am_axis *const axes = point->bench->axes;
    double most = 0;

    for (size_t i = 0; axes && axes[i].name && point->values; i++) {
        if (axes[i].kind == AM_AXIS_SIZE)
            most = fmax(most, (double)point->values[i].i);
    }
    return most;
}

/* A runtime or a device, which is chosen before the process starts, has to be started too. */
static bool starts_runtime(const struct am_bench *bench)
{
    for (size_t i = 0; bench->axes && bench->axes[i].name; i++) {
        if (bench->axes[i].env)
            return true;
    }
    return false;
}

double am_schedule_guess(const struct am_plan *plan, const struct am_point *point)
{
    /* Nobody has measured it here: orders of magnitude of a common machine. */
    static const double process_s = 0.005, runtime_s = 0.1, fill_rate = 3e9, walk_rate = 10e9;
    static const double threads_filling = 8; /* the memory of most machines */
    const struct am_sampler_settings *const s = &plan->settings.sampler;
    const double bytes = bytes_of(point) / fmin((double)am_point_threads(point), threads_filling);
    /* Calibration costs about three batches, and batches come out longer than their minimum. */
    const double batch_s = fmax(1.3e-9 * (double)s->min_batch_ns, bytes / walk_rate);
    const double trial_s =
        fmax(fmin(batch_s, 1e-9 * (double)AM_SAMPLER_TRIAL_NS), bytes / walk_rate);
    const double warm_s = fmax(fmin(batch_s, 1e-9 * (double)AM_SAMPLER_WARM_NS), bytes / walk_rate);
    const double before_s = 3 * trial_s + s->warmup * warm_s;
    const double batches_s = before_s + fmin(batch_s * s->samples, 1e-9 * (double)s->max_point_ns);

    const double start_s = point->start_s > 0
                               ? point->start_s
                               : process_s + (starts_runtime(point->bench) ? runtime_s : 0);

    return point->expect_s > 0 ? point->expect_s : start_s + bytes / fill_rate + batches_s;
}

double am_schedule_estimate(const struct am_plan *plan, bool *fits)
{
    const struct am_plan_settings *set = &plan->settings;
    struct am_due *due = calloc(plan->n ? plan->n : 1, sizeof(*due));
    double all = 0;

    for (size_t i = 0; i < plan->n; i++) {
        const double each = am_schedule_guess(plan, &plan->points[i]);

        const struct am_due of = {.worth = plan->points[i].worth,
                                  .least = plan->points[i].least,
                                  .each_s = each,
                                  .fits = true};

        all += least_of(&of, set->min_launches) * each;
        if (due)
            due[i] = of;
    }
    if (due && set->budget_s > 0)
        all = fmin(set->budget_s, am_schedule_fit(due, plan->n, set->min_launches, set->budget_s,
                                                  AM_SCHEDULE_RESERVE * set->budget_s));
    for (size_t i = 0; fits && i < plan->n; i++)
        fits[i] = !due || due[i].fits;
    free(due);
    return all;
}
