/* SPDX-License-Identifier: MIT */
/* app.stencil through its hooks: what it refuses, what it notices, what it says of its work. */
#include "bench/app/ports.h"
#include "bench_fixture.h"
#include "kernels/isa.h"

extern const struct am_bench am_bench_app_stencil;

static const struct am_bench *const bench = &am_bench_app_stencil;

enum { EXECUTED = 1, BOUND_SHARE = 2 };

static void test_point(const char *words, double executed_share, const struct am_ctx *ctx)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    struct am_batch batch = {0};
    double residual = -1;
    void *const state = calloc(1, bench->state_size);

    bx_point(bench, words, point);
    if (!ok(bench->prepare(state, ctx, point, &work, &err) == AM_OK, "%s is prepared: %s", words,
            err.text)) {
        bench->finish(state);
        free(state);
        return;
    }
    ok(bench->run_timed(state, 3, &batch, &err) == AM_OK && batch.elapsed_ns > 0,
       "%s runs and takes time", words);
    ok(bench->verify(state, &residual, &err) == AM_OK && residual >= 0, "%s is right: %s", words,
       err.text);
    ok(work.flops == 4 * work.ops && work.ops == (double)point[6].i * (double)point[7].i,
       "%s: four operations a point and step", words);
    {
        const double rate = 3 * work.flops / ((double)batch.elapsed_ns * 1e-9);

        ok(fabs(batch.values[EXECUTED] / rate - executed_share) < 1e-9 &&
               batch.values[BOUND_SHARE] > 0 && batch.values[BOUND_SHARE] < 1.5,
           "%s: executes %g of them, and stays below the bound", words, executed_share);
    }
    bench->finish(state);
    free(state);
}

static void test_ports(void)
{
    static const struct {
        struct am_ports ports;
        unsigned muls, adds;
        double cycles;
        const char *what;
    } cases[] = {
        {{2, 2, 4}, 2, 1, 1, "separate units, paper's form: the multipliers"},
        {{2, 2, 4}, 1, 1, 0.5, "separate units, scaled form: both at once"},
        {{2, 2, 2}, 2, 1, 1.5, "shared units, paper's form: three instructions on two"},
        {{2, 2, 2}, 1, 1, 1, "shared units, scaled form: two on two"},
        {{2, 1, 0}, 2, 2, 2, "no fma: the slower of both"},
        {{0, 0, 0}, 1, 1, 0, "nothing known"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const double got = am_ports_cycles(&cases[i].ports, cases[i].muls, cases[i].adds);

        ok(fabs(got - cases[i].cycles) < 1e-12, "%s: %g cycles", cases[i].what, got);
    }
}

int main(void)
{
    static const struct bx_refused refused[] = {
        {&am_bench_app_stencil, "auto paper f32 scalar 0 0 10 1000 0.25", "no vectors"},
        {&am_bench_app_stencil, "scalar paper f32 scalar 4 0 10 1000 0.25", "only slices"},
        {&am_bench_app_stencil, "scalar paper f32 scalar 0 4 10 1000 0.25", "have a depth"},
        {&am_bench_app_stencil, "slice paper f32 scalar 29 4 10 1000 0.25", "w is 0 to"},
        {&am_bench_app_stencil, "slice paper f32 scalar 3 4 10 0 0.25", "1 or more"},
        {&am_bench_app_stencil, "slice paper f32 scalar 3 4 16385 1000 0.25", "1 to 16384"},
        {&am_bench_app_stencil, "slice paper f32 scalar 3 4 10 1000 0.75", "at most 0.5"},
        {&am_bench_app_stencil, "slice paper f64 scalar 3 4 10 1000000000 0.25", "memory"},
    };
    struct am_clock clock;
    struct am_ctx ctx = {.seed = 7,
                         .memory_limit_bytes = BX_LIMIT_BYTES,
                         .clock = &clock,
                         .bench = &am_bench_app_stencil};
    char words[96];

    am_clock_init(&clock);
    for (int i = 0; bench->axes[0].choices[i]; i++) {
        const char *const variant = bench->axes[0].choices[i];

        (void)snprintf(words, sizeof(words), "%s paper f64 %s 0 0 30 3001 0.3", variant,
                       am_isa_names[1]);
        test_point(words, 1, &ctx);
        (void)snprintf(words, sizeof(words), "%s scaled f32 %s 0 0 7 997 0.25", variant,
                       am_isa_names[1]);
        test_point(words, 0.75, &ctx);
        bx_check_notices(bench, words, &ctx);
    }
    test_point("slice scaled f64 scalar 5 11 40 13 0.4", 0.75, &ctx);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        bx_check_refused(&refused[i], &ctx);
    test_ports();
    return tap_done();
}
