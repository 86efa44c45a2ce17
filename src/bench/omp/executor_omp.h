/* SPDX-License-Identifier: MIT */
/* The executors of an OpenMP worker. */
#ifndef AM_BENCH_OMP_EXECUTOR_OMP_H
#define AM_BENCH_OMP_EXECUTOR_OMP_H

#include "runtime/executor.h"
#include "bench/apps/apps.h"
#include "bench/omp/runtime.h"

extern const struct am_executor *const am_omp_executors[]; /* ended by NULL */
extern const char *const am_omp_executor_names[];          /* parallel to them */

/* The axes of benches of blocks from index `base` on, where am_omp_open() finds its own. */
#define AM_OMP_APPS_AXIS_ROWS(base)                                                                \
    [(base) + AM_APPS_RUNTIME] = AM_OMP_RUNTIME_AXIS,                                              \
              [(base) + AM_APPS_THREADS] = AM_APPS_THREADS_AXIS,                                   \
              [(base) + AM_APPS_BINDING] = AM_OMP_BINDING_AXIS,                                    \
              [(base) + AM_APPS_PLACES] = AM_OMP_PLACES_AXIS,                                      \
              [(base) + AM_APPS_WAIT] = AM_OMP_WAIT_AXIS

#endif
