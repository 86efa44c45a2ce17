/* SPDX-License-Identifier: MIT */
/* Streaming loops: sixteen vectors a step at constant offsets, then vectors, then elements. */
#include "kernels/stream.h"

#include "kernels/isa/isa.h"
#include "kernels/vec.h"

enum { LANES = AM_VEC_BYTES / sizeof(double), BLOCK = 16 * LANES, SUMS = 8 };

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

/* All loops have one shape; `head` is the number of elements before the first step. */
#define KERNEL(name, kernel, store, head, fence)                                                   \
    static void name(struct am_stream_args *args)                                                  \
    {                                                                                              \
        const double s = args->s;                                                                  \
                                                                                                   \
        (void)s;                                                                                   \
        for (uint64_t pass = args->passes; pass; pass--) {                                         \
            double *a = args->a;                                                                   \
            const double *b = args->b, *c = args->c;                                               \
            size_t n = args->n;                                                                    \
                                                                                                   \
            for (size_t k = (head); k && n; k--, ADVANCE(1))                                       \
                STORE(double, 0, kernel##_of(double, 0));                                          \
            for (; n >= BLOCK; ADVANCE(BLOCK)) {                                                   \
                own_registers();                                                                   \
                STEP(store, kernel)                                                                \
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

#define BOTH(kernel)                                                                               \
    KERNEL(kernel##_plain, kernel, STORE_PAIR, 0, (void)0)                                         \
    KERNEL(kernel##_nt, kernel, STORE_PAIR_NT, TO_ALIGNMENT, am_fence_nt())

BOTH(write)
BOTH(copy)
BOTH(scale)
BOTH(add)
BOTH(triad)
KERNEL(update_plain, update, STORE_PAIR, 0, (void)0)

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
#define TAKE(i)                                                                                    \
    x##i ^= AT(am_vu64, a, (i)*LANES);                                                             \
    x##i ^= AT(am_vu64, a, ((i) + SUMS) * LANES);
#define JOIN(i) all ^= x##i;

/* Exclusive or costs no core its load rate (unlike an addition), needs no order and no rounding, so
 * that the sum of bits proves that everything was read. */
static void read_plain(struct am_stream_args *args)
{
    am_vu64 all = {0};
    uint64_t sum = 0;
    AM_REP_8(SUM);

    for (uint64_t pass = args->passes; pass; pass--) {
        const double *a = args->a;
        size_t n = args->n;

        for (; n >= BLOCK; n -= BLOCK, a += BLOCK) {
            AM_REP_8(TAKE);
        }
        for (; n >= LANES; n -= LANES, a += LANES)
            x0 ^= AT(am_vu64, a, 0);
        for (; n; n--, a++)
            sum ^= *(const uint64_t *)(const void *)a;
        pass_end();
    }
    AM_REP_8(JOIN);
    args->sum = sum ^ fold(all);
}

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
        },
};
