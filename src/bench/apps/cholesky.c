/* SPDX-License-Identifier: MIT */
/* app.cholesky: a factorisation by tiles, the example of dependences. Beside the speed stands how
 * near it comes to the least time that its graph allows: all work shared evenly, or the longest way
 * through the graph, whichever is more, with tasks as long as this thread alone needs for them. */
#include "app/cholesky/cholesky.h"
#include "bench/apps/apps.h"

#include <math.h>

/* Axes of a point, before those of am_apps_axis. */
enum axis { EXECUTOR, N, TILE };
enum metric { FLOPS, TIME, BOUND_SHARE };

struct cholesky {
    struct am_apps_engine engine;
    const struct am_clock *clock;
    struct am_cholesky *matrix;
    struct am_blocks blocks;
    double bound_s; /* of one factorisation */
};

static const struct am_metric metrics[] = {
    [FLOPS] = {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE, "n^3/3 operations"},
    [TIME] = {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "of one factorisation"},
    [BOUND_SHARE] = {"bound_share", "", AM_HIGHER, AM_RULE_OWN,
                     "least time that the graph allows, of the time taken"},
    {.name = NULL},
};

/* Two factorisations on this thread; the second one's tasks are timed, by kind. */
static double find_bound(const struct cholesky *c, size_t threads, double *critical_s)
{
    double seconds[AM_CHOLESKY_KINDS] = {0}, all = 0;
    size_t n[AM_CHOLESKY_KINDS] = {0};

    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < c->blocks.count; i++) {
            const enum am_cholesky_kind kind = am_cholesky_kind_of(c->matrix, i);
            const uint64_t begin = c->clock->now_ns(c->clock->self);

            c->blocks.run(c->blocks.app, i);
            seconds[kind] += turn ? (double)(c->clock->now_ns(c->clock->self) - begin) * 1e-9 : 0;
            n[kind] += (size_t)turn;
        }
    }
    for (size_t k = 0; k < AM_CHOLESKY_KINDS; k++) {
        all += seconds[k];
        seconds[k] = n[k] ? seconds[k] / (double)n[k] : 0;
    }
    *critical_s = am_cholesky_critical(c->matrix, seconds);
    return fmax(all / (double)threads, *critical_s);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *w, struct am_err *err)
{
    struct cholesky *const c = state;
    const int64_t n = point[N].i, tile = point[TILE].i,
                  threads = point[TILE + 1 + AM_APPS_THREADS].i;
    double critical_s;
    enum am_status s;

    if (n < 1 || tile < 1 || threads < 1)
        return am_fail(err, AM_E_ABSENT, "a matrix of %lld by tiles of %lld", (long long)n,
                       (long long)tile);
    c->clock = ctx->clock;
    s = am_cholesky_new((size_t)n, (size_t)tile, ctx->seed, &c->matrix, err);
    if (s == AM_OK)
        s = am_apps_open(&c->engine, ctx, point, err);
    if (s != AM_OK)
        return s;
    c->blocks = am_cholesky_blocks(c->matrix);
    c->bound_s = find_bound(c, (size_t)threads, &critical_s);
    am_cholesky_spoil(c->matrix); /* what this thread computed is not the executor's */
    am_ctx_note(ctx, "bound", "%.4g s, of which the longest way takes %.4g s; %zu tasks",
                c->bound_s, critical_s, c->blocks.count);
    am_ctx_chosen(ctx, "blocks", "%zu", c->blocks.count);
    w->flops = am_cholesky_flops(c->matrix);
    w->ops = 1;
    return c->engine.executor->prepare(c->engine.self, &c->blocks, err);
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct cholesky *const c = state;
    const uint64_t begin = c->clock->now_ns(c->clock->self);

    (void)err;
    c->engine.executor->run(c->engine.self, &c->blocks, iters);
    batch->elapsed_ns = c->clock->now_ns(c->clock->self) - begin;
    batch->values[BOUND_SHARE] =
        batch->elapsed_ns ? (double)iters * c->bound_s / ((double)batch->elapsed_ns * 1e-9) : NAN;
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct cholesky *const c = state;

    return am_cholesky_check(c->matrix, residual, err);
}

static void finish(void *state)
{
    struct cholesky *const c = state;

    am_apps_close(&c->engine);
    am_cholesky_free(c->matrix);
}

static const struct am_axis axes[] = {
    [EXECUTOR] = {.name = "executor"},
    [N] = {.name = "n", .kind = AM_AXIS_INT, .dflt = "2048", .quick = "512", .help = "rows"},
    [TILE] = {.name = "tile",
              .kind = AM_AXIS_INT,
              .dflt = "32,64,128",
              .quick = "64",
              .help = "rows and columns of a tile, a divisor of n"},
    {.name = NULL},
};

const struct am_app am_app_cholesky = {
    .bench = {.name = "app.cholesky",
              .summary = "Cholesky factorisation by tiles: tasks that wait for each other",
              .axes = axes,
              .version = 1,
              .metrics = metrics,
              .points_per_launch = 4,
              .state_size = sizeof(struct cholesky),
              .prepare = prepare,
              .run_timed = run_timed,
              .verify = verify,
              .finish = finish},
};
