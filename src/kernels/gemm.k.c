/* SPDX-License-Identifier: MIT */
/* Micro-kernels of the matrix product: a block of C stays in registers while A's and B's slivers
 * stream past. Vectors lie along rows of C. */
#include "kernels/gemm.h"

#include "kernels/vec.h"

/* Rows of some vectors that fit beside one row of B and an element of A; without three operands a
 * product needs a register of its own as well. gcc 12 loads many elements at once on AArch64. No
 * more rows than a first cache has ways, 8 or more: where rows of C are a multiple of 4 KiB apart
 * all of them share a set, and what does not fit is fetched twice. */
#if defined(__aarch64__)
#define ROWS 8
#define REP_ROWS AM_REP_8
#elif defined(__AVX__)
#define ROWS 6
#define REP_ROWS AM_REP_6
#else
#define ROWS 4
#define REP_ROWS AM_REP_4
#endif
enum {
    ROWS_AHEAD = 16, /* of B, fetched while it is packed */
    SIDE_BY_SIDE = 4,
    PAUSE = 2, /* chunks after each line of C: with one or four less is gained */
};

#if defined(__AVX__) && AM_REGISTERS == 32
#define VECTORS 4
#define REP_VECTORS(X) X(0) X(1) X(2) X(3)
#define ON_ROW(X, i) X(i, 0) X(i, 1) X(i, 2) X(i, 3)
#else
#define VECTORS 2
#define REP_VECTORS(X) X(0) X(1)
#define ON_ROW(X, i) X(i, 0) X(i, 1)
#endif

#define CLEAR(i, v) V c##i##_##v = {0};
#define CLEAR_ROW(i) ON_ROW(CLEAR, i)
#define LOAD_B(v) const V b##v = *(const V *)(from_b + v * LANES);
#define STORE_B(v) *(V *)(at_b + v * LANES) = b##v;
#if defined(__FMA__) /* written out: gcc 12 moves sums about where they leave few registers */
#define STEP(i, v)                                                                                 \
    __asm__("vfmadd231p" LETTER " %2, %1, %0" : "+v"(c##i##_##v) : "v"(b##v), "v"(x##i));
#define TAKE_A(i)                                                                                  \
    V x##i;                                                                                        \
    __asm__("vbroadcasts" LETTER " %1, %0" : "=v"(x##i) : "m"(at_a[i]));
#else
#define STEP(i, v)                                                                                 \
    c##i##_##v += b##v * x##i;                                                                     \
    AM_PIN(c##i##_##v);
#define TAKE_A(i) const REAL x##i = at_a[i];
#endif
#define STEP_ROW(i)                                                                                \
    TAKE_A(i)                                                                                      \
    ON_ROW(STEP, i)
#define AT_STEP(s)                                                                                 \
    {                                                                                              \
        const REAL *const at_a = a + (s)*ROWS;                                                     \
        REAL *const at_b = b + (s)*COLUMNS;                                                        \
        const REAL *const from_b = PACKING ? (const REAL *)(const void *)now : at_b;               \
        REP_VECTORS(LOAD_B)                                                                        \
        if (PACKING) {                                                                             \
            REP_VECTORS(STORE_B)                                                                   \
            FETCH_B                                                                                \
            now += row_bytes;                                                                      \
            soon += row_bytes;                                                                     \
        }                                                                                          \
        REP_ROWS(STEP_ROW)                                                                         \
    }
/* All prefetches lead into the first cache, though most of what they bring is used later, from the
 * second: a hint for the second cache alone may be dropped, and is where a line is in the third. */
#define CHUNK                                                                                      \
    __builtin_prefetch(sliver);                                                                    \
    __builtin_prefetch(first);                                                                     \
    __builtin_prefetch(second);                                                                    \
    sliver += pace;                                                                                \
    first += row_pace;                                                                             \
    second += row_pace;                                                                            \
    AT_STEP(0)                                                                                     \
    AT_STEP(1)                                                                                     \
    AT_STEP(2)                                                                                     \
    AT_STEP(3)                                                                                     \
    a += AM_GEMM_CHUNK * ROWS;                                                                     \
    b += AM_GEMM_CHUNK * COLUMNS;
#if AM_VEC_BYTES == 64 /* a line per vector; narrower rows begin one, where C is aligned */
#define C_LINES VECTORS
#define FETCH_B_LINE(v) __builtin_prefetch(soon + (v)*AM_GEMM_ALIGN);
#define FETCH_B REP_VECTORS(FETCH_B_LINE)
#define FETCH_C_LINE(v) __builtin_prefetch(row + (v)*LINE, 1);
#define FETCH_ROW                                                                                  \
    REP_VECTORS(FETCH_C_LINE)                                                                      \
    row += ldc;
#else
#define C_LINES 1
#define FETCH_B __builtin_prefetch(soon);
#define FETCH_ROW                                                                                  \
    __builtin_prefetch(row, 1);                                                                    \
    row += ldc;
#endif
/* All of C is read before any of it is written: rows that are a multiple of 4 KiB apart look alike
 * to a core that compares the low bits of a load's place with those of stores under way, and each
 * row would wait for the one before it. */
#define ADD(i, v)                                                                                  \
    c##i##_##v += *(const V *)(c + i * ldc + v * LANES);                                           \
    AM_PIN(c##i##_##v);
#define ADD_ROW(i) ON_ROW(ADD, i)
#define PUT(i, v) *(V *)(c + i * ldc + v * LANES) = c##i##_##v;
#define PUT_ROW(i) ON_ROW(PUT, i)

/* Columns of A that are packed at a time, a line or half of one: rows that share their sets of the
 * first cache are more than it has room for, so that a line is not met there again. FOUR takes four
 * rows from row i on and four columns from column j on. */
#if AM_VEC_BYTES >= 32
#define AT_A_TIME 8
#define LOW(x, y) __builtin_shufflevector(x, y, 0, 4, 2, 6)
#define HIGH(x, y) __builtin_shufflevector(x, y, 1, 5, 3, 7)
#define FIRST(x, y) __builtin_shufflevector(x, y, 0, 1, 4, 5)
#define LAST(x, y) __builtin_shufflevector(x, y, 2, 3, 6, 7)
#define FOUR(i, j)                                                                                 \
    {                                                                                              \
        const REAL *const at_a = a + (i)*ld + k + (j);                                             \
        REAL *const at = to + (j)*ROWS + (i);                                                      \
        const NAME(four) r0 = *(const NAME(four) *)at_a, r1 = *(const NAME(four) *)(at_a + ld);    \
        const NAME(four) r2 = *(const NAME(four) *)(at_a + 2 * ld);                                \
        const NAME(four) r3 = *(const NAME(four) *)(at_a + 3 * ld);                                \
        const NAME(four) low0 = LOW(r0, r1), high0 = HIGH(r0, r1);                                 \
        const NAME(four) low1 = LOW(r2, r3), high1 = HIGH(r2, r3);                                 \
        *(NAME(four) *)at = FIRST(low0, low1);                                                     \
        *(NAME(four) *)(at + ROWS) = FIRST(high0, high1);                                          \
        *(NAME(four) *)(at + 2 * ROWS) = LAST(low0, low1);                                         \
        *(NAME(four) *)(at + 3 * ROWS) = LAST(high0, high1);                                       \
    }
#define EIGHT(i) FOUR(i, 0) FOUR(i, 4)
#else
#define AT_A_TIME 1
#endif
#if AM_VEC_BYTES < 32
#define PACK_ROWS REP_ROWS(TAKE)
#else /* of six, two are written twice */
#define PACK_ROWS EIGHT(0) EIGHT(2)
#endif

#define NAME(x) x##_f32
#define REAL float
#define LETTER "s"
#define V am_vf32
#include "kernels/gemm.inc"
#undef NAME
#undef REAL
#undef LETTER
#undef V

#define NAME(x) x##_f64
#define REAL double
#define LETTER "d"
#define V am_vf64
#include "kernels/gemm.inc"

#define KERNEL(type, bytes)                                                                        \
    {                                                                                              \
        .element = (bytes), .mr = ROWS, .nr = VECTORS * sizeof(am_v##type) / (bytes),              \
        .lanes = sizeof(am_v##type) / (bytes), .micro = gemm_micro_##type,                         \
        .micro_packing = gemm_micro_packing_##type, .pack_a = gemm_pack_a_##type,                  \
        .pack_b = gemm_pack_b_##type                                                               \
    }

const struct am_gemm_variant AM_KERNEL(am_gemm_) = {
    .isa = AM_STRING(AM_ISA),
    .kernel = {[AM_GEMM_F32] = KERNEL(f32, 4), [AM_GEMM_F64] = KERNEL(f64, 8)},
};
