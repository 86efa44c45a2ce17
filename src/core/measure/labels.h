/* SPDX-License-Identifier: MIT */
/* Why a batch is suspect: from running totals read around it to its labels.
 *
 * Labels tell causes, never results: a batch is not suspect for being slow. Stolen time and a
 * drifting core clock are told by counters. Whether somebody else had the CPU is told by CPU time
 * against wall time, and for this the process's own habits must be known: a thread that waits for a
 * device is off the CPU without any neighbour, and threads of a runtime that outnumber the CPUs
 * displace each other; where CPUs stay idle, a thread that is displaced goes on elsewhere. So the
 * highest share of wall time that the point's batches spent on CPUs is
 * kept (struct am_occupancy), and only what a batch lacks of that is held against it. The only
 * batch of a point cannot be told from its habit: it is never labelled so. Where the kernel says
 * how long threads waited for a CPU, a switch counts only where they waited: what a team lacks of
 * its CPUs because its idle threads sleep is no neighbour's. */
#ifndef AM_CORE_LABELS_H
#define AM_CORE_LABELS_H

#include "core/bench/bench.h"

#include <stdint.h>

/* Running totals of the machine and of this process. */
struct am_disturbance_totals {
    uint64_t steal_ns;  /* stolen from the CPUs of the launch */
    uint64_t switches;  /* involuntary, of all threads of the process */
    uint64_t threads;   /* how many it has now (no total); 0: not known */
    uint64_t newest;    /* number of the thread or process that began last, anybody's (no total) */
    bool has_waited;    /* the next one is known */
    uint64_t waited_ns; /* in which threads that live now could have run and had no CPU */
};

/* CPU time used so far. */
struct am_cpu_times {
    uint64_t thread_ns;  /* by the calling thread */
    uint64_t process_ns; /* by all threads of the process */
};

/* What the batches of a point show of the process while nobody disturbs it. Zero-initialise. */
struct am_occupancy {
    double thread;  /* highest share of a batch's wall time that the measuring thread ran: 0..1 */
    double process; /* the same of all threads together: 0..CPUs */
};

/* How a batch was spent. */
struct am_batch_use {
    uint64_t wall_ns;
    bool has_times;                 /* the next two are known */
    uint64_t thread_ns, process_ns; /* CPU time of the measuring thread, and of all threads */
    uint64_t threads;               /* of the process; 0: not known */
    size_t cpus;                    /* that the launch may use */
    bool has_waited;                /* the next one is known */
    uint64_t waited_ns;             /* for a CPU, all threads together */
};

/* Time that all threads waited for a CPU between two readings, into `use`: known only where the
 * threads are the same, since nobody has begun one and none has ended. */
void am_batch_waited(struct am_batch_use *use, const struct am_disturbance_totals *before,
                     const struct am_disturbance_totals *after);

/* Whether stolen time matters: more than a hundredth of the batch. It is counted in steps of 10 ms,
 * so that one step in a batch of a second and more is no news. */
bool am_steal_tells(uint64_t steal_ns, uint64_t batch_ns);

/* Learns from a batch, also from one that is no sample. Very short ones say nothing. */
void am_occupancy_see(struct am_occupancy *o, const struct am_batch_use *use);

/* The labels of a sample whose counters and clocks are filled in. */
uint32_t am_labels_of(const struct am_sample *x, const struct am_occupancy *o,
                      const struct am_batch_use *use, double drift_limit);

/* Time in which the measuring thread had no CPU, 0 when that is not known. */
uint64_t am_batch_off_ns(const struct am_batch_use *use);

#endif
