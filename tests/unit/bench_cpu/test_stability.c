/* SPDX-License-Identifier: MIT */
/* meter.stability through its hooks: the product is right, wrong ones are found, work is stated. */
#include "bench_fixture.h"
#include "tap.h"

extern const struct am_bench am_bench_meter_stability;

static void test_product(const struct am_ctx *ctx, const char *words, double n, double threads)
{
    const struct am_bench *const b = &am_bench_meter_stability;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    double residual = -1;
    void *const state = calloc(1, b->state_size);

    bx_point(b, words, point);
    if (ok(b->prepare(state, ctx, point, &work, &err) == AM_OK, "%s is prepared (%s)", words,
           err.text)) {
        ok(work.flops == 2 * n * n * n * threads, "its operations are counted: %g", work.flops);
        ok(b->verify(state, &residual, &err) == AM_E_WRONG && residual > 0,
           "a product that was not made is wrong");
        b->run(state, 2);
        ok(b->verify(state, &residual, &err) == AM_OK && residual == 0, "made, it is exact (%s)",
           err.text);
    }
    b->finish(state);
    free(state);
}

int main(void)
{
    int cpus[2];
    const struct am_ctx ctx = {
        .cpus = cpus, .cpu_count = bx_cpus(cpus, 2), .memory_limit_bytes = BX_LIMIT_BYTES};
    const struct bx_refused refused[] = {
        {&am_bench_meter_stability, "0 1", "rows"},
        {&am_bench_meter_stability, "100000 1", "rows"},
        {&am_bench_meter_stability, "8 3000", "CPU"},
    };

    test_product(&ctx, "3 1", 3, 1);
    test_product(&ctx, "65 1", 65, 1);
    if (ctx.cpu_count > 1)
        test_product(&ctx, "16 2", 16, 2);
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        bx_check_refused(&refused[i], &ctx);
    return tap_done();
}
