/* SPDX-License-Identifier: MIT */
/* Parts of a run: the results of threads that stood in one place, with what the system states of
 * it.
 *
 * Rules of families know nothing of places. They are applied to the results of the whole machine
 * (the axis `on` is `machine`, or the bench has none), and then to those of each other place as if
 * it were a machine of its own, so that every fact exists per kind of core, per cache, per number
 * of threads on a core. What the machine states of a place ("kind:E.l1d_bytes") takes the place of
 * what it states of the first core. */
#ifndef AM_FAMILY_PARTS_H
#define AM_FAMILY_PARTS_H

#include "evidence/evidence.h"

/* Places of the run's results other than the whole machine, in order of first appearance, ended by
 * NULL; NULL without memory. */
const char **am_parts_list(const struct am_result_set *set, struct am_arena *arena);
/* The results of a place; NULL: of the whole machine. Shares everything with `set` but the tables.
 */
struct am_result_set am_part_of(const struct am_result_set *set, const char *place,
                                struct am_arena *arena);

#endif
