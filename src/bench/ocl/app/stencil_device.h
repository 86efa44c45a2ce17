/* SPDX-License-Identifier: MIT */
/* The 1-D stencil on OpenCL devices: lanes, passes of slices (kernels/stencil.cl), their exchange.
 *
 * The grid is cut into one run of points per device, each run into lanes. A pass of up to `depth`
 * steps first copies each lane's neighbourhood (exchange), then steps all lanes on their own. Lanes
 * at the end of a device's run have their neighbours on another device: these come through the
 * host, all at once, before the exchange. */
#ifndef AM_BENCH_OCL_STENCIL_DEVICE_H
#define AM_BENCH_OCL_STENCIL_DEVICE_H

#include "app/stencil/forms.h"
#include "bench/apps/stencil_check.h"
#include "bench/ocl/app/stencil_ring.h"
#include "bench/ocl/host/device.h"
#include "bench/ocl/host/program.h"

enum {
    AM_OCL_STENCIL_WIDTH_MAX = 207, /* 16 * 12 + 15: what kernels/stencil.cl can write out */
    AM_OCL_STENCIL_PARTS_MAX = 8,   /* devices */
};

struct am_ocl_stencil_spec {
    enum am_stencil_form form;
    enum am_stencil_type type;
    size_t n;                       /* grid points, 1 or more */
    size_t steps;                   /* of an iteration, 1 or more */
    double r;                       /* above 0, to 1/2 */
    const struct am_ocl_ring *ring; /* of slices: the parts here are some of all; NULL: all */
};

/* How it is done. */
struct am_ocl_stencil_shape {
    unsigned width;   /* points of a slice */
    unsigned group;   /* work-items of a group */
    unsigned vector;  /* lanes of a work-item: 1, 2, 4, 8, 16 */
    unsigned pack;    /* points moved at once: 1, 2, 4; 1 with vectors */
    unsigned unroll;  /* steps of the loop's body: 1, 2, 4, 8 */
    unsigned groups;  /* of each device */
    bool local_edges; /* in local memory, else in global memory */
    size_t depth;     /* steps of a pass */
};

/* A device's run of points. */
struct am_ocl_stencil_part {
    const struct am_ocl_device *device;
    struct am_ocl_program program;
    cl_kernel pass, exchange, border, fill, differ;
    cl_mem u, edges, halo, border_out;
    size_t u_bytes, edges_bytes;
    size_t origin, n; /* its points */
    cl_ulong base;    /* points of a lane; the first `extra` lanes have one more */
    cl_uint extra, lanes, rows, ghosts;
    size_t arguments_for; /* steps that the kernels' arguments were set for; 0: not set */
};

/* Zero-initialise. */
struct am_ocl_stencil {
    struct am_ocl_stencil_spec spec;
    struct am_ocl_stencil_shape shape; /* as it is used: see below */
    struct am_stencil_coefs coefs;
    size_t element_bytes;
    size_t count; /* of parts */
    struct am_ocl_stencil_part part[AM_OCL_STENCIL_PARTS_MAX];
    char *borders; /* of several parts, in host memory; then those of other processes */
};

/* Compiles for `count` devices. `groups` of the shape is left for the next function, `pack` is
 * lowered to what divides width, steps and depth. AM_E_ABSENT where a device or the form cannot
 * have it. Devices and their context stay the caller's and must outlive it. */
enum am_status am_ocl_stencil_build(struct am_ocl_stencil *st,
                                    const struct am_ocl_device *const *devices, size_t count,
                                    const struct am_ocl_stencil_spec *spec,
                                    const struct am_ocl_stencil_shape *shape, struct am_err *err);

/* Cuts the grid into lanes, `groups` on each device, and makes room for passes of `depth`. Depth is
 * lowered to the number of points of a device and to a multiple of `pack`. May be called again with
 * others; the state is lost. AM_E_ABSENT where memory does not suffice. */
enum am_status am_ocl_stencil_lay_out(struct am_ocl_stencil *st, unsigned groups, size_t depth,
                                      struct am_err *err);
void am_ocl_stencil_free(struct am_ocl_stencil *st); /* accepts a zeroed or half-built struct */

/* The state at step 0: am_stencil_start() of each point. */
enum am_status am_ocl_stencil_fill(struct am_ocl_stencil *st, struct am_err *err);

/* `iters` times spec.steps steps. Waits for their end. Elapsed: by one device's events from the
 * first start to the last end, what is between two kernels included; with several devices by the
 * host's clock. */
enum am_status am_ocl_stencil_run(struct am_ocl_stencil *st, uint64_t iters, uint64_t *elapsed_ns,
                                  struct am_err *err);
size_t am_ocl_stencil_passes(const struct am_ocl_stencil *st); /* of one iteration */

/* Of commands that follow each other on one device: the first and the last, NULL where the first is
 * the only one. Zero-initialise. */
struct am_ocl_ends {
    cl_event first, last;
};
/* From the start of the first to the end of the last, which has been waited for. Releases both, and
 * accepts a zeroed struct: then the time stays as it is. */
enum am_status am_ocl_ends_take(struct am_ocl_ends *ends, uint64_t *elapsed_ns, struct am_err *err);

/* How many points are off by more than `allowed` from the outcome of plain steps (stencil_plain.h),
 * which lies in `plain` on the same device, and the first of them. Of one device. */
struct am_ocl_difference {
    cl_uint count, first;
};
enum am_status am_ocl_stencil_differ(const struct am_ocl_stencil *st, cl_mem plain, double allowed,
                                     struct am_ocl_difference *found, struct am_err *err);

/* For those who check. `self` of the view is st; a value that cannot be read is NAN. Its seams are
 * those between devices and between lanes. */
struct am_stencil_view am_ocl_stencil_view(const struct am_ocl_stencil *st, uint64_t seed);

/* A coefficient as kernels of the type take it. */
struct am_ocl_number {
    cl_float narrow;
    cl_double wide;
};
struct am_ocl_number am_ocl_number(double x);
struct am_ocl_arg am_ocl_number_arg(enum am_stencil_type type, const struct am_ocl_number *x);

#endif
