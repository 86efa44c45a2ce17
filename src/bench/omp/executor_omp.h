/* SPDX-License-Identifier: MIT */
/* The executors of an OpenMP worker, for every application. */
#ifndef AM_BENCH_OMP_EXECUTOR_OMP_H
#define AM_BENCH_OMP_EXECUTOR_OMP_H

#include "bench/apps/apps.h"

extern const struct am_executor *const am_omp_executors[]; /* ended by NULL */
extern const struct am_executor_set am_omp_set;

#endif
