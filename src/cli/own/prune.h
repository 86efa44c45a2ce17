/* SPDX-License-Identifier: MIT */
/* The bounds of the folder of compiled benches (cli/own/keep.h).
 *
 * A process holds what it measures by a shared lock (flock) until it ends, and touches it, so that
 * the time of a folder is that of its last use. Who has compiled removes what nobody holds: what
 * was last used too long ago, and of the rest the oldest, until number and size are within their
 * bounds. What was used within the last hour stays in any case, so that a file system without locks
 * takes nothing from a run. Only names that this program gives are looked at. */
#ifndef AM_CLI_OWN_PRUNE_H
#define AM_CLI_OWN_PRUNE_H

#include "base/arena.h"

#include <stdbool.h>

enum { AM_OWN_DAYS_MAX = 90, AM_OWN_FOLDERS_MAX = 64, AM_OWN_MIB_MAX = 256 };

/* Holds the folder until this process ends; false when it is not there (any more). */
bool am_own_hold(const char *folder);

void am_own_prune(const char *root, struct am_arena *arena);

#endif
