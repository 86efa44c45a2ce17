/* SPDX-License-Identifier: MIT */
/* ocl.scale: one vector addition, shared out to any number of items by OpenCL, POSIX threads or
 * OpenMP. Three kinds of workers have this bench; what must be the same in all of them stands here.
 */
#ifndef AM_BENCH_SHARED_SCALE_H
#define AM_BENCH_SHARED_SCALE_H

#include "core/bench/bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum am_scale_axis { AM_SCALE_DEVICE, AM_SCALE_BACKEND, AM_SCALE_ITEMS, AM_SCALE_SIZE };

/* Rows of the axes' table. Each worker lists its own devices and its own backend. */
#define AM_SCALE_DEVICE_AXIS(names)                                                                \
    {                                                                                              \
        .name = "device", .kind = AM_AXIS_NAME, .dflt = "usable", .choices = names,                \
        .help = "OpenCL device; the OpenMP library; host"                                          \
    }
#define AM_SCALE_BACKEND_AXIS(names)                                                               \
    {                                                                                              \
        .name = "backend", .kind = AM_AXIS_NAME, .dflt = "all", .choices = names,                  \
        .help = "what an item is: a work-item of OpenCL, a POSIX thread, a thread of OpenMP"       \
    }
#define AM_SCALE_ITEMS_AXIS                                                                        \
    {                                                                                              \
        .name = "items", .kind = AM_AXIS_INT, .dflt = "1:65536:*4", .quick = "1,16,256,4096",      \
        .thorough = "1:65536:*2", .help = "work-items, or threads (256 at the most)"               \
    }
#define AM_SCALE_SIZE_AXIS                                                                         \
    {                                                                                              \
        .name = "size", .kind = AM_AXIS_SIZE, .unit = "B", .dflt = "64M", .quick = "16M",          \
        .help = "bytes of each of the three arrays"                                                \
    }
#define AM_SCALE_AXIS_ROWS(device_axis, backends)                                                  \
    [AM_SCALE_DEVICE] = device_axis, [AM_SCALE_BACKEND] = AM_SCALE_BACKEND_AXIS(backends),         \
    [AM_SCALE_ITEMS] = AM_SCALE_ITEMS_AXIS, [AM_SCALE_SIZE] = AM_SCALE_SIZE_AXIS

/* Fields of the descriptor. One addition is one batch: at few items it takes long enough by itself.
 */
#define AM_SCALE_BENCH                                                                             \
    .name = "ocl.scale", .summary = "vector addition by 1 to 65536 work-items, beside threads",    \
    .version = 1, .named_only = true, .metrics = am_scale_metrics, .fixed_iters = 1,               \
    .points_per_launch = 4, .cpus = AM_CPUS_ALL
extern const struct am_metric am_scale_metrics[];

/* How the arrays are shared out: item i has the elements from i * share on. */
struct am_scale_shares {
    size_t n;     /* elements of an array */
    size_t items; /* as asked for */
    size_t share; /* elements of an item; the last one's may be fewer, or none */
};

/* Reads the point and states the work of one addition. `items_max` 0: any number. AM_E_ABSENT when
 * there is no such sharing, or no memory for `copies` times the three arrays. */
enum am_status am_scale_choose(struct am_scale_shares *s, const struct am_ctx *ctx,
                               const struct am_value *point, size_t items_max, size_t copies,
                               struct am_work *work, struct am_err *err);

/* Whole numbers below 4096 and without a pattern: their sums are exact. */
float am_scale_a(size_t i);
float am_scale_b(size_t i);

/* AM_E_WRONG unless every sum is there; `residual` is the number that are not. */
enum am_status am_scale_check(const struct am_scale_shares *s, const float *c, double *residual,
                              struct am_err *err);

/* Work-items of a work-group by the paper's rule: 256; below that all of them on a GPU, half of
 * them on a CPU, whose cores take one group each. */
size_t am_scale_group(size_t items, bool is_cpu);

/* ---- for threads of the host ---- */

enum { AM_SCALE_THREADS_MAX = 256 }; /* the paper's limit */

struct am_scale_arrays {
    struct am_scale_shares scale;
    float *a, *b, *c;
};

/* Memory without pages yet: who fills a share decides where it lies. */
enum am_status am_scale_arrays_new(struct am_scale_arrays *x, struct am_err *err);
void am_scale_arrays_free(struct am_scale_arrays *x); /* accepts a zeroed struct */

/* The share of one item: its first values; its sums; and, between additions, no sums any more. */
void am_scale_fill(const struct am_scale_arrays *x, size_t item);
void am_scale_add(const struct am_scale_arrays *x, size_t item);
void am_scale_spoil(const struct am_scale_arrays *x, size_t item);

#endif
