/* SPDX-License-Identifier: MIT */
/* app.stencil: explicit steps of the heat equation by every executor. Several workers have this
 * bench, each with its own executors; what must be the same in all of them stands here. */
#ifndef AM_BENCH_APPS_STENCIL_H
#define AM_BENCH_APPS_STENCIL_H

#include "bench/apps/apps.h"
#include "bench/apps/stencil_dim.h"
#include "core/bench/bench.h"
#include "kernels/isa.h"
#include "kernels/stencil.h"

enum am_stencil_axis {
    AM_STENCIL_DIM,
    AM_STENCIL_VARIANT,
    AM_STENCIL_FORM,
    AM_STENCIL_TYPE,
    AM_STENCIL_ISA,
    AM_STENCIL_W,
    AM_STENCIL_DEPTH,
    AM_STENCIL_STEPS,
    AM_STENCIL_N,
    AM_STENCIL_R,
    AM_STENCIL_EXECUTOR,
    AM_STENCIL_DEVICE,
    AM_STENCIL_COMMON /* those of apps.h */
};

enum am_stencil_metric {
    AM_STENCIL_FLOPS,
    AM_STENCIL_EXECUTED,
    AM_STENCIL_PEAK_SHARE,
    AM_STENCIL_BOUND_SHARE,
    AM_STENCIL_UPDATES,
    AM_STENCIL_TIME
};

enum { AM_STENCIL_STEPS_MAX = 1 << 14 }; /* two windows of the reference then take seconds */

/* The methods of one dimension, and fft. */
extern const char *const am_stencil_variants[];
const char *am_stencil_variant_why_not(const char *variant);
extern const char *const am_stencil_devices[]; /* of workers that are no device's: "cpu" */

/* Axes that differ between the workers of processors and those of devices. */
#define AM_STENCIL_VARIANT_AXIS(names)                                                             \
    {                                                                                              \
        .name = "variant", .kind = AM_AXIS_NAME, .quick = "auto,slice",                            \
        .dflt = "scalar,auto,unaligned,interleaved,prefetch,skew,slice", .choices = names,         \
        .why_not = am_stencil_variant_why_not,                                                     \
        .help = "scalar, auto: plain loops; unaligned: vector loads; interleaved: lanes apart; "   \
                "prefetch: one load a vector; skew, slice: many steps a pass; registers: a grid "  \
                "that they hold; fft: all steps at once"                                           \
    }
#define AM_STENCIL_ISA_AXIS                                                                        \
    {                                                                                              \
        .name = "isa", .kind = AM_AXIS_NAME, .dflt = "best", .thorough = "usable",                 \
        .choices = am_isa_names, .ranked = true, .why_not = am_isa_why_not,                        \
        .help = "instruction set of the loops"                                                     \
    }
#define AM_STENCIL_EXECUTOR_AXIS(names, usual)                                                     \
    {                                                                                              \
        .name = "executor", .kind = AM_AXIS_NAME, .dflt = usual, .thorough = "usable",             \
        .choices = names, .help = "who runs the sub-domains: serial, OpenMP, our task policies"    \
    }
#define AM_STENCIL_DEVICE_AXIS                                                                     \
    {                                                                                              \
        .name = "device", .kind = AM_AXIS_NAME, .dflt = "all", .choices = am_stencil_devices,      \
        .help = "cpu, or an OpenCL device"                                                         \
    }
#define AM_STENCIL_THREADS_AXIS(usual, few)                                                        \
    {                                                                                              \
        .name = "threads", .kind = AM_AXIS_INT, .dflt = usual, .quick = few, .thorough = "1:cpus", \
        .help = "threads, one a CPU and a sub-domain"                                              \
    }

/* What a tuner tries on processors; a device's worker has its own, defined before this. */
#ifndef AM_STENCIL_TUNE_W
#define AM_STENCIL_TUNE_W "1:28"
#define AM_STENCIL_TUNE_DEPTH "8:2048:*1.5"
#endif

/* Rows of the axes' table; the arguments are the four above, or a device's own. */
#define AM_STENCIL_AXIS_ROWS(variant, isa, executor, device)                                       \
    [AM_STENCIL_DIM] = {.name = "dim",                                                             \
                        .kind = AM_AXIS_INT,                                                       \
                        .dflt = "1",                                                               \
                        .help = "dimensions of the grid: 1, 2 or 3"},                              \
    [AM_STENCIL_VARIANT] = variant,                                                                \
    [AM_STENCIL_FORM] = {.name = "form",                                                           \
                         .kind = AM_AXIS_NAME,                                                     \
                         .dflt = "paper,scaled",                                                   \
                         .thorough = "all",                                                        \
                         .choices = am_stencil_forms,                                              \
                         .help = "paper: add, mul, fma; scaled, centred: add, fma on a scaled "    \
                                 "state"},                                                         \
    [AM_STENCIL_TYPE] = {.name = "type",                                                           \
                         .kind = AM_AXIS_NAME,                                                     \
                         .dflt = "all",                                                            \
                         .quick = "f32",                                                           \
                         .choices = am_stencil_types,                                              \
                         .help = "element type"},                                                  \
    [AM_STENCIL_ISA] = isa,                                                                        \
    [AM_STENCIL_W] = {.name = "w",                                                                 \
                      .kind = AM_AXIS_INT,                                                         \
                      .dflt = "0",                                                                 \
                      .tune = AM_STENCIL_TUNE_W,                                                   \
                      .help = "vectors of a slice (dim=1) or of a tile's row (dim=2, 3); 0: "      \
                              "chosen, and neither of them"},                                      \
    [AM_STENCIL_DEPTH] = {.name = "depth",                                                         \
                          .kind = AM_AXIS_INT,                                                     \
                          .dflt = "0",                                                             \
                          .tune = AM_STENCIL_TUNE_DEPTH,                                           \
                          .help = "steps of a pass of skew or slice; 0: chosen, and neither of "   \
                                  "them"},                                                         \
    [AM_STENCIL_STEPS] = {.name = "steps",                                                         \
                          .kind = AM_AXIS_INT,                                                     \
                          .dflt = "480",                                                           \
                          .quick = "120",                                                          \
                          .help = "time steps of one iteration"},                                  \
    [AM_STENCIL_N] = {.name = "n",                                                                 \
                      .kind = AM_AXIS_INT,                                                         \
                      .dflt = "l1/32,l2/32,l3/32,16M",                                             \
                      .quick = "256K",                                                             \
                      .key = AM_KEY_CLASS,                                                         \
                      .help = "grid points, of all dimensions together: of 4 or 8 bytes, in two "  \
                              "arrays (skew, slice: in one)"},                                     \
    [AM_STENCIL_R] = {.name = "r",                                                                 \
                      .kind = AM_AXIS_REAL,                                                        \
                      .dflt = "0",                                                                 \
                      .key = AM_KEY_FREE,                                                          \
                      .help = "the weight of a neighbour, at most 1/2 over the dimensions; 0: "    \
                              "half of that"},                                                     \
    [AM_STENCIL_EXECUTOR] = executor, [AM_STENCIL_DEVICE] = device

/* Fields of the descriptor that all workers share, and those of processors. */
#define AM_STENCIL_BENCH                                                                           \
    .name = "app.stencil",                                                                         \
    .summary = "explicit steps of the heat equation, from a plain loop to time slices",            \
    .version = 2, .metrics = am_stencil_metrics
#define AM_STENCIL_HOOKS                                                                           \
    .state_size = sizeof(struct am_stencil_state), .run_timed = am_stencil_run_timed,              \
    .verify = am_stencil_verify, .finish = am_stencil_finish
extern const struct am_metric am_stencil_metrics[];

struct am_stencil_state {
    struct am_apps_engine engine;
    const struct am_stencil_dim *dim;
    void *grid; /* the dimension's own */
    struct am_blocks filling, stepping;
    uint64_t rounds; /* of one iteration */
    uint64_t runs;   /* iterations since prepare */
    size_t threads;
    struct am_stencil_cost cost;
    const struct am_clock *clock;
};

/* What the axes ask for, r chosen where it is 0. AM_E_ABSENT where n, steps, w, depth or dim are
 * out of range. `isa` is left to the caller. */
enum am_status am_stencil_read_point(const struct am_value *point, struct am_stencil_task *task,
                                     struct am_err *err);

/* Opens the executor of the point's name, one of `executors` (ended by NULL), and makes a grid. */
enum am_status am_stencil_prepare(struct am_stencil_state *state,
                                  const struct am_executor *const *executors,
                                  const struct am_ctx *ctx, const struct am_value *point,
                                  struct am_work *work, struct am_err *err);
enum am_status am_stencil_run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                    struct am_err *err);
enum am_status am_stencil_verify(void *state, double *residual, struct am_err *err);
void am_stencil_finish(void *state);

#endif
