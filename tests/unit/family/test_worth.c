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

int main(void)
{
    test_table();
    test_points();
    return tap_done();
}
