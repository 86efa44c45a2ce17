/* SPDX-License-Identifier: MIT */
/* The hooks of every `exec` bench: one launch is one execution of the program. */
#ifndef AM_BENCH_EXEC_MEASURE_H
#define AM_BENCH_EXEC_MEASURE_H

#include "core/bench/bench.h"

/* Everything of the descriptor but name, summary, axes, metrics and data. */
void am_exec_bench_init(struct am_bench *bench);

#endif
