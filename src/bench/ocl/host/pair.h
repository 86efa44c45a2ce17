/* SPDX-License-Identifier: MIT */
/* Two devices in one context, so that a command of either may name buffers that the other uses: two
 * devices of one driver, or both halves of one device.
 *
 * Each side has a queue of its own. What the first device says of itself is noted with the point;
 * the second is silent, since a point says everything once. */
#ifndef AM_BENCH_OCL_PAIR_H
#define AM_BENCH_OCL_PAIR_H

#include "bench/ocl/host/device.h"

enum { AM_OCL_PAIR = 2 };

/* Zero-initialise. */
struct am_ocl_pair {
    struct am_ctx silent;
    struct am_ocl_device opened[AM_OCL_PAIR]; /* as devices of their own */
    struct am_ocl_device side[AM_OCL_PAIR];   /* the same, or halves of the first, in one context */
};

/* The devices of these names; of one name twice: both halves of it. AM_E_ABSENT where a device
 * cannot be divided, or where two have different drivers. */
enum am_status am_ocl_pair_open(struct am_ocl_pair *p, const struct am_ctx *ctx, const char *first,
                                const char *second, struct am_err *err);
void am_ocl_pair_close(struct am_ocl_pair *p); /* accepts a zeroed or half-open struct */

#endif
