/* SPDX-License-Identifier: MIT */
/* ocl.cache: bytes per second of a device's memory by the size of what is touched again and again.
 */
#include "bench/ocl/memory/global.h"

enum axis_index { DEVICE, KERNEL, SIZE, WIDTH, EACH, GROUP };

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    const struct am_ocl_global_wish wish = {
        .device = point[DEVICE].name,
        .access = (enum am_ocl_access)point[KERNEL].i,
        .shape = AM_OCL_GROUP, /* contiguous, and the start of a work-item is shared by sixteen */
        .stride = 1,
        .width = point[WIDTH].i,
        .size = point[SIZE].i,
        .each = point[EACH].i,
        .group = point[GROUP].i,
    };

    if (wish.size < 1)
        return am_fail(err, AM_E_ABSENT, "size %lld: a working set has bytes",
                       (long long)wish.size);
    return am_ocl_global_prepare(state, ctx, &wish, work, err);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [KERNEL] = {.name = "kernel",
                .kind = AM_AXIS_NAME,
                .dflt = "read",
                .thorough = "read,write",
                .choices = am_ocl_access_names,
                .help = "what is done with the elements"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "16K:1G:*2",
              .quick = "16K,256K,4M,64M",
              .help = "bytes that a launch goes round, a power of two"},
    [WIDTH] = {.name = "width",
               .kind = AM_AXIS_INT,
               .dflt = "4,16",
               .quick = "0",
               .help = "words of 32 bits in an element; 0: 16 on CPUs, 4 elsewhere"},
    [EACH] = AM_OCL_EACH_AXIS,
    [GROUP] = AM_OCL_GROUP_AXIS,
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE, "bytes of the elements that were touched"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_cache = {
    .name = "ocl.cache",
    .summary = "device memory by working set: the caches of a device",
    .version = 1,
    .named_only = true,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct am_ocl_global),
    .points_per_launch = 8,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = am_ocl_global_run,
    .verify = am_ocl_global_verify,
    .finish = am_ocl_global_finish,
};
