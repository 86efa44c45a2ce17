/* SPDX-License-Identifier: MIT */
/* The 1-D stencil on data that do not move (seed 004, figure 2): every work-item steps a small
 * periodic grid in its registers, or every work-group one in local memory; one launch is an
 * iteration. All grids are alike and all are compared: what a device could do if memory cost
 * nothing, and what its local memory allows. Only the paper's form. */
#ifndef AM_BENCH_OCL_STENCIL_RESIDENT_H
#define AM_BENCH_OCL_STENCIL_RESIDENT_H

#include "bench/ocl/app/stencil_device.h"

/* Zero-initialise. */
struct am_ocl_resident {
    struct am_ocl_stencil_spec spec; /* of one grid */
    struct am_stencil_coefs coefs;
    const struct am_ocl_device *device;
    struct am_ocl_program program;
    cl_kernel step, begin;
    cl_mem u;
    bool local; /* a grid per group, else per work-item */
    size_t group, items, grids;
    size_t element_bytes;
    void *row; /* one point of all grids, for reading */
};

/* AM_E_ABSENT where the device, the form or the number of points does not allow it. The state is
 * that of step 0. */
enum am_status am_ocl_resident_open(struct am_ocl_resident *p, const struct am_ocl_device *device,
                                    const struct am_ocl_stencil_spec *spec, bool local,
                                    struct am_err *err);
void am_ocl_resident_close(struct am_ocl_resident *p); /* accepts a zeroed or half-open struct */

enum am_status am_ocl_resident_fill(struct am_ocl_resident *p, struct am_err *err);
/* As am_ocl_stencil_run(). */
enum am_status am_ocl_resident_run(struct am_ocl_resident *p, uint64_t iters, uint64_t *elapsed_ns,
                                   struct am_err *err);
/* A point whose value is not the same in all grids is NAN. */
struct am_stencil_view am_ocl_resident_view(const struct am_ocl_resident *p, uint64_t seed);

#endif
