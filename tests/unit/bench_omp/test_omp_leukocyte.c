/* SPDX-License-Identifier: MIT */
/* app.leukocyte on teams that nest: two levels of OpenMP threads find what one thread finds. */
#include "bench/apps/leukocyte.h"
#include "bench/omp/executor_omp.h"
#include "bench/omp/runtime.h"
#include "apps_fixture.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>

static const struct am_bench *bench; /* app.leukocyte of an OpenMP worker */

enum { CPUS = 4 };

/* ---- teams ---- */

struct teams {
    const struct am_executor *executor;
    void *rows;
    atomic_int inner, small; /* bands that ran, and those in a team that is too small */
};

static void run_band(void *app, size_t band)
{
    struct teams *const t = app;

    (void)band;
    (void)atomic_fetch_add(&t->inner, 1);
    if (omp_get_active_level() != 2 || omp_get_num_threads() != 2)
        (void)atomic_fetch_add(&t->small, 1);
}

static void run_cell(void *app, size_t cell)
{
    struct teams *const t = app;
    const struct am_blocks bands = {.count = 2, .app = t, .run = run_band};

    (void)cell;
    t->executor->run(t->rows, &bands, 3);
}

/* What the tracker builds upon, seen from inside. */
static void check_teams(void)
{
    const struct am_executor *const e = am_omp_executors[0];
    const struct am_executor_setup setup = {.threads = 2}, inner = {.threads = 2, .outer = 2};
    struct teams t = {.executor = e};
    const struct am_blocks cells = {.count = 3, .app = &t, .run = run_cell};
    struct am_err err = {0};
    void *outer = NULL;

    ok(strcmp(e->name, "omp-for") == 0 && e->nests, "omp-for is the executor that nests");
    ok(e->open(e, &setup, &outer, &err) == AM_OK && e->open(e, &inner, &t.rows, &err) == AM_OK,
       "a team of cells, and one of rows");
    e->run(outer, &cells, 1);
    ok(t.inner == 3 * 3 * 2 && t.small == 0, "%d bands ran, all in teams of two inside of teams",
       t.inner);
    e->close(t.rows);
    e->close(outer);
}

/* ---- tracking ---- */

/* Point: `words` up to the video, which is a free name, and the rest. */
static void set_point(const char *words, const char *rest, struct am_value *point)
{
    struct am_bench part = *bench;
    struct am_axis before[AM_LEUKO_VIDEO + 1];

    memcpy(before, part.axes, sizeof(before));
    before[AM_LEUKO_VIDEO] = (struct am_axis){.name = NULL};
    part.axes = before;
    bx_point(&part, words, point);
    point[AM_LEUKO_VIDEO] =
        (struct am_value){.kind = AM_AXIS_NAME, .i = -1, .name = AM_SCENE_SYNTHETIC};
    part.axes = bench->axes + AM_LEUKO_VIDEO + 1;
    bx_point(&part, rest, point + AM_LEUKO_VIDEO + 1);
}

/* Mean steps of a field; where the cells end in found[]. */
static double track(const char *words, const struct am_ctx *ctx, struct am_centre found[2])
{
    struct am_leuko_state *const state = calloc(1, sizeof(*state));
    struct am_value point[AM_AXES_MAX];
    struct am_batch batch = {0};
    struct am_work work = {0};
    struct am_err err = {0};
    char rest[64];
    double residual = -1, steps;
    enum am_status s;

    (void)snprintf(rest, sizeof(rest), "2 1 %s 4 spread cores default", am_omp_runtimes[0]);
    set_point(words, rest, point);
    s = bench->prepare(state, ctx, point, &work, &err);
    if (s == AM_OK)
        s = bench->run_timed(state, 1, &batch, &err);
    if (s == AM_OK)
        s = bench->verify(state, &residual, &err);
    ok(s == AM_OK, "%s is right to %.2g px%s", words, residual, err.text);
    if (s == AM_OK)
        memcpy(found, state->scene.found + state->scene.cells, 2 * sizeof(*found));
    steps = batch.values[AM_LEUKO_ITERATIONS];
    bench->finish(state);
    free(state);
    return steps;
}

static void check_tracking(const struct am_ctx *ctx)
{
    static const char *const levels[] = {
        "minmax f64 scalar omp-for cpu 2 2", "minmax f64 scalar omp-for cpu 1 3",
        "minmax f64 scalar omp-for cpu 2 1", "minmax f64 scalar omp-task cpu 2 2"};
    struct am_centre one[2] = {{0, 0}, {0, 0}}, many[2];
    const double steps = track("minmax f64 scalar omp-for cpu 1 1", ctx, one);

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        const double now = track(levels[i], ctx, many);

        ok(now >= steps && now <= steps && memcmp(one, many, sizeof(one)) == 0,
           "%s: %.1f steps a field and every bit of a place are those of one thread", levels[i],
           now);
    }
}

int main(void)
{
    int cpus[CPUS];
    const size_t found = bx_cpus(cpus, CPUS);
    struct am_clock clock;
    struct am_ctx ctx = {.cpus = cpus,
                         .cpu_count = CPUS,
                         .seed = 1,
                         .memory_limit_bytes = BX_LIMIT_BYTES,
                         .clock = &clock};

    bench = ax_bench(&am_omp_set, "app.leukocyte");
    ctx.bench = bench;
    am_clock_init(&clock);
    for (size_t i = found; i < CPUS; i++) /* threads share what there is */
        cpus[i] = cpus[i % found];
    check_teams();
    check_tracking(&ctx);
    return tap_done();
}
