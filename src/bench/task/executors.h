/* SPDX-License-Identifier: MIT */
/* The executors of the worker `task`, and the axes that OpenMP workers have beside their own. */
#ifndef AM_BENCH_TASK_EXECUTORS_H
#define AM_BENCH_TASK_EXECUTORS_H

#include "runtime/executor.h"
#include "bench/apps/apps.h"
#include "core/bench/bench.h"

extern const struct am_executor *const am_task_executors[]; /* ended by NULL */
extern const char *const am_task_executor_names[];          /* parallel to them */

extern const char *const am_task_runtimes[], *const am_task_bindings[], *const am_task_places[];
extern const char *const am_task_waits[];

#define AM_TASK_RUNTIME_AXIS                                                                       \
    {                                                                                              \
        .name = "runtime", .kind = AM_AXIS_NAME, .dflt = "all", .choices = am_task_runtimes,       \
        .help = "own, or the OpenMP library of executors that are OpenMP's"                        \
    }
#define AM_TASK_BINDING_AXIS                                                                       \
    {                                                                                              \
        .name = "binding", .kind = AM_AXIS_NAME, .dflt = "close", .choices = am_task_bindings,     \
        .help = "how threads are bound to places"                                                  \
    }
#define AM_TASK_PLACES_AXIS                                                                        \
    {                                                                                              \
        .name = "places", .kind = AM_AXIS_NAME, .dflt = "cores", .choices = am_task_places,        \
        .help = "what a place is"                                                                  \
    }
#define AM_TASK_WAIT_AXIS                                                                          \
    {                                                                                              \
        .name = "wait", .kind = AM_AXIS_NAME, .dflt = "default", .choices = am_task_waits,         \
        .help = "how idle threads wait: active spins, passive sleeps, default is the runtime's "   \
                "(ours: 100 spins and a yield), yield and sleep after 1 and 100 spins"             \
    }

/* Rows of a table from index `base` on. */
#define AM_TASK_AXIS_ROWS(base)                                                                    \
    [(base) + AM_APPS_RUNTIME] = AM_TASK_RUNTIME_AXIS,                                             \
              [(base) + AM_APPS_THREADS] = AM_APPS_THREADS_AXIS,                                   \
              [(base) + AM_APPS_BINDING] = AM_TASK_BINDING_AXIS,                                   \
              [(base) + AM_APPS_PLACES] = AM_TASK_PLACES_AXIS,                                     \
              [(base) + AM_APPS_WAIT] = AM_TASK_WAIT_AXIS

#endif
