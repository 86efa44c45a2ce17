/* SPDX-License-Identifier: MIT */
/* The executors of the worker `opencilk`: loops of Cilk, and what it spawns. */
#include "bench/opencilk/executors.h"

#include "bench/opencilk/engine.h"

#define ENGINE(word) am_opencilk_##word
#define ENGINE_STRUCT struct am_opencilk
#define LOOPS 1
#define GRAPHS 0
#define WORKER "opencilk"
#define RUNTIME "opencilk"
#define LIBRARY "OpenCilk"
#define IDLE "look for work, then sleep"
#include "bench/shared/engine_executors.inc"
