/* SPDX-License-Identifier: MIT */
/* Verdicts: what is called faster, slower, same, suspect or undecided, on which basis, and what
 * cannot be compared. */
#include "model/compare.h"

#include "base/rng.h"
#include "evidence/evidence.h"

#include "result_fixture.h"
#include "tap.h"

#include <stdlib.h>

static const struct am_compare_settings settings = {
    .delta = 0.02, .level = 0.95, .basis = AM_BASIS_WITHIN_RUN};

/* `n` launches of one sample each: centre, spread evenly by +-spread. */
static struct am_series series_of(struct am_arena *arena, size_t n, double centre, double spread)
{
    struct am_series s = {.launches = am_arena_array(arena, n + 1, sizeof(*s.launches)), .n = n};

    for (size_t i = 0; i < n; i++) {
        double *value = am_arena_array(arena, 1, sizeof(*value));

        *value = centre * (1 + spread * (n > 1 ? 2.0 * (double)i / (double)(n - 1) - 1 : 0));
        s.launches[i] = (struct am_launch_values){
            .launch_id = (int64_t)i, .round = (unsigned)i, .values = value, .n = 1};
    }
    return s;
}

struct side {
    size_t launches;
    double centre, spread;
};

static struct am_result_set *new_set(struct am_arena *arena, size_t n)
{
    struct am_result_set *set = am_arena_alloc(arena, sizeof(*set));

    set->results = am_arena_array(arena, n, sizeof(*set->results));
    return set;
}

static struct am_result *add(struct am_arena *arena, struct am_result_set *set, const char *text,
                             enum am_better better, struct side side)
{
    struct am_result *r = &set->results[set->n++];
    struct am_result_metric *metrics = am_arena_array(arena, 2, sizeof(*metrics));

    metrics[0] = (struct am_result_metric){
        .name = "primary",
        .unit = "s",
        .better = better,
        .series = series_of(arena, side.launches, side.centre, side.spread)};
    metrics[1] = (struct am_result_metric){
        .name = "second",
        .unit = "cycle",
        .better = better,
        .series = series_of(arena, side.launches, side.centre, side.spread)};
    *r = (struct am_result){.bench = "test.bench",
                            .worker = "cpu",
                            .version = 1,
                            .text = text,
                            .state = AM_POINT_OK,
                            .metrics = metrics,
                            .n_metrics = 2};
    rx_params(arena, r, strchr(text, '=') ? text : am_arena_printf(arena, "name=%s", text), 4);
    am_evidence_settle_result(r);
    return r;
}

static void test_verdicts(void)
{
    static const struct {
        const char *what;
        enum am_better better;
        struct side a, b;
        enum am_verdict verdict;
    } cases[] = {
        {"10 % less time is faster", AM_LOWER, {10, 1, 0.002}, {10, 0.9, 0.002}, AM_VERDICT_FASTER},
        {"10 % less rate is slower",
         AM_HIGHER,
         {10, 1, 0.002},
         {10, 0.9, 0.002},
         AM_VERDICT_SLOWER},
        {"10 % more time is slower", AM_LOWER, {10, 1, 0.002}, {10, 1.1, 0.002}, AM_VERDICT_SLOWER},
        {"10 % more rate is faster",
         AM_HIGHER,
         {10, 1, 0.002},
         {10, 1.1, 0.002},
         AM_VERDICT_FASTER},
        {"half a percent is the same",
         AM_LOWER,
         {10, 1, 0.002},
         {10, 1.005, 0.002},
         AM_VERDICT_SAME},
        {"a real difference below delta is the same",
         AM_LOWER,
         {12, 1, 0.0001},
         {12, 1.01, 0.0001},
         AM_VERDICT_SAME},
        {"equal values are the same", AM_LOWER, {10, 1, 0}, {10, 1, 0}, AM_VERDICT_SAME},
        {"noise wider than delta is undecided",
         AM_LOWER,
         {6, 1, 0.2},
         {6, 1.02, 0.2},
         AM_VERDICT_UNDECIDED},
        {"a difference around delta is undecided",
         AM_LOWER,
         {10, 1, 0.004},
         {10, 1.02, 0.004},
         AM_VERDICT_UNDECIDED},
        {"two launches per side decide nothing",
         AM_LOWER,
         {2, 1, 0.001},
         {2, 2, 0.001},
         AM_VERDICT_UNDECIDED},
        {"two equal launches per side do not show equivalence",
         AM_LOWER,
         {2, 1, 0.001},
         {2, 1, 0.001},
         AM_VERDICT_UNDECIDED},
        {"values that are not positive have no ratio",
         AM_LOWER,
         {10, -1, 0.1},
         {10, -2, 0.1},
         AM_VERDICT_UNDECIDED},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_arena arena = {0};
        struct am_result_set *a = new_set(&arena, 1), *b = new_set(&arena, 1);
        struct am_comparison c;
        struct am_err err = {0};

        add(&arena, a, "n=1", cases[i].better, cases[i].a);
        add(&arena, b, "n=1", cases[i].better, cases[i].b);
        if (!ok(am_compare(a, b, &settings, &arena, &c, &err) == AM_OK && c.n == 1 &&
                    c.rows[0].verdict == cases[i].verdict && c.count[cases[i].verdict] == 1,
                "%s", cases[i].what))
            printf("# %s, ratio %g [%g, %g], p %g\n", am_verdict_name(c.rows[0].verdict),
                   c.rows[0].ratio.ratio, c.rows[0].ratio.lo, c.rows[0].ratio.hi, c.rows[0].p);
        am_arena_fini(&arena);
    }
}

static void test_numbers(void)
{
    struct am_arena arena = {0};
    struct am_result_set *a = new_set(&arena, 2), *b = new_set(&arena, 2);
    struct am_comparison c;
    struct am_err err = {0};

    add(&arena, a, "n=1", AM_LOWER, (struct side){10, 2, 0.001});
    add(&arena, b, "n=1", AM_LOWER, (struct side){10, 1, 0.001});
    add(&arena, a, "n=2", AM_HIGHER, (struct side){10, 2, 0.001});
    add(&arena, b, "n=2", AM_HIGHER, (struct side){10, 1.9, 0.001});
    ok(am_compare(a, b, &settings, &arena, &c, &err) == AM_OK && c.n == 2, "two rows compare");
    is_str(c.rows[0].a->text, "n=1", "the larger effect stands first");
    is_near(c.rows[0].ratio.ratio, 0.5, 1e-3, "the ratio is B over A as measured");
    is_near(c.rows[0].speedup, 2, 1e-3, "half the time is twice the speed");
    is_near(c.rows[1].speedup, 0.95, 1e-3, "95 % of the rate is 0.95 of the speed");
    is_near(c.geomean_speedup, sqrt(2 * 0.95), 1e-3, "the geometric mean of both");
    ok(c.rows[0].ratio.lo < 0.5 && c.rows[0].ratio.hi > 0.5 && c.rows[0].change.lo < -log(2) &&
           c.rows[0].change.hi > -log(2),
       "the interval holds it, on both scales");
    am_arena_fini(&arena);
}

/* Neither the order of axes nor the spelling of a number makes another point of it. */
static void test_by_value(void)
{
    static const char *const pairs[][2] = {{"size=4096 isa=avx2", "isa=avx2 size=4096"},
                                           {"share=0.5", "share=0.50"}};
    const struct side side = {10, 1, 0.001};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct am_arena arena = {0};
        struct am_result_set *a = new_set(&arena, 1), *b = new_set(&arena, 1);
        struct am_comparison c;
        struct am_err err = {0};

        add(&arena, a, pairs[i][0], AM_LOWER, side);
        add(&arena, b, pairs[i][1], AM_LOWER, side);
        ok(am_compare(a, b, &settings, &arena, &c, &err) == AM_OK && c.n == 1 && c.n_missing == 0,
           "%s and %s are one point", pairs[i][0], pairs[i][1]);
        am_arena_fini(&arena);
    }
}

static void test_missing(void)
{
    struct am_arena arena = {0};
    struct am_result_set *a = new_set(&arena, 5), *b = new_set(&arena, 5);
    const struct side side = {10, 1, 0.001};
    struct am_comparison c;
    struct am_err err = {0};
    struct am_result *r;

    add(&arena, b, "both", AM_LOWER, side); /* another order than in A */
    add(&arena, a, "only-a", AM_LOWER, side);
    add(&arena, a, "both", AM_LOWER, side);
    add(&arena, b, "only-b", AM_LOWER, side);
    add(&arena, a, "failed", AM_LOWER, side);
    r = add(&arena, b, "failed", AM_LOWER, side);
    r->state = AM_POINT_FAIL;
    r->reason = "killed by SIGSEGV";
    add(&arena, a, "version", AM_LOWER, side);
    add(&arena, b, "version", AM_LOWER, side)->version = 2;
    ok(am_compare(a, b, &settings, &arena, &c, &err) == AM_OK, "sets that differ compare");
    ok(c.n == 1 && strcmp(c.rows[0].a->text, "both") == 0, "what both have is paired by name");
    ok(c.n_missing == 4, "all else is missing");
    for (size_t i = 0; i < c.n_missing; i++) {
        static const char *const whys[][2] = {{"only-a", "only in A"},
                                              {"only-b", "only in B"},
                                              {"failed", "not ok in B: killed by SIGSEGV"},
                                              {"version", "bench versions differ"}};

        for (size_t k = 0; k < 4; k++) {
            if (strcmp(whys[k][0], c.missing[i].result->text) == 0)
                is_str(c.missing[i].why, whys[k][1], "the reason is told");
        }
    }
    am_arena_fini(&arena);
}

static void test_metrics(void)
{
    struct am_arena arena = {0};
    struct am_result_set *a = new_set(&arena, 1), *b = new_set(&arena, 1);
    struct am_compare_settings all = settings;
    struct am_comparison c;
    struct am_err err = {0};

    add(&arena, a, "n=1", AM_LOWER, (struct side){6, 1, 0.001});
    add(&arena, b, "n=1", AM_LOWER, (struct side){6, 1, 0.001});
    ok(am_compare(a, b, &settings, &arena, &c, &err) == AM_OK && c.n == 1,
       "only the primary metric by default");
    all.all_metrics = true;
    ok(am_compare(a, b, &all, &arena, &c, &err) == AM_OK && c.n == 2, "all metrics on demand");
    am_arena_fini(&arena);
}

static void test_differences(void)
{
    struct am_arena arena = {0};
    struct am_result_set *a = new_set(&arena, 1), *b = new_set(&arena, 1);
    struct am_comparison c;
    struct am_err err = {0};

    am_kvs_add(&a->environment, &arena, "governor", "powersave");
    am_kvs_add(&b->environment, &arena, "governor", "performance");
    am_kvs_add(&a->environment, &arena, "load", "1.0");
    am_kvs_add(&b->environment, &arena, "load", "2.0");
    am_kvs_add(&a->environment, &arena, "env.ARCHMETER_EXPERIMENT", "/proc/1/fd/4");
    am_kvs_add(&b->environment, &arena, "env.ARCHMETER_EXPERIMENT", "/proc/2/fd/4");
    am_kvs_add(&a->machine, &arena, "key", "same");
    am_kvs_add(&b->machine, &arena, "key", "same");
    am_kvs_add(&b->environment, &arena, "env.OMP_NUM_THREADS", "2");
    ok(am_compare(a, b, &settings, &arena, &c, &err) == AM_OK && c.n == 0, "empty sets compare");
    ok(c.differences.n == 2, "what is equal or fleeting is no difference");
    is_str(am_kvs_get(&c.differences, "governor"), "powersave | performance", "A | B");
    is_str(am_kvs_get(&c.differences, "env.OMP_NUM_THREADS"), "(none) | 2", "absent on one side");
    ok(isnan(c.geomean_speedup), "no rows, no mean");
    am_arena_fini(&arena);
}

/* A time less a reference: what is left of `time` on both sides. */
static struct am_comparison compare_left(struct am_arena *arena, double time, double left_a,
                                         double left_b)
{
    struct am_result_set *const sets[] = {new_set(arena, 1), new_set(arena, 1)};
    struct am_comparison c;
    struct am_err err = {0};

    for (size_t i = 0; i < 2; i++) {
        const double left = i == 0 ? left_a : left_b;
        struct am_result *const r =
            add(arena, sets[i], "left", AM_LOWER, (struct side){6, left, 0.001});

        r->metrics[1] = (struct am_result_metric){.name = "time",
                                                  .unit = "s",
                                                  .better = AM_LOWER,
                                                  .series = series_of(arena, 6, time, 0.001)};
        r->metrics[0].systematic.difference = "time";
        am_evidence_settle_result(r);
    }
    (void)am_compare(sets[0], sets[1], &settings, arena, &c, &err);
    return c;
}

static void test_near_zero(void)
{
    struct am_arena arena = {0};
    struct am_comparison c = compare_left(&arena, 283e-12, 11.9e-12, 6.85e-12);

    ok(c.rows[0].verdict == AM_VERDICT_SAME && c.rows[0].slight,
       "5 ps less of a time of 283 ps are no gain, whatever is left of it");
    ok(isnan(c.geomean_speedup), "and count in no mean");
    c = compare_left(&arena, 283e-12, 60e-12, 30e-12);
    ok(c.rows[0].verdict == AM_VERDICT_FASTER && !c.rows[0].slight, "30 ps less are");
    c = compare_left(&arena, 1e-6, 0.9e-6, 0.8e-6);
    ok(c.rows[0].verdict == AM_VERDICT_FASTER, "nor is anything lost where most is left");
    am_arena_fini(&arena);
}

/* Five launches per side of `rows` rows with noise `cv`; the values of B are `factor` times those
 * of A in the first `changed` rows. */
static void fill(struct am_arena *arena, struct am_rng *rng, struct am_result_set **sets,
                 size_t rows, double cv, size_t changed, double factor)
{
    for (unsigned s = 0; s < 2; s++) {
        for (size_t i = 0; i < rows; i++) {
            struct am_result *r = add(arena, sets[s], am_arena_printf(arena, "n=%zu", i), AM_LOWER,
                                      (struct side){5, 1, 0});

            for (size_t k = 0; k < 5; k++)
                *(double *)(uintptr_t)r->metrics[0].series.launches[k].values =
                    (1 + cv * (am_rng_unit(rng) - 0.5)) * (s && i < changed ? factor : 1);
        }
    }
}

/* Rows without a difference must not be told as different, however many there are. */
static void test_false_alarms(void)
{
    enum { ROWS = 400 };
    struct am_arena arena = {0};
    struct am_result_set *sets[2] = {new_set(&arena, ROWS), new_set(&arena, ROWS)};
    struct am_comparison c;
    struct am_err err = {0};
    struct am_rng rng;

    am_rng_seed(&rng, 2026, 1);
    /* 10 % of noise, far above delta: only chance can part the sides */
    fill(&arena, &rng, sets, ROWS, 0.1, 0, 1);
    ok(am_compare(sets[0], sets[1], &settings, &arena, &c, &err) == AM_OK && c.n == ROWS,
       "A against A in %d rows", ROWS);
    ok(c.count[AM_VERDICT_FASTER] + c.count[AM_VERDICT_SLOWER] == 0, "no verdict is false");
    ok(c.count[AM_VERDICT_SUSPECT] * 100 <= 5 * ROWS, "%zu of %d suspects: at most 5 %%",
       c.count[AM_VERDICT_SUSPECT], ROWS);
    ok(c.remarks.n == 0, "nothing to remark");
    am_arena_fini(&arena);
}

/* One slower row among 300 at five launches per side is seen, and called by its basis. */
static void test_one_of_many(void)
{
    static const struct {
        enum am_basis basis;
        double factor;
        enum am_verdict verdict;
    } cases[] = {{AM_BASIS_WITHIN_RUN, 1000, AM_VERDICT_SLOWER},
                 {AM_BASIS_RUNS, 1.2, AM_VERDICT_SLOWER},
                 {AM_BASIS_ONE_RUN, 1000, AM_VERDICT_MAYBE_SLOWER},
                 {AM_BASIS_ONE_RUN, 1.2, AM_VERDICT_MAYBE_SLOWER},
                 {AM_BASIS_RUNS_APART, 0.5, AM_VERDICT_MAYBE_FASTER}};
    enum { ROWS = 300 };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_arena arena = {0};
        struct am_result_set *sets[2] = {new_set(&arena, ROWS), new_set(&arena, ROWS)};
        struct am_compare_settings s = settings;
        struct am_comparison c;
        struct am_err err = {0};
        struct am_rng rng;

        am_rng_seed(&rng, 2026, 2);
        fill(&arena, &rng, sets, ROWS, 0.02, 1, cases[i].factor);
        s.basis = cases[i].basis;
        ok(am_compare(sets[0], sets[1], &s, &arena, &c, &err) == AM_OK, "%d rows", ROWS);
        ok(c.count[cases[i].verdict] == 1 && c.rows[0].verdict == cases[i].verdict &&
               strcmp(c.rows[0].a->text, "n=0") == 0,
           "one of them times %g is %s (%s)", cases[i].factor, am_verdict_name(c.rows[0].verdict),
           am_basis_text(c.basis));
        am_arena_fini(&arena);
    }
}

/* Means may part where single launches do not: then the row is suspect, not decided. */
static void test_ranks_must_agree(void)
{
    static const double values[2][5] = {{1, 1.0001, 0.9999, 1.0001, 0.9999},
                                        {1.0190, 1.0230, 1.0235, 1.0232, 1.0231}};
    struct am_arena arena = {0};
    struct am_result_set *sets[2] = {new_set(&arena, 1), new_set(&arena, 1)};
    struct am_comparison c;
    struct am_err err = {0};

    for (unsigned s = 0; s < 2; s++) {
        struct am_result *r = add(&arena, sets[s], "n=1", AM_LOWER, (struct side){5, 1, 0});

        for (size_t k = 0; k < 5; k++)
            *(double *)(uintptr_t)r->metrics[0].series.launches[k].values = values[s][k];
    }
    ok(am_compare(sets[0], sets[1], &settings, &arena, &c, &err) == AM_OK && c.rows[0].p < 0.05,
       "by its mean a row is beyond the margin");
    ok(c.rows[0].verdict == AM_VERDICT_SUSPECT && c.slower_suspects == 1,
       "one launch of five that is not makes it a suspect (%s)",
       am_verdict_name(c.rows[0].verdict));
    am_arena_fini(&arena);
}

/* What the rows together, the runs and doctor's findings say stands before the rows. */
static void test_remarks(void)
{
    static struct am_finding quiet = {.id = "noise.load", .level = AM_LEVEL_OK, .value = "3 %"},
                             busy = {.id = "noise.load", .level = AM_LEVEL_WARN, .value = "95 %"};
    struct am_arena arena = {0};
    struct am_result_set *sets[2] = {new_set(&arena, 20), new_set(&arena, 20)};
    struct am_compare_settings one = settings;
    struct am_comparison c;
    struct am_err err = {0};
    struct am_rng rng;

    am_rng_seed(&rng, 2026, 3);
    fill(&arena, &rng, sets, 20, 0.01, 20, 1.15);
    for (unsigned s = 0; s < 2; s++) {
        sets[s]->run = (struct am_run_info){.started = "now", .command = "run", .settings.seed = 7};
        sets[s]->findings = (struct am_findings){s ? &busy : &quiet, 1};
        am_kvs_add(&sets[s]->build, &arena, "version", s ? "2" : "1");
        am_kvs_add(&sets[s]->machine, &arena, "key", s ? "x" : "y");
    }
    one.basis = AM_BASIS_ONE_RUN;
    ok(am_compare(sets[0], sets[1], &one, &arena, &c, &err) == AM_OK, "a bench that shifts");
    ok(am_kvs_get(&c.remarks, "machine_changed.test.bench") &&
           am_kvs_get(&c.remarks, "many_changed"),
       "the machine changed");
    ok(am_kvs_get(&c.remarks, "same_run"), "a file compared with itself");
    ok(am_kvs_get(&c.remarks, "build") && am_kvs_get(&c.remarks, "machine"),
       "another build, another machine");
    is_str(am_kvs_get(&c.remarks, "noise.load"), "noise.load in A: 3 %; in B: 95 %",
           "findings that differ");
    ok(am_compare(sets[0], sets[1], &settings, &arena, &c, &err) == AM_OK &&
           !am_kvs_get(&c.remarks, "same_run"),
       "two values of an axis of one run are no file against itself");
    am_arena_fini(&arena);
}

static void test_needed(void)
{
    struct am_arena arena = {0};
    struct am_result_set *a = new_set(&arena, 1), *b = new_set(&arena, 1);
    struct am_comparison c;
    struct am_err err = {0};

    add(&arena, a, "n=1", AM_LOWER, (struct side){6, 1, 0.05});
    add(&arena, b, "n=1", AM_LOWER, (struct side){6, 1.04, 0.05});
    ok(am_compare(a, b, &settings, &arena, &c, &err) == AM_OK &&
           c.rows[0].verdict == AM_VERDICT_UNDECIDED && c.rows[0].launches_needed > 6 &&
           c.rows[0].launches_needed <= 1000 && c.rows[0].seen > 0.04,
       "an undecided row says how many launches would settle it, and what it could show");
    am_arena_fini(&arena);
}

int main(void)
{
    test_verdicts();
    test_numbers();
    test_by_value();
    test_missing();
    test_metrics();
    test_differences();
    test_near_zero();
    test_false_alarms();
    test_one_of_many();
    test_ranks_must_agree();
    test_remarks();
    test_needed();
    return tap_done();
}
