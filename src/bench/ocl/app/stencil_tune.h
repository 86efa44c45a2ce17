/* SPDX-License-Identifier: MIT */
/* The 1-D stencil on OpenCL devices: the search for what a point leaves open. */
#ifndef AM_BENCH_OCL_STENCIL_TUNE_H
#define AM_BENCH_OCL_STENCIL_TUNE_H

#include "bench/ocl/app/stencil_device.h"

/* What a point asks for; 0 is left to the search. */
struct am_ocl_stencil_wish {
    unsigned width;
    size_t depth;
    uint64_t seed; /* of the points that are compared */
};

/* Builds the best shape that is found in bounded time: on GPUs where edges lie, the size and number
 * of groups, then widths, then transfers; on CPUs what their vectors suggest. No kernel is timed
 * before its outcome was compared with the reference. `tried` counts those that were timed. */
enum am_status am_ocl_stencil_tune(struct am_ocl_stencil *st,
                                   const struct am_ocl_device *const *devices, size_t count,
                                   const struct am_ocl_stencil_spec *spec,
                                   const struct am_ocl_stencil_wish *wish, unsigned *tried,
                                   struct am_err *err);

/* Steps of the loop's body: as many as keep its instructions in the smallest cache for them. */
unsigned am_ocl_stencil_unroll(unsigned width, enum am_stencil_form form);

/* Passes of at most `most` steps, all about equal, whole multiples of `multiple` where there is
 * room: the shortest are the cheapest. */
size_t am_ocl_stencil_even_depth(size_t steps, size_t most, size_t multiple);

#endif
