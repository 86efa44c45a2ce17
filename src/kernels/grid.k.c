/* SPDX-License-Identifier: MIT */
/* Loops over boxes of two and three dimensions, row by row or several rows at once. */
#include "kernels/grid.h"

#include "kernels/repeat.h"
#include "kernels/vec.h"
#include "kernels/vectorise.h"

#define LANES(type) (sizeof(am_v##type) / sizeof(E_##type))
#define E_f32 float
#define E_f64 double

/* Rows that a loop has in registers: three vectors per row, the constants, and where operands
 * cannot be in memory, what is on its way. */
#if defined(__aarch64__)
#define ROWS 5
#define EACH_ROW REP_5
#define EACH_ROW_AND_TWO REP_7
#elif AM_REGISTERS == 32
#define ROWS 8
#define EACH_ROW REP_8
#define EACH_ROW_AND_TWO REP_10
#else
#define ROWS 4
#define EACH_ROW REP_4
#define EACH_ROW_AND_TWO REP_6
#endif

/* A step from the point in the middle and the sum of those around it. Contraction makes them what
 * the form says where there is a fused multiply-add. */
#define STEP_paper(x, around) (side * (around) + centre * (x))
#define STEP_scaled(x, around) (centre * (x) + (around))
#define STEP_centred(x, around) (side * (around) + (x))

/* The same in two parts, for a point x whose right neighbour comes later: additions and products
 * are as many of each as can be. `l`: left, `v`: both of the column, `p`: both of the planes. */
#define HEAD_paper_2(x, l, v, p) (side * ((l) + (v)) + centre * (x))
#define HEAD_paper_3(x, l, v, p) (side * ((l) + (v) + (p)) + centre * (x))
#define HEAD_scaled_2(x, l, v, p) (centre * (x) + (l) + (v))
#define HEAD_scaled_3(x, l, v, p) (JOIN(centre * (x) + (l), v) + (p))
#define HEAD_centred_2(x, l, v, p) (side * ((l) + (v)) + (x))
#define HEAD_centred_3(x, l, v, p) (side * (p) + (side * ((l) + (v)) + (x)))
#define TAIL_paper(head, r) (side * (r) + (head))
#define TAIL_scaled(head, r) JOIN(head, r)
#define TAIL_centred(head, r) (side * (r) + (head))

/* An addition for the units that multiply, where these add too. */
#if defined(__FMA__) || defined(__aarch64__)
#define JOIN(a, b) (one * (b) + (a))
#else
#define JOIN(a, b) ((a) + (b))
#endif
#if defined(__x86_64__)
#define HIDE(x) __asm__("" : "+x"(x))
#else
#define HIDE(x) __asm__("" : "+w"(x))
#endif

#define COEFFICIENTS(type)                                                                         \
    const E_##type side = (E_##type)box->side, centre = (E_##type)box->centre;                     \
    E_##type one = 1; /* not that the compiler would know */                                       \
    HIDE(one);                                                                                     \
    (void)side;                                                                                    \
    (void)centre;                                                                                  \
    (void)one

/* What is at p, and beside it by so many bytes. */
#define AT(T, p) (*(const T *)(const void *)(p))
#define PLANES_2(T, p) 0
#define PLANES_3(T, p) (AT(T, (p)-plane) + AT(T, (p) + plane))
/* One after the other: each sum is of a register and of memory, an instruction fewer than of two
 * sums that are made before. */
#define AROUND_2(T, p, by)                                                                         \
    (AT(T, (p) - (by)) + AT(T, (p) + (by)) + AT(T, (p)-row) + AT(T, (p) + row))
#define AROUND_3(T, p, by) (AROUND_2(T, p, by) + AT(T, (p)-plane) + AT(T, (p) + plane))

/* A function over a box from one over a number of its rows, and one for the rows that are left.
 * These rows in all planes first: what they read of one plane, the next planes' read again. */
#define ROW_ARGUMENTS const char *u, char *v, size_t n, const struct am_grid_box *box
#define PLANES(rows)                                                                               \
    for (size_t z = 0; z < box->n[2]; z++)                                                         \
        rows(u + (ptrdiff_t)z * box->plane, v + (ptrdiff_t)z * box->plane, box->n[0], box);
#define BOX(name, rows, some, single)                                                              \
    static void name(const struct am_grid_box *box)                                                \
    {                                                                                              \
        const char *u = box->u;                                                                    \
        char *v = box->v;                                                                          \
        size_t y = box->n[1];                                                                      \
                                                                                                   \
        for (; y >= (rows); y -= (rows), u += (rows)*box->row, v += (rows)*box->row)               \
            PLANES(some)                                                                           \
        for (; y; y--, u += box->row, v += box->row)                                               \
            PLANES(single)                                                                         \
    }
/* The same as anybody writes it: plane after plane, row after row, and at the end of a row what
 * lies beyond both its ends. */
#define WRAP(type, v, n)                                                                           \
    ((E_##type *)(void *)(v))[-1] = ((E_##type *)(void *)(v))[(n)-1];                              \
    ((E_##type *)(void *)(v))[n] = ((E_##type *)(void *)(v))[0];
#define PLAIN_BOX(name, single, type)                                                              \
    static void name(const struct am_grid_box *given)                                              \
    {                                                                                              \
        const struct am_grid_box own = *given, *const box = &own; /* that no store can change */   \
        const size_t n = box->n[0];                                                                \
                                                                                                   \
        for (size_t z = 0; z < box->n[2]; z++) {                                                   \
            const char *u = (const char *)box->u + (ptrdiff_t)z * box->plane;                      \
            char *v = (char *)box->v + (ptrdiff_t)z * box->plane;                                  \
                                                                                                   \
            for (size_t y = 0; y < box->n[1]; y++, u += box->row, v += box->row) {                 \
                single(u, v, n, box);                                                              \
                if (box->wraps) {                                                                  \
                    WRAP(type, v, n)                                                               \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define STRIDES                                                                                    \
    const ptrdiff_t row = box->row, plane = box->plane;                                            \
    (void)plane

/* Linear, an element at a time; the loops differ in what the compiler is told. */
#define ELEMENTS(name, dim, form, type, hint)                                                      \
    static inline void name##_row_##dim##_##form##_##type(ROW_ARGUMENTS)                           \
    {                                                                                              \
        typedef E_##type E;                                                                        \
        E *restrict to = (E *)(void *)v;                                                           \
        COEFFICIENTS(type);                                                                        \
        STRIDES;                                                                                   \
                                                                                                   \
        hint for (size_t i = 0; i < n; i++) to[i] =                                                \
            STEP_##form(AT(E, u + i * sizeof(E)), AROUND_##dim(E, u + i * sizeof(E), sizeof(E)));  \
    }                                                                                              \
    PLAIN_BOX(name##_##dim##_##form##_##type, name##_row_##dim##_##form##_##type, type)

/* Vectors, all neighbours loaded for each: v may be u for all that the compiler knows. */
#define VECTOR(dim, form, T, k, by)                                                                \
    *(T *)(void *)(v + (k) * sizeof(T)) = STEP_##form(                                             \
        AT(T, u + (k) * sizeof(T)), AROUND_##dim(T, u + (k) * sizeof(T), (ptrdiff_t)(by)));
#define FOUR_VECTORS(dim, form, T, by)                                                             \
    for (; n >= 4 * per; n -= 4 * per, u += 4 * sizeof(T), v += 4 * sizeof(T)) {                   \
        __asm__("" : "+r"(u), "+r"(v));                                                            \
        VECTOR(dim, form, T, 0, by)                                                                \
        VECTOR(dim, form, T, 1, by) VECTOR(dim, form, T, 2, by) VECTOR(dim, form, T, 3, by)        \
    }
#define UNALIGNED(dim, form, type)                                                                 \
    static inline void unaligned_row_##dim##_##form##_##type(ROW_ARGUMENTS)                        \
    {                                                                                              \
        typedef am_v##type V;                                                                      \
        typedef E_##type E;                                                                        \
        enum { per = LANES(type) };                                                                \
        COEFFICIENTS(type);                                                                        \
        STRIDES;                                                                                   \
                                                                                                   \
        FOUR_VECTORS(dim, form, V, sizeof(E))                                                      \
        for (; n; n--, u += sizeof(E), v += sizeof(E))                                             \
            VECTOR(dim, form, E, 0, sizeof(E))                                                     \
    }                                                                                              \
    PLAIN_BOX(unaligned_##dim##_##form##_##type, unaligned_row_##dim##_##form##_##type, type)

#define INTERLEAVED(dim, form, type)                                                               \
    static inline void interleaved_row_##dim##_##form##_##type(ROW_ARGUMENTS)                      \
    {                                                                                              \
        typedef am_v##type A __attribute__((aligned(sizeof(am_v##type))));                         \
        enum { per = 1 };                                                                          \
        COEFFICIENTS(type);                                                                        \
        STRIDES;                                                                                   \
                                                                                                   \
        FOUR_VECTORS(dim, form, A, sizeof(A))                                                      \
        for (; n; n--, u += sizeof(A), v += sizeof(A))                                             \
            VECTOR(dim, form, A, 0, sizeof(A))                                                     \
    }                                                                                              \
    BOX(interleaved_##dim##_##form##_##type, 1, interleaved_row_##dim##_##form##_##type,           \
        interleaved_row_##dim##_##form##_##type)

/* Several rows at once. A column of vectors x comes in, with one above the rows and one below: it
 * ends the points to its left, kept as heads, and begins its own, whose left neighbours are y. The
 * names of both change places with the next column, so that nothing is moved. Vectors come in one
 * row before they are needed, when one of those to their left is done with: there is room. */
#define ROW(p, k) ((p) + (ptrdiff_t)(k)*row)
#define HEAD(k, x, y, dim, form)                                                                   \
    HEAD_##form##_##dim(x[(k) + 1], y[(k) + 1], x[k] + x[(k) + 2], PLANES_##dim(A, ROW(u, k)))
#define IN(k, x) x[k] = AT(A, ROW(u, (k)-1));
#define OUT(k, x, y, dim, form)                                                                    \
    x[(k) + 2] = AT(A, ROW(u, (k) + 1));                                                           \
    *(A *)(void *)(ROW(v, k) - step) = TAIL_##form(head[k], x[(k) + 1]);                           \
    head[k] = HEAD(k, x, y, dim, form);
#define LEFT(k, y) y[(k) + 1] = AT(A, ROW(u, k) - step);
#define BEGIN(k, x, y, dim, form) head[k] = HEAD(k, x, y, dim, form);
#define END(k, form) *(A *)(void *)(ROW(v, k) - step) = TAIL_##form(head[k], AT(A, ROW(u, k)));
#define COLUMN_IN(rows, x, y, dim, form)                                                           \
    IN(0, x) IN(1, x) rows(OUT, x, y, dim, form) u += step;                                        \
    v += step;
#define ROWS_AT_ONCE(name, count, rows, and_two, dim, form, type)                                  \
    static inline void name(ROW_ARGUMENTS)                                                         \
    {                                                                                              \
        typedef am_v##type V;                                                                      \
        typedef V A __attribute__((aligned(sizeof(V))));                                           \
        const ptrdiff_t step = box->step;                                                          \
        V a[(count) + 2], b[(count) + 2], head[count];                                             \
        COEFFICIENTS(type);                                                                        \
        STRIDES;                                                                                   \
                                                                                                   \
        if (!n)                                                                                    \
            return;                                                                                \
        rows(LEFT, a) and_two(IN, b) rows(BEGIN, b, a, dim, form) u += step;                       \
        v += step;                                                                                 \
        for (n--; n >= 2; n -= 2) {                                                                \
            COLUMN_IN(rows, a, b, dim, form)                                                       \
            COLUMN_IN(rows, b, a, dim, form)                                                       \
        }                                                                                          \
        if (n) {                                                                                   \
            COLUMN_IN(rows, a, b, dim, form)                                                       \
        }                                                                                          \
        rows(END, form)                                                                            \
    }
#define PREFETCH(dim, form, type)                                                                  \
    ROWS_AT_ONCE(prefetch_rows_##dim##_##form##_##type, ROWS, EACH_ROW, EACH_ROW_AND_TWO, dim,     \
                 form, type)                                                                       \
    ROWS_AT_ONCE(prefetch_row_##dim##_##form##_##type, 1, REP_1, REP_3, dim, form, type)           \
    BOX(prefetch_##dim##_##form##_##type, ROWS, prefetch_rows_##dim##_##form##_##type,             \
        prefetch_row_##dim##_##form##_##type)

/* Lanes from `by` on are before those below it: two loads that are apart by a vector have the ones
 * and the others. */
#define TURN(type, bits)                                                                           \
    static void turn_##type(void *to, const void *const from[2], uint32_t second, size_t n,        \
                            size_t by)                                                             \
    {                                                                                              \
        typedef am_vu##bits V;                                                                     \
        enum { lanes = LANES(type) };                                                              \
        uint##bits##_t *v = to, pick[4][lanes];                                                    \
        const uint##bits##_t *a = (const uint##bits##_t *)from[0] + by;                            \
        const uint##bits##_t *b = (const uint##bits##_t *)from[1] + by;                            \
        V mask[4];                                                                                 \
                                                                                                   \
        for (size_t j = 0; j < lanes; j++) {                                                       \
            const size_t which = 2 * (second >> j & 1) + (j + by >= lanes);                        \
                                                                                                   \
            for (size_t k = 0; k < 4; k++)                                                         \
                pick[k][j] = k == which ? UINT##bits##_MAX : 0;                                    \
        }                                                                                          \
        for (size_t k = 0; k < 4; k++)                                                             \
            mask[k] = AT(V, pick[k]);                                                              \
        for (; n; n--, a += lanes, b += lanes, v += lanes)                                         \
            *(V *)(void *)v = (AT(V, a) & mask[0]) | (AT(V, a - lanes) & mask[1]) |                \
                              (AT(V, b) & mask[2]) | (AT(V, b - lanes) & mask[3]);                 \
    }
TURN(f32, 32)
TURN(f64, 64)

#define NO_HINT
#define LOOPS(dim, form, type)                                                                     \
    ELEMENTS(scalar, dim, form, type, NO_HINT)                                                     \
    UNALIGNED(dim, form, type) INTERLEAVED(dim, form, type) PREFETCH(dim, form, type)
#define EACH_OF(X, dim)                                                                            \
    X(dim, paper, f32)                                                                             \
    X(dim, paper, f64)                                                                             \
    X(dim, scaled, f32) X(dim, scaled, f64) X(dim, centred, f32) X(dim, centred, f64)

EACH_OF(LOOPS, 2)
EACH_OF(LOOPS, 3)

#define ROW_OF(loop, dim, form)                                                                    \
    {                                                                                              \
        loop##_##dim##_##form##_f32, loop##_##dim##_##form##_f64                                   \
    }
#define ROWS_OF(loop, dim)                                                                         \
    {                                                                                              \
        ROW_OF(loop, dim, paper), ROW_OF(loop, dim, scaled), ROW_OF(loop, dim, centred)            \
    }

/* Where no vectors are, none can be made by the compiler: it would use those of another ISA. */
#if AM_VEC_BYTES == 8
#define AUTO_OF(dim)                                                                               \
    {                                                                                              \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#else
#define AUTO(dim, form, type) ELEMENTS(auto, dim, form, type, VECTORISE_##type)
EACH_OF(AUTO, 2)
EACH_OF(AUTO, 3)
#define AUTO_OF(dim) ROWS_OF(auto, dim)
#endif
#if AM_VEC_BYTES == 64
#define WHOLE(dim, form, type) ELEMENTS(whole, dim, form, type, VECTORISE_WHOLE_##type)
EACH_OF(WHOLE, 2)
EACH_OF(WHOLE, 3)
#define WHOLE_OF(dim) ROWS_OF(whole, dim)
#else
#define WHOLE_OF(dim)                                                                              \
    {                                                                                              \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#endif

#define LOOPS_OF(dim)                                                                              \
    {                                                                                              \
        [AM_STENCIL_SCALAR] = ROWS_OF(scalar, dim), [AM_STENCIL_AUTO] = AUTO_OF(dim),              \
        [AM_STENCIL_UNALIGNED] = ROWS_OF(unaligned, dim),                                          \
        [AM_STENCIL_INTERLEAVED] = ROWS_OF(interleaved, dim),                                      \
        [AM_STENCIL_PREFETCH] = ROWS_OF(prefetch, dim), [AM_GRID_WHOLE] = WHOLE_OF(dim),           \
    }

const struct am_grid_variant AM_KERNEL(am_grid_) = {
    .isa = AM_STRING(AM_ISA),
    .rows = ROWS,
    .lanes = {LANES(f32), LANES(f64)},
    .auto_lanes = {AUTO_LANES(f32), AUTO_LANES(f64)},
    .step = {LOOPS_OF(2), LOOPS_OF(3)},
    .turn = {turn_f32, turn_f64},
};
