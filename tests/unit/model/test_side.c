/* SPDX-License-Identifier: MIT */
/* Several runs as one side: the run is the unit, and what that can show. */
#include "model/side.h"

#include "evidence/evidence.h"
#include "model/compare.h"

#include "result_fixture.h"
#include "tap.h"

enum { RUNS = 4 };

static const char *const names[] = {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"};
static const char *const times[] = {"01", "02", "03", "04", "05", "06", "07", "08"};

/* Run number i: one point, whose launches hardly differ, and another that only even runs have. */
static void make(struct rx_run *run, size_t i, double value)
{
    const struct rx_metric metric[] = {{"latency", "s", value}, {.name = NULL}};

    rx_add(run, "mem.fake", "size=1", metric);
    if (i % 2 == 0)
        rx_add(run, "mem.fake", "size=2", metric);
    run->set.run = (struct am_run_info){.name = names[i], .started = times[i], .command = names[i]};
    run->set.results[0].metrics[0].better = AM_LOWER;
    am_evidence_settle(&run->set);
}

static void test_unit(void)
{
    /* each run 3 % beside the last, its launches within 0.1 % */
    static const double values[2 * RUNS] = {1, 1.03, 0.97, 1.01, 1.02, 0.98, 1, 1.04};
    struct rx_run made[2 * RUNS] = {0};
    struct am_result_set sets[2][RUNS], a, b;
    const struct am_side sides[2] = {{sets[0], RUNS}, {sets[1], RUNS}};
    const struct am_compare_settings settings = {
        .delta = 0.02, .level = 0.95, .basis = AM_BASIS_RUNS};
    struct am_arena arena = {0};
    struct am_comparison c;
    struct am_err err = {0};

    for (size_t i = 0; i < 2 * RUNS; i++) {
        make(&made[i], i, values[i]);
        sets[i % 2][i / 2] = made[i].set;
    }
    ok(am_side_unite(&sides[0], &arena, &a, &err) == AM_OK && a.n == 2 &&
           am_side_unite(&sides[1], &arena, &b, &err) == AM_OK && b.n == 1,
       "points of all runs are united");
    ok(a.results[0].metrics[0].summary.launches == RUNS, "each run is one observation");
    is_near(a.results[0].metrics[0].series.launches[1].values[0], 0.97, 1e-3, "its mean");
    ok(am_compare(&a, &b, &settings, &arena, &c, &err) == AM_OK && c.n == 1 &&
           c.rows[0].n_a == RUNS && c.rows[0].verdict == AM_VERDICT_UNDECIDED,
       "what runs differ by is in the error");
    ok(am_compare(&sets[0][0], &sets[1][0], &settings, &arena, &c, &err) == AM_OK &&
           c.rows[0].verdict != AM_VERDICT_UNDECIDED,
       "which launches of two runs do not show");
    ok(am_side_unite(&(struct am_side){sets[0], 1}, &arena, &a, &err) == AM_OK &&
           a.results == sets[0][0].results,
       "one run stays as it is");
    for (size_t i = 0; i < 2 * RUNS; i++)
        am_arena_fini(&made[i].arena);
    am_arena_fini(&arena);
}

static void test_basis(void)
{
    static const struct {
        const char *order; /* the side of each run in time */
        enum am_basis basis;
    } cases[] = {{"ab", AM_BASIS_ONE_RUN},        {"abababab", AM_BASIS_RUNS},
                 {"abbaab", AM_BASIS_RUNS},       {"abbbaa", AM_BASIS_RUNS},
                 {"aaabbb", AM_BASIS_RUNS_APART}, {"bbbaaa", AM_BASIS_RUNS_APART}};
    struct am_result_set sets[2][2 * RUNS] = {0};
    enum am_basis basis;
    struct am_err err = {0};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_side s[2] = {{sets[0], 0}, {sets[1], 0}};

        for (size_t k = 0; cases[i].order[k]; k++) {
            struct am_side *const side = &s[cases[i].order[k] == 'b'];

            side->runs[side->n++].run =
                (struct am_run_info){.name = names[k], .started = times[k], .command = names[k]};
        }
        ok(am_side_basis(&s[0], &s[1], &basis, &err) == AM_OK && basis == cases[i].basis, "%s: %s",
           cases[i].order, am_basis_text(cases[i].basis));
        if (s[0].n > 1)
            ok(am_side_basis(&s[0], &(struct am_side){sets[1], 2}, &basis, &err) == AM_E_USAGE,
               "two runs are too few: %s", err.text);
        if (s[0].n > 1)
            ok(am_side_basis(&s[0], &s[0], &basis, &err) == AM_E_USAGE, "%s", err.text);
    }
}

int main(void)
{
    test_unit();
    test_basis();
    return tap_done();
}
