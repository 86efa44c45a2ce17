/* SPDX-License-Identifier: MIT */
/* Black-Scholes with exp, log and erf of glibc: the rival of our own. */
#include "kernels/blackscholes.h"

#include "kernels/isa/isa.h"
#include "kernels/vec.h"

/* Names of the vector ABI: the ISA's letter, lanes, one vector argument. */
#if AM_VEC_BYTES == 64
#define VECTOR_f32(name) AM_PASTE(_ZGVeN16v_, name)
#define VECTOR_f64(name) AM_PASTE(_ZGVeN8v_, name)
#elif defined(__AVX2__)
#define VECTOR_f32(name) AM_PASTE(_ZGVdN8v_, name)
#define VECTOR_f64(name) AM_PASTE(_ZGVdN4v_, name)
#elif AM_VEC_BYTES == 32
#define VECTOR_f32(name) AM_PASTE(_ZGVcN8v_, name)
#define VECTOR_f64(name) AM_PASTE(_ZGVcN4v_, name)
#elif AM_VEC_BYTES == 16
#define VECTOR_f32(name) AM_PASTE(_ZGVbN4v_, name)
#define VECTOR_f64(name) AM_PASTE(_ZGVbN2v_, name)
#else
#define VECTOR_f32(name) name
#define VECTOR_f64(name) name
#endif

/* As arguments vectors have their natural alignment. */
#if AM_VEC_BYTES == 8
#define ARGUMENT(type) type
#else
#define ARGUMENT(type) type __attribute__((vector_size(AM_VEC_BYTES)))
#endif
typedef ARGUMENT(float) arg_f32;
typedef ARGUMENT(double) arg_f64;

arg_f32 VECTOR_f32(expf)(arg_f32 x);
arg_f32 VECTOR_f32(logf)(arg_f32 x);
arg_f32 VECTOR_f32(erff)(arg_f32 x);
arg_f64 VECTOR_f64(exp)(arg_f64 x);
arg_f64 VECTOR_f64(log)(arg_f64 x);
arg_f64 VECTOR_f64(erf)(arg_f64 x);

#define FUNCTIONS "kernels/blackscholes_mvec.inc"

#define NAME(x) x##_f32
#define CALL(name, x) ((am_vf32)VECTOR_f32(name##f)((arg_f32)(x)))
#define REAL float
#define V am_vf32
#define WORD uint32_t
#define U am_vu32
#define SQRT AM_SQRT_f32
#define MIN AM_MIN_f32
#define LIMIT 12
#include "kernels/blackscholes.inc"
#undef NAME
#undef CALL
#undef REAL
#undef V
#undef WORD
#undef U
#undef SQRT
#undef MIN
#undef LIMIT

#define NAME(x) x##_f64
#define CALL(name, x) ((am_vf64)VECTOR_f64(name)((arg_f64)(x)))
#define REAL double
#define V am_vf64
#define WORD uint64_t
#define U am_vu64
#define SQRT AM_SQRT_f64
#define MIN AM_MIN_f64
#define LIMIT 36
#include "kernels/blackscholes.inc"

const struct am_bs_variant AM_KERNEL(am_bs_mvec_) = {
    .isa = AM_STRING(AM_ISA),
    .fn =
        {
            [AM_BS_F32] = {[AM_BS_POLY] = poly_f32, [AM_BS_ERF] = erf_f32},
            [AM_BS_F64] = {[AM_BS_POLY] = poly_f64, [AM_BS_ERF] = erf_f64},
        },
};
