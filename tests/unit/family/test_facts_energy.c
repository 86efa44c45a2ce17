/* SPDX-License-Identifier: MIT */
/* Facts of energy from made-up results: the best point by the joule, and the steadiness of a meter.
 */
#include "model/derive.h"
#include "result_fixture.h"
#include "tap.h"

enum { REPETITIONS = 100 };

static void add(struct rx_run *run, const char *bench, const char *text, struct am_work work,
                double joules)
{
    const struct rx_metric metrics[] = {{"time", "s", 1}, {"energy:package", "J", joules}, {0}};

    rx_add(run, bench, text, metrics)->work = work;
}

static void check(const struct am_facts *facts, const char *id, double value, const char *evidence)
{
    const struct am_fact *const f = am_facts_find(facts, id);

    ok(f && fabs(f->value / value - 1) < 2e-3 && f->ci.lo <= f->value && f->value <= f->ci.hi &&
           strstr(f->evidence, evidence),
       "%s is %g by %s", id, value, evidence);
}

static void test_best(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct am_fact *f;

    add(&run, "cpu.flops", "threads=1", (struct am_work){.flops = 1000}, 2e-6);
    add(&run, "cpu.flops", "threads=4", (struct am_work){.flops = 4000}, 5e-6);
    add(&run, "mem.bandwidth", "size=4096", (struct am_work){.bytes_read = 4096}, 1e-6);
    add(&run, "mem.bandwidth", "size=9999999",
        (struct am_work){.bytes_read = 6666666, .bytes_written = 3333333}, 9e-3);
    run.set.results[3].state = AM_POINT_FAIL;
    am_derive_energy(&run.set, &facts);
    check(&facts, "energy.package.flops_per_watt.peak", 4000 / 5e-6, "threads=4");
    check(&facts, "energy.package.joule_per_byte.least", 1e-6 / 4096, "size=4096");
    ok(facts.n == 2, "nothing else is claimed: %zu", facts.n);
    f = am_facts_find(&facts, "energy.package.flops_per_watt.peak");
    ok(f && f->ci.hi > f->ci.lo && f->ci.coverage >= 0.95, "six launches give 95 %%");
    run.set.results[1].metrics[1].series.n = 1;
    facts = (struct am_facts){.arena = &run.arena};
    am_derive_energy(&run.set, &facts);
    f = am_facts_find(&facts, "energy.package.flops_per_watt.peak");
    ok(f && f->ci.coverage == 0 && !am_fact_is_decided(f), "one launch decides nothing");
    am_arena_fini(&run.arena);
}

/* 99 times 10 J or 10.2 J, once 30 J. */
static void test_steadiness(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    double values[REPETITIONS];
    struct am_series *series;
    const struct am_fact *f;

    add(&run, "meter.stability", "n=128 threads=2", (struct am_work){.flops = 1}, 10);
    for (int i = 0; i < REPETITIONS; i++)
        values[i] = i == 50 ? 30 : i % 2 ? 10 : 10.2;
    series = &run.set.results[0].metrics[1].series;
    series->n = 1;
    series->launches[0].values = values;
    series->launches[0].n = REPETITIONS;
    am_derive_meter(&run.set, &facts);
    check(&facts, "meter.package.threads2.mean", 10.298, "100 repetitions");
    check(&facts, "meter.package.threads2.median", 10.1, "n=128");
    f = am_facts_find(&facts, "meter.package.threads2.outliers");
    ok(f && f->value == 1, "one outlier beyond three deviations");
    f = am_facts_find(&facts, "meter.package.threads2.sigma");
    ok(f && fabs(f->value - 0.1935) < 1e-4, "the deviation is relative to the mean: %g",
       f ? f->value : NAN);
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_best();
    test_steadiness();
    return tap_done();
}
