/* SPDX-License-Identifier: MIT */
/* One launch: choose CPUs, write the request, run the worker, hand back the record.
 *
 * CPUs are taken from the topology, one hardware thread per core first. The worker runs with them
 * as its affinity and with a limit in time, memory and output; however it ends, the caller gets a
 * complete record in which every requested point has an outcome, with what else the machine did
 * meanwhile (conductor/watch.h, read before the worker starts and after it is gone). */
#ifndef AM_CONDUCTOR_LAUNCH_H
#define AM_CONDUCTOR_LAUNCH_H

#include "conductor/conductor.h"
#include "conductor/watch.h"

/* What all launches of a run share. */
struct am_launcher {
    const struct am_conductor *conductor;
    int *cpus; /* in the order threads are placed */
    size_t n_cpus;
    struct am_watch watch; /* of the machine, around the launches */
    uint64_t simulated_ns; /* where a simulated machine's clock stands */
};

enum am_status am_launcher_init(struct am_launcher *l, const struct am_conductor *conductor,
                                struct am_err *err);
void am_launcher_fini(struct am_launcher *l); /* accepts a zeroed struct */

/* The time by the clock of the machine that is measured: budgets are spent by it. That of a
 * simulated one stands still between launches, however long they take here. */
uint64_t am_launcher_now(const struct am_launcher *l);

/* Runs the points (all of one bench, equal in threads and environment) in one worker. The record
 * lives in the arena; it has no visits when the user interrupted. A worker that cannot be started
 * is a failed visit, not an error. */
enum am_status am_launcher_run(struct am_launcher *l, const struct am_point *const *points,
                               size_t n, unsigned round, struct am_arena *arena,
                               struct am_launch *record, struct am_err *err);

#endif
