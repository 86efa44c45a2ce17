/* SPDX-License-Identifier: MIT */
/* Taskflow as C functions: threads that steal, loops, tasks and graphs of blocks on them.
 *
 * The library is C++ templates, and so is engine.cpp; everything else of the worker is C and sees
 * this header. No exception passes it. One engine is used by one caller at a time, which waits
 * while its threads work; from inside a block any of these may run a loop. */
#ifndef AM_BENCH_TASKFLOW_ENGINE_H
#define AM_BENCH_TASKFLOW_ENGINE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "runtime/executor.h"

struct am_taskflow;

/* As many threads as the setup has; thread i stays on cpus[i % cpu_count]. */
enum am_status am_taskflow_open(const struct am_executor_setup *setup,
                                struct am_taskflow **engine_p, struct am_err *err);
void am_taskflow_close(struct am_taskflow *engine); /* accepts NULL */

/* A graph of a task per block, which is kept for runs of the same blocks. */
enum am_status am_taskflow_make_graph(struct am_taskflow *engine, const struct am_blocks *blocks,
                                      struct am_err *err);
/* for_each_index over the blocks, with the library's own way to cut them. */
void am_taskflow_run_for(struct am_taskflow *engine, const struct am_blocks *blocks,
                         uint64_t times);
/* The graph's tasks; of blocks that have none, one is made for the call. */
void am_taskflow_run_tasks(struct am_taskflow *engine, const struct am_blocks *blocks,
                           uint64_t times);

/* Blocks run so far, but for those of loops inside blocks. */
uint64_t am_taskflow_executed(const struct am_taskflow *engine);

#ifdef __cplusplus
}
#endif

#endif
