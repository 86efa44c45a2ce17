/* SPDX-License-Identifier: MIT */
/* Facts of the OpenMP benches, from runs with known contents. */
#include "family_fixture.h"

#include "fact_fixture.h"

#define USUAL " binding=close places=cores wait=default"

static void put(struct rx_run *run, const char *bench, const char *point, const char *metric,
                double value)
{
    (void)rx_add(run, bench, point, (const struct rx_metric[]){{metric, "s", value}, {0}});
}

static const struct {
    const char *bench, *point, *metric;
    double value;
} rows[] = {
    {"omp.sync", "construct=barrier runtime=libgomp threads=1" USUAL, "overhead", 1e-8},
    {"omp.sync", "construct=barrier runtime=libgomp threads=4" USUAL, "overhead", 4e-7},
    {"omp.sync", "construct=barrier runtime=libgomp threads=2" USUAL, "overhead", 2e-7},
    {"omp.sync", "construct=barrier runtime=libomp threads=2" USUAL, "overhead", 3e-7},
    {"omp.sync", "construct=parallel_for runtime=libomp threads=4" USUAL, "overhead", 3e-6},
    {"omp.sync", "construct=parallel_for runtime=libgomp threads=1" USUAL, "overhead", 3e-6},
    {"omp.sync", "construct=atomic_add_f64 runtime=libomp threads=2" USUAL, "overhead", -1e-9},
    {"omp.sync", "construct=doacross runtime=libomp threads=2" USUAL, "overhead", 1e-6},
    {"omp.sync", "construct=single runtime=libomp threads=2 binding=none wait=default", "overhead",
     1e-6},
    {"omp.sync", "construct=critical runtime=libomp threads=2 binding=close wait=passive",
     "overhead", 1e-6},
    {"omp.sched", "schedule=dynamic chunk=1 body=100 runtime=libgomp threads=2" USUAL, "overhead",
     1024e-8},
    {"omp.sched", "schedule=dynamic chunk=16 body=100 runtime=libgomp threads=2" USUAL, "overhead",
     300e-8},
    {"omp.sched", "schedule=dynamic chunk=64 body=100 runtime=libgomp threads=2" USUAL, "overhead",
     16e-8},
    {"omp.sched", "schedule=static chunk=512 body=100 runtime=libgomp threads=2" USUAL, "overhead",
     5e-8},
    {"omp.sched", "schedule=dynamic chunk=1 body=100 runtime=libomp threads=2" USUAL, "overhead",
     9e-6},
    {"omp.start", "event=parallel runtime=libomp threads=2" USUAL, "first", 9e-4},
    {"omp.start", "event=task runtime=libgomp threads=2" USUAL, "first", 7e-5},
    {"omp.task", "construct=task_inline tasks=1024 body=300 runtime=libgomp threads=2" USUAL,
     "overhead", 1e-8},
    {"omp.task", "construct=task_deferred tasks=1024 body=300 runtime=libgomp threads=1" USUAL,
     "overhead", 2e-7},
    {"omp.task", "construct=task_deferred tasks=1024 body=300 runtime=libgomp threads=2" USUAL,
     "overhead", 3e-7},
    {"omp.task", "construct=depend_chain tasks=1024 body=300 runtime=libomp threads=2" USUAL,
     "overhead", 1e-6},
    {"omp.task", "construct=parallel_task tasks=1024 body=300 runtime=libomp threads=2" USUAL,
     "deferred_share", 0.25},
    {"omp.task", "construct=task_stolen tasks=16 body=300 runtime=libgomp threads=2" USUAL,
     "overhead", 1e-6},
    {"omp.array", "clause=copyin elements=1 runtime=libgomp threads=2" USUAL, "beyond_parallel",
     1e-6},
    {"omp.array", "clause=copyin elements=501 runtime=libgomp threads=2" USUAL, "beyond_parallel",
     9e-6},
    {"omp.array", "clause=copyin elements=1001 runtime=libgomp threads=2" USUAL, "beyond_parallel",
     3e-6},
    {"omp.array", "clause=firstprivate elements=1 runtime=libomp threads=2" USUAL,
     "beyond_parallel", 2e-6},
    {"omp.array", "clause=firstprivate elements=729 runtime=libomp threads=2" USUAL,
     "beyond_parallel", 1e-6},
    {"omp.array", "clause=private elements=1 runtime=libomp threads=2" USUAL, "beyond_parallel",
     1e-6},
    {"omp.array", "clause=private elements=729 runtime=libomp threads=2" USUAL, "beyond_parallel",
     2e-6},
};

static const struct {
    const char *name, *where;
    double value; /* NAN: nothing may be said */
} wanted[] = {
    {"openmp.overhead", "runtime=libgomp construct=barrier", 4e-7},
    {"openmp.overhead", "runtime=libgomp construct=barrier threads=4", 4e-7},
    {"openmp.overhead", "runtime=libomp construct=barrier", 3e-7},
    {"openmp.overhead", "runtime=libomp construct=parallel_for", 3e-6},
    {"openmp.break_even", "runtime=libomp threads=4", 4e-6},
    {"openmp.break_even", "runtime=libgomp", NAN}, /* one thread never breaks even */
    {"openmp.overhead", "runtime=libomp construct=atomic_add_f64", -1e-9},
    {"openmp.overhead", "construct=doacross", NAN},
    {"openmp.overhead", "runtime=libomp construct=single", NAN},
    {"openmp.overhead", "runtime=libomp construct=critical", NAN},
    {"openmp.chunk", "runtime=libgomp threads=2", (1024e-8 - 16e-8) / (1024 - 16)},
    {"openmp.chunk", "runtime=libomp", NAN}, /* no coarser chunk was measured */
    {"openmp.start", "runtime=libomp event=parallel", 9e-4},
    {"openmp.start", "runtime=libgomp event=task", 7e-5},
    {"openmp.task", "runtime=libgomp construct=task_inline", 1e-8},
    {"openmp.task", "runtime=libgomp construct=task_deferred", 3e-7},
    {"openmp.task", "construct=task_stolen", NAN},  /* in other rounds than the rest */
    {"openmp.task", "construct=depend_chain", NAN}, /* its metric was not measured */
    {"openmp.task_queued", "runtime=libomp", 0.25},
    /* smallest against largest, not what is between */
    {"openmp.array_rate", "runtime=libgomp clause=copyin", 8000 / 2e-6},
    {"openmp.array_rate", "clause=firstprivate", NAN}, /* it does not grow */
    {"openmp.array_rate", "clause=private", NAN},      /* moves nothing */
};

static void test_facts(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        put(&run, rows[i].bench, rows[i].point, rows[i].metric, rows[i].value);
    facts = fx_derive(&run, &am_family_openmp);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        fx_check(&facts, wanted[i].name, wanted[i].where, wanted[i].value, "OpenMP");
    is_str(am_facts_only(&facts, "openmp.overhead", "runtime=libgomp construct=barrier")->id,
           "openmp.overhead{construct=barrier,runtime=libgomp,threads=4}",
           "the largest team speaks for a construct");
    am_arena_fini(&run.arena);
}

/* What a run varied is never resolved by taking the first. */
static void test_varied(void)
{
    static const char *const delays[] = {"0", "300", "3000"};
    struct rx_run run = {0};
    struct am_facts facts;
    char point[128];

    put(&run, "omp.start", "event=parallel runtime=libomp threads=1" USUAL, "first", 1e-4);
    put(&run, "omp.start", "event=parallel runtime=libomp threads=2" USUAL, "first", 2e-4);
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(point, sizeof(point),
                       "construct=parallel_for delay=%s runtime=libomp threads=2" USUAL, delays[i]);
        put(&run, "omp.sync", point, "overhead", 1e-6 * (double)(i + 1));
        (void)snprintf(point, sizeof(point),
                       "schedule=dynamic chunk=%zu body=%s runtime=libomp threads=2" USUAL,
                       i ? (size_t)1 : (size_t)64, delays[i]);
        put(&run, "omp.sched", point, "overhead", 1e-6 * (double)(i + 1));
    }
    facts = fx_derive(&run, &am_family_openmp);
    fx_check(&facts, "openmp.start", "threads=1", 1e-4, "threads=1,2");
    fx_check(&facts, "openmp.start", "threads=2", 2e-4, "threads=1,2");
    ok(!am_facts_only(&facts, "openmp.start", NULL), "neither stands for both");
    fx_check(&facts, "openmp.overhead", "delay=0", 1e-6, "delay=0,300,3000");
    fx_check(&facts, "openmp.overhead", "delay=300", 2e-6, "delay=0,300,3000");
    fx_check(&facts, "openmp.break_even", "delay=3000", 6e-6, "delay=0,300,3000");
    ok(!am_facts_only(&facts, "openmp.overhead", "construct=parallel_for"),
       "none stands for all three");
    fx_check(&facts, "openmp.chunk", NULL, NAN, "two bodies");
    ok(facts.n_remarks == 1 && strstr(facts.remarks[0].text, "body=300, 3000"), "is told: %s",
       facts.n_remarks ? facts.remarks[0].text : "");
    am_arena_fini(&run.arena);
}

/* ---- growth ---- */

/* Sixteen CPUs, four below each last cache, eight in each package: 200 ns, 100 more with every
 * doubling, 300 beyond a cache and 500 beyond a package. */
static void put_teams(struct rx_run *run, const char *construct, double off)
{
    static const double teams[] = {2, 3, 4, 5, 6, 8, 12, 16};

    for (size_t i = 0; i < sizeof(teams) / sizeof(*teams); i++) {
        const double p = teams[i];
        const double ns = 200 + 100 * log2(p) + (p > 4 ? 300 : 0) + (p > 8 ? 500 : 0);

        put(run, "omp.sync",
            am_arena_printf(&run->arena, "construct=%s runtime=libomp threads=%.0f" USUAL,
                            construct, p),
            "overhead", 1e-9 * ns * (i % 2 ? 1 + off : 1));
    }
}

/* 3 us and 40 ns per chunk of a thread; as many elements as fit twice into 32 KiB at 1 ns, more of
 * them at 3 ns. */
static void put_chunks_and_sizes(struct rx_run *run)
{
    static const double chunks[] = {1, 2, 4, 16, 64, 1024};
    static const double elements[] = {1, 27, 243, 729, 2187, 6561, 19683};

    for (size_t i = 0; i < sizeof(chunks) / sizeof(*chunks); i++)
        put(run, "omp.sched",
            am_arena_printf(&run->arena,
                            "schedule=dynamic chunk=%.0f body=100 runtime=libomp threads=4" USUAL,
                            chunks[i]),
            "overhead", i < 5 ? 3e-6 + 4e-8 * 1024 / chunks[i] : 9e-5 /* left unbalanced */);
    for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++)
        put(run, "omp.array",
            am_arena_printf(&run->arena,
                            "clause=copyin elements=%.0f runtime=libomp threads=4" USUAL,
                            elements[i]),
            "overhead", 2e-6 + 1e-9 * elements[i] + 2e-9 * fmax(0, elements[i] - 2048));
}

static void test_growth(void)
{
    static const struct {
        const char *name, *where;
        double value;
    } terms[] = {{"openmp.growth_base", "construct=barrier", 2e-7},
                 {"openmp.growth_doubling", "construct=barrier", 1e-7},
                 {"openmp.growth_step", "construct=barrier beyond=4", 3e-7},
                 {"openmp.growth_step", "construct=barrier beyond=8", 5e-7},
                 {"openmp.chunk_base", "runtime=libomp threads=4", 3e-6},
                 {"openmp.chunk_each", "runtime=libomp threads=4", 4e-8},
                 {"openmp.size_base", "clause=copyin", 2e-6},
                 {"openmp.size_each", "clause=copyin", 1e-9},
                 {"openmp.size_more", "clause=copyin beyond=2048", 2e-9}};
    struct rx_run run = {0};
    struct am_facts facts;

    put_teams(&run, "barrier", 0);
    put_teams(&run, "single", 2); /* every other team three times as slow: no such law */
    put_chunks_and_sizes(&run);
    am_kvs_add(&run.set.machine, &run.arena, "l1d_bytes", "32768");
    am_kvs_add(&run.set.machine, &run.arena, "threads", "16");
    am_kvs_add(&run.set.machine, &run.arena, "pairs.core", "0");
    am_kvs_add(&run.set.machine, &run.arena, "pairs.cache", "24");
    am_kvs_add(&run.set.machine, &run.arena, "pairs.package", "32");
    facts = fx_derive(&run, &am_family_openmp);
    for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++) {
        const struct am_fact *const f = am_facts_only(&facts, terms[i].name, terms[i].where);

        ok(f && fabs(f->value / terms[i].value - 1) < 0.01 && f->ci.lo <= f->value &&
               f->ci.hi >= f->value,
           "%s{%s} is %g s", terms[i].name, terms[i].where, terms[i].value);
    }
    ok(!am_facts_only(&facts, "openmp.growth_base", "construct=single"),
       "overheads that follow no such law have no terms");
    am_arena_fini(&run.arena);
}

static void test_gaps(void)
{
    static const struct {
        double gap_us, us;
    } after[] = {{0, 4}, {10, 4.2}, {100, 5}, {1000, 7.9}, {10000, 170}};
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;

    for (size_t i = 0; i < sizeof(after) / sizeof(*after); i++)
        put(&run, "omp.region",
            am_arena_printf(&run.arena,
                            "gap=%.0f team=fixed imbalance=0 crowd=1 spin=auto runtime=libgomp "
                            "threads=16 binding=auto places=auto wait=auto work=3000",
                            after[i].gap_us),
            "overhead", 1e-6 * after[i].us);
    facts = fx_derive(&run, &am_family_openmp);
    f = am_facts_only(&facts, "openmp.gap_limit", "runtime=libgomp threads=16");
    ok(f && fabs(f->value - 1e-2) < 1e-9 && fabs(f->ci.lo - 1e-3) < 1e-9,
       "regions become dearer between the gaps that show it");
    am_arena_fini(&run.arena);
}

enum { VALUES = 20 };

/* Launches of twenty values each: as even as can be, with one outlier, with two, scattered, even
 * again; and one that is scattered because others were busy. */
static void test_runs(void)
{
    struct rx_run run = {0};
    static double values[6][VALUES];
    static struct am_launch_values launches[6];
    struct am_series *series;
    struct am_facts facts;
    const struct am_fact *f;

    put(&run, "omp.sync", "construct=for runtime=libomp threads=2" USUAL, "time", 1);
    put(&run, "mem.line", "size=64 runtime=libomp", "time", 1);
    series = &run.set.results[0].metrics[0].series;
    for (size_t l = 0; l < 6; l++) {
        for (size_t i = 0; i < VALUES; i++)
            values[l][i] = l % 2 == 0 || l < 3 ? 100 + (double)(i % 2) : 100 * (double)(1 + i % 2);
        launches[l] = (struct am_launch_values){.values = values[l], .n = VALUES, .busy = l == 5};
    }
    values[1][5] = 120;
    values[2][5] = values[2][6] = 200;
    *series = (struct am_series){launches, 6};
    facts = fx_derive(&run, &am_family_openmp);
    ok(facts.n == 3, "a runtime's runs have three facts, and other benches none");
    f = am_facts_only(&facts, "openmp.runs_outliers", "runtime=libomp");
    ok(f && f->value == 1.0 / 100, "two equal outliers in twenty hide each other, one shows");
    f = am_facts_only(&facts, "openmp.runs_clean", "runtime=libomp");
    ok(f && f->value == 0.6, "three launches of five are clean");
    is_str(f ? f->evidence : NULL, "3 of 5", "with its counts, the busy one left out");
    ok(f && f->ci.lo > 0.1 && f->ci.lo < 0.2 && f->ci.hi > 0.9, "and an interval of a share");
    f = am_facts_only(&facts, "openmp.runs_sigma", "runtime=libomp");
    ok(f && f->value > 0.03, "the deviation is that of the middle launch");
    for (size_t l = 0; l < 6; l++)
        launches[l].n = 10;
    facts = fx_derive(&run, &am_family_openmp);
    ok(facts.n == 1, "launches of ten values have a deviation, and no outlier could show");
    am_arena_fini(&run.arena);
}

/* ---- guidelines ---- */

static void said(const struct am_facts *facts, const char *id, const char *words)
{
    const char *const text = fx_said(&am_family_openmp, id, facts);

    ok(*words ? strstr(text, words) != NULL : !*text, "%s: %s (%s)", id, *words ? words : "nothing",
       text);
}

/* Sets the interval of the fact that was offered last. */
static void interval(struct am_facts *facts, double lo, double hi, double coverage)
{
    facts->items[facts->n - 1].ci = (struct am_interval){lo, hi, coverage};
}

static void check_equivalent(struct am_facts *facts)
{
    fx_fact(facts, "openmp.overhead", "runtime=libomp construct=critical_contended threads=4", "s",
            200e-9);
    said(facts, "openmp.equivalent", ""); /* nothing to compare with */
    fx_fact(facts, "openmp.overhead", "runtime=libomp construct=atomic_add_f64 threads=4", "s",
            50e-9);
    said(facts, "openmp.equivalent",
         "libomp: protect an addition by atomic, 50.0 ns against 200 ns");
    interval(facts, 30e-9, 190e-9, 0.95);
    said(facts, "openmp.equivalent", "Not decided. libomp: not decided between atomic");
    fx_fact(facts, "openmp.overhead", "runtime=libgomp construct=critical_contended threads=4", "s",
            100e-9);
    fx_fact(facts, "openmp.overhead", "runtime=libgomp construct=lock_contended threads=4", "s",
            40e-9);
    said(facts, "openmp.equivalent", "; libgomp: protect an addition by a lock");
}

static void check_schedule(struct am_facts *facts)
{
    fx_fact(facts, "openmp.chunk", "runtime=libomp threads=4", "s", 80e-9);
    said(facts, "openmp.schedule", "costs 80.0 ns");
    said(facts, "openmp.schedule", "chunks of 808 ns at least");
    interval(facts, -5e-9, 90e-9, 0.95);
    said(facts, "openmp.schedule", "Not decided. libomp: what a chunk of a dynamic loop costs");
}

static void check_wait(struct am_facts *facts)
{
    fx_fact(facts, "openmp.wait_ratio", "runtime=libomp threads=4", "", 6);
    said(facts, "openmp.wait", "OMP_WAIT_POLICY=active where every thread has a core");
    interval(facts, 0.95, 1.1, 0.95);
    said(facts, "openmp.wait", "hardly matters");
    interval(facts, 0.95, 4, 0.95);
    said(facts, "openmp.wait", "Not decided. libomp: with passive a region takes between");
}

static void check_gap(struct am_facts *facts)
{
    fx_fact(facts, "openmp.region", "runtime=libomp gap=100 threads=4", "s", 3e-6);
    said(facts, "openmp.gap", ""); /* nothing to compare with */
    fx_fact(facts, "openmp.region", "runtime=libomp gap=0 threads=4", "s", 2e-6);
    fx_fact(facts, "openmp.region", "runtime=libgomp gap=0 threads=4", "s", 2e-6);
    fx_fact(facts, "openmp.region", "runtime=libomp gap=1000 threads=4", "s", 40e-6);
    said(facts, "openmp.gap",
         "libomp: after 1000 us of serial work a region costs 40 us, 2 at once");
    interval(facts, 1.9e-6, 2.1e-6, 0.95);
    said(facts, "openmp.gap", "libomp: serial work of up to 1000 us makes no region dearer");
    interval(facts, 1e-6, 9e-6, 0.95);
    said(facts, "openmp.gap", "Not decided. libomp: whether a region after 1000 us");
}

static void check_estimate(struct am_facts *facts)
{
    said(facts, "openmp.estimate", "");
    fx_fact(facts, "openmp.overhead", "runtime=libomp construct=parallel threads=4", "s", 600e-9);
    fx_fact(facts, "openmp.overhead", "runtime=libomp construct=barrier threads=4", "s", 200e-9);
    said(facts, "openmp.estimate", "libomp: parallel 600 ns, barrier 200 ns.");
    interval(facts, -10e-9, 500e-9, 0.95);
    said(facts, "openmp.estimate", "libomp: parallel 600 ns."); /* not told from zero */
    fx_fact(facts, "openmp.break_even", "runtime=libomp threads=4", "s", 1e-6);
    said(facts, "openmp.estimate", "a loop of less than 990 ns is faster serially");
}

static void test_guidelines(void)
{
    struct am_arena arena = {0};
    struct am_facts facts = {.arena = &arena};

    for (const struct am_guideline_rule *r = am_family_openmp.guidelines; r->id; r++)
        said(&facts, r->id, "");
    check_equivalent(&facts);
    check_schedule(&facts);
    check_wait(&facts);
    check_gap(&facts);
    check_estimate(&facts);
    am_arena_fini(&arena);
}

static void test_wait(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;

    put(&run, "omp.sync", "construct=parallel runtime=libomp threads=4 binding=close wait=passive",
        "time", 6e-6);
    put(&run, "omp.sync", "construct=parallel runtime=libomp threads=4 binding=close wait=active",
        "time", 2e-6);
    put(&run, "omp.sync", "construct=parallel runtime=libomp threads=2 binding=close wait=active",
        "time", 1e-6);
    facts = fx_derive(&run, &am_family_openmp);
    f = am_facts_only(&facts, "openmp.wait_ratio", "runtime=libomp threads=4");
    ok(f && fabs(f->value - 3) < 0.1, "a sleeping team takes three times as long");
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_guidelines();
    test_wait();
    test_facts();
    test_varied();
    test_runs();
    test_growth();
    test_gaps();
    return tap_done();
}
