/* SPDX-License-Identifier: MIT */
/* task.overhead on the executors of OpenMP. */
#include "bench/apps/empty.h"
#include "bench/omp/executor_omp.h"
#include "bench/omp/runtime.h"

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct am_omp omp;
    const enum am_status s = am_omp_open(&omp, ctx, point + AM_EMPTY_COMMON, err);

    return s == AM_OK ? am_empty_prepare(state, am_omp_executors, ctx, point, work, err) : s;
}

static const struct am_axis axes[] = {
    AM_EMPTY_AXIS_ROWS(AM_APPS_EXECUTOR_AXIS(am_omp_executor_names)),
    AM_OMP_APPS_AXIS_ROWS(AM_EMPTY_COMMON),
    {.name = NULL},
};

const struct am_bench am_bench_empty_openmp = {
    AM_EMPTY_BENCH,
    .axes = axes,
    .prepare = prepare,
};
