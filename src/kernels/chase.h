/* SPDX-License-Identifier: MIT */
/* Chains of dependent loads: the kernels of mem.latency and its kin. */
#ifndef AM_KERNELS_CHASE_H
#define AM_KERNELS_CHASE_H

#include <stdint.h>

enum { AM_CHASE_CHAINS_MAX = 32 };

/* Follows `steps` pointers, each stored where the one before it points; returns the last. */
const void *am_chase(const void *from, uint64_t steps);

/* Moves each of the at[] `steps` pointers on: as many chains side by side as the variant has, the
 * loads of one independent of those of the others. */
typedef void am_chase_fn(const void **at, uint64_t steps);

/* Indexed by the number of chains, 1 to AM_CHASE_CHAINS_MAX. */
extern am_chase_fn *const am_chase_many[AM_CHASE_CHAINS_MAX + 1];

#endif
