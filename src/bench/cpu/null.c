/* SPDX-License-Identifier: MIT */
/* The bench that does nothing: what remains is the engine's own cost. */
#include "core/bench/bench.h"

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    (void)state, (void)ctx, (void)point, (void)err;
    work->ops = 1;
    return AM_OK;
}

static void run(void *state, uint64_t iters)
{
    (void)state, (void)iters;
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    (void)state, (void)err;
    *residual = 0;
    return AM_OK;
}

static void finish(void *state)
{
    (void)state;
}

static const struct am_axis axes[] = {
    {
        .name = "n",
        .kind = AM_AXIS_INT,
        .dflt = "1:4",
        .help = "a number without effect: several points share one launch",
    },
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"call", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "one timed batch of nothing"},
    {"beyond_clock", "s", AM_LOWER, AM_RULE_TIME_BEYOND_CLOCK,
     "the same, less one reading of the clock"},
    {.name = NULL},
};

static const struct am_systematic systematic[] = {
    {.metric = "call", .clock_counts = true},
    {.metric = "beyond_clock", .clock_counts = true, .difference = "call"},
    {.metric = NULL},
};

const struct am_bench am_bench_null = {
    .name = "null",
    .summary = "the engine's own overhead",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .systematic = systematic,
    .state_size = 0,
    .fixed_iters = 1,
    .points_per_launch = 4,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .finish = finish,
};
