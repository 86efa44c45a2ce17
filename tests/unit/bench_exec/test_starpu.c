/* SPDX-License-Identifier: MIT */
/* The executors of StarPU, and the benches of blocks on them. */
#include "apps_fixture.h"
#include "bench/starpu/engine.h"
#include "bench/starpu/executor_starpu.h"
#include "executor_fixture.h"

static void check_names(void)
{
    size_t n = 0;

    for (; am_starpu_policies[n]; n++) {
        const struct am_executor *const e = am_starpu_executors[n];

        ok(e && strcmp(e->name + strlen("starpu:"), am_starpu_policies[n]) == 0,
           "%s is listed by its name", am_starpu_policies[n]);
    }
    ok(!am_starpu_executors[n], "and no others are");
    ok(!am_starpu_executor_why_not("starpu:eager"), "every StarPU has eager");
    ok(am_starpu_executor_why_not("starpu:none") != NULL, "none has a policy called none");
}

/* `amount`: operations of the work, or flops where it counts those. */
static void check_visit(const struct am_bench *b, const char *words, double amount,
                        const struct am_ctx *ctx)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    double residual = -1;
    const struct am_ctx own = bx_context(ctx, b);
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    bx_point(b, words, point);
    s = b->prepare(state, &own, point, &work, &err);
    for (uint64_t iters = 1; s == AM_OK && iters <= 3; iters++) {
        b->run(state, iters);
        s = b->verify(state, &residual, &err);
    }
    ok(s == AM_OK && (work.ops == amount || work.flops == amount) && residual >= 0,
       "%s %s: error %.2g %s", b->name, words, residual, err.text);
    b->finish(state);
    free(state);
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
    const struct bx_refused refused = {ax_bench(&am_starpu_set, "task.overhead"),
                                       "starpu:eager loop 10 starpu 99 close cores default",
                                       "99 threads"};

    am_clock_init(&clock);
    check_names();
    for (size_t e = 0; am_starpu_executors[e]; e++) {
        if (!am_starpu_policy_why_not(am_starpu_policies[e]))
            ex_check(am_starpu_executors[e], 1 + e % cpu_count, AM_WAIT_DEFAULT, cpus, cpu_count);
    }
    check_visit(ax_bench(&am_starpu_set, "app.blackscholes"),
                "starpu:lws scalar f64 erf own 5000 100 starpu 1 close cores default", 5000, &ctx);
    check_visit(ax_bench(&am_starpu_set, "task.overhead"),
                "starpu:dmda rows 100 starpu 1 close cores default", 100, &ctx);
    check_visit(ax_bench(&am_starpu_set, "app.gemm"),
                "starpu:eager scalar f64 own 64 16 starpu 1 close cores default",
                2.0 * 64 * 64 * 64, &ctx);
    bx_check_refused(&refused, &ctx);
    return tap_done();
}
