/* SPDX-License-Identifier: MIT */
/* app.leukocyte on the executors that need no library. */
#include "bench/apps/leukocyte.h"
#include "bench/task/executors.h"

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    static const struct am_leuko_executors executors = {.list = am_task_executors};

    return am_leuko_prepare(state, &executors, ctx, point, work, err);
}

static const struct am_axis axes[] = {
    AM_LEUKO_AXIS_ROWS(AM_LEUKO_VARIANT_AXIS(am_mgvf_forms), AM_LEUKO_ISA_AXIS,
                       AM_LEUKO_EXECUTOR_AXIS(am_task_executor_names, "serial,task:dbf"),
                       AM_LEUKO_DEVICE_AXIS),
    AM_TASK_AXIS_ROWS(AM_LEUKO_COMMON),
    {.name = NULL},
};

const struct am_bench am_bench_leukocyte_task = {
    AM_LEUKO_BENCH,
    AM_LEUKO_HOOKS,
    .axes = axes,
    .prepare = prepare,
};
