/* SPDX-License-Identifier: MIT */
/* The executors of the worker `opencilk`, for every application. */
#ifndef AM_BENCH_OPENCILK_EXECUTORS_H
#define AM_BENCH_OPENCILK_EXECUTORS_H

#include "bench/apps/apps.h"

extern const struct am_executor *const am_opencilk_executors[]; /* ended by NULL */
extern const struct am_executor_set am_opencilk_set;

#endif
