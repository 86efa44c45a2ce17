/* SPDX-License-Identifier: MIT */
/* The stencil in two and three dimensions on one OpenCL device: one step of all points per launch,
 * in a shape that comes near to the rate of memory (kernels/stencil_sweep.cl), and that rate
 * itself.
 *
 * Steps have the bits of the simple ones of the grid (stencil_grid.h), which is their proof. */
#ifndef AM_BENCH_OCL_STENCIL_SWEEP_H
#define AM_BENCH_OCL_STENCIL_SWEEP_H

#include "bench/ocl/app/stencil_grid.h"

struct am_ocl_sweep_shape {
    unsigned points[2]; /* of a work-item along x (1, 2, 4) and y (1 to 4; 2-D: 1) */
    unsigned group[2];  /* work-items of a group */
    unsigned chunk;     /* planes that a work-item goes through */
    unsigned unroll;    /* planes of the loop's body */
};

/* Zero-initialise. */
struct am_ocl_sweep {
    struct am_ocl_grid *grid;
    struct am_ocl_sweep_shape shape; /* as it is used: see below */
    struct am_ocl_program program;
    cl_kernel step, copy;
    size_t items[3];
};

/* Compiles. Points along x are lowered to what divides the grid's rows, groups to what the kernel
 * allows. The grid stays the caller's. */
enum am_status am_ocl_sweep_build(struct am_ocl_sweep *w, struct am_ocl_grid *grid,
                                  const struct am_ocl_sweep_shape *shape, struct am_err *err);
void am_ocl_sweep_free(struct am_ocl_sweep *w); /* accepts a zeroed or half-built struct */

/* Of a struct am_ocl_sweep. */
am_ocl_advance_fn am_ocl_sweep_advance;
/* As am_ocl_grid_prove(). */
enum am_status am_ocl_sweep_prove(struct am_ocl_sweep *w, size_t steps, struct am_err *err);

struct am_ocl_sweep_found {
    unsigned tried;   /* shapes that were timed */
    uint64_t step_ns; /* one step of the best; 0: not timed */
};

/* Builds the best of a few shapes; none is timed before am_ocl_sweep_prove() had nothing against
 * it. Where there is no room for proofs it is the likeliest one, untimed. The state is then that of
 * step 0. */
enum am_status am_ocl_sweep_tune(struct am_ocl_sweep *w, struct am_ocl_grid *grid,
                                 struct am_ocl_sweep_found *found, struct am_err *err);

/* The time in which the device copies the state from one of the grid's arrays to the other, by the
 * best of a few ways: what a step that reads every point once and writes it once takes at least.
 * AM_E_WRONG where a copy is not the state. The state stays. */
enum am_status am_ocl_sweep_time_copy(struct am_ocl_sweep *w, uint64_t *copy_ns,
                                      struct am_err *err);

#endif
