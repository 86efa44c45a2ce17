/* SPDX-License-Identifier: MIT */
/* The executors of the worker `nanos6`, for every application. */
#ifndef AM_BENCH_NANOS6_EXECUTORS_H
#define AM_BENCH_NANOS6_EXECUTORS_H

#include "bench/apps/apps.h"

extern const struct am_executor *const am_nanos6_executors[]; /* ended by NULL */
extern const struct am_executor_set am_nanos6_set;

#endif
