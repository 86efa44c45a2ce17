/* SPDX-License-Identifier: MIT */
/* The stencil in two and three dimensions on one OpenCL device: passes of several steps
 * (kernels/stencil_wave.cl), and the search for the shape of their tiles.
 *
 * A pass reads a grid (stencil_grid.h) once and writes it once. Work-groups have tiles of its
 * planes, which overlap by the halo, and stream along its last dimension, which is cut too, so that
 * there are groups for all compute units. Steps that are no whole pass are made one by one. */
#ifndef AM_BENCH_OCL_STENCIL_WAVE_H
#define AM_BENCH_OCL_STENCIL_WAVE_H

#include "bench/ocl/app/stencil_grid.h"

enum { AM_OCL_WAVE_DEPTH_MAX = 16 }; /* beyond it no device has registers */

struct am_ocl_wave_shape {
    unsigned items[2];  /* work-items of a group along x and y; 2-D: the second is 1 */
    unsigned points[2]; /* of a work-item along x (1, 2, 4) and y (1 to 8; 2-D: 1) */
    unsigned depth;     /* steps of a pass */
    unsigned at_once;   /* levels that are exchanged at once: 1 to depth */
    unsigned ahead;     /* 1, 2: planes that are under way from memory */
    unsigned unroll;    /* planes of the loop's body: 1 to 17, a multiple of `ahead` */
    unsigned fetch;     /* 0, or planes ahead that are fetched into cache */
    bool pinned;        /* loads stay where the kernel has them */
    bool lanes;         /* 32 work-items along x pass their sides to each other, on NVIDIA's */
    unsigned cuts;      /* of the last dimension */
};

/* Zero-initialise. */
struct am_ocl_wave {
    struct am_ocl_grid *grid;
    struct am_ocl_wave_shape shape;
    struct am_ocl_program program;
    cl_kernel pass;
    unsigned halo[2];
    cl_uint own[2], chunk; /* points of a tile that it writes, planes of a cut */
    size_t groups[3];
};

/* Compiles. `cuts` of the shape is left for the next function. AM_E_ABSENT where the halo leaves
 * nothing of a tile, or the device lacks local memory or registers. The grid stays the caller's. */
enum am_status am_ocl_wave_build(struct am_ocl_wave *w, struct am_ocl_grid *grid,
                                 const struct am_ocl_wave_shape *shape, struct am_err *err);
/* Of local memory that a group takes. */
size_t am_ocl_wave_local_bytes(const struct am_ocl_grid *grid,
                               const struct am_ocl_wave_shape *shape);
/* May be called again with others; at most as many as there are planes. */
void am_ocl_wave_cut(struct am_ocl_wave *w, unsigned cuts);
void am_ocl_wave_free(struct am_ocl_wave *w); /* accepts a zeroed or half-built struct */

/* By passes; of a struct am_ocl_wave. */
am_ocl_advance_fn am_ocl_wave_advance;
/* As am_ocl_grid_prove(). */
enum am_status am_ocl_wave_prove(struct am_ocl_wave *w, size_t steps, struct am_err *err);

/* What a point asks for; 0 is left to the search. */
struct am_ocl_wave_wish {
    unsigned width; /* points of a tile along x */
    size_t depth;
};

struct am_ocl_wave_found {
    unsigned tried;      /* kernels and cuts that were timed */
    uint64_t sweep_ns;   /* one plain step */
    uint64_t planned_ns; /* one iteration, as the winner was timed */
};

/* Builds the best shape that is found in bounded time; no kernel is timed before
 * am_ocl_wave_prove() had nothing against it. The state is then that of step 0. */
enum am_status am_ocl_wave_tune(struct am_ocl_wave *w, struct am_ocl_grid *grid,
                                const struct am_ocl_wave_wish *wish,
                                struct am_ocl_wave_found *found, struct am_err *err);

/* Cuts of `planes` planes for so many tiles on so many places that run at once: the number with
 * which the last of them ends first, when each cut begins `depth` planes early and ends as many
 * late. */
unsigned am_ocl_wave_cuts(size_t tiles, size_t planes, unsigned depth, size_t places);

#endif
