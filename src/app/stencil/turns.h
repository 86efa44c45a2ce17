/* SPDX-License-Identifier: MIT */
/* The stencil as blocks of a plain loop, one a part. Each round of the loop is half a pass, first
 * the exchange, then the advance; a part counts its rounds by itself, so that the loop is run any
 * number of times without anyone in between. */
#ifndef AM_APP_STENCIL_TURNS_H
#define AM_APP_STENCIL_TURNS_H

#include "runtime/executor.h"
#include "app/stencil/stencil.h"

struct am_stencil_turn;

struct am_stencil_turns {
    struct am_stencil *st;
    const void *x;                /* what `filling` loads */
    size_t steps;                 /* of one iteration */
    struct am_stencil_turn *turn; /* one a part */
};

/* `x` are n values of the element type, not beyond am_stencil_magnitude(); NULL: never filled. */
enum am_status am_stencil_turns_init(struct am_stencil_turns *turns, struct am_stencil *st,
                                     size_t steps, const void *x, struct am_err *err);
void am_stencil_turns_fini(struct am_stencil_turns *turns); /* accepts a zeroed struct */

/* Loads the state at step 0, each part by itself. */
struct am_blocks am_stencil_filling(struct am_stencil_turns *turns);
/* One round; am_stencil_rounds() of them are an iteration. */
struct am_blocks am_stencil_stepping(struct am_stencil_turns *turns);
uint64_t am_stencil_rounds(const struct am_stencil_turns *turns);
/* Between iterations, before anyone looks at the state through st. */
void am_stencil_turns_settle(const struct am_stencil_turns *turns);

#endif
