/* SPDX-License-Identifier: MIT */
/* The selector: conditions by value, narrowing, parting, and "several" as an answer of its own. */
#include "evidence/select.h"
#include "result_fixture.h"
#include "tap.h"

static void add(struct rx_run *run, const char *bench, const char *text, double value)
{
    (void)rx_add(run, bench, text, (const struct rx_metric[]){{"time", "s", value}, {0}});
}

static void fill(struct rx_run *run)
{
    add(run, "omp.start", "threads=1 event=region delay=0", 5);
    add(run, "omp.start", "threads=1 event=region delay=300", 6);
    add(run, "omp.start", "threads=2 event=region delay=0", 7);
    add(run, "omp.start", "threads=2 event=task delay=0", 8);
    add(run, "mem.latency", "size=4096 pattern=random", 1);
    add(run, "mem.latency", "size=65536 pattern=random", 2);
    add(run, "mem.latency", "size=16384 pattern=local", 1.5);
    rx_add(run, "mem.latency", "size=1 pattern=random",
           (const struct rx_metric[]){{"time", "s", 9}, {0}})
        ->state = AM_POINT_FAIL;
    am_evidence_settle(&run->set);
}

static size_t count(struct rx_run *run, const char *bench, const char *where)
{
    const struct am_selector s = {bench, where, "time"};

    return am_select(&run->set, &s, &run->arena).n;
}

static void test_conditions(struct rx_run *run)
{
    static const struct {
        const char *bench, *where;
        size_t n;
    } cases[] = {
        {NULL, NULL, 7},
        {"mem.*", NULL, 3},
        {"mem.latency", "pattern=random", 2},
        {"mem.latency", "size=4K,64K", 2},
        {"mem.latency", "size=4096.0", 1},
        {"mem.latency", "size>=16384", 2},
        {"mem.latency", "size<16K pattern=random", 1},
        {"mem.latency", "pattern!=random", 1},
        {"mem.latency", "threads!=1", 0},
        {"mem.latency", "!threads", 3},
        {"mem.latency", "threads?=1 pattern?=random", 2},
        {"omp.start", "threads?=1", 2},
        {"omp.start", "threads", 4},
        {"omp.start", "!threads", 0},
        {"omp.start", "threads=2 event=task,region delay<=0", 2},
        {"omp.start", "event>1", 0},
        {"omp.start", "  threads=1  delay=300 ", 1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(count(run, cases[i].bench, cases[i].where) == cases[i].n, "%s where %s: %zu results",
           cases[i].bench ? cases[i].bench : "any", cases[i].where ? cases[i].where : "anything",
           cases[i].n);
    ok(am_select(&run->set, &(struct am_selector){"mem.latency", NULL, "none"}, &run->arena).n == 0,
       "results without the metric are not chosen");
}

static void test_several(struct rx_run *run)
{
    const struct am_picks all =
        am_select(&run->set, &(struct am_selector){"omp.start", "event=region", NULL}, &run->arena);
    const struct am_picks one = am_picks_where(&all, "delay=300");
    const char *several = "";

    ok(!am_picks_only(&all, &several), "several results are not one");
    is_str(several, "threads=1, 2 delay=0, 300", "and what differs is told");
    ok(am_picks_only(&one, &several) == &one.items[0] && !several, "one is the only one");
    is_str(am_picks_differ(&all, "threads"), "delay=0, 300", "but for an axis that may differ");
    ok(!am_picks_only(&(struct am_picks){0}, &several) && !several, "none is not several");
}

static void test_parting(struct rx_run *run)
{
    const struct am_picks all =
        am_select(&run->set, &(struct am_selector){"omp.start", NULL, NULL}, &run->arena);
    const struct am_groups groups = am_picks_group(&all, "threads,event");

    ok(groups.n == 3 && groups.items[0].picks.n == 2 && groups.items[2].picks.n == 1,
       "a group per combination of values, in order of appearance");
    ok(am_picks_group(&all, "").n == 1, "no axes: one group of all");
    ok(am_picks_extreme(&all, "threads", false).n == 2 &&
           am_picks_extreme(&all, "delay", true).n == 3,
       "the results with the largest or smallest number");
    ok(am_picks_like(&all, all.items[0].result, "threads,event").n == 2,
       "those alike in some axes");
    ok(am_picks_beside(&all, all.items[0].result, "delay").n == 2 &&
           am_picks_beside(&all, all.items[0].result, NULL).n == 1,
       "those alike in all axes but one");
    is_str(am_picks_varying(&all, "event"), "threads,delay", "the axes that vary, but for one");
}

static void test_curve(struct rx_run *run)
{
    const struct am_picks memory = am_select(
        &run->set, &(struct am_selector){"mem.latency", "pattern=random", NULL}, &run->arena);
    const struct am_picks start =
        am_select(&run->set, &(struct am_selector){"omp.start", NULL, NULL}, &run->arena);
    const char *several = NULL;
    struct am_picks curve = am_picks_curve(&memory, "size", &several);

    ok(curve.n == 2 && curve.items[0].x < curve.items[1].x && !several,
       "a curve rises on its axis");
    curve = am_picks_curve(&start, "threads", &several);
    ok(curve.n == 0 && several, "two results at one place are told: %s", several ? several : "");
    curve = am_picks_curve(&start, "threads", NULL);
    ok(curve.n == 2 && curve.items[1].metric->summary.median < 7.1,
       "or the best of them is taken, when that is what is wanted");
}

static void test_sound(struct rx_run *run)
{
    struct am_picks all =
        am_select(&run->set, &(struct am_selector){"omp.start", NULL, NULL}, &run->arena);
    struct am_result_metric doubtful = *all.items[0].metric;

    doubtful.grading.grade = AM_GRADE_C;
    all.items[0].metric = &doubtful;
    ok(am_picks_sound(&all).n == 3, "evidence of grade C is left out");
    all.n = 1;
    ok(am_picks_sound(&all).n == 1, "unless there is no other");
}

static void test_metrics(void)
{
    struct rx_run run = {0};
    struct am_picks picks;

    (void)rx_add(&run, "cpu.flops", "threads=1",
                 (const struct rx_metric[]){
                     {"flops", "flop/s", 1}, {"energy:package", "J", 2}, {"energy:dram", "J", 3}});
    (void)rx_add(&run, "null", "n=1", (const struct rx_metric[]){{"time", "s", 1}, {0}});
    am_evidence_settle(&run.set);
    picks = am_select(&run.set, &(struct am_selector){.metric = "energy:*"}, &run.arena);
    ok(picks.n == 2 && strcmp(picks.items[1].metric->name, "energy:dram") == 0,
       "every metric that a glob matches");
    picks = am_select(&run.set, &(struct am_selector){.metric = "energy:dram"}, &run.arena);
    ok(picks.n == 1, "one that is named once");
    am_arena_fini(&run.arena);
}

int main(void)
{
    struct rx_run run = {0};

    fill(&run);
    test_conditions(&run);
    test_several(&run);
    test_parting(&run);
    test_curve(&run);
    test_sound(&run);
    test_metrics();
    am_arena_fini(&run.arena);
    return tap_done();
}
