/* SPDX-License-Identifier: MIT */
/* Words that work-items leave, one each: some of them are computed again on the host. */
#ifndef AM_BENCH_OCL_CHECKED_H
#define AM_BENCH_OCL_CHECKED_H

#include "bench/ocl/host/device.h"

/* What a work-item must have left. */
typedef uint32_t am_ocl_expect_fn(const void *state, size_t item);

struct am_ocl_checking {
    const struct am_ocl_device *device;
    cl_mem out;    /* a word per work-item */
    size_t items;  /* that there are */
    unsigned n;    /* that are looked at, drawn anew for every `turn` */
    uint64_t turn; /* batches so far; 0: nothing was launched, which is wrong */
    am_ocl_expect_fn *expect;
    const void *state;
};

/* AM_E_WRONG "wrong: work-item ..." at the first that differs; *residual is 1 then, else 0. */
enum am_status am_ocl_checked(const struct am_ocl_checking *c, double *residual,
                              struct am_err *err);

#endif
