/* SPDX-License-Identifier: MIT */
/* What kernels/local.cl must find; the names are those of that file. */
#include "bench/ocl/host/walk.h"

enum { STEP = 5 };

static const uint32_t factor = UINT32_C(2654435761);

static uint32_t area(const struct am_ocl_walk *walk)
{
    return AM_OCL_WALK_BYTES / (uint32_t)sizeof(uint32_t) / walk->width;
}

static uint32_t hop(const struct am_ocl_walk *walk)
{
    return area(walk) / 32;
}

uint32_t am_ocl_walk_place(const struct am_ocl_walk *walk, uint32_t lane, uint32_t turn, uint32_t i)
{
    const uint32_t at = lane * walk->stride + turn * STEP;

    return (at & (area(walk) / 2 - 1)) + i * hop(walk);
}

uint32_t am_ocl_walk_result(const struct am_ocl_walk *walk, uint32_t lane, uint32_t turns)
{
    uint32_t sum = 0;

    if (walk->writes) {
        const uint32_t last = am_ocl_walk_place(walk, lane, turns - 1, 0);

        return AM_OCL_WALK_ACCESSES * walk->width * ((last & (hop(walk) - 1)) * factor ^ walk->key);
    }
    for (uint32_t t = 0; t < turns; t++) {
        for (uint32_t i = 0; i < AM_OCL_WALK_ACCESSES; i++)
            sum += am_ocl_walk_place(walk, lane, t, i) * factor ^ walk->key;
    }
    return walk->width * sum;
}
