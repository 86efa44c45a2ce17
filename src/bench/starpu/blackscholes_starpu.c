/* SPDX-License-Identifier: MIT */
/* app.blackscholes on the executors of StarPU. */
#include "bench/apps/blackscholes.h"
#include "bench/starpu/executor_starpu.h"

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    return am_bs_prepare(state, am_starpu_executors, ctx, point, work, err);
}

static const struct am_axis axes[] = {
    AM_BS_AXIS_ROWS(AM_STARPU_EXECUTOR_AXIS),
    AM_STARPU_AXIS_ROWS(AM_BS_COMMON),
    {.name = NULL},
};

const struct am_bench am_bench_blackscholes_starpu = {
    AM_BS_BENCH,
    .named_only = true,
    .axes = axes,
    .prepare = prepare,
};
