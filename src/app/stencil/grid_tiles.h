/* SPDX-License-Identifier: MIT */
/* Passes over one part, tile by tile: inside the grid, and for those who account for its time. */
#ifndef AM_APP_STENCIL_GRID_TILES_H
#define AM_APP_STENCIL_GRID_TILES_H

#include "app/stencil/grid.h"

#include <stdbool.h>

/* The loop of a method, NULL where the kernels lack it. */
am_grid_fn *am_grid_loop(const struct am_grid_spec *spec);

/* Steps of the part, its ghosts filled. */
void am_grid_advance_tiles(const struct am_stencil_grid *grid, size_t part,
                           const struct am_grid_pass *pass);

/* What a run of one part is made of: bands of as many rows as the loop takes at once, and single
 * rows that are left over. */
struct am_grid_counts {
    size_t l1_bytes;            /* of a first-level cache; the caller's */
    double turns;               /* of the loop, of bands alone */
    double bands[2], points[2]; /* bands and single rows; points of a row in each, all together */
    double l2_bytes;            /* moved from and to the second-level cache, beside what comes from
                                 * where the grid lies */
};

/* Adds those of a run of so many steps, by the same way through the grid that it takes. Not of
 * waves. */
void am_grid_count(const struct am_stencil_grid *grid, size_t steps, struct am_grid_counts *counts);

/* A box of so many bands, or single rows, at the beginning of the grid, as am_grid_loop() takes it;
 * stepping it leaves no state that means anything. Returns the bytes that it touches, 0 where the
 * grid is smaller. */
size_t am_grid_band(const struct am_stencil_grid *grid, size_t bands, size_t columns, bool single,
                    struct am_grid_box *box);

#endif
