/* SPDX-License-Identifier: MIT */
/* Steps of the motion gradient vector flow: the same text for every ISA and both types. The
 * polynomials are fits in 40 digits at Chebyshev's points. */
#include "kernels/mgvf.h"

#include "kernels/isa/isa.h"
#include "kernels/vec.h"

#include <math.h>
#include <stdbool.h>

enum { NEIGHBOURS = 8, MATRICES = AM_MGVF_NAIVE_MATRICES }; /* differences, then weights */

/* Neighbours, and what the direction (1, 1) makes of the difference to each. */
static const struct {
    int row, column, along;
} neighbours[NEIGHBOURS] = {{-1, 0, -1}, {1, 0, 1}, {0, -1, -1},  {0, 1, 1},
                            {-1, 1, 0},  {1, 1, 2}, {-1, -1, -2}, {1, -1, 0}};

#define P1(x, c0, c1) (ALL(c1) * (x) + ALL(c0))
#define P2(x, c0, c1, c2) (P1(x, c1, c2) * (x) + ALL(c0))
#define P3(x, c0, c1, c2, c3) (P2(x, c1, c2, c3) * (x) + ALL(c0))
#define P4(x, c0, c1, c2, c3, c4) (P3(x, c1, c2, c3, c4) * (x) + ALL(c0))
#define P5(x, c0, c1, c2, c3, c4, c5) (P4(x, c1, c2, c3, c4, c5) * (x) + ALL(c0))

/* A loop over a row of known length is written out as a whole, where vectors make that short. */
#if AM_VEC_BYTES < 32
#define UNROLLED
#elif defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 8") /* rounds at most */
#endif

/* A loop over the lanes of a vector: none is left at run time. */
#if defined(__clang__)
#define EACH_LANE _Pragma("clang loop unroll(full)")
#else
#define EACH_LANE _Pragma("GCC unroll 16")
#endif

/* Rows that the form lanes holds in registers. */
#if AM_REGISTERS == 32
#define BLOCK_ROWS 4
#else
#define BLOCK_ROWS 3
#endif

#define NAME(x) x##_f32
#define REAL float
#define V am_vf32
#define WORD uint32_t
#define U am_vu32
#define MIN AM_MIN_f32
#define MAX AM_MAX_f32
#define ADD_PRODUCT AM_FUSED_f32
#define UP AM_UP_f32
#define DOWN AM_DOWN_f32
#define LIBM_ATAN atanf
#define LANE_SUM(x) (((x)[0] + (x)[2]) + ((x)[1] + (x)[3]))
/* Error of the arc 2.4e-9. */
#define ATAN_POLY(z) P4(z, 0.31830988, -0.106101552, 0.063579479, -0.0440811134, 0.0253893254)
#include "kernels/mgvf.inc"
#undef NAME
#undef REAL
#undef V
#undef WORD
#undef U
#undef MIN
#undef MAX
#undef ADD_PRODUCT
#undef UP
#undef DOWN
#undef LIBM_ATAN
#undef LANE_SUM
#undef ATAN_POLY

#define NAME(x) x##_f64
#define REAL double
#define V am_vf64
#define WORD uint64_t
#define U am_vu64
#define MIN AM_MIN_f64
#define MAX AM_MAX_f64
#define ADD_PRODUCT AM_FUSED_f64
#define UP AM_UP_f64
#define DOWN AM_DOWN_f64
#define LIBM_ATAN atan
#define LANE_SUM(x) ((x)[0] + (x)[1])
/* Error of the arc 4.6e-18; two chains, of even and of odd powers. */
#define ATAN_POLY(z)                                                                               \
    (P5((z) * (z), 0.31830988618379066, 0.063661977233113837, 0.03536774943676945,                 \
        0.02447788222168079, 0.018106577949592298, 0.0067275982242772813) +                        \
     (z)*P4((z) * (z), -0.10610329539458131, -0.045472840550007835, -0.02893682942764935,          \
            -0.0211365210662873, -0.01384028005905886))
#include "kernels/mgvf.inc"

#define HOT_ROWS(rows, type) lanes_rows_##rows##_4_##type
#define HOT_OF(rows, type) HOT_ROWS(rows, type)
#define HOT(type) HOT_OF(BLOCK_ROWS, type)

const struct am_mgvf_variant AM_KERNEL(am_mgvf_) = {
    .isa = AM_STRING(AM_ISA),
    .lanes = {sizeof(am_vf32) / sizeof(float), sizeof(am_vf64) / sizeof(double)},
    .fn =
        {
            [AM_MGVF_BY_NAIVE] = {naive_f32, naive_f64},
            [AM_MGVF_BY_ATAN] = {atan_f32, atan_f64},
            [AM_MGVF_BY_MINMAX] = {minmax_f32, minmax_f64},
            [AM_MGVF_BY_LANES] = {lanes_f32, lanes_f64},
        },
    .pack = {pack_f32, pack_f64},
    .unpack = {unpack_f32, unpack_f64},
    .change = {change_f32, change_f64},
    .block = BLOCK_ROWS,
    .hot = {(am_mgvf_code_fn *)HOT(f32), (am_mgvf_code_fn *)HOT(f64)},
};
