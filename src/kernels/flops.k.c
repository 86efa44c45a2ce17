/* SPDX-License-Identifier: MIT */
/* Chains of fma, add and mul: 1 to 16 accumulators, each waiting only for itself. */
#include "kernels/flops.h"

#include "kernels/isa/isa.h"
#include "kernels/vec.h"

#define STEP_fma_f32(i) x##i = AM_FMA_f32(x##i, m, a);
#define STEP_fma_f64(i) x##i = AM_FMA_f64(x##i, m, a);
#define STEP_add_f32(i) x##i = x##i + a;
#define STEP_add_f64(i) x##i = x##i + a;
#define STEP_mul_f32(i) x##i = x##i * m;
#define STEP_mul_f64(i) x##i = x##i * m;
#define LOAD(i) V x##i = start[i];
#define STORE(i) end[i] = x##i;

/* Nothing but the named instruction, `n` times, and the loop's own count and branch: the codegen
 * test holds every one of these loops to that. */
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
        AM_REP_##n(LOAD);                                                                          \
        for (; steps; steps--) {                                                                   \
            AM_REP_##n(STEP_##op##_##type);                                                        \
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
#define FMA_ROWS                                                                                   \
    {                                                                                              \
        {ALL_STREAMS(ENTRY, fma, f32)},                                                            \
        {                                                                                          \
            ALL_STREAMS(ENTRY, fma, f64)                                                           \
        }                                                                                          \
    }
#else
#define HAS_FMA false
#define FMA_ROWS                                                                                   \
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

#define ENTRY(op, type, n) op##_##type##_##n,

const struct am_flops_variant AM_KERNEL(am_flops_) = {
    .isa = AM_STRING(AM_ISA),
    .has_fma = HAS_FMA,
    .streams_max = STREAMS_MAX,
    .lanes = {sizeof(am_vf32) / sizeof(float), sizeof(am_vf64) / sizeof(double)},
    .fn =
        {
            FMA_ROWS,
            {{ALL_STREAMS(ENTRY, add, f32)}, {ALL_STREAMS(ENTRY, add, f64)}},
            {{ALL_STREAMS(ENTRY, mul, f32)}, {ALL_STREAMS(ENTRY, mul, f64)}},
        },
};
