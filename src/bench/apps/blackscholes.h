/* SPDX-License-Identifier: MIT */
/* app.blackscholes: option prices by every executor. Several workers have this bench, each with its
 * own executors; what must be the same in all of them stands here. */
#ifndef AM_BENCH_APPS_BLACKSCHOLES_H
#define AM_BENCH_APPS_BLACKSCHOLES_H

#include "app/blackscholes/blackscholes.h"
#include "bench/apps/apps.h"
#include "core/bench/bench.h"
#include "kernels/isa.h"

enum am_bs_axis {
    AM_BS_EXECUTOR,
    AM_BS_ISA,
    AM_BS_TYPE,
    AM_BS_NX,
    AM_BS_VARIANT,
    AM_BS_N,
    AM_BS_TASK_SIZE,
    AM_BS_COMMON /* those of apps.h */
};

extern const char *const am_bs_variants[];
const char *am_bs_variant_why_not(const char *variant);

/* Rows of the axes' table that all workers share. */
#define AM_BS_AXIS_ROWS(executor_axis)                                                             \
    [AM_BS_EXECUTOR] = executor_axis,                                                              \
    [AM_BS_ISA] = {.name = "isa",                                                                  \
                   .kind = AM_AXIS_NAME,                                                           \
                   .dflt = "best",                                                                 \
                   .choices = am_isa_names,                                                        \
                   .ranked = true,                                                                 \
                   .why_not = am_isa_why_not,                                                      \
                   .help = "instruction set of the loops"},                                        \
    [AM_BS_TYPE] = {.name = "type",                                                                \
                    .kind = AM_AXIS_NAME,                                                          \
                    .dflt = "all",                                                                 \
                    .quick = "f32",                                                                \
                    .choices = am_bs_types,                                                        \
                    .help = "element type"},                                                       \
    [AM_BS_NX] = {.name = "nx",                                                                    \
                  .kind = AM_AXIS_NAME,                                                            \
                  .dflt = "erf",                                                                   \
                  .choices = am_bs_cdfs,                                                           \
                  .help = "normal distribution: to the type's precision, or the thesis's "         \
                          "polynomial"},                                                           \
    [AM_BS_VARIANT] = {.name = "variant",                                                          \
                       .kind = AM_AXIS_NAME,                                                       \
                       .dflt = "own",                                                              \
                       .thorough = "usable",                                                       \
                       .choices = am_bs_variants,                                                  \
                       .why_not = am_bs_variant_why_not,                                           \
                       .help = "whose exp, log and erf"},                                          \
    [AM_BS_N] = {.name = "n",                                                                      \
                 .kind = AM_AXIS_INT,                                                              \
                 .dflt = "8K,1M",                                                                  \
                 .quick = "64K",                                                                   \
                 .thorough = "8K,1M,32M",                                                          \
                 .help = "options"},                                                               \
    [AM_BS_TASK_SIZE] = {.name = "task_size",                                                      \
                         .kind = AM_AXIS_INT,                                                      \
                         .dflt = "256,2048",                                                       \
                         .quick = "1024",                                                          \
                         .thorough = "64:16384:*2",                                                \
                         .help = "options of a block"}

/* Fields of the descriptor. */
#define AM_BS_BENCH                                                                                \
    .name = "app.blackscholes", .summary = "prices of European options, block by block",           \
    .version = 1, .metrics = am_bs_metrics, .points_per_launch = 4,                                \
    .state_size = sizeof(struct am_bs_state), .run = am_bs_run, .verify = am_bs_verify,            \
    .finish = am_bs_finish
extern const struct am_metric am_bs_metrics[];

struct am_bs_state {
    struct am_apps_engine engine;
    struct am_bs *bs;
    struct am_blocks pricing;
};

/* Opens the executor of the point's name, one of `executors` (ended by NULL), and makes options. */
enum am_status am_bs_prepare(struct am_bs_state *state, const struct am_executor *const *executors,
                             const struct am_ctx *ctx, const struct am_value *point,
                             struct am_work *work, struct am_err *err);
void am_bs_run(void *state, uint64_t iters);
enum am_status am_bs_verify(void *state, double *residual, struct am_err *err);
void am_bs_finish(void *state);

#endif
