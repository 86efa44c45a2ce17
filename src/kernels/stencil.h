/* SPDX-License-Identifier: MIT */
/* Loops of the 1-D three-point stencil: sweeps over two arrays, and slices that lean in time. */
#ifndef AM_KERNELS_STENCIL_H
#define AM_KERNELS_STENCIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AM_STENCIL_VEC_BYTES_MAX = 64,
    AM_STENCIL_WIDTH_MAX = 28,  /* vectors of a slice: 32 registers; 13 with 16 registers */
    AM_STENCIL_ROTATING = 13,   /* up to this width a slice's points rotate through its registers */
    AM_STENCIL_HELD_WIDTHS = 3, /* of whole grids in registers */
};

/* How a point x1 between x0 and x2 is stepped. The second and third multiply the whole state by a
 * constant, step by step, which must be undone before it overflows.
 * X(name, operations as the field counts them: an fma is two) */
#define AM_STENCIL_FORM_MAP(X)                                                                     \
    X(paper, 4)   /* side (x0 + x2) + centre x1 */                                                 \
    X(scaled, 3)  /* centre x1 + x0 + x2 */                                                        \
    X(centred, 3) /* side (x0 + x2) + x1 */

#define AM_STENCIL_ENUM(name, flops) AM_STENCIL_##name,
enum am_stencil_form { AM_STENCIL_FORM_MAP(AM_STENCIL_ENUM) AM_STENCIL_FORMS };
#undef AM_STENCIL_ENUM

enum am_stencil_type { AM_STENCIL_F32, AM_STENCIL_F64, AM_STENCIL_TYPES };

/* Names by enumerator, ended by NULL. */
extern const char *const am_stencil_forms[];
extern const char *const am_stencil_types[];
extern const unsigned am_stencil_form_flops[AM_STENCIL_FORMS];

/* One step from u to v. Linear loops: n elements, u[-1] and u[n] readable. Interleaved loops: n
 * vectors, aligned, u[-1] and u[n] readable vectors. */
struct am_stencil_sweep {
    const void *u;
    void *v;
    size_t n;
    double side, centre; /* values of the element type */
};

typedef void am_stencil_sweep_fn(const struct am_stencil_sweep *sweep);

enum am_stencil_loop {
    AM_STENCIL_SCALAR,      /* linear, an element at a time */
    AM_STENCIL_AUTO,        /* linear, vectorised by the compiler; none in the scalar ISA */
    AM_STENCIL_UNALIGNED,   /* linear, vector loads at any element */
    AM_STENCIL_INTERLEAVED, /* three aligned loads per vector */
    AM_STENCIL_PREFETCH,    /* one aligned load per vector; v may be u - 1 */
    AM_STENCIL_LOOPS,
};

/* A slice of w vectors that moves one vector to the left with each step. x[k] at step s becomes
 * y[k] = step(x[k-2], x[k-1], x[k]) at s + 1, where x[-2] and x[-1] are e[2s] and e[2s+1], in whose
 * place the last two vectors at step s (w = 1: x[-1] and x[0]) are left for the slice to the right.
 * Forms that scale: after every chunk but the last all x are multiplied by `rescale`, after the
 * last by `rescale_last`. Steps of a chunk are counted in periods of am_stencil_period(). All
 * memory is aligned to a vector. The layout is known to stencil_slices.py. */
struct am_stencil_slice {
    const void *u;          /* w vectors at step 0 */
    void *v;                /* takes them after the last step; may overlap u anyhow */
    void *e;                /* 2 vectors per step */
    uint64_t chunks;        /* full ones before the last */
    uint64_t chunk_periods; /* of a full one */
    uint64_t last_periods;
    uint64_t last_steps; /* after those periods, fewer than one */
    _Alignas(64) unsigned char side[AM_STENCIL_VEC_BYTES_MAX]; /* constants, all lanes alike */
    unsigned char centre[AM_STENCIL_VEC_BYTES_MAX];
    unsigned char rescale[AM_STENCIL_VEC_BYTES_MAX];
    unsigned char rescale_last[AM_STENCIL_VEC_BYTES_MAX];
};

typedef void am_stencil_slice_fn(const struct am_stencil_slice *slice);

/* Fills `count` vectors on either side of n, at least as many, where each lane's neighbours are in
 * the next lanes: lane j before the first continues lane j - 1, after the last lane j + 1. */
typedef void am_stencil_wrap_fn(void *u, size_t n, size_t count);

/* A whole periodic grid in registers, `width` vectors of one point per lane and neighbours side by
 * side, from u to v: a slice without edges, of period 1, that stays where it is. */
struct am_stencil_held {
    unsigned width; /* 0: no such entry */
    am_stencil_slice_fn *fn[AM_STENCIL_FORMS][AM_STENCIL_TYPES];
};

struct am_stencil_variant {
    const char *isa;
    unsigned width_max;
    struct am_stencil_held held[AM_STENCIL_HELD_WIDTHS];
    unsigned lanes[AM_STENCIL_TYPES];
    unsigned auto_lanes[AM_STENCIL_TYPES]; /* of the loops that the compiler vectorises */
    am_stencil_sweep_fn *sweep[AM_STENCIL_LOOPS][AM_STENCIL_FORMS][AM_STENCIL_TYPES];
    am_stencil_wrap_fn *wrap[AM_STENCIL_TYPES];
    am_stencil_slice_fn *skew[AM_STENCIL_FORMS][AM_STENCIL_TYPES]; /* width 1, period 1 */
    /* Index: width - 1; NULL beyond width_max. */
    am_stencil_slice_fn *slice[AM_STENCIL_FORMS][AM_STENCIL_TYPES][AM_STENCIL_WIDTH_MAX];
};

/* Steps after which the points of a slice are in the registers where they began. */
unsigned am_stencil_period(unsigned width);

const struct am_stencil_variant *am_stencil_find(const char *isa); /* NULL when unknown */

#endif
