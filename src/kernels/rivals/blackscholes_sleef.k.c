/* SPDX-License-Identifier: MIT */
/* Black-Scholes with exp, log and erf of SLEEF: another rival of our own. */
#include "kernels/blackscholes.h"

#include "kernels/isa/isa.h"
#include "kernels/vec.h"

/* Its names end in the instruction set: nothing is chosen at run time. Of each function the version
 * with the largest error that it has: 1.0 units in the last place, 3.5 for log. Not its sleef.h,
 * which declares for whatever the compiler's flags allow. */
#if AM_VEC_BYTES == 64
#define VECTOR_f32(name, ulp) Sleef_##name##f16_##ulp##avx512f
#define VECTOR_f64(name, ulp) Sleef_##name##d8_##ulp##avx512f
#elif defined(__AVX2__)
#define VECTOR_f32(name, ulp) Sleef_##name##f8_##ulp##avx2
#define VECTOR_f64(name, ulp) Sleef_##name##d4_##ulp##avx2
#elif AM_VEC_BYTES == 32
#define VECTOR_f32(name, ulp) Sleef_##name##f8_##ulp##avx
#define VECTOR_f64(name, ulp) Sleef_##name##d4_##ulp##avx
#elif AM_VEC_BYTES == 16 && defined(__x86_64__)
#define VECTOR_f32(name, ulp) Sleef_##name##f4_##ulp##sse2
#define VECTOR_f64(name, ulp) Sleef_##name##d2_##ulp##sse2
#elif AM_VEC_BYTES == 16
#define VECTOR_f32(name, ulp) Sleef_##name##f4_##ulp##advsimd
#define VECTOR_f64(name, ulp) Sleef_##name##d2_##ulp##advsimd
#else
#define VECTOR_f32(name, ulp) Sleef_##name##f_##ulp
#define VECTOR_f64(name, ulp) Sleef_##name##_##ulp
#endif

#define EXP_f32 VECTOR_f32(exp, u10)
#define LOG_f32 VECTOR_f32(log, u35)
#define ERF_f32 VECTOR_f32(erf, u10)
#define EXP_f64 VECTOR_f64(exp, u10)
#define LOG_f64 VECTOR_f64(log, u35)
#define ERF_f64 VECTOR_f64(erf, u10)
#define TABLE AM_KERNEL(am_bs_sleef_)
#include "kernels/rivals/blackscholes_library.inc"
