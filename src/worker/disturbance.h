/* SPDX-License-Identifier: MIT */
/* What else ran on our CPUs: stolen time, involuntary context switches, the CPU time that this
 * process got and how long its threads waited for it, as running totals. */
#ifndef AM_WORKER_DISTURBANCE_H
#define AM_WORKER_DISTURBANCE_H

#include "core/measure/sampler.h"

#include <dirent.h>
#include <stddef.h>

struct am_disturbance_probe {
    int stat_fd; /* /proc/stat, -1 when unreadable */
    int self_fd; /* /proc/self/stat, likewise */
    int load_fd; /* /proc/loadavg, likewise */
    DIR *tasks;  /* /proc/self/task, a folder per thread; NULL when unreadable */
    char *text;  /* its latest content: large machines have long ones */
    const int *cpus;
    size_t n_cpus;
    uint64_t tick_ns;
};

/* The probe must outlive `out`. */
void am_disturbance_open(struct am_disturbance_probe *probe, const int *cpus, size_t n_cpus,
                         struct am_disturbance *out);
void am_disturbance_close(struct am_disturbance_probe *probe);

/* Steal ticks of the given CPUs in the text of a /proc/stat. */
uint64_t am_disturbance_steal_ticks(const char *text, const int *cpus, size_t n_cpus);
/* Nanoseconds that a thread waited for a CPU, by the text of its schedstat. False: it does not say.
 */
bool am_disturbance_waited(const char *text, uint64_t *ns);
/* The number of who began last, by the text of /proc/loadavg; 0: it does not say. */
uint64_t am_disturbance_newest(const char *text);
/* Threads of the process whose /proc/PID/stat this is; 0 when it is not readable. */
uint64_t am_disturbance_threads(const char *text);

#endif
