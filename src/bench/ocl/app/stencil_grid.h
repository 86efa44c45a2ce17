/* SPDX-License-Identifier: MIT */
/* The stencil in two and three dimensions on one OpenCL device: a grid in two arrays that take
 * turns, plain steps of it (kernels/stencil_grid.cl), and whether two outcomes have the same bits.
 *
 * Passes of several steps (stencil_wave.h) work on the same arrays. Their proof has two halves:
 * plain steps are compared with the reference on the host (bench/apps/grid_check.h), and passes
 * with plain steps, on the device, at every point and to the last bit. */
#ifndef AM_BENCH_OCL_STENCIL_GRID_H
#define AM_BENCH_OCL_STENCIL_GRID_H

#include "app/stencil/grid.h"
#include "bench/ocl/app/stencil_device.h"

struct am_ocl_grid_spec {
    unsigned dim; /* 2 or 3 */
    enum am_stencil_type type;
    size_t n[3];  /* points along x (fastest), y, z; 2-D: the last is 1 */
    size_t steps; /* of an iteration, 1 or more */
    double r;     /* above 0, to 1/4 or 1/6 */
    /* Of the last dimension `planes` from `first` on, over its end too (stencil_parts.h); 0: all.
     */
    size_t first, planes;
};

/* Zero-initialise. */
struct am_ocl_grid {
    struct am_ocl_grid_spec spec;
    struct am_stencil_coefs coefs; /* of the paper's form */
    const struct am_ocl_device *device;
    struct am_ocl_program program;
    cl_kernel sweep, begin, differ;
    cl_mem u[2],
        kept; /* `kept`: an outcome that another is compared with; made when it is needed */
    cl_mem lines, cosines, found;
    unsigned front;         /* the array that holds the state */
    cl_uint across[2], far; /* points of a plane along x and y, planes; 2-D: rows of nx by 1 */
    size_t group[2];        /* work-items of a group of plain steps */
    size_t points, element_bytes;
};

/* AM_E_ABSENT where the device or r cannot have it, or memory does not suffice. The device stays
 * the caller's and must outlive it. */
enum am_status am_ocl_grid_open(struct am_ocl_grid *g, const struct am_ocl_device *device,
                                const struct am_ocl_grid_spec *spec, struct am_err *err);
void am_ocl_grid_close(struct am_ocl_grid *g); /* accepts a zeroed or half-open struct */

/* The state at step 0. */
enum am_status am_ocl_grid_fill(struct am_ocl_grid *g, struct am_err *err);

/* Arguments of a kernel that steps the grid: both arrays, points across, planes, the kernel's own,
 * and the coefficients. */
enum am_status am_ocl_grid_args(const struct am_ocl_grid *g, cl_kernel kernel,
                                const struct am_ocl_arg *own, size_t n, struct am_err *err);
/* A kernel whose first two arguments are the array that holds the state and the one that will:
 * enqueued, and the arrays have taken turns. All other arguments are set. */
enum am_status am_ocl_grid_enqueue(struct am_ocl_grid *g, cl_kernel kernel, const size_t items[3],
                                   const size_t group[3], struct am_ocl_ends *ends,
                                   struct am_err *err);
/* The state, copied by the driver to the array that does not hold it: the same. */
enum am_status am_ocl_grid_copy(struct am_ocl_grid *g, struct am_ocl_ends *ends,
                                struct am_err *err);
/* A way to make steps, enqueued. */
typedef enum am_status am_ocl_advance_fn(void *self, size_t steps, struct am_ocl_ends *ends,
                                         struct am_err *err);
/* Simple steps of a struct am_ocl_grid: a work-item per point. What others are compared with. */
am_ocl_advance_fn am_ocl_grid_sweep;
/* Waits for all that is enqueued; elapsed from the first start to the last end of `ends`. */
enum am_status am_ocl_grid_wait(struct am_ocl_grid *g, struct am_ocl_ends *ends,
                                uint64_t *elapsed_ns, struct am_err *err);

/* Sets the state aside; AM_E_WRONG unless the state now has the bits of what was set aside. */
enum am_status am_ocl_grid_keep(struct am_ocl_grid *g, struct am_err *err);
enum am_status am_ocl_grid_same(struct am_ocl_grid *g, struct am_err *err);

/* From the start: AM_E_WRONG unless `steps` in that way and `steps` simple ones have the same bits;
 * as am_ocl_grid_keep() where there is no room for a third array. The state is then that after
 * these steps, made simply. */
enum am_status am_ocl_grid_prove(struct am_ocl_grid *g, am_ocl_advance_fn *advance, void *self,
                                 size_t steps, struct am_err *err);
/* So many steps, enqueued together, so many times: the least time of all these steps. */
enum am_status am_ocl_grid_time(struct am_ocl_grid *g, am_ocl_advance_fn *advance, void *self,
                                size_t steps, int times, uint64_t *ns, struct am_err *err);

/* Of the array that does not hold the state: makes it all zeros; AM_E_WRONG unless it has the
 * state's bits. */
enum am_status am_ocl_grid_clear_other(struct am_ocl_grid *g, struct am_err *err);
enum am_status am_ocl_grid_both_same(const struct am_ocl_grid *g, struct am_err *err);

struct am_grid_spec am_ocl_grid_spec_of(const struct am_ocl_grid *g); /* of the whole grid */
/* Of the state, at a point of this device; NAN: it cannot be read. */
double am_ocl_grid_value(const struct am_ocl_grid *g, const size_t at[3]);
/* All points of a row; no numbers where they cannot be read. */
void am_ocl_grid_row(const struct am_ocl_grid *g, size_t y, size_t z, double *values);

/* As am_grid_look() and am_grid_compare() (bench/apps/grid_check.h), of the state. */
enum am_status am_ocl_grid_look(const struct am_ocl_grid *g, uint64_t seed, struct am_err *err);
enum am_status am_ocl_grid_compare(const struct am_ocl_grid *g, size_t steps, uint64_t seed,
                                   double *residual, struct am_err *err);

#endif
