/* SPDX-License-Identifier: MIT */
/* What vector extensions cannot say on AArch64: fused accumulation, roots, non-temporal stores. */
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

/* The same, and an addition, on x in its place, which is register i: compilers move accumulators
 * about where both alternate on one of them. */
#define AM_VECTOR_REGISTER(i) "v" #i
#if AM_VEC_BYTES == 16
#define AM_FMA_INTO(lanes, d, x, m, a)                                                             \
    __asm__("fmla %0." lanes ", %1." lanes ", %2." lanes : "+w"(x) : "w"(m), "w"(a))
#define AM_ADD_INTO(lanes, d, x, a)                                                                \
    __asm__("fadd %0." lanes ", %0." lanes ", %1." lanes : "+w"(x) : "w"(a))
#else
#define AM_FMA_INTO(lanes, d, x, m, a)                                                             \
    __asm__("fmadd %" d "0, %" d "1, %" d "2, %" d "0" : "+w"(x) : "w"(m), "w"(a))
#define AM_ADD_INTO(lanes, d, x, a) __asm__("fadd %" d "0, %" d "0, %" d "1" : "+w"(x) : "w"(a))
#endif
#define AM_FMA_INTO_f32(x, m, a) AM_FMA_INTO("4s", "s", x, m, a)
#define AM_FMA_INTO_f64(x, m, a) AM_FMA_INTO("2d", "d", x, m, a)
#define AM_ADD_INTO_f32(x, a) AM_ADD_INTO("4s", "s", x, a)
#define AM_ADD_INTO_f64(x, a) AM_ADD_INTO("2d", "d", x, a)

/* Square roots, and the lesser and the greater of two numbers. */
#if AM_VEC_BYTES == 16
#define AM_SQRT_f32(x) ((am_vf32)vsqrtq_f32((float32x4_t)(x)))
#define AM_SQRT_f64(x) ((am_vf64)vsqrtq_f64((float64x2_t)(x)))
#define AM_MIN_f32(x, y) ((am_vf32)vminq_f32((float32x4_t)(x), (float32x4_t)(y)))
#define AM_MIN_f64(x, y) ((am_vf64)vminq_f64((float64x2_t)(x), (float64x2_t)(y)))
#define AM_MAX_f32(x, y) ((am_vf32)vmaxq_f32((float32x4_t)(x), (float32x4_t)(y)))
#define AM_MAX_f64(x, y) ((am_vf64)vmaxq_f64((float64x2_t)(x), (float64x2_t)(y)))
#else
/* Not the builtin, which calls the library for negative numbers. */
static inline float am_sqrt_f32(float x)
{
    __asm__("fsqrt %s0, %s0" : "+w"(x));
    return x;
}

static inline double am_sqrt_f64(double x)
{
    __asm__("fsqrt %d0, %d0" : "+w"(x));
    return x;
}
#define AM_SQRT_f32(x) am_sqrt_f32(x)
#define AM_SQRT_f64(x) am_sqrt_f64(x)
#define AM_MIN_f32(x, y) ((x) < (y) ? (x) : (y))
#define AM_MIN_f64(x, y) ((x) < (y) ? (x) : (y))
#define AM_MAX_f32(x, y) ((x) > (y) ? (x) : (y))
#define AM_MAX_f64(x, y) ((x) > (y) ? (x) : (y))
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
