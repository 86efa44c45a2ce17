/* SPDX-License-Identifier: MIT */
/* Units of memory that loads and stores are given to by turns, as they are handed out.
 *
 * Such a core does not look which unit is free: loads of vectors wait for the units that take them
 * while others, which have more units to go to, have these by turns. An instruction that loads and
 * stores takes two turns. Whether a core does so, and where its units of vectors lie in the turn,
 * was measured (struct am_incore_memory). */
#ifndef AM_MODEL_BLOCK_MEMORY_H
#define AM_MODEL_BLOCK_MEMORY_H

#include "model/block/bound.h"
#include "model/block/units.h"

struct am_memory_turns {
    const struct am_incore_memory *rule;
    struct am_units units; /* n 0: loads and stores go to any that is free */
    unsigned next;         /* whose turn it is */
};

/* Zeroed, it is of a core without turns, which delays nothing. False when memory is refused. */
bool am_memory_turns_open(const struct am_incore *core, struct am_arena *arena,
                          struct am_memory_turns *out);

/* Binds the accesses of the next line, in the order of the program, which is handed out at `front`;
 * at this time it would begin, `load` behind its load. Returns when it does. */
double am_memory_turns_begin(struct am_memory_turns *turns, const struct am_predicted_line *line,
                             double front, double at, double load);

#endif
