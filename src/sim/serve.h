/* SPDX-License-Identifier: MIT */
/* The simulated machine as a worker: the listing it gives and the requests it serves.
 *
 * A folder made by am_sim_folder_make() holds all that a machine needs: `machine` (the
 * description), `root/` (its /sys and /proc), `workers/archmeter-worker-NAME` (links to the
 * simulator, which learns from the name whose part it plays), `real/archmeter-worker-NAME` (links
 * to the worker whose benches it takes over), `listing/NAME` (what the simulator listed) and
 * `clock`. */
#ifndef AM_SIM_SERVE_H
#define AM_SIM_SERVE_H

#include "sim/launch.h"

/* Prints the benches of the real worker with the choices that this machine has, and keeps them.
 * Both return the exit code. */
int am_sim_list(const char *folder, const char *worker);
/* Serves one request on a connected socket. */
int am_sim_serve(const char *folder, const char *worker, int fd);

/* Rewrites a listing for a machine. False when it is none, or too long. */
bool am_sim_listing_adapt(const struct am_sim_machine *m, const char *text, size_t len,
                          struct am_text *out);

#endif
