/* SPDX-License-Identifier: MIT */
/* The executors of the worker `starpu`, and the axes that other workers have beside their own. */
#ifndef AM_BENCH_STARPU_EXECUTOR_STARPU_H
#define AM_BENCH_STARPU_EXECUTOR_STARPU_H

#include "runtime/executor.h"
#include "bench/apps/apps.h"
#include "core/bench/bench.h"

extern const struct am_executor *const am_starpu_executors[]; /* ended by NULL */
extern const char *const am_starpu_executor_names[];          /* parallel to them */
const char *am_starpu_executor_why_not(const char *name);

extern const char *const am_starpu_runtimes[], *const am_starpu_bindings[];
extern const char *const am_starpu_places[], *const am_starpu_waits[];

#define AM_STARPU_EXECUTOR_AXIS                                                                    \
    {                                                                                              \
        .name = "executor", .kind = AM_AXIS_NAME, .dflt = "starpu:eager,starpu:lws,starpu:dmda",   \
        .quick = "starpu:lws", .thorough = "usable", .choices = am_starpu_executor_names,          \
        .why_not = am_starpu_executor_why_not, .help = AM_APPS_EXECUTOR_HELP                       \
    }
#define AM_STARPU_NAME_AXIS(name_, choices_, help_)                                                \
    {                                                                                              \
        .name = name_, .kind = AM_AXIS_NAME, .dflt = "all", .choices = choices_, .help = help_     \
    }

/* Rows of a table from index `base` on. */
#define AM_STARPU_AXIS_ROWS(base)                                                                  \
    [(base) + AM_APPS_RUNTIME] =                                                                   \
        AM_STARPU_NAME_AXIS("runtime", am_starpu_runtimes, "whose threads run the blocks"),        \
              [(base) + AM_APPS_THREADS] = AM_APPS_THREADS_AXIS,                                   \
              [(base) + AM_APPS_BINDING] = AM_STARPU_NAME_AXIS("binding", am_starpu_bindings,      \
                                                               "how threads are bound to places"), \
              [(base) + AM_APPS_PLACES] =                                                          \
                  AM_STARPU_NAME_AXIS("places", am_starpu_places, "what a place is"),              \
              [(base) + AM_APPS_WAIT] =                                                            \
                  AM_STARPU_NAME_AXIS("wait", am_starpu_waits, "StarPU's idle workers spin")

#endif
