/* SPDX-License-Identifier: MIT */
/* What a point asks of the machine, refused (AM_E_ABSENT) with a reason where it cannot be had. */
#ifndef AM_BENCH_SHARED_USABLE_H
#define AM_BENCH_SHARED_USABLE_H

#include "core/bench/bench.h"

/* AM_E_ABSENT where the instruction set cannot be used here. */
enum am_status am_usable_isa(const char *isa, struct am_err *err);
/* AM_E_ABSENT unless there is a CPU for each of 1 or more threads. */
enum am_status am_usable_threads(int64_t threads, const struct am_ctx *ctx, struct am_err *err);

#endif
