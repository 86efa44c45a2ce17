/* SPDX-License-Identifier: MIT */
/* Programs that are not ours: which results are theirs. */
#ifndef AM_FAMILY_PROGRAMS_H
#define AM_FAMILY_PROGRAMS_H

#include "base/arena.h"
#include "evidence/evidence.h"

#include <stdbool.h>

/* Whether it is of a program, or of a region of one, and not of a bench. */
bool am_result_is_program(const struct am_result *result);

/* The rate at which a program did so much of a unit ("flop/s", "B/s") in the time that was
 * measured, in the arena, with the time's grade; NULL: no time was measured. */
const struct am_result_metric *am_program_rate(const struct am_result *result, double amount,
                                               const char *unit, struct am_arena *arena);

#endif
