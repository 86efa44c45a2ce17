/* SPDX-License-Identifier: MIT */
/* Planted effects: found by a method that sees, missed by one that is blind. */
#include "model/plant.h"

#include "rows_fixture.h"
#include "tap.h"

static void test_found(struct am_rng *rng)
{
    static const double flat[ROWS] = {1, 1, 1};
    struct am_compare_settings within = rows_settings, blind = rows_settings;
    struct rx_run a = {0}, b = {0};
    struct am_arena arena = {0};
    struct am_comparison c;
    struct am_planted planted;
    struct am_err err = {0};

    within.basis = AM_BASIS_WITHIN_RUN;
    blind.level = 1 - 1e-15;
    rows_make(&a, flat, 8, 0.004, rng);
    rows_make(&b, flat, 8, 0.004, rng);
    b.set.results[2].metrics[0].better = a.set.results[2].metrics[0].better = AM_HIGHER;
    ok(am_compare(&a.set, &b.set, &within, &arena, &c, &err) == AM_OK &&
           c.count[AM_VERDICT_SAME] == ROWS,
       "nothing differs");
    ok(am_plant(&a.set, &b.set, &within, &c, 2, &planted, &err) == AM_OK && planted.rows == ROWS &&
           planted.found == ROWS,
       "twice as slow is found, be more better or less");
    ok(am_plant(&a.set, &b.set, &within, &c, 0, &planted, &err) == AM_OK && planted.rows == ROWS &&
           planted.found == ROWS,
       "and so is what each row says it would show");
    ok(am_plant(&a.set, &b.set, &within, &c, 1.01, &planted, &err) == AM_OK && planted.found == 0,
       "1 %% is within delta");
    ok(c.count[AM_VERDICT_SAME] == ROWS &&
           b.set.results[0].metrics[0].series.launches[0].values[0] < 1.1,
       "what was measured stays as it was");
    ok(am_compare(&a.set, &b.set, &blind, &arena, &c, &err) == AM_OK &&
           am_plant(&a.set, &b.set, &blind, &c, 1.1, &planted, &err) == AM_OK && planted.found == 0,
       "a method that demands the impossible finds nothing");
    am_arena_fini(&arena);
    am_arena_fini(&a.arena);
    am_arena_fini(&b.arena);
}

int main(void)
{
    struct am_rng rng;

    am_rng_seed(&rng, 2026, 7);
    printf("# seed 2026\n");
    test_found(&rng);
    return tap_done();
}
