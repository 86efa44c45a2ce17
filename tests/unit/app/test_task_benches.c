/* SPDX-License-Identifier: MIT */
/* task.graph, task.tree and app.cholesky through their hooks, on every executor of the worker
 * `task`. */
#include "apps_fixture.h"
#include "bench/task/executors.h"

#include <math.h>

/* Runs a point three times with one to three iterations, verified each time. */
static void check_visit(const char *name, const char *words, double ops, const struct am_ctx *ctx)
{
    const struct am_bench *const b = ax_bench(&am_task_set, name);
    const struct am_ctx own = bx_context(ctx, b);
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_batch batch = {0};
    struct am_err err = {0};
    double residual = -1;
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    bx_point(b, words, point);
    s = b->prepare(state, &own, point, &work, &err);
    for (uint64_t iters = 1; s == AM_OK && iters <= 3; iters++) {
        if (b->run)
            b->run(state, iters);
        else
            s = b->run_timed(state, iters, &batch, &err);
        if (s == AM_OK)
            s = b->verify(state, &residual, &err);
    }
    ok(s == AM_OK && work.ops == ops && residual >= 0, "%s %s: %g of %g blocks, error %.2g %s",
       name, words, work.ops, ops, residual, err.text);
    if (b->run_timed)
        ok(batch.elapsed_ns > 0 && batch.values[2] > 0, "%s: share of its bound %.2g", name,
           batch.values[2]);
    b->finish(state);
    free(state);
}

static void check_executor(const char *executor, size_t threads, const struct am_ctx *ctx)
{
    static const char *const patterns[] = {"trivial", "stencil", "fft", "tree", "random", "spread"};
    static const struct {
        const char *words;
        double nodes;
    } trees[] = {{"fib 10 0", 177}, {"fib 10 4", 177}, {"queens 6 0", 153}};
    char words[128];

    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        (void)snprintf(words, sizeof(words), "%s %s 7 9 20 own %zu close cores yield", executor,
                       patterns[i], threads);
        check_visit("task.graph", words, 63, ctx);
    }
    for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
        (void)snprintf(words, sizeof(words), "%s %s own %zu close cores yield", executor,
                       trees[i].words, threads);
        check_visit("task.tree", words, trees[i].nodes, ctx);
    }
    (void)snprintf(words, sizeof(words), "%s 64 16 own %zu close cores yield", executor, threads);
    check_visit("app.cholesky", words, 1, ctx);
}

static void check_refusals(const struct am_ctx *ctx)
{
    static const struct {
        const char *bench, *words, *reason;
    } cases[] = {
        {"task.graph", "serial stencil 0 9 20 own 1 close cores default", "rows of 0 tasks"},
        {"task.graph", "serial stencil 3000000 9 20 own 1 close cores default",
         "tasks are possible"},
        {"task.graph", "serial stencil 8 9 0 own 1 close cores default", "0 steps"},
        {"task.tree", "serial fib 41 0 own 1 close cores default", "1 to 40"},
        {"task.tree", "serial queens 16 0 own 1 close cores default", "1 to 15"},
        {"app.cholesky", "serial 65 16 own 1 close cores default", "a multiple"},
        {"app.cholesky", "serial 0 16 own 1 close cores default", "a matrix of 0"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        bx_check_refused(&(struct bx_refused){ax_bench(&am_task_set, cases[i].bench),
                                              cases[i].words, cases[i].reason},
                         ctx);
}

int main(void)
{
    int cpus[2];
    const size_t cpu_count = bx_cpus(cpus, 2);
    struct am_clock clock;
    const struct am_ctx ctx = {.cpus = cpus,
                               .cpu_count = cpu_count,
                               .seed = 42,
                               .memory_limit_bytes = BX_LIMIT_BYTES,
                               .clock = &clock};

    am_clock_init(&clock);
    for (size_t e = 0; am_task_executors[e]; e++)
        check_executor(am_task_executors[e]->name, e ? cpu_count : 1, &ctx);
    check_refusals(&ctx);
    bx_check_notices(ax_bench(&am_task_set, "task.graph"),
                     "serial fft 8 8 4 own 1 close cores default", &ctx);
    bx_check_notices(ax_bench(&am_task_set, "task.tree"),
                     "serial fib 8 0 own 1 close cores default", &ctx);
    bx_check_notices(ax_bench(&am_task_set, "app.cholesky"),
                     "serial 32 8 own 1 close cores default", &ctx);
    return tap_done();
}
