/* SPDX-License-Identifier: MIT */
/* How long it takes to take a loop's body in and to jump back. */
#ifndef AM_MODEL_BLOCK_TURN_H
#define AM_MODEL_BLOCK_TURN_H

#include "model/block/bound.h"

/* Of a loop whose lines have their slots and whose other bounds are known; `kept` as in struct
 * am_code. False when memory is refused. */
bool am_turn_of(const struct am_incore *core, const struct am_predicted *b, unsigned kept,
                struct am_arena *arena, struct am_turn *out);

#endif
