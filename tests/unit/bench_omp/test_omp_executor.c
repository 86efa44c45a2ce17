/* SPDX-License-Identifier: MIT */
/* The executors of an OpenMP worker, and app.blackscholes on them. */
#include "apps_fixture.h"
#include "bench/omp/executor_omp.h"
#include "executor_fixture.h"
#include "omp_fixture.h"

static void check_bench(const struct am_bench *b, const struct am_ctx *ctx, const char *own,
                        double ops, int threads)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    char words[OX_WORDS];
    double residual = -1;
    const struct am_ctx of = bx_context(ctx, b);
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    (void)snprintf(words, sizeof(words), "%s %s %d close cores default", own, am_omp_runtimes[0],
                   threads);
    bx_point(b, words, point);
    s = b->prepare(state, &of, point, &work, &err);
    for (uint64_t iters = 1; s == AM_OK && iters <= 3; iters++) {
        b->run(state, iters);
        s = b->verify(state, &residual, &err);
    }
    ok(s == AM_OK && work.ops == ops && residual >= 0, "%s: error %.2g %s", words, residual,
       err.text);
    b->finish(state);
    free(state);
}

/* This test runs with OMP_PROC_BIND=close. */
static void check_nesting(void)
{
    const struct am_executor *const e = am_omp_executors[0];
    const struct am_executor_setup inner = {.threads = 2, .outer = 2},
                                   only = {.threads = 2, .outer = 1};
    struct am_err err = {0};
    void *team = NULL;

    ok(e->open(e, &inner, &team, &err) == AM_E_ABSENT && strstr(err.text, "binding spread"),
       "teams inside of a team that is bound closely are refused: %s", err.text);
    ok(e->open(e, &only, &team, &err) == AM_OK, "a team inside of a single thread is not");
    e->close(team);
}

int main(void)
{
    struct am_ctx ctx = ox_context();

    ctx.memory_limit_bytes = BX_LIMIT_BYTES;
    for (size_t e = 0; am_omp_executors[e]; e++) {
        ok(am_omp_executors[e]->loops_only == (strcmp(am_omp_executors[e]->name, "omp-for") == 0),
           "tasks of OpenMP wait for each other, iterations do not");
        ex_check(am_omp_executors[e], 1, AM_WAIT_DEFAULT, ctx.cpus, ctx.cpu_count);
        ex_check(am_omp_executors[e], 2, AM_WAIT_DEFAULT, ctx.cpus, ctx.cpu_count);
        ex_check(am_omp_executors[e], 5, AM_WAIT_DEFAULT, ctx.cpus, ctx.cpu_count);
    }
    check_nesting();
    for (int threads = 1; threads <= (int)ctx.cpu_count; threads++) {
        const struct am_bench *const prices = ax_bench(&am_omp_set, "app.blackscholes");
        const struct am_bench *const overhead = ax_bench(&am_omp_set, "task.overhead");

        check_bench(prices, &ctx, "omp-for scalar f32 erf own 5000 64", 5000, threads);
        check_bench(prices, &ctx, "omp-task scalar f64 erf own 5000 300", 5000, threads);
        check_bench(overhead, &ctx, "omp-for loop 100", 100, threads);
        check_bench(overhead, &ctx, "omp-task loop 100", 100, threads);
        check_bench(overhead, &ctx, "omp-task chain 100", 100, threads);
        check_bench(overhead, &ctx, "omp-task rows 100", 100, threads);
    }
    return tap_done();
}
