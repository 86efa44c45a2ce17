/* SPDX-License-Identifier: MIT */
/* Units that operations are bound to, of which each begins one per cycle: the cycles that are taken
 * of the last ones. */
#ifndef AM_MODEL_BLOCK_UNITS_H
#define AM_MODEL_BLOCK_UNITS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { AM_UNITS_KEPT = 4096 }; /* cycles: more than a window of instructions reaches */

struct am_units {
    size_t n;
    uint64_t *taken; /* by unit: the cycles that are taken, of the last AM_UNITS_KEPT */
};

/* False when memory is refused. */
bool am_units_open(size_t n, struct am_arena *arena, struct am_units *out);

/* Takes the first cycle from this one on in which the unit begins nothing else, and returns it. */
uint64_t am_units_take(const struct am_units *units, size_t unit, uint64_t from);
/* The same of any of `n` units, that one and those behind it. */
uint64_t am_units_take_any(const struct am_units *units, size_t unit, size_t n, uint64_t from);

#endif
