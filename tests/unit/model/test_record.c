/* SPDX-License-Identifier: MIT */
/* What earlier runs differ by, in a row's verdict. */
#include "model/record.h"

#include "rows_fixture.h"
#include "tap.h"

static void test_record(struct am_rng *rng)
{
    enum { RUNS = 8 };
    static const double flat[ROWS] = {1, 1, 1}, beyond[ROWS] = {1.3, 1.06, 1};
    struct rx_run a = {0}, b = {0}, earlier[RUNS] = {0};
    struct am_result_set sets[RUNS];
    struct am_record record = {sets, RUNS};
    struct am_compare_settings with = rows_settings;
    struct am_arena arena = {0};
    struct am_comparison c;
    struct am_err err = {0};
    size_t runs;

    rows_make(&a, flat, 5, 0.002, rng);
    rows_make(&b, beyond, 5, 0.002, rng);
    a.set.run.started = "a";
    b.set.run.started = "b";
    for (size_t i = 0; i < RUNS; i++) {
        /* runs of row 2 differ by 3 %, of the others by 0.2 % */
        const double moved[ROWS] = {1 + 0.002 * noise_normal(rng), i % 2 ? 1.03 : 0.97,
                                    1 + 0.002 * noise_normal(rng)};

        rows_make(&earlier[i], moved, 5, 0.002, rng);
        earlier[i].set.run.started = "earlier";
        sets[i] = earlier[i].set;
    }
    with.record = &record;
    ok(am_record_takes(&a.set, &sets[0]), "another run of the same machine and workers");
    is_near(am_record_spread(&record, &a.set.results[1], "time", &runs), 0.0321, 1e-3,
            "what its runs differ by");
    ok(am_compare(&a.set, &b.set, &with, &arena, &c, &err) == AM_OK &&
           rows_find(&c, "size=1")->verdict == AM_VERDICT_SLOWER &&
           rows_find(&c, "size=1")->basis == AM_BASIS_RECORD &&
           rows_find(&c, "size=1")->runs == RUNS,
       "a row beyond what runs differ by is slower");
    ok(am_verdict_direction(rows_find(&c, "size=2")->verdict) == 0,
       "6 %% of a row whose runs differ by 3 %% is not: %s",
       am_verdict_name(rows_find(&c, "size=2")->verdict));
    record.n = 2;
    ok(am_compare(&a.set, &b.set, &with, &arena, &c, &err) == AM_OK &&
           rows_find(&c, "size=2")->verdict == AM_VERDICT_MAYBE_SLOWER &&
           rows_find(&c, "size=2")->basis == AM_BASIS_ONE_RUN,
       "two runs are no record");
    sets[0].run.synthetic = true;
    sets[1].machine = (struct am_kvs){0};
    sets[2].build = (struct am_kvs){0};
    sets[3].run.state = AM_RUN_INTERRUPTED;
    sets[4].run.settings.sampler.samples = 99;
    for (size_t i = 0; i < 5; i++)
        ok(!am_record_takes(&a.set, &sets[i]), "%s",
           ((const char *const[]){"a simulated one is not of it", "nor another machine's",
                                  "nor one of unknown workers", "nor an unfinished one",
                                  "nor one with other samples"})[i]);
    ok(!am_record_takes(&a.set, &a.set), "nor the run itself");
    am_arena_fini(&arena);
    am_arena_fini(&a.arena);
    am_arena_fini(&b.arena);
    for (size_t i = 0; i < RUNS; i++)
        am_arena_fini(&earlier[i].arena);
}

int main(void)
{
    struct am_rng rng;

    am_rng_seed(&rng, 2026, 7);
    printf("# seed 2026\n");
    test_record(&rng);
    return tap_done();
}
