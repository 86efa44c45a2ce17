/* SPDX-License-Identifier: MIT */
/* The stencil of any dimension as blocks of a plain loop, one per part.
 *
 * Each round of the loop is half a pass, first the exchange, then the advance. A part counts its
 * rounds by itself, so that an executor runs the loop any number of times without anyone in
 * between. Parts may be in different phases while blocks run; all of them have reached the same one
 * when a whole number of iterations is done, and am_stencil_turns_settle() writes it to the grid.
 */
#ifndef AM_APP_STENCIL_TURNS_H
#define AM_APP_STENCIL_TURNS_H

#include "app/stencil/grid.h"
#include "app/stencil/stencil.h"
#include "runtime/executor.h"

struct am_stencil_turn;
struct am_stencil_steps;

struct am_stencil_turns {
    const struct am_stencil_steps *how; /* of one dimension, or of more */
    void *grid;    /* the caller's: struct am_stencil or struct am_stencil_grid */
    const void *x; /* what `filling` loads */
    size_t parts;
    size_t steps;                 /* of one iteration */
    size_t reach;                 /* steps of a pass, at most; SIZE_MAX: all of them */
    struct am_stencil_turn *turn; /* one per part */
};

/* `x` are values of the element type, not beyond am_stencil_magnitude(); NULL: never filled. */
enum am_status am_stencil_turns_init(struct am_stencil_turns *turns, struct am_stencil *st,
                                     size_t steps, const void *x, struct am_err *err);
/* The same in two or three dimensions. */
enum am_status am_stencil_turns_init_grid(struct am_stencil_turns *turns,
                                          struct am_stencil_grid *grid, size_t steps, const void *x,
                                          struct am_err *err);
void am_stencil_turns_fini(struct am_stencil_turns *turns); /* accepts a zeroed struct */

/* Loads the state at step 0, each part by itself. */
struct am_blocks am_stencil_filling(struct am_stencil_turns *turns);
/* One round; am_stencil_rounds() of them are an iteration. */
struct am_blocks am_stencil_stepping(struct am_stencil_turns *turns);
uint64_t am_stencil_rounds(const struct am_stencil_turns *turns);
/* Iterations from the start after which the next one begins where some of them has begun: behind a
 * pass that goes forth one comes back, and what is proven of one is not of the other. */
size_t am_stencil_turns_cycle(const struct am_stencil_turns *turns);
/* Between iterations, before anyone looks at the state through the grid. */
void am_stencil_turns_settle(const struct am_stencil_turns *turns);

#endif
