/* SPDX-License-Identifier: MIT */
/* The inside of the task runtime: threads, their stacks and records, tasks that have begun. Only
 * src/runtime/task*.c include this.
 *
 * A worker is what a thread owns in a run. Its queue may be touched by all threads (under the
 * queue's lock), `pending` of a task by its children (atomically); everything else of a worker
 * belongs to its thread. */
#ifndef AM_RUNTIME_TASK_WORKER_H
#define AM_RUNTIME_TASK_WORKER_H

#include "runtime/fiber.h"
#include "runtime/task.h"
#include "runtime/task_queue.h"

#include <pthread.h>

struct am_task_worker;
struct am_task_node;

/* What a task is to do. */
struct am_task_job {
    am_task_fn *fn;
    void *arg;
    size_t index;
    struct am_task *parent;
    struct am_task_node *node; /* NULL: nobody waits for this task alone */
};

/* A job in a queue. */
struct am_task_record {
    struct am_ready ready; /* first: the queue knows only this */
    struct am_task_job job;
    struct am_task_record *next; /* in a list of free ones */
    bool pooled;                 /* goes back to such a list */
};

/* A stack. Its thread is in the scheduler's loop, or in a task that was called from there. A stack
 * that was left in the middle of a task is continued in that task, by any thread. */
struct am_task_stack {
    struct am_ready ready; /* first */
    struct am_fiber fiber;
    struct am_task_stack *next; /* in a list of free ones */
    struct am_task_stack *all;  /* in the list of all */
};

/* Lives on the stack that the task runs on. */
struct am_task {
    struct am_task_worker *worker; /* who runs it, while it runs */
    _Atomic size_t pending;        /* its children, and 1 while it is not waiting for them */
    struct am_task *parent;
    struct am_task_stack *stack; /* where it waits */
};

/* What is to be done with a stack that was left. The thread does it on its next stack: before that
 * it still runs on the old one. */
enum am_task_after { AM_TASK_RETIRE, AM_TASK_QUEUE, AM_TASK_WAIT, AM_TASK_HOME, AM_TASK_NOTHING };

struct am_task_worker {
    struct am_ready_queue queue; /* first, for its alignment */
    struct am_tasks *tasks;
    size_t index;
    size_t victim;           /* the thread that it last stole from */
    struct am_task *current; /* the task that it runs */
    struct am_task_stack *stack;
    struct am_task_stack home;   /* the thread's own */
    struct am_task_stack *entry; /* the stack that a run begins and ends on */
    enum am_task_after after;
    struct am_task_stack *left;  /* for `after` */
    struct am_task *left_task;   /* the same */
    struct am_task_job first;    /* what a stack that was entered begins with; fn NULL: nothing */
    struct am_task_record *free; /* records */
    size_t free_count;
    struct am_task_stack *stacks; /* free ones */
    size_t stacks_count;
    struct am_executor_counts counts;
};

/* Free things that threads share; taken and given back many at a time. */
struct am_task_pool {
    _Alignas(128) struct am_spin lock;
    struct am_task_record *records;
    struct am_task_chunk *chunks; /* what records are made of */
    struct am_task_stack *stacks;
    struct am_task_stack *all; /* every stack there is, but the threads' own */
    _Atomic size_t made;       /* stacks; read without the lock */
};

struct am_tasks {
    struct am_task_worker *workers;
    struct am_task_setup setup;
    bool central, work_first;
    enum am_ready_end next; /* the end that a queue's own threads take from */
    struct am_ready_queue queue;
    struct am_task_pool pool;
    _Alignas(128) _Atomic bool done;
    struct am_task_job root; /* of this run */
    struct am_team *team;
    pthread_key_t key; /* a thread's worker, while there is a run */
    bool has_key;
};

/* ---- task_pool.c ---- */

/* NULL when memory is refused. */
struct am_task_record *am_task_record_take(struct am_task_worker *w);
void am_task_record_give(struct am_task_worker *w, struct am_task_record *record);
/* NULL when there are too many, or memory is refused. */
struct am_task_stack *am_task_stack_take(struct am_task_worker *w);
void am_task_stack_give(struct am_task_worker *w, struct am_task_stack *stack);
/* The same beyond the limit. */
struct am_task_stack *am_task_stack_make(struct am_tasks *tasks);
/* Whether am_task_stack_take() would have to refuse. */
bool am_task_stacks_spent(struct am_task_worker *w);
void am_task_pool_free(struct am_tasks *tasks);

/* ---- task.c ---- */

/* Where a stack begins: the scheduler's loop. */
am_fiber_fn am_task_loop;
/* Hands a job that may begin to the policy. */
void am_task_submit(struct am_task *self, const struct am_task_job *job);

/* ---- task_schedule.c ---- */

struct am_ready_queue *am_task_queue_of(struct am_task_worker *w);
/* Something ready, or NULL. */
struct am_ready *am_task_find(struct am_task_worker *w);
/* The same; waits for it as the setup says. NULL when the run is over. */
struct am_ready *am_task_next(struct am_task_worker *w);
/* One pause of an idle thread; `turn` counts them from 0. */
void am_task_pause(const struct am_task_worker *w, uint64_t turn);

/* ---- task_graph.c ---- */

/* The task of this node has ended: queues those that waited for nothing else. */
void am_task_graph_release(struct am_task_worker *w, struct am_task_node *node);

#endif
