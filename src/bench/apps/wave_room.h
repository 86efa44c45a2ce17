/* SPDX-License-Identifier: MIT */
/* How much a wave (app/stencil/wave.h) should have under way at a time.
 *
 * What is under way lies in the second-level cache, or in the third where it does not fit. Some
 * cores take lines from the third as fast as waves need them, and gain by long passes that do not
 * fit the second; others lose a third of their rate. How fast streams are in either says little of
 * it: waves need a line every two or three cycles. So waves of both kinds are tried here and now,
 * in turn, on a piece of the grid. */
#ifndef AM_BENCH_APPS_WAVE_ROOM_H
#define AM_BENCH_APPS_WAVE_ROOM_H

#include "app/stencil/grid.h"
#include "base/clock.h"

#include <stddef.h>

/* What it follows from; zeros: not known, or both kinds have the same shape. */
struct am_wave_room {
    size_t l2_bytes;
    double inside, beyond; /* seconds of a step over the piece: of waves that fit, and of others */
};

/* The piece that they are tried on: all of the grid, or as many of its planes and rows as are large
 * enough for passes of `depth` steps and strips of so many rows. False: rows are too long for any.
 */
bool am_wave_room_piece(const struct am_grid_spec *spec, size_t depth, size_t rows,
                        size_t piece[3]);
/* For waves whose shape is left to choose, with `steps` in a run: some 0.3 s on the calling thread
 * for large grids, ms for small ones. */
void am_wave_room_measure(const struct am_grid_spec *spec, size_t steps,
                          const struct am_clock *clock, struct am_wave_room *room);
/* Bytes; 0: any. */
size_t am_wave_room_bytes(const struct am_wave_room *room);

#endif
