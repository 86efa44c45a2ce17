/* SPDX-License-Identifier: MIT */
/* Streaming loops: sixteen vectors per step at constant offsets, then vectors, then elements. */
#include "kernels/stream.h"

#include "kernels/isa/isa.h"
#include "kernels/vec.h"

enum {
    LANES = AM_VEC_BYTES / sizeof(double),
    BLOCK = AM_STREAM_UNROLL * LANES,
    SUMS = 8,
    LINE_BYTES = 64, /* software prefetch: one per line; a longer line is asked for twice */
};

/* The compiler must neither join nor drop passes, whatever it proves about them. */
#define pass_end() __asm__ volatile("" ::: "memory")
/* One register an array, so that a step addresses base + constant: a sum of two registers costs
 * several cores an extra micro-operation. */
#define own_registers() __asm__("" : "+r"(a), "+r"(b), "+r"(c))

#define AT(T, p, i) (*(const T *)(const void *)((p) + (i)))

/* What is stored at offset i, for a vector or an element T. */
#define write_of(T, i) ((T){0} + s)
#define update_of(T, i) (s * AT(T, a, i))
#define copy_of(T, i) AT(T, b, i)
#define scale_of(T, i) (s * AT(T, b, i))
#define add_of(T, i) (AT(T, b, i) + AT(T, c, i))
#define triad_of(T, i) (AT(T, b, i) + s * AT(T, c, i))
#define saxpy2_of(T, i) (AT(T, a, i) + s * AT(T, b, i))

#define STORE(T, i, value) *(T *)(void *)(a + (i)) = (value)
#define STORE_PAIR(kernel, i)                                                                      \
    STORE(am_vf64, (i), kernel##_of(am_vf64, (i)));                                                \
    STORE(am_vf64, (i) + LANES, kernel##_of(am_vf64, (i) + LANES));
#define STORE_PAIR_NT(kernel, i)                                                                   \
    am_store_nt(a + (i), kernel##_of(am_vf64, (i)), kernel##_of(am_vf64, (i) + LANES));

#define STEP(store, kernel)                                                                        \
    store(kernel, 0 * LANES) store(kernel, 2 * LANES) store(kernel, 4 * LANES)                     \
        store(kernel, 6 * LANES) store(kernel, 8 * LANES) store(kernel, 10 * LANES)                \
            store(kernel, 12 * LANES) store(kernel, 14 * LANES)

#define ADVANCE(k) (n -= (k), a += (k), b += (k), c += (k))

/* The lines of one step of one array, `ahead` bytes on. A prefetch never faults. */
#if AM_VEC_BYTES == 64
#define LINES_OF_STEP AM_REP_16
#elif AM_VEC_BYTES == 32
#define LINES_OF_STEP AM_REP_8
#elif AM_VEC_BYTES == 16
#define LINES_OF_STEP AM_REP_4
#else
#define LINES_OF_STEP AM_REP_2
#endif
#define LINE_OF(p, i) ((const void *)((uintptr_t)(p) + ahead + (i)*LINE_BYTES))
#define A_LINE(i) __builtin_prefetch(LINE_OF(a, i), 1);
#define A_READ_LINE(i) __builtin_prefetch(LINE_OF(a, i), 0);
#define B_LINE(i) __builtin_prefetch(LINE_OF(b, i), 0);
#define C_LINE(i) __builtin_prefetch(LINE_OF(c, i), 0);
#define NOTHING_AHEAD
#define A_AHEAD LINES_OF_STEP(A_LINE)
#define A_READ_AHEAD LINES_OF_STEP(A_READ_LINE)
#define B_AHEAD LINES_OF_STEP(B_LINE)
#define BC_AHEAD LINES_OF_STEP(B_LINE) LINES_OF_STEP(C_LINE)
#define AB_AHEAD A_AHEAD B_AHEAD
#define ABC_AHEAD A_AHEAD BC_AHEAD

/* All loops have one shape; `head` is the number of elements before the first step, `prefetch` what
 * a step asks for in advance. */
#define KERNEL(name, kernel, store, head, fence, prefetch)                                         \
    static void name(struct am_stream_args *args)                                                  \
    {                                                                                              \
        const double s = args->s;                                                                  \
        const size_t ahead = args->ahead;                                                          \
        size_t begin = 0;                                                                          \
                                                                                                   \
        (void)s;                                                                                   \
        (void)ahead;                                                                               \
        for (uint64_t pass = args->passes; pass; pass--, begin += args->step) {                    \
            double *a = args->a + begin;                                                           \
            const double *b = args->b + begin, *c = args->c + begin;                               \
            size_t n = args->n;                                                                    \
                                                                                                   \
            for (size_t k = (head); k && n; k--, ADVANCE(1))                                       \
                STORE(double, 0, kernel##_of(double, 0));                                          \
            for (; n >= BLOCK; ADVANCE(BLOCK)) {                                                   \
                own_registers();                                                                   \
                prefetch STEP(store, kernel)                                                       \
            }                                                                                      \
            for (; n >= LANES; ADVANCE(LANES))                                                     \
                STORE(am_vf64, 0, kernel##_of(am_vf64, 0));                                        \
            for (; n; ADVANCE(1))                                                                  \
                STORE(double, 0, kernel##_of(double, 0));                                          \
            pass_end();                                                                            \
        }                                                                                          \
        fence;                                                                                     \
    }

/* Elements before the first address aligned to a vector: non-temporal stores need that. */
#define TO_ALIGNMENT ((0 - (uintptr_t)a) % AM_VEC_BYTES / sizeof(double))

#define PLAIN(kernel, arrays)                                                                      \
    KERNEL(kernel##_plain, kernel, STORE_PAIR, 0, (void)0, NOTHING_AHEAD)                          \
    KERNEL(kernel##_ahead, kernel, STORE_PAIR, 0, (void)0, arrays##_AHEAD)
#define NON_TEMPORAL(name, kernel, prefetch)                                                       \
    KERNEL(name, kernel, STORE_PAIR_NT, TO_ALIGNMENT, am_fence_nt(), prefetch)
/* A line stored to past the caches is not wanted in them before: only what is read is. */
#define PLAIN_AND_NT(kernel, arrays, arrays_read)                                                  \
    PLAIN(kernel, arrays)                                                                          \
    NON_TEMPORAL(kernel##_nt, kernel, NOTHING_AHEAD)                                               \
    NON_TEMPORAL(kernel##_nt_ahead, kernel, arrays_read##_AHEAD)

PLAIN(write, A)
NON_TEMPORAL(write_nt, write, NOTHING_AHEAD)
PLAIN_AND_NT(copy, AB, B)
PLAIN_AND_NT(scale, AB, B)
PLAIN_AND_NT(add, ABC, BC)
PLAIN_AND_NT(triad, ABC, BC)
PLAIN(update, A)
PLAIN(saxpy2, AB)

static uint64_t fold(am_vu64 x)
{
    union {
        am_vu64 v;
        uint64_t lane[LANES];
    } u = {.v = x};
    uint64_t sum = 0;

    for (int i = 0; i < LANES; i++)
        sum ^= u.lane[i];
    return sum;
}

#define SUM(i) am_vu64 x##i = {0};
/* In rising order: vectors of a whole line taken eight lines apart in turn lose the hardware's
 * prefetcher (two thirds of the bandwidth on a Zen 4). A compiler that joins both halves into one
 * three-way operation would do just that. */
#define TAKE(i)                                                                                    \
    x##i ^= AT(am_vu64, a, (i)*LANES);                                                             \
    AM_KEEP_u64(x##i);
#define TAKE_NEXT(i) x##i ^= AT(am_vu64, a, ((i) + SUMS) * LANES);
#define JOIN(i) all ^= x##i;

/* Exclusive or costs no core its load rate (unlike an addition), needs no order and no rounding, so
 * that the sum of bits proves that everything was read. */
#define READ(name, prefetch)                                                                       \
    static void name(struct am_stream_args *args)                                                  \
    {                                                                                              \
        const size_t ahead = args->ahead;                                                          \
        am_vu64 all = {0};                                                                         \
        uint64_t sum = 0;                                                                          \
        size_t begin = 0;                                                                          \
        AM_REP_8(SUM);                                                                             \
                                                                                                   \
        (void)ahead;                                                                               \
        for (uint64_t pass = args->passes; pass; pass--, begin += args->step) {                    \
            const double *a = args->a + begin;                                                     \
            size_t n = args->n;                                                                    \
                                                                                                   \
            for (; n >= BLOCK; n -= BLOCK, a += BLOCK) {                                           \
                __asm__("" : "+r"(a));                                                             \
                prefetch AM_REP_8(TAKE);                                                           \
                AM_REP_8(TAKE_NEXT);                                                               \
            }                                                                                      \
            for (; n >= LANES; n -= LANES, a += LANES)                                             \
                x0 ^= AT(am_vu64, a, 0);                                                           \
            for (; n; n--, a++)                                                                    \
                sum ^= *(const uint64_t *)(const void *)a;                                         \
            pass_end();                                                                            \
        }                                                                                          \
        AM_REP_8(JOIN);                                                                            \
        args->sum = sum ^ fold(all);                                                               \
    }

READ(read_plain, NOTHING_AHEAD)
READ(read_ahead, A_READ_AHEAD)

const struct am_stream_variant AM_KERNEL(am_stream_) = {
    .isa = AM_STRING(AM_ISA),
    .block = BLOCK,
    .fn =
        {
            [AM_STREAM_read] = {read_plain, NULL},
            [AM_STREAM_write] = {write_plain, write_nt},
            [AM_STREAM_update] = {update_plain, NULL},
            [AM_STREAM_copy] = {copy_plain, copy_nt},
            [AM_STREAM_scale] = {scale_plain, scale_nt},
            [AM_STREAM_add] = {add_plain, add_nt},
            [AM_STREAM_triad] = {triad_plain, triad_nt},
            [AM_STREAM_scale1] = {scale_plain, scale_nt},
            [AM_STREAM_scale2] = {update_plain, NULL},
            [AM_STREAM_saxpy1] = {triad_plain, triad_nt},
            [AM_STREAM_saxpy2] = {saxpy2_plain, NULL},
        },
    .ahead =
        {
            [AM_STREAM_read] = {read_ahead, NULL},
            [AM_STREAM_write] = {write_ahead, NULL},
            [AM_STREAM_update] = {update_ahead, NULL},
            [AM_STREAM_copy] = {copy_ahead, copy_nt_ahead},
            [AM_STREAM_scale] = {scale_ahead, scale_nt_ahead},
            [AM_STREAM_add] = {add_ahead, add_nt_ahead},
            [AM_STREAM_triad] = {triad_ahead, triad_nt_ahead},
            [AM_STREAM_scale1] = {scale_ahead, scale_nt_ahead},
            [AM_STREAM_scale2] = {update_ahead, NULL},
            [AM_STREAM_saxpy1] = {triad_ahead, triad_nt_ahead},
            [AM_STREAM_saxpy2] = {saxpy2_ahead, NULL},
        },
};
