/* SPDX-License-Identifier: MIT */
/* app.fft on the executors that need no library. */
#include "bench/apps/fft.h"
#include "bench/task/executors.h"

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    return am_fft_bench_prepare(state, am_task_executors, ctx, point, work, err);
}

static const struct am_axis axes[] = {
    AM_FFT_AXIS_ROWS(AM_APPS_EXECUTOR_AXIS(am_task_executor_names)),
    AM_TASK_AXIS_ROWS(AM_FFT_COMMON),
    {.name = NULL},
};

const struct am_bench am_bench_fft_task = {
    AM_FFT_BENCH,
    .axes = axes,
    .prepare = prepare,
};
