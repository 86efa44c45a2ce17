/* SPDX-License-Identifier: MIT */
/* Loops over a row of points that the compiler vectorises, and with how many lanes (the including
 * file's LANES). */
#ifndef AM_KERNELS_VECTORISE_H
#define AM_KERNELS_VECTORISE_H

/* Rows begin anywhere: a vector as long as a line of cache would cross one at nearly every load, so
 * that compilers take halves for the cores that they know. From memory whole ones can be better
 * all the same: half as many loads are waiting for as many bytes. */
#if AM_VEC_BYTES == 64
#define VECTORISE_f32 _Pragma("omp simd simdlen(8)")
#define VECTORISE_f64 _Pragma("omp simd simdlen(4)")
#define VECTORISE_WHOLE_f32 _Pragma("omp simd simdlen(16)")
#define VECTORISE_WHOLE_f64 _Pragma("omp simd simdlen(8)")
#define AUTO_LANES(type) (LANES(type) / 2)
#else
#define VECTORISE_f32 _Pragma("omp simd")
#define VECTORISE_f64 VECTORISE_f32
#define AUTO_LANES(type) LANES(type)
#endif

#endif
