/* SPDX-License-Identifier: MIT */
/* mem.stride: the stride chase k = A[k] over working sets and strides; prefetchers take part. */
#include "bench/cpu/axes.h"
#include "bench/cpu/chasing.h"

enum axis_index { SIZE, STRIDE, PAGES, HWPREFETCH, ON };

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct am_chasing *const c = state;
    const struct am_chasing_spec spec = {
        .size = point[SIZE].i,
        .stride = point[STRIDE].i,
        .pages = (enum am_pages)point[PAGES].i,
        .pattern = AM_CHASE_STRIDE,
        .chains = 1,
    };
    const enum am_status s = am_chasing_prepare(c, ctx, &spec, work, err);

    if (s != AM_OK)
        return s;
    return am_hwswitch_prepare(&c->prefetchers, ctx, 1, (enum am_hwprefetch)point[HWPREFETCH].i,
                               err);
}

static const struct am_axis axes[] = {
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "l1/2,l1*2,l2/2,l2*2,8M,64M",
              .quick = "l1*2",
              .thorough = "16K:256M:*2",
              .help = "working set; each cell of it is visited once per round"},
    [STRIDE] = {.name = "stride",
                .kind = AM_AXIS_SIZE,
                .unit = "B",
                .dflt = "16:4K:*2",
                .quick = "64,256",
                .thorough = "8:16K:*2",
                .help = "from one load to the next; a multiple of 8"},
    [PAGES] = AM_AXIS_PAGES(.dflt = "any"),
    [HWPREFETCH] = AM_AXIS_HWPREFETCH(.dflt = "as-is"),
    [ON] = AM_AXIS_ON(.dflt = "machine,kind:*", .quick = "machine"),
    {.name = NULL},
};

const struct am_bench am_bench_mem_stride = {
    .name = "mem.stride",
    .summary = "load latency of an ascending stride chase, stride by size",
    .version = 1,
    .axes = axes,
    .metrics = am_chasing_metrics,
    .points_per_launch = 4,
    .prepare = prepare,
    AM_CHASING_HOOKS,
};
