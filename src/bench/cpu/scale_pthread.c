/* SPDX-License-Identifier: MIT */
/* ocl.scale, backend pthread: the vector addition by threads that exist beforehand. */
#include "bench/shared/scale.h"
#include "core/measure/team.h"

struct threaded {
    const struct am_clock *clock;
    struct am_scale_arrays arrays;
    struct am_team *team;
    bool ran;
};

static void fill(void *arg, size_t thread, size_t threads)
{
    (void)threads;
    am_scale_fill(arg, thread);
}

static void add(void *arg, size_t thread, size_t threads)
{
    (void)threads;
    am_scale_add(arg, thread);
}

static void spoil(void *arg, size_t thread, size_t threads)
{
    (void)threads;
    am_scale_spoil(arg, thread);
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct threaded *const w = state;
    enum am_status s =
        am_scale_choose(&w->arrays.scale, ctx, point, AM_SCALE_THREADS_MAX, 1, work, err);

    w->clock = ctx->clock;
    if (s == AM_OK)
        s = am_scale_arrays_new(&w->arrays, err);
    if (s == AM_OK)
        s = am_team_new(w->arrays.scale.items, ctx->cpus, ctx->cpu_count, &w->team, err);
    if (s == AM_OK)
        am_team_run(w->team, fill, &w->arrays);
    return s;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct threaded *const w = state;
    uint64_t begin;

    (void)err;
    am_team_run(w->team, spoil, &w->arrays);
    begin = w->clock->now_ns(w->clock->self);
    for (; iters; iters--)
        am_team_run(w->team, add, &w->arrays);
    batch->elapsed_ns = w->clock->now_ns(w->clock->self) - begin;
    w->ran = true;
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct threaded *const w = state;

    *residual = 0;
    if (!w->ran)
        return am_fail(err, AM_E_WRONG, "wrong: no addition was made");
    return am_scale_check(&w->arrays.scale, w->arrays.c, residual, err);
}

static void finish(void *state)
{
    struct threaded *const w = state;

    am_team_free(w->team);
    am_scale_arrays_free(&w->arrays);
}

static const char *const devices[] = {"host", NULL};
static const char *const backends[] = {"pthread", NULL};
static const struct am_axis axes[] = {
    AM_SCALE_AXIS_ROWS(AM_SCALE_DEVICE_AXIS(devices), backends),
    {.name = NULL},
};

const struct am_bench am_bench_scale_pthread = {
    AM_SCALE_BENCH,     .axes = axes,           .state_size = sizeof(struct threaded),
    .prepare = prepare, .run_timed = run_timed, .verify = verify,
    .finish = finish,
};
