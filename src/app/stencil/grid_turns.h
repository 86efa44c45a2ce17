/* SPDX-License-Identifier: MIT */
/* A grid as blocks of a plain loop, one a part. Each round of the loop is half a pass, first the
 * exchange, then the advance; a part counts its rounds by itself, so that the loop is run any
 * number of times without anyone in between. */
#ifndef AM_APP_STENCIL_GRID_TURNS_H
#define AM_APP_STENCIL_GRID_TURNS_H

#include "runtime/executor.h"
#include "app/stencil/grid.h"

struct am_grid_turn;

struct am_grid_turns {
    struct am_stencil_grid *grid;
    const void *x;             /* what `filling` loads */
    size_t steps;              /* of one iteration */
    struct am_grid_turn *turn; /* one a part */
};

/* `x` are values of the element type, not beyond am_stencil_magnitude(). */
enum am_status am_grid_turns_init(struct am_grid_turns *turns, struct am_stencil_grid *grid,
                                  size_t steps, const void *x, struct am_err *err);
void am_grid_turns_fini(struct am_grid_turns *turns); /* accepts a zeroed struct */

/* Loads the state at step 0, each part by itself. */
struct am_blocks am_grid_filling(struct am_grid_turns *turns);
/* One round; am_grid_rounds() of them are an iteration. */
struct am_blocks am_grid_stepping(struct am_grid_turns *turns);
uint64_t am_grid_rounds(const struct am_grid_turns *turns);
/* Between iterations, before anyone looks at the state through the grid. */
void am_grid_turns_settle(const struct am_grid_turns *turns);

#endif
