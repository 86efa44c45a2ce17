/* SPDX-License-Identifier: MIT */
/* Runtimes that offer OMPT call back: libomp, and its kin.
 *
 * The runtime finds ompt_start_tool() in the programs and libraries of its process when it starts.
 * Declared here is what is used of the interface of OpenMP 5.0 (chapter 4), so that no compiler's
 * header is needed. Chunks of loops, and giving up a lock, have no callbacks in most runtimes:
 * their calls pass through (count_kmp.c, count_gomp.c). */
#include "bench/omp/count/count.h"

#include <stddef.h>

/* ---- the interface ---- */

enum { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum { TASK_IMPLICIT = 2, TASK_EXPLICIT = 4 };
enum { WORK_SINGLE_EXECUTOR = 3, WORK_SINGLE_OTHER = 4 };
enum {
    SYNC_BARRIER = 1,
    SYNC_BARRIER_IMPLICIT = 2, /* of a worksharing construct or, in older runtimes, of a region */
    SYNC_BARRIER_EXPLICIT = 3,
    SYNC_BARRIER_IMPLEMENTATION = 4,
    SYNC_TASKWAIT = 5,
    SYNC_TASKGROUP = 6,
    SYNC_REDUCTION = 7,
    SYNC_BARRIER_WORKSHARE = 8,
    SYNC_BARRIER_PARALLEL = 9, /* the end of a region */
    SYNC_KINDS
};
enum { MUTEX_KINDS = 8 };

union ompt_data {
    uint64_t value;
    const void *ptr;
};

typedef void callback_fn(void);
typedef callback_fn *lookup_fn(const char *name);

/* Numbers of events. */
enum {
    ON_PARALLEL_BEGIN = 3,
    ON_PARALLEL_END = 4,
    ON_TASK_CREATE = 5,
    ON_IMPLICIT_TASK = 7,
    ON_WORK = 20,
    ON_SYNC_REGION = 23,
    ON_MUTEX_ACQUIRE = 26,
    ON_MUTEX_ACQUIRED = 27,
};

struct ompt_tool {
    int (*initialize)(lookup_fn *lookup, int device, union ompt_data *data);
    void (*finalize)(union ompt_data *data);
    union ompt_data data;
};

/* ---- events ---- */

/* The place of a region goes with its data to the threads of its team. */
static void on_parallel_begin(union ompt_data *task, const void *frame, union ompt_data *parallel,
                              unsigned threads, int flags, const void *place)
{
    (void)task;
    (void)frame;
    (void)flags;
    parallel->ptr = am_ompcount_whose(place);
    am_ompcount_begin_region(parallel->ptr, (int)threads);
}

static void on_parallel_end(union ompt_data *parallel, union ompt_data *task, int flags,
                            const void *place)
{
    (void)parallel;
    (void)task;
    (void)flags;
    (void)place;
    am_ompcount_end_region();
}

/* A thread's part of a region. The task's data keeps the size of the team around it. */
static void on_implicit_task(int endpoint, union ompt_data *parallel, union ompt_data *task,
                             unsigned threads, unsigned index, int flags)
{
    (void)index;
    if (!(flags & TASK_IMPLICIT))
        return;
    if (endpoint == SCOPE_BEGIN)
        task->value =
            (uint64_t)am_ompcount_begin_body(parallel ? parallel->ptr : NULL, (int)threads);
    else
        am_ompcount_end_body((int)task->value);
}

/* Older runtimes call the end of a region an implicit barrier, at the place of the region or, on
 * threads that did not meet it, at none. */
static bool ends_region(int kind, const union ompt_data *parallel, const void *place)
{
    return kind == SYNC_BARRIER_PARALLEL ||
           (kind == SYNC_BARRIER_IMPLICIT &&
            (!place || (parallel && am_ompcount_whose(place) == parallel->ptr)));
}

/* Where a region ends, its threads wait for the next one: that is no part of their work, and its
 * end may be told much later. */
static void on_sync_region(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
                           const void *place)
{
    static const signed char kinds[SYNC_KINDS] = {
        [SYNC_BARRIER] = AM_OMPCOUNT_BARRIER,
        [SYNC_BARRIER_IMPLICIT] = AM_OMPCOUNT_BARRIER,
        [SYNC_BARRIER_EXPLICIT] = AM_OMPCOUNT_BARRIER,
        [SYNC_BARRIER_IMPLEMENTATION] = AM_OMPCOUNT_BARRIER,
        [SYNC_TASKWAIT] = AM_OMPCOUNT_TASKWAIT,
        [SYNC_TASKGROUP] = AM_OMPCOUNT_TASKGROUP,
        [SYNC_BARRIER_WORKSHARE] = AM_OMPCOUNT_BARRIER,
    };

    (void)task;
    if (ends_region(kind, parallel, place)) {
        if (endpoint == SCOPE_BEGIN)
            am_ompcount_end(AM_OMPCOUNT_BODY);
        return;
    }
    if (kind < SYNC_BARRIER || kind >= SYNC_KINDS || !kinds[kind])
        return;
    if (endpoint == SCOPE_BEGIN)
        am_ompcount_begin((enum am_ompcount_kind)kinds[kind], am_ompcount_whose(place));
    else if (endpoint == SCOPE_END)
        am_ompcount_end((enum am_ompcount_kind)kinds[kind]);
}

static const signed char mutexes[MUTEX_KINDS] = {
    [1] = AM_OMPCOUNT_LOCK,    [2] = AM_OMPCOUNT_LOCK,     [3] = AM_OMPCOUNT_LOCK,
    [4] = AM_OMPCOUNT_LOCK,    [5] = AM_OMPCOUNT_CRITICAL, [6] = AM_OMPCOUNT_ATOMIC,
    [7] = AM_OMPCOUNT_ORDERED,
};

static void on_mutex_acquire(int kind, unsigned hint, unsigned how, uint64_t id, const void *place)
{
    (void)hint;
    (void)how;
    (void)id;
    if (kind > 0 && kind < MUTEX_KINDS)
        am_ompcount_begin((enum am_ompcount_kind)mutexes[kind], am_ompcount_whose(place));
}

static void on_mutex_acquired(int kind, uint64_t id, const void *place)
{
    (void)id;
    (void)place;
    if (kind > 0 && kind < MUTEX_KINDS)
        am_ompcount_end((enum am_ompcount_kind)mutexes[kind]);
}

/* A moment: its call counts, its time does not. */
static void count_moment(enum am_ompcount_kind kind, const void *place)
{
    am_ompcount_begin(kind, am_ompcount_whose(place));
    am_ompcount_end(kind);
}

static void on_work(int type, int endpoint, union ompt_data *parallel, union ompt_data *task,
                    uint64_t count, const void *place)
{
    (void)parallel;
    (void)task;
    (void)count;
    if (endpoint == SCOPE_BEGIN && (type == WORK_SINGLE_EXECUTOR || type == WORK_SINGLE_OTHER))
        count_moment(AM_OMPCOUNT_SINGLE, place);
}

static void on_task_create(union ompt_data *task, const void *frame, union ompt_data *made,
                           int flags, int depends, const void *place)
{
    (void)task;
    (void)frame;
    (void)made;
    (void)depends;
    if (flags & TASK_EXPLICIT)
        count_moment(AM_OMPCOUNT_TASK, place);
}

/* ---- the tool ---- */

static int initialize(lookup_fn *lookup, int device, union ompt_data *data)
{
    static const struct {
        int event;
        callback_fn *callback;
    } rows[] = {
        {ON_PARALLEL_BEGIN, (callback_fn *)on_parallel_begin},
        {ON_PARALLEL_END, (callback_fn *)on_parallel_end},
        {ON_IMPLICIT_TASK, (callback_fn *)on_implicit_task},
        {ON_SYNC_REGION, (callback_fn *)on_sync_region},
        {ON_MUTEX_ACQUIRE, (callback_fn *)on_mutex_acquire},
        {ON_MUTEX_ACQUIRED, (callback_fn *)on_mutex_acquired},
        {ON_WORK, (callback_fn *)on_work},
        {ON_TASK_CREATE, (callback_fn *)on_task_create},
    };
    int (*const set)(int, callback_fn *) = (int (*)(int, callback_fn *))lookup("ompt_set_callback");

    (void)device;
    (void)data;
    if (!set)
        return 0; /* no tool then: nothing is counted */
    am_ompcount_use_callbacks();
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        (void)set(rows[i].event, rows[i].callback);
    return 1;
}

static void finalize(union ompt_data *data)
{
    (void)data;
}

struct ompt_tool *am_ompcount_start_tool(unsigned version,
                                         const char *runtime) __asm__("ompt_start_tool");
struct ompt_tool *am_ompcount_start_tool(unsigned version, const char *runtime)
{
    static struct ompt_tool tool = {initialize, finalize, {0}};

    (void)version;
    (void)runtime;
    return am_ompcount_wanted() ? &tool : NULL;
}
