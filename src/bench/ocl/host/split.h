/* SPDX-License-Identifier: MIT */
/* One OpenCL device as several: equal shares of its compute units, each with a context of its own,
 * as far from each other as devices are. */
#ifndef AM_BENCH_OCL_SPLIT_H
#define AM_BENCH_OCL_SPLIT_H

#include "bench/ocl/host/device.h"

enum { AM_OCL_SPLIT_MAX = 8 };

/* Zero-initialise. */
struct am_ocl_split {
    size_t n;
    struct am_ocl_device device[AM_OCL_SPLIT_MAX];
};

/* Equal shares of a device in `shares`, n of them. AM_E_ABSENT where it cannot be divided: GPUs,
 * most of them. They are never released (see split.c). */
enum am_status am_ocl_split_divide(const struct am_ocl_device *whole, size_t n,
                                   cl_device_id *shares, struct am_err *err);

/* `whole` must outlive it. AM_E_ABSENT as above. */
enum am_status am_ocl_split_open(struct am_ocl_split *split, const struct am_ocl_device *whole,
                                 size_t n, struct am_err *err);
void am_ocl_split_close(struct am_ocl_split *split); /* accepts a zeroed or half-open struct */

#endif
