/* SPDX-License-Identifier: MIT */
/* The 1-D heat equation, explicit steps, periodic: u[i] = (1 - 2r) u[i] + r (u[i-1] + u[i+1]).
 *
 * The grid of n points is cut into lanes of equal length (to one point), lanes into parts. A part
 * holds its lanes interleaved: vector i is point i of each lane (linear methods have one lane). A
 * pass of up to `depth` steps first copies each lane's neighbourhood from the lanes beside it
 * (exchange), then steps each part by itself (advance): within either of these, parts do not touch
 * each other and may be blocks of any executor; all exchanges come before the first advance. */
#ifndef AM_APP_STENCIL_STENCIL_H
#define AM_APP_STENCIL_STENCIL_H

#include "app/stencil/forms.h"
#include "base/status.h"
#include "kernels/stencil.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The staircase: each is one idea further than the one before it. */
enum am_stencil_method {
    AM_STENCIL_BY_SCALAR,
    AM_STENCIL_BY_AUTO,
    AM_STENCIL_BY_UNALIGNED,
    AM_STENCIL_BY_INTERLEAVED,
    AM_STENCIL_BY_PREFETCH,
    AM_STENCIL_BY_SKEW,
    AM_STENCIL_BY_SLICE,
    AM_STENCIL_BY_REGISTERS, /* no step further, but the top of it: nothing to load or store */
    AM_STENCIL_BY_WAVE,      /* rows in registers, two and three dimensions only */
};
extern const char *const am_stencil_methods[]; /* by enumerator, ended by NULL */

struct am_stencil_spec {
    const struct am_stencil_variant *kernels;
    enum am_stencil_method method;
    enum am_stencil_form form;
    enum am_stencil_type type;
    size_t n;       /* grid points, 1 to 2^48 */
    double r;       /* above 0, to 1/2 */
    size_t depth;   /* steps of a pass: skew and slice */
    unsigned width; /* vectors of a slice: slice */
    size_t parts;   /* 1 to 2^10 */
};

struct am_stencil_place {
    size_t
        offset[2]; /* bytes from a part's memory to vector 0: the two arrays (skew, slice: one) */
    size_t edges, start; /* the same to the edges and to the start-up triangle */
    size_t bytes;        /* of a part */
};

/* Between two passes. */
struct am_stencil_phase {
    size_t age;     /* sweeps: steps by which the state is scaled up */
    unsigned front; /* sweeps: the array that holds the state */
};

struct am_stencil {
    struct am_stencil_spec spec;
    struct am_stencil_coefs coefs;
    struct am_stencil_place place;
    size_t element_bytes, lanes;
    size_t length; /* vectors of a part: the longest lane */
    size_t ghosts; /* vectors on either side: the depth, 1 for sweeps, none in registers */
    size_t reach;  /* steps of a pass, at most */
    struct am_stencil_phase phase;
    char *memory;
};

/* What one pass does; all parts get the same. */
struct am_stencil_pass {
    size_t steps;
    unsigned front; /* sweeps: the array that it reads */
    double rescale; /* sweeps: what this step multiplies the state by; 0: nothing */
};

/* The code of the loop that passes are spent in, and how many vectors one turn of it takes one step
 * further. 0: a sweep, but for that of the compiler, which is not told. The spec is one that
 * am_stencil_bytes() accepts. */
uintptr_t am_stencil_hot_loop(const struct am_stencil_spec *spec, size_t *vectors);

/* AM_E_ABSENT with its reason where the kernels lack the method, the width or the form for this r.
 * Gives the bytes that am_stencil_init() needs. */
enum am_status am_stencil_bytes(const struct am_stencil_spec *spec, size_t *bytes,
                                struct am_err *err);
/* `memory` is aligned to a page and stays the caller's. */
enum am_status am_stencil_init(struct am_stencil *st, const struct am_stencil_spec *spec,
                               void *memory, struct am_err *err);

/* n values of the element type in and out. Forms that scale refuse values beyond
 * am_stencil_magnitude(). */
enum am_status am_stencil_load(struct am_stencil *st, const void *x, struct am_err *err);
void am_stencil_store(const struct am_stencil *st, void *x);
/* One part of a load, into the array `front`: by whoever is to work on it, so that its memory lies
 * there. Values are not checked. */
void am_stencil_load_part(const struct am_stencil *st, size_t part, unsigned front, const void *x);

/* All parts in turn. */
void am_stencil_run(struct am_stencil *st, size_t steps);

/* For executors: the next pass of `left` steps, its blocks, and its end. Parts may be in different
 * phases while blocks run; in the end st->phase is that of all of them. */
struct am_stencil_pass am_stencil_next(const struct am_stencil *st,
                                       const struct am_stencil_phase *phase, size_t left);
void am_stencil_exchange(const struct am_stencil *st, size_t part,
                         const struct am_stencil_pass *pass);
void am_stencil_advance(const struct am_stencil *st, size_t part,
                        const struct am_stencil_pass *pass);
void am_stencil_passed(const struct am_stencil *st, struct am_stencil_phase *phase,
                       const struct am_stencil_pass *pass);

/* Between passes: `count` values of the element type from point `first` on, none beyond the last.
 * Copies of points in other lanes are not touched: they are made by the next exchange, or belong to
 * points whose neighbours are out of date anyway. */
void am_stencil_read(const struct am_stencil *st, size_t first, size_t count, void *x);
void am_stencil_write(const struct am_stencil *st, size_t first, size_t count, const void *x);

/* For those who check: the value of a grid point, and the first one of a lane, counted over all
 * parts. */
double am_stencil_value(const struct am_stencil *st, size_t point);
size_t am_stencil_lane_start(const struct am_stencil *st, size_t lane);

#endif
