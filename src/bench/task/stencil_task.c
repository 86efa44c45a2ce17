/* SPDX-License-Identifier: MIT */
/* app.stencil on the executors that need no library. */
#include "bench/apps/stencil.h"
#include "bench/task/executors.h"

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    return am_stencil_prepare(state, am_task_executors, ctx, point, work, err);
}

/* One thread, unless more are asked for: the usual executor here is serial. */
static const struct am_axis axes[] = {
    AM_STENCIL_AXIS_ROWS(AM_STENCIL_VARIANT_AXIS(am_stencil_variants), AM_STENCIL_ISA_AXIS,
                         AM_STENCIL_EXECUTOR_AXIS(am_task_executor_names, "serial"),
                         AM_STENCIL_DEVICE_AXIS),
    [AM_STENCIL_COMMON + AM_APPS_RUNTIME] = AM_TASK_RUNTIME_AXIS,
    [AM_STENCIL_COMMON + AM_APPS_THREADS] = AM_STENCIL_THREADS_AXIS("1", "1"),
    [AM_STENCIL_COMMON + AM_APPS_BINDING] = AM_TASK_BINDING_AXIS,
    [AM_STENCIL_COMMON + AM_APPS_PLACES] = AM_TASK_PLACES_AXIS,
    [AM_STENCIL_COMMON + AM_APPS_WAIT] = AM_TASK_WAIT_AXIS,
    {.name = NULL},
};

const struct am_bench am_bench_stencil_task = {
    AM_STENCIL_BENCH,
    AM_STENCIL_HOOKS,
    .axes = axes,
    .prepare = prepare,
};
