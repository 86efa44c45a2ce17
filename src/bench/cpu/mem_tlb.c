/* SPDX-License-Identifier: MIT */
/* mem.tlb: a chase over one line per page, on small pages and, for comparison, on huge ones. */
#include "bench/cpu/axes.h"
#include "bench/cpu/chasing.h"

enum axis_index { SIZE, PAGES, ON };

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    const struct am_chasing_spec spec = {
        .size = point[SIZE].i,
        .stride = AM_PAGE_BYTES,
        .pages = (enum am_pages)point[PAGES].i,
        .pattern = AM_CHASE_PAGE,
        .chains = 1,
    };

    return am_chasing_prepare(state, ctx, &spec, work, err);
}

static const struct am_axis axes[] = {
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "64K:64M:*1.2",
              .quick = "128K,1M,8M,64M",
              .thorough = "64K:512M:*1.1",
              .help = "span of the pages, 4 KiB each, of which one line is loaded"},
    [PAGES] = AM_AXIS_PAGES(.dflt = "small", .thorough = "small,huge"),
    [ON] = AM_AXIS_ON(.dflt = "machine,kind:*", .quick = "machine"),
    {.name = NULL},
};

const struct am_bench am_bench_mem_tlb = {
    .name = "mem.tlb",
    .summary = "load latency of one line per page: shows the reach of the TLBs",
    .version = 1,
    .axes = axes,
    .metrics = am_chasing_metrics,
    .points_per_launch = 4,
    .prepare = prepare,
    AM_CHASING_HOOKS,
};
