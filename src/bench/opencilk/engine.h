/* SPDX-License-Identifier: MIT */
/* OpenCilk as C functions: loops and spawned calls of blocks.
 *
 * `cilk_for` and `cilk_spawn` are keywords of OpenCilk's own compiler, which compiles engine.c;
 * everything else of the worker is compiled as ever. Its workers are as many as the CPUs that the
 * process may use when it starts; the caller waits while they work, and from inside a block a loop
 * is one more of theirs. */
#ifndef AM_BENCH_OPENCILK_ENGINE_H
#define AM_BENCH_OPENCILK_ENGINE_H

#include "runtime/executor.h"

struct am_opencilk;

/* AM_E_ABSENT where the runtime has another number of workers than the setup has threads. */
enum am_status am_opencilk_open(const struct am_executor_setup *setup,
                                struct am_opencilk **engine_p, struct am_err *err);
void am_opencilk_close(struct am_opencilk *engine); /* accepts NULL */

/* Spawned calls have parents and no other order: AM_E_ABSENT for blocks that wait for others. */
enum am_status am_opencilk_make_graph(struct am_opencilk *engine, const struct am_blocks *blocks,
                                      struct am_err *err);
/* cilk_for over the blocks, with the compiler's own grain. */
void am_opencilk_run_for(struct am_opencilk *engine, const struct am_blocks *blocks,
                         uint64_t times);
/* Each block is a spawned call of one that spawns all. */
void am_opencilk_run_tasks(struct am_opencilk *engine, const struct am_blocks *blocks,
                           uint64_t times);

/* Blocks run so far, but for those of loops inside blocks. */
uint64_t am_opencilk_executed(const struct am_opencilk *engine);

#endif
