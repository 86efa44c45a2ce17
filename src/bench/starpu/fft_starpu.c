/* SPDX-License-Identifier: MIT */
/* app.fft on the executors of StarPU. */
#include "bench/apps/fft.h"
#include "bench/starpu/executor_starpu.h"

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    return am_fft_bench_prepare(state, am_starpu_executors, ctx, point, work, err);
}

static const struct am_axis axes[] = {
    AM_FFT_AXIS_ROWS(AM_STARPU_EXECUTOR_AXIS),
    AM_STARPU_AXIS_ROWS(AM_FFT_COMMON),
    {.name = NULL},
};

const struct am_bench am_bench_fft_starpu = {
    AM_FFT_BENCH,
    .axes = axes,
    .prepare = prepare,
};
