/* SPDX-License-Identifier: MIT */
/* Parts of tracking by one thread and the form lanes: what `explain` accounts for its time by. */
#ifndef AM_BENCH_APPS_NEAR_LEUKOCYTE_NEAR_H
#define AM_BENCH_APPS_NEAR_LEUKOCYTE_NEAR_H

#include "bench/apps/leukocyte.h"

/* Measures edge maps, solver and contours of an iteration apart. Of the solver, each by solving
 * once more: what it takes without any step, its steps on a few rows in the first-level cache and
 * on a whole field, what it does between two steps, and what it does when a field comes to rest.
 * Nothing where an iteration takes long. The tracker has tracked all frames before, and has been
 * through them again afterwards. */
void am_leuko_parts_tell(struct am_leuko_state *state);

#endif
