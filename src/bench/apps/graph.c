/* SPDX-License-Identifier: MIT */
/* task.graph: graphs of tasks by the patterns of Task Bench, with a given amount of work per task.
 * A sweep over the work gives METG(50 %), the shortest task at which an executor still reaches half
 * of its best rate (family/tasks/tasks_metg.c). */
#include "app/graph/patterns.h"
#include "bench/apps/apps.h"

/* Axes of a point, before those of am_apps_axis. */
enum axis { EXECUTOR, PATTERN, WIDTH, ROWS, STEPS };

enum { TASKS_MAX = 1 << 22, STEPS_MAX = 1 << 24, FLOPS_PER_STEP = 2 };

struct graph {
    struct am_apps_engine engine;
    struct am_patterns patterns;
    struct am_blocks blocks;
};

static const struct am_metric metrics[] = {
    {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE, "of the work inside tasks, two per step"},
    {"time_per_task", "s", AM_LOWER, AM_RULE_TIME_PER_OP,
     "of a round over its tasks; all threads share them"},
    {"tasks_per_s", "1/s", AM_HIGHER, AM_RULE_OP_RATE, "tasks"},
    {.name = NULL},
};

static enum am_status check(const struct am_value *point, struct am_err *err)
{
    const int64_t width = point[WIDTH].i, rows = point[ROWS].i, steps = point[STEPS].i;

    if (width < 1 || rows < 1 || width > TASKS_MAX || rows > TASKS_MAX / width)
        return am_fail(err, AM_E_ABSENT, "%lld rows of %lld tasks: 1 to %d tasks are possible",
                       (long long)rows, (long long)width, TASKS_MAX);
    if (steps < 1 || steps > STEPS_MAX)
        return am_fail(err, AM_E_ABSENT, "%lld steps per task: 1 to %d are possible",
                       (long long)steps, STEPS_MAX);
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *w, struct am_err *err)
{
    struct graph *const g = state;
    const size_t tasks = (size_t)point[WIDTH].i * (size_t)point[ROWS].i;
    enum am_status s = check(point, err);

    if (s != AM_OK)
        return s;
    g->patterns = (struct am_patterns){.pattern = (size_t)point[PATTERN].i,
                                       .width = (size_t)point[WIDTH].i,
                                       .rows = (size_t)point[ROWS].i,
                                       .steps = (size_t)point[STEPS].i};
    s = am_patterns_init(&g->patterns, err);
    if (s == AM_OK)
        s = am_apps_open(&g->engine, ctx, point, err);
    if (s != AM_OK)
        return s;
    g->blocks = (struct am_blocks){.count = tasks, .app = &g->patterns, .run = am_patterns_run};
    if (am_patterns_waits(&g->patterns)) {
        g->blocks.before = am_patterns_before;
        g->blocks.before_max = AM_PATTERN_BEFORE_MAX;
    }
    w->ops = (double)tasks;
    w->flops = (double)tasks * (double)point[STEPS].i * FLOPS_PER_STEP;
    am_ctx_note(ctx, "depth", "%zu tasks one after the other", am_patterns_depth(&g->patterns));
    return g->engine.executor->prepare(g->engine.self, &g->blocks, err);
}

static void run(void *state, uint64_t iters)
{
    struct graph *const g = state;

    g->patterns.rounds += iters;
    g->engine.executor->run(g->engine.self, &g->blocks, iters);
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct graph *const g = state;
    const size_t wrong = am_patterns_wrong(&g->patterns);

    *residual = (double)wrong;
    if (g->patterns.rounds && !wrong)
        return AM_OK;
    return am_fail(err, AM_E_WRONG, "wrong: %zu of %zu tasks have another value than in order",
                   wrong, g->blocks.count);
}

static void finish(void *state)
{
    struct graph *const g = state;

    am_apps_close(&g->engine);
    am_patterns_fini(&g->patterns);
}

static const struct am_axis axes[] = {
    [EXECUTOR] = {.name = "executor"},
    [PATTERN] = {.name = "pattern",
                 .kind = AM_AXIS_NAME,
                 .dflt = "trivial,stencil,fft,tree,random,spread",
                 .quick = "stencil",
                 .thorough = "all",
                 .choices = am_pattern_names,
                 .help =
                     "for which tasks of the row above a task waits: none, the one above, three, "
                     "a butterfly's two, that of half its number, up to five drawn ones, five "
                     "far apart"},
    [WIDTH] = {.name = "width", .kind = AM_AXIS_INT, .dflt = "cpus*2", .help = "tasks of a row"},
    [ROWS] = {.name = "rows", .kind = AM_AXIS_INT, .dflt = "64", .help = "one after the other"},
    [STEPS] = {.name = "steps",
               .kind = AM_AXIS_INT,
               .dflt = "16:16384:*4",
               .quick = "16,256,4096",
               .help = "multiplications and additions of a task, each waiting for the one before"},
    {.name = NULL},
};

const struct am_app am_app_graph = {
    .bench = {.name = "task.graph",
              .summary = "graphs of tasks with a given work: what length of a task pays",
              .axes = axes,
              .version = 1,
              .metrics = metrics,
              .points_per_launch = 4,
              .state_size = sizeof(struct graph),
              .prepare = prepare,
              .run = run,
              .verify = verify,
              .finish = finish},
};
