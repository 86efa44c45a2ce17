/* SPDX-License-Identifier: MIT */
/* oneTBB as C functions: an arena of threads, loops, tasks and graphs of blocks on it.
 *
 * The library is C++, and so is engine.cpp, the only such file; everything else of the worker is C
 * and sees this header. No exception passes it: what the library refuses for want of memory is a
 * status. One engine is used by one caller at a time; from inside a block any of its threads may
 * run a loop. */
#ifndef AM_BENCH_TBB_ENGINE_H
#define AM_BENCH_TBB_ENGINE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "runtime/executor.h"

struct am_tbb;

/* An arena with as many slots as the setup has threads, the caller's included; the thread in slot i
 * stays on cpus[i % cpu_count]. */
enum am_status am_tbb_open(const struct am_executor_setup *setup, struct am_tbb **engine_p,
                           struct am_err *err);
void am_tbb_close(struct am_tbb *engine); /* accepts NULL; the caller's affinity is as before */

/* parallel_for over the blocks, with the library's own way to cut them. */
void am_tbb_run_for(struct am_tbb *engine, const struct am_blocks *blocks, uint64_t times);
/* A task of a task_group per block; where blocks wait for others, a message from node to node of
 * the flow graph that am_tbb_make_graph() has made. */
void am_tbb_run_tasks(struct am_tbb *engine, const struct am_blocks *blocks, uint64_t times);
/* Nothing where no block waits for another. */
enum am_status am_tbb_make_graph(struct am_tbb *engine, const struct am_blocks *blocks,
                                 struct am_err *err);

/* Blocks run so far, but for those of loops inside blocks. */
uint64_t am_tbb_executed(const struct am_tbb *engine);

#ifdef __cplusplus
}
#endif

#endif
