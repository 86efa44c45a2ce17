/* SPDX-License-Identifier: MIT */
/* The executors of an OpenMP worker, and app.blackscholes on them. */
#include "bench/apps/blackscholes.h"
#include "bench/omp/executor_omp.h"
#include "executor_fixture.h"
#include "omp_fixture.h"

extern const struct am_bench am_bench_blackscholes_openmp, am_bench_empty_openmp;

static void check_bench(const struct am_bench *b, const struct am_ctx *ctx, const char *own,
                        double ops, int threads)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    char words[OX_WORDS];
    double residual = -1;
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    (void)snprintf(words, sizeof(words), "%s %s %d close cores default", own, am_omp_runtimes[0],
                   threads);
    bx_point(b, words, point);
    s = b->prepare(state, ctx, point, &work, &err);
    for (uint64_t iters = 1; s == AM_OK && iters <= 3; iters++) {
        b->run(state, iters);
        s = b->verify(state, &residual, &err);
    }
    ok(s == AM_OK && work.ops == ops && residual >= 0, "%s: error %.2g %s", words, residual,
       err.text);
    b->finish(state);
    free(state);
}

int main(void)
{
    struct am_ctx ctx = ox_context();

    ctx.memory_limit_bytes = BX_LIMIT_BYTES;
    for (size_t e = 0; am_omp_executors[e]; e++) {
        const bool tasks = strcmp(am_omp_executors[e]->name, "omp-task") == 0;

        ok(strcmp(am_omp_executors[e]->name, am_omp_executor_names[e]) == 0,
           "%s is listed by its name", am_omp_executor_names[e]);
        ex_check(am_omp_executors[e], 1, AM_WAIT_DEFAULT, ctx.cpus, ctx.cpu_count, tasks);
        ex_check(am_omp_executors[e], 2, AM_WAIT_DEFAULT, ctx.cpus, ctx.cpu_count, tasks);
        ex_check(am_omp_executors[e], 5, AM_WAIT_DEFAULT, ctx.cpus, ctx.cpu_count, tasks);
    }
    for (int threads = 1; threads <= (int)ctx.cpu_count; threads++) {
        const struct am_bench *const prices = &am_bench_blackscholes_openmp;
        const struct am_bench *const overhead = &am_bench_empty_openmp;

        check_bench(prices, &ctx, "omp-for scalar f32 erf own 5000 64", 5000, threads);
        check_bench(prices, &ctx, "omp-task scalar f64 erf own 5000 300", 5000, threads);
        check_bench(overhead, &ctx, "omp-for loop 100", 100, threads);
        check_bench(overhead, &ctx, "omp-task loop 100", 100, threads);
        check_bench(overhead, &ctx, "omp-task chain 100", 100, threads);
        check_bench(overhead, &ctx, "omp-task rows 100", 100, threads);
    }
    return tap_done();
}
