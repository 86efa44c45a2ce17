/* SPDX-License-Identifier: MIT */
/* The executors of the worker `tbb`, for every application. */
#ifndef AM_BENCH_TBB_EXECUTORS_H
#define AM_BENCH_TBB_EXECUTORS_H

#include "bench/apps/apps.h"

extern const struct am_executor *const am_tbb_executors[]; /* ended by NULL */
extern const struct am_executor_set am_tbb_set;

#endif
