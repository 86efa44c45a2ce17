/* SPDX-License-Identifier: MIT */
/* What is believed of a sample: what follows from work, time and counters, and nothing else. */
#include "conductor/judge.h"

#include "core/bench/sane.h"
#include "tap.h"

static const struct am_metric metrics[] = {
    {.name = "flops", .unit = "flop/s", .rule = AM_RULE_FLOP_RATE},
    {.name = "bytes", .unit = "B/s", .rule = AM_RULE_BYTE_RATE},
    {.name = "ops", .unit = "1/s", .rule = AM_RULE_OP_RATE},
    {.name = "per_op", .unit = "s", .rule = AM_RULE_TIME_PER_OP},
    {.name = "per_iter", .unit = "s", .rule = AM_RULE_TIME_PER_ITER},
    {.name = "beyond", .unit = "s", .rule = AM_RULE_TIME_BEYOND_CLOCK},
    {.name = "cycles", .unit = "cycle", .rule = AM_RULE_CYCLES_PER_OP},
    {.name = "per_cycle", .unit = "", .rule = AM_RULE_FLOPS_PER_CYCLE},
    {.name = "bytes_cycle", .unit = "", .rule = AM_RULE_BYTES_PER_CYCLE},
    {.name = "clocks", .unit = "", .rule = AM_RULE_CLOCK_RATIO},
    {.name = "own", .unit = "s", .rule = AM_RULE_OWN},
    {0},
};
enum { N_METRICS = sizeof(metrics) / sizeof(metrics[0]) - 1, CLOCKS = N_METRICS - 2 };

static const struct am_bench batch = {.name = "b", .metrics = metrics, .timed = AM_TIMED_BATCH};
static const struct am_bench own = {.name = "b", .metrics = metrics, .timed = AM_TIMED_OWN};
static const struct am_work work = {.bytes_read = 64, .bytes_written = 32, .flops = 5, .ops = 3};
static const struct am_judge judge = {.started_ns = 1000,
                                      .cpus = 2,
                                      .clock = {.overhead_ns = 25, .resolution_ns = 10},
                                      .drift_limit = 0.02};

static struct am_sample honest(void)
{
    struct am_sample x = {.iters = 1000,
                          .t0_ns = 2000000,
                          .t1_ns = 3000000,
                          .elapsed_ns = 1000000,
                          .hz_before = 3e9,
                          .hz_after = 3.01e9,
                          .hz_least = 2.9e9,
                          .hz_most = 3.1e9,
                          .switches = 7,
                          .off_ns = 100};

    x.values[N_METRICS - 1] = 42;
    am_bench_derive(metrics, &work, &judge.clock, &x);
    return x;
}

static bool is_believed(const struct am_bench *bench, const struct am_sample *x)
{
    struct am_err err = {0};
    const enum am_status s = am_judge_sample(&judge, bench, &work, x, N_METRICS, &err);

    if (s != AM_OK && s != AM_E_PROTOCOL)
        printf("# status %d\n", (int)s);
    return s == AM_OK;
}

static void test_values(void)
{
    struct am_sample x = honest();

    ok(is_believed(&batch, &x) && is_believed(&own, &x), "an honest sample is believed");
    for (size_t i = 0; i + 1 < N_METRICS; i++) {
        x = honest();
        x.values[i] *= i == CLOCKS ? 0.5 : 1.000001;
        ok(!is_believed(&batch, &x), "%s that is off by a millionth is not", metrics[i].name);
        x.values[i] = 1e31;
        ok(!is_believed(&batch, &x), "%s beyond any result is not", metrics[i].name);
    }
    x = honest();
    x.values[N_METRICS - 1] = NAN;
    ok(is_believed(&batch, &x), "a value of its own may be unknown");
    x.values[N_METRICS - 1] = 1e-31;
    ok(!is_believed(&batch, &x), "but is none that no result can hold");
}

static void test_times(void)
{
    struct am_sample x = honest();

    x.elapsed_ns = 999999;
    am_bench_derive(metrics, &work, &judge.clock, &x);
    ok(!is_believed(&batch, &x), "a batch takes what its clock readings say");
    ok(is_believed(&own, &x), "unless the bench has a clock of its own");
    x.elapsed_ns = 4000000;
    am_bench_derive(metrics, &work, &judge.clock, &x);
    ok(!is_believed(&own, &x), "which cannot say more than the launch has lasted");
    x.elapsed_ns = 0;
    am_bench_derive(metrics, &work, &judge.clock, &x);
    for (size_t i = 0; i < N_METRICS; i++)
        x.values[i] = am_is_sane(x.values[i]) ? x.values[i] : (double)NAN;
    ok(!is_believed(&own, &x), "nor nothing at all for a batch that lasted");
    x = honest();
    x.off_ns = 1100000;
    ok(!is_believed(&batch, &x), "nor was a thread off the CPU for longer than the batch");
    x = honest();
    x.hz_before = x.hz_after = INFINITY;
    ok(!is_believed(&batch, &x), "nor has a core such a clock");
}

static void test_labels(void)
{
    static const struct {
        uint32_t labels;
        uint64_t steal_ns, switches, off_ns;
        double hz_after;
        bool believed;
    } cases[] = {
        {0, 0, 0, 0, 3e9, true},
        {AM_LABEL_STEAL, 10001, 0, 0, 3e9, true}, /* of a millisecond */
        {AM_LABEL_STEAL, 10000, 0, 0, 3e9, false},
        {0, 10000, 0, 0, 3e9, true},
        {AM_LABEL_STEAL, 0, 0, 0, 3e9, false},
        {0, 10001, 0, 0, 3e9, false},
        {0, 0, 50, 0, 3e9, true},
        {AM_LABEL_SWITCH, 0, 1, 0, 3e9, true},
        {AM_LABEL_SWITCH, 0, 0, 0, 3e9, false},
        {AM_LABEL_OFF, 0, 0, 5000, 3e9, true},
        {AM_LABEL_OFF, 0, 0, 0, 3e9, false},
        {AM_LABEL_DRIFT, 0, 0, 0, 2e9, true},
        {0, 0, 0, 0, 2e9, false},
        {AM_LABEL_DRIFT, 0, 0, 0, 3e9, false},
        {16, 0, 0, 0, 3e9, false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_sample x = honest();

        x.labels = cases[i].labels;
        x.steal_ns = cases[i].steal_ns;
        x.switches = cases[i].switches;
        x.off_ns = cases[i].off_ns;
        x.hz_after = cases[i].hz_after;
        am_bench_derive(metrics, &work, &judge.clock, &x);
        ok(is_believed(&batch, &x) == cases[i].believed, "labels %u: case %zu is %sbelieved",
           cases[i].labels, i, cases[i].believed ? "" : "not ");
    }
}

static void test_counters(void)
{
    const struct am_bench fixed = {
        .name = "b", .metrics = metrics, .timed = AM_TIMED_BATCH, .fixed_iters = 1000};
    struct am_err err = {0};
    struct am_sample x = honest();

    ok(is_believed(&fixed, &x), "a batch has as many iterations as the bench fixes");
    x.iters = 999;
    am_bench_derive(metrics, &work, &judge.clock, &x);
    ok(!is_believed(&fixed, &x) && is_believed(&batch, &x), "and no others, where it does");
    x.iters = UINT64_MAX;
    am_bench_derive(metrics, &work, &judge.clock, &x);
    ok(!is_believed(&batch, &x), "no batch has 2^64 iterations");
    x = honest();
    x.switches = UINT64_MAX;
    ok(!is_believed(&batch, &x), "nor so many switches");
    x = honest();
    x.labels = AM_LABEL_STEAL;
    x.steal_ns = 2003000000;
    ok(is_believed(&batch, &x), "two CPUs can lose two seconds in one that is told late");
    x.steal_ns = 2100000000;
    ok(!is_believed(&batch, &x), "and no more");
    x = honest();
    x.values[N_METRICS] = 5;
    ok(am_judge_sample(&judge, &batch, &work, &x, N_METRICS + 1, &err) == AM_OK,
       "an event is counted");
    x.values[N_METRICS] = -5;
    ok(am_judge_sample(&judge, &batch, &work, &x, N_METRICS + 1, &err) == AM_E_PROTOCOL,
       "never less than not at all");
    x = honest();
    x.hz_before = x.hz_after = 1e12;
    am_bench_derive(metrics, &work, &judge.clock, &x);
    ok(!is_believed(&batch, &x) && am_judge_greeting(&judge.clock, 1e12, &err) == AM_E_PROTOCOL,
       "no core has a clock of 1 THz");
}

static void test_rest(void)
{
    static const double numbers[] = {NAN, INFINITY, -1, 1e31};
    struct am_clock slow = {.overhead_ns = 2000000000};
    struct am_err err = {0};

    ok(am_judge_residual(0, &err) == AM_OK && am_judge_residual(1e-300, &err) == AM_OK,
       "a residual may be tiny");
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const struct am_work wrong = {.flops = numbers[i]};

        ok(am_judge_residual(numbers[i], &err) == AM_E_PROTOCOL, "no residual is %g", numbers[i]);
        ok(am_judge_work(&wrong, &err) == AM_E_PROTOCOL, "no work is %g", numbers[i]);
        ok(am_judge_greeting(&judge.clock, numbers[i], &err) == AM_E_PROTOCOL,
           "no core clock is %g", numbers[i]);
    }
    ok(am_judge_work(&work, &err) == AM_OK && am_judge_greeting(&judge.clock, 3e9, &err) == AM_OK,
       "others are believed");
    ok(am_judge_greeting(&slow, 3e9, &err) == AM_E_PROTOCOL, "no clock takes 2 s to read");
}

int main(void)
{
    test_values();
    test_times();
    test_labels();
    test_counters();
    test_rest();
    return tap_done();
}
