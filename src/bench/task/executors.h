/* SPDX-License-Identifier: MIT */
/* The executors of the worker `task`, for every application. */
#ifndef AM_BENCH_TASK_EXECUTORS_H
#define AM_BENCH_TASK_EXECUTORS_H

#include "bench/apps/apps.h"

extern const struct am_executor *const am_task_executors[]; /* ended by NULL */
extern const struct am_executor_set am_task_set;

#endif
