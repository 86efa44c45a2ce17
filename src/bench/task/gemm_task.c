/* SPDX-License-Identifier: MIT */
/* app.gemm on the executors that need no library. */
#include "bench/apps/gemm.h"
#include "bench/task/executors.h"

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    return am_gemm_prepare(state, am_task_executors, ctx, point, work, err);
}

static const struct am_axis axes[] = {
    AM_GEMM_AXIS_ROWS(AM_APPS_EXECUTOR_AXIS(am_task_executor_names)),
    AM_TASK_AXIS_ROWS(AM_GEMM_COMMON),
    {.name = NULL},
};

const struct am_bench am_bench_gemm_task = {
    AM_GEMM_BENCH,
    .axes = axes,
    .prepare = prepare,
};
