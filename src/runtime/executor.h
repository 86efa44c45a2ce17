/* SPDX-License-Identifier: MIT */
/* Blocks and executors: the border between applications and runtimes.
 *
 * An application exposes its work as blocks (struct am_blocks): how many there are, a function that
 * runs one, and which earlier blocks a block waits for. An executor (struct am_executor) runs all
 * blocks, as often as it is asked to, on its own threads. No application knows a runtime, no
 * executor knows an application, so that every application runs on every executor.
 *
 * An executor may assume that the order 0, 1, 2, ... of blocks is valid. It promises that a block
 * runs exactly once per round, after the blocks that it waits for, and that run() returns when all
 * have ended. It never judges an outcome: applications check that themselves. */
#ifndef AM_RUNTIME_EXECUTOR_H
#define AM_RUNTIME_EXECUTOR_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an application exposes. Blocks that do not wait for each other run in any order and at the
 * same time; the outcome does not depend on it. */
struct am_blocks {
    size_t count;
    void *app;
    void (*run)(void *app, size_t block);
    /* Writes the blocks that `block` waits for to `before` (room for before_max) and returns how
     * many: each once, all of them lower than `block`. So 0, 1, 2, ... is always a valid order.
     * NULL: a plain parallel loop. */
    size_t (*before)(const void *app, size_t block, size_t *before);
    size_t before_max;
};

/* How threads of an executor pass the time without work. */
enum am_wait { AM_WAIT_DEFAULT, AM_WAIT_ACTIVE, AM_WAIT_PASSIVE, AM_WAIT_YIELD, AM_WAIT_SLEEP };

struct am_executor_setup {
    size_t threads;
    const int *cpus; /* thread i belongs on cpus[i % cpu_count] */
    size_t cpu_count;
    enum am_wait wait;
    size_t outer; /* threads of the team inside of which this one is run (.nests); 0: of none */
};

/* What happened since open(): for remarks beside a result, never inside a timed region. Zero where
 * an executor cannot know. */
struct am_executor_counts {
    uint64_t executed; /* tasks run to their end, those of the executor itself included */
    uint64_t deferred; /* tasks that waited in a queue */
    uint64_t inlined;  /* tasks run by their creator at once, because too many waited */
    uint64_t stolen;   /* taken from another thread's queue */
    uint64_t idle_ns;  /* all threads together, while there was a run */
    uint64_t stacks;   /* the most that were alive */
};

/* One way to run blocks. `const`, in a table; what is open is the `self` of its functions. The
 * properties say what it supports; tests/executor_fixture.h holds each executor to them. None
 * orders blocks by priority: no application has priorities to give. */
struct am_executor {
    const char *name; /* a value of the axis `executor` */
    bool alone;       /* it has one thread, and refuses more */
    bool loops_only;  /* it refuses blocks that wait for others (prepare: AM_E_ABSENT) */
    bool flat;        /* a loop that is run from inside a block stays on that block's thread */
    /* A loop inside a block can be given to a team of its own: another one of this kind, opened
     * with `outer`. The others run such a loop with the threads that they have. */
    bool nests;
    /* Makes an executor of this kind. AM_E_ABSENT refuses the setup. */
    enum am_status (*open)(const struct am_executor *kind, const struct am_executor_setup *setup,
                           void **self_p, struct am_err *err);
    /* Memory for runs of these blocks; before the first run of blocks with dependencies. May be
     * called again for others. */
    enum am_status (*prepare)(void *self, const struct am_blocks *blocks, struct am_err *err);
    /* Runs all blocks, then all of them again, `times` times in all. A plain loop may be run from
     * inside a block too: FFTW's loops nest. */
    void (*run)(void *self, const struct am_blocks *blocks, uint64_t times);
    void (*count)(void *self, struct am_executor_counts *counts);
    void (*close)(void *self); /* accepts NULL */
};

/* One after the other, on the calling thread. */
extern const struct am_executor am_executor_serial;
/* Our own runtime (runtime/task.h), one entry per policy. */
extern const struct am_executor am_executor_task_default, am_executor_task_bf, am_executor_task_dbf,
    am_executor_task_wf;
/* A further policy with a runtime of its own (runtime/steal.c): deques, stealing, ranges that are
 * split when somebody may want a part. */
extern const struct am_executor am_executor_task_steal;

#endif
