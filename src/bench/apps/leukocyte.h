/* SPDX-License-Identifier: MIT */
/* app.leukocyte: cells tracked from frame to frame, on two levels of threads. Several workers have
 * this bench, each with its own executors or devices; what must be the same in all stands here. */
#ifndef AM_BENCH_APPS_LEUKOCYTE_H
#define AM_BENCH_APPS_LEUKOCYTE_H

#include "app/leukocyte/track.h"
#include "bench/apps/apps.h"
#include "bench/apps/leukocyte_bound.h"
#include "bench/apps/leukocyte_scene.h"
#include "bench/apps/leukocyte_tracks.h"
#include "core/bench/bench.h"
#include "kernels/isa.h"
#include "kernels/mgvf.h"

#include <stdatomic.h>

enum am_leuko_axis {
    AM_LEUKO_VARIANT,
    AM_LEUKO_TYPE,
    AM_LEUKO_ISA,
    AM_LEUKO_EXECUTOR,
    AM_LEUKO_DEVICE,
    AM_LEUKO_FLT,
    AM_LEUKO_SLT,
    AM_LEUKO_VIDEO,
    AM_LEUKO_CELLS,
    AM_LEUKO_FRAMES,
    AM_LEUKO_COMMON /* those of apps.h */
};

enum am_leuko_metric {
    AM_LEUKO_TIME,
    AM_LEUKO_RATE,
    AM_LEUKO_ITERATIONS,
    AM_LEUKO_UPDATES,
    AM_LEUKO_UPDATE_TIME,
    AM_LEUKO_BOUND_SHARE,
    AM_LEUKO_KERNEL_TIME,
    AM_LEUKO_TRANSFER_TIME,
};

extern const char *const am_leuko_devices[]; /* of workers that are no device's: "cpu" */

/* Axes that differ between the workers of processors and those of devices. */
#define AM_LEUKO_VARIANT_AXIS(names)                                                               \
    {                                                                                              \
        .name = "variant", .kind = AM_AXIS_NAME, .dflt = "atan,minmax", .quick = "minmax",         \
        .thorough = "all", .choices = names,                                                       \
        .help = "naive: row pointers and the C library's atan; atan: vectors, own arc; minmax: "   \
                "vectors, no arc at all"                                                           \
    }
#define AM_LEUKO_ISA_AXIS                                                                          \
    {                                                                                              \
        .name = "isa", .kind = AM_AXIS_NAME, .dflt = "best", .thorough = "usable",                 \
        .choices = am_isa_names, .ranked = true, .why_not = am_isa_why_not,                        \
        .help = "instruction set of the loops"                                                     \
    }
#define AM_LEUKO_EXECUTOR_AXIS(names, usual)                                                       \
    {                                                                                              \
        .name = "executor", .kind = AM_AXIS_NAME, .dflt = usual, .thorough = "usable",             \
        .choices = names, .help = "who runs cells and rows: serial, OpenMP, our task policies"     \
    }
#define AM_LEUKO_DEVICE_AXIS                                                                       \
    {                                                                                              \
        .name = "device", .kind = AM_AXIS_NAME, .dflt = "all", .choices = am_leuko_devices,        \
        .help = "cpu, or an OpenCL device"                                                         \
    }

/* Rows of the axes' table; the arguments are those above, or a device's own. */
#define AM_LEUKO_AXIS_ROWS(variant, isa, executor, device)                                         \
    [AM_LEUKO_VARIANT] = variant,                                                                  \
    [AM_LEUKO_TYPE] = {.name = "type",                                                             \
                       .kind = AM_AXIS_NAME,                                                       \
                       .dflt = "all",                                                              \
                       .quick = "f64",                                                             \
                       .choices = am_mgvf_types,                                                   \
                       .help = "element type of the field"},                                       \
    [AM_LEUKO_ISA] = isa, [AM_LEUKO_EXECUTOR] = executor, [AM_LEUKO_DEVICE] = device,              \
    [AM_LEUKO_FLT] = {.name = "flt",                                                               \
                      .kind = AM_AXIS_INT,                                                         \
                      .dflt = "0",                                                                 \
                      .tune = "1,2,3,4,6,9,12,18,36",                                              \
                      .help = "first-level threads: cells at a time; 0: as many as the threads "   \
                              "allow"},                                                            \
    [AM_LEUKO_SLT] = {.name = "slt",                                                               \
                      .kind = AM_AXIS_INT,                                                         \
                      .dflt = "0",                                                                 \
                      .tune = "1:16",                                                              \
                      .help = "second-level threads: bands of a cell's rows; 0: what the first "   \
                              "level leaves over. On devices strips of rows a work-group; 0: 8, "  \
                              "and no group at all on processors"},                                \
    [AM_LEUKO_VIDEO] = {.name = "video",                                                           \
                        .kind = AM_AXIS_NAME,                                                      \
                        .dflt = AM_SCENE_SYNTHETIC,                                                \
                        .help = "synthetic, or a file that `archmeter track` reads"},              \
    [AM_LEUKO_CELLS] = {.name = "cells",                                                           \
                        .kind = AM_AXIS_INT,                                                       \
                        .dflt = "36",                                                              \
                        .key = AM_KEY_CLASS,                                                       \
                        .help = "cells to track; 0: all that are found"},                          \
    [AM_LEUKO_FRAMES] = {.name = "frames",                                                         \
                         .kind = AM_AXIS_INT,                                                      \
                         .dflt = "2",                                                              \
                         .quick = "1",                                                             \
                         .key = AM_KEY_FREE,                                                       \
                         .help = "frames of one iteration"}

/* Fields of the descriptor that all workers share, and those of processors. */
#define AM_LEUKO_BENCH                                                                             \
    .name = "app.leukocyte", .summary = "white blood cells tracked through a video", .version = 1, \
    .metrics = am_leuko_metrics
#define AM_LEUKO_HOOKS                                                                             \
    .state_size = sizeof(struct am_leuko_state), .points_per_launch = 2,                           \
    .run_timed = am_leuko_run_timed, .verify = am_leuko_verify, .finish = am_leuko_finish
extern const struct am_metric am_leuko_metrics[];

/* Sums over the cells and frames of one iteration. */
struct am_leuko_counts {
    double updates, iterations, followed; /* pixels stepped, steps, cells times frames */
};

struct am_leuko_state {
    struct am_apps_engine cells, rows; /* rows: only where teams nest */
    struct am_scene scene;
    struct am_leuko_bound bound;
    struct am_leuko_counts counts; /* of the latest iteration */
    struct am_leuko_tracks told;
    struct am_mgvf_loop loop;
    struct am_mgvf_bands bands;
    struct am_tracker *tracker;
    struct am_blocks tracking; /* of the tracker: a cell each */
    struct am_blocks running;  /* what the executor gets: the same, or drivers */
    atomic_size_t next;        /* cell that no driver has taken yet */
    size_t flt, slt;
    double tolerance; /* px, to the reference */
    const struct am_clock *clock;
};

/* The executors of a worker. */
struct am_leuko_executors {
    const struct am_executor *const *list; /* ended by NULL */
    /* Of one whose loop inside a block is run by a team of its own, which is opened like any other;
     * NULL: none. The others share one pool of threads between both levels. */
    const char *nests;
};

/* What the point asks for, cells or frames out of range refused; for devices too. */
enum am_status am_leuko_open_scene(struct am_scene *scene, const struct am_ctx *ctx,
                                   const struct am_value *point, struct am_err *err);
/* Metrics of a batch of `iters` from what one iteration counted; those that only processors or only
 * devices have are left NAN. */
void am_leuko_values(const struct am_leuko_counts *counts, uint64_t iters, double seconds,
                     struct am_batch *batch);
double am_leuko_tolerance(const struct am_value *point); /* px, to the reference */

enum am_status am_leuko_prepare(struct am_leuko_state *state,
                                const struct am_leuko_executors *executors,
                                const struct am_ctx *ctx, const struct am_value *point,
                                struct am_work *work, struct am_err *err);
enum am_status am_leuko_run_timed(void *state, uint64_t iters, struct am_batch *batch,
                                  struct am_err *err);
enum am_status am_leuko_verify(void *state, double *residual, struct am_err *err);
void am_leuko_finish(void *state);

#endif
