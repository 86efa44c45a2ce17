/* SPDX-License-Identifier: MIT */
/* task.overhead: what an executor needs for blocks without work. Several workers have this bench,
 * each with its own executors. */
#ifndef AM_BENCH_APPS_EMPTY_H
#define AM_BENCH_APPS_EMPTY_H

#include "bench/apps/apps.h"
#include "core/bench/bench.h"

enum am_empty_axis {
    AM_EMPTY_EXECUTOR,
    AM_EMPTY_SHAPE,
    AM_EMPTY_TASKS,
    AM_EMPTY_COMMON /* those of apps.h */
};

extern const char *const am_empty_shapes[];

#define AM_EMPTY_AXIS_ROWS(executor_axis)                                                          \
    [AM_EMPTY_EXECUTOR] = executor_axis,                                                           \
    [AM_EMPTY_SHAPE] = {.name = "shape",                                                           \
                        .kind = AM_AXIS_NAME,                                                      \
                        .dflt = "all",                                                             \
                        .quick = "loop",                                                           \
                        .choices = am_empty_shapes,                                                \
                        .help = "loop: nobody waits; chain: each for the one before; rows: each "  \
                                "for three of the row before, eight a row"},                       \
    [AM_EMPTY_TASKS] = {.name = "tasks",                                                           \
                        .kind = AM_AXIS_INT,                                                       \
                        .dflt = "1,32,1024",                                                       \
                        .quick = "1024",                                                           \
                        .help = "blocks between two waits; 1 shows the wait itself"}

#define AM_EMPTY_BENCH                                                                             \
    .name = "task.overhead", .summary = "time of a block that does nothing", .version = 1,         \
    .named_only = true, .metrics = am_empty_metrics, .points_per_launch = 4,                       \
    .state_size = sizeof(struct am_empty), .run = am_empty_run, .verify = am_empty_verify,         \
    .finish = am_empty_finish
extern const struct am_metric am_empty_metrics[];

struct am_empty_slot;

struct am_empty {
    struct am_apps_engine engine;
    struct am_blocks blocks;
    struct am_empty_slot *slots; /* one a block */
    uint64_t times;              /* that each block has been asked for */
};

enum am_status am_empty_prepare(struct am_empty *o, const struct am_executor *const *executors,
                                const struct am_ctx *ctx, const struct am_value *point,
                                struct am_work *work, struct am_err *err);
void am_empty_run(void *state, uint64_t iters);
enum am_status am_empty_verify(void *state, double *residual, struct am_err *err);
void am_empty_finish(void *state);

#endif
