/* SPDX-License-Identifier: MIT */
/* A folder that belongs to one run, for what its worker processes hand on to each other (compiled
 * programs, what was searched for). Workers find it by $ARCHMETER_RUN_FOLDER; it is gone when the
 * run ends. Without it every process does everything itself: that costs time, nothing else. */
#ifndef AM_CLI_RUN_FOLDER_H
#define AM_CLI_RUN_FOLDER_H

#include "base/temp_folder.h"

/* Makes the folder below $TMPDIR or /tmp and tells the workers; without a path when that cannot be.
 */
struct am_temp_folder am_run_folder_make(struct am_arena *arena);
/* The one that was made before, for one run only, else a new one. */
struct am_temp_folder am_run_folder_take(struct am_temp_folder *made, struct am_arena *arena);
/* Accepts a zeroed struct. */
void am_run_folder_remove(struct am_temp_folder *folder);

#endif
