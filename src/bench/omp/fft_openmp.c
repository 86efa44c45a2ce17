/* SPDX-License-Identifier: MIT */
/* app.fft on the executors of OpenMP. */
#include "bench/apps/fft.h"
#include "bench/omp/executor_omp.h"
#include "bench/omp/runtime.h"

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct am_omp omp;
    const enum am_status s = am_omp_open(&omp, ctx, point + AM_FFT_COMMON, err);

    return s == AM_OK ? am_fft_bench_prepare(state, am_omp_executors, ctx, point, work, err) : s;
}

static const struct am_axis axes[] = {
    AM_FFT_AXIS_ROWS(AM_APPS_EXECUTOR_AXIS(am_omp_executor_names)),
    AM_OMP_APPS_AXIS_ROWS(AM_FFT_COMMON),
    {.name = NULL},
};

const struct am_bench am_bench_fft_openmp = {
    AM_FFT_BENCH,
    .axes = axes,
    .prepare = prepare,
};
