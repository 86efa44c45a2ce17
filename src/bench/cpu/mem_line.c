/* SPDX-License-Identifier: MIT */
/* mem.line: two loads a stride apart, then two others anywhere; the second hits while a line holds
 * both. */
#include "bench/cpu/chasing.h"
#include "core/bench/place.h"

enum axis_index { SIZE, STRIDE, ON };

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    const struct am_chasing_spec spec = {
        .size = point[SIZE].i,
        .stride = point[STRIDE].i,
        .pages = AM_PAGES_ANY,
        .pattern = AM_CHASE_PAIR,
        .chains = 1,
    };

    return am_chasing_prepare(state, ctx, &spec, work, err);
}

static const struct am_axis axes[] = {
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "l1*16",
              .thorough = "l1*16,l2*16",
              .help = "working set; far beyond the cache whose lines are asked for"},
    [STRIDE] = {.name = "stride",
                .kind = AM_AXIS_SIZE,
                .unit = "B",
                .dflt = "8:512:*2",
                .quick = "16:256:*2",
                .help = "from one load of a pair to the other; a multiple of 8"},
    [ON] = AM_AXIS_ON(.dflt = "machine,kind:*", .quick = "machine"),
    {.name = NULL},
};

const struct am_bench am_bench_mem_line = {
    .name = "mem.line",
    .summary = "load latency of pairs of neighbours: shows the line size",
    .version = 1,
    .axes = axes,
    .metrics = am_chasing_metrics,
    .points_per_launch = 8,
    .prepare = prepare,
    AM_CHASING_HOOKS,
};
