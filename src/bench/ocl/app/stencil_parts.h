/* SPDX-License-Identifier: MIT */
/* The stencil in two and three dimensions on several OpenCL devices.
 *
 * The last dimension, along which planes lie one after the other in memory, is cut into a run of
 * planes for each device. A device's grid (stencil_grid.h) has its run and, on either side,
 * `depth` planes of its neighbours: these are right for `depth` steps, by one pass of waves
 * (stencil_wave.h) or one by one, and come anew through the host before the next ones. What a pass
 * makes of the planes at the ends is never used. Contexts are apart, as with devices of different
 * boards.
 *
 * Where a ring is given, the parts here are some of all, and the planes beyond the first and the
 * last come from other processes. Then every process compares its own planes. */
#ifndef AM_BENCH_OCL_STENCIL_PARTS_H
#define AM_BENCH_OCL_STENCIL_PARTS_H

#include "bench/ocl/app/stencil_ring.h"
#include "bench/ocl/app/stencil_sweep.h"
#include "bench/ocl/app/stencil_wave.h"

/* A device's run of planes. */
struct am_ocl_grid_part {
    struct am_ocl_grid grid;
    struct am_ocl_wave wave;   /* where there are passes, */
    struct am_ocl_sweep sweep; /* and where there are none */
    size_t origin, planes;
};

/* Zero-initialise. */
struct am_ocl_parts {
    struct am_ocl_grid_spec spec; /* of the whole grid */
    size_t count, depth;
    bool passes;
    struct am_ocl_grid_part part[AM_OCL_STENCIL_PARTS_MAX];
    char *borders; /* in host memory, of each part those at its beginning and at its end; then
                      those of the processes before and after */
    struct am_ocl_ring ring; /* total 0: all parts are here */
};

/* With passes of the shape, or, where it is NULL, step by step with an exchange after each. `ring`
 * NULL: all parts are here.
 * AM_E_ABSENT where a part has fewer planes than a pass has steps, or as the functions of grids and
 * waves. Devices stay the caller's and must outlive it. */
enum am_status am_ocl_parts_open(struct am_ocl_parts *w, const struct am_ocl_device *const *devices,
                                 size_t count, const struct am_ocl_grid_spec *spec,
                                 const struct am_ocl_wave_shape *shape,
                                 const struct am_ocl_ring *ring, struct am_err *err);
void am_ocl_parts_close(struct am_ocl_parts *w); /* accepts a zeroed or half-open struct */

enum am_status am_ocl_parts_fill(struct am_ocl_parts *w, struct am_err *err); /* step 0 */
/* Waits for the end. */
enum am_status am_ocl_parts_advance(struct am_ocl_parts *w, size_t steps, struct am_err *err);

/* AM_E_WRONG unless all points here have the bits that `steps` plain steps of the whole grid have,
 * made by the first device alone; AM_E_ABSENT where it has no room for them. */
enum am_status am_ocl_parts_match(const struct am_ocl_parts *w, size_t steps, struct am_err *err);
/* The same of steps from the start, which are made first: the state is then that after them. */
enum am_status am_ocl_parts_prove(struct am_ocl_parts *w, size_t steps, struct am_err *err);
/* As those of a grid, with the planes where parts meet. */
enum am_status am_ocl_parts_look(const struct am_ocl_parts *w, uint64_t seed, struct am_err *err);
enum am_status am_ocl_parts_compare(const struct am_ocl_parts *w, size_t steps, uint64_t seed,
                                    double *residual, struct am_err *err);

#endif
