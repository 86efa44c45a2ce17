/* SPDX-License-Identifier: MIT */
/* A chain of dependent loads: the kernel of mem.latency. */
#ifndef AM_KERNELS_CHASE_H
#define AM_KERNELS_CHASE_H

#include <stdint.h>

/* Follows `steps` pointers, each stored where the one before it points; returns the last. */
const void *am_chase(const void *from, uint64_t steps);

#endif
