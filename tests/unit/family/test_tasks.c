/* SPDX-License-Identifier: MIT */
/* Models of tasks and of main memory: terms that made-up machines have are found again. */
#include "document/figure/figure.h"
#include "family/plot.h"
#include "family_fixture.h"
#include "fit/task_fit.h"

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
    metg = am_task_metg(points, SIZES, 1, 0.5, 0);
    ok(metg.value > 1.4e-6 && metg.value < 2.8e-6 && metg.lo < metg.value && metg.value < metg.hi,
       "tasks at half speed take twice their work: %.3g s", metg.value);
    metg = am_task_metg(points + 5, SIZES - 5, 1, 0.5, 0);
    ok(metg.lo == 0 && metg.value > 1e-5, "sizes that are all fast give a bound: %.3g s",
       metg.value);
    ok(isnan(am_task_metg(points, 0, 1, 0.5, 0).value), "no sizes give nothing");
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

static double value_of(const struct am_facts *facts, const char *name, const char *where)
{
    const double value = am_facts_value(facts, name, where);

    if (isnan(value))
        printf("# no %s %s\n", name, where);
    return value;
}

/* The first panel of a figure, when it has any. */
static const struct am_plot *plot_of(struct rx_run *run, const struct am_facts *facts,
                                     const char *figure)
{
    const struct am_figure_row *const row = fx_figure(&am_family_tasks, figure);
    const struct am_figure_source source = {.set = &run->set, .facts = facts, .arena = &run->arena};
    struct am_plots plots = {.arena = &run->arena};

    return row->make(&source, &plots) && plots.n ? &plots.items[0] : NULL;
}

/* The first panel of a row that the figure engine makes. */
static const struct am_plot *drawn_of(struct rx_run *run, const struct am_facts *facts,
                                      const char *figure)
{
    const struct am_figure_source source = {.set = &run->set, .facts = facts, .arena = &run->arena};
    const struct am_figure *f = NULL;
    struct am_figures figures;
    struct am_err err = {0};
    const char *nearest;

    if (ok(am_figures_make(&source, &figures, &err) == AM_OK, "figures are made %s", err.text))
        f = am_figures_find(&figures, figure, &nearest);
    return f ? &f->panels[0].plot : NULL;
}

static const struct am_plot_series *line_of(const struct am_plot *plot, const char *label)
{
    for (size_t i = 0; plot && i < plot->n; i++) {
        if (strncmp(plot->series[i].label, label, strlen(label)) == 0)
            return &plot->series[i];
    }
    return NULL;
}

#define CURVE "executor=task:dbf runtime=own type=f32 nx=erf isa=avx2 n=1048576 threads=8"

static void check_curve_facts(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_plot *plot;

    put_curve(&run, "avx2", &truths[2]);
    put_curve(&run, "scalar", &truths[0]);
    facts = fx_derive(&run, &am_family_tasks);
    is_near(value_of(&facts, "tasks.fit_create", CURVE) / 200e-9, 1, 0.02, "create is a fact");
    is_near(value_of(&facts, "tasks.fit_sched", CURVE) / 300e-9, 1, 0.02, "so is sched");
    ok(value_of(&facts, "tasks.fit_residual", CURVE) < 0.01, "and how far the fit is off");
    is_near(value_of(&facts, "tasks.best_size", CURVE), 16384, 0,
            "the largest tasks are predicted best");
    is_near(value_of(&facts, "tasks.best_size_regret", CURVE), 1, 1e-3, "and are");
    ok(value_of(&facts, "tasks.metg50", CURVE) > 0 && value_of(&facts, "tasks.pmax", CURVE) > 0 &&
           value_of(&facts, "tasks.t", CURVE) > 0,
       "METG, P_max and t are facts");
    is_str(am_facts_only(&facts, "tasks.t", CURVE)->id,
           "tasks.t{executor=task:dbf,isa=avx2,type=f32,nx=erf,variant=own,n=1048576,runtime=own,"
           "threads=8,wait=default}",
           "whose labels tell the curve");
    plot = plot_of(&run, &facts, "task-model");
    is_str(plot ? plot->title : NULL, "task:dbf, n = 1048576, 8 threads, wait default",
           "the curves are drawn");
    ok(line_of(plot, "avx2") && line_of(plot, "avx2")->n == SIZES &&
           line_of(plot, "avx2")->unjoined,
       "measured ones as marks");
    ok(line_of(plot, "avx2: two terms, off by") && line_of(plot, "avx2: two terms, off by")->bare &&
           line_of(plot, "avx2: T_c + t tasks") && line_of(plot, "avx2: T_c + t tasks")->dashed,
       "the models as lines, and how far they are off");
    plot = drawn_of(&run, &facts, "blackscholes-task-sizes");
    ok(plot && plot->n == 1 && plot->series[0].n == SIZES &&
           !drawn_of(&run, &facts, "blackscholes-threads") && !drawn_of(&run, &facts, "fft-sizes"),
       "the best by sizes of tasks are drawn; what has one place, or none, is not");
    am_arena_fini(&run.arena);
}

/* The launches of one point, spread evenly by `share` to either side. */
static void spread(struct am_result *r, size_t metric, double share)
{
    struct am_series *const series = &r->metrics[metric].series;

    for (size_t i = 0; i < series->n; i++) {
        double *const values = (double *)series->launches[i].values;

        for (size_t k = 0; k < series->launches[i].n; k++)
            values[k] *= 1 + share * (2.0 * (double)i / (double)(series->n - 1) - 1);
    }
}

/* P_max rests on the largest tasks that give each thread four: 1048576 options are 128 tasks of
 * 8192 for eight threads, and 64 of 16384. A single huge task, of one core, says nothing of it. */
static void check_pmax_interval(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    struct truth m = truths[2];
    const struct am_fact *calm, *after;
    struct am_interval before;

    m.sizes = 15; /* up to one task */
    put_curve(&run, "avx2", &m);
    facts = fx_derive(&run, &am_family_tasks);
    calm = am_facts_only(&facts, "tasks.pmax", CURVE);
    before = calm ? calm->ci : (struct am_interval){NAN, NAN, NAN};
    ok(calm && before.lo <= calm->value && calm->value <= before.hi, "P_max is in its interval");
    spread(&run.set.results[m.sizes - 1], 1, 0.3);
    facts = fx_derive(&run, &am_family_tasks);
    after = am_facts_only(&facts, "tasks.pmax", CURVE);
    ok(after && fabs(after->ci.lo / before.lo - 1) < 1e-9 &&
           fabs(after->ci.hi / before.hi - 1) < 1e-9,
       "one unsteady task of one core does not widen it");
    am_arena_fini(&run.arena);
}

/* Tasks that cost as much as their work, and not the same at each size. */
static void check_pmax_untold(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    for (int size = 64; size <= 1024; size *= 2) {
        char text[256];
        const double tasks = (double)OPTIONS / size,
                     t = tasks * (size == 64 ? 90e-9 : 30e-9) + 1e-5;
        struct am_result *r;

        (void)snprintf(text, sizeof(text),
                       "executor=task:dbf isa=avx2 type=f32 nx=erf variant=own n=%d task_size=%d "
                       "runtime=own threads=8 binding=close places=cores wait=default",
                       OPTIONS, size);
        r = rx_add(&run, "app.blackscholes", text,
                   (const struct rx_metric[]){
                       {"flops", "flop/s", 153.0 * OPTIONS / t}, {"time", "s", t}, {.name = NULL}});
        r->work = (struct am_work){.flops = 153.0 * OPTIONS};
    }
    facts = fx_derive(&run, &am_family_tasks);
    ok(!am_facts_only(&facts, "tasks.pmax", CURVE) && am_facts_only(&facts, "tasks.t", CURVE),
       "where tasks may be all of the time, there is no P_max");
    am_arena_fini(&run.arena);
}

/* A size that was launched once is shown, and fits nothing. */
static void check_grades(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_plot *plot;

    put_curve(&run, "avx2", &truths[2]);
    for (size_t m = 0; m < 2; m++) {
        static const double wrong[] = {1e9, 1};
        struct am_series *const series = &run.set.results[4].metrics[m].series;

        series->launches[0].values = &wrong[m];
        series->n = 1;
    }
    facts = fx_derive(&run, &am_family_tasks);
    is_near(value_of(&facts, "tasks.fit_create", CURVE) / 200e-9, 1, 0.02,
            "the other sizes are fitted");
    ok(strstr(am_facts_only(&facts, "tasks.fit_create", CURVE)->evidence, ": 8 sizes"),
       "as the evidence says");
    plot = plot_of(&run, &facts, "task-model");
    ok(line_of(plot, "avx2") && line_of(plot, "avx2")->n == SIZES, "all are shown");
    for (size_t i = 0; i < run.set.n - 2; i++) /* two sizes are left */
        run.set.results[i].metrics[1].series.n = 1;
    facts = fx_derive(&run, &am_family_tasks);
    ok(facts.n == 0 && facts.n_remarks > 0 && strstr(facts.remarks[0].text, "too few launches"),
       "one launch of most sizes concludes nothing: %s",
       facts.n_remarks ? facts.remarks[0].text : "");
    am_arena_fini(&run.arena);
}

/* Binding is no label of its own: two of them are told apart where both were measured. */
static void check_settings(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    put_curve(&run, "avx2", &truths[2]);
    put_curve(&run, "avx2", &truths[2]);
    for (size_t i = SIZES; i < run.set.n; i++) {
        for (size_t p = 0; p < run.set.results[i].n_params; p++) {
            if (strcmp(run.set.results[i].params[p].name, "binding") == 0)
                run.set.results[i].params[p].text = "spread";
        }
    }
    facts = fx_derive(&run, &am_family_tasks);
    ok(am_facts_only(&facts, "tasks.metg50", CURVE " binding=close") &&
           am_facts_only(&facts, "tasks.metg50", CURVE " binding=spread") &&
           !am_facts_only(&facts, "tasks.metg50", CURVE),
       "two bindings give two facts, never the first");
    am_arena_fini(&run.arena);
}

/* Longer tasks that are faster than work allows: nothing says what a task costs. */
static void check_no_cost(void)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct truth backwards = {.threads = 1, .sched = -100e-9, .work = 1e-2, .sizes = 6};

    put_curve(&run, "avx2", &backwards);
    facts = fx_derive(&run, &am_family_tasks);
    ok(am_facts_next(&facts, "tasks.fit_residual", "threads=1", NULL) &&
           !am_facts_next(&facts, "tasks.t", NULL, NULL),
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
        const char *name, *where;
        double value; /* NAN: nothing may be said */
    } wanted[] = {
        {"tasks.create", "executor=task:bf runtime=own threads=1", 20e-9},
        {"tasks.wait", "executor=task:bf threads=1", 70e-9},
        {"tasks.depend", "executor=task:bf threads=1", 30e-9},
        {"tasks.schedule", "executor=task:bf threads=4", 60e-9},
        {"tasks.sharing", "executor=task:bf threads=4", 220e-9},
        {"tasks.wait", "executor=task:bf threads=4", 440e-9},
        {"tasks.create", "executor=omp-for runtime=libgomp", 5e-9},
        {"tasks.depend", "executor=task:bf threads=4", NAN},
        {"tasks.schedule", "executor=omp-for", NAN},
        {"tasks.create", "executor=task:bf wait=passive", NAN},
    };
    struct rx_run run = {0};
    struct am_facts facts;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        (void)rx_add(&run, "task.overhead", rows[i].text,
                     (const struct rx_metric[]){{"time_per_task", "s", rows[i].time}, {0}});
    facts = fx_derive(&run, &am_family_tasks);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        fx_check(&facts, wanted[i].name, wanted[i].where, wanted[i].value, "empty blocks");
    am_arena_fini(&run.arena);
}

/* Graphs of 1000 tasks on four threads: steps of 1 ns, and so much overhead per task. */
static void put_graph(struct rx_run *run, const char *executor, double overhead)
{
    for (int steps = 16; steps <= 65536; steps *= 4) {
        char text[256];
        const double time = 1000 * (1e-9 * steps + overhead) / 4;
        struct am_result *r;

        (void)snprintf(
            text, sizeof(text),
            "executor=%s pattern=stencil width=10 rows=100 steps=%d runtime=own threads=4 "
            "binding=close places=cores wait=default",
            executor, steps);
        r = rx_add(
            run, "task.graph", text,
            (const struct rx_metric[]){{"flops", "flop/s", 2000.0 * steps / time}, {.name = NULL}});
        r->work = (struct am_work){.flops = 2000.0 * steps, .ops = 1000};
    }
}

/* Half speed is where a task's work is as long as its overhead: the task then takes twice that. */
static void check_graphs(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    put_graph(&run, "quick", 100e-9);
    put_graph(&run, "slow", 2e-6);
    put_graph(&run, "hopeless", 1e-3);
    facts = fx_derive(&run, &am_family_tasks);
    is_near(value_of(&facts, "tasks.graph_metg50", "executor=quick pattern=stencil threads=4") /
                200e-9,
            1, 0.25, "METG of a quick executor");
    is_near(value_of(&facts, "tasks.graph_metg50", "executor=slow") / 4e-6, 1, 0.25,
            "and of a slow one");
    ok(!am_facts_only(&facts, "tasks.graph_metg50", "executor=hopeless") && facts.n_remarks &&
           strstr(facts.remarks[0].text, "hopeless"),
       "one that never reaches half of what others do has none: %s",
       facts.n_remarks ? facts.remarks[0].text : "");
    am_arena_fini(&run.arena);
}

/* Products of 64 rows by tiles of 4 to 64 on two threads: a tile costs what it computes, and the
 * executor's overhead. What runs whole tiles has fewer and longer tasks. */
static void put_products(struct rx_run *run, const char *executor, double overhead, bool whole)
{
    for (int tile = 4; tile <= 64; tile *= 2) {
        const double tiles = 64.0 / tile, tasks = whole ? tiles * tiles : tiles * tiles * tiles;
        const double flops = 2.0 * 64 * 64 * 64, time = (flops * 1e-9 + tasks * overhead) / 2;
        char text[256], blocks[32];
        struct am_result *r;

        (void)snprintf(text, sizeof(text),
                       "executor=%s isa=avx2 type=f64 variant=own n=64 task_size=%d runtime=own "
                       "threads=2 binding=close places=cores wait=default",
                       executor, tile);
        (void)snprintf(blocks, sizeof(blocks), "%.0f", tasks);
        r = rx_add(run, "app.gemm", text,
                   (const struct rx_metric[]){{"flops", "flop/s", flops / time}, {.name = NULL}});
        r->work = (struct am_work){.flops = flops, .ops = 64 * 64};
        am_kvs_add(&r->chosen, &run->arena, "blocks", blocks);
    }
}

static void check_applications(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    put_products(&run, "quick", 1e-9, false);
    put_products(&run, "slow", 2e-6, false);
    put_products(&run, "whole", 2e-6, true);
    put_products(&run, "hopeless", 1e-2, false);
    facts = fx_derive(&run, &am_family_tasks);
    ok(am_facts_only(&facts, "tasks.app_metg50", "app=gemm executor=quick") &&
           am_facts_only(&facts, "tasks.app_metg50", "app=gemm executor=quick")->ci.lo <= 0,
       "an executor that costs nothing has a bound only");
    is_near(value_of(&facts, "tasks.app_metg50", "app=gemm executor=slow n=64 threads=2") / 4e-6, 1,
            0.3, "half speed is where a task takes twice its overhead");
    is_near(value_of(&facts, "tasks.app_metg50", "executor=whole") / 4e-6, 1, 0.3,
            "of tasks as the executor had them");
    ok(!am_facts_only(&facts, "tasks.app_metg50", "executor=hopeless") && facts.n_remarks,
       "one that never reaches half of what others do has none");
    am_arena_fini(&run.arena);
}

/* Half the speed beyond a cache of 1 MiB; a line of 64 bytes for each 8 operations. */
static void check_memory(void)
{
    static const char where[] = "app=fft type=f64 isa=avx2";
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena, .family = "memory"};
    struct am_fact latency = {
        .name = "latency", .what = "x", .unit = "s", .value = 8e-9, .evidence = "x"};
    struct am_fact bandwidth = {
        .name = "bandwidth", .what = "x", .unit = "B/s", .value = 4e9, .evidence = "x"};
    const struct am_plot *plot;

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
    latency.ci = (struct am_interval){7e-9, 9e-9, 0.95};
    am_fact_label(&latency, &run.arena, "level", AM_AXIS_NAME, "memory");
    am_facts_offer(&facts, latency);
    /* 8 bytes per operation: at 4 GB/s 2 ns beside 1 ns of work */
    bandwidth.ci = (struct am_interval){3.9e9, 4.1e9, 0.95};
    am_fact_label(&bandwidth, &run.arena, "level", AM_AXIS_NAME, "memory");
    am_fact_label(&bandwidth, &run.arena, "threads", AM_AXIS_INT, "1");
    am_facts_offer(&facts, bandwidth);
    am_evidence_settle(&run.set);
    am_family_derive(&am_family_tasks, &run.set, &facts);
    is_near(value_of(&facts, "tasks.rm", where), 1.0 / 8, 1e-9, "R_m by bytes");
    is_near(value_of(&facts, "tasks.memory_overhead", where), 0.5, 1e-3, "the overhead predicted");
    ok(am_facts_only(&facts, "tasks.memory_overhead", where)->ci.lo < 0.49,
       "as uncertain as the latency is");
    is_near(value_of(&facts, "tasks.memory_overhead_observed", where), 0.5, 1e-3, "and observed");
    is_near(value_of(&facts, "tasks.memory_overhead_overlap", where), 0.5, 1e-3,
            "with transfers beside the work");
    is_near(value_of(&facts, "tasks.memory_overhead_error", "app=fft model=overlap"), 0, 2e-3,
            "each model is held against what was seen");
    is_near(value_of(&facts, "tasks.memory_wait", where) / 8e-9, 1, 1e-3,
            "what is lost per access is the latency, which explains it");
    is_near(am_memory_overlap(1e9, 1, 1e9), 0, 0,
            "a transfer that takes as long as the work is free");
    is_near(am_memory_overhead(62 / 3.4e9, 0.0025, 40e9), 0.65, 0.01, "as the thesis computes it");
    plot = plot_of(&run, &facts, "memory-model");
    ok(line_of(plot, "app.fft f64 avx2, by bytes") &&
           line_of(&plot[1], "app.fft f64 avx2, by bytes: predicted by latency") &&
           line_of(&plot[1], "app.fft f64 avx2, by bytes: predicted by bandwidth, overlapped"),
       "both are drawn");
    am_arena_fini(&run.arena);
}

/* A lazy configuration draws the least power; the figure shows that of the fastest. */
static void check_power_figure(void)
{
    static const struct {
        int threads, size;
        double flops, watts;
    } rows[] = {{1, 64, 1e9, 10},  {1, 512, 2e9, 30}, {2, 64, 2e9, 11},
                {2, 512, 4e9, 50}, {4, 64, 1e9, 9},   {4, 512, 8e9, 90}};
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_plot *plot;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[256];

        (void)snprintf(text, sizeof(text),
                       "executor=task:dbf isa=avx2 type=f32 nx=erf variant=own n=8192 task_size=%d "
                       "runtime=own threads=%d binding=close places=cores wait=default",
                       rows[i].size, rows[i].threads);
        (void)rx_add(&run, "app.blackscholes", text,
                     (const struct rx_metric[]){{"flops", "flop/s", rows[i].flops},
                                                {"power:wall", "W", rows[i].watts},
                                                {.name = NULL}});
    }
    facts = fx_derive(&run, &am_family_tasks);
    plot = drawn_of(&run, &facts, "blackscholes-power");
    if (!ok(plot && plot->n == 1 && plot->series[0].n == 3, "power at the mains has a figure too"))
        return;
    is_str(plot->y.title, "power:wall", "which names the scope");
    ok(plot->series[0].marks[0].y > 29 && plot->series[0].marks[1].y > 49 &&
           plot->series[0].marks[2].y > 89,
       "each place shows the power of its fastest point: %g, %g, %g W", plot->series[0].marks[0].y,
       plot->series[0].marks[1].y, plot->series[0].marks[2].y);
    am_arena_fini(&run.arena);
}

static void check_nothing(void)
{
    struct rx_run run = {0};
    const struct am_facts facts = fx_derive(&run, &am_family_tasks);

    ok(facts.n == 0 && !plot_of(&run, &facts, "task-model") &&
           !plot_of(&run, &facts, "memory-model"),
       "an empty run has no facts and no pictures");
    am_arena_fini(&run.arena);
}

int main(void)
{
    check_fits();
    check_simple();
    check_metg();
    check_curve_facts();
    check_pmax_interval();
    check_pmax_untold();
    check_grades();
    check_settings();
    check_no_cost();
    check_overhead_facts();
    check_graphs();
    check_applications();
    check_memory();
    check_power_figure();
    check_nothing();
    return tap_done();
}
