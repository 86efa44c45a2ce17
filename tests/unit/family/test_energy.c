/* SPDX-License-Identifier: MIT */
/* Facts of energy from made-up results: the best point by the joule, and the steadiness of a meter.
 */
#include "base/rng.h"
#include "family/energy.h"
#include "family/plot.h"
#include "family_fixture.h"
#include "fit/power_fit.h"

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

/* Of a GPU its own meter counts, of the host's CPUs any other. */
static void test_devices(void)
{
    static const struct {
        const char *bench, *text, *kind;
        double flops, bytes, gpu, package;
    } rows[] = {
        {"ocl.arith", "device=g type=float width=4 mode=throughput", "other", 1e9, 0, 4e-3, 1},
        {"ocl.arith", "device=g type=float width=16 mode=throughput", "other", 4e9, 0, 8e-3, 1},
        {"ocl.arith", "device=g type=float width=1 mode=latency", "other", 1e9, 0, 1e-6, 1},
        {"ocl.arith", "device=c type=float width=8 mode=throughput", "cpu", 1e9, 0, 1e-9, 5e-2},
        {"ocl.global", "device=g kernel=read stride=1 size=0", "other", 0, 1e9, 2e-1, 1},
        {"ocl.global", "device=g kernel=read stride=0 size=0", "other", 0, 1e9, 1e-6, 1},
    };
    struct rx_run run = {0};
    struct am_facts facts;

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct rx_metric metrics[] = {{"time", "s", 1},
                                            {"energy:gpu", "J", rows[i].gpu},
                                            {"energy:package", "J", rows[i].package},
                                            {0}};
        struct am_result *const r = rx_add(&run, rows[i].bench, rows[i].text, metrics);

        r->work = (struct am_work){.flops = rows[i].flops, .bytes_read = rows[i].bytes};
        am_kvs_add(&r->chosen, &run.arena, "device_kind", rows[i].kind);
    }
    facts = fx_derive(&run, &am_family_energy);
    fx_check(&facts, "energy.device_flop", "device=g", 2e-12, "energy");
    fx_check(&facts, "energy.device_flop", "device=c", 5e-11, "energy");
    fx_check(&facts, "energy.device_byte", "device=g kernel=read", 2e-10, "energy");
    ok(am_facts_only(&facts, "energy.device_flop", "device=g scope=gpu") != NULL &&
           am_facts_only(&facts, "energy.device_flop", "device=c scope=package") != NULL,
       "each by the meters that see it");
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
    ok(facts.n == 0 && facts.n_remarks == 1 && strstr(facts.remarks[0].text, "too few launches"),
       "one launch decides nothing: %s", facts.n_remarks ? facts.remarks[0].text : "");
    add(&run, "cpu.flops", "threads=1", (struct am_work){.flops = 1000}, 2e-6);
    add(&run, "cpu.flops", "threads=8", (struct am_work){.flops = 8000}, 5e-6);
    run.set.results[2].metrics[1].series.n = 1;
    facts = fx_derive(&run, &am_family_energy);
    fx_check(&facts, "energy.flops_per_watt", "scope=package", 1000 / 2e-6, "beside six launches");
    am_arena_fini(&run.arena);
}

/* Every reading is in a bin, the outlier in the last one and alone. */
static void check_readings(struct rx_run *run)
{
    struct am_plots plots = {.arena = &run->arena};
    const struct am_figure_source source = {.set = &run->set, .arena = &run->arena};
    const struct am_plot_series *s;
    double sum = 0;

    if (!ok(am_energy_plot_readings(&source, &plots) && plots.n == 1 && plots.items[0].n == 1,
            "a panel for the meter"))
        return;
    s = plots.items[0].series;
    for (size_t i = 0; i < s->n; i++)
        sum += s->marks[i].y;
    ok(sum == REPETITIONS && s->n == 10 && s->marks[0].y == REPETITIONS - 1 &&
           s->marks[s->n - 1].y == 1 && s->marks[4].y == 0,
       "ten bins have %g readings: %g and %g", sum, s->marks[0].y, s->marks[s->n - 1].y);
    ok(plots.items[0].n_rules == 3 && plots.items[0].rules[1].at > 10.29 &&
           plots.items[0].rules[2].at < 30 && strstr(plots.items[0].title, "1 beyond"),
       "the mean and three deviations are marked: %s", plots.items[0].title);
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
    fx_check(&facts, "energy.repeated_mean", "scope=package threads=2 n=128", 10.298, "a meter");
    check_evidence(&facts, "energy.repeated_mean", "100 repetitions");
    fx_check(&facts, "energy.repeated_median", "scope=package threads=2", 10.1, "a meter");
    check_evidence(&facts, "energy.repeated_median", "n=128");
    f = am_facts_only(&facts, "energy.repeated_outliers", "threads=2");
    ok(f && f->value == 1, "one outlier beyond three deviations");
    f = am_facts_only(&facts, "energy.repeated_sigma", "threads=2");
    ok(f && fabs(f->value - 0.1935) < 1e-4, "the deviation is relative to the mean: %g",
       f ? f->value : NAN);
    check_readings(&run);
    am_arena_fini(&run.arena);
}

/* ---- the model of power ---- */

/* A machine that draws so much at rest, per core, per operation and per byte; `twist` adds what no
 * such model has: the square of the rate of operations. */
static void put_powers(struct rx_run *run, double twist)
{
    for (int bench = 0; bench < 4; bench++) {
        for (int cores = 1; cores <= 8; cores *= 2) {
            static const char *const names[] = {"cpu.flops", "mem.bandwidth", "app.gemm",
                                                "app.fft"};
            const double all_flops[] = {1e10 * cores, 1e8, 3e9 * cores, 4e9 * sqrt(cores)};
            const double all_bytes[] = {0, 4e9 * sqrt(cores), 1e9 * cores, 3e9 * sqrt(cores)};
            const double flops = all_flops[bench], bytes = all_bytes[bench];
            const double watts =
                20 + 3.0 * cores + 200e-12 * flops + 500e-12 * bytes + twist * flops * flops;
            char text[64];

            (void)snprintf(text, sizeof(text), "threads=%d", cores);
            rx_add(run, names[bench], text,
                   (const struct rx_metric[]){
                       {"power:package", "W", watts}, {"energy:package", "J", watts}, {0}})
                ->work = (struct am_work){.flops = flops, .bytes_read = bytes};
        }
    }
}

static void test_power_model(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    put_powers(&run, 0);
    facts = fx_derive(&run, &am_family_energy);
    is_near(am_facts_value(&facts, "energy.power_static", "scope=package"), 20, 0.1,
            "static power");
    is_near(am_facts_value(&facts, "energy.power_per_core", "scope=package"), 3, 0.05, "per core");
    is_near(am_facts_value(&facts, "energy.energy_per_flop", "scope=package") * 1e12, 200, 2,
            "per operation, in pJ");
    is_near(am_facts_value(&facts, "energy.energy_per_byte", "scope=package") * 1e12, 500, 5,
            "per byte, in pJ");
    ok(am_facts_value(&facts, "energy.power_error", NULL) < 0.01 &&
           am_facts_value(&facts, "energy.power_error_bench", NULL) < 0.01,
       "points and benches that it has not seen are predicted: off by %g and %g",
       am_facts_value(&facts, "energy.power_error", NULL),
       am_facts_value(&facts, "energy.power_error_bench", NULL));
    am_arena_fini(&run.arena);
    run = (struct rx_run){0};
    put_powers(&run, 4e-19);
    facts = fx_derive(&run, &am_family_energy);
    ok(am_facts_value(&facts, "energy.power_error", NULL) > 0.25 &&
           !am_facts_next(&facts, "energy.power_static", NULL, NULL),
       "a machine of another kind has no terms, but an error: %g",
       am_facts_value(&facts, "energy.power_error", NULL));
    am_arena_fini(&run.arena);
}

/* Machines that are not as the model has them, by what a core's power is multiplied with. */
static double as_modelled(int cores)
{
    (void)cores;
    return 1;
}

/* The clock falls from 4 to 2.6 GHz as cores become busy, and voltage with it: power by its 2.4th
 * power. */
static double falling_clock(int cores)
{
    return pow((4 - 0.2 * (cores - 1)) / 4, 2.4);
}

/* Eight powers per kind of work; `cap_w` is where the package is held, 0: nowhere. */
static size_t make_points(double (*factor)(int cores), double cap_w, double noise,
                          struct am_rng *rng, struct am_power_point *out)
{
    static const double flops[] = {1e10, 1e8, 6e9, 2e9}, bytes[] = {0, 4e9, 0.5e9, 2e9};
    size_t n = 0;

    for (size_t kind = 0; kind < 4; kind++) {
        for (int cores = 1; cores <= 8; cores++) {
            const double part = kind == 1 ? fmin(cores, 4) : cores; /* memory is full by then */
            const double f = flops[kind] * part, b = bytes[kind] * part;
            const double watts = 20 + factor(cores) * (3.0 * cores + 200e-12 * f) + 500e-12 * b;
            const double held = cap_w > 0 ? fmin(cap_w, watts) : watts;

            out[n++] =
                (struct am_power_point){.watts = held * (1 + noise * (2 * am_rng_unit(rng) - 1)),
                                        .cores = cores,
                                        .flops = f,
                                        .bytes = b,
                                        .group = kind + 1};
        }
    }
    return n;
}

/* What a prediction is worth where the machine is of another kind: the numbers of
 * doc/guide/energy.md. */
static void test_power_kinds(void)
{
    static const struct {
        const char *what;
        double (*factor)(int cores);
        double cap_w, noise;
        double point_most, bench_most; /* root mean square */
    } kinds[] = {
        {"as modelled, readings within 3 %", as_modelled, 0, 0.03, 0.03, 0.03},
        {"a clock that falls with busy cores", falling_clock, 0, 0.03, 0.08, 0.1},
        {"held at 45 W", as_modelled, 45, 0.03, 0.15, 0.3},
        {"both", falling_clock, 45, 0.03, 0.15, 0.3},
    };
    struct am_rng rng;

    am_rng_seed(&rng, 11, 0);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        struct am_power_point points[32];
        const size_t n = make_points(kinds[i].factor, kinds[i].cap_w, kinds[i].noise, &rng, points);
        struct am_power_test point, bench;
        const bool good = am_power_held_out(points, n, false, &point) &&
                          am_power_held_out(points, n, true, &bench);

        ok(good && point.rms < kinds[i].point_most && bench.rms < kinds[i].bench_most,
           "%s: off by %.1f %% on a point (worst %.1f), %.1f %% on a bench (worst %.1f)",
           kinds[i].what, 100 * point.rms, 100 * point.worst, 100 * bench.rms, 100 * bench.worst);
    }
}

/* ---- energy as an objective ---- */

/* Five numbers of threads: twice as many are not twice as fast, and each draws 10 W beside 15. */
static void put_ways(struct rx_run *run, const char *problem)
{
    static const double seconds[] = {8, 4.4, 2.6, 1.9, 1.8};

    for (int i = 0; i < 5; i++) {
        const double watts = 15 + 10.0 * (1 << i);
        char text[96];

        (void)snprintf(text, sizeof(text), "executor=task:steal n=%s threads=%d", problem, 1 << i);
        rx_add(run, "app.blackscholes", text,
               (const struct rx_metric[]){
                   {"power:package", "W", watts}, {"energy:package", "J", watts * seconds[i]}, {0}})
            ->work = (struct am_work){.flops = 1e9};
    }
}

static void test_goals(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;
    struct am_plots plots = {.arena = &run.arena};
    const struct am_figure_source source = {.set = &run.set, .facts = &facts, .arena = &run.arena};
    struct am_energy_way front[16];
    size_t n;

    put_ways(&run, "8192");
    put_ways(&run, "65536");
    facts = fx_derive(&run, &am_family_energy);
    /* J: 200, 154, 143, 180.5, 315; J s: 1600, 678, 372, 343, 567 */
    f = am_facts_only(&facts, "energy.least", "scope=package bench=app.blackscholes n=8192");
    ok(f && fabs(f->value - 143) < 1 && strstr(f->evidence, "threads=4") &&
           strstr(f->evidence, "of 5 ways"),
       "the way of least energy: %s", f ? f->evidence : "none");
    f = am_facts_only(&facts, "energy.least_edp", "n=8192");
    ok(f && strstr(f->evidence, "threads=8"), "of least energy times delay: %s",
       f ? f->evidence : "none");
    f = am_facts_only(&facts, "energy.price_of_speed", "n=65536");
    ok(f && fabs(f->value - 315 / 143.0) < 0.02 && strstr(f->evidence, "threads=16"),
       "what the fastest costs: %s", f ? f->evidence : "none");
    ok(am_energy_plot_goals(&source, &plots) && plots.n == 2 && plots.items[0].n == 2 &&
           plots.items[0].series[0].n == 5 && plots.items[0].series[1].n == 3,
       "a panel per work; three of five ways are not beaten in both");
    n = am_energy_front(&run.set, &run.arena, front, 16);
    ok(n == 6 && strcmp(front[2].way, "threads=4") == 0 && strcmp(front[0].scope, "package") == 0 &&
           fabs(front[2].energy->median - 143) < 1 && fabs(front[2].seconds - 2.6) < 0.1,
       "and rows of both works, the fastest first: %zu, %s the last", n, n > 2 ? front[2].way : "");
    am_arena_fini(&run.arena);
    /* each thread does work of its own: fewer are no cheaper way to do the same */
    run = (struct rx_run){0};
    for (int threads = 1; threads <= 16; threads *= 2) {
        char text[32];

        (void)snprintf(text, sizeof(text), "threads=%d", threads);
        rx_add(&run, "cpu.flops", text,
               (const struct rx_metric[]){
                   {"power:package", "W", 10}, {"energy:package", "J", threads}, {0}})
            ->work = (struct am_work){.flops = 1e9 * threads};
    }
    facts = fx_derive(&run, &am_family_energy);
    ok(!am_facts_next(&facts, "energy.least", NULL, NULL), "points of other work are not compared");
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_goals();
    test_power_model();
    test_power_kinds();
    test_best();
    test_devices();
    test_one_launch();
    test_steadiness();
    return tap_done();
}
