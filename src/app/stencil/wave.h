/* SPDX-License-Identifier: MIT */
/* Grids of two and three dimensions stepped in waves: rows in registers, several steps per pass, in
 * place. Inside the grid only (app/stencil/grid.h): the method `wave` of it. */
#ifndef AM_APP_STENCIL_WAVE_H
#define AM_APP_STENCIL_WAVE_H

#include "app/stencil/grid.h"

enum { AM_WAVE_DEPTH_MAX = 64 }; /* steps of a pass */

/* The depth and the rows of a wave (2-D) or strip (3-D) that are left to choose. */
void am_wave_choose(struct am_grid_spec *spec, size_t steps);
enum am_status am_wave_check(const struct am_grid_spec *spec, struct am_err *err);
void am_wave_lay_out(struct am_stencil_grid *grid);

/* Parts lie in one array, whose passes they make together: three dimensions. */
bool am_wave_is_shared(const struct am_grid_spec *spec);
/* Beyond what caches of a core hold. */
bool am_wave_is_large(const struct am_grid_spec *spec);
/* Places of a row behind its last point (kernels/wave.h). */
size_t am_wave_pads(const struct am_stencil_grid *grid);
/* Bytes from the beginning of a row to one of its places. */
size_t am_wave_place(const struct am_stencil_grid *grid, size_t place);
/* Who is where of those that share an array. */
struct am_wave_team *am_wave_team_of(const struct am_stencil_grid *grid);
/* Where row (y, z) lies that has moved by `shift`, rings and parts aside. */
char *am_wave_slot(const struct am_stencil_grid *grid, size_t part, size_t shift, ptrdiff_t y,
                   ptrdiff_t z);
/* Vector 0 of row (y, z) of a part whose state has moved by `shift`; it may be one of ghosts. */
char *am_wave_row(const struct am_stencil_grid *grid, size_t part, size_t shift, ptrdiff_t y,
                  ptrdiff_t z);
/* The first point of a lane in a row; where it lies behind the last one, of those that come once
 * more. */
size_t am_wave_lane_start(const struct am_stencil_grid *grid, size_t lane);
double am_wave_value(const struct am_stencil_grid *grid, size_t part, const size_t local[3]);
void am_wave_load_part(const struct am_stencil_grid *grid, size_t part, const void *x);
void am_wave_store_part(const struct am_stencil_grid *grid, size_t part, void *x);

void am_wave_exchange(const struct am_stencil_grid *grid, size_t part,
                      const struct am_grid_pass *pass);
void am_wave_advance(const struct am_stencil_grid *grid, size_t part,
                     const struct am_grid_pass *pass);

#endif
