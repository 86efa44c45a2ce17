/* SPDX-License-Identifier: MIT */
/* The executors of the worker `taskflow`, for every application. */
#ifndef AM_BENCH_TASKFLOW_EXECUTORS_H
#define AM_BENCH_TASKFLOW_EXECUTORS_H

#include "bench/apps/apps.h"

extern const struct am_executor *const am_taskflow_executors[]; /* ended by NULL */
extern const struct am_executor_set am_taskflow_set;

#endif
