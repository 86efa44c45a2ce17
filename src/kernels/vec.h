/* SPDX-License-Identifier: MIT */
/* Vector types of the ISA that a .k.c file is being compiled for. Only .k.c files include this. */
#ifndef AM_KERNELS_VEC_H
#define AM_KERNELS_VEC_H

#include "core/bench/isas.h"

#include <stdint.h>

/* src/kernels/meson.build gives both. Read alone, by an editor or a test of headers, this is
 * scalar: a kernel so compiled would not link beside the scalar one. */
#if !defined(AM_ISA)
#define AM_ISA scalar
#define AM_VEC_BYTES 8
#endif

/* A wide vector without its flags compiles silently into narrow instructions, and a narrow one with
 * wide flags (CFLAGS=-march=native) into wide encodings: both would be measured under a false name.
 */
#if defined(__x86_64__)
#if (AM_VEC_BYTES == 64) != defined(__AVX512F__)
#error "AM_VEC_BYTES and -mavx512f disagree"
#endif
#if (AM_VEC_BYTES >= 32) != defined(__AVX__)
#error "AM_VEC_BYTES and -mavx disagree"
#endif
#endif

#if defined(__AVX512F__) || defined(__aarch64__)
#define AM_REGISTERS 32 /* architectural vector registers */
#else
#define AM_REGISTERS 16
#endif

/* For arrays of any alignment that holds an element. */
#if AM_VEC_BYTES == 8
#define AM_VEC(type, bits) type
#else
#define AM_VEC(type, bits) type __attribute__((vector_size(AM_VEC_BYTES), aligned(bits / 8)))
#endif

typedef AM_VEC(float, 32) am_vf32 __attribute__((may_alias));
typedef AM_VEC(double, 64) am_vf64 __attribute__((may_alias));
typedef AM_VEC(uint32_t, 32) am_vu32 __attribute__((may_alias));
typedef AM_VEC(uint64_t, 64) am_vu64 __attribute__((may_alias));

/* A place the compiler cannot see through: integer vector `v` stays in its register, and what is
 * done to it before is not joined with what is done after. */
#if AM_VEC_BYTES == 8
#define AM_KEEP_u64(v) __asm__("" : "+r"(v))
#elif defined(__x86_64__)
#define AM_KEEP_u64(v) __asm__("" : "+v"(v))
#else
#define AM_KEEP_u64(v) __asm__("" : "+w"(v))
#endif

/* A float or double vector (or number) that stays in its register, and is ready here: what makes it
 * is not put off. The compiler does not know its value. */
#if defined(__x86_64__)
#define AM_PIN(v) __asm__ volatile("" : "+v"(v))
#else
#define AM_PIN(v) __asm__ volatile("" : "+w"(v))
#endif

/* Lanes of x turned by one. UP: lane j of the outcome is lane j - 1, lane 0 the last one. DOWN:
 * lane j is lane j + 1, the last one is lane 0. */
#if AM_VEC_BYTES == 64
#define AM_TURN_UP_f32(x)                                                                          \
    __builtin_shufflevector(x, x, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
#define AM_TURN_DOWN_f32(x)                                                                        \
    __builtin_shufflevector(x, x, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0)
#define AM_TURN_UP_f64(x) __builtin_shufflevector(x, x, 7, 0, 1, 2, 3, 4, 5, 6)
#define AM_TURN_DOWN_f64(x) __builtin_shufflevector(x, x, 1, 2, 3, 4, 5, 6, 7, 0)
#elif AM_VEC_BYTES == 32
#define AM_TURN_UP_f32(x) __builtin_shufflevector(x, x, 7, 0, 1, 2, 3, 4, 5, 6)
#define AM_TURN_DOWN_f32(x) __builtin_shufflevector(x, x, 1, 2, 3, 4, 5, 6, 7, 0)
#define AM_TURN_UP_f64(x) __builtin_shufflevector(x, x, 3, 0, 1, 2)
#define AM_TURN_DOWN_f64(x) __builtin_shufflevector(x, x, 1, 2, 3, 0)
#elif AM_VEC_BYTES == 16
#define AM_TURN_UP_f32(x) __builtin_shufflevector(x, x, 3, 0, 1, 2)
#define AM_TURN_DOWN_f32(x) __builtin_shufflevector(x, x, 1, 2, 3, 0)
#define AM_TURN_UP_f64(x) __builtin_shufflevector(x, x, 1, 0)
#define AM_TURN_DOWN_f64(x) AM_TURN_UP_f64(x)
#else
#define AM_TURN_UP_f32(x) (x)
#define AM_TURN_DOWN_f32(x) (x)
#define AM_TURN_UP_f64(x) (x)
#define AM_TURN_DOWN_f64(x) (x)
#endif

/* Lanes of x moved by one. UP: lane j of the outcome is lane j - 1 of x, lane 0 that of `end`.
 * DOWN: lane j is lane j + 1 of x, the last lane that of `end`. */
#if AM_VEC_BYTES == 64
#define AM_UP_f32(x, end)                                                                          \
    __builtin_shufflevector(end, x, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define AM_DOWN_f32(x, end)                                                                        \
    __builtin_shufflevector(x, end, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 31)
#define AM_UP_f64(x, end) __builtin_shufflevector(end, x, 0, 8, 9, 10, 11, 12, 13, 14)
#define AM_DOWN_f64(x, end) __builtin_shufflevector(x, end, 1, 2, 3, 4, 5, 6, 7, 15)
#elif AM_VEC_BYTES == 32
#define AM_UP_f32(x, end) __builtin_shufflevector(end, x, 0, 8, 9, 10, 11, 12, 13, 14)
#define AM_DOWN_f32(x, end) __builtin_shufflevector(x, end, 1, 2, 3, 4, 5, 6, 7, 15)
#define AM_UP_f64(x, end) __builtin_shufflevector(end, x, 0, 4, 5, 6)
#define AM_DOWN_f64(x, end) __builtin_shufflevector(x, end, 1, 2, 3, 7)
#elif AM_VEC_BYTES == 16
#define AM_UP_f32(x, end) __builtin_shufflevector(end, x, 0, 4, 5, 6)
#define AM_DOWN_f32(x, end) __builtin_shufflevector(x, end, 1, 2, 3, 7)
#define AM_UP_f64(x, end) __builtin_shufflevector(end, x, 0, 2)
#define AM_DOWN_f64(x, end) __builtin_shufflevector(x, end, 1, 3)
#else
#define AM_UP_f32(x, end) (end)
#define AM_DOWN_f32(x, end) (end)
#define AM_UP_f64(x, end) (end)
#define AM_DOWN_f64(x, end) (end)
#endif

#define AM_PASTE_(a, b) a##b
#define AM_PASTE(a, b) AM_PASTE_(a, b)
/* AM_KERNEL(am_stream_) names a variant table: am_stream_avx2 */
#define AM_KERNEL(prefix) AM_PASTE(prefix, AM_ISA)
_Static_assert(AM_VEC_BYTES == AM_PASTE(AM_ISA_BYTES_, AM_ISA), "the width of core/bench/isas.h");
#define AM_STRING_(a) #a
#define AM_STRING(a) AM_STRING_(a)

/* X(0) X(1) ... : straight-line code that no compiler's unroller decides about. */
#define AM_REP_1(X) X(0)
#define AM_REP_2(X) AM_REP_1(X) X(1)
#define AM_REP_3(X) AM_REP_2(X) X(2)
#define AM_REP_4(X) AM_REP_3(X) X(3)
#define AM_REP_5(X) AM_REP_4(X) X(4)
#define AM_REP_6(X) AM_REP_5(X) X(5)
#define AM_REP_7(X) AM_REP_6(X) X(6)
#define AM_REP_8(X) AM_REP_7(X) X(7)
#define AM_REP_9(X) AM_REP_8(X) X(8)
#define AM_REP_10(X) AM_REP_9(X) X(9)
#define AM_REP_11(X) AM_REP_10(X) X(10)
#define AM_REP_12(X) AM_REP_11(X) X(11)
#define AM_REP_13(X) AM_REP_12(X) X(12)
#define AM_REP_14(X) AM_REP_13(X) X(13)
#define AM_REP_15(X) AM_REP_14(X) X(14)
#define AM_REP_16(X) AM_REP_15(X) X(15)

#endif
