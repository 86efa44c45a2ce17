/* SPDX-License-Identifier: MIT */
/* app.gemm on the executors of the worker `task`: right, the same on each, and wrong ones noticed.
 */
#include "bench/apps/gemm.h"
#include "bench/task/executors.h"
#include "apps_fixture.h"
#include "kernels/isa.h"

static const struct am_bench *bench;

enum { SIDE_MAX = 200 };

static const char *best_isa(void)
{
    const char *best = am_isa_names[0];

    for (size_t i = 0; am_isa_names[i]; i++)
        best = am_isa_why_not(am_isa_names[i]) ? best : am_isa_names[i];
    return best;
}

static void check_rule(void)
{
    static const struct {
        size_t n, threads, tile;
    } cases[] = {
        {8192, 1, 1024}, {8192, 8, 1024}, {2048, 4, 1024}, {2048, 5, 682},
        {1024, 4, 512},  {512, 16, 128},  {128, 1, 128},   {128, 4, 64},
        {64, 64, 32},    {1000, 1, 1000}, {20, 4, 20},     {1, 1, 1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(am_gemm_tile_of_thesis(cases[i].n, cases[i].threads) == cases[i].tile,
           "%zu rows for %zu threads are in tiles of %zu", cases[i].n, cases[i].threads,
           cases[i].tile);
}

/* As a worker does it: run, verify, run again, verify again. The outcome of `n` rows is copied to
 * `outcome`, where that is not NULL, before it is spoilt. */
static void check_visit(const char *words, const struct am_ctx *ctx, double n, double *outcome)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    double residual = -1;
    struct am_gemm_state *const state = calloc(1, bench->state_size);
    enum am_status s;

    bx_point(bench, words, point);
    s = bench->prepare(state, ctx, point, &work, &err);
    for (uint64_t iters = 1; s == AM_OK && iters <= 2; iters++) {
        bench->run(state, iters);
        if (outcome)
            am_gemm_copy(state->gemm, outcome);
        s = bench->verify(state, &residual, &err);
    }
    ok(s == AM_OK && residual >= 0 && residual <= 1, "%s: %.2g of the allowed error %s", words,
       residual, err.text);
    ok(work.flops == 2 * n * n * n && work.bytes_read == 2 * work.bytes_written,
       "its work is stated");
    if (s == AM_OK)
        ok(bench->verify(state, &residual, &err) == AM_E_WRONG, "an outcome is not taken twice: %s",
           err.text);
    bench->finish(state);
    free(state);
}

/* Order and thread do not show in the outcome. */
static void check_executors(const struct am_ctx *ctx)
{
    static double first[SIDE_MAX * SIDE_MAX], other[SIDE_MAX * SIDE_MAX];

    for (size_t e = 0; am_task_executors[e]; e++) {
        char words[128];

        (void)snprintf(words, sizeof(words), "%s scalar f64 own 150 40 own %zu close cores yield",
                       am_task_executors[e]->name, e ? ctx->cpu_count : 1);
        check_visit(words, ctx, 150, e ? other : first);
        ok(!e || memcmp(first, other, 150 * 150 * sizeof(double)) == 0,
           "%s: the same bits as serial", am_task_executors[e]->name);
    }
}

/* The whole at once by two threads is shared work, and has the bits of one thread. */
static void check_shared(const struct am_ctx *ctx)
{
    static double first[SIDE_MAX * SIDE_MAX], other[SIDE_MAX * SIDE_MAX];

    check_visit("serial scalar f64 own 150 150 own 1 close cores default", ctx, 150, first);
    for (size_t e = 1; am_task_executors[e] && ctx->cpu_count > 1; e++) {
        char words[128];

        (void)snprintf(words, sizeof(words), "%s scalar f64 own 150 1000 own 2 close cores yield",
                       am_task_executors[e]->name);
        check_visit(words, ctx, 150, other);
        ok(memcmp(first, other, 150 * 150 * sizeof(double)) == 0,
           "%s: threads that share have the bits of one", am_task_executors[e]->name);
    }
}

static void check_isas(const struct am_ctx *ctx)
{
    static const char *const sizes[] = {"f32 own 1 0", "f64 own 97 0", "f32 own 130 48",
                                        "f64 own 150 1000", "f64 own 300 130"};
    static const double n[] = {1, 97, 130, 150, 300};

    for (size_t i = 0; am_isa_names[i]; i++) {
        for (size_t k = 0; k < 5 && !am_isa_why_not(am_isa_names[i]); k++) {
            char words[128];

            (void)snprintf(words, sizeof(words), "task:dbf %s %s own 1 close cores default",
                           am_isa_names[i], sizes[k]);
            check_visit(words, ctx, n[k], NULL);
        }
    }
}

/* Where a library is not here its points must be refused, with the package to install. */
static void check_library(const char *name, const struct am_ctx *ctx)
{
    char words[128], other[128];
    const struct bx_refused missing = {bench, words, "install"};
    const struct bx_refused slower = {bench, other, "by itself"};

    for (size_t type = 0; am_gemm_types[type]; type++) {
        (void)snprintf(words, sizeof(words), "task:wf %s %s %s 100 48 own 1 close cores default",
                       best_isa(), am_gemm_types[type], name);
        if (am_gemm_variant_why_not(name))
            bx_check_refused(&missing, ctx);
        else
            check_visit(words, ctx, 100, NULL);
    }
    (void)snprintf(other, sizeof(other), "serial scalar f64 %s 100 48 own 1 close cores default",
                   name);
    bx_check_refused(&slower, ctx);
}

/* Libraries have the same names for different functions: each must find its own. */
static void check_apart(void)
{
    struct am_blas blas[4] = {0};
    struct am_err err = {0};

    for (size_t i = 0; am_blas_names[i]; i++) {
        if (am_blas_open(&blas[i], am_blas_names[i], &err) != AM_OK)
            continue;
        ok(blas[i].file[0] == '/' && blas[i].about[0], "%s is %s: %s", am_blas_names[i],
           blas[i].file, blas[i].about);
        for (size_t k = 0; k < i; k++)
            ok(blas[k].gemm[AM_GEMM_F64] != blas[i].gemm[AM_GEMM_F64], "%s and %s are not the same",
               am_blas_names[k], am_blas_names[i]);
    }
    ok(am_blas_open(&blas[3], "nonsense", &err) == AM_E_ABSENT, "an unknown library is absent");
    for (size_t i = 0; i < 4; i++)
        am_blas_close(&blas[i]);
}

/* A multiplier that leaves the last step of each product out. */
static void multiply_less(const void *self, const struct am_gemm_args *args, void *workspace)
{
    const struct am_gemm_own *const own = self;
    struct am_gemm_args less = *args;

    less.k--;
    am_gemm_multiply(own->kernel, &own->blocking, &less, workspace);
}

/* One that forgets what was there. */
static void multiply_anew(const void *self, const struct am_gemm_args *args, void *workspace)
{
    const struct am_gemm_own *const own = self;
    struct am_gemm_args anew = *args;

    anew.add = false;
    am_gemm_multiply(own->kernel, &own->blocking, &anew, workspace);
}

static void check_notices(enum am_gemm_type type,
                          void (*multiply)(const void *, const struct am_gemm_args *, void *),
                          const char *what)
{
    struct am_gemm_own own = {.kernel = &am_gemm_find("scalar")->kernel[type]};
    struct am_gemm_setup setup = {.type = type, .n = 160, .tile = 80, .threads = 1, .seed = 5};
    struct am_gemm *gemm = NULL;
    struct am_blocks blocks;
    struct am_err err = {0};
    double residual = 0;

    own.blocking = am_gemm_block(own.kernel, &(struct am_gemm_caches){0});
    setup.multiplier = (struct am_gemm_multiplier){
        .multiply = multiply,
        .self = &own,
        .workspace_bytes = am_gemm_workspace(own.kernel, &own.blocking),
    };
    if (!ok(am_gemm_new(&setup, &gemm, &err) == AM_OK, "matrices are made %s", err.text))
        return;
    blocks = am_gemm_filling(gemm);
    for (size_t i = 0; i < blocks.count; i++)
        blocks.run(blocks.app, i);
    blocks = am_gemm_products(gemm);
    for (size_t i = 0; i < blocks.count; i++)
        blocks.run(blocks.app, i);
    ok(am_gemm_check(gemm, &residual, &err) == AM_E_WRONG && residual > 10, "%s, %s: %s", what,
       am_gemm_types[type], err.text);
    am_gemm_free(gemm);
}

static void check_refused(const struct am_ctx *ctx)
{
    const struct bx_refused refused[] = {
        {bench, "serial scalar f64 own 100 10 own 2 close cores default", "one thread"},
        {bench, "task:bf scalar f64 own 0 10 own 1 close cores default", "0 rows"},
        {bench, "task:bf scalar f64 own 10 -1 own 1 close cores default", "-1"},
        {bench, "task:bf scalar f64 own 100 10 own 99 close cores default", "99 threads"},
        {bench, "task:bf scalar f64 own 4000 10 own 1 close cores default", "limit"},
        {bench, "task:bf scalar f32 own 1000 2 own 1 close cores default", "at most"},
        {bench, "task:bf scalar f32 own 1000000 2 own 1 close cores default", "1000000 rows"},
    };

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        bx_check_refused(&refused[i], ctx);
    bx_check_notices(bench, "task:dbf scalar f32 own 100 10 own 1 close cores default", ctx);
}

int main(void)
{
    int cpus[2];
    struct am_clock clock;
    struct am_ctx ctx = {.cpus = cpus,
                         .cpu_count = bx_cpus(cpus, 2),
                         .seed = 42,
                         .memory_limit_bytes = BX_LIMIT_BYTES,
                         .clock = &clock};

    bench = ax_bench(&am_task_set, "app.gemm");
    ctx.bench = bench;
    am_clock_init(&clock);
    check_rule();
    check_executors(&ctx);
    check_shared(&ctx);
    check_isas(&ctx);
    for (size_t i = 0; am_blas_names[i]; i++)
        check_library(am_blas_names[i], &ctx);
    check_apart();
    for (int type = 0; type < AM_GEMM_TYPES; type++) {
        check_notices((enum am_gemm_type)type, multiply_less, "a missing step is noticed");
        check_notices((enum am_gemm_type)type, multiply_anew, "a sum that begins anew is noticed");
    }
    check_refused(&ctx);
    return tap_done();
}
