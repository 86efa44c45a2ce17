/* SPDX-License-Identifier: MIT */
/* A branch that is taken or not as bytes in memory say: its pattern comes round after a period. */
#ifndef AM_KERNELS_BRANCH_H
#define AM_KERNELS_BRANCH_H

#include <stdint.h>

/* Goes through bytes 0 to period - 1 over and over, so many steps, both at least 1; returns at how
 * many of them the byte was not zero. A step has one branch on its byte, and one for the loop. */
uint64_t am_branch_follow(const unsigned char *bytes, uint64_t period, uint64_t steps);

#endif
