/* SPDX-License-Identifier: MIT */
/* mem.parallel: up to 32 chases side by side; how many misses one core keeps under way. */
#include "bench/cpu/axes.h"
#include "bench/cpu/chasing.h"

enum axis_index { SIZE, CHAINS, PAGES, ON };

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    const struct am_chasing_spec spec = {
        .size = point[SIZE].i,
        .stride = (int64_t)am_chasing_line(),
        .pages = (enum am_pages)point[PAGES].i,
        .pattern = AM_CHASE_RANDOM,
        .chains = point[CHAINS].i,
    };

    return am_chasing_prepare(state, ctx, &spec, work, err);
}

static const struct am_metric metrics[] = {
    {"load_time", "s", AM_LOWER, AM_RULE_TIME_PER_OP, "time a load, all chains together"},
    {"cycles", "cycle", AM_LOWER, AM_RULE_CYCLES_PER_OP,
     "the same by the core clock measured around the batch"},
    {"latency", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "time from one load of a chain to its next"},
    {.name = NULL},
};

static const struct am_axis axes[] = {
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "l1/2,l2/2,l3/8,256M",
              .quick = "64M",
              .thorough = "8K:512M:*4",
              .help = "working set of all chains together"},
    [CHAINS] = {.name = "chains",
                .kind = AM_AXIS_INT,
                .dflt = "1,2,4,6,8,10,12,16,20,24,32",
                .quick = "1,8,32",
                .thorough = "1:32",
                .help = "chases side by side, each with its own loads under way"},
    [PAGES] = AM_AXIS_PAGES(.dflt = "any"),
    [ON] = AM_AXIS_ON(.dflt = "machine,kind:*", .quick = "machine"),
    {.name = NULL},
};

const struct am_bench am_bench_mem_parallel = {
    .name = "mem.parallel",
    .summary = "load latency with several chases at once: memory-level parallelism",
    .version = 1,
    .axes = axes,
    .metrics = metrics,
    .prepare = prepare,
    AM_CHASING_HOOKS,
};
