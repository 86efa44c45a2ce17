/* SPDX-License-Identifier: MIT */
/* Facts of energy from made-up results: the best point by the joule, and the steadiness of a meter.
 */
#include "family_fixture.h"

enum { REPETITIONS = 100 };

static void add(struct rx_run *run, const char *bench, const char *text, struct am_work work,
                double joules)
{
    const struct rx_metric metrics[] = {{"time", "s", 1}, {"energy:package", "J", joules}, {0}};

    rx_add(run, bench, text, metrics)->work = work;
}

static void check_evidence(const struct am_facts *facts, const char *name, const char *evidence)
{
    const struct am_fact *const f = am_facts_only(facts, name, "scope=package");

    ok(f && strstr(f->evidence, evidence), "%s by %s", name, evidence);
}

static void test_best(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;

    add(&run, "cpu.flops", "threads=1", (struct am_work){.flops = 1000}, 2e-6);
    add(&run, "cpu.flops", "threads=4", (struct am_work){.flops = 4000}, 5e-6);
    add(&run, "mem.bandwidth", "size=4096", (struct am_work){.bytes_read = 4096}, 1e-6);
    add(&run, "mem.bandwidth", "size=9999999",
        (struct am_work){.bytes_read = 6666666, .bytes_written = 3333333}, 9e-3);
    run.set.results[3].state = AM_POINT_FAIL;
    facts = fx_derive(&run, &am_family_energy);
    fx_check(&facts, "energy.flops_per_watt", "scope=package", 4000 / 5e-6, "energy");
    check_evidence(&facts, "energy.flops_per_watt", "threads=4");
    fx_check(&facts, "energy.joule_per_byte", "scope=package", 1e-6 / 4096, "energy");
    check_evidence(&facts, "energy.joule_per_byte", "size=4096");
    ok(facts.n == 2, "nothing else is claimed: %zu", facts.n);
    f = am_facts_only(&facts, "energy.flops_per_watt", NULL);
    ok(f && f->ci.hi > f->ci.lo && f->ci.coverage >= 0.95, "six launches give 95 %%");
    am_arena_fini(&run.arena);
}

/* The better point was launched once: it is no evidence while another is. */
static void test_one_launch(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    add(&run, "cpu.flops", "threads=4", (struct am_work){.flops = 4000}, 5e-6);
    run.set.results[0].metrics[1].series.n = 1;
    facts = fx_derive(&run, &am_family_energy);
    ok(facts.n == 0 && facts.n_remarks == 1 && strstr(facts.remarks[0], "too few launches"),
       "one launch decides nothing: %s", facts.n_remarks ? facts.remarks[0] : "");
    add(&run, "cpu.flops", "threads=1", (struct am_work){.flops = 1000}, 2e-6);
    add(&run, "cpu.flops", "threads=8", (struct am_work){.flops = 8000}, 5e-6);
    run.set.results[2].metrics[1].series.n = 1;
    facts = fx_derive(&run, &am_family_energy);
    fx_check(&facts, "energy.flops_per_watt", "scope=package", 1000 / 2e-6, "beside six launches");
    am_arena_fini(&run.arena);
}

/* 99 times 10 J or 10.2 J, once 30 J. */
static void test_steadiness(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
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
    facts = fx_derive(&run, &am_family_energy);
    fx_check(&facts, "energy.meter_mean", "scope=package threads=2 n=128", 10.298, "a meter");
    check_evidence(&facts, "energy.meter_mean", "100 repetitions");
    fx_check(&facts, "energy.meter_median", "scope=package threads=2", 10.1, "a meter");
    check_evidence(&facts, "energy.meter_median", "n=128");
    f = am_facts_only(&facts, "energy.meter_outliers", "threads=2");
    ok(f && f->value == 1, "one outlier beyond three deviations");
    f = am_facts_only(&facts, "energy.meter_sigma", "threads=2");
    ok(f && fabs(f->value - 0.1935) < 1e-4, "the deviation is relative to the mean: %g",
       f ? f->value : NAN);
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_best();
    test_one_launch();
    test_steadiness();
    return tap_done();
}
