/* SPDX-License-Identifier: MIT */
/* The heat equation in two and three dimensions, explicit steps, periodic: each point becomes
 * (1 - 2dr) of itself and r of each of its 2d neighbours.
 *
 * The slowest dimension is cut into lanes of equal length (to one point), which are interleaved:
 * vector (x, y, z) is a point of each lane (linear methods have one lane). The dimension next to it
 * is cut into parts. A pass of up to `depth` steps first copies the neighbourhood of each part
 * (exchange), then steps each part by itself (advance): within either of these, parts do not touch
 * each other's memory and may be blocks of any executor; all exchanges come before the first
 * advance.
 *
 * The method `wave` has lanes along the rows instead, cuts the slowest dimension into parts
 * (app/stencil/wave.h), and can have fixed sides. In three dimensions its parts lie in one array,
 * and a pass is made by all who advance one, together (app/stencil/wave_team.h): each may wait for
 * others that have begun, never for one that has not. */
#ifndef AM_APP_STENCIL_GRID_H
#define AM_APP_STENCIL_GRID_H

#include "app/stencil/forms.h"
#include "app/stencil/stencil.h"
#include "base/status.h"
#include "kernels/grid.h"
#include "kernels/wave.h"

#include <stdbool.h>
#include <stddef.h>

struct am_grid_spec {
    const struct am_grid_variant *kernels;
    unsigned dim; /* 2 or 3 */
    enum am_stencil_method method;
    enum am_stencil_form form;
    enum am_stencil_type type;
    size_t n[3];  /* grid points along x (fastest), y, z; 2-D: the last is 1 */
    double r;     /* above 0, to 1/4 or 1/6 */
    size_t depth; /* steps of a pass: skew, slice and wave */
    /* Vectors, rows, planes of a tile: skew and slice. The first alone: rows of a wave (2-D) or of
     * a strip (3-D). */
    size_t tile[3];
    size_t parts; /* 1 to 2^10 */
    bool whole;   /* auto, where the kernels have both: by whole vectors in place of halves */
    /* wave only: values beyond both sides of each dimension that never change, in place of a grid
     * without sides. */
    bool fixed;
    double wall[3][2];
    /* wave, where its shape is left to choose: bytes that may be under way at a time; 0: any. */
    size_t near_bytes;
};

/* Between two passes. */
struct am_grid_phase {
    size_t age;     /* steps by which the state is scaled up */
    size_t shift;   /* points of each dimension by which it lies before its place, or (rings) by
                     * which it has gone round: skew, slice, wave */
    unsigned front; /* the array that holds the state: sweeps */
    size_t passes;  /* since the state was loaded */
};

struct am_stencil_grid {
    struct am_grid_spec spec;
    struct am_stencil_coefs coefs;
    size_t element_bytes, lanes;
    size_t point_bytes;   /* of a vector, where there are lanes */
    size_t ghosts;        /* points on every side: the depth, 1 for sweeps */
    size_t length[3];     /* points of the longest part and lane, without ghosts */
    ptrdiff_t row, plane; /* bytes from one to the next */
    size_t offset[2];     /* bytes from a part's memory to point (0, 0, 0): two arrays, or one */
    const struct am_wave_variant *waves; /* wave: its loops */
    bool ring;                           /* wave: rows and planes go round (wave_ring.h) */
    size_t kept_offset;                  /* likewise: bytes from the memory to what is kept aside */
    size_t part_bytes;  /* from one part's memory to the next; 0: they share one array */
    size_t bytes;       /* of all */
    size_t strips_most; /* parts that share an array: of a pass */
    size_t team_offset; /* likewise: bytes from the memory to who is where (wave_team.h) */
    struct am_grid_phase phase;
    char *memory;
};

/* What one pass does; all parts get the same. Where passes run on into each other (wave_order.h) it
 * is all passes of a run. */
struct am_grid_pass {
    size_t steps;
    struct am_grid_phase from; /* where it begins */
    bool forth;                /* the state moves to lower places; else it moves back */
    bool last;                 /* the state is not scaled after it */
};

/* The depth and the tile that are left to choose (0), for methods that have them. `steps`: of a
 * run.
 */
void am_grid_choose(struct am_grid_spec *spec, size_t steps);

/* The code of the loop that passes of the method `wave` are spent in, and how many vectors one turn
 * of it takes one step further; 0: another method, which is not told. */
uintptr_t am_grid_hot_loop(const struct am_stencil_grid *grid, size_t *vectors);

/* AM_E_ABSENT with its reason where the kernels lack the method or the form cannot have this r.
 * Gives the bytes that am_stencil_grid_init() needs. */
enum am_status am_grid_bytes(const struct am_grid_spec *spec, size_t *bytes, struct am_err *err);
/* `memory` is aligned to a page and stays the caller's. */
enum am_status am_stencil_grid_init(struct am_stencil_grid *grid, const struct am_grid_spec *spec,
                                    void *memory, struct am_err *err);

/* All points, x fastest, values of the element type, in and out. Forms that scale refuse values
 * beyond am_stencil_magnitude(). */
enum am_status am_grid_load(struct am_stencil_grid *grid, const void *x, struct am_err *err);
void am_grid_store(const struct am_stencil_grid *grid, void *x);
/* One part of a load, for the phase that is all zero: by whoever is to work on it, so that its
 * memory lies there. Values are not checked. */
void am_grid_load_part(const struct am_stencil_grid *grid, size_t part, const void *x);

/* All parts in turn. */
void am_grid_run(struct am_stencil_grid *grid, size_t steps);

/* For executors: the next pass of `left` steps, its blocks, and its end. Parts may be in different
 * phases while blocks run; in the end grid->phase is that of all of them. */
struct am_grid_pass am_grid_next(const struct am_stencil_grid *grid,
                                 const struct am_grid_phase *phase, size_t left);
/* Steps that am_grid_next() gives at most. */
size_t am_grid_reach(const struct am_stencil_grid *grid);
void am_grid_exchange(const struct am_stencil_grid *grid, size_t part,
                      const struct am_grid_pass *pass);
void am_grid_advance(const struct am_stencil_grid *grid, size_t part,
                     const struct am_grid_pass *pass);
void am_grid_passed(const struct am_stencil_grid *grid, struct am_grid_phase *phase,
                    const struct am_grid_pass *pass);

/* For those who check: the dimensions that are cut, the value of a grid point, and the first of a
 * lane or part. */
unsigned am_grid_slow(const struct am_stencil_grid *grid); /* the one that is cut into lanes */
unsigned am_grid_cut(const struct am_stencil_grid *grid);  /* into parts */
double am_grid_value(const struct am_stencil_grid *grid, const size_t at[3]);
size_t am_grid_lane_start(const struct am_stencil_grid *grid, size_t lane);
size_t am_grid_part_start(const struct am_stencil_grid *grid, size_t part);

/* An error that no right result exceeds after so many steps from values up to 1. */
double am_grid_tolerance(unsigned dim, enum am_stencil_type type, size_t steps);

#endif
