/* SPDX-License-Identifier: MIT */
/* A folder that belongs to one run, for what its worker processes hand on to each other (compiled
 * programs). Workers find it by $ARCHMETER_RUN_FOLDER; it is gone when the run ends. Without it
 * every process does everything itself: that costs time, nothing else. */
#ifndef AM_CLI_RUN_FOLDER_H
#define AM_CLI_RUN_FOLDER_H

#include "base/arena.h"

/* Makes the folder below $TMPDIR or /tmp and tells the workers; NULL when that cannot be. */
const char *am_run_folder_make(struct am_arena *arena);
void am_run_folder_remove(const char *path); /* accepts NULL */

#endif
