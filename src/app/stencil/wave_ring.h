/* SPDX-License-Identifier: MIT */
/* Passes over a grid without sides that compute no point twice and have no ghosts.
 *
 * Row 0 comes behind row n - 1. A pass begins at row 0, where the row before is known of the first
 * level alone: so level t begins at row t, and ends before row n - t, as the row behind is not
 * known yet either. What is left, rows [n - t, n + t), closes the ring: one more piece, which
 * begins a row earlier and ends a row later with each level. It needs the first two rows of each
 * level, t and t + 1, which have been overwritten long since: they are kept aside while they are
 * there, and brought back behind the last row when their turn comes. Then the state after T steps
 * fills the slots from 0 on again, beginning with row T: it has gone round. Planes likewise. The
 * next pass may begin at either end. One thread begins it where this pass has ended, as that is in
 * cache; threads that share the grid begin it at the same end, where they can do so while this one
 * still goes on (wave_order.h). */
#ifndef AM_APP_STENCIL_WAVE_RING_H
#define AM_APP_STENCIL_WAVE_RING_H

#include "app/stencil/grid.h"

/* A piece of the n rows or planes: where level 0 of it begins and ends; the last closes the ring,
 * and has what is left before that too where it begins before row n - 1. */
struct am_wave_piece {
    ptrdiff_t n, from, to;
    bool closes;
};

/* Sides of at least twice as many points as a pass has steps; in two dimensions one part alone, as
 * parts have ghosts there. */
bool am_wave_is_ring(const struct am_grid_spec *spec);
/* Of what is kept aside. */
size_t am_wave_ring_bytes(const struct am_stencil_grid *grid);
/* All rows of a plane are one piece: each level has all of them, the first and the last are copied
 * beside them while they are in cache, and planes alone go round. */
bool am_wave_ring_is_narrow(const struct am_stencil_grid *grid);

/* A pass: slot (0, 0), bytes to the next row and plane from where it begins, and its number. */
struct am_wave_way {
    char *origin;
    ptrdiff_t row, plane;
    size_t pass;
};

ptrdiff_t am_wave_ring_pieces(ptrdiff_t n, ptrdiff_t size);
/* Rows [range[0], range[1]) of the piece that are stepped from level t; there may be none. */
void am_wave_ring_range(const struct am_wave_piece *piece, ptrdiff_t t, ptrdiff_t range[2]);
/* Before these pieces are stepped from level t: keeps and brings back what they have of it, and has
 * the rows beside narrow planes. */
void am_wave_ring_turn(const struct am_stencil_grid *grid, const struct am_wave_way *way,
                       ptrdiff_t t, const struct am_wave_piece *rows,
                       const struct am_wave_piece *planes);

#endif
