/* SPDX-License-Identifier: MIT */
/* Passes over one part, tile by tile. Inside the grid only. */
#ifndef AM_APP_STENCIL_GRID_TILES_H
#define AM_APP_STENCIL_GRID_TILES_H

#include "app/stencil/grid.h"

/* The loop of a method, NULL where the kernels lack it. */
am_grid_fn *am_grid_loop(const struct am_grid_spec *spec);

/* Steps of the part, its ghosts filled. */
void am_grid_advance_tiles(const struct am_stencil_grid *grid, size_t part,
                           const struct am_grid_pass *pass);

#endif
