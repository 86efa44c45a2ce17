/* SPDX-License-Identifier: MIT */
/* The clock that a run asks for, set through sysfs and put back. */
#ifndef AM_BENCH_EXEC_CPUFREQ_H
#define AM_BENCH_EXEC_CPUFREQ_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was set before. Zero-initialise. */
struct am_exec_cpufreq {
    const char *root; /* "" in earnest */
    const int *cpus;
    size_t n;              /* CPUs that were changed */
    uint64_t (*before)[2]; /* lowest and highest clock of each, kHz */
};

/* Whether the limits of CPU 0 below `root` may be written. */
bool am_exec_cpufreq_writable(const char *root);

/* Sets both limits of every CPU; `cpus` must outlive the struct. AM_E_ABSENT with the reason when
 * one cannot be set; what was changed is put back by the next. */
enum am_status am_exec_cpufreq_set(struct am_exec_cpufreq *f, const char *root, const int *cpus,
                                   size_t n, uint64_t khz, struct am_err *err);
void am_exec_cpufreq_restore(struct am_exec_cpufreq *f); /* accepts a zeroed struct */

#endif
