/* SPDX-License-Identifier: MIT */
/* app.hetero: prices by CPUs, by an OpenCL device and by both, and who made how many. */
#include "bench/starpu/engine.h"
#include "bench_fixture.h"

extern const struct am_bench am_bench_app_hetero;

static const struct visit {
    const char *words;  /* policy devices isa type n task_size threads */
    double least, most; /* share of the OpenCL device */
} visits[] = {
    {"eager cpu scalar f32 3000 1000 1", 0, 0},
    {"dmda opencl scalar f32 3001 1000 1", 1, 1},
    {"eager both scalar f32 200000 10000 1", 0, 1},
};

static void check_visit(const struct visit *v, const struct am_ctx *ctx)
{
    const struct am_bench *const b = &am_bench_app_hetero;
    struct am_value point[AM_AXES_MAX];
    struct am_batch batch = {0};
    struct am_work work = {0};
    struct am_err err = {0};
    double residual = -1;
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    bx_point(b, v->words, point);
    s = b->prepare(state, ctx, point, &work, &err);
    if (s == AM_E_ABSENT && strstr(err.text, "OpenCL")) { /* no device, or one without f64 */
        skip_test(err.text);
    } else {
        for (uint64_t iters = 1; s == AM_OK && iters <= 2; iters++) {
            s = b->run_timed(state, iters, &batch, &err);
            if (s == AM_OK)
                s = b->verify(state, &residual, &err);
        }
        ok(s == AM_OK && batch.elapsed_ns > 0 && work.flops == 153 * work.ops, "%s: error %.2g %s",
           v->words, residual, err.text);
        ok(batch.values[3] >= v->least && batch.values[3] <= v->most,
           "the OpenCL device made %g of the prices", batch.values[3]);
    }
    b->finish(state);
    free(state);
}

int main(void)
{
    int cpus[1];
    struct am_clock clock;
    const struct am_ctx ctx = {.cpus = cpus,
                               .cpu_count = bx_cpus(cpus, 1),
                               .seed = 7,
                               .memory_limit_bytes = BX_LIMIT_BYTES,
                               .clock = &clock};
    const struct bx_refused refused[] = {
        {&am_bench_app_hetero, "eager cpu scalar f32 100 0 1", "blocks of 0"},
        {&am_bench_app_hetero, "eager cpu scalar f32 100 10 5", "5 threads"},
        {&am_bench_app_hetero, "eager cpu scalar f64 1000000 1 1", "blocks of 1"},
        {&am_bench_app_hetero, "eager cpu scalar f64 1000000 1000 1", "twice"},
    };

    am_clock_init(&clock);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        bx_check_refused(&refused[i], &ctx);
    bx_check_notices(&am_bench_app_hetero, "eager cpu scalar f32 100 10 1", &ctx);
    for (size_t i = 0; i < sizeof(visits) / sizeof(visits[0]); i++)
        check_visit(&visits[i], &ctx);
    return tap_done();
}
