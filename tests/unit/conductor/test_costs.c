/* SPDX-License-Identifier: MIT */
/* What is remembered of the costs of points. */
#include "conductor/costs.h"

#include "base/rng.h"
#include "conductor/schedule.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const struct am_axis axes[] = {
    {.name = "size", .kind = AM_AXIS_SIZE},
    {.name = NULL},
};
static const struct am_bench bench = {.name = "b", .version = 3, .axes = axes},
                             other = {.name = "c", .version = 1, .axes = axes};
static const struct am_value sizes[] = {{.kind = AM_AXIS_SIZE, .i = 4096},
                                        {.kind = AM_AXIS_SIZE, .i = 1 << 28}};

static struct am_plan plan_of(struct am_point *points, size_t n)
{
    return (struct am_plan){
        .settings = am_profile_settings(AM_PROFILE_QUICK), .points = points, .n = n};
}

static void test_costs(struct am_arena *arena)
{
    struct am_point points[] = {{.bench = &bench, .values = &sizes[0], .took_s = 0.25},
                                {.bench = &bench, .values = &sizes[1]},
                                {.bench = &other, .values = &sizes[0]}};
    struct am_plan plan = plan_of(points, 3);
    struct am_costs costs = {.arena = arena}, again = {.arena = arena};
    const double guess = am_schedule_guess(&plan, &points[2]);
    struct am_text text;

    am_costs_learn(&costs, "a machine", &plan);
    am_text_init(&text, 100000);
    am_costs_write(&costs, &text);
    ok(am_costs_parse(&again, am_text_str(&text), text.len) == 0 && again.n == 1,
       "what was learned reads back");
    ok(am_costs_apply(&again, "a machine", &plan) == 1 && points[0].expect_s == 0.25 &&
           am_schedule_guess(&plan, &points[0]) == 0.25,
       "a point that was measured has its own cost");
    ok(points[1].expect_s == 0.25, "a new point of the bench has the mean of those known");
    ok(points[2].expect_s == 0 && am_schedule_guess(&plan, &points[2]) == guess,
       "another bench is guessed as before");
    points[0].expect_s = points[1].expect_s = 0;
    ok(am_costs_apply(&again, "another machine", &plan) == 0 && points[0].expect_s == 0,
       "another machine knows nothing");
    plan.settings.sampler.samples++;
    ok(am_costs_apply(&again, "a machine", &plan) == 0, "nor do other settings");
    plan.settings.sampler.samples--;
    points[0].took_s = 0.75;
    am_costs_learn(&again, "a machine", &plan);
    ok(again.n == 1 && fabs(again.items[0].seconds - 0.5) < 1e-9, "old and new count alike: %g",
       again.items[0].seconds);
    am_text_fini(&text);
}

/* Any bytes are read without harm, and what is said twice or impossible is not believed. */
static void test_damage(struct am_arena *arena, uint64_t seed)
{
    static const char good[] = "m s b 3 size=4096 0.25\n";
    static const char *const bad[] = {
        "m s b 3 size=4096",
        "m s b 3 size=4096 0.25 more",
        "m s b -3 size=4096 0.25",
        "m s b 3 size=4096 nan",
        "m s b 3 size=4096 -1",
        "m s b 3 size=4096 1e300",
        "m s b 99999999999 x 0.25",
        "m s b 3 %zz 0.25",
        "\001\002",
        "- s b 3 size=4096 0.25",
    };
    struct am_costs costs = {.arena = arena};
    struct am_rng rng;
    size_t believed = 0;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        believed += am_costs_parse(&costs, bad[i], strlen(bad[i])) != 1;
    ok(believed == 0 && costs.n == 0, "%zu lines are no costs, and none is believed",
       sizeof(bad) / sizeof(bad[0]));
    (void)am_costs_parse(&costs, good, strlen(good));
    (void)am_costs_parse(&costs, good, strlen(good));
    ok(costs.n == 1, "a line that is there twice counts once");
    am_rng_seed(&rng, seed, 2);
    for (int k = 0; k < 2000; k++) {
        char text[sizeof(good)];

        memcpy(text, good, sizeof(good));
        for (int flips = 0; flips < 3; flips++)
            text[(size_t)(am_rng_unit(&rng) * (sizeof(good) - 1))] =
                (char)(unsigned char)(am_rng_unit(&rng) * 256);
        (void)am_costs_parse(&costs, text, sizeof(good) - 1);
    }
    for (size_t i = 0; i < costs.n; i++)
        believed += !(costs.items[i].seconds > 0 && costs.items[i].seconds < 1e6);
    ok(believed == 0, "no damage makes an impossible cost (seed %llu)", (unsigned long long)seed);
}

static void test_full(struct am_arena *arena)
{
    struct am_costs costs = {.arena = arena};
    struct am_point point = {.bench = &bench, .values = &sizes[0], .took_s = 1};
    struct am_plan plan = plan_of(&point, 1);
    char line[64];

    for (int i = 0; i < AM_COSTS_MAX + 10; i++) {
        (void)snprintf(line, sizeof(line), "old s b 1 n=%d 1\n", i);
        (void)am_costs_parse(&costs, line, strlen(line));
    }
    ok(costs.n == AM_COSTS_MAX, "a file has a bound");
    am_costs_learn(&costs, "new", &plan);
    ok(costs.n == 1 && strcmp(costs.items[0].machine, "new") == 0,
       "and this machine's points have room in it");
}

int main(void)
{
    struct am_arena arena = {0};

    test_costs(&arena);
    test_damage(&arena, (uint64_t)time(NULL));
    test_full(&arena);
    am_arena_fini(&arena);
    return tap_done();
}
