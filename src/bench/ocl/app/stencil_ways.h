/* SPDX-License-Identifier: MIT */
/* A point of app.stencil on devices, and how each variant does it: stencil_opencl.c has the hooks
 * and the ways of one dimension, stencil_grid_ways.c those of two and three. */
#ifndef AM_BENCH_OCL_APP_STENCIL_WAYS_H
#define AM_BENCH_OCL_APP_STENCIL_WAYS_H

#include "bench/apps/stencil.h"
#include "bench/ocl/app/stencil_parts.h"
#include "bench/ocl/app/stencil_plain.h"
#include "bench/ocl/app/stencil_resident.h"
#include "bench/ocl/app/stencil_tune.h"
#include "bench/ocl/host/together.h"
#include "bench/ocl/host/timing.h"

struct am_ocl_stencil_point {
    struct am_ocl_together devices;
    struct am_ocl_timer timer;
    const struct am_ocl_stencil_way *way;
    struct am_ocl_stencil_spec spec;
    unsigned dim;
    struct am_ocl_stencil st;        /* slice */
    struct am_ocl_plain plain;       /* auto */
    struct am_ocl_resident resident; /* local, registers */
    size_t grids;                    /* alike, each of spec.n points */
    struct am_ocl_grid grid;         /* two and three dimensions */
    struct am_ocl_wave wave;         /* its passes, where it has them, */
    struct am_ocl_sweep sweep;       /* and where it has none */
    struct am_ocl_parts parts;       /* the same on several devices */
    uint64_t runs;                   /* since prepare */
    uint64_t seed;
    double executed;          /* operations of one iteration */
    double bound_ns, peak_ns; /* that one iteration needs at least; 0: not known */
    uint64_t copy_ns;         /* in which a grid is copied from array to array; 0: not known */
};

/* How a variant is done in one dimension, or in more. */
struct am_ocl_stencil_way {
    const char *variant;
    enum am_status (*open)(struct am_ocl_stencil_point *w, const struct am_stencil_task *task,
                           struct am_err *err); /* w->spec and w->devices are set */
    enum am_status (*fill)(struct am_ocl_stencil_point *w, struct am_err *err);
    enum am_status (*run)(struct am_ocl_stencil_point *w, uint64_t iters, uint64_t *elapsed_ns,
                          struct am_err *err);
    size_t (*passes)(const struct am_ocl_stencil_point *w); /* over all points, of one iteration */
    /* The outcome of any number of iterations, and of one from the start. */
    enum am_status (*look)(struct am_ocl_stencil_point *w, struct am_err *err);
    enum am_status (*check)(struct am_ocl_stencil_point *w, double *residual, struct am_err *err);
    struct am_stencil_view (*view)(const struct am_ocl_stencil_point *w); /* of lines */
};

/* Of two and three dimensions, ended by a NULL variant. */
extern const struct am_ocl_stencil_way am_ocl_stencil_grid_ways[];

#endif
