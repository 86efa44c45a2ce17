/* SPDX-License-Identifier: MIT */
/* app.stencil on the executors of OpenMP. */
#include "bench/apps/stencil.h"
#include "bench/omp/executor_omp.h"
#include "bench/omp/runtime.h"

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct am_omp omp;
    const enum am_status s = am_omp_open(&omp, ctx, point + AM_STENCIL_COMMON, err);

    return s == AM_OK ? am_stencil_prepare(state, am_omp_executors, ctx, point, work, err) : s;
}

static const struct am_axis axes[] = {
    AM_STENCIL_AXIS_ROWS(AM_STENCIL_VARIANT_AXIS(am_stencil_variants), AM_STENCIL_ISA_AXIS,
                         AM_STENCIL_EXECUTOR_AXIS(am_omp_executor_names, "omp-for"),
                         AM_STENCIL_DEVICE_AXIS),
    [AM_STENCIL_COMMON + AM_APPS_RUNTIME] = AM_OMP_RUNTIME_AXIS,
    [AM_STENCIL_COMMON + AM_APPS_THREADS] = AM_STENCIL_THREADS_AXIS("1,cpus", "cpus"),
    [AM_STENCIL_COMMON + AM_APPS_BINDING] = AM_OMP_BINDING_AXIS,
    [AM_STENCIL_COMMON + AM_APPS_PLACES] = AM_OMP_PLACES_AXIS,
    [AM_STENCIL_COMMON + AM_APPS_WAIT] = AM_OMP_WAIT_AXIS,
    {.name = NULL},
};

const struct am_bench am_bench_stencil_openmp = {
    AM_STENCIL_BENCH,
    AM_STENCIL_HOOKS,
    .axes = axes,
    .prepare = prepare,
};
