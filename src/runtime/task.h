/* SPDX-License-Identifier: MIT */
/* A small task runtime with exact, named policies: an instrument for what scheduling costs.
 *
 * A run begins with one task. A task spawns children and may wait for them; it ends after its
 * children. Which ready task runs next is the policy's business. A task that never waits costs no
 * stack: it is a call from the scheduler's loop. A task that waits is left on its stack, and its
 * thread goes on with another one on a fresh stack (fiber.h).
 *
 * Data pass through it so: spawn -> a record in a queue (task_queue.h) -> taken by a thread of the
 * policy's choice (task_schedule.c) -> run on that thread's stack (task.c) -> the record goes back
 * to a pool (task_pool.c). Tasks with dependencies wait in a graph (task_graph.c) until the last
 * task before them has ended. One runtime is used by one caller at a time. */
#ifndef AM_RUNTIME_TASK_H
#define AM_RUNTIME_TASK_H

#include "runtime/executor.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which ready task runs next.
 *
 *     default  one queue for all, newest first
 *     bf       one queue for all, oldest first (breadth first)
 *     dbf      one queue per thread, its newest first; a thread without any steals another's
 *              oldest
 *     wf       work first: the child runs at once, and the parent, from where it stands, is what
 *              waits in the queue and can be stolen; a queue per thread, its oldest first, for the
 *              thread itself and for thieves
 *
 * as Nanos++ had them in 2012.
 */
enum am_task_policy { AM_TASK_DEFAULT, AM_TASK_BF, AM_TASK_DBF, AM_TASK_WF, AM_TASK_POLICIES };

extern const char *const am_task_policy_names[]; /* by enumerator, ended by NULL */

struct am_task_setup {
    enum am_task_policy policy;
    size_t threads;
    const int *cpus; /* thread i belongs on cpus[i % cpu_count] */
    size_t cpu_count;
    /* A new task runs inside its creator when so many per thread wait already; 0: no limit. */
    size_t throttle;
    uint64_t spins;     /* looks for work between two pauses of an idle thread */
    uint64_t sleep_ns;  /* of such a pause; 0: it yields the CPU instead */
    size_t stack_bytes; /* 0: enough for most */
    size_t stacks_max;  /* beside one per thread; 0: as many as a process may map */
};

enum { AM_TASK_THROTTLE = 500, AM_TASK_SPINS = 100 }; /* those of Nanos++ */

struct am_tasks; /* the runtime */
struct am_task;  /* a task that has begun, as its function sees it */

typedef void am_task_fn(struct am_task *self, void *arg, size_t index);

enum am_status am_tasks_new(const struct am_task_setup *setup, struct am_tasks **tasks_p,
                            struct am_err *err);
void am_tasks_free(struct am_tasks *tasks); /* accepts NULL */

/* Runs fn as the first task, on all threads; returns when it and all its descendants have ended.
 * Not from inside a task. */
void am_tasks_run(struct am_tasks *tasks, am_task_fn *fn, void *arg);

/* The task that the calling thread is running, NULL outside a run. */
struct am_task *am_tasks_current(const struct am_tasks *tasks);

/* Of all runs so far. Not while one is running. */
void am_tasks_count(const struct am_tasks *tasks, struct am_executor_counts *counts);

/* A child of `self`: runs now, later, or elsewhere. The caller may find itself on another thread
 * afterwards. */
void am_task_spawn(struct am_task *self, am_task_fn *fn, void *arg, size_t index);
/* Until all children so far have ended. A task ends only after its children. */
void am_task_wait(struct am_task *self);

/* ---- dependencies between children of one task ---- */

struct am_task_graph;

/* Room for `nodes` tasks and `edges` dependencies among them. */
enum am_status am_task_graph_new(size_t nodes, size_t edges, struct am_task_graph **graph_p,
                                 struct am_err *err);
void am_task_graph_free(struct am_task_graph *graph); /* accepts NULL */
/* Forgets everything; not while tasks of it are alive. */
void am_task_graph_reset(struct am_task_graph *graph);
/* Spawns node `index` (fn's index too), which begins after the n nodes in `before` have ended.
 * Those were spawned earlier, by the same task. */
void am_task_spawn_after(struct am_task *self, struct am_task_graph *graph, am_task_fn *fn,
                         void *arg, size_t index, const size_t *before, size_t n);

#endif
