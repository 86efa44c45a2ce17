/* SPDX-License-Identifier: MIT */
/* What the whole machine is doing, read below a root at one moment, and the difference of two
 * moments.
 *
 * Six small files are read: /proc/loadavg, /proc/stat, /proc/self/stat and the three of
 * /proc/pressure. None is needed: what cannot be read becomes NAN in the difference. The caller
 * reads while no worker of its own runs; CPU time of workers that ended in between is in
 * /proc/self/stat (times of children that were waited for), so it is known as our own. A process
 * that left its parent counts as somebody else's, rightly: nobody measures with it. */
#ifndef AM_TOPO_ACTIVITY_H
#define AM_TOPO_ACTIVITY_H

#include "base/fsroot.h"
#include "core/measure/surroundings.h"

#include <sys/types.h>

enum am_pressure { AM_PRESSURE_CPU, AM_PRESSURE_MEMORY, AM_PRESSURE_IO, AM_PRESSURES };

struct am_activity {
    bool has_load, has_ticks, has_own, has_pressure[AM_PRESSURES];
    double load;
    uint64_t runnable;             /* other threads that can run now, the reader not counted */
    uint64_t total;                /* clock ticks of all CPUs, idle ones too */
    uint64_t busy, steal, own;     /* clock ticks; own: of this process and its ended children */
    uint64_t waited[AM_PRESSURES]; /* us in which some task waited */
};

void am_activity_read(const struct am_fsroot *root, struct am_activity *out);

/* Counts a process that works for us and still runs, as one that reads meters, as our own. */
void am_activity_add_helper(const struct am_fsroot *root, pid_t helper, struct am_activity *out);

/* Time between two readings by the ticks of a machine with that many CPUs. A made-up machine has a
 * time of its own; of a real one ticks are too coarse for this. */
double am_activity_seconds(const struct am_activity *before, const struct am_activity *after,
                           unsigned cpus);

/* What happened between two readings that are `seconds` apart, labelled. `worker_cpus`: CPUs that
 * our own workers kept busy meanwhile, `cpus` those of the machine. */
struct am_surroundings am_activity_between(const struct am_activity *before,
                                           const struct am_activity *after, double seconds,
                                           size_t worker_cpus, unsigned cpus);

#endif
