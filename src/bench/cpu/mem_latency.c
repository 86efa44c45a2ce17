/* SPDX-License-Identifier: MIT */
/* mem.latency: time of one load that waits for the one before, by working set and order. */
#include "bench/cpu/axes.h"
#include "bench/cpu/chasing.h"

enum axis_index { SIZE, PATTERN, PAGES, STRIDE, CHAINS, ON };

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    const struct am_chasing_spec spec = {
        .size = point[SIZE].i,
        .pattern = (enum am_chase_pattern)point[PATTERN].i,
        .pages = (enum am_pages)point[PAGES].i,
        .stride = point[STRIDE].i,
        .chains = point[CHAINS].i,
    };

    return am_chasing_prepare(state, ctx, &spec, work, err);
}

/* cycles and load_time count every load; they equal the latency of a single chain. */
static const struct am_metric metrics[] = {
    {"latency", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "time from one load of a chain to its next"},
    {"cycles", "cycle", AM_LOWER, AM_RULE_CYCLES_PER_OP,
     "core cycles per load, all chains together, by the clock measured around the batch"},
    {"load_time", "s", AM_LOWER, AM_RULE_TIME_PER_OP, "time a load, all chains together"},
    {.name = NULL},
};

static const struct am_axis axes[] = {
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              /* evenly by the octave: stated sizes may be false, and would place them wrongly */
              .dflt = "4K:1G:*1.25",
              .quick = "4K:256M:*2",
              .thorough = "4K:2G:*1.19",
              .help = "working set, rounded down to cells"},
    [PATTERN] = {.name = "pattern",
                 .kind = AM_AXIS_NAME,
                 .dflt = "random,local",
                 .quick = "random",
                 .choices = am_chase_patterns,
                 .help = "random: any cell next, TLB misses included; local: all cells of a window "
                         "of 64 pages before the next window; page: one cell per page; stride: "
                         "ascending; pair: two neighbours, then two others"},
    [PAGES] = AM_AXIS_PAGES(.dflt = "any", .thorough = "small,huge"),
    [STRIDE] = {.name = "stride",
                .kind = AM_AXIS_SIZE,
                .unit = "B",
                .dflt = "64",
                .help = "from one cell to the next in memory; pattern=page has its own"},
    [CHAINS] = {.name = "chains",
                .kind = AM_AXIS_INT,
                .dflt = "1",
                .help = "chases side by side, each with its own loads under way"},
    [ON] = AM_AXIS_ON(.dflt = "machine,kind:*", .quick = "machine"),
    {.name = NULL},
};

const struct am_bench am_bench_mem_latency = {
    .name = "mem.latency",
    .summary = "load latency by a pointer chase",
    .version = 2,
    .axes = axes,
    .metrics = metrics,
    .prepare = prepare,
    AM_CHASING_HOOKS,
};
