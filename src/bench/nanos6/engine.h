/* SPDX-License-Identifier: MIT */
/* Nanos6, the runtime of OmpSs-2, as C functions: a task per block, ordered by data.
 *
 * OmpSs-2's pragmas are translated by its own compiler into calls of Nanos6; these calls are made
 * here, so that any compiler does. The runtime is begun once per process, in its library mode, with
 * as many threads as the process has CPUs, and ends with it. A run is a function that Nanos6 spawns
 * and the caller waits for; from inside a block tasks are children of that block. A block that
 * waits for others reads a byte of each and writes its own: dependences are derived from data. */
#ifndef AM_BENCH_NANOS6_ENGINE_H
#define AM_BENCH_NANOS6_ENGINE_H

#include "runtime/executor.h"

struct am_nanos6;

/* AM_E_ABSENT where the runtime does not begin, or has another number of CPUs than the setup has
 * threads. */
enum am_status am_nanos6_open(const struct am_executor_setup *setup, struct am_nanos6 **engine_p,
                              struct am_err *err);
void am_nanos6_close(struct am_nanos6 *engine); /* accepts NULL */

/* Memory for the bytes that stand for blocks. Dependences are told anew in each round. */
enum am_status am_nanos6_make_graph(struct am_nanos6 *engine, const struct am_blocks *blocks,
                                    struct am_err *err);
void am_nanos6_run_tasks(struct am_nanos6 *engine, const struct am_blocks *blocks, uint64_t times);

/* Blocks run so far, but for those of loops inside blocks. */
uint64_t am_nanos6_executed(const struct am_nanos6 *engine);

#endif
