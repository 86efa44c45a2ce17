/* SPDX-License-Identifier: MIT */
/* What kernels/local.cl must find: the walk of one work-item through local memory, on the host. */
#ifndef AM_BENCH_OCL_WALK_H
#define AM_BENCH_OCL_WALK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    AM_OCL_WALK_BYTES = 16 * 1024, /* of a work-group's memory */
    AM_OCL_WALK_ACCESSES = 16,     /* of a turn */
    AM_OCL_WALK_WIDTH_MAX = 16,
    AM_OCL_WALK_STRIDE_MAX = 1024,
};

struct am_ocl_walk {
    bool writes;
    uint32_t width;  /* words of 32 bits in an element */
    uint32_t stride; /* elements between neighbouring work-items */
    uint32_t group;  /* work-items of a group */
    uint32_t key;    /* of the values */
};

/* The element that access `i` of a turn (from 0) touches, for the work-item at place `lane` of its
 * group. */
uint32_t am_ocl_walk_place(const struct am_ocl_walk *walk, uint32_t lane, uint32_t turn,
                           uint32_t i);

/* Reading: what it has summed after `turns` of the loop. */
uint32_t am_ocl_walk_result(const struct am_ocl_walk *walk, uint32_t lane, uint32_t turns);

/* Writing: elements of a work-group's memory. */
uint32_t am_ocl_walk_elements(const struct am_ocl_walk *walk);
/* What an element holds after `turns` of one work-item that writes alone. */
uint32_t am_ocl_walk_left(const struct am_ocl_walk *walk, uint32_t lane, uint32_t element,
                          uint32_t turns);
/* Whether an element can hold `value` after `turns`: it is what one of the work-items wrote there
 * in the last of its turns that came by. Which of them was the last is left open, since nothing
 * orders them; that one of them has left out a turn is not. */
bool am_ocl_walk_may_hold(const struct am_ocl_walk *walk, uint32_t element, uint32_t turns,
                          uint32_t value);

#endif
