/* SPDX-License-Identifier: MIT */
/* mem.ways: a chase over a few cells far apart, all in one set of the first-level cache. */
#include "bench/cpu/chasing.h"
#include "core/bench/place.h"

enum axis_index { CELLS, STRIDE, ON };

enum { CELLS_MAX = 4096 };

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    const int64_t cells = point[CELLS].i, stride = point[STRIDE].i;
    struct am_chasing_spec spec = {
        .stride = stride,
        .pages = AM_PAGES_ANY,
        .pattern = AM_CHASE_RANDOM,
        .chains = 1,
    };

    if (cells < 1 || cells > CELLS_MAX)
        return am_fail(err, AM_E_ABSENT, "cells %lld: 1 to %d", (long long)cells, CELLS_MAX);
    if (stride < 1 || stride > INT64_MAX / cells)
        return am_fail(err, AM_E_ABSENT, "stride %lld: no memory is that large", (long long)stride);
    spec.size = cells * stride;
    return am_chasing_prepare(state, ctx, &spec, work, err);
}

static const struct am_axis axes[] = {
    [CELLS] = {.name = "cells",
               .kind = AM_AXIS_INT,
               .dflt = "1:24",
               .quick = "2,4,8,9,12,13,16,17",
               .thorough = "1:40",
               .help = "lines that are visited in turn"},
    [STRIDE] = {.name = "stride",
                .kind = AM_AXIS_SIZE,
                .unit = "B",
                .dflt = "64K",
                .thorough = "16K,64K,256K,1M",
                .help = "from one to the next: a multiple of the bytes of one way"},
    [ON] = AM_AXIS_ON(.dflt = "machine,kind:*", .quick = "machine"),
    {.name = NULL},
};

const struct am_bench am_bench_mem_ways = {
    .name = "mem.ways",
    .summary = "load latency of cells that share a cache set: shows associativity",
    .version = 1,
    .axes = axes,
    .metrics = am_chasing_metrics,
    .points_per_launch = 8,
    .prepare = prepare,
    AM_CHASING_HOOKS,
};
