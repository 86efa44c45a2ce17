/* SPDX-License-Identifier: MIT */
/* The executors of the worker `task`. */
#include "bench/task/executors.h"

#include <stddef.h>

const struct am_executor *const am_task_executors[] = {
    &am_executor_serial,   &am_executor_task_default, &am_executor_task_bf,
    &am_executor_task_dbf, &am_executor_task_wf,      NULL,
};
const char *const am_task_executor_names[] = {
    "serial", "task:default", "task:bf", "task:dbf", "task:wf", NULL,
};

const char *const am_task_runtimes[] = {"own", NULL};
const char *const am_task_bindings[] = {"close", NULL};
const char *const am_task_places[] = {"cores", NULL};
const char *const am_task_waits[] = {"default", "active", "passive", "yield", "sleep", NULL};
