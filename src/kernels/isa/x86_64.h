/* SPDX-License-Identifier: MIT */
/* What vector extensions cannot say on x86-64: fused accumulation, roots, non-temporal stores. */
#ifndef AM_KERNELS_ISA_X86_64_H
#define AM_KERNELS_ISA_X86_64_H

#include "kernels/vec.h"

#include <immintrin.h>

/* x + m * a with one rounding. Not the expression: its product is the same in every step, and
 * compilers would compute it once. */
#if AM_VEC_BYTES == 64
#define AM_FMA_f32(x, m, a) ((am_vf32)_mm512_fmadd_ps((__m512)(m), (__m512)(a), (__m512)(x)))
#define AM_FMA_f64(x, m, a) ((am_vf64)_mm512_fmadd_pd((__m512d)(m), (__m512d)(a), (__m512d)(x)))
#elif defined(__FMA__)
#define AM_FMA_f32(x, m, a) ((am_vf32)_mm256_fmadd_ps((__m256)(m), (__m256)(a), (__m256)(x)))
#define AM_FMA_f64(x, m, a) ((am_vf64)_mm256_fmadd_pd((__m256d)(m), (__m256d)(a), (__m256d)(x)))
#endif

/* The same, and an addition, on x in its place, which is register i: gcc 12 moves accumulators
 * about where both alternate on one of them. */
#if defined(__FMA__)
#if AM_VEC_BYTES == 64
#define AM_VECTOR_REGISTER(i) "zmm" #i
#else
#define AM_VECTOR_REGISTER(i) "ymm" #i
#endif
#define AM_FMA_INTO(suffix, x, m, a)                                                               \
    __asm__("vfmadd231" suffix " %2, %1, %0" : "+v"(x) : "v"(m), "v"(a))
#define AM_ADD_INTO(suffix, x, a) __asm__("vadd" suffix " %1, %0, %0" : "+v"(x) : "v"(a))
#define AM_FMA_INTO_f32(x, m, a) AM_FMA_INTO("ps", x, m, a)
#define AM_FMA_INTO_f64(x, m, a) AM_FMA_INTO("pd", x, m, a)
#define AM_ADD_INTO_f32(x, a) AM_ADD_INTO("ps", x, a)
#define AM_ADD_INTO_f64(x, a) AM_ADD_INTO("pd", x, a)
#endif

/* Square roots, and the lesser and the greater of two numbers. */
#if AM_VEC_BYTES == 64
#define AM_SQRT_f32(x) ((am_vf32)_mm512_sqrt_ps((__m512)(x)))
#define AM_SQRT_f64(x) ((am_vf64)_mm512_sqrt_pd((__m512d)(x)))
#define AM_MIN_f32(x, y) ((am_vf32)_mm512_min_ps((__m512)(x), (__m512)(y)))
#define AM_MIN_f64(x, y) ((am_vf64)_mm512_min_pd((__m512d)(x), (__m512d)(y)))
#define AM_MAX_f32(x, y) ((am_vf32)_mm512_max_ps((__m512)(x), (__m512)(y)))
#define AM_MAX_f64(x, y) ((am_vf64)_mm512_max_pd((__m512d)(x), (__m512d)(y)))
#elif AM_VEC_BYTES == 32
#define AM_SQRT_f32(x) ((am_vf32)_mm256_sqrt_ps((__m256)(x)))
#define AM_SQRT_f64(x) ((am_vf64)_mm256_sqrt_pd((__m256d)(x)))
#define AM_MIN_f32(x, y) ((am_vf32)_mm256_min_ps((__m256)(x), (__m256)(y)))
#define AM_MIN_f64(x, y) ((am_vf64)_mm256_min_pd((__m256d)(x), (__m256d)(y)))
#define AM_MAX_f32(x, y) ((am_vf32)_mm256_max_ps((__m256)(x), (__m256)(y)))
#define AM_MAX_f64(x, y) ((am_vf64)_mm256_max_pd((__m256d)(x), (__m256d)(y)))
#elif AM_VEC_BYTES == 16
#define AM_SQRT_f32(x) ((am_vf32)_mm_sqrt_ps((__m128)(x)))
#define AM_SQRT_f64(x) ((am_vf64)_mm_sqrt_pd((__m128d)(x)))
#define AM_MIN_f32(x, y) ((am_vf32)_mm_min_ps((__m128)(x), (__m128)(y)))
#define AM_MIN_f64(x, y) ((am_vf64)_mm_min_pd((__m128d)(x), (__m128d)(y)))
#define AM_MAX_f32(x, y) ((am_vf32)_mm_max_ps((__m128)(x), (__m128)(y)))
#define AM_MAX_f64(x, y) ((am_vf64)_mm_max_pd((__m128d)(x), (__m128d)(y)))
#else
#define AM_SQRT_f32(x) _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x)))
#define AM_SQRT_f64(x) _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x)))
#define AM_MIN_f32(x, y) ((x) < (y) ? (x) : (y))
#define AM_MIN_f64(x, y) ((x) < (y) ? (x) : (y))
#define AM_MAX_f32(x, y) ((x) > (y) ? (x) : (y))
#define AM_MAX_f64(x, y) ((x) > (y) ? (x) : (y))
#endif

#if AM_VEC_BYTES == 64
#define AM_STREAM_ONE(p, x) _mm512_stream_pd((p), (__m512d)(x))
#elif AM_VEC_BYTES == 32
#define AM_STREAM_ONE(p, x) _mm256_stream_pd((p), (__m256d)(x))
#elif AM_VEC_BYTES == 16
#define AM_STREAM_ONE(p, x) _mm_stream_pd((p), (__m128d)(x))
#else
/* There is no scalar f64 form, and clang 14 turns the intrinsic for integers into a plain store. */
static inline void am_store_movnti(double *p, double x)
{
    uint64_t bits;

    __builtin_memcpy(&bits, &x, sizeof(bits));
    __asm__("movnti %1, %0" : "=m"(*p) : "r"(bits));
}
#define AM_STREAM_ONE(p, x) am_store_movnti((p), (x))
#endif

/* Two adjacent vectors at p, aligned to one vector. */
static inline __attribute__((always_inline)) void am_store_nt(double *p, am_vf64 x, am_vf64 y)
{
    AM_STREAM_ONE(p, x);
    AM_STREAM_ONE(p + AM_VEC_BYTES / sizeof(double), y);
}

/* Non-temporal stores are weakly ordered: they have happened once this returns. */
static inline void am_fence_nt(void)
{
    _mm_sfence();
}

#endif
