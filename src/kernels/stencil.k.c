/* SPDX-License-Identifier: MIT */
/* Sweeps of the three-point stencil and slices one vector wide; wider slices are generated. */
#include "kernels/stencil.h"

#include "kernels/vec.h"
#include "kernels/vectorise.h"

/* stencil_slices.py knows these numbers. */
_Static_assert(offsetof(struct am_stencil_slice, last_steps) == 48, "layout of a slice");
_Static_assert(offsetof(struct am_stencil_slice, side) == 64, "layout of a slice");
_Static_assert(offsetof(struct am_stencil_slice, rescale_last) == 256, "layout of a slice");

#define LANES(type) (sizeof(am_v##type) / sizeof(E_##type))
#define E_f32 float
#define E_f64 double

/* A step from x0, x1, x2, elements or vectors. Contraction makes them what the form says where
 * there is a fused multiply-add. Of the paper's two products compilers would fuse one or the other,
 * and bits would differ from loop to loop: it is that of the sides, everywhere. What hides the
 * other product keeps a compiler from making vectors, so that plain loops (ELEMENT_) say it by
 * name. */
#if defined(__FMA__) || defined(__aarch64__)
#if defined(__x86_64__)
#define APART(x) __asm__("" : "+v"(x))
#else
#define APART(x) __asm__("" : "+w"(x))
#endif
#define STEP_paper(x0, x1, x2)                                                                     \
    __extension__({                                                                                \
        __typeof__((x1) * (x1)) product_ = centre * (x1);                                          \
                                                                                                   \
        APART(product_);                                                                           \
        side *((x0) + (x2)) + product_;                                                            \
    })
#define ELEMENT_paper_f32(x0, x1, x2) __builtin_fmaf(side, (x0) + (x2), centre * (x1))
#define ELEMENT_paper_f64(x0, x1, x2) __builtin_fma(side, (x0) + (x2), centre * (x1))
#else
#define STEP_paper(x0, x1, x2) (side * ((x0) + (x2)) + centre * (x1))
#define ELEMENT_paper_f32 STEP_paper
#define ELEMENT_paper_f64 STEP_paper
#endif
#define ELEMENT_scaled_f32 STEP_scaled
#define ELEMENT_scaled_f64 STEP_scaled
#define ELEMENT_centred_f32 STEP_centred
#define ELEMENT_centred_f64 STEP_centred
#define STEP_scaled(x0, x1, x2) (centre * (x1) + (x0) + (x2))
#define STEP_centred(x0, x1, x2) (side * ((x0) + (x2)) + (x1))

#define COEFFICIENTS(type)                                                                         \
    const E_##type side = (E_##type)sweep->side, centre = (E_##type)sweep->centre;                 \
    (void)side;                                                                                    \
    (void)centre

#define AT(T, p) (*(const T *)(const void *)(p))
#define LINEAR_STEP(form, T, i) STEP_##form(AT(T, u + (i)-1), AT(T, u + (i)), AT(T, u + (i) + 1))

/* Linear: the element loops differ in what the compiler is told. */
#define ELEMENTS(name, form, type, hint)                                                           \
    static void name##_##form##_##type(const struct am_stencil_sweep *sweep)                       \
    {                                                                                              \
        const E_##type *restrict u = sweep->u;                                                     \
        E_##type *restrict v = sweep->v;                                                           \
        COEFFICIENTS(type);                                                                        \
                                                                                                   \
        hint for (size_t i = 0; i < sweep->n; i++) v[i] =                                          \
            ELEMENT_##form##_##type(u[i - 1], u[i], u[i + 1]);                                     \
    }

#define UNALIGNED_VECTOR(form, k) *(V *)(void *)(v + (k)*lanes) = LINEAR_STEP(form, V, (k)*lanes);
/* u and v may be the same for all that the compiler knows: every vector is loaded anew. */
#define UNALIGNED(form, type)                                                                      \
    static void unaligned_##form##_##type(const struct am_stencil_sweep *sweep)                    \
    {                                                                                              \
        typedef am_v##type V;                                                                      \
        enum { lanes = LANES(type), step = 4 * lanes };                                            \
        const E_##type *u = sweep->u;                                                              \
        E_##type *v = sweep->v;                                                                    \
        size_t n = sweep->n;                                                                       \
        COEFFICIENTS(type);                                                                        \
                                                                                                   \
        for (; n >= step; n -= step, u += step, v += step) {                                       \
            __asm__("" : "+r"(u), "+r"(v));                                                        \
            UNALIGNED_VECTOR(form, 0)                                                              \
            UNALIGNED_VECTOR(form, 1) UNALIGNED_VECTOR(form, 2) UNALIGNED_VECTOR(form, 3)          \
        }                                                                                          \
        for (; n; n--, u++, v++)                                                                   \
            *v = LINEAR_STEP(form, E_##type, 0);                                                   \
    }

/* Interleaved: vectors are aligned, and neighbours are neighbouring vectors. */
#define VECTORS(type)                                                                              \
    typedef am_v##type V;                                                                          \
    typedef V A __attribute__((aligned(sizeof(V))));                                               \
    const A *u = sweep->u;                                                                         \
    A *v = sweep->v;                                                                               \
    size_t n = sweep->n;                                                                           \
    COEFFICIENTS(type)

#define THREE_LOADS(form, i) v[i] = STEP_##form(u[(i)-1], u[i], u[(i) + 1]);
#define INTERLEAVED(form, type)                                                                    \
    static void interleaved_##form##_##type(const struct am_stencil_sweep *sweep)                  \
    {                                                                                              \
        VECTORS(type);                                                                             \
                                                                                                   \
        for (; n >= 4; n -= 4, u += 4, v += 4) {                                                   \
            __asm__("" : "+r"(u), "+r"(v));                                                        \
            THREE_LOADS(form, 0)                                                                   \
            THREE_LOADS(form, 1) THREE_LOADS(form, 2) THREE_LOADS(form, 3)                         \
        }                                                                                          \
        for (; n; n--, u++, v++)                                                                   \
            THREE_LOADS(form, 0)                                                                   \
    }

/* The names of the three vectors in hand go round, so that none is moved. A vector is loaded before
 * the one two to its left is stored: v may be u - 1. */
#define ONE_LOAD(form, i, x0, x1, x2)                                                              \
    x2 = u[(i) + 1];                                                                               \
    v[i] = STEP_##form(x0, x1, x2);
#define THREE_POINTS(form, i)                                                                      \
    ONE_LOAD(form, i, a, b, c) ONE_LOAD(form, (i) + 1, b, c, a) ONE_LOAD(form, (i) + 2, c, a, b)
#define PREFETCH(form, type)                                                                       \
    static void prefetch_##form##_##type(const struct am_stencil_sweep *sweep)                     \
    {                                                                                              \
        VECTORS(type);                                                                             \
        V a = u[-1], b = u[0], c;                                                                  \
                                                                                                   \
        for (; n >= 6; n -= 6, u += 6, v += 6) {                                                   \
            __asm__("" : "+r"(u), "+r"(v));                                                        \
            THREE_POINTS(form, 0) THREE_POINTS(form, 3)                                            \
        }                                                                                          \
        for (; n; n--, u++, v++) {                                                                 \
            ONE_LOAD(form, 0, a, b, c)                                                             \
            a = b;                                                                                 \
            b = c;                                                                                 \
        }                                                                                          \
    }

/* Lane l holds the piece of the grid behind that of lane l - 1. So what lies before the first
 * vector is the last one, moved up by one lane, and behind the last lies the first, moved down by
 * one. */
#define WRAP(type)                                                                                 \
    static void wrap_##type(void *array, size_t n, size_t count)                                   \
    {                                                                                              \
        typedef am_v##type V;                                                                      \
        typedef V A __attribute__((aligned(sizeof(V))));                                           \
        A *const u = array, *const before = u - count, *const after = u + n;                       \
                                                                                                   \
        for (size_t i = 0; i < count; i++) {                                                       \
            const V last = u[n - count + i], first = u[i];                                         \
                                                                                                   \
            before[i] = AM_TURN_UP_##type(last);                                                   \
            after[i] = AM_TURN_DOWN_##type(first);                                                 \
        }                                                                                          \
    }

/* One point after the other: compilers that compute all sums first have no registers for them. */
#if defined(__x86_64__)
#define IN_ORDER(x) __asm__ volatile("" : "+v"(x))
#else
#define IN_ORDER(x) __asm__ volatile("" : "+w"(x))
#endif

/* Steps in place, from left to right: `old` is the left neighbour as it was. The last point's right
 * neighbour is x0 as it was, turned. */
#define HELD_NAME(k) x##k
#define HELD_LOAD(k) V x##k = u[k];
#define HELD_SCALE(k) x##k *= factor;
#define HELD_STORE(k) v[k] = x##k;
#define HELD_POINT(form, k, next)                                                                  \
    {                                                                                              \
        V moved = STEP_##form(old, x##k, next);                                                    \
                                                                                                   \
        IN_ORDER(moved);                                                                           \
        old = x##k;                                                                                \
        x##k = moved;                                                                              \
    }
#define HELD_POINTS_6(form)                                                                        \
    HELD_POINT(form, 0, x1)                                                                        \
    HELD_POINT(form, 1, x2) HELD_POINT(form, 2, x3) HELD_POINT(form, 3, x4) HELD_POINT(form, 4, x5)
#define HELD_POINTS_8(form) HELD_POINTS_6(form) HELD_POINT(form, 5, x6) HELD_POINT(form, 6, x7)
#define HELD_POINTS_10(form) HELD_POINTS_8(form) HELD_POINT(form, 7, x8) HELD_POINT(form, 8, x9)
#define HELD_POINTS_16(form)                                                                       \
    HELD_POINTS_10(form)                                                                           \
    HELD_POINT(form, 9, x10)                                                                       \
    HELD_POINT(form, 10, x11)                                                                      \
    HELD_POINT(form, 11, x12)                                                                      \
    HELD_POINT(form, 12, x13) HELD_POINT(form, 13, x14) HELD_POINT(form, 14, x15)
#define HELD_POINTS_24(form)                                                                       \
    HELD_POINTS_16(form)                                                                           \
    HELD_POINT(form, 15, x16)                                                                      \
    HELD_POINT(form, 16, x17)                                                                      \
    HELD_POINT(form, 17, x18)                                                                      \
    HELD_POINT(form, 18, x19)                                                                      \
    HELD_POINT(form, 19, x20)                                                                      \
    HELD_POINT(form, 20, x21) HELD_POINT(form, 21, x22) HELD_POINT(form, 22, x23)
#define AM_REP_24(X) AM_REP_16(X) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
#define HELD(form, type, w, last)                                                                  \
    static void held_##form##_##type##_##w(const struct am_stencil_slice *s)                       \
    {                                                                                              \
        typedef am_v##type V;                                                                      \
        typedef V A __attribute__((aligned(sizeof(V))));                                           \
        const V side = *(const A *)(const void *)s->side;                                          \
        const V centre = *(const A *)(const void *)s->centre;                                      \
        const A *const u = s->u;                                                                   \
        A *const v = s->v;                                                                         \
        AM_REP_##w(HELD_LOAD)                                                                      \
                                                                                                   \
            (void) side;                                                                           \
        (void)centre;                                                                              \
        for (uint64_t chunk = 0; chunk <= s->chunks; chunk++) {                                    \
            const bool ends = chunk == s->chunks;                                                  \
            uint64_t steps = ends ? s->last_periods + s->last_steps : s->chunk_periods;            \
                                                                                                   \
            for (; steps; steps--) {                                                               \
                const V first = AM_TURN_DOWN_##type(x0);                                           \
                V old = AM_TURN_UP_##type(HELD_NAME(last));                                        \
                                                                                                   \
                HELD_POINTS_##w(form) HELD_POINT(form, last, first)                                \
            }                                                                                      \
            if (AM_STENCIL_##form != AM_STENCIL_paper) {                                           \
                const V factor = *(const A *)(const void *)(ends ? s->rescale_last : s->rescale);  \
                                                                                                   \
                AM_REP_##w(HELD_SCALE)                                                             \
            }                                                                                      \
        }                                                                                          \
        AM_REP_##w(HELD_STORE)                                                                     \
    }

/* A diagonal: two vectors loaded and stored a step, whatever else is done. */
#define SKEW(form, type)                                                                           \
    static void skew_##form##_##type(const struct am_stencil_slice *s)                             \
    {                                                                                              \
        typedef am_v##type V;                                                                      \
        typedef V A __attribute__((aligned(sizeof(V))));                                           \
        const V side = *(const A *)(const void *)s->side;                                          \
        const V centre = *(const A *)(const void *)s->centre;                                      \
        A *e = s->e;                                                                               \
        V x = *(const A *)s->u;                                                                    \
                                                                                                   \
        (void)side;                                                                                \
        (void)centre;                                                                              \
        for (uint64_t chunk = 0; chunk <= s->chunks; chunk++) {                                    \
            const bool last = chunk == s->chunks;                                                  \
            uint64_t steps = last ? s->last_periods + s->last_steps : s->chunk_periods;            \
                                                                                                   \
            for (; steps; steps--, e += 2) {                                                       \
                const V x0 = e[0], x1 = e[1];                                                      \
                                                                                                   \
                e[0] = x1;                                                                         \
                e[1] = x;                                                                          \
                x = STEP_##form(x0, x1, x);                                                        \
            }                                                                                      \
            if (AM_STENCIL_##form != AM_STENCIL_paper)                                             \
                x *= *(const A *)(const void *)(last ? s->rescale_last : s->rescale);              \
        }                                                                                          \
        *(A *)s->v = x;                                                                            \
    }

#define NO_HINT
#define LOOPS(form, type)                                                                          \
    ELEMENTS(scalar, form, type, NO_HINT)                                                          \
    UNALIGNED(form, type) INTERLEAVED(form, type) PREFETCH(form, type) SKEW(form, type)
#define EACH(X)                                                                                    \
    X(paper, f32)                                                                                  \
    X(paper, f64) X(scaled, f32) X(scaled, f64) X(centred, f32) X(centred, f64)

/* As wide as registers allow without spills, and narrower. */
#if AM_REGISTERS == 32
#define HELD_ENTRIES HELD_ENTRY(8), HELD_ENTRY(16), HELD_ENTRY(24)
#define HELD_ALL(form, type)                                                                       \
    HELD(form, type, 8, 7) HELD(form, type, 16, 15) HELD(form, type, 24, 23)
#else
#define HELD_ENTRIES HELD_ENTRY(6), HELD_ENTRY(8), HELD_ENTRY(10)
#define HELD_ALL(form, type) HELD(form, type, 6, 5) HELD(form, type, 8, 7) HELD(form, type, 10, 9)
#endif

EACH(LOOPS)
EACH(HELD_ALL)
WRAP(f32)
WRAP(f64)

/* Where no vectors are, none can be made by the compiler: it would use those of another ISA. */
#if AM_VEC_BYTES == 8
#define ROW_AUTO(form)                                                                             \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }
#else
#define AUTO(form, type) ELEMENTS(auto, form, type, VECTORISE_##type)
EACH(AUTO)
#define ROW_AUTO(form) ROW(auto, form)
#endif

/* Generated slices: am_slice_<isa>_<form>_<type>_<width>. */
#define UP_TO_13(X, form, type)                                                                    \
    X(form, type, 1)                                                                               \
    X(form, type, 2)                                                                               \
    X(form, type, 3)                                                                               \
    X(form, type, 4)                                                                               \
    X(form, type, 5)                                                                               \
    X(form, type, 6)                                                                               \
    X(form, type, 7)                                                                               \
    X(form, type, 8)                                                                               \
    X(form, type, 9)                                                                               \
    X(form, type, 10)                                                                              \
    X(form, type, 11)                                                                              \
    X(form, type, 12)                                                                              \
    X(form, type, 13)
#if AM_REGISTERS == 32
#define WIDTH_MAX AM_STENCIL_WIDTH_MAX
#define WIDTHS(X, form, type)                                                                      \
    UP_TO_13(X, form, type)                                                                        \
    X(form, type, 14)                                                                              \
    X(form, type, 15)                                                                              \
    X(form, type, 16)                                                                              \
    X(form, type, 17)                                                                              \
    X(form, type, 18)                                                                              \
    X(form, type, 19)                                                                              \
    X(form, type, 20)                                                                              \
    X(form, type, 21)                                                                              \
    X(form, type, 22)                                                                              \
    X(form, type, 23)                                                                              \
    X(form, type, 24)                                                                              \
    X(form, type, 25)                                                                              \
    X(form, type, 26)                                                                              \
    X(form, type, 27)                                                                              \
    X(form, type, 28)
#else
#define WIDTH_MAX AM_STENCIL_ROTATING
#define WIDTHS UP_TO_13
#endif

#define SLICE_NAME(form, type, w) AM_PASTE(AM_KERNEL(am_slice_), _##form##_##type##_##w)
#define DECLARE_SLICE(form, type, w) extern am_stencil_slice_fn SLICE_NAME(form, type, w);
#define DECLARE_SLICES(form, type) WIDTHS(DECLARE_SLICE, form, type)
EACH(DECLARE_SLICES)

#define ENTRY(form, type, w) SLICE_NAME(form, type, w),
#define SLICES(form)                                                                               \
    {                                                                                              \
        {WIDTHS(ENTRY, form, f32)},                                                                \
        {                                                                                          \
            WIDTHS(ENTRY, form, f64)                                                               \
        }                                                                                          \
    }
#define ROW(loop, form)                                                                            \
    {                                                                                              \
        loop##_##form##_f32, loop##_##form##_f64                                                   \
    }
#define HELD_ROW(form, w)                                                                          \
    {                                                                                              \
        held_##form##_f32_##w, held_##form##_f64_##w                                               \
    }
#define HELD_ENTRY(w)                                                                              \
    {                                                                                              \
        w,                                                                                         \
        {                                                                                          \
            HELD_ROW(paper, w), HELD_ROW(scaled, w), HELD_ROW(centred, w)                          \
        }                                                                                          \
    }
#define ROWS(loop)                                                                                 \
    {                                                                                              \
        ROW(loop, paper), ROW(loop, scaled), ROW(loop, centred)                                    \
    }

const struct am_stencil_variant AM_KERNEL(am_stencil_) = {
    .isa = AM_STRING(AM_ISA),
    .width_max = WIDTH_MAX,
    .held = {HELD_ENTRIES},
    .lanes = {LANES(f32), LANES(f64)},
    .auto_lanes = {AUTO_LANES(f32), AUTO_LANES(f64)},
    .sweep =
        {
            [AM_STENCIL_SCALAR] = ROWS(scalar),
            [AM_STENCIL_AUTO] = {ROW_AUTO(paper), ROW_AUTO(scaled), ROW_AUTO(centred)},
            [AM_STENCIL_UNALIGNED] = ROWS(unaligned),
            [AM_STENCIL_INTERLEAVED] = ROWS(interleaved),
            [AM_STENCIL_PREFETCH] = ROWS(prefetch),
        },
    .wrap = {wrap_f32, wrap_f64},
    .skew = ROWS(skew),
    .slice = {SLICES(paper), SLICES(scaled), SLICES(centred)},
};
