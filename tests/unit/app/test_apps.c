/* SPDX-License-Identifier: MIT */
/* Executors of the worker `task`, and app.blackscholes on each of them. */
#include "app/blackscholes/blackscholes.h"
#include "apps_fixture.h"
#include "bench/apps/empty.h"
#include "bench/task/executors.h"
#include "executor_fixture.h"
#include "kernels/isa.h"

static const struct am_bench *prices, *overhead; /* app.blackscholes and task.overhead */

static void check_executors(const int *cpus, size_t cpu_count)
{
    static const size_t threads[] = {2, 5};

    ex_check(am_task_executors[0], 1, AM_WAIT_DEFAULT, cpus, cpu_count);
    for (size_t e = 1; am_task_executors[e]; e++) {
        ex_check(am_task_executors[e], 1, AM_WAIT_ACTIVE, cpus, cpu_count);
        for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
            ex_check(am_task_executors[e], threads[t], AM_WAIT_DEFAULT, cpus, cpu_count);
            ex_check(am_task_executors[e], threads[t], AM_WAIT_SLEEP, cpus, cpu_count);
        }
    }
}

struct visit {
    const char *words; /* executor isa type nx variant n task_size */
    double n;
};

static const struct visit visits[] = {
    {"serial scalar f32 erf own 1000 64", 1000},
    {"task:default scalar f64 erf own 1 1", 1},
    {"task:bf scalar f32 poly own 5000 7", 5000},
    {"task:dbf scalar f64 poly own 4096 4096", 4096},
    {"task:wf scalar f64 erf own 9000 5000", 9000},
    {"task:wf scalar f32 erf own 2000 1", 2000},
};

/* As a worker does it: run, verify, run longer, verify again. */
static void check_visit(const struct visit *v, const struct am_ctx *ctx)
{
    const struct am_bench *const b = prices;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    char words[128];
    double residual = -1;
    const struct am_ctx own = bx_context(ctx, b);
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    (void)snprintf(words, sizeof(words), "%s own 1 close cores default", v->words);
    bx_point(b, words, point);
    s = b->prepare(state, &own, point, &work, &err);
    for (uint64_t iters = 1; s == AM_OK && iters <= 3; iters++) {
        b->run(state, iters);
        s = b->verify(state, &residual, &err);
    }
    ok(s == AM_OK && residual >= 0 && residual <= 1e-4, "%s: error %.2g %s", v->words, residual,
       err.text);
    ok(work.ops == v->n && work.flops == 153 * v->n && work.bytes_read == work.bytes_written * 2.5,
       "its work is stated");
    if (s == AM_OK)
        ok(b->verify(state, &residual, &err) == AM_E_WRONG, "prices are not taken twice: %s",
           err.text);
    b->finish(state);
    free(state);
}

static void check_bench(const struct am_ctx *ctx)
{
    const struct am_bench *const b = prices;
    const struct bx_refused refused[] = {
        {b, "serial scalar f32 erf own 100 10 own 2 close cores default", "one thread"},
        {b, "task:bf scalar f32 erf own 100 0 own 1 close cores default", "blocks of 0"},
        {b, "task:bf scalar f32 erf own 0 10 own 1 close cores default", "0 options"},
        {b, "task:bf scalar f32 erf own 100 10 own 99 close cores default", "99 threads"},
        {b, "task:bf scalar f64 erf own 1000000000 10 own 1 close cores default", "limit"},
    };

    for (size_t i = 0; i < sizeof(visits) / sizeof(visits[0]); i++)
        check_visit(&visits[i], ctx);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        bx_check_refused(&refused[i], ctx);
    bx_check_notices(b, "task:dbf scalar f32 erf own 100 10 own 1 close cores default", ctx);
}

/* What the axis `variant` says of a choice. */
static const char *why_not(const char *variant)
{
    return prices->axes[am_axis_find(prices->axes, "variant")].why_not(variant);
}

/* Where a library is missing its points must be refused, with the reason that the axis gives. */
static void check_rival(const char *variant, const struct am_ctx *ctx)
{
    static const char *const kinds[] = {"f32 erf", "f64 erf", "f64 poly"};
    char words[128];
    const struct visit v = {words, 3000};
    const struct bx_refused refused = {prices, words, "built without"};

    if (why_not(variant)) {
        (void)snprintf(words, sizeof(words),
                       "serial scalar f32 erf %s 100 10 own 1 close cores default", variant);
        bx_check_refused(&refused, ctx);
        return;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        (void)snprintf(words, sizeof(words), "task:dbf scalar %s %s 3000 100", kinds[i], variant);
        check_visit(&v, ctx);
    }
}

/* All variants of every ISA that runs here, on the same options. */
static void check_isas(const struct am_ctx *ctx)
{
    const char *const *const variants = prices->axes[am_axis_find(prices->axes, "variant")].choices;

    for (size_t i = 0; am_isa_names[i]; i++) {
        for (size_t k = 0; variants[k]; k++) {
            char words[96];
            struct visit v = {.words = words, .n = 4097};

            (void)snprintf(words, sizeof(words), "task:wf %s f64 erf %s 4097 100", am_isa_names[i],
                           variants[k]);
            if (!am_isa_why_not(am_isa_names[i]) && !why_not(variants[k]))
                check_visit(&v, ctx);
        }
    }
}

static void check_overhead(const char *words, const struct am_ctx *ctx)
{
    const struct am_bench *const b = overhead;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    double residual = -1;
    const struct am_ctx own = bx_context(ctx, b);
    struct am_empty *const o = calloc(1, b->state_size);
    enum am_status s;

    bx_point(b, words, point);
    s = b->prepare(o, &own, point, &work, &err);
    for (uint64_t iters = 1; s == AM_OK && iters <= 20; iters += 19) {
        b->run(o, iters);
        s = b->verify(o, &residual, &err);
    }
    ok(s == AM_OK && residual == 0 && work.ops == (double)point[AM_EMPTY_TASKS].i,
       "task.overhead %s: every task ran, none too early %s", words, err.text);
    o->times++; /* as if a round had been left out */
    ok(b->verify(o, &residual, &err) == AM_E_WRONG, "a round that is missing is noticed");
    b->finish(o);
    free(o);
}

static void check_overheads(const struct am_ctx *ctx)
{
    const struct bx_refused refused = {overhead, "task:bf loop 0 own 1 close cores default",
                                       "0 tasks"};

    for (size_t e = 0; am_task_executors[e]; e++) {
        for (size_t k = 0; am_empty_shapes[k]; k++) {
            const size_t threads = e ? ctx->cpu_count : 1;
            char words[96];

            (void)snprintf(words, sizeof(words), "%s %s 100 own %zu close cores yield",
                           am_task_executors[e]->name, am_empty_shapes[k], threads);
            check_overhead(words, ctx);
        }
    }
    bx_check_refused(&refused, ctx);
    bx_check_notices(overhead, "task:wf loop 10 own 1 close cores default", ctx);
}

/* The first rows of PARSEC's input, with its reference prices. */
static void check_parsec(void)
{
    static double in[5][2] = {{42, 42}, {40, 40}, {0.1, 0.1}, {0.2, 0.2}, {0.5, 0.5}}, out[2][2];
    const struct am_bs_args args = {in[0], in[1], in[2], in[3], in[4], out[0], out[1], 0, 2};

    am_bs_find("scalar")->fn[AM_BS_F64][AM_BS_ERF](&args);
    is_near(out[0][0], 4.75942303685175, 1e-4, "a call of PARSEC has its price");
    is_near(out[1][1], 0.808600016880314, 1e-4, "a put of PARSEC has its price");
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

    prices = ax_bench(&am_task_set, "app.blackscholes");
    overhead = ax_bench(&am_task_set, "task.overhead");
    am_clock_init(&clock);
    check_executors(cpus, cpu_count);
    check_bench(&ctx);
    check_rival("libmvec", &ctx);
    check_rival("sleef", &ctx);
    check_isas(&ctx);
    check_overheads(&ctx);
    check_parsec();
    return tap_done();
}
