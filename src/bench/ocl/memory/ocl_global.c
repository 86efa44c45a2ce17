/* SPDX-License-Identifier: MIT */
/* ocl.global: bytes per second of a device's memory, by the order in which work-items touch it. */
#include "bench/ocl/memory/global.h"

enum axis_index { DEVICE, KERNEL, SHAPE, STRIDE, WIDTH, SIZE, EACH, GROUP };

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    const struct am_ocl_global_wish wish = {
        .device = point[DEVICE].name,
        .access = (enum am_ocl_access)point[KERNEL].i,
        .shape = (enum am_ocl_shape)point[SHAPE].i,
        .stride = point[STRIDE].i,
        .width = point[WIDTH].i,
        .size = point[SIZE].i,
        .each = point[EACH].i,
        .group = point[GROUP].i,
    };

    return am_ocl_global_prepare(state, ctx, &wish, work, err);
}

static const struct am_axis axes[] = {
    [DEVICE] = AM_OCL_DEVICE_AXIS,
    [KERNEL] = {.name = "kernel",
                .kind = AM_AXIS_NAME,
                .dflt = "read,write",
                .thorough = "all",
                .choices = am_ocl_access_names,
                .help = "what is done with the elements; copy: to another buffer"},
    [SHAPE] = {.name = "shape",
               .kind = AM_AXIS_NAME,
               .dflt = "all",
               .quick = "single,group",
               .choices = am_ocl_shape_names,
               .help =
                   "single: one element per work-item; group: a work-group reads pieces together; "
                   "strided: Formula 1; row, column: parts of a 1024 x 1024 matrix"},
    [STRIDE] = {.name = "stride",
                .kind = AM_AXIS_INT,
                .dflt = "0:4,6,8,12,16,32",
                .quick = "1",
                .thorough = "0:32,64:512:*2",
                .help = "elements between neighbouring work-items; row and column: elements that "
                        "each of them takes"},
    [WIDTH] = {.name = "width",
               .kind = AM_AXIS_INT,
               .dflt = "1,4,8",
               .quick = "0",
               .thorough = "1:16:*2",
               .help = "words of 32 bits in an element; 0: 16 on CPUs, 4 elsewhere"},
    [SIZE] = {.name = "size",
              .kind = AM_AXIS_SIZE,
              .unit = "B",
              .dflt = "0",
              .help = "bytes of the buffer, a power of two; 0: larger than the caches"},
    [EACH] = AM_OCL_EACH_AXIS,
    [GROUP] = AM_OCL_GROUP_AXIS,
    {.name = NULL},
};

static const struct am_metric metrics[] = {
    {"bandwidth", "B/s", AM_HIGHER, AM_RULE_BYTE_RATE,
     "bytes of the elements that were touched; copy: read and written"},
    {.name = NULL},
};

const struct am_bench am_bench_ocl_global = {
    .name = "ocl.global",
    .summary = "device memory: contiguous, strided, by rows and by columns",
    .version = 2,
    .axes = axes,
    .metrics = metrics,
    .state_size = sizeof(struct am_ocl_global),
    .points_per_launch = 16,
    .mixes = true,
    .cpus = AM_CPUS_ALL,
    .prepare = prepare,
    .run_timed = am_ocl_global_run,
    .verify = am_ocl_global_verify,
    .finish = am_ocl_global_finish,
};
