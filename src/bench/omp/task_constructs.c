/* SPDX-License-Identifier: MIT */
/* The task constructs of omp.task, one function each, and their table. */
#include "bench/omp/delay.h"
#include "bench/omp/task.h"

#include <dlfcn.h>
#include <omp.h>
#include <string.h>

enum {
    CHILDREN = 8, /* of a nested task, and of a reduction */
    FAN = 8,      /* tasks of which the first writes and the others read */
    DEPTH = 6,    /* of a tree, as EPCC's */
    LEAVES = 1 << DEPTH,
    NODES = 2 * LEAVES - 1,
};

static struct am_task_thread *find_self(const struct am_omp_task_job *job)
{
    return &job->all[omp_get_thread_num()];
}

static enum am_task_path path_of(const struct am_task_thread *me,
                                 const struct am_task_thread *creator, uint64_t number)
{
    if (me != creator)
        return AM_TASK_STOLEN;
    return creator->creating == number ? AM_TASK_INLINE : AM_TASK_DEFERRED;
}

/* One thread writes: a load and a store, no locked instruction. */
static void count(struct am_task_thread *me, enum am_task_path path)
{
    const uint64_t n = atomic_load_explicit(&me->ran[path], memory_order_relaxed);

    atomic_store_explicit(&me->ran[path], n + 1, memory_order_release);
}

void am_task_body(const struct am_omp_task_job *job, struct am_task_thread *all,
                  const struct am_task_thread *creator, uint64_t number)
{
    struct am_task_thread *const me = &all[omp_get_thread_num()];
    const enum am_task_path path = path_of(me, creator, number);

    am_delay(job->delay);
    count(me, path);
}

void am_task_bare(struct am_task_thread *all, const struct am_task_thread *creator, uint64_t number)
{
    struct am_task_thread *const me = &all[omp_get_thread_num()];

    count(me, path_of(me, creator, number));
}

void am_task_serial(void *self, uint64_t n)
{
    const struct am_omp_task_job *const job = self;
    struct am_task_thread *const me = job->alone;

    for (; n; n--) {
        for (uint64_t i = 0; i < job->works; i++) {
            am_task_body(job, me, me, am_task_next(me));
            am_task_made(me);
        }
        for (uint64_t i = 0; i < job->bare; i++) {
            am_task_bare(me, me, am_task_next(me));
            am_task_made(me);
        }
    }
}

/* Each round ends when all of its tasks are done: how many of them wait at a time, and so how many
 * are queued, does not depend on how long a batch is. */
static void run_rounds(void *self, uint64_t n)
{
    const struct am_omp_task_job *const job = self;

#pragma omp parallel
    {
        struct am_task_thread *const me = find_self(job);

        for (uint64_t i = 0; i < n; i++) {
            job->construct->round(job, me);
#pragma omp barrier
        }
    }
}

/* The split has its own surroundings; all others are rounds. */
void am_task_run(void *self, uint64_t n)
{
    const struct am_omp_task_job *const job = self;

    if (job->construct->run)
        job->construct->run(self, n);
    else
        run_rounds(self, n);
}

void am_task_make(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    const uint64_t number = am_task_next(me);

#pragma omp task firstprivate(job, me, number)
    am_task_body(job, job->all, me, number);
    am_task_made(me);
}

static void parallel_task(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++)
        am_task_make(job, me);
}

static void master_task(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; me == job->all && i < job->units * job->threads; i++)
        am_task_make(job, me);
}

/* The others are not idle while the first makes tasks; they run some when their own work ends. */
static void master_task_busy(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; me == job->all && i < job->units; i++)
        am_task_make(job, me);
    for (uint64_t i = 0; me != job->all && i < job->units; i++)
        am_delay(job->delay);
}

static void conditional_task(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++) {
        const uint64_t number = am_task_next(me);

#pragma omp task firstprivate(job, me, number) if (job->defer)
        am_task_body(job, job->all, me, number);
        am_task_made(me);
    }
}

static void untied_task(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++) {
        const uint64_t number = am_task_next(me);

#pragma omp task firstprivate(job, me, number) untied
        am_task_body(job, job->all, me, number);
        am_task_made(me);
    }
}

static void priority(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++) {
        const uint64_t number = am_task_next(me);
        const int rank = (int)(number % ((uint64_t)job->priority_max + 1));

#pragma omp task firstprivate(job, me, number) priority(rank)
        am_task_body(job, job->all, me, number);
        am_task_made(me);
    }
}

static void task_wait(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++) {
        am_task_make(job, me);
#pragma omp taskwait
    }
}

static void task_barrier(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++) {
        am_task_make(job, me);
#pragma omp barrier
    }
}

static void taskgroup(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++) {
#pragma omp taskgroup
        am_task_make(job, me);
    }
}

/* Tasks of a group that add up what each of them brings. */
static void task_reduction(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++) {
        uint64_t total = 0;

#pragma omp taskgroup task_reduction(+ : total)
        for (unsigned k = 0; k < CHILDREN; k++) {
            const uint64_t number = am_task_next(me);

#pragma omp task firstprivate(job, me, number) in_reduction(+ : total)
            {
                am_task_body(job, job->all, me, number);
                total++;
            }
            am_task_made(me);
        }
        if (total != CHILDREN)
            atomic_fetch_add(&me->disorder, 1);
    }
}

static void make_parent(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    const uint64_t number = am_task_next(me);

#pragma omp task firstprivate(job, me, number)
    {
        struct am_task_thread *const here = find_self(job);

        am_task_body(job, job->all, me, number);
        for (unsigned i = 0; i < CHILDREN; i++)
            am_task_make(job, here);
#pragma omp taskwait
    }
    am_task_made(me);
}

static void nested(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++)
        make_parent(job, me);
}

/* A task, and below it two trees of one level less: every node works. */
static void grow_branch(const struct am_omp_task_job *job, struct am_task_thread *me,
                        unsigned level)
{
    const uint64_t number = am_task_next(me);

#pragma omp task firstprivate(job, me, number, level)
    {
        struct am_task_thread *const here = find_self(job);

        am_task_body(job, job->all, me, number);
        if (level) {
            grow_branch(job, here, level - 1);
            grow_branch(job, here, level - 1);
#pragma omp taskwait
        }
    }
    am_task_made(me);
}

static void branch_tree(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++)
        grow_branch(job, me, DEPTH);
}

/* The same, but only the leaves work. */
static void grow_leaf(const struct am_omp_task_job *job, struct am_task_thread *me, unsigned level)
{
    const uint64_t number = am_task_next(me);

#pragma omp task firstprivate(job, me, number, level)
    if (level) {
        struct am_task_thread *const here = find_self(job);

        am_task_bare(job->all, me, number);
        grow_leaf(job, here, level - 1);
        grow_leaf(job, here, level - 1);
#pragma omp taskwait
    } else {
        am_task_body(job, job->all, me, number);
    }
    am_task_made(me);
}

static void leaf_tree(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++)
        grow_leaf(job, me, DEPTH);
}

static void depend_chain(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++) {
        const uint64_t number = am_task_next(me);

#pragma omp task firstprivate(job, me, number) depend(inout : me->link)
        {
            am_task_body(job, job->all, me, number);
            if (job->ordered)
                am_task_link(me, number);
        }
        am_task_made(me);
    }
}

static void make_writer(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    const uint64_t number = am_task_next(me);

#pragma omp task firstprivate(job, me, number) depend(out : me->link)
    {
        am_task_body(job, job->all, me, number);
        if (job->ordered)
            am_task_write(me, number, FAN);
    }
    am_task_made(me);
}

static void make_reader(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    const uint64_t number = am_task_next(me);

#pragma omp task firstprivate(job, me, number) depend(in : me->link)
    {
        am_task_body(job, job->all, me, number);
        if (job->ordered)
            am_task_read(me, number, FAN);
    }
    am_task_made(me);
}

static void depend_fan(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++) {
        make_writer(job, me);
        for (unsigned k = 1; k < FAN; k++)
            make_reader(job, me);
    }
}

/* The first thread makes a chain for each thread, link by link in turn. */
static void master_task_deps(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; me == job->all && i < job->units * job->threads; i++) {
        const uint64_t number = am_task_next(me);
        struct am_task_thread *const chain = &job->all[(number - 1) % job->threads];

#pragma omp task firstprivate(job, me, number, chain) depend(inout : chain->link)
        {
            am_task_body(job, job->all, me, number);
            if (job->ordered)
                am_task_link(chain, (number - 1) / job->threads + 1);
        }
        am_task_made(me);
    }
}

static void nested_master_task(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; me == job->all && i < job->units * job->threads; i++)
        make_parent(job, me);
}

/* A node that waits for the two below it; leaves wait for the tree before, which read them. */
static void make_node(const struct am_omp_task_job *job, struct am_task_thread *me, unsigned node)
{
    const uint64_t number = am_task_next(me), tree = (number - 1) / AM_TASK_TREE + 1;
    const unsigned left = 2 * node + 1 < AM_TASK_TREE ? 2 * node + 1 : node;
    const unsigned right = 2 * node + 2 < AM_TASK_TREE ? 2 * node + 2 : node;

#pragma omp task firstprivate(job, me, number, node, tree)                                         \
    depend(in                                                                                      \
           : me->tree[left], me->tree[right]) depend(inout                                         \
                                                     : me->tree[node])
    {
        am_task_body(job, job->all, me, number);
        if (job->ordered)
            am_task_node(me, node, tree);
    }
    am_task_made(me);
}

static void depend_tree(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    for (uint64_t i = 0; i < job->units; i++) {
        for (unsigned node = AM_TASK_TREE; node-- > 0;)
            make_node(job, me, node);
    }
}

/* Looked up when it is needed: code that names it itself runs on no library without it, and with
 * gcc's version of it not on libomp. */
typedef void fulfill_fn(omp_event_handle_t event);

static fulfill_fn *find_fulfill(void)
{
    void *const found = dlsym(RTLD_DEFAULT, "omp_fulfill_event");
    fulfill_fn *fulfill;

    memcpy(&fulfill, &found, sizeof(fulfill));
    return fulfill;
}

/* Ends when its event is fulfilled, which it does itself: what a library would do whose transfer
 * is over. */
static void detached_task(const struct am_omp_task_job *job, struct am_task_thread *me)
{
    fulfill_fn *const fulfill = find_fulfill();

    for (uint64_t i = 0; i < job->units && fulfill; i++) {
        const uint64_t number = am_task_next(me);
        omp_event_handle_t event = {0};

#pragma omp task firstprivate(job, me, number, fulfill) detach(event)
        {
            am_task_body(job, job->all, me, number);
            fulfill(event);
        }
        am_task_made(me);
    }
}

#define EACH(n) .tasks = (n), .works = (n)
#define ALL_RUN(way) .pure = true, .path = (way)

#define SPLIT(run_, crew_, way) .run = (run_), .crew = (crew_), ALL_RUN(way)

#define AM_TASK_MAP(X)                                                                             \
    X(parallel_task, EACH(1), .round = parallel_task)                                              \
    X(master_task, EACH(1), .round = master_task)                                                  \
    X(master_task_busy, EACH(1), .round = master_task_busy, .lends = true)                         \
    X(conditional_task, EACH(1), .round = conditional_task, ALL_RUN(AM_TASK_INLINE))               \
    X(untied_task, EACH(1), .round = untied_task)                                                  \
    X(task_wait, EACH(1), .round = task_wait)                                                      \
    X(task_barrier, EACH(1), .round = task_barrier)                                                \
    X(taskgroup, EACH(1), .round = taskgroup)                                                      \
    X(task_reduction, EACH(CHILDREN), .round = task_reduction)                                     \
    X(nested, EACH(1 + CHILDREN), .round = nested)                                                 \
    X(branch_tree, EACH(NODES), .round = branch_tree)                                              \
    X(leaf_tree, .tasks = NODES, .works = LEAVES, .round = leaf_tree)                              \
    X(depend_chain, EACH(1), .round = depend_chain)                                                \
    X(depend_fan, EACH(FAN), .round = depend_fan)                                                  \
    X(priority, EACH(1), .round = priority, .ranks = true)                                         \
    X(master_task_deps, EACH(1), .round = master_task_deps)                                        \
    X(nested_master_task, EACH(1 + CHILDREN), .round = nested_master_task)                         \
    X(depend_tree, EACH(AM_TASK_TREE), .round = depend_tree)                                       \
    X(detached_task, EACH(1), .round = detached_task, .several = true)                             \
    X(task_inline, EACH(1), SPLIT(am_task_inline, AM_TASK_FIRST, AM_TASK_INLINE))                  \
    X(task_deferred, EACH(AM_TASK_BATCH),                                                          \
      SPLIT(am_task_deferred, AM_TASK_FIRST, AM_TASK_DEFERRED))                                    \
    X(task_stolen, SPLIT(am_task_stolen, AM_TASK_OTHERS, AM_TASK_STOLEN))

#define AM_TASK_ROW(word, ...) {.name = #word, __VA_ARGS__},
const struct am_task_construct am_task_constructs[] = {AM_TASK_MAP(AM_TASK_ROW)};
#undef AM_TASK_ROW

#define AM_TASK_NAME(word, ...) #word,
const char *const am_task_names[] = {AM_TASK_MAP(AM_TASK_NAME) NULL};
#undef AM_TASK_NAME
