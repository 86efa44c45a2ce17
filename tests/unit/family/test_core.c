/* SPDX-License-Identifier: MIT */
/* The family of cores: clock, peaks, streams, gains by SMT, speed-ups, guidelines, from made-up
 * results. */
#include "family/families.h"

#include "base/rng.h"
#include "fact_fixture.h"
#include "tap.h"

#include <math.h>

/* Launches differ by a thousandth. */
static void add(struct rx_run *run, const char *bench, const char *text, const char *metric,
                const char *unit, double value)
{
    (void)rx_add(run, bench, text, (const struct rx_metric[]){{metric, unit, value}, {0}});
}

static struct am_facts derive(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena};

    am_evidence_settle(&run->set);
    am_family_derive(&am_family_core, &run->set, &facts);
    return facts;
}

/* ---- arithmetic ---- */

static const struct {
    const char *text;
    double rate;
} rows[] = {
    {"op=fma type=f64 isa=avx2 streams=1 threads=1 smt=single", 2},
    {"op=fma type=f64 isa=avx2 streams=12 threads=1 smt=single", 16},
    {"op=fma type=f64 isa=avx2 streams=1 threads=2 smt=pair", 3.8},
    {"op=add type=f64 isa=avx2 streams=1 threads=2 smt=pair", 9},
    {"op=fma type=f64 isa=avx2 streams=12 threads=2 smt=pair", 16.8},
    {"op=fma type=f64 isa=avx2 streams=12 threads=2 smt=single", 32},
    {"op=fma type=f64 isa=avx2 streams=12 threads=4 smt=pair", 33},
    {"op=fma type=f32 isa=avx2 streams=12 threads=1 smt=single", 32},
    {"op=fma type=f32 isa=sse2 streams=12 threads=1", 8}, /* before there was such an axis */
};

static const struct {
    const char *name, *where;
    double value; /* 0: there is no such fact */
} wanted[] = {
    {"core.peak", "type=f64 isa=avx2 threads=1", 16},
    {"core.peak", "type=f64 isa=avx2 threads=2", 32},
    {"core.peak", "type=f64 isa=avx2 threads=4", 33},
    {"core.smt_gain", "type=f64 isa=avx2 work=peak", 1.05}, /* one thread keeps the units busy */
    {"core.smt_gain", "type=f64 isa=avx2 work=chain", 1.9}, /* of the same operation */
    {"core.smt_gain", "type=f32 isa=avx2", 0},
    {"core.peak", "type=f32 isa=sse2", 8},
    {"core.smt_gain", "type=f32 isa=sse2", 0},
    {"core.speedup", "type=f64 isa=avx2", 33.0 / 16},
    {"core.speedup", "type=f32", 0},
};

static void check_smt(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        add(&run, "cpu.flops", rows[i].text, "flops", "flop/s", rows[i].rate);
    facts = derive(&run);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const struct am_fact *const f = am_facts_only(&facts, wanted[i].name, wanted[i].where);

        if (wanted[i].value > 0)
            ok(f && fabs(f->value / wanted[i].value - 1) < 0.005 && f->ci.lo <= f->value &&
                   f->value <= f->ci.hi && f->evidence,
               "%s %s is %g", wanted[i].name, wanted[i].where, f ? f->value : NAN);
        else
            ok(!f, "%s %s is not claimed", wanted[i].name, wanted[i].where);
    }
    is_str(am_facts_only(&facts, "core.peak", "type=f64 threads=4")->id,
           "core.peak{type=f64,isa=avx2,threads=4}", "labels tell facts apart");
    ok(am_facts_only(&facts, "core.peak", "threads=4")->kind == AM_FACT_CAPABILITY,
       "a peak is what can be reached");
    am_arena_fini(&run.arena);
}

/* Peaks: fma with 8 streams or more; one thread and two. */
static void check_streams(void)
{
    static const int streams[] = {1, 4, 8, 12};
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;

    for (int threads = 1; threads <= 2; threads++) {
        for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
            const double fma = fmin(streams[i], 8) * 2 * threads;
            char text[96];

            (void)snprintf(text, sizeof(text), "op=fma type=f64 isa=avx2 streams=%d threads=%d",
                           streams[i], threads);
            add(&run, "cpu.flops", text, "flops", "flop/s", fma);
            (void)snprintf(text, sizeof(text), "op=add type=f64 isa=avx2 streams=%d threads=%d",
                           streams[i], threads);
            add(&run, "cpu.flops", text, "flops", "flop/s", fma / 2);
        }
    }
    facts = derive(&run);
    f = am_facts_only(&facts, "core.peak", "threads=1");
    ok(f && fabs(f->value / 16 - 1) < 0.03 && strstr(f->evidence, "op=fma"),
       "the peak of one core is that of fma");
    f = am_facts_only(&facts, "core.streams", "type=f64 isa=avx2");
    ok(f && f->value == 8 && f->ci.lo == 5 && f->ci.hi == 8,
       "8 streams reach it, 4 do not: 5 to 8");
    f = am_facts_only(&facts, "core.peak", "threads=2");
    ok(f && fabs(f->value / 32 - 1) < 0.03, "two threads have a peak of their own");
    ok(!am_facts_only(&facts, "core.smt_gain", NULL), "no pairs, no gain by them");
    am_arena_fini(&run.arena);
}

/* A result that nothing can be concluded from does not stand for the best. */
static void check_grades(void)
{
    static const double wild[] = {1, 90, 2, 80, 3, 70};
    struct rx_run run = {0};
    struct am_facts facts;
    struct am_result *r;

    add(&run, "cpu.flops", "op=fma type=f64 isa=avx2 threads=1", "flops", "flop/s", 16);
    add(&run, "cpu.flops", "op=mix type=f64 isa=avx2 threads=1", "flops", "flop/s", 36);
    r = &run.set.results[1];
    for (size_t i = 0; i < r->metrics[0].series.n; i++)
        r->metrics[0].series.launches[i].values = &wild[i];
    facts = derive(&run);
    is_near(am_facts_value(&facts, "core.peak", NULL), 16, 1e-9, "the best of what is sound");
    run.set.results++;
    run.set.n = 1;
    facts = derive(&run);
    ok(facts.n == 0 && facts.n_remarks > 0 && strstr(facts.remarks[0].text, "core.peak"),
       "doubtful evidence alone concludes nothing, and says so");
    am_arena_fini(&run.arena);
}

/* What an application executed is evidence of what cores can do. */
static void check_executed(void)
{
    static const char app[] = "variant=slice type=f32 isa=avx2 threads=1";
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;
    struct am_result *r;

    add(&run, "cpu.flops", "op=fma type=f32 isa=avx2 threads=1", "flops", "flop/s", 116e9);
    add(&run, "cpu.flops", "op=mix type=f32 isa=avx2 threads=1", "flops", "flop/s", 140e9);
    add(&run, "cpu.flops", "op=fma type=f32 isa=avx2 threads=2", "flops", "flop/s", 232e9);
    facts = derive(&run);
    is_near(am_facts_value(&facts, "core.peak", "threads=1") / 1e9, 140, 1e-6,
            "a peak is the best of fma and mix");
    r = rx_add(&run, "app.stencil", app,
               (const struct rx_metric[]){
                   {"flops", "flop/s", 500e9}, {"executed_flops", "flop/s", 161e9}, {0}});
    facts = derive(&run);
    f = am_facts_only(&facts, "core.peak", "threads=1");
    ok(f && fabs(f->value / 161e9 - 1) < 1e-6 && strstr(f->evidence, "app.stencil") &&
           strstr(f->evidence, "op=mix") && f->grading.grade == AM_GRADE_A && f->ci.hi > f->ci.lo,
       "an application that executed more is the evidence: %s", f ? f->evidence : "");
    is_near(am_facts_value(&facts, "core.peak", "threads=2") / 1e9, 232, 1e-6,
            "of its own threads only, and by what it executed only");
    r->metrics[1].series.n = 1;
    facts = derive(&run);
    is_near(am_facts_value(&facts, "core.peak", "threads=1") / 1e9, 140, 1e-6,
            "one launch of it raises nothing");
    ok(facts.n_remarks == 1 && strstr(facts.remarks[0].text, "161") &&
           strstr(facts.remarks[0].text, "140"),
       "and is remarked: %s", facts.n_remarks ? facts.remarks[0].text : "");
    r->metrics[1].series.n = RX_LAUNCHES;
    r->bench = "app.blackscholes";
    facts = derive(&run);
    ok(am_facts_value(&facts, "core.peak", "threads=1") < 141e9 && facts.n_remarks == 0,
       "operations that are only counted, not executed, are no evidence");
    am_arena_fini(&run.arena);
}

/* Loads at the store's first byte, and behind it. */
static void check_forward(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    add(&run, "cpu.forward", "store=8 load=4 offset=0", "cycles", "cycle", 5);
    add(&run, "cpu.forward", "store=8 load=4 offset=4", "cycles", "cycle", 6);
    add(&run, "cpu.forward", "store=8 load=8 offset=4", "cycles", "cycle", 19);
    facts = derive(&run);
    is_near(am_facts_value(&facts, "core.forward", "store=8 load=4"), 5, 0.1, "at its first byte");
    is_near(am_facts_value(&facts, "core.forward_at", "store=8 load=4 offset=4"), 6, 0.1,
            "within the store");
    is_near(am_facts_value(&facts, "core.forward_at", "store=8 load=8 offset=4"), 19, 0.2,
            "beyond it");
    am_arena_fini(&run.arena);
}

/* Of each type the best instruction counts, by each number of threads. */
static void check_narrow(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;

    add(&run, "cpu.dot", "instr=tdpbssd threads=1", "rate", "op/s", 2e12);
    add(&run, "cpu.dot", "instr=vpdpbusd_zmm threads=1", "rate", "op/s", 3e11);
    add(&run, "cpu.dot", "instr=vpdpbusd_zmm threads=2", "rate", "op/s", 5e11);
    add(&run, "cpu.dot", "instr=vfmadd231ph_zmm threads=1", "rate", "op/s", 1e11);
    facts = derive(&run);
    f = am_facts_only(&facts, "core.narrow_peak", "type=i8 threads=1");
    ok(f && fabs(f->value / 4e12 - 1) < 0.02 && strstr(f->evidence, "tdpbssd") &&
           f->kind == AM_FACT_CAPABILITY,
       "bytes by tiles: %g", f ? f->value : NAN);
    is_near(am_facts_value(&facts, "core.narrow_peak", "type=i8 threads=2") / 1e12, 1, 0.02,
            "by two threads another instruction");
    is_near(am_facts_value(&facts, "core.narrow_peak", "type=f16") / 1e11, 2, 0.02,
            "half precision");
    am_arena_fini(&run.arena);
}

/* ---- clock and cores ---- */

static void check_clock(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct rx_metric flops[] = {
        {"flops", "flop/s", 48e9}, {"flops_per_cycle", "flop/cycle", 16}, {NULL, NULL, 0}};
    const struct rx_metric chase[] = {
        {"latency", "s", 2e-9}, {"cycles", "cycle", 6.2}, {NULL, NULL, 0}};

    (void)rx_add(&run, "cpu.flops", "type=f64 threads=1", flops);
    (void)rx_add(&run, "mem.latency", "size=4096 chains=1", chase);
    (void)rx_add(&run, "mem.latency", "size=4096 chains=8", flops);
    am_kvs_add(&run.set.environment, &run.arena, "frequency_max_khz", "2500000");
    facts = derive(&run);
    is_near(am_facts_value(&facts, "core.clock", NULL) / 1e9, 3.05, 1e-9,
            "the middle of both clocks");
    ok(am_facts_only(&facts, "core.clock", NULL)->contradicts,
       "a clock above the highest that is stated is a contradiction");
    am_arena_fini(&run.arena);
}

static void check_count(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    am_kvs_add(&run.set.machine, &run.arena, "cores", "16");
    add(&run, "cpu.flops", "op=fma type=f64 isa=avx512 threads=1", "flops", "flop/s", 80e9);
    add(&run, "cpu.flops", "op=fma type=f64 isa=avx512 threads=8", "flops", "flop/s", 600e9);
    add(&run, "cpu.flops", "op=fma type=f64 isa=avx512 threads=16", "flops", "flop/s", 640e9);
    facts = derive(&run);
    is_near(am_facts_value(&facts, "core.speedup", "type=f64 isa=avx512 threads=16"), 8, 1e-9,
            "the speed-up of the most threads");
    is_near(am_facts_value(&facts, "core.count", NULL), 8, 1e-9, "cores by their arithmetic");
    ok(am_facts_only(&facts, "core.count", NULL)->contradicts,
       "half of the claimed cores are a contradiction");
    ok(strstr(fx_said(&am_family_core, "cores.effective", &facts), "of 8 cores"),
       "and are told: %s", fx_said(&am_family_core, "cores.effective", &facts));
    run.set.n = 2;
    facts = derive(&run);
    ok(!am_facts_only(&facts, "core.count", NULL),
       "fewer threads than cores say nothing of their number");
    am_arena_fini(&run.arena);
}

static void check_nothing(void)
{
    struct rx_run run = {0};
    struct am_facts facts = derive(&run);

    ok(facts.n == 0, "an empty run shows nothing");
    (void)rx_add(&run, "mem.latency", "size=4096 pattern=random pages=any",
                 (const struct rx_metric[]){{"latency", "s", 1e-9}, {"cycles", "cycle", 3}, {0}});
    facts = derive(&run);
    ok(facts.n == 1 && am_facts_only(&facts, "core.clock", NULL), "one point shows the clock");
    run.set.results[0].state = AM_POINT_FAIL;
    facts = derive(&run);
    ok(facts.n == 0, "unless it failed");
    am_arena_fini(&run.arena);
}

/* ---- guidelines ---- */

static void put_machine(struct am_facts *facts)
{
    fx_fact(facts, "core.peak", "type=f64 isa=avx2 threads=1", "flop/s", 60e9);
    fx_fact(facts, "core.streams", "type=f64 isa=avx2", "", 8);
    fx_fact(facts, "core.peak", "type=f64 isa=scalar threads=1", "flop/s", 15e9);
    fx_fact(facts, "core.peak", "type=f32 isa=avx2 threads=1", "flop/s", 120e9);
    fx_fact(facts, "core.rate", "instr=vdivpd_ymm", "1/cycle", 0.2);
    fx_fact(facts, "core.rate", "instr=vfmadd231pd_ymm", "1/cycle", 2);
}

/* Every rule that compares says so when the intervals of what it compares overlap. */
static void check_undecided(struct am_facts *facts)
{
    static const char *const open[] = {"core.streams", "core.vectors", "core.precision",
                                       "core.division"};

    for (size_t i = 0; i < facts->n; i++) {
        facts->items[i].ci.lo = facts->items[i].value / 50;
        facts->items[i].ci.hi = facts->items[i].value * 50;
    }
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++)
        ok(strstr(fx_said(&am_family_core, open[i], facts), "Not decided"),
           "wide intervals decide nothing: %s", fx_said(&am_family_core, open[i], facts));
}

/* Where vectors and single precision give nothing, that is the advice; a division that is as fast
 * as a multiplication needs none. */
static void check_other_side(void)
{
    struct am_arena arena = {0};
    struct am_facts facts = {.arena = &arena};

    fx_fact(&facts, "core.peak", "type=f64 isa=avx2 threads=1", "flop/s", 15.2e9);
    fx_fact(&facts, "core.peak", "type=f64 isa=scalar threads=1", "flop/s", 15e9);
    fx_fact(&facts, "core.peak", "type=f32 isa=avx2 threads=1", "flop/s", 15.3e9);
    fx_fact(&facts, "core.rate", "instr=vdivpd_ymm", "1/cycle", 2);
    fx_fact(&facts, "core.rate", "instr=vfmadd231pd_ymm", "1/cycle", 2);
    ok(strstr(fx_said(&am_family_core, "core.vectors", &facts), "hardly matter"),
       "vectors that gain nothing");
    ok(strstr(fx_said(&am_family_core, "core.precision", &facts), "gains no arithmetic"),
       "single precision that gains nothing");
    is_str(fx_said(&am_family_core, "core.division", &facts), "", "a division that costs nothing");
    am_arena_fini(&arena);
}

/* A type whose fastest set was not measured with the other type is not compared across sets. */
static void check_one_set(void)
{
    struct am_arena arena = {0};
    struct am_facts facts = {.arena = &arena};

    fx_fact(&facts, "core.peak", "type=f64 isa=avx512 threads=1", "flop/s", 88e9);
    fx_fact(&facts, "core.peak", "type=f32 isa=avx2 threads=1", "flop/s", 155e9);
    is_str(fx_said(&am_family_core, "core.precision", &facts), "", "two sets, two types: nothing");
    fx_fact(&facts, "core.peak", "type=f64 isa=avx2 threads=1", "flop/s", 77.5e9);
    ok(strstr(fx_said(&am_family_core, "core.precision", &facts), "2.0 x the arithmetic of double"),
       "the set that has both is compared: %s", fx_said(&am_family_core, "core.precision", &facts));
    fx_fact(&facts, "core.peak", "type=f32 isa=avx512 threads=1", "flop/s", 180e9);
    ok(strstr(fx_said(&am_family_core, "core.precision", &facts), "with avx512"),
       "and the faster one where both do");
    am_arena_fini(&arena);
}

static void check_guidelines(void)
{
    static const struct {
        const char *id, *words;
    } cases[] = {
        {"core.streams", "at least 8 independent f64 operations of avx2"},
        {"core.vectors", "avx2: 4.0 x the arithmetic of scalar code ("},
        {"core.precision", "2.0 x the arithmetic of double (1.96 to 2.04), with avx2"},
        {"core.division", "20 multiplications"},
    };
    struct am_arena arena = {0};
    struct am_facts facts = {.arena = &arena};
    struct am_fact *gain;

    for (const struct am_guideline_rule *r = am_family_core.guidelines; r->id; r++)
        is_str(fx_said(&am_family_core, r->id, &facts), "", "without facts there is no advice");
    put_machine(&facts);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(strstr(fx_said(&am_family_core, cases[i].id, &facts), cases[i].words), "%s: %s (%s)",
           cases[i].id, cases[i].words, fx_said(&am_family_core, cases[i].id, &facts));
    check_undecided(&facts);
    gain = fx_fact(&facts, "core.smt_gain", "type=f64 isa=avx2 threads=2 work=peak", "", 1.3);
    ok(strstr(fx_said(&am_family_core, "core.smt", &facts), "Use 2 hardware"),
       "a second thread gains");
    gain->value = 1;
    gain->ci = (struct am_interval){0.98, 1.02, 0.95};
    ok(strstr(fx_said(&am_family_core, "core.smt", &facts), "One thread per core"), "or does not");
    gain->ci.hi = 1.5;
    ok(strstr(fx_said(&am_family_core, "core.smt", &facts), "Not decided"), "or is not decided");
    gain->ci.coverage = 0;
    is_str(fx_said(&am_family_core, "core.smt", &facts), "", "one launch is no ground for advice");
    am_arena_fini(&arena);
}

/* ---- sizes ---- */

static const struct am_fact *fact_of(const struct am_facts *facts, const char *name,
                                     const char *where)
{
    return am_facts_only(facts, name, where);
}

/* A pass of cpu.window on a core that hands out six instructions per cycle, in order, into a window
 * of so many places: two chains of 24 divisions of 13 cycles with fillers behind each. */
static double window_cycles(size_t window, size_t fillers)
{
    enum { LINKS = 24, DIVISION = 13, PASSES = 16, RING = 1024 };
    static double retired[RING];
    double now = 0, chains[2] = {0, 0}, last = 0, half = 0;
    size_t n = 0;

    memset(retired, 0, sizeof(retired));
    for (size_t pass = 0; pass < PASSES; pass++) {
        for (size_t i = 0; i < 2 * (LINKS + fillers); i++) {
            const size_t in_half = i % (LINKS + fillers), chain = i / (LINKS + fillers);
            double done;

            now = fmax(now + 1.0 / 6, retired[(n + RING - window) % RING]);
            done = now;
            if (in_half < LINKS)
                done = chains[chain] = fmax(chains[chain], now) + DIVISION;
            last = fmax(last, done);
            retired[n++ % RING] = last;
        }
        half = pass + 1 == PASSES / 2 ? last : half;
    }
    return (last - half) / (PASSES - PASSES / 2);
}

/* Launches of which each may have been disturbed: what disturbs adds up to 60 %. */
static void add_disturbed(struct rx_run *run, const char *text, double cycles, struct am_rng *rng)
{
    struct am_result *const r = rx_add(
        run, "cpu.window", text, (const struct rx_metric[]){{"cycles", "cycle", cycles}, {0}});
    double *const values = am_arena_array(&run->arena, RX_LAUNCHES, sizeof(*values));
    struct am_launch_values *const launches =
        am_arena_array(&run->arena, RX_LAUNCHES, sizeof(*launches));

    r->metrics[0].better = AM_LOWER;
    for (size_t i = 0; i < RX_LAUNCHES; i++) {
        const double more = am_rng_below(rng, 2) ? 0.6 * am_rng_unit(rng) : 0.01 * am_rng_unit(rng);

        values[i] = cycles * (1 + more);
        launches[i] = (struct am_launch_values){.values = &values[i], .n = 1};
    }
    r->metrics[0].series.launches = launches;
}

/* Whether the window that was planted is found: 1; 0: undecided; -1: another one is. */
static int find_window(size_t size, int step, struct am_rng *rng)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;
    int found = 0;

    for (int n = 16; n <= 736; n += step) {
        char text[64];

        (void)snprintf(text, sizeof(text), "filler=zero count=%d", n);
        add_disturbed(&run, text, window_cycles(size, (size_t)n), rng);
    }
    facts = derive(&run);
    f = fact_of(&facts, "core.window", "filler=zero");
    if (f) {
        found = f->ci.lo <= (double)size && f->ci.hi >= (double)size &&
                        fabs(f->value - (double)size) <= step
                    ? 1
                    : -1;
        printf("# %zu in steps of %d: %g (%g to %g)\n", size, step, f->value, f->ci.lo, f->ci.hi);
    }
    am_arena_fini(&run.arena);
    return found;
}

/* The step is found by its middle, in curves as the bench has them and with what disturbs. */
static void check_window_sizes(void)
{
    static const size_t sizes[] = {97, 168, 224, 256, 320, 512, 576};
    static const int steps[] = {2, 4, 8, 24};
    enum { SIZES = sizeof(sizes) / sizeof(sizes[0]), STEPS = sizeof(steps) / sizeof(steps[0]) };
    struct am_rng rng;
    size_t right = 0, wrong = 0;

    am_rng_seed(&rng, 24, 7);
    for (size_t i = 0; i < SIZES; i++) {
        for (size_t k = 0; k < STEPS; k++) {
            const int found = find_window(sizes[i], steps[k], &rng);

            right += found > 0;
            wrong += found < 0;
        }
    }
    ok(wrong == 0, "seven windows in disturbed launches, in steps of 2 to 24: none is wrong");
    ok(right >= STEPS * (SIZES - 1), "and %zu of %d are found (seed 24, 7)", right, STEPS * SIZES);
}

/* Steps that are none. Of stores, chains hold nothing. */
static void check_window(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;

    for (int n = 16; n <= 496; n += 16) {
        char text[64];

        (void)snprintf(text, sizeof(text), "filler=store count=%d", n);
        add(&run, "cpu.window", text, "cycles", "cycle", n > 72 ? 320 + n / 8.0 : 160);
        (void)snprintf(text, sizeof(text), "filler=zero count=%d", n);
        add(&run, "cpu.window", text, "cycles", "cycle", 160 + n / 20.0);
        (void)snprintf(text, sizeof(text), "filler=load count=%d", n);
        add(&run, "cpu.window", text, "cycles", "cycle", n / 16 % 2 ? 320 : 160);
    }
    facts = derive(&run);
    f = fact_of(&facts, "core.window", "filler=store");
    ok(f && f->ci.lo <= 72 && f->ci.hi >= 72, "72 stores are found (%g)", f ? f->value : NAN);
    ok(!fact_of(&facts, "core.window", "filler=zero"), "a slow rise is no step");
    ok(!fact_of(&facts, "core.window", "filler=load"), "nor is what goes up and down");
    ok(facts.n_remarks == 2 && strstr(facts.remarks[0].text, "no clear step"),
       "both are remarked upon");
    am_arena_fini(&run.arena);
}

/* Code rises in several steps, of which the first counts; a pattern costs half of its branches. */
static void check_leaving(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;
    const double codes[] = {0.17, 0.17, 0.168, 0.17, 0.26, 0.27, 0.26, 0.9, 2};

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        char text[64];

        (void)snprintf(text, sizeof(text), "code=%u length=4", 4096u << i);
        add(&run, "cpu.fetch", text, "cycles", "cycle", codes[i]);
        (void)snprintf(text, sizeof(text), "code=%u length=8", 2048u << i);
        add(&run, "cpu.fetch", text, "cycles", "cycle", codes[i]);
        (void)snprintf(text, sizeof(text), "jumps=%u spacing=16", 16u << i);
        add(&run, "cpu.target", text, "cycles", "cycle", i < 3 ? 1 : i < 5 ? 2 : 13);
        (void)snprintf(text, sizeof(text), "jumps=%u spacing=64", 16u << i);
        add(&run, "cpu.target", text, "cycles", "cycle", i < 3 ? 2.1 : 3);
        (void)snprintf(text, sizeof(text), "jumps=%u spacing=32", 16u << i);
        add(&run, "cpu.target", text, "cycles", "cycle", i < 4 ? 0.52 : 1.05);
        (void)snprintf(text, sizeof(text), "period=%u", 1u << 2 * i);
        add(&run, "cpu.branch", text, "cycles", "cycle", i == 0 ? 2 : i < 6 ? 2.6 : 10);
    }
    facts = derive(&run);
    f = fact_of(&facts, "core.targets", "spacing=16 within=1");
    ok(f && f->ci.lo == 64 && f->ci.hi == 128, "64 jumps are followed in a cycle each (%g)",
       f ? f->value : NAN);
    f = fact_of(&facts, "core.targets", "spacing=16 within=4");
    ok(f && f->ci.lo == 256 && f->ci.hi == 512, "256 within four (%g)", f ? f->value : NAN);
    ok(!fact_of(&facts, "core.targets", "spacing=64 within=1") &&
           !fact_of(&facts, "core.targets", "spacing=64 within=4"),
       "where none is, or all are, nothing is said");
    ok(!fact_of(&facts, "core.targets", "spacing=16 within=0.5"),
       "nor of two in a cycle where one is followed");
    f = fact_of(&facts, "core.targets", "spacing=32 within=0.5");
    ok(f && f->ci.lo == 128 && f->ci.hi == 256, "128 are followed by two in a cycle (%g)",
       f ? f->value : NAN);
    f = fact_of(&facts, "core.targets", "spacing=64 within=2");
    ok(f && f->ci.lo == 64 && f->ci.hi == 128, "each distance has its own (%g)",
       f ? f->value : NAN);
    f = fact_of(&facts, "core.fetch", "length=8");
    ok(f && f->ci.lo == 16384 && f->ci.hi == 32768,
       "longer instructions have a curve of their own");
    f = fact_of(&facts, "core.fetch", "length=4");
    ok(f && f->ci.lo <= 32768 && f->ci.hi >= 65536 && f->value < 65536,
       "code of 32 KiB is the last at full speed (%g)", f ? f->value : NAN);
    f = fact_of(&facts, "core.branch_pattern", NULL);
    ok(f && f->ci.lo >= 1024 && f->ci.hi <= 4096, "a pattern of 1024 is remembered (%g)",
       f ? f->value : NAN);
    f = fact_of(&facts, "core.branch_cost", NULL);
    ok(f && fabs(f->value - 16) < 0.1, "a wrong one costs 16 cycles (%g)", f ? f->value : NAN);
    am_arena_fini(&run.arena);
}

int main(void)
{
    check_window();
    check_window_sizes();
    check_leaving();
    check_one_set();
    check_smt();
    check_streams();
    check_grades();
    check_executed();
    check_forward();
    check_narrow();
    check_clock();
    check_count();
    check_nothing();
    check_guidelines();
    check_other_side();
    return tap_done();
}
