/* SPDX-License-Identifier: MIT */
/* The executor of the worker `nanos6`: tasks of OmpSs-2. */
#include "bench/nanos6/executors.h"

#include "bench/nanos6/engine.h"

#define ENGINE(word) am_nanos6_##word
#define ENGINE_STRUCT struct am_nanos6
#define LOOPS 0
#define GRAPHS 1
#define WORKER "nanos6"
#define RUNTIME "nanos6"
#define LIBRARY "Nanos6"
#define IDLE "sleep, or spin as its configuration says"
#include "bench/shared/engine_executors.inc"
