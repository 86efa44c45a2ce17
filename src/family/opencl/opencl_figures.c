/* SPDX-License-Identifier: MIT */
/* Figures of OpenCL devices, a row per picture. */
#include "family/opencl/opencl.h"

static const char section[] = "Devices";

#define FIGURE(kind_, name_, title_, bench_, metric_, x_, caption_)                                \
    .name = name_, .section = section, .title = title_, .caption = caption_, .bench = bench_,      \
    .metric = metric_, .kind = kind_, .x = x_
#define LINES(...) FIGURE(AM_FIGURE_LINES, __VA_ARGS__)
#define BARS(...) FIGURE(AM_FIGURE_BARS, __VA_ARGS__)
#define TABLE(...) FIGURE(AM_FIGURE_TABLE, __VA_ARGS__)

const struct am_figure_row am_opencl_figures[] = {
    {LINES("ocl-arith", "Arithmetic of the device", "ocl.arith", "flops", "width",
           "Throughput by operation and vector width."),
     .series = "op", .panel = "type", .xscale = AM_SCALE_LOG2, .x_title = "vector width"},
    {BARS("ocl-arith-peak", "Arithmetic peak of the device", "ocl.arith", "flops", "type",
          "The best configuration found, by element type and operation."),
     .series = "op", .panel = "device", .where = "mode=throughput"},
    {TABLE("ocl-builtin", "Built-in functions", "ocl.builtin", NULL, "function",
           "Calls per second and time per call, with the largest error found against the host.")},
    {LINES("ocl-global", "Global memory against stride", "ocl.global", "bandwidth", "stride",
           "Bytes that work-items touch. The curve falls until every item has a line of "
           "its own."),
     .series = "kernel", .panel = "shape", .where = "shape=single,group,strided"},
    {LINES("ocl-matrix", "Rows and columns of a matrix", "ocl.global", "bandwidth", "stride",
           "Rows suit caches: each work-item goes through lines of its own. Columns suit "
           "devices whose neighbouring work-items share an access."),
     .series = "shape", .panel = "kernel", .where = "shape=row,column", .xscale = AM_SCALE_LOG2,
     .x_title = "elements per work-item"},
    {LINES("ocl-cache", "Device memory against working set", "ocl.cache", "bandwidth", "size",
           "Bytes per second of a buffer that is gone round. Each fall is the end of a cache."),
     .series = "kernel", .xscale = AM_SCALE_LOG2, .yscale = AM_SCALE_LOG10},
    {LINES("ocl-latency", "Latency of device memory against working set", "ocl.latency", "latency",
           "size", "One work-item that waits for each load. Each step is the end of a level."),
     .series = "space", .xscale = AM_SCALE_LOG2, .yscale = AM_SCALE_LOG10},
    {LINES("ocl-intensity", "Between memory and arithmetic", "ocl.intensity", "flops", "fmas",
           "Operations per second by fused multiply-adds per 16 bytes, an 8th of which is "
           "flop per byte. Slanted: memory is the limit; flat: arithmetic."),
     .series = "type", .xscale = AM_SCALE_LOG2, .yscale = AM_SCALE_LOG10,
     .x_title = "fused multiply-adds per 16 bytes"},
    {LINES("ocl-local", "Local memory against stride", "ocl.local", "bandwidth", "stride",
           "Peaks at strides that meet every bank, valleys where items queue at a few."),
     .series = "kernel"},
    {LINES("ocl-constant", "Constant memory against stride", "ocl.constant", "bandwidth", "stride",
           "Bytes that work-items receive. Far apart on devices whose cache of constants "
           "serves one element at a time."),
     .series = "index", .panel = "size", .xscale = AM_SCALE_LOG2},
    {LINES("ocl-image", "Images against size", "ocl.image", "bandwidth", "size",
           "Bytes of the pixels read or written. The fall shows where caches end."),
     .series = "kernel", .panel = "format", .where = "shape=square", .xscale = AM_SCALE_LOG2},
    {LINES("ocl-image-shape", "Images of several shapes", "ocl.image", "bandwidth", "size",
           "The same number of pixels, tall or wide. Flat where the layout does not care."),
     .series = "shape", .panel = "kernel", .where = "format=rgba-float", .xscale = AM_SCALE_LOG2},
    {LINES("ocl-bus", "Between host and device", "ocl.bus", "bandwidth", "size",
           "Bandwidth of a transfer against its size, by direction and method."),
     .series = "method", .panel = "direction", .xscale = AM_SCALE_LOG2},
    {LINES("ocl-peer", "Between devices", "ocl.peer", "bandwidth", "size",
           "Bandwidth from one device to another against size, by copies and by way of the host."),
     .series = "way", .panel = "to", .xscale = AM_SCALE_LOG2},
    {BARS("ocl-atomic", "Atomic additions", "ocl.atomic", "rate", "counters",
          "Additions per second to counters that all work-items share, a group, or nobody."),
     .series = "space", .panel = "device"},
    {LINES("ocl-barrier", "Barriers of a group", "ocl.barrier", "time", "group",
           "Time of one barrier, by the work-items that wait for each other."),
     .series = "groups", .xscale = AM_SCALE_LOG2, .x_title = "work-items of a group"},
    {BARS("ocl-overlap", "Transfers beside kernels", "ocl.overlap", "hidden", "direction",
          "Share of the shorter of kernel and transfers that the other hides: 1 where a "
          "transfer costs nothing."),
     .series = "beside", .panel = "device", .where = "beside=compute,memory"},
    {BARS("ocl-subgroup", "Neighbours that work together", "ocl.subgroup", "rate", "together",
          "Results per second of sums, running sums and exchange, by local memory and by "
          "what the device has for neighbours."),
     .series = "way", .panel = "groups"},
    {LINES("ocl-svm", "Memory handed over", "ocl.svm", "time", "size",
           "Time of a trip from the host to a kernel and back, by the kind of memory."),
     .series = "memory", .xscale = AM_SCALE_LOG2, .yscale = AM_SCALE_LOG10},
    {BARS("ocl-dot", "Matrix units", "ocl.dot", "rate", "type",
          "Operations per second on small matrices that stay in registers."),
     .series = "way", .panel = "load"},
    {LINES("ocl-branch", "Diverging branches", "ocl.branch", "time", "paths",
           "Time against the number of paths: a step per path while items of one SIMD group "
           "take different ones."),
     .series = "by", .panel = "work", .xscale = AM_SCALE_LOG2, .yscale = AM_SCALE_LOG2},
    {LINES("ocl-scale", "Vector addition against parallelism", "ocl.scale", "time", "items",
           "The same addition by OpenCL work-items, by POSIX threads and by OpenMP."),
     .series = "backend", .xscale = AM_SCALE_LOG2, .yscale = AM_SCALE_LOG10,
     .x_title = "work-items or threads"},
    {0},
};
