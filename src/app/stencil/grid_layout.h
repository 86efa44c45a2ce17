/* SPDX-License-Identifier: MIT */
/* Where points of a grid lie, and what parts and lanes copy from each other. Inside the grid only.
 */
#ifndef AM_APP_STENCIL_GRID_LAYOUT_H
#define AM_APP_STENCIL_GRID_LAYOUT_H

#include "app/stencil/grid.h"

#include <stdbool.h>

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

/* Plain loops are what anybody writes: two arrays, one lane, and while a sweep goes through the
 * grid it leaves ghosts beside what it has just written. Only those that other parts have are
 * copied before the next sweep, and all of them before the first (am_grid_fill_ghosts). */
bool am_grid_is_plain(const struct am_grid_spec *spec);
/* Each part has all points of that dimension: its ghosts there are its own. */
bool am_grid_is_whole(const struct am_stencil_grid *grid, unsigned d);
/* After plane z (in two dimensions there is one) was written: the rows around it, and where it is
 * the first or the last plane, itself beyond the other end. Not the ends of its rows. */
void am_grid_wrap_plane(const struct am_stencil_grid *grid, size_t part,
                        const struct am_grid_phase *phase, size_t z);
/* Ghosts that other parts have. */
void am_grid_fill_from_parts(const struct am_stencil_grid *grid, size_t part,
                             const struct am_grid_phase *phase);

#endif
