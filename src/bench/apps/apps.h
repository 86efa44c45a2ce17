/* SPDX-License-Identifier: MIT */
/* What benches of blocks share: their executor, opened and closed, and the axes that go with it. */
#ifndef AM_BENCH_APPS_APPS_H
#define AM_BENCH_APPS_APPS_H

#include "runtime/executor.h"
#include "core/bench/bench.h"

/* Axes behind a bench's own ones, from an index `base` on: those of an OpenMP worker, in its order
 * (bench/omp/runtime.h). */
enum am_apps_axis {
    AM_APPS_RUNTIME,
    AM_APPS_THREADS,
    AM_APPS_BINDING,
    AM_APPS_PLACES,
    AM_APPS_WAIT,
    AM_APPS_AXES
};

#define AM_APPS_EXECUTOR_HELP "who runs the blocks: serial, OpenMP, our task policies, StarPU"
#define AM_APPS_EXECUTOR_AXIS(executors)                                                           \
    {                                                                                              \
        .name = "executor", .kind = AM_AXIS_NAME, .dflt = "usable", .choices = executors,          \
        .help = AM_APPS_EXECUTOR_HELP                                                              \
    }
#define AM_APPS_THREADS_AXIS                                                                       \
    {                                                                                              \
        .name = "threads", .kind = AM_AXIS_INT, .dflt = "1,cpus", .thorough = "1:cpus",            \
        .help = "threads, one a CPU"                                                               \
    }

/* An executor that is open, or was not yet. */
struct am_apps_engine {
    const struct am_ctx *ctx;
    const struct am_executor *executor;
    void *self;
};

/* Opens the one of `executors` (ended by NULL) that `name` names. `common` are the values of the
 * axes above. */
enum am_status am_apps_open(struct am_apps_engine *e, const struct am_executor *const *executors,
                            const struct am_ctx *ctx, const char *name,
                            const struct am_value *common, struct am_err *err);
/* Notes what the executor counted with the launch, and closes it. */
void am_apps_close(struct am_apps_engine *e);

#endif
