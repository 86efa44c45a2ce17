/* SPDX-License-Identifier: MIT */
/* Tasks under measurement: how each came to run, and the constructs that make them. */
#ifndef AM_BENCH_OMP_TASK_H
#define AM_BENCH_OMP_TASK_H

#include "bench/omp/overhead.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* How a task came to run. Runtimes queue new tasks until there are many and run the rest on the
 * spot: a cost per task says little without the share of each way. */
enum am_task_path {
    AM_TASK_INLINE,   /* before the task construct returned */
    AM_TASK_DEFERRED, /* from a queue, by the thread that made it */
    AM_TASK_STOLEN,   /* from a queue, by another thread */
    AM_TASK_PATHS
};

enum { AM_TASK_TREE = 15 }; /* tasks of a tree of dependences: 8 leaves, each node joins two */
enum { AM_TASK_LINES_BYTES = 128 }; /* two cache lines: neighbours are fetched in pairs */

/* What a thread made and ran. Its thread alone writes it, but for its chain. */
struct am_task_thread {
    _Alignas(AM_TASK_LINES_BYTES) uint64_t creating; /* number of the task being made, 0: none */
    uint64_t made;                                   /* the latest one's number */
    _Atomic uint64_t ran[AM_TASK_PATHS];
    /* The chain of dependent tasks that this thread makes: whoever runs them writes here. */
    _Alignas(AM_TASK_LINES_BYTES) uint64_t link; /* number of the latest that wrote */
    _Atomic uint64_t reads;                      /* tasks that ran between two that write */
    _Atomic uint64_t disorder; /* tasks out of the order of dependences; wrong sums */
    /* Of each node of the tree of dependent tasks that this thread makes: the latest tree's number.
     */
    uint64_t tree[AM_TASK_TREE];
};

struct am_task_construct;

/* `self` of the functions below. An iteration is a round: units of tasks, then all are waited for.
 */
struct am_omp_task_job {
    const struct am_task_construct *construct;
    size_t threads; /* of the team */
    uint64_t delay; /* cycles of work in a task */
    uint64_t units; /* that a thread makes in a round */
    uint64_t works; /* tasks of a round that fall to a thread, with their delay */
    uint64_t bare;  /* those without */
    uint64_t batch; /* tasks that wait at the same time, where the construct bounds them */
    int priority_max;
    bool defer;                   /* of conditional tasks: false, but no compiler knows */
    bool ordered;                 /* dependent tasks look whether they run in order */
    bool stuck;                   /* a construct gave up waiting for what must happen */
    struct am_task_thread *all;   /* one per thread */
    struct am_task_thread *aside; /* one per thread: tasks that fill the queue and do not count */
    struct am_task_thread *alone; /* one: of the reference */
    const struct am_clock *clock;
    /* Threads that must not run tasks wait here, away from any scheduling point. */
    _Alignas(AM_TASK_LINES_BYTES) _Atomic size_t held;
    _Alignas(AM_TASK_LINES_BYTES) _Atomic bool released;
};

/* Which threads run the tasks of a round. */
enum am_task_crew { AM_TASK_ALL, AM_TASK_FIRST, AM_TASK_OTHERS };

struct am_task_construct {
    const char *name;
    unsigned tasks; /* of a unit, for each of the crew; 0: AM_TASK_BATCH divided among it */
    unsigned works; /* those of them that work */
    enum am_task_crew crew;
    bool lends;   /* others of the crew work but make no tasks: a unit's tasks count once */
    bool several; /* not for a team of one, where libomp 14 ends the process */
    bool ranks;   /* uses priorities */
    bool pure;    /* every task runs the same way: */
    enum am_task_path path;
    /* What each thread does in a round; job->units units. */
    void (*round)(const struct am_omp_task_job *job, struct am_task_thread *me);
    am_overhead_fn *run; /* instead: n rounds with their own surroundings */
};

/* Tasks that wait at the same time in the split: fewer than any runtime refuses to queue. */
enum { AM_TASK_BATCH = 32 };

extern const struct am_task_construct am_task_constructs[];
extern const char *const am_task_names[]; /* of the same, in the same order, ended by NULL */

/* n rounds of job->construct; n = 0: the parallel region and whatever else surrounds them. What one
 * thread has to do in n rounds, without OpenMP. */
am_overhead_fn am_task_run, am_task_serial;

/* Runs a task: finds out how it came to run, works, counts. `all` holds its team's records. */
void am_task_body(const struct am_omp_task_job *job, struct am_task_thread *all,
                  const struct am_task_thread *creator, uint64_t number);
/* The same without the work. */
void am_task_bare(struct am_task_thread *all, const struct am_task_thread *creator,
                  uint64_t number);

/* The number of the next task, which counts as being made until am_task_made(). */
static inline uint64_t am_task_next(struct am_task_thread *me)
{
    return me->creating = ++me->made;
}

static inline void am_task_made(struct am_task_thread *me)
{
    me->creating = 0;
}

/* Called by dependent tasks when they run; their numbers count from 1. One that comes right behind
 * the one before it; the first of every `fan`, which writes what the others read; one of those. */
void am_task_link(struct am_task_thread *chain, uint64_t number);
void am_task_write(struct am_task_thread *chain, uint64_t number, unsigned fan);
void am_task_read(struct am_task_thread *chain, uint64_t number, unsigned fan);
/* A node of a tree, the root being node 0: behind the two below it, of the same tree. */
void am_task_node(struct am_task_thread *maker, unsigned node, uint64_t tree);

/* Makes a task that runs am_task_body(); `me` is the calling thread's record. */
void am_task_make(const struct am_omp_task_job *job, struct am_task_thread *me);

/* Constructs whose tasks all take one way: task_split.c. */
am_overhead_fn am_task_inline, am_task_deferred, am_task_stolen;

#endif
