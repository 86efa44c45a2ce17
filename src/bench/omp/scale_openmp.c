/* SPDX-License-Identifier: MIT */
/* ocl.scale, backend openmp: the vector addition by one parallel region. */
#include "bench/omp/runtime.h"
#include "bench/shared/scale.h"

#include <omp.h>

struct region {
    const struct am_clock *clock;
    struct am_scale_arrays arrays;
    bool ran;
};

typedef void share_fn(const struct am_scale_arrays *arrays, size_t item);

static void share_out(const struct am_scale_arrays *arrays, share_fn *fn)
{
#pragma omp parallel shared(arrays, fn) default(none)
    fn(arrays, (size_t)omp_get_thread_num());
}

static int team_size(void)
{
    int obtained = 0;

#pragma omp parallel shared(obtained) default(none)
#pragma omp single
    obtained = omp_get_num_threads();
    return obtained;
}

static enum am_status make_team(size_t items, struct am_err *err)
{
    int obtained;

    omp_set_dynamic(0);
    omp_set_num_threads((int)items);
    obtained = team_size();
    if (obtained != (int)items)
        return am_fail(err, AM_E_WRONG, "wrong: %zu threads asked for, %d obtained", items,
                       obtained);
    return AM_OK;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct region *const w = state;
    enum am_status s =
        am_scale_choose(&w->arrays.scale, ctx, point, AM_SCALE_THREADS_MAX, 1, work, err);

    w->clock = ctx->clock;
    if (s == AM_OK)
        s = am_scale_arrays_new(&w->arrays, err);
    if (s == AM_OK)
        s = make_team(w->arrays.scale.items, err);
    if (s == AM_OK)
        share_out(&w->arrays, am_scale_fill);
    return s;
}

static enum am_status run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                struct am_err *err)
{
    struct region *const w = state;
    uint64_t begin;

    (void)err;
    share_out(&w->arrays, am_scale_spoil);
    begin = w->clock->now_ns(w->clock->self);
    for (; iters; iters--)
        share_out(&w->arrays, am_scale_add);
    batch->elapsed_ns = w->clock->now_ns(w->clock->self) - begin;
    w->ran = true;
    return AM_OK;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct region *const w = state;

    *residual = 0;
    if (!w->ran)
        return am_fail(err, AM_E_WRONG, "wrong: no addition was made");
    return am_scale_check(&w->arrays.scale, w->arrays.c, residual, err);
}

static void finish(void *state)
{
    am_scale_arrays_free(&((struct region *)state)->arrays);
}

static const char *const backends[] = {"openmp", NULL};
static const struct am_axis axes[] = {
    AM_SCALE_AXIS_ROWS(AM_SCALE_DEVICE_AXIS(am_omp_runtimes), backends),
    {.name = NULL},
};

const struct am_bench am_bench_scale_openmp = {
    AM_SCALE_BENCH,     .axes = axes,           .state_size = sizeof(struct region),
    .prepare = prepare, .run_timed = run_timed, .verify = verify,
    .finish = finish,
};
