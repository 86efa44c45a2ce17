/* SPDX-License-Identifier: MIT */
/* The executors of the worker `tbb`: oneTBB's loops, and its tasks. */
#include "bench/tbb/executors.h"

#include "bench/tbb/engine.h"

#define ENGINE(word) am_tbb_##word
#define ENGINE_STRUCT struct am_tbb
#define LOOPS 1
#define GRAPHS 1
#define WORKER "tbb"
#define RUNTIME "onetbb"
#define LIBRARY "oneTBB"
#define IDLE "spin, then sleep"
#include "bench/shared/engine_executors.inc"
