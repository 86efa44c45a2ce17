/* SPDX-License-Identifier: MIT */
/* Models of tasks and of main memory: terms that made-up machines have are found again. */
#include "model/derive.h"
#include "model/memory_curve.h"
#include "model/task_curve.h"
#include "report/figures_best.h"
#include "report/figures_task.h"
#include "fact_fixture.h"
#include "tap.h"

#include <math.h>

enum { SIZES = 9, OPTIONS = 1 << 20 };

/* A machine as the two-term model describes it. */
struct truth {
    size_t threads;
    double create, sched, work, round;
    size_t sizes;  /* from 64 options on, doubling */
    double wobble; /* every other time is so much longer */
};

static const struct truth truths[] = {
    {1, 0, 40e-9, 1e-3, 0, SIZES, 0},          {2, 100e-9, 40e-9, 1e-3, 0, SIZES, 0},
    {8, 200e-9, 300e-9, 4e-3, 0, SIZES, 0},    {8, 200e-9, 300e-9, 4e-3, 0, SIZES, 0.01},
    {16, 500e-9, 50e-9, 2e-3, 5e-6, SIZES, 0},
};

static double time_of(const struct truth *m, double tasks)
{
    const double p = (double)m->threads;
    const double run = ceil(tasks / p) * (m->work / tasks + m->sched);

    return fmax(tasks * (m->threads > 1 ? m->create : 0), run) + m->round;
}

static void make_points(const struct truth *m, struct am_task_point *points)
{
    for (size_t i = 0; i < m->sizes; i++) {
        const double size = (double)(64 << i), tasks = OPTIONS / size;

        points[i] =
            (struct am_task_point){size, tasks, time_of(m, tasks) * (i % 2 ? 1 + m->wobble : 1)};
    }
}

static void check_fits(void)
{
    for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++) {
        const struct truth *const m = &truths[i];
        const double allowed = m->wobble > 0 ? 0.1 : 1e-6;
        struct am_task_point points[SIZES];
        struct am_task_fit fit, least, most;

        make_points(m, points);
        if (!ok(am_task_fit(points, m->sizes, m->threads, &fit), "%zu threads are fitted",
                m->threads))
            continue;
        ok(fit.rms <= m->wobble + 1e-9 && fit.worst >= fit.rms, "off by %.2g, at most %.2g",
           fit.rms, fit.worst);
        is_near(fit.work / m->work, 1, allowed, "its work is found");
        if (m->threads > 1 && fit.limited)
            is_near(fit.create / m->create, 1, allowed, "what creating costs is found");
        ok(am_task_fit_range(points, m->sizes, m->threads, &least, &most) &&
               least.work <= fit.work * 1.001 && most.work >= fit.work * 0.999,
           "the range without one size holds it");
    }
}

static void check_simple(void)
{
    struct am_task_point points[SIZES];
    struct am_task_simple simple;

    make_points(&truths[0], points);
    ok(am_task_simple(points, SIZES, 1, &simple), "the thesis's model takes one thread");
    is_near(simple.t / 40e-9, 1, 1e-6, "t is the cost of a task");
    is_near(simple.compute / 1e-3, 1, 1e-6, "T_c is the work");
    is_near(am_task_simple_time(&simple, 100) / (1e-3 + 100 * 40e-9), 1, 1e-6, "and predicts");
    ok(!am_task_simple(points, 2, 1, &simple) &&
           !am_task_fit(points, 2, 1, &(struct am_task_fit){0}),
       "two sizes are too few for either");
    ok(!am_task_simple(points, SIZES, 100000, &simple),
       "so are sizes with fewer tasks than threads");
}

/* Tasks of 1 us and 1 us of overhead run at half speed. */
static void check_metg(void)
{
    struct am_task_point points[SIZES];
    struct truth m = {.threads = 1, .sched = 1e-6, .work = 1e-2, .sizes = SIZES};
    struct am_task_metg metg;

    make_points(&m, points);
    metg = am_task_metg(points, SIZES, 1, 0.5);
    ok(metg.value > 1.4e-6 && metg.value < 2.8e-6 && metg.lo < metg.value && metg.value < metg.hi,
       "tasks at half speed take twice their work: %.3g s", metg.value);
    metg = am_task_metg(points + 5, SIZES - 5, 1, 0.5);
    ok(metg.lo == 0 && metg.value > 1e-5, "sizes that are all fast give a bound: %.3g s",
       metg.value);
    ok(isnan(am_task_metg(points, 0, 1, 0.5).value), "no sizes give nothing");
}

/* ---- facts ---- */

static void put_curve(struct rx_run *run, const char *isa, const struct truth *m)
{
    for (size_t i = 0; i < m->sizes; i++) {
        const int size = 64 << i;
        const double t = time_of(m, (double)OPTIONS / size);
        char text[256];
        struct am_result *r;

        (void)snprintf(text, sizeof(text),
                       "executor=task:dbf isa=%s type=f32 nx=erf variant=own n=%d task_size=%d "
                       "runtime=own threads=%zu binding=close places=cores wait=default",
                       isa, OPTIONS, size, m->threads);
        r = rx_add(run, "app.blackscholes", text,
                   (const struct rx_metric[]){
                       {"flops", "flop/s", 153.0 * OPTIONS / t}, {"time", "s", t}, {.name = NULL}});
        r->work = (struct am_work){
            .bytes_read = 20.0 * OPTIONS, .bytes_written = 8.0 * OPTIONS, .flops = 153.0 * OPTIONS};
    }
}

static double value_of(const struct am_facts *facts, const char *id)
{
    const struct am_fact *const fact = am_facts_find(facts, id);

    if (!fact)
        printf("# no %s\n", id);
    return fact ? fact->value : NAN;
}

#define CURVE "blackscholes.task-dbf.own.f32.erf.avx2.n1048576.threads8."

static void check_curve_facts(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    struct am_text svg;

    put_curve(&run, "avx2", &truths[2]);
    put_curve(&run, "scalar", &truths[0]);
    am_derive_task(&run.set, &facts);
    is_near(value_of(&facts, CURVE "create") / 200e-9, 1, 0.02, "create is a fact");
    is_near(value_of(&facts, CURVE "sched") / 300e-9, 1, 0.02, "so is sched");
    ok(value_of(&facts, CURVE "residual") < 0.01, "and how far the fit is off");
    is_near(value_of(&facts, CURVE "best_size"), 16384, 0, "the largest tasks are predicted best");
    is_near(value_of(&facts, CURVE "best_size.regret"), 1, 1e-3, "and are");
    ok(value_of(&facts, CURVE "metg50") > 0 && value_of(&facts, CURVE "pmax") > 0 &&
           value_of(&facts, CURVE "t") > 0,
       "METG, P_max and t are facts");
    am_text_init(&svg, 1 << 20);
    ok(am_task_draw(&(struct am_figure_source){&run.set, &facts, &run.arena}, &svg) &&
           strstr(am_text_str(&svg), "task:dbf, n = 1048576, 8 threads") &&
           strstr(am_text_str(&svg), "avx2: two terms, off by"),
       "the curves are drawn, and how far they are off");
    am_text_fini(&svg);
    am_text_init(&svg, 1 << 20);
    ok(am_best_bs_task_sizes(&(struct am_figure_source){&run.set, &facts, &run.arena}, &svg) &&
           strstr(am_text_str(&svg), "n = 1048576") &&
           !am_best_bs_threads(&(struct am_figure_source){&run.set, &facts, &run.arena}, &svg) &&
           !am_best_fft_sizes(&(struct am_figure_source){&run.set, &facts, &run.arena}, &svg),
       "the best by sizes of tasks are drawn; what has one place, or none, is not");
    am_text_fini(&svg);
    am_arena_fini(&run.arena);
}

/* Longer tasks that are faster than work allows: nothing says what a task costs. */
static void check_no_cost(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    const struct truth backwards = {.threads = 1, .sched = -100e-9, .work = 1e-2, .sizes = 6};

    put_curve(&run, "avx2", &backwards);
    am_derive_task(&run.set, &facts);
    ok(!am_facts_find(&facts, "blackscholes.task-dbf.own.f32.erf.avx2.n1048576.threads1.t"),
       "a negative cost is no fact");
    am_arena_fini(&run.arena);
}

#define USUAL " binding=close places=cores wait=default"

static void check_overhead_facts(void)
{
    static const struct {
        const char *text;
        double time;
    } rows[] = {
        {"executor=task:bf shape=loop tasks=1024 runtime=own threads=1" USUAL, 20e-9},
        {"executor=task:bf shape=loop tasks=1 runtime=own threads=1" USUAL, 90e-9},
        {"executor=task:bf shape=chain tasks=1024 runtime=own threads=1" USUAL, 50e-9},
        {"executor=task:bf shape=loop tasks=1024 runtime=own threads=4" USUAL, 60e-9},
        {"executor=task:bf shape=loop tasks=1 runtime=own threads=4" USUAL, 500e-9},
        {"executor=omp-for shape=loop tasks=1024 runtime=libgomp threads=1" USUAL, 5e-9},
    };
    static const struct {
        const char *id;
        double value;
    } wanted[] = {
        {"task.task-bf.own.create", 20e-9},    {"task.task-bf.own.wait", 70e-9},
        {"task.task-bf.own.depend", 30e-9},    {"task.task-bf.own.schedule", 60e-9},
        {"task.task-bf.own.steal", 220e-9},    {"task.task-bf.own.wait.team", 440e-9},
        {"task.omp-for.libgomp.create", 5e-9},
    };
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        (void)rx_add(
            &run, "task.overhead", rows[i].text,
            (const struct rx_metric[]){{"time_per_task", "s", rows[i].time}, {.name = NULL}});
    am_derive_task(&run.set, &facts);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        is_near(value_of(&facts, wanted[i].id) / wanted[i].value, 1, 0.01, wanted[i].id);
    ok(!am_facts_find(&facts, "task.task-bf.own.depend.team") &&
           !am_facts_find(&facts, "task.omp-for.libgomp.schedule"),
       "what was not measured is no fact");
    am_arena_fini(&run.arena);
}

/* Half the speed beyond a cache of 1 MiB; a line of 64 bytes for each 8 operations. */
static void check_memory(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    struct am_text svg;

    am_kvs_add(&run.set.machine, &run.arena, "l3_bytes", "1048576");
    for (int n = 1024; n <= 1024 * 1024; n *= 4) {
        char text[128];
        struct am_result *r;

        (void)snprintf(text, sizeof(text), "executor=serial isa=avx2 type=f64 n=%d threads=1", n);
        r = rx_add(&run, "app.fft", text,
                   (const struct rx_metric[]){{"flops", "flop/s", n * 16 > 1 << 20 ? 5e8 : 1e9},
                                              {.name = NULL}});
        r->work =
            (struct am_work){.bytes_read = 8.0 * n, .bytes_written = 8.0 * n, .flops = 2.0 * n};
    }
    fx_fact(&facts, "memory.latency", "level=memory", "s", 8e-9);
    facts.family = NULL; /* what follows is of old */
    am_derive_task_memory(&run.set, &facts);
    is_near(value_of(&facts, "fft.f64.avx2.rm"), 1.0 / 8, 1e-9, "R_m by bytes");
    is_near(value_of(&facts, "fft.f64.avx2.memory_overhead"), 0.5, 1e-3, "the overhead predicted");
    is_near(value_of(&facts, "fft.f64.avx2.memory_overhead.observed"), 0.5, 1e-3, "and observed");
    is_near(am_memory_overhead(62 / 3.4e9, 0.0025, 40e9), 0.65, 0.01, "as the thesis computes it");
    am_text_init(&svg, 1 << 20);
    ok(am_task_memory_draw(&(struct am_figure_source){&run.set, &facts, &run.arena}, &svg) &&
           strstr(am_text_str(&svg), "app.fft f64 avx2, by bytes: predicted"),
       "both are drawn");
    am_text_fini(&svg);
    am_arena_fini(&run.arena);
}

static void check_nothing(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};
    struct am_text svg;

    am_text_init(&svg, 1 << 20);
    am_derive_task(&run.set, &facts);
    am_derive_task_memory(&run.set, &facts);
    ok(facts.n == 0 &&
           !am_task_draw(&(struct am_figure_source){&run.set, &facts, &run.arena}, &svg) &&
           !am_task_memory_draw(&(struct am_figure_source){&run.set, &facts, &run.arena}, &svg),
       "an empty run has no facts and no pictures");
    am_text_fini(&svg);
    am_arena_fini(&run.arena);
}

int main(void)
{
    check_fits();
    check_simple();
    check_metg();
    check_curve_facts();
    check_no_cost();
    check_overhead_facts();
    check_memory();
    check_nothing();
    return tap_done();
}
