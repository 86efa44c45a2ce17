/* SPDX-License-Identifier: MIT */
/* Facts of the OpenMP benches, from runs with known contents. */
#include "model/derive.h"
#include "result_fixture.h"
#include "tap.h"

enum { RESULTS_MAX = 40, PARAMS_MAX = 8, LAUNCHES = 6 };

/* A run made by hand: every launch tells the same. */
struct made {
    struct am_arena arena;
    struct am_result results[RESULTS_MAX];
    struct am_result_metric metrics[RESULTS_MAX];
    struct am_launch_values launches[RESULTS_MAX][LAUNCHES];
    double values[RESULTS_MAX];
    struct am_result_set set;
};

static void put(struct made *m, const char *bench, const char *point, const char *metric,
                double value)
{
    const size_t i = m->set.n++;
    struct am_result *const r = &m->results[i];

    *r = (struct am_result){.bench = bench, .text = point, .state = AM_POINT_OK};
    rx_params(&m->arena, r, point, PARAMS_MAX);
    m->values[i] = value;
    for (size_t l = 0; l < LAUNCHES; l++)
        m->launches[i][l] = (struct am_launch_values){.values = &m->values[i], .n = 1};
    m->metrics[i] = (struct am_result_metric){
        .name = metric, .unit = "s", .series = {.launches = m->launches[i], .n = LAUNCHES}};
    r->metrics = &m->metrics[i];
    r->n_metrics = 1;
    m->set.results = m->results;
}

#define USUAL " binding=close places=cores wait=default"

static void put_all(struct made *m)
{
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
        {"omp.sync", "construct=single runtime=libomp threads=2 binding=none wait=default",
         "overhead", 1e-6},
        {"omp.sync", "construct=critical runtime=libomp threads=2 binding=close wait=passive",
         "overhead", 1e-6},
        {"omp.sched", "schedule=dynamic chunk=1 body=100 runtime=libgomp threads=2" USUAL,
         "overhead", 1024e-8},
        {"omp.sched", "schedule=dynamic chunk=16 body=100 runtime=libgomp threads=2" USUAL,
         "overhead", 300e-8},
        {"omp.sched", "schedule=dynamic chunk=64 body=100 runtime=libgomp threads=2" USUAL,
         "overhead", 16e-8},
        {"omp.sched", "schedule=static chunk=512 body=100 runtime=libgomp threads=2" USUAL,
         "overhead", 5e-8},
        {"omp.sched", "schedule=dynamic chunk=1 body=100 runtime=libomp threads=2" USUAL,
         "overhead", 9e-6},
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
        {"omp.array", "clause=copyin elements=501 runtime=libgomp threads=2" USUAL,
         "beyond_parallel", 9e-6},
        {"omp.array", "clause=copyin elements=1001 runtime=libgomp threads=2" USUAL,
         "beyond_parallel", 3e-6},
        {"omp.array", "clause=firstprivate elements=1 runtime=libomp threads=2" USUAL,
         "beyond_parallel", 2e-6},
        {"omp.array", "clause=firstprivate elements=729 runtime=libomp threads=2" USUAL,
         "beyond_parallel", 1e-6},
        {"omp.array", "clause=private elements=1 runtime=libomp threads=2" USUAL, "beyond_parallel",
         1e-6},
        {"omp.array", "clause=private elements=729 runtime=libomp threads=2" USUAL,
         "beyond_parallel", 2e-6},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        put(m, rows[i].bench, rows[i].point, rows[i].metric, rows[i].value);
}

static const struct {
    const char *id;
    double value; /* NAN: nothing may be said */
} expected[] = {
    {"omp.libgomp.barrier.overhead", 4e-7},
    {"omp.libomp.barrier.overhead", 3e-7},
    {"omp.libomp.parallel_for.overhead", 3e-6},
    {"omp.libomp.loop.break_even", 4e-6},
    {"omp.libgomp.loop.break_even", NAN}, /* one thread never breaks even */
    {"omp.libomp.atomic_add_f64.overhead", -1e-9},
    {"omp.libomp.doacross.overhead", NAN},
    {"omp.libomp.single.overhead", NAN},
    {"omp.libomp.critical.overhead", NAN},
    {"omp.libgomp.dynamic.chunk", (1024e-8 - 16e-8) / (1024 - 16)},
    {"omp.libomp.dynamic.chunk", NAN}, /* no coarser chunk was measured */
    {"omp.libomp.start.parallel", 9e-4},
    {"omp.libgomp.start.task", 7e-5},
    {"omp.libgomp.task.inline", 1e-8},
    {"omp.libgomp.task.deferred", 3e-7},
    {"omp.libgomp.task.stolen", NAN}, /* in other rounds than the rest */
    {"omp.libomp.task.depend", NAN},  /* the metric that the fact is made of was not measured */
    {"omp.libomp.task.queued", 0.25},
    {"omp.libgomp.array.copyin.rate",
     8000 / 2e-6},                               /* smallest against largest, not what is between */
    {"omp.libomp.array.firstprivate.rate", NAN}, /* it does not grow */
    {"omp.libomp.array.private.rate", NAN},      /* moves nothing */
};

enum { VALUES = 20 };

/* Launches of twenty values each: as even as can be, with one outlier, with two, and scattered. */
static void test_runs(void)
{
    static struct made m;
    static double values[4][VALUES];
    struct am_facts facts = {.arena = &m.arena};

    put(&m, "omp.sync", "construct=for runtime=libomp threads=2" USUAL, "time", 1);
    put(&m, "mem.line", "size=64 runtime=libomp", "time", 1);
    for (size_t l = 0; l < 4; l++) {
        for (size_t i = 0; i < VALUES; i++)
            values[l][i] = l < 3 ? 100 + (double)(i % 2) : 100 * (double)(1 + i % 2);
        m.launches[0][l] = (struct am_launch_values){.values = values[l], .n = VALUES};
    }
    values[1][5] = 120;
    values[2][5] = values[2][6] = 200;
    m.metrics[0].series.n = 4;
    am_derive_runs(&m.set, &facts);
    ok(facts.n == 3, "a runtime's runs have three facts, and other benches none");
    ok(am_facts_find(&facts, "omp.libomp.runs.outliers")->value == 1.0 / 80,
       "two equal outliers in twenty hide each other, one shows");
    ok(am_facts_find(&facts, "omp.libomp.runs.clean")->value == 0.5,
       "two launches of four are clean");
    ok(am_facts_find(&facts, "omp.libomp.runs.sigma")->value > 0.04,
       "the deviation is that of the middle launches");
    is_str(am_facts_find(&facts, "omp.libomp.runs.clean")->evidence, "2 of 4", "with its counts");
    am_arena_fini(&m.arena);
}

int main(void)
{
    static struct made m;
    struct am_facts facts = {.arena = &m.arena};

    put_all(&m);
    am_derive_omp(&m.set, &facts);
    am_derive_omp_tasks(&m.set, &facts);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        const struct am_fact *const f = am_facts_find(&facts, expected[i].id);

        if (isnan(expected[i].value)) {
            ok(!f, "nothing is said of %s", expected[i].id);
            continue;
        }
        ok(f && fabs(f->value / expected[i].value - 1) < 1e-9, "%s is %g", expected[i].id,
           expected[i].value);
        ok(f && f->ci.lo <= f->value && f->value <= f->ci.hi && f->evidence && f->what,
           "with an interval and its evidence: %s", f ? f->evidence : "none");
    }
    is_str(am_facts_find(&facts, "omp.libgomp.barrier.overhead")->what,
           "overhead of barrier with 4 threads", "the largest team speaks for a construct");
    am_arena_fini(&m.arena);
    test_runs();
    return tap_done();
}
