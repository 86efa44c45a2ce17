/* SPDX-License-Identifier: MIT */
/* Watching the machine around launches.
 *
 * The kernel counts CPU time in ticks of 10 ms, and many launches last no longer than two of them.
 * So what a launch is told of its neighbours covers the launch and what came before it, half a
 * second at least: readings of earlier launches are kept, and since our own CPU time is in all of
 * them, nothing of ours is taken for a neighbour's. Threads that could run are those of the launch
 * alone. Used by one thread; readings cost some tens of microseconds each, between launches. */
#ifndef AM_CONDUCTOR_WATCH_H
#define AM_CONDUCTOR_WATCH_H

#include "topo/activity.h"

enum { AM_WATCH_KEPT = 64 };

/* Zero-initialise, then set `root` and `cpus`. */
struct am_watch {
    const struct am_fsroot *root; /* NULL: nobody looks */
    unsigned cpus;                /* of the machine */
    pid_t helper;                 /* works for us while launches run; 0: none */
    bool foreign;                 /* workers are not our children: who else works cannot be told */
    struct am_watched {
        double at_s;
        struct am_activity activity;
    } kept[AM_WATCH_KEPT]; /* a ring; the latest is at (n - 1) % AM_WATCH_KEPT */
    size_t n;              /* readings so far */
};

/* Before a launch. */
void am_watch_begin(struct am_watch *w);
/* After it: false when nobody looks. `worker_cpus` are those that the launch used. */
bool am_watch_end(struct am_watch *w, size_t worker_cpus, struct am_surroundings *out);

#endif
