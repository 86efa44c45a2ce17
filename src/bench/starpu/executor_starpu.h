/* SPDX-License-Identifier: MIT */
/* The executors of the worker `starpu`, for every application. */
#ifndef AM_BENCH_STARPU_EXECUTOR_STARPU_H
#define AM_BENCH_STARPU_EXECUTOR_STARPU_H

#include "bench/apps/apps.h"

extern const struct am_executor *const am_starpu_executors[]; /* ended by NULL */
extern const struct am_executor_set am_starpu_set;

/* NULL when this StarPU has the policy of an executor, else why not. */
const char *am_starpu_executor_why_not(const char *name);

#endif
