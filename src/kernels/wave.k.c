/* SPDX-License-Identifier: MIT */
/* Blocks of rows in registers: the same text for every ISA and both types. */
#include "kernels/wave.h"

#include "kernels/isa/isa.h"
#include "kernels/repeat.h"
#include "kernels/vec.h"

/* X(a, c, ...) for planes a and rows c of each. */
#define PLANE_1(X, a, ...) X(a, 0, __VA_ARGS__)
#define PLANE_2(X, a, ...) PLANE_1(X, a, __VA_ARGS__) X(a, 1, __VA_ARGS__)
#define PLANE_3(X, a, ...) PLANE_2(X, a, __VA_ARGS__) X(a, 2, __VA_ARGS__)
#define BOTH_1_1(X, ...) PLANE_1(X, 0, __VA_ARGS__)
#define BOTH_1_2(X, ...) PLANE_2(X, 0, __VA_ARGS__)
#define BOTH_1_3(X, ...) PLANE_3(X, 0, __VA_ARGS__)
#define BOTH_2_1(X, ...) BOTH_1_1(X, __VA_ARGS__) PLANE_1(X, 1, __VA_ARGS__)
#define BOTH_2_2(X, ...) BOTH_1_2(X, __VA_ARGS__) PLANE_2(X, 1, __VA_ARGS__)
#define BOTH_2_3(X, ...) BOTH_1_3(X, __VA_ARGS__) PLANE_3(X, 1, __VA_ARGS__)
#define BOTH_3_1(X, ...) BOTH_2_1(X, __VA_ARGS__) PLANE_1(X, 2, __VA_ARGS__)
#define BOTH_3_2(X, ...) BOTH_2_2(X, __VA_ARGS__) PLANE_2(X, 2, __VA_ARGS__)
#define BOTH_3_3(X, ...) BOTH_2_3(X, __VA_ARGS__) PLANE_3(X, 2, __VA_ARGS__)
#define BOTH_4_1(X, ...) BOTH_3_1(X, __VA_ARGS__) PLANE_1(X, 3, __VA_ARGS__)
#define BOTH_4_2(X, ...) BOTH_3_2(X, __VA_ARGS__) PLANE_2(X, 3, __VA_ARGS__)
#define BOTH_4_3(X, ...) BOTH_3_3(X, __VA_ARGS__) PLANE_3(X, 3, __VA_ARGS__)

/* Blocks that the registers have room for: two vectors per row, the constants, and what is on its
 * way. X(rows, prefetches), X(planes, rows, prefetches). */
#if AM_REGISTERS == 32
#define FLAT_SHAPES(X)                                                                             \
    X(1, 0)                                                                                        \
    X(2, 0)                                                                                        \
    X(3, 0) X(4, 0) X(5, 0) X(6, 0) X(7, 0) X(8, 0) X(9, 0) X(10, 0) X(11, 0) X(12, 0) X(12, 1)
#define SOLID_SHAPES(X)                                                                            \
    X(1, 1, 0)                                                                                     \
    X(1, 2, 0)                                                                                     \
    X(1, 3, 0)                                                                                     \
    X(2, 1, 0)                                                                                     \
    X(2, 2, 0)                                                                                     \
    X(2, 3, 0)                                                                                     \
    X(3, 1, 0) X(3, 2, 0) X(3, 3, 0) X(4, 1, 0) X(4, 2, 0) X(4, 3, 0) X(4, 2, 2) X(4, 3, 2)
#define LARGEST .rows = 12, .rows_short = 10, .planes = 4, .deep = 3
#define FLAT_ROWS(t)                                                                               \
    {                                                                                              \
        flat_1_0_##t, flat_2_0_##t, flat_3_0_##t, flat_4_0_##t, flat_5_0_##t, flat_6_0_##t,        \
            flat_7_0_##t, flat_8_0_##t, flat_9_0_##t, flat_10_0_##t, flat_11_0_##t, flat_12_0_##t  \
    }
#define FLAT_AHEAD(t) flat_12_1_##t
#define SOLID_PLANE(a, t)                                                                          \
    {                                                                                              \
        solid_##a##_1_0_##t, solid_##a##_2_0_##t, solid_##a##_3_0_##t                              \
    }
#define SOLID_ROWS(t)                                                                              \
    {                                                                                              \
        SOLID_PLANE(1, t), SOLID_PLANE(2, t), SOLID_PLANE(3, t), SOLID_PLANE(4, t)                 \
    }
#define SOLID_AHEAD(t)                                                                             \
    {                                                                                              \
        [1] = solid_4_2_2_##t, [2] = solid_4_3_2_##t                                               \
    }
#else
#define FLAT_SHAPES(X) X(1, 0) X(2, 0) X(3, 0) X(4, 0) X(5, 0) X(5, 1)
#define SOLID_SHAPES(X) X(1, 1, 0) X(1, 2, 0) X(2, 1, 0) X(2, 2, 0) X(3, 1, 0) X(3, 2, 0) X(3, 2, 2)
#define LARGEST .rows = 5, .rows_short = 5, .planes = 3, .deep = 2
#define FLAT_ROWS(t)                                                                               \
    {                                                                                              \
        flat_1_0_##t, flat_2_0_##t, flat_3_0_##t, flat_4_0_##t, flat_5_0_##t                       \
    }
#define FLAT_AHEAD(t) flat_5_1_##t
#define SOLID_PLANE(a, t)                                                                          \
    {                                                                                              \
        solid_##a##_1_0_##t, solid_##a##_2_0_##t                                                   \
    }
#define SOLID_ROWS(t)                                                                              \
    {                                                                                              \
        SOLID_PLANE(1, t), SOLID_PLANE(2, t), SOLID_PLANE(3, t)                                    \
    }
#define SOLID_AHEAD(t)                                                                             \
    {                                                                                              \
        [1] = solid_3_2_2_##t                                                                      \
    }
#endif

/* Into the second-level cache. */
#define AM_PREFETCH(p) __builtin_prefetch((p), 0, 2)

#define NAME(x) x##_f32
#define REAL float
#define V am_vf32
#define ADD_PRODUCT AM_FUSED_f32
#define TURN_UP AM_TURN_UP_f32
#define TURN_DOWN AM_TURN_DOWN_f32
#define MOVE_UP AM_UP_f32
#define MOVE_DOWN AM_DOWN_f32
#include "kernels/wave.inc"
#undef NAME
#undef REAL
#undef V
#undef ADD_PRODUCT
#undef TURN_UP
#undef TURN_DOWN
#undef MOVE_UP
#undef MOVE_DOWN

#define NAME(x) x##_f64
#define REAL double
#define V am_vf64
#define ADD_PRODUCT AM_FUSED_f64
#define TURN_UP AM_TURN_UP_f64
#define TURN_DOWN AM_TURN_DOWN_f64
#define MOVE_UP AM_UP_f64
#define MOVE_DOWN AM_DOWN_f64
#include "kernels/wave.inc"

const struct am_wave_variant AM_KERNEL(am_wave_) = {
    .isa = AM_STRING(AM_ISA),
    .lanes = {sizeof(am_vf32) / sizeof(float), sizeof(am_vf64) / sizeof(double)},
    LARGEST,
    .flat = {FLAT_ROWS(f32), FLAT_ROWS(f64)},
    .flat_ahead = {FLAT_AHEAD(f32), FLAT_AHEAD(f64)},
    .solid = {SOLID_ROWS(f32), SOLID_ROWS(f64)},
    .solid_ahead = {SOLID_AHEAD(f32), SOLID_AHEAD(f64)},
};
