/* SPDX-License-Identifier: MIT */
/* A simulated machine on disk: its system tree and its workers, in a folder of their own. */
#ifndef AM_SIM_FOLDER_H
#define AM_SIM_FOLDER_H

#include "base/arena.h"
#include "base/status.h"
#include "base/temp_folder.h"
#include "sim/machine.h"

#include <stddef.h>

/* A worker program as found; `program` NULL: it is not there. */
struct am_sim_program {
    const char *name, *program;
};

/* What a machine's folder offers; texts live in the arena. Zero-initialise. */
struct am_sim_folder {
    struct am_temp_folder folder;
    const char *path;    /* all of it: am_sim_folder_remove() */
    const char *root;    /* of /sys and /proc */
    const char *workers; /* of the programs that play the machine's workers */
    const char *name;    /* of the machine */
    unsigned long long seed;
    struct am_sim_power power;
};

/* Reads a description and makes the machine's folder below $TMPDIR, /dev/shm or /tmp. Each of the
 * programs is played, but for those that a machine cannot stand for; one of them is the simulator.
 * What the description says wrong is AM_E_USAGE with its place. */
enum am_status am_sim_folder_make(const char *description, const struct am_sim_program *programs,
                                  size_t n, struct am_arena *arena, struct am_sim_folder *out,
                                  struct am_err *err);
/* Removes the folder; accepts a zeroed struct. */
void am_sim_folder_remove(struct am_sim_folder *folder);

#endif
