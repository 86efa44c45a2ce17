/* SPDX-License-Identifier: MIT */
/* Values that arrays are filled with: integers from 1 to 1024, scattered by a multiplication. Sums
 * and products of them are exact, so fused or not, in any order, bits must agree; and no
 * displacement maps an array onto itself. */
#ifndef AM_BENCH_CPU_SCATTERED_H
#define AM_BENCH_CPU_SCATTERED_H

#include <stddef.h>
#include <stdint.h>

static inline double am_scattered_b(size_t i)
{
    return (double)(((uint32_t)i * UINT32_C(2654435761)) >> 22) + 1;
}

/* Another such sequence. */
static inline double am_scattered_c(size_t i)
{
    return (double)(((uint32_t)i * UINT32_C(2246822519)) >> 22) + 1;
}

#endif
