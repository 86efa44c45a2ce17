/* SPDX-License-Identifier: MIT */
/* Plans under a budget: what fits and whose turn it is. */
#include "base/rng.h"
#include "conductor/schedule.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { LAUNCHES = 5 };

/* ---- what fits ---- */

static size_t count_fitting(const struct am_due *due, size_t n)
{
    size_t fitting = 0;

    for (size_t i = 0; i < n; i++)
        fitting += due[i].fits;
    return fitting;
}

static void test_fit(void)
{
    struct am_due due[] = {{.worth = 200, .each_s = 1},
                           {.worth = 10, .each_s = 1},
                           {.worth = 20, .each_s = 1},
                           {.worth = 20, .each_s = 1},
                           {.worth = 30, .each_s = 0.1}};
    double used = am_schedule_fit(due, 5, LAUNCHES, 100, 5);

    ok(count_fitting(due, 5) == 5 && fabs(used - 20.5) < 1e-9, "with enough time everything fits");
    used = am_schedule_fit(due, 5, LAUNCHES, 16, 0);
    ok(!due[0].fits && due[1].fits && due[2].fits && due[3].fits && due[4].fits && used < 16,
       "what is of least worth is left out, wherever it stands in the plan");
    used = am_schedule_fit(due, 5, LAUNCHES, 14, 0);
    ok(due[1].fits && !due[2].fits && !due[3].fits, "a rank is measured as a whole or not at all");
    ok(due[4].fits && due[0].fits && fabs(used - 10.5) < 1e-9,
       "and leaves its time to those after it");
    (void)am_schedule_fit(due, 5, LAUNCHES, 16, 1);
    ok(due[3].fits && !due[4].fits, "a reserve is left free by what has not begun");
    due[4].visits = 1;
    (void)am_schedule_fit(due, 5, LAUNCHES, 16, 1);
    ok(due[4].fits, "but what was begun may use it");
    due[2].visits = due[3].visits = 1;
    (void)am_schedule_fit(due, 5, LAUNCHES, 7, 0);
    ok(due[2].fits && due[3].fits && !due[4].fits,
       "a rank that was begun and turns out too long has the time that is left");
    (void)am_schedule_fit(due, 5, LAUNCHES, 0.5, 0);
    ok(due[1].fits && count_fitting(due, 5) == 1, "the first rank is tried however short time is");
    (void)am_schedule_fit(due, 5, LAUNCHES, 0, 0);
    ok(count_fitting(due, 5) == 0, "unless there is none left");
}

/* Whether the rank of a point fits beside what fits of more worth. */
static bool fits_after_better(const struct am_due *due, size_t n, size_t of, double left)
{
    double needed = 0;

    for (size_t i = 0; i < n; i++) {
        if (due[i].worth == due[of].worth || (due[i].worth < due[of].worth && due[i].fits))
            needed += LAUNCHES * due[i].each_s;
    }
    return needed <= left;
}

/* Of any plan: what fits is not longer than the time, and nothing of it keeps a rank of more worth
 * out. */
static void test_any_plan(uint64_t seed)
{
    enum { POINTS = 60, PLANS = 300 };
    struct am_rng rng;
    size_t wrong = 0;

    am_rng_seed(&rng, seed, 1);
    for (size_t k = 0; k < PLANS; k++) {
        struct am_due due[POINTS];
        const double left = 1 + 40 * am_rng_unit(&rng);
        double used, sum = 0;
        unsigned least = 2000;

        for (size_t i = 0; i < POINTS; i++)
            due[i] = (struct am_due){.worth = (unsigned)(am_rng_unit(&rng) * 300),
                                     .each_s = am_rng_unit(&rng)};
        used = am_schedule_fit(due, POINTS, LAUNCHES, left, 0);
        for (size_t i = 0; i < POINTS; i++) {
            least = due[i].worth < least ? due[i].worth : least;
            sum += due[i].fits ? LAUNCHES * due[i].each_s : 0;
        }
        wrong += fabs(sum - used) > 1e-9;
        for (size_t i = 0; i < POINTS; i++)
            wrong +=
                due[i].worth != least && due[i].fits != fits_after_better(due, POINTS, i, left);
    }
    ok(wrong == 0, "of any plan the part of most worth is measured, within the time (seed %llu)",
       (unsigned long long)seed);
}

static void test_visits(void)
{
    ok(am_due_visits(&(struct am_due){.visits = 2}, LAUNCHES) == 3 &&
           am_due_visits(&(struct am_due){.visits = 6, .next = 9}, LAUNCHES) == 3 &&
           am_due_visits(&(struct am_due){.visits = 9, .next = 0}, LAUNCHES) == 1 &&
           am_due_visits(&(struct am_due){.stopped = true}, LAUNCHES) == 0,
       "visits up to the least number, then to the next look");
    ok(am_due_visits(&(struct am_due){.visits = 2, .least = 3}, LAUNCHES) == 1 &&
           am_due_visits(&(struct am_due){.visits = 6, .least = 9}, LAUNCHES) == 3 &&
           am_schedule_class(&(struct am_due){.visits = 6, .least = 9, .worth = 250}, LAUNCHES) ==
               2 &&
           am_schedule_class(&(struct am_due){.visits = 3, .least = 3}, LAUNCHES) > 9,
       "a point may have a least number of its own");
}

/* Points that have their launches leave the time to those that have not. */
static void test_more(void)
{
    struct am_due due[] = {{.worth = 1, .visits = LAUNCHES, .next = LAUNCHES + 10, .each_s = 1},
                           {.worth = 150, .least = 2, .each_s = 1},
                           {.worth = 250, .each_s = 1}};

    (void)am_schedule_fit(due, 3, LAUNCHES, 4, 0);
    ok(due[0].fits && due[1].fits && !due[2].fits,
       "further launches come behind the least number of all that fits");
    (void)am_schedule_fit(due, 3, LAUNCHES, 2 + LAUNCHES, 0);
    ok(due[1].fits && due[2].fits, "whatever the points are worth that want them");
}

static void test_turns(void)
{
    struct am_due due[] = {{.worth = 80, .fits = true},
                           {.worth = 110, .fits = true},
                           {.worth = 20, .fits = false},
                           {.worth = 105, .fits = true}};
    unsigned turn = 99;

    ok(am_schedule_turn(due, 4, LAUNCHES, &turn) && turn == 0, "headlines first");
    due[0].visits = LAUNCHES;
    ok(am_schedule_turn(due, 4, LAUNCHES, &turn) && turn == 1 &&
           am_schedule_class(&due[1], LAUNCHES) == am_schedule_class(&due[3], LAUNCHES),
       "the next class when they have their launches");
    due[1].stopped = due[3].stopped = true;
    ok(am_schedule_turn(due, 4, LAUNCHES, &turn) && turn == am_schedule_class(&due[0], LAUNCHES) &&
           turn > 9,
       "further launches come behind everything");
    due[0].stopped = true;
    ok(!am_schedule_turn(due, 4, LAUNCHES, &turn), "then it is nobody's turn");
}

static void test_sort(void)
{
    const struct am_due due[] = {{.worth = 900}, {.worth = 5}, {.worth = 5000}, {.worth = 5}};
    size_t order[] = {2, 3, 0, 1};

    am_schedule_sort(due, order, 4);
    ok(order[0] == 3 && order[1] == 1 && order[2] == 2 && order[3] == 0,
       "sorted by worth, equals as they were: %zu %zu %zu %zu", order[0], order[1], order[2],
       order[3]);
}

/* ---- how long it will be ---- */

/* A run is played with a clock of its own: each visit takes its true time, which is `slow` times
 * what was guessed, give or take. At every step what is said to be left is held against what it
 * then takes. Returns the worst error after the first fifth, relative to the whole. */
static double play(double slow, double spread, uint64_t seed)
{
    enum { POINTS = 40 };
    struct am_due due[POINTS];
    double truth[POINTS], told[POINTS * LAUNCHES], at[POINTS * LAUNCHES], now = 0, worst = 0;
    struct am_rng rng;
    size_t n = 0, visits;

    am_rng_seed(&rng, seed, 3);
    for (size_t i = 0; i < POINTS; i++) {
        due[i] = (struct am_due){.guess_s = 0.02 + 0.1 * am_rng_unit(&rng), .fits = true};
        truth[i] = due[i].guess_s * slow * (1 + spread * (2 * am_rng_unit(&rng) - 1));
    }
    for (unsigned round = 0; round < LAUNCHES; round++) {
        for (size_t i = 0; i < POINTS; i++) {
            now += truth[i];
            due[i].visits++;
            due[i].spent_s += truth[i];
            due[i].stopped = due[i].visits == LAUNCHES;
            am_schedule_expect(due, POINTS);
            told[n] = am_schedule_left(due, POINTS, LAUNCHES, &visits);
            at[n++] = now;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (at[i] > now / 5)
            worst = fmax(worst, fabs(at[i] + told[i] - now) / now);
    }
    return visits == 0 ? worst : INFINITY;
}

static void test_left(uint64_t seed)
{
    const double right = play(1, 0, seed), slow = play(6, 0, seed), spread = play(2, 0.8, seed);

    ok(right < 1e-9, "with true costs the time that is left is right from the beginning: %g",
       right);
    ok(slow < 1e-9 || slow < 0.03,
       "when everything takes six times as long it is right after a fifth of the run: %g", slow);
    ok(spread < 0.1, "and where costs differ by a factor of nine it is off by less than 10 %%: %g",
       spread);
}

/* ---- guesses ---- */

static const struct am_axis axes[] = {
    {.name = "size", .kind = AM_AXIS_SIZE},
    {.name = NULL},
};
static const struct am_bench bench = {.name = "b", .version = 3, .axes = axes};
static const struct am_value sizes[] = {{.kind = AM_AXIS_SIZE, .i = 4096},
                                        {.kind = AM_AXIS_SIZE, .i = 1 << 28}};

static struct am_plan plan_of(struct am_point *points, size_t n)
{
    return (struct am_plan){
        .settings = am_profile_settings(AM_PROFILE_QUICK), .points = points, .n = n};
}

static void test_guess(void)
{
    struct am_point points[] = {{.bench = &bench, .values = &sizes[0]},
                                {.bench = &bench, .values = &sizes[1]}};
    const struct am_plan plan = plan_of(points, 2);
    bool fits[2];

    ok(am_schedule_guess(&plan, &points[1]) > 2 * am_schedule_guess(&plan, &points[0]),
       "a large set is guessed to take longer");
    ok(fabs(am_schedule_estimate(&plan, fits) -
            5 * (am_schedule_guess(&plan, &points[0]) + am_schedule_guess(&plan, &points[1]))) <
               1e-9 &&
           fits[0] && fits[1],
       "an estimate is the sum of launches");
}

int main(void)
{
    test_fit();
    test_any_plan((uint64_t)time(NULL));
    test_visits();
    test_turns();
    test_more();
    test_sort();
    test_left((uint64_t)time(NULL));
    test_guess();
    return tap_done();
}
