/* SPDX-License-Identifier: MIT */
/* Loops of the 2-D five-point and the 3-D seven-point stencil over boxes of a grid. */
#ifndef AM_KERNELS_GRID_H
#define AM_KERNELS_GRID_H

#include "kernels/stencil.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AM_GRID_DIMS = 2, AM_GRID_DIM_LEAST = 2 }; /* two dimensions and three */

/* Loops besides those of a line: AM_STENCIL_AUTO by whole vectors, where that takes halves. */
enum { AM_GRID_WHOLE = AM_STENCIL_LOOPS, AM_GRID_LOOPS };

/* Operations of one point and step as the field counts them: by dimension less two and form. */
extern const unsigned am_grid_form_flops[AM_GRID_DIMS][AM_STENCIL_FORMS];

/* One step of a box from u to v. All neighbours in u of the box's points are readable, those across
 * its corners too. Linear loops: points are elements. Interleaved loops: points are vectors,
 * aligned, and so are rows and planes. The loop `prefetch` takes strides of either sign, and v that
 * is u less one of each stride, one array being stepped in its place; others take points in their
 * order and two arrays. */
struct am_grid_box {
    const void *u; /* the first point */
    void *v;
    size_t n[3];                /* points of a row, rows of a plane, planes (2-D: 1) */
    ptrdiff_t step, row, plane; /* bytes from a point, row or plane to the next, in u and v alike */
    double side, centre;        /* values of the element type */
    bool wraps; /* linear loops: the last point of a row in v goes before its first as well, and the
                 * first behind its last */
};

typedef void am_grid_fn(const struct am_grid_box *box);

/* Copies n vectors, aligned, and turns them: lane j becomes lane (j + by) % lanes of the first
 * source, or of the second where bit j of `second` is set. Reads and ignores up to a vector before
 * and after them. */
typedef void am_grid_turn_fn(void *to, const void *const from[2], uint32_t second, size_t n,
                             size_t by);

struct am_grid_variant {
    const char *isa;
    unsigned rows; /* that the loop `prefetch` has in registers */
    unsigned lanes[AM_STENCIL_TYPES];
    unsigned auto_lanes[AM_STENCIL_TYPES]; /* of the loops that the compiler vectorises */
    am_grid_fn *step[AM_GRID_DIMS][AM_GRID_LOOPS][AM_STENCIL_FORMS][AM_STENCIL_TYPES];
    am_grid_turn_fn *turn[AM_STENCIL_TYPES];
};

const struct am_grid_variant *am_grid_find(const char *isa); /* NULL when unknown */

#endif
