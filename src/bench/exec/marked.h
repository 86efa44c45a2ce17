/* SPDX-License-Identifier: MIT */
/* Regions of a marked program (archmeter/mark.h) as points: one execution serves every point of a
 * launch that has its command line.
 *
 * The whole program is a point too, and the conductor asks for it first: its batch is the
 * execution, so that energy and events of it are the program's. Those of a region are what its
 * threads counted at their marks, and what the meters read while it was there, where it was there
 * in one piece. A region's point then finds what was collected; where nothing was yet, its
 * prepare() runs the program. What was collected lives as long as the process, that is one launch.
 */
#ifndef AM_BENCH_EXEC_MARKED_H
#define AM_BENCH_EXEC_MARKED_H

#include "bench/exec/program.h"
#include "core/bench/bench.h"

enum { AM_EXEC_MARKED_METRICS = 10, AM_EXEC_MARKED_POINTS = 512 /* of a launch */ };
extern const struct am_metric am_exec_marked_metrics[AM_EXEC_MARKED_METRICS];

struct am_exec_marked;

struct am_exec_marked *am_exec_marked_new(struct am_arena *arena); /* NULL without memory */

/* The execution itself: the program's point. `end` as am_exec_program_run() says. Events of the
 * context are counted at its marks too. */
enum am_status am_exec_marked_run(struct am_exec_marked *marked,
                                  const struct am_exec_program *program, const struct am_ctx *ctx,
                                  struct am_exec_end *end, struct am_err *err);

/* Finds the region's work and threads. AM_E_ABSENT where this execution never was in it. */
enum am_status am_exec_marked_prepare(struct am_exec_marked *marked,
                                      const struct am_exec_program *program, const char *region,
                                      const struct am_ctx *ctx, struct am_work *work,
                                      struct am_err *err);

/* What was measured of a region, or of the program, in the latest execution; of a region that it
 * never entered, no call and no time. */
void am_exec_marked_values(const struct am_exec_marked *marked, const char *region,
                           struct am_batch *batch);
/* What was collected in words: regions, threads, and whatever was not in order. */
void am_exec_marked_note(const struct am_exec_marked *marked, const struct am_ctx *ctx);

#endif
