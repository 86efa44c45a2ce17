/* SPDX-License-Identifier: MIT */
/* app.blackscholes on the executors that need no library. */
#include "bench/apps/blackscholes.h"
#include "bench/task/executors.h"

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    return am_bs_prepare(state, am_task_executors, ctx, point, work, err);
}

static const struct am_axis axes[] = {
    AM_BS_AXIS_ROWS(AM_APPS_EXECUTOR_AXIS(am_task_executor_names)),
    AM_TASK_AXIS_ROWS(AM_BS_COMMON),
    {.name = NULL},
};

const struct am_bench am_bench_blackscholes_task = {
    AM_BS_BENCH,
    .axes = axes,
    .prepare = prepare,
};
