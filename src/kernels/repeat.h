/* SPDX-License-Identifier: MIT */
/* Straight-line code of a number of like pieces, for kernels that name their registers. */
#ifndef AM_KERNELS_REPEAT_H
#define AM_KERNELS_REPEAT_H

/* X(0, ...) X(1, ...) ...: straight-line code. */
#define REP_1(X, ...) X(0, __VA_ARGS__)
#define REP_2(X, ...) REP_1(X, __VA_ARGS__) X(1, __VA_ARGS__)
#define REP_3(X, ...) REP_2(X, __VA_ARGS__) X(2, __VA_ARGS__)
#define REP_4(X, ...) REP_3(X, __VA_ARGS__) X(3, __VA_ARGS__)
#define REP_5(X, ...) REP_4(X, __VA_ARGS__) X(4, __VA_ARGS__)
#define REP_6(X, ...) REP_5(X, __VA_ARGS__) X(5, __VA_ARGS__)
#define REP_7(X, ...) REP_6(X, __VA_ARGS__) X(6, __VA_ARGS__)
#define REP_8(X, ...) REP_7(X, __VA_ARGS__) X(7, __VA_ARGS__)
#define REP_9(X, ...) REP_8(X, __VA_ARGS__) X(8, __VA_ARGS__)
#define REP_10(X, ...) REP_9(X, __VA_ARGS__) X(9, __VA_ARGS__)
#define REP_11(X, ...) REP_10(X, __VA_ARGS__) X(10, __VA_ARGS__)
#define REP_12(X, ...) REP_11(X, __VA_ARGS__) X(11, __VA_ARGS__)

#endif
