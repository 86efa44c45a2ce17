/* SPDX-License-Identifier: MIT */
/* What is worth measuring first: every line of the first screen rests on something. */
#include "family/family.h"
#include "family/worth.h"
#include "tap.h"

static bool is_ranked(unsigned rank)
{
    for (const struct am_worth_row *row = am_worth_rows; row->bench; row++) {
        if (row->rank == rank)
            return true;
    }
    return false;
}

static void test_table(void)
{
    const struct am_headline *all[AM_HEADLINES_MAX];
    const size_t n = am_families_headlines(all);
    bool rises = true;

    for (const struct am_worth_row *row = am_worth_rows; row[0].bench && row[1].bench; row++)
        rises &= row[0].rank <= row[1].rank;
    ok(rises, "ranks rise, so that the first row that matches is the one of most worth");
    for (size_t i = 0; i < n; i++) {
        if (all[i]->row && (i == 0 || all[i]->rank != all[i - 1]->rank))
            ok(all[i]->rank < AM_WORTH_HEADLINES && is_ranked(all[i]->rank),
               "line %u, \"%s\", has points", all[i]->rank, all[i]->title);
    }
}

static void test_points(void)
{
    static const struct am_axis axes[] = {{.name = "op", .kind = AM_AXIS_NAME},
                                          {.name = "type", .kind = AM_AXIS_NAME},
                                          {.name = "threads", .kind = AM_AXIS_INT},
                                          {.name = NULL}};
    static const struct am_bench flops = {.name = "cpu.flops", .axes = axes},
                                 unknown = {.name = "no.such", .axes = axes};
    static const struct am_value f32[] = {{.kind = AM_AXIS_NAME, .i = -1, .name = "fma"},
                                          {.kind = AM_AXIS_NAME, .i = -1, .name = "f32"},
                                          {.kind = AM_AXIS_INT, .i = 2}},
                                 add[] = {{.kind = AM_AXIS_NAME, .i = -1, .name = "add"},
                                          {.kind = AM_AXIS_NAME, .i = -1, .name = "f32"},
                                          {.kind = AM_AXIS_INT, .i = 2}};
    struct am_point points[] = {{.bench = &flops, .values = f32},
                                {.bench = &flops, .values = add},
                                {.bench = &unknown, .values = add}};
    struct am_plan plan = {.points = points, .n = 3};

    am_worth_apply(&plan);
    ok(points[0].worth < AM_WORTH_HEADLINES, "a peak stands on the first screen");
    ok(points[1].worth == AM_WORTH_LAST && points[2].worth == AM_WORTH_LAST,
       "what no row names comes last");
}

static struct am_value named(const char *name)
{
    return (struct am_value){.kind = AM_AXIS_NAME, .i = -1, .name = name};
}

static void test_widest(void)
{
    static const struct am_axis axes[] = {{.name = "kernel", .kind = AM_AXIS_NAME},
                                          {.name = "size", .kind = AM_AXIS_SIZE},
                                          {.name = "isa", .kind = AM_AXIS_NAME},
                                          {.name = "threads", .kind = AM_AXIS_INT},
                                          {.name = NULL}};
    static const struct am_bench bench = {.name = "mem.bandwidth", .axes = axes};
    const struct am_value wide[] = {named("read"),
                                    {.kind = AM_AXIS_SIZE, .i = 1 << 30},
                                    named("avx512"),
                                    {.kind = AM_AXIS_INT, .i = 1}};
    const struct am_value narrow[] = {named("read"),
                                      {.kind = AM_AXIS_SIZE, .i = 1 << 30},
                                      named("avx2"),
                                      {.kind = AM_AXIS_INT, .i = 1}};
    struct am_point points[] = {{.bench = &bench, .values = narrow},
                                {.bench = &bench, .values = wide}};
    struct am_plan plan = {.points = points, .n = 2};

    am_worth_apply(&plan);
    ok(points[1].worth < AM_WORTH_HEADLINES && points[0].worth >= AM_WORTH_HEADLINES &&
           points[0].worth < AM_WORTH_LAST,
       "memory is read by the widest instruction set first: %u and %u", points[1].worth,
       points[0].worth);
    plan.n = 1;
    am_worth_apply(&plan);
    ok(points[0].worth < AM_WORTH_HEADLINES, "whichever that is");
}

static void test_devices(void)
{
    static const struct am_axis axes[] = {{.name = "device", .kind = AM_AXIS_NAME},
                                          {.name = "mode", .kind = AM_AXIS_NAME},
                                          {.name = "op", .kind = AM_AXIS_NAME},
                                          {.name = NULL}};
    static const struct am_bench bench = {.name = "ocl.arith", .axes = axes};
    static const char *const names[] = {"h100",     "h100-2",   "h100-30",         "mi-300",
                                        "rtx-3090", "rtx-4090", "pocl-cpu-znver3", "h100",
                                        "x-0",      "x-1"};
    enum { N = sizeof(names) / sizeof(names[0]) };
    struct am_value values[N][3];
    struct am_point points[N];
    struct am_plan plan = {.points = points, .n = N};

    for (size_t i = 0; i < N; i++) {
        values[i][0] = named(names[i]);
        values[i][1] = named(i == 7 ? "latency" : "throughput");
        values[i][2] = named("fma");
        points[i] = (struct am_point){.bench = &bench, .values = values[i]};
    }
    am_worth_apply(&plan);
    ok(points[0].worth < AM_WORTH_EQUALS && points[3].worth == points[0].worth &&
           points[4].worth == points[0].worth && points[5].worth == points[0].worth,
       "the first device of each kind has the rank of its headline, a number in its name or not");
    ok(points[1].worth == AM_WORTH_EQUALS && points[2].worth == AM_WORTH_EQUALS_LAST,
       "its equals come later, one after another: %u, %u", points[1].worth, points[2].worth);
    ok(points[8].worth == points[0].worth && points[9].worth == AM_WORTH_EQUALS,
       "whether their numbers begin with 0 or the first has none");
    ok(points[6].worth == AM_WORTH_CPU_DEVICE, "CPUs that are a device too come after them");
    ok(points[7].worth >= AM_WORTH_HEADLINES, "what is no headline is none on any device");
    ok(points[0].start_s > 0.1, "and a device is known to take its time to start");
}

int main(void)
{
    test_table();
    test_points();
    test_widest();
    test_devices();
    return tap_done();
}
