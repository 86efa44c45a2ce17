/* SPDX-License-Identifier: MIT */
/* The executors of the worker `taskflow`: Taskflow's loops, and its tasks. */
#include "bench/taskflow/executors.h"

#include "bench/taskflow/engine.h"

#define ENGINE(word) am_taskflow_##word
#define ENGINE_STRUCT struct am_taskflow
#define LOOPS 1
#define GRAPHS 1
#define WORKER "taskflow"
#define RUNTIME "taskflow"
#define LIBRARY "Taskflow"
#define IDLE "look for work, then sleep"
#include "bench/shared/engine_executors.inc"
