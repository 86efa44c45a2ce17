/* SPDX-License-Identifier: MIT */
/* Several OpenCL devices as one, by the name NAME*2: equal devices where there are so many, else
 * shares of the compute units of one. For applications that cut their grid into a part for each. */
#ifndef AM_BENCH_OCL_TOGETHER_H
#define AM_BENCH_OCL_TOGETHER_H

#include "bench/ocl/host/split.h"

enum { AM_OCL_TOGETHER_MAX = 8 };

/* Zero-initialise. */
struct am_ocl_together {
    struct am_ocl_device device[AM_OCL_TOGETHER_MAX];
    struct am_ocl_split split;
    const struct am_ocl_device *use[AM_OCL_TOGETHER_MAX];
    size_t count; /* of `use` */
};

/* For an axis `device`: names of single devices as am_ocl_device_names(), and of several. */
const char *const *am_ocl_together_names(void);
const char *am_ocl_together_why_not(const char *name);

/* AM_E_ABSENT where there are none such. */
enum am_status am_ocl_together_open(struct am_ocl_together *w, const struct am_ctx *ctx,
                                    const char *choice, struct am_err *err);
void am_ocl_together_close(struct am_ocl_together *w); /* accepts a zeroed or half-open struct */

#endif
