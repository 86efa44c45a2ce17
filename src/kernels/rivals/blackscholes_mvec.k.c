/* SPDX-License-Identifier: MIT */
/* Black-Scholes with exp, log and erf of glibc: the rival of our own. */
#include "kernels/blackscholes.h"

#include "kernels/isa/isa.h"
#include "kernels/vec.h"

/* Names of the vector ABI: the ISA's letter, lanes, one vector argument. */
#if AM_VEC_BYTES == 64
#define VECTOR_f32(name) _ZGVeN16v_##name
#define VECTOR_f64(name) _ZGVeN8v_##name
#elif defined(__AVX2__)
#define VECTOR_f32(name) _ZGVdN8v_##name
#define VECTOR_f64(name) _ZGVdN4v_##name
#elif AM_VEC_BYTES == 32
#define VECTOR_f32(name) _ZGVcN8v_##name
#define VECTOR_f64(name) _ZGVcN4v_##name
#elif AM_VEC_BYTES == 16
#define VECTOR_f32(name) _ZGVbN4v_##name
#define VECTOR_f64(name) _ZGVbN2v_##name
#else
#define VECTOR_f32(name) name
#define VECTOR_f64(name) name
#endif

#define EXP_f32 VECTOR_f32(expf)
#define LOG_f32 VECTOR_f32(logf)
#define ERF_f32 VECTOR_f32(erff)
#define EXP_f64 VECTOR_f64(exp)
#define LOG_f64 VECTOR_f64(log)
#define ERF_f64 VECTOR_f64(erf)
#define TABLE AM_KERNEL(am_bs_mvec_)
#include "kernels/rivals/blackscholes_library.inc"
