/* SPDX-License-Identifier: MIT */
/* Processes that take a part of the machine from the program that is measured, and count how much.
 *
 * One process per CPU, bound to it, begun before the program and ended after it. What they take is
 * counted in memory that is shared with them, so that a difference of two readings is what was
 * taken meanwhile: it is measured, not assumed. Their loops are the kernels of mem.bandwidth. A
 * worker that is killed takes them with it. */
#ifndef AM_BENCH_EXEC_INTERFERENCE_H
#define AM_BENCH_EXEC_INTERFERENCE_H

#include "base/child.h"
#include "base/status.h"
#include "core/spec/beside.h"

#include <stddef.h>

enum { AM_INTERFERENCE_CPUS_MAX = 1024 };

/* Which CPUs the program has and which are left to take from it: the first half, rounded up. */
struct am_interference_cpus {
    const int *program, *others;
    size_t n_program, n_others;
};
struct am_interference_cpus am_interference_split(const int *cpus, size_t n);

struct am_interference_counts; /* shared with the processes */

/* Zero-initialise. */
struct am_interference {
    struct am_child *children;
    struct am_interference_counts *counts;
    size_t n, mapped; /* processes; bytes of the counts */
};

/* What was taken until now. */
struct am_interference_taken {
    double bytes; /* read and written */
    double cpu_s; /* CPU time of all processes */
    double at_s;  /* when it was read, any origin */
    size_t cpus;  /* processes */
};

/* Returns when all processes have begun; AM_E_ABSENT where the machine cannot (one CPU). `cache` is
 * the size of the largest cache: memory is what is several times as large. */
enum am_status am_interference_start(struct am_interference *i, const struct am_beside *beside,
                                     const struct am_interference_cpus *cpus, uint64_t cache,
                                     struct am_err *err);
struct am_interference_taken am_interference_read(const struct am_interference *i);
void am_interference_stop(struct am_interference *i); /* accepts a zeroed struct */

#endif
