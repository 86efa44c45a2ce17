/* SPDX-License-Identifier: MIT */
/* Which points share a process: starting a driver is paid once, and a budget still bounds a launch.
 */
#include "conductor/sharing.h"
#include "tap.h"

#include <math.h>
#include <string.h>

enum { POINTS = 12 };

static const struct am_axis axes[] = {{.name = NULL}};
static const struct am_bench wide = {.name = "device.wide", .axes = axes, .points_per_launch = 8},
                             other = {.name = "device.other", .axes = axes, .points_per_launch = 8},
                             alone = {.name = "cpu.alone", .axes = axes};
/* Of one worker, and of another: all of them mix. */
static const struct am_bench here[] = {
    {.name = "gpu.few", .axes = axes, .points_per_launch = 2, .mixes = true},
    {.name = "gpu.many", .axes = axes, .points_per_launch = 8, .mixes = true},
    {.name = "gpu.pinned",
     .axes = axes,
     .points_per_launch = 8,
     .cpus = AM_CPUS_ALL,
     .mixes = true}};
static const struct am_bench there[] = {
    {.name = "gpu.few", .axes = axes, .points_per_launch = 8, .mixes = true}};
static struct am_worker workers[] = {{.name = "w", .benches = here, .n = 3},
                                     {.name = "v", .benches = there, .n = 1}};
static const struct am_catalogue catalogue = {.workers = workers, .n = 2};

/* A plan of points of one bench whose visits take `start` and `own` seconds. */
struct scene {
    struct am_plan plan;
    struct am_point points[POINTS];
    struct am_due due[POINTS];
    struct am_visited visited[POINTS];
    size_t order[POINTS];
};

static void set_scene(struct scene *s, const struct am_bench *bench, double budget, double start,
                      double own)
{
    *s = (struct scene){.plan = {.points = s->points, .n = POINTS}};
    s->plan.settings.budget_s = budget;
    for (size_t i = 0; i < POINTS; i++) {
        s->points[i] = (struct am_point){.bench = bench};
        s->visited[i].chosen = true;
        s->due[i] = (struct am_due){.guess_s = start + own, .start_s = start, .fits = true};
        s->order[i] = i;
    }
    am_schedule_expect(s->due, POINTS);
}

static size_t gather(struct scene *s, double left)
{
    const struct am_sharing sharing = {
        .plan = &s->plan, .due = s->due, .points = s->visited, .left_s = left};

    return am_sharing_gather(&sharing, s->order, POINTS);
}

static size_t ride(struct scene *s, double left, size_t *group, size_t n)
{
    const struct am_sharing sharing = {
        .plan = &s->plan, .due = s->due, .points = s->visited, .left_s = left};

    return am_sharing_ride(&sharing, group, n);
}

static void test_expected(void)
{
    struct am_due due[] = {{.guess_s = 0.5, .start_s = 0.4},
                           {.guess_s = 0.5, .start_s = 0.4, .visits = 2, .spent_s = 1},
                           {.guess_s = 0.5,
                            .start_s = 0.4,
                            .visits = 2,
                            .spent_s = 0.7,
                            .behind = 1,
                            .spent_behind_s = 0.2},
                           {.guess_s = 0.5, .start_s = 0.6}};

    am_schedule_expect(due, 3);
    ok(fabs(due[1].each_s - 0.5) < 1e-9 && due[1].behind_s < 0.25 && due[1].behind_s > 0,
       "behind another point starting is not paid: %.3g of %.3g s", due[1].behind_s, due[1].each_s);
    ok(fabs(due[2].behind_s - 0.2) < 1e-9, "what it took there is believed");
    am_schedule_expect(due + 3, 1);
    ok(due[3].behind_s > 0, "a guess of starting that is too high leaves something");
}

static void test_groups(void)
{
    static const struct {
        const char *what;
        const struct am_bench *bench;
        double budget, left, start, own;
        size_t points;
    } rows[] = {
        {"without a budget as many as the bench allows", &wide, 0, 0, 0.4, 10, 8},
        {"a driver that is slow to start is started once", &wide, 15, 15, 0.4, 0.05, 8},
        {"as long as sharing pays", &wide, 15, 15, 0.4, 0.7, 3},
        {"what starts at once shares a fiftieth of the budget", &wide, 60, 60, 0, 0.39, 3},
        {"or nothing", &wide, 15, 15, 0, 0.4, 1},
        {"no longer than what is left of it", &wide, 15, 0.65, 0.4, 0.1, 2},
        {"one by one where the bench says so", &alone, 60, 60, 0.4, 0.01, 1},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct scene s;
        size_t n;

        set_scene(&s, rows[i].bench, rows[i].budget, rows[i].start, rows[i].own);
        n = gather(&s, rows[i].left);
        ok(n == rows[i].points, "%s: %zu points", rows[i].what, n);
    }
}

static void test_strangers(void)
{
    struct scene s;
    size_t n;

    set_scene(&s, &wide, 60, 0.4, 0.01);
    for (size_t i = 0; i < POINTS; i++) {
        s.points[i].bench = i % 2 ? &other : &wide;
        s.visited[i].next_round = i == 4;
    }
    n = gather(&s, 60);
    ok(n == 5 && s.order[0] == 0 && s.order[1] == 2 && s.order[2] == 6 && s.order[4] == 10,
       "of the same bench and round only: %zu", n);
}

/* Each has no more than its own number in a process, and no bench of another worker is there. */
static void test_mixed(void)
{
    const struct am_bench *const order[POINTS] = {&here[0],  &here[1], &wide,    &here[0],
                                                  &there[0], &here[0], &here[2], &here[1],
                                                  &here[1],  &alone,   &here[0], &there[0]};
    static const size_t want[] = {0, 1, 3, 7, 8};
    struct scene s;
    size_t n;

    set_scene(&s, &wide, 0, 0.4, 0.01);
    for (size_t i = 0; i < POINTS; i++)
        s.points[i].bench = order[i];
    n = am_sharing_gather(
        &(struct am_sharing){
            .catalogue = &catalogue, .plan = &s.plan, .due = s.due, .points = s.visited},
        s.order, POINTS);
    ok(n == sizeof(want) / sizeof(*want) && memcmp(s.order, want, sizeof(want)) == 0,
       "benches that mix share a process, each with as many points as it allows: %zu", n);
}

static void test_riders(void)
{
    struct scene s;
    size_t group[POINTS] = {0}, n;

    set_scene(&s, &wide, 60, 0.4, 0.05);
    for (size_t i = 1; i < POINTS; i++) {
        s.visited[i].chosen = false;
        s.due[i].worth = i == 7 ? 101 : 109;
    }
    s.due[2].fits = false;
    s.visited[3].stopped = true;
    s.points[4].twin = 5;
    s.visited[5].next_round = 1;
    n = ride(&s, 60, group, 1);
    ok(n == 8 && group[1] == 7, "points of later classes ride along, the most worthy first");
    for (size_t i = 1; i < n; i++)
        ok(group[i] == 1 || group[i] > 5, "point %zu has its turn anyway", group[i]);
    n = ride(&s, 0.46, group, 1);
    ok(n == 1, "not where there is no time");
    s.plan.settings.budget_s = 0;
    ok(ride(&s, 0, group, 1) == 1, "nor where every point has its turn");
}

int main(void)
{
    test_expected();
    test_groups();
    test_strangers();
    test_mixed();
    test_riders();
    return tap_done();
}
