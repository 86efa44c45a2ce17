/* SPDX-License-Identifier: MIT */
/* The state of task.overhead, for tests that look inside. */
#ifndef AM_BENCH_APPS_EMPTY_H
#define AM_BENCH_APPS_EMPTY_H

#include "bench/apps/apps.h"
#include "core/bench/bench.h"

enum am_empty_axis { AM_EMPTY_EXECUTOR, AM_EMPTY_SHAPE, AM_EMPTY_TASKS };

extern const char *const am_empty_shapes[]; /* the axis `shape`, ended by NULL */

struct am_empty_slot;

struct am_empty {
    struct am_apps_engine engine;
    struct am_blocks blocks;
    struct am_empty_slot *slots; /* one per block */
    uint64_t times;              /* that each block has been asked for */
};

#endif
