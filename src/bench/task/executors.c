/* SPDX-License-Identifier: MIT */
/* The executors of the worker `task`: those that need no library. */
#include "bench/task/executors.h"

const struct am_executor *const am_task_executors[] = {
    &am_executor_serial,
    &am_executor_task_default,
    &am_executor_task_bf,
    &am_executor_task_dbf,
    &am_executor_task_wf,
    &am_executor_task_steal,
    NULL,
};

static const char *const runtimes[] = {"own", NULL};
static const char *const bindings[] = {"close", NULL};
static const char *const places[] = {"cores", NULL};
static const char *const waits[] = {"default", "active", "passive", "yield", "sleep", NULL};

static const struct am_axis axes[] = {
    {.name = "runtime", .choices = runtimes},
    {.name = "binding", .choices = bindings},
    {.name = "places", .choices = places},
    {.name = "wait",
     .choices = waits,
     .help =
         "how idle threads wait: active spins, passive sleeps, default is the runtime's "
         "(ours: 100 spins and a yield; task:steal naps after a while), yield and sleep after 1 "
         "and 100 spins"},
    {.name = NULL},
};

const struct am_executor_set am_task_set = {.list = am_task_executors, .axes = axes};
