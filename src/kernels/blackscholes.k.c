/* SPDX-License-Identifier: MIT */
/* Black-Scholes with exp and log of our own: the same text for every ISA and both types. The
 * polynomials are minimax fits (Remez's exchange in 50 digits), Mills's ratio weighted by the
 * density, so that the error of the distribution is level. */
#include "kernels/blackscholes.h"

#include "kernels/isa/isa.h"
#include "kernels/vec.h"

#define FUNCTIONS "kernels/blackscholes_own.inc"

/* Polynomials in two chains, of even and of odd powers: half the way for a result to come. */
#define P1(x, c0, c1) (ALL(c1) * (x) + ALL(c0))
#define P2(x, c0, c1, c2) (P1(x, c1, c2) * (x) + ALL(c0))
#define P3(x, c0, c1, c2, c3) (P2(x, c1, c2, c3) * (x) + ALL(c0))
#define P4(x, c0, c1, c2, c3, c4) (P3(x, c1, c2, c3, c4) * (x) + ALL(c0))
#define P5(x, c0, c1, c2, c3, c4, c5) (P4(x, c1, c2, c3, c4, c5) * (x) + ALL(c0))
#define P6(x, c0, c1, c2, c3, c4, c5, c6) (P5(x, c1, c2, c3, c4, c5, c6) * (x) + ALL(c0))
#define P7(x, c0, c1, c2, c3, c4, c5, c6, c7) (P6(x, c1, c2, c3, c4, c5, c6, c7) * (x) + ALL(c0))

#define NAME(x) x##_f32
#define REAL float
#define V am_vf32
#define WORD uint32_t
#define U am_vu32
#define SQRT AM_SQRT_f32
#define MIN AM_MIN_f32
#define FRACTION 23
#define BIAS 127
#define SQRT_HALF 0x3f3504f3
#define LN2_HIGH 0.693359375
#define LN2_LOW (-2.12194440054690583e-4)
#define LIMIT 12
/* Relative error of exp 3.1e-9, of log 1.6e-9; 5.9e-9 of the distribution. */
#define EXP_POLY(x) P4(x, 0.49999994, 0.166665211, 0.041668389, 0.00836871658, 0.00138145988)
#define LOG_POLY(x) P2(x, 0.666667759, 0.399775326, 0.298720181)
#define MILLS_AT 4
#define MILLS_POLY(x)                                                                              \
    (P3((x) * (x), 0.0944020674, 0.123523168, 0.0255820211, -0.00277929613) +                      \
     (x)*P2((x) * (x), -0.170533955, -0.0745188519, -0.0142192356))
#include "kernels/blackscholes.inc"
#undef NAME
#undef REAL
#undef V
#undef WORD
#undef U
#undef SQRT
#undef MIN
#undef FRACTION
#undef BIAS
#undef SQRT_HALF
#undef LN2_HIGH
#undef LN2_LOW
#undef LIMIT
#undef EXP_POLY
#undef LOG_POLY
#undef MILLS_AT
#undef MILLS_POLY

#define NAME(x) x##_f64
#define REAL double
#define V am_vf64
#define WORD uint64_t
#define U am_vu64
#define SQRT AM_SQRT_f64
#define MIN AM_MIN_f64
#define FRACTION 52
#define BIAS 1023
#define SQRT_HALF 0x3fe6a09e667f3bcd
#define LN2_HIGH 0.693147180369123816490
#define LN2_LOW 1.90821492927058770002e-10
#define LIMIT 36
/* Relative error of exp 3.7e-18, of log 2.5e-18; 2.0e-17 of the distribution. */
#define EXP_POLY(x)                                                                                \
    (P4((x) * (x), 0.50000000000000111, 0.041666666666530391, 0.0013888888943584523,               \
        2.4801493134136714e-05, 2.763023899829642e-07) +                                           \
     (x)*P4((x) * (x), 0.1666666666666641, 0.0083333333334961318, 0.00019841269503237209,          \
            2.7557589102467616e-06, 2.4999272622170368e-08))
#define LOG_POLY(x)                                                                                \
    (P3((x) * (x), 0.6666666666666734, 0.28571428742320248, 0.18183564378911518,                   \
        0.14796067069765639) +                                                                     \
     (x)*P2((x) * (x), 0.3999999999941512, 0.22222198576245072, 0.15314043871389516))
#define MILLS_AT 4
#define MILLS_POLY(x)                                                                              \
    (P7((x) * (x), 0.094410641301913775, 0.12437925535762023, 0.030864814032487031,                \
        0.00050789989608913738, -0.00018477083387559751, 3.2466961830783033e-05,                   \
        -4.5346244849698841e-06, -2.9375396368254568e-07) +                                        \
     (x)*P6((x) * (x), -0.17039772154963637, -0.071707406573664034, -0.0084920233320416507,        \
            0.00063989424233754848, -4.181400380374433e-05, 6.7198109785400109e-06,                \
            -2.1702565535470453e-06))
#include "kernels/blackscholes.inc"

const struct am_bs_variant AM_KERNEL(am_bs_) = {
    .isa = AM_STRING(AM_ISA),
    .fn =
        {
            [AM_BS_F32] = {[AM_BS_POLY] = poly_f32, [AM_BS_ERF] = erf_f32},
            [AM_BS_F64] = {[AM_BS_POLY] = poly_f64, [AM_BS_ERF] = erf_f64},
        },
    .vectors =
        {
            [AM_BS_F32] = {[AM_BS_POLY] = poly_vectors_f32, [AM_BS_ERF] = erf_vectors_f32},
            [AM_BS_F64] = {[AM_BS_POLY] = poly_vectors_f64, [AM_BS_ERF] = erf_vectors_f64},
        },
    .lanes = {sizeof(am_vf32) / sizeof(float), sizeof(am_vf64) / sizeof(double)},
};
