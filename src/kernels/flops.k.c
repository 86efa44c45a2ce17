/* SPDX-License-Identifier: MIT */
/* Chains of fma, add, mul and fma with add in turn: 1 to 16 accumulators, each waiting only for
 * itself. */
#include "kernels/flops.h"

#include "kernels/isa/isa.h"
#include "kernels/vec.h"

#define STEP_fma_f32(i) x##i = AM_FMA_f32(x##i, m, a);
#define STEP_fma_f64(i) x##i = AM_FMA_f64(x##i, m, a);
#define STEP_add_f32(i) x##i = x##i + a;
#define STEP_add_f64(i) x##i = x##i + a;
#define STEP_mul_f32(i) x##i = x##i * m;
#define STEP_mul_f64(i) x##i = x##i * m;
#define BODY_fma(type, n) AM_REP_##n(STEP_fma_##type)
#define BODY_add(type, n) AM_REP_##n(STEP_add_##type)
#define BODY_mul(type, n) AM_REP_##n(STEP_mul_##type)
/* Two of each in turn, the streams of the second half beginning with their addition: cores whose
 * adders stand beside their multipliers keep both busy. All multiplications first, or one of each
 * in turn, is 5 to 8 % slower with 14 streams on Zen 4. */
#define PAIR(F, A, i, j, k, l) F(i) F(j) A(k) A(l)
#define MIX_1(F, A) F(0) A(0)
#define MIX_2(F, A) F(0) A(1) F(1) A(0)
#define MIX_3(F, A) PAIR(F, A, 0, 1, 2, 0) F(2) A(1)
#define MIX_4(F, A) PAIR(F, A, 0, 1, 2, 3) PAIR(F, A, 2, 3, 0, 1)
#define MIX_5(F, A) PAIR(F, A, 0, 1, 3, 4) PAIR(F, A, 2, 3, 0, 1) F(4) A(2)
#define MIX_6(F, A) PAIR(F, A, 0, 1, 3, 4) PAIR(F, A, 2, 3, 5, 0) PAIR(F, A, 4, 5, 1, 2)
#define MIX_7(F, A) PAIR(F, A, 0, 1, 4, 5) PAIR(F, A, 2, 3, 6, 0) PAIR(F, A, 4, 5, 1, 2) F(6) A(3)
#define MIX_8(F, A)                                                                                \
    PAIR(F, A, 0, 1, 4, 5) PAIR(F, A, 2, 3, 6, 7) PAIR(F, A, 4, 5, 0, 1) PAIR(F, A, 6, 7, 2, 3)
#define MIX_9(F, A)                                                                                \
    PAIR(F, A, 0, 1, 5, 6)                                                                         \
    PAIR(F, A, 2, 3, 7, 8) PAIR(F, A, 4, 5, 0, 1) PAIR(F, A, 6, 7, 2, 3) F(8) A(4)
#define MIX_10(F, A)                                                                               \
    PAIR(F, A, 0, 1, 5, 6)                                                                         \
    PAIR(F, A, 2, 3, 7, 8) PAIR(F, A, 4, 5, 9, 0) PAIR(F, A, 6, 7, 1, 2) PAIR(F, A, 8, 9, 3, 4)
#define MIX_11(F, A)                                                                               \
    PAIR(F, A, 0, 1, 6, 7)                                                                         \
    PAIR(F, A, 2, 3, 8, 9)                                                                         \
    PAIR(F, A, 4, 5, 10, 0) PAIR(F, A, 6, 7, 1, 2) PAIR(F, A, 8, 9, 3, 4) F(10) A(5)
#define MIX_12(F, A)                                                                               \
    PAIR(F, A, 0, 1, 6, 7)                                                                         \
    PAIR(F, A, 2, 3, 8, 9)                                                                         \
    PAIR(F, A, 4, 5, 10, 11) PAIR(F, A, 6, 7, 0, 1) PAIR(F, A, 8, 9, 2, 3) PAIR(F, A, 10, 11, 4, 5)
#define MIX_13(F, A)                                                                               \
    PAIR(F, A, 0, 1, 7, 8)                                                                         \
    PAIR(F, A, 2, 3, 9, 10)                                                                        \
    PAIR(F, A, 4, 5, 11, 12)                                                                       \
    PAIR(F, A, 6, 7, 0, 1) PAIR(F, A, 8, 9, 2, 3) PAIR(F, A, 10, 11, 4, 5) F(12) A(6)
#define MIX_14(F, A)                                                                               \
    PAIR(F, A, 0, 1, 7, 8)                                                                         \
    PAIR(F, A, 2, 3, 9, 10)                                                                        \
    PAIR(F, A, 4, 5, 11, 12)                                                                       \
    PAIR(F, A, 6, 7, 13, 0) PAIR(F, A, 8, 9, 1, 2) PAIR(F, A, 10, 11, 3, 4) PAIR(F, A, 12, 13, 5, 6)
#define MIX_15(F, A)                                                                               \
    PAIR(F, A, 0, 1, 8, 9)                                                                         \
    PAIR(F, A, 2, 3, 10, 11)                                                                       \
    PAIR(F, A, 4, 5, 12, 13)                                                                       \
    PAIR(F, A, 6, 7, 14, 0)                                                                        \
    PAIR(F, A, 8, 9, 1, 2) PAIR(F, A, 10, 11, 3, 4) PAIR(F, A, 12, 13, 5, 6) F(14) A(7)
#define MIX_16(F, A)                                                                               \
    PAIR(F, A, 0, 1, 8, 9)                                                                         \
    PAIR(F, A, 2, 3, 10, 11)                                                                       \
    PAIR(F, A, 4, 5, 12, 13)                                                                       \
    PAIR(F, A, 6, 7, 14, 15)                                                                       \
    PAIR(F, A, 8, 9, 0, 1)                                                                         \
    PAIR(F, A, 10, 11, 2, 3) PAIR(F, A, 12, 13, 4, 5) PAIR(F, A, 14, 15, 6, 7)
#define MIX_FMA_f32(i) AM_FMA_INTO_f32(x##i, m, a);
#define MIX_FMA_f64(i) AM_FMA_INTO_f64(x##i, m, a);
#define MIX_ADD_f32(i) AM_ADD_INTO_f32(x##i, a);
#define MIX_ADD_f64(i) AM_ADD_INTO_f64(x##i, a);
#define BODY_mix(type, n) MIX_##n(MIX_FMA_##type, MIX_ADD_##type)
/* Extremes change nothing from the second on, which a compiler must not see. */
#if defined(__x86_64__)
#define HOLD(x) __asm__("" : "+x"(x))
#else
#define HOLD(x) __asm__("" : "+w"(x))
#endif
#define EXTREME_f32(i)                                                                             \
    x##i = AM_MAX_f32(x##i, a);                                                                    \
    HOLD(x##i);
#define EXTREME_f64(i)                                                                             \
    x##i = AM_MAX_f64(x##i, a);                                                                    \
    HOLD(x##i);
#define SUM_f32(i)                                                                                 \
    x##i = x##i + a;                                                                               \
    HOLD(x##i);
#define SUM_f64(i) SUM_f32(i)
#define PRODUCT_f32(i)                                                                             \
    x##i = x##i * m;                                                                               \
    HOLD(x##i);
#define PRODUCT_f64(i) PRODUCT_f32(i)
#define LAST_7_OF_14(X) X(7) X(8) X(9) X(10) X(11) X(12) X(13)
#define BODY_max(type, n) AM_REP_##n(EXTREME_##type)
/* Half of the streams begin with their addition, as in mix; n is 14. */
#define BODY_maxadd(type, n)                                                                       \
    AM_REP_7(EXTREME_##type)                                                                       \
    LAST_7_OF_14(SUM_##type) AM_REP_7(SUM_##type) LAST_7_OF_14(EXTREME_##type)
#define BODY_muladd(type, n)                                                                       \
    AM_REP_7(PRODUCT_##type)                                                                       \
    LAST_7_OF_14(SUM_##type) AM_REP_7(SUM_##type) LAST_7_OF_14(PRODUCT_##type)
#define LOAD_max LOAD_fma
#define LOAD_maxadd LOAD_fma
#if defined(__aarch64__) /* gcc 12 moves these about, too, unless each has its register */
#define LOAD_muladd LOAD_mix
#else
#define LOAD_muladd LOAD_fma
#endif
#define LOAD_fma(i) V x##i = start[i];
#define LOAD_add LOAD_fma
#define LOAD_mul LOAD_fma
#define LOAD_mix(i) register V x##i __asm__(AM_VECTOR_REGISTER(i)) = start[i];
#define STORE(i) end[i] = x##i;

/* Nothing but the named instruction, `n` times (mix: both), and the loop's own count and branch:
 * the codegen test holds every one of these loops to that. */
#define CHAINS(op, type, n)                                                                        \
    static void op##_##type##_##n(const void *in, void *out, uint64_t steps)                       \
    {                                                                                              \
        typedef am_v##type V;                                                                      \
        const V *const start = in;                                                                 \
        V *const end = out;                                                                        \
        const V m = start[n], a = start[n + 1];                                                    \
                                                                                                   \
        (void)m;                                                                                   \
        (void)a;                                                                                   \
        AM_REP_##n(LOAD_##op);                                                                     \
        for (; steps; steps--) {                                                                   \
            BODY_##op(type, n);                                                                    \
        }                                                                                          \
        AM_REP_##n(STORE);                                                                         \
    }

#define UP_TO_14(X, op, type)                                                                      \
    X(op, type, 1)                                                                                 \
    X(op, type, 2)                                                                                 \
    X(op, type, 3)                                                                                 \
    X(op, type, 4)                                                                                 \
    X(op, type, 5)                                                                                 \
    X(op, type, 6)                                                                                 \
    X(op, type, 7)                                                                                 \
    X(op, type, 8)                                                                                 \
    X(op, type, 9)                                                                                 \
    X(op, type, 10)                                                                                \
    X(op, type, 11)                                                                                \
    X(op, type, 12)                                                                                \
    X(op, type, 13)                                                                                \
    X(op, type, 14)

/* Sixteen registers hold m, a and fourteen accumulators. */
#if AM_REGISTERS >= 18
#define STREAMS_MAX 16
#define ALL_STREAMS(X, op, type) UP_TO_14(X, op, type) X(op, type, 15) X(op, type, 16)
#else
#define STREAMS_MAX 14
#define ALL_STREAMS(X, op, type) UP_TO_14(X, op, type)
#endif

#if defined(AM_FMA_f64)
#define HAS_FMA true
ALL_STREAMS(CHAINS, fma, f32)
ALL_STREAMS(CHAINS, fma, f64)
ALL_STREAMS(CHAINS, mix, f32)
ALL_STREAMS(CHAINS, mix, f64)
#define FUSED_ROWS(op)                                                                             \
    {                                                                                              \
        {ALL_STREAMS(ENTRY, op, f32)},                                                             \
        {                                                                                          \
            ALL_STREAMS(ENTRY, op, f64)                                                            \
        }                                                                                          \
    }
#else
#define HAS_FMA false
#define FUSED_ROWS(op)                                                                             \
    {                                                                                              \
        {NULL},                                                                                    \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#endif

ALL_STREAMS(CHAINS, add, f32)
ALL_STREAMS(CHAINS, add, f64)
ALL_STREAMS(CHAINS, mul, f32)
ALL_STREAMS(CHAINS, mul, f64)

CHAINS(max, f32, 14)
CHAINS(max, f64, 14)
CHAINS(maxadd, f32, 14)
CHAINS(maxadd, f64, 14)
CHAINS(muladd, f32, 14)
CHAINS(muladd, f64, 14)

#define ENTRY(op, type, n) op##_##type##_##n,

const struct am_flops_variant AM_KERNEL(am_flops_) = {
    .isa = AM_STRING(AM_ISA),
    .has_fma = HAS_FMA,
    .streams_max = STREAMS_MAX,
    .lanes = {sizeof(am_vf32) / sizeof(float), sizeof(am_vf64) / sizeof(double)},
    .fn =
        {
            [AM_FLOPS_FMA] = FUSED_ROWS(fma),
            [AM_FLOPS_ADD] = {{ALL_STREAMS(ENTRY, add, f32)}, {ALL_STREAMS(ENTRY, add, f64)}},
            [AM_FLOPS_MUL] = {{ALL_STREAMS(ENTRY, mul, f32)}, {ALL_STREAMS(ENTRY, mul, f64)}},
            [AM_FLOPS_MIX] = FUSED_ROWS(mix),
        },
    .extremes = {max_f32_14, max_f64_14},
    .extremes_sums = {maxadd_f32_14, maxadd_f64_14},
    .products_sums = {muladd_f32_14, muladd_f64_14},
};
