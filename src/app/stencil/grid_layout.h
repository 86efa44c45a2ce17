/* SPDX-License-Identifier: MIT */
/* Where points of a grid lie, and what parts and lanes copy from each other. Inside the grid only.
 */
#ifndef AM_APP_STENCIL_GRID_LAYOUT_H
#define AM_APP_STENCIL_GRID_LAYOUT_H

#include "app/stencil/grid.h"

/* The part that has a point of the dimension that is cut into parts. */
size_t am_grid_part_of(const struct am_stencil_grid *grid, size_t point);

/* Sizes and offsets, from a spec that was found possible. */
void am_grid_lay_out(struct am_stencil_grid *grid);

/* Point (0, 0, 0) of a part in that phase. */
char *am_grid_array(const struct am_stencil_grid *grid, size_t part,
                    const struct am_grid_phase *phase);

/* Points of a part along each dimension. */
void am_grid_extent(const struct am_stencil_grid *grid, size_t part, size_t extent[3]);

/* Fills `count` points on every side of a part, by what they are in other parts and lanes. */
void am_grid_fill_ghosts(const struct am_stencil_grid *grid, size_t part,
                         const struct am_grid_phase *phase, size_t count);

#endif
