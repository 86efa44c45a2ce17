/* SPDX-License-Identifier: MIT */
/* app.fft on the executors of an OpenMP worker: FFTW's loops as OpenMP's loops and tasks. */
#include "apps_fixture.h"
#include "bench/omp/executor_omp.h"
#include "omp_fixture.h"

static void check_visit(const char *own, int threads, const struct am_ctx *ctx)
{
    const struct am_bench *const b = ctx->bench;
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
    ok(s == AM_OK && residual >= 0 && residual <= 1, "%s: %.2g of the allowed error %s", words,
       residual, err.text);
    b->finish(state);
    free(state);
}

int main(void)
{
    struct am_ctx ctx = ox_context();
    char words[OX_WORDS];
    const struct bx_refused refused = {ax_bench(&am_omp_set, "app.fft"), words,
                                       "executor=serial only"};

    ctx.bench = ax_bench(&am_omp_set, "app.fft");
    ctx.memory_limit_bytes = BX_LIMIT_BYTES;
    for (size_t e = 0; am_omp_executors[e]; e++)
        ok(am_omp_executors[e]->flat == (strcmp(am_omp_executors[e]->name, "omp-for") == 0),
           "%s: loops in blocks stay on their thread only where teams do not nest",
           am_omp_executors[e]->name);
    for (int threads = 1; threads <= (int)ctx.cpu_count; threads++) {
        check_visit("omp-for simd f32 callback out estimate 4096 0", threads, &ctx);
        check_visit("omp-for simd f64 callback in estimate 1000 100", threads, &ctx);
        check_visit("omp-task simd f32 callback out estimate 4096 512", threads, &ctx);
        check_visit("omp-task scalar f64 callback in estimate 1009 0", threads, &ctx);
    }
    (void)snprintf(words, sizeof(words),
                   "omp-for simd f32 fftw-threads out estimate 64 0 %s 1 close cores default",
                   am_omp_runtimes[0]);
    bx_check_refused(&refused, &ctx);
    return tap_done();
}
