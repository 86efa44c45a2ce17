/* SPDX-License-Identifier: MIT */
/* A grid whose parts lie with several processes: each has some of them, one after the other, and
 * what its first and its last part need of the processes beside it comes by messages.
 *
 * Devices know no messages: who has them (bench/mpi) hands a function in. Without a ring all parts
 * are here, and the first and the last are neighbours. */
#ifndef AM_BENCH_OCL_STENCIL_RING_H
#define AM_BENCH_OCL_STENCIL_RING_H

#include "base/status.h"

#include <stddef.h>

struct am_ocl_ring {
    size_t before, total; /* parts of the processes before this one, and of all */
    void *self;
    /* Sends `bytes` of the own first and last points to the process before and to the one after,
     * and gets as many of theirs: from[0] and from[1]. Waits for them. */
    enum am_status (*trade)(void *self, const void *first, const void *last, void *const from[2],
                            size_t bytes, struct am_err *err);
};

/* Of `whole` points or planes, the first of part i of all, in runs that differ by one at most. */
static inline size_t am_ocl_ring_start(size_t whole, size_t i, size_t total)
{
    return i * (whole / total) + (i < whole % total ? i : whole % total);
}

#endif
