/* SPDX-License-Identifier: MIT */
/* What vector extensions cannot say on AArch64: fused accumulation, non-temporal stores. */
#ifndef AM_KERNELS_ISA_AARCH64_H
#define AM_KERNELS_ISA_AARCH64_H

#include "kernels/vec.h"

/* x + m * a with one rounding. Not the expression: its product is the same in every step, and
 * compilers would compute it once. */
#if AM_VEC_BYTES == 16
#include <arm_neon.h>
#define AM_FMA_f32(x, m, a)                                                                        \
    ((am_vf32)vfmaq_f32((float32x4_t)(x), (float32x4_t)(m), (float32x4_t)(a)))
#define AM_FMA_f64(x, m, a)                                                                        \
    ((am_vf64)vfmaq_f64((float64x2_t)(x), (float64x2_t)(m), (float64x2_t)(a)))
#define AM_STNP "stnp %q[x], %q[y], %[to]"
#else
#define AM_FMA_f32(x, m, a) __builtin_fmaf((m), (a), (x))
#define AM_FMA_f64(x, m, a) __builtin_fma((m), (a), (x))
#define AM_STNP "stnp %d[x], %d[y], %[to]"
#endif

struct am_vec_pair {
    am_vf64 v[2];
};

/* Two adjacent vectors at p: the instruction exists for pairs only. */
static inline __attribute__((always_inline)) void am_store_nt(double *p, am_vf64 x, am_vf64 y)
{
    __asm__(AM_STNP : [to] "=Q"(*(struct am_vec_pair *)(void *)p) : [x] "w"(x), [y] "w"(y));
}

static inline void am_fence_nt(void)
{
    __asm__ volatile("dmb ishst" ::: "memory");
}

#endif
