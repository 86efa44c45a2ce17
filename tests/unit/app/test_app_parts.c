/* SPDX-License-Identifier: MIT */
/* What applications say of the parts of their time, through their hooks: which they tell, that
 * those which are told apart make up the whole, and that the work is done right after loops were
 * replaced to measure them. */
#include "bench/apps/leukocyte_scene.h"
#include "bench/task/executors.h"
#include "apps_fixture.h"
#include "kernels/isa.h"

#include <math.h>

enum { PARTS_MAX = 32, NAME_MAX_ = 64 };

struct told {
    char names[PARTS_MAX][NAME_MAX_];
    double shares[PARTS_MAX];
    size_t n;
};

static void hear(void *self, const char *name, const char *value)
{
    struct told *const t = self;

    if (t->n < PARTS_MAX && (strncmp(name, "code_", 5) == 0 || strncmp(name, "step_", 5) == 0)) {
        (void)snprintf(t->names[t->n], sizeof(t->names[0]), "%s", name);
        t->shares[t->n++] = strtod(value, NULL);
    }
}

/* NAN: not told. */
static double share(const struct told *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++) {
        if (strcmp(t->names[i], name) == 0)
            return t->shares[i];
    }
    return (double)NAN;
}

/* Loops where their data lie, and all steps. */
static double sum_of(const struct told *t)
{
    double sum = share(t, "code_far");

    for (size_t i = 0; i < t->n; i++)
        sum += strncmp(t->names[i], "step_", 5) == 0 ? t->shares[i] : 0;
    return sum;
}

static bool all_sane(const struct told *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const bool counted = strcmp(t->names[i], "code_loops") == 0 ||
                             strcmp(t->names[i], "code_passes") == 0 ||
                             strcmp(t->names[i], "code_l2_bytes") == 0;

        if (!counted && !(t->shares[i] >= 0 && isfinite(t->shares[i])))
            return false;
    }
    return true;
}

/* Prepares, runs and verifies a point; what it told of itself. */
static void take(const char *name, const char *words, const struct am_ctx *like, struct told *told)
{
    const struct am_bench *const bench = ax_bench(&am_task_set, name);
    struct am_value point[AM_AXES_MAX];
    struct am_ctx ctx = *like;
    struct am_work work = {0};
    struct am_batch batch = {0};
    struct am_err err = {0};
    double residual = -1;
    void *const state = calloc(1, bench->state_size);
    bool good;

    *told = (struct told){.n = 0};
    ctx.bench = bench;
    ctx.chosen = hear;
    ctx.said_self = told;
    bx_point(bench, words, point);
    for (size_t i = 0; bench->axes[i].name; i++) {
        if (strcmp(bench->axes[i].name, "video") == 0) /* a free name, not ended by a blank */
            point[i].name = AM_SCENE_SYNTHETIC;
    }
    good = bench->prepare(state, &ctx, point, &work, &err) == AM_OK;
    if (good && bench->run_timed)
        good = bench->run_timed(state, 1, &batch, &err) == AM_OK;
    else if (good)
        bench->run(state, 1);
    ok(good && bench->verify(state, &residual, &err) == AM_OK, "%s %s is right: %s", name, words,
       err.text);
    ok(all_sane(told), "and no part is below nothing");
    bench->finish(state);
    free(state);
}

static void has(const struct told *told, const char *const *names)
{
    for (; *names; names++)
        ok(!isnan(share(told, *names)), "it tells %s", *names);
}

enum { TRIES = 5 };

static bool is_whole(const struct told *told)
{
    return fabs(sum_of(told) - 1) < 2e-3;
}

static void test_stencil(const struct am_ctx *ctx)
{
    static const char *const heads[] = {
        "1 auto scaled f32 sse2 0 0 12 40000 0", "1 slice scaled f64 sse2 0 0 12 40000 0",
        "2 auto paper f32 sse2 0 0 4 10000 0",   "2 slice scaled f32 sse2 0 0 8 10000 0",
        "2 wave scaled f64 sse2 0 0 8 10000 0",  "3 auto scaled f32 sse2 0 0 4 27000 0",
        "3 slice scaled f32 sse2 0 0 4 27000 0", "3 wave scaled f32 sse2 0 0 4 27000 0"};
    static const char *const parts[] = {"code_passes", "code_near", "code_far", "step_halo", NULL};
    static const char *const grids[] = {"step_around", NULL};
    static const char *const walks[] = {"code_walk", "code_walk_near", NULL};

    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        struct told told;
        char words[160];

        (void)snprintf(words, sizeof(words), "%s serial cpu own 1 close cores default", heads[i]);
        /* who is held back while one part is timed makes the sum another; never five times */
        for (int done = 0; done < TRIES && (done == 0 || !is_whole(&told)); done++)
            take("app.stencil", words, ctx, &told);
        has(&told, parts);
        has(&told, i < 2 ? &grids[1] : grids);
        has(&told, i == 0 ? walks : &walks[2]);
        ok(is_whole(&told), "loops, halo and what is around are the whole: %g", sum_of(&told));
    }
}

/* Of two threads nothing is told: parts would be those of one of them. */
static void test_threads(const struct am_ctx *ctx)
{
    struct told told;

    take("app.stencil",
         "2 slice scaled f32 sse2 0 0 8 10000 0 task:bf cpu own 2 close cores default", ctx, &told);
    ok(told.n == 0, "two threads: nothing is told");
}

static void test_leukocyte(const struct am_ctx *ctx)
{
    static const char *const parts[] = {"code_passes",
                                        "code_near",
                                        "code_far",
                                        "step_edges",
                                        "step_packing",
                                        "step_bookkeeping",
                                        "step_settling",
                                        "step_contours",
                                        "code_walk",
                                        "code_walk_near",
                                        NULL};
    struct told told;

    take("app.leukocyte", "lanes f64 sse2 serial cpu 1 1 synthetic 2 1 own 1 close cores default",
         ctx, &told);
    has(&told, parts);
    ok(sum_of(&told) > 1 - 5e-3, "all parts together are the whole, or more: %g", sum_of(&told));
}

static void test_others(const struct am_ctx *ctx)
{
    static const char *const gemm[] = {"code_passes", "code_near", "code_far", "step_packing",
                                       NULL};
    static const char *const options[] = {"code_passes", "code_near", "code_walk", "code_walk_near",
                                          NULL};
    struct told told;

    take("app.gemm", "serial sse2 f64 own 100 0 own 1 close cores default", ctx, &told);
    has(&told, gemm);
    take("app.gemm", "serial sse2 f32 own 100 32 own 1 close cores default", ctx, &told);
    has(&told, gemm);
    take("app.blackscholes", "serial sse2 f32 erf own 4096 1024 own 1 close cores default", ctx,
         &told);
    has(&told, options);
}

int main(void)
{
    struct am_clock clock;
    int cpu = 0;
    struct am_ctx ctx = {.cpus = (const int[]){0, 0},
                         .cpu_count = 2,
                         .seed = 7,
                         .memory_limit_bytes = BX_LIMIT_BYTES,
                         .clock = &clock};
    int cpus[2];

    if (strcmp(am_isa_names[1], "sse2") != 0) {
        skip_test(
            "parts are told the same way with any instruction set; words are those of x86-64");
        return tap_done();
    }
    (void)bx_cpus(&cpu, 1);
    cpus[0] = cpus[1] = cpu;
    ctx.cpus = cpus;
    am_clock_init(&clock);
    test_stencil(&ctx);
    test_threads(&ctx);
    test_leukocyte(&ctx);
    test_others(&ctx);
    return tap_done();
}
