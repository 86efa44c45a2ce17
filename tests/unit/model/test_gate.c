/* SPDX-License-Identifier: MIT */
/* What a gate does not pass. */
#include "model/gate.h"

#include "rows_fixture.h"
#include "tap.h"

static void test_gate(struct am_rng *rng)
{
    static const double flat[ROWS] = {1, 1, 1}, noisy[ROWS] = {1, 1, 1.1},
                        slower[ROWS] = {1.2, 1, 1};
    struct am_compare_settings within = rows_settings;
    const struct am_gate_demands none = {0};
    struct rx_run a = {0}, b = {0};
    struct am_arena arena = {0};
    struct am_comparison c;
    struct am_err err = {0};
    const char *why;

    rows_make(&a, flat, 5, 0.002, rng);
    rows_make(&b, flat, 5, 0.002, rng);
    ok(am_compare(&a.set, &b.set, &rows_settings, &arena, &c, &err) == AM_OK &&
           am_gate_of(&c, &none, &arena, &why) == AM_GATE_PASSED && !*why,
       "the same passes, without a word");
    b.set.n--;
    ok(am_compare(&a.set, &b.set, &rows_settings, &arena, &c, &err) == AM_OK &&
           am_gate_of(&c, &none, &arena, &why) == AM_GATE_OPEN && strstr(why, "size=3 (only in A)"),
       "a row of the base that is missing does not: %s", why);
    ok(am_compare(&b.set, &a.set, &rows_settings, &arena, &c, &err) == AM_OK &&
           am_gate_of(&c, &none, &arena, &why) == AM_GATE_PASSED,
       "a row more than the base has does");
    b.set.n++;
    b.set.results[2].state = AM_POINT_FAIL;
    ok(am_compare(&a.set, &b.set, &rows_settings, &arena, &c, &err) == AM_OK &&
           am_gate_of(&c, &none, &arena, &why) == AM_GATE_OPEN,
       "nor does one that failed: %s", why);
    am_arena_fini(&b.arena);
    b = (struct rx_run){0};
    rows_make(&b, slower, 5, 0.002, rng);
    ok(am_compare(&a.set, &b.set, &rows_settings, &arena, &c, &err) == AM_OK &&
           am_gate_of(&c, &none, &arena, &why) == AM_GATE_OPEN && strstr(why, "size=1"),
       "what looks slower between two runs is not passed: %s", why);
    within.basis = AM_BASIS_WITHIN_RUN;
    ok(am_compare(&a.set, &b.set, &within, &arena, &c, &err) == AM_OK &&
           am_gate_of(&c, &none, &arena, &why) == AM_GATE_FAILED,
       "what is slower within one run fails");
    ok(am_compare(&b.set, &a.set, &within, &arena, &c, &err) == AM_OK &&
           am_gate_of(&c, &none, &arena, &why) == AM_GATE_PASSED,
       "what is faster passes");
    am_arena_fini(&b.arena);
    b = (struct rx_run){0};
    rows_make(&b, noisy, 5, 0.002, rng);
    /* the third row becomes so noisy that nothing is shown */
    ((double *)b.set.results[2].metrics[0].series.launches[0].values)[0] = 2;
    am_evidence_settle(&b.set);
    ok(am_compare(&a.set, &b.set, &rows_settings, &arena, &c, &err) == AM_OK &&
           rows_find(&c, "size=3")->verdict == AM_VERDICT_UNDECIDED &&
           am_gate_of(&c, &none, &arena, &why) == AM_GATE_OPEN,
       "nor one that is undecided beyond delta: %s", why);
    am_arena_fini(&arena);
    am_arena_fini(&a.arena);
    am_arena_fini(&b.arena);
}

int main(void)
{
    struct am_rng rng;

    am_rng_seed(&rng, 2026, 7);
    printf("# seed 2026\n");
    test_gate(&rng);
    return tap_done();
}
