/* SPDX-License-Identifier: MIT */
/* Loops of the 2-D five-point and the 3-D seven-point stencil over whole rows, several of them held
 * in registers and stepped in place.
 *
 * A row of C points is m vectors of L lanes. Lane l of vector v is place l m + v: neighbours along
 * a row are whole vectors, and only beyond its two ends they are the other end's vector turned by
 * one lane. Where C is no multiple of L, there are places behind the last point, the pads. In a
 * ring they are the first points once more, computed twice with the same bits; the points left of
 * the first lane and right of the last lane are loaded from where they lie. In rows with ends the
 * first pad, place C, has what lies beyond the right end: a block sets it in its outcome. Nobody
 * reads the others.
 *
 * With d(i, y) = u(i-1, y) + u(i, y-1) the four neighbours of a plane are d(i, y) + d(i+1, y+1),
 * and each d is used twice: two additions in place of three. Row (y, z) is written to (y-1, z-1),
 * where the value is needed no more once the block has read it. Strides may be negative: then rows
 * are taken and moved the other way. */
#ifndef AM_KERNELS_WAVE_H
#define AM_KERNELS_WAVE_H

#include "kernels/stencil.h"

#include <stddef.h>

enum {
    AM_WAVE_ROWS_MAX = 12,  /* of a block in two dimensions: 32 registers; 5 with 16 */
    AM_WAVE_PLANES_MAX = 4, /* of a block in three dimensions; 3 with 16 */
    AM_WAVE_DEEP_MAX = 3,   /* rows in each of its planes; 2 with 16 */
    AM_WAVE_AHEAD_FLAT = 1, /* rows that a block prefetches, in two dimensions */
    AM_WAVE_AHEAD_SOLID = 2,
};

/* Points beyond the ends of a row, values of the element type; `next`: the right one after the
 * step.
 */
struct am_wave_ends {
    double left, right, next;
};

/* A block of rows, all of the same length. The rows around it are readable: row -1 and the one
 * behind the last in each plane, in three dimensions planes -1 and the one behind the last. */
struct am_wave_block {
    char *first;          /* vector 0 of the first row, aligned */
    ptrdiff_t row, plane; /* bytes, multiples of a vector */
    size_t vectors;       /* m, of a row */
    size_t left, right;   /* bytes into a row of a ring with pads: both points; 0: it has none */
    size_t pad;           /* bytes into a row with ends: the first pad; 0: it has none */
    double side, centre;  /* values of the element type */
    const struct am_wave_ends *ends; /* NULL: a row is a ring */
    const char *const *ahead;        /* rows to be prefetched, as many as the loop takes */
};

typedef void am_wave_fn(const struct am_wave_block *block);

struct am_wave_variant {
    const char *isa;
    unsigned lanes[AM_STENCIL_TYPES];
    unsigned rows, planes, deep; /* of the largest blocks */
    /* Of a flat block that has registers left for most of what lies beyond the ends of its rows: of
     * short rows, which are begun often, it is the faster one. */
    unsigned rows_short;
    /* Index: rows - 1. The second prefetches AM_WAVE_AHEAD_FLAT rows; of the largest only. */
    am_wave_fn *flat[AM_STENCIL_TYPES][AM_WAVE_ROWS_MAX];
    am_wave_fn *flat_ahead[AM_STENCIL_TYPES];
    /* Index: planes - 1, rows of each - 1; with prefetch: all planes, rows of each - 1. */
    am_wave_fn *solid[AM_STENCIL_TYPES][AM_WAVE_PLANES_MAX][AM_WAVE_DEEP_MAX];
    am_wave_fn *solid_ahead[AM_STENCIL_TYPES][AM_WAVE_DEEP_MAX];
};

const struct am_wave_variant *am_wave_find(const char *isa); /* NULL when unknown */

#endif
