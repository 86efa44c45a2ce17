/* SPDX-License-Identifier: MIT */
/* The 1-D stencil on one OpenCL device as it is usually written: two arrays, a launch per step.
 * What slices are worth is told against it. */
#ifndef AM_BENCH_OCL_STENCIL_PLAIN_H
#define AM_BENCH_OCL_STENCIL_PLAIN_H

#include "bench/ocl/app/stencil_device.h"

/* Zero-initialise. */
struct am_ocl_plain {
    struct am_ocl_stencil_spec spec;
    struct am_stencil_coefs coefs;
    const struct am_ocl_device *device;
    struct am_ocl_program program;
    cl_kernel step, rescale, begin;
    cl_mem u[2];
    unsigned front; /* the array that holds the state */
    size_t group, items;
    size_t elements; /* of an array: one before the points, the rest behind them */
    size_t element_bytes;
};

/* AM_E_ABSENT where the device or the form cannot have it. The state is that of step 0. */
enum am_status am_ocl_plain_open(struct am_ocl_plain *p, const struct am_ocl_device *device,
                                 const struct am_ocl_stencil_spec *spec, struct am_err *err);
void am_ocl_plain_close(struct am_ocl_plain *p); /* accepts a zeroed or half-open struct */

enum am_status am_ocl_plain_fill(struct am_ocl_plain *p, struct am_err *err);
/* As am_ocl_stencil_run(). */
enum am_status am_ocl_plain_run(struct am_ocl_plain *p, uint64_t iters, uint64_t *elapsed_ns,
                                struct am_err *err);
struct am_stencil_view am_ocl_plain_view(const struct am_ocl_plain *p, uint64_t seed);

#endif
