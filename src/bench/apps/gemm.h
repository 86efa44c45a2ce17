/* SPDX-License-Identifier: MIT */
/* app.gemm: products of matrices by every executor. Several workers have this bench, each with its
 * own executors; what must be the same in all of them stands here. */
#ifndef AM_BENCH_APPS_GEMM_H
#define AM_BENCH_APPS_GEMM_H

#include "app/gemm/gemm.h"
#include "app/gemm/gemm_blas.h"
#include "bench/apps/apps.h"
#include "core/bench/bench.h"
#include "kernels/isa.h"

enum am_gemm_axis {
    AM_GEMM_EXECUTOR,
    AM_GEMM_ISA,
    AM_GEMM_TYPE,
    AM_GEMM_VARIANT,
    AM_GEMM_N,
    AM_GEMM_TASK_SIZE,
    AM_GEMM_COMMON /* those of apps.h */
};

extern const char *const am_gemm_variants[], *const am_gemm_variant_threads[];
const char *am_gemm_variant_why_not(const char *variant);

/* Rows of the axes' table that all workers share. */
#define AM_GEMM_AXIS_ROWS(executor_axis)                                                           \
    [AM_GEMM_EXECUTOR] = executor_axis,                                                            \
    [AM_GEMM_ISA] = {.name = "isa",                                                                \
                     .kind = AM_AXIS_NAME,                                                         \
                     .dflt = "best",                                                               \
                     .choices = am_isa_names,                                                      \
                     .ranked = true,                                                               \
                     .why_not = am_isa_why_not,                                                    \
                     .help = "instruction set of our own kernels; libraries choose by themselves " \
                             "and take `best` only"},                                              \
    [AM_GEMM_TYPE] = {.name = "type",                                                              \
                      .kind = AM_AXIS_NAME,                                                        \
                      .dflt = "f64",                                                               \
                      .thorough = "all",                                                           \
                      .choices = am_gemm_types,                                                    \
                      .help = "element type"},                                                     \
    [AM_GEMM_VARIANT] = {.name = "variant",                                                        \
                         .kind = AM_AXIS_NAME,                                                     \
                         .dflt = "own",                                                            \
                         .thorough = "usable",                                                     \
                         .choices = am_gemm_variants,                                              \
                         .why_not = am_gemm_variant_why_not,                                       \
                         .env = "OPENBLAS_NUM_THREADS",                                            \
                         .env_values = am_gemm_variant_threads,                                    \
                         .help = "who multiplies a tile: our own kernels, or a BLAS library "      \
                                 "without threads"},                                               \
    [AM_GEMM_N] = {.name = "n",                                                                    \
                   .kind = AM_AXIS_INT,                                                            \
                   .dflt = "256,1024",                                                             \
                   .quick = "256",                                                                 \
                   .thorough = "128:8192:*2",                                                      \
                   .help = "rows and columns of the matrices"},                                    \
    [AM_GEMM_TASK_SIZE] = {.name = "task_size",                                                    \
                           .kind = AM_AXIS_INT,                                                    \
                           .dflt = "0",                                                            \
                           .thorough = "0,32:1024:*2",                                             \
                           .help = "rows and columns of a tile; 0: the thesis's rule by n and "    \
                                   "threads; n or more: one call for the whole"}

/* Fields of the descriptor. A process opens one library only. */
#define AM_GEMM_BENCH                                                                              \
    .name = "app.gemm", .summary = "products of matrices, tile by tile", .version = 1,             \
    .named_only = true, .metrics = am_gemm_metrics, .state_size = sizeof(struct am_gemm_state),    \
    .run = am_gemm_run, .verify = am_gemm_verify, .finish = am_gemm_finish
extern const struct am_metric am_gemm_metrics[];

struct am_gemm_own {
    const struct am_gemm_kernel *kernel;
    struct am_gemm_blocking blocking;
};

struct am_gemm_library {
    struct am_blas blas;
    enum am_gemm_type type;
};

struct am_gemm_state {
    struct am_apps_engine engine;
    struct am_gemm_own own;
    struct am_gemm_library library;
    struct am_gemm *gemm;
    struct am_blocks blocks;
};

/* Opens the executor of the point's name, one of `executors` (ended by NULL), and makes matrices.
 * Executors without dependencies get a block for each tile of the outcome. */
enum am_status am_gemm_prepare(struct am_gemm_state *state,
                               const struct am_executor *const *executors, const struct am_ctx *ctx,
                               const struct am_value *point, struct am_work *work,
                               struct am_err *err);
void am_gemm_run(void *state, uint64_t iters);
enum am_status am_gemm_verify(void *state, double *residual, struct am_err *err);
void am_gemm_finish(void *state);

#endif
