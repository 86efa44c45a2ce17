/* SPDX-License-Identifier: MIT */
/* Tasks on stacks: running, spawning, waiting, and the runtime's life.
 *
 * A thread runs the scheduler's loop (am_task_loop) on some stack. A task that waits is left on
 * that stack; the thread takes a fresh one and enters the loop there. The stack goes back into a
 * queue when the last child has ended, and whichever thread takes it continues the task.
 *
 * Lists of free stacks and records belong to a worker (a thread), and a task can be continued by
 * another thread. So after every switch, and after every call that may contain one, the worker is
 * the one that the switch handed over; a pointer from before must not be used. */
#include "runtime/task.h"

#include "runtime/task_worker.h"
#include "core/measure/team.h"

#include <stdlib.h>
#include <string.h>

/* Does what `leave` was told to do with the stack that was left: only now nobody runs on it. */
static void settle(struct am_task_worker *w)
{
    struct am_task_stack *const left = w->left;

    switch (w->after) {
    case AM_TASK_RETIRE: am_task_stack_give(w, left); break;
    case AM_TASK_QUEUE: am_ready_push(am_task_queue_of(w), &left->ready); break;
    case AM_TASK_WAIT:
        /* The last child may have ended meanwhile; it then found the parent not waiting. */
        if (atomic_fetch_sub_explicit(&w->left_task->pending, 1, memory_order_acq_rel) == 1)
            am_ready_push(am_task_queue_of(w), &left->ready);
        break;
    case AM_TASK_HOME: w->entry = left; break;
    case AM_TASK_NOTHING: break;
    }
}

/* Leaves the running stack for another. Returns when some thread continues it: that one's worker.
 */
static struct am_task_worker *leave(struct am_task_worker *w, struct am_task_stack *to,
                                    enum am_task_after after)
{
    struct am_task_stack *const from = w->stack;
    struct am_task_worker *now;

    w->after = after;
    w->left = from;
    w->stack = to;
    now = am_fiber_switch(&from->fiber, &to->fiber, w);
    settle(now);
    return now;
}

/* The task `self` is run by the worker `w` from here on. */
static void resume(struct am_task *self, struct am_task_worker *w)
{
    self->worker = w;
    w->current = self;
}

static void end(const struct am_task *self, const struct am_task_job *job)
{
    struct am_task *const parent = self->parent;
    struct am_task_worker *const w = self->worker;

    w->counts.executed++;
    if (job->node)
        am_task_graph_release(w, job->node);
    if (!parent)
        atomic_store_explicit(&w->tasks->done, true, memory_order_release);
    else if (atomic_fetch_sub_explicit(&parent->pending, 1, memory_order_acq_rel) == 1)
        am_ready_push(am_task_queue_of(w), &parent->stack->ready); /* it was waiting for us alone */
}

/* Runs a task on the running stack. Returns the worker that runs this stack afterwards. */
static struct am_task_worker *execute(struct am_task_worker *w, const struct am_task_job *job)
{
    struct am_task self = {.parent = job->parent, .pending = 1};

    resume(&self, w);
    job->fn(&self, job->arg, job->index);
    am_task_wait(&self);
    end(&self, job);
    return self.worker;
}

/* Runs what was queued: a record is a task that begins; a stack is a task that goes on, and the
 * running stack, which is not needed any more, is given back. */
static struct am_task_worker *go_on(struct am_task_worker *w, struct am_ready *item)
{
    struct am_task_record *const record = (struct am_task_record *)item;
    struct am_task_job job;

    if (item->is_stack)
        return leave(w, (struct am_task_stack *)item, AM_TASK_RETIRE);
    job = record->job;
    if (record->pooled)
        am_task_record_give(w, record);
    return execute(w, &job);
}

static struct am_task_worker *run_first(struct am_task_worker *w)
{
    const struct am_task_job job = w->first;

    w->first.fn = NULL;
    return execute(w, &job);
}

void am_task_loop(void *handed)
{
    struct am_task_worker *w = handed;

    settle(w);
    for (;;) {
        struct am_ready *item;

        if (w->first.fn) {
            w = run_first(w);
            continue;
        }
        item = am_task_next(w);
        w = item ? go_on(w, item) : leave(w, &w->home, AM_TASK_HOME);
    }
}

static void wait_on_stack(struct am_task *self, struct am_task_stack *next)
{
    struct am_task_worker *const w = self->worker;

    self->stack = w->stack;
    w->left_task = self;
    resume(self, leave(w, next, AM_TASK_WAIT));
    atomic_store_explicit(&self->pending, 1, memory_order_relaxed);
}

static bool has_children(const struct am_task *self)
{
    return atomic_load_explicit(&self->pending, memory_order_acquire) != 1;
}

/* Waits where no fresh stack is left: other tasks run on top of this one's stack. They cannot pile
 * up without end: as long as stacks are missing, a new task runs inside its creator
 * (am_task_submit). */
static void help(struct am_task *self)
{
    for (uint64_t turn = 0; has_children(self); turn++) {
        struct am_ready *const item = am_task_find(self->worker);

        if (!item) {
            am_task_pause(self->worker, turn);
        } else if (item->is_stack) {
            wait_on_stack(self, (struct am_task_stack *)item);
            return;
        } else {
            resume(self, go_on(self->worker, item));
        }
    }
}

void am_task_wait(struct am_task *self)
{
    struct am_task_stack *next;

    if (!has_children(self))
        return;
    next = am_task_stack_take(self->worker);
    if (next)
        wait_on_stack(self, next);
    else
        help(self);
}

/* The child runs at once on a fresh stack; the parent's stack is queued for other threads. */
static bool work_first(struct am_task *self, const struct am_task_job *job)
{
    struct am_task_worker *const w = self->worker;
    struct am_task_stack *const next = am_task_stack_take(w);

    if (!next)
        return false;
    w->first = *job;
    resume(self, leave(w, next, AM_TASK_QUEUE));
    return true;
}

static bool queue_up(const struct am_task *self, const struct am_task_job *job)
{
    struct am_task_worker *const w = self->worker;
    const struct am_tasks *const tasks = w->tasks;
    const size_t room = tasks->setup.throttle * (tasks->central ? tasks->setup.threads : 1);
    struct am_ready_queue *const queue = am_task_queue_of(w);
    struct am_task_record *record;

    if ((room && am_ready_size(queue) >= room) || am_task_stacks_spent(w))
        return false;
    record = am_task_record_take(w);
    if (!record)
        return false;
    record->job = *job;
    w->counts.deferred++;
    am_ready_push(queue, &record->ready);
    return true;
}

void am_task_submit(struct am_task *self, const struct am_task_job *job)
{
    if (self->worker->tasks->work_first ? work_first(self, job) : queue_up(self, job))
        return;
    self->worker->counts.inlined++;
    resume(self, execute(self->worker, job));
}

void am_task_spawn(struct am_task *self, am_task_fn *fn, void *arg, size_t index)
{
    const struct am_task_job job = {.fn = fn, .arg = arg, .index = index, .parent = self};

    atomic_fetch_add_explicit(&self->pending, 1, memory_order_relaxed);
    am_task_submit(self, &job);
}

/* ---- the runtime ---- */

struct rules {
    bool central, work_first;
    enum am_ready_end next;
};

static const struct rules rules_of[AM_TASK_POLICIES] = {
    [AM_TASK_DEFAULT] = {.central = true, .next = AM_READY_NEWEST},
    [AM_TASK_BF] = {.central = true, .next = AM_READY_OLDEST},
    [AM_TASK_DBF] = {.next = AM_READY_NEWEST},
    [AM_TASK_WF] = {.work_first = true, .next = AM_READY_OLDEST}, /* the newest from 2013 on */
};

const char *const am_task_policy_names[] = {
    [AM_TASK_DEFAULT] = "default", [AM_TASK_BF] = "bf",       [AM_TASK_DBF] = "dbf",
    [AM_TASK_WF] = "wf",           [AM_TASK_POLICIES] = NULL,
};

/* A thread's part in a run: from its own stack to another, and back when the run is over. */
static void take_part(void *arg, size_t thread, size_t threads)
{
    struct am_tasks *const tasks = arg;
    struct am_task_worker *const w = &tasks->workers[thread];

    (void)threads;
    (void)pthread_setspecific(tasks->key, w);
    am_fiber_adopt(&w->home.fiber);
    w->stack = &w->home;
    if (thread == 0)
        w->first = tasks->root;
    (void)leave(w, w->entry, AM_TASK_NOTHING); /* home is left by its own thread only */
    (void)pthread_setspecific(tasks->key, NULL);
}

void am_tasks_run(struct am_tasks *tasks, am_task_fn *fn, void *arg)
{
    tasks->root = (struct am_task_job){.fn = fn, .arg = arg};
    atomic_store_explicit(&tasks->done, false, memory_order_relaxed);
    am_team_run(tasks->team, take_part, tasks);
}

struct am_task *am_tasks_current(const struct am_tasks *tasks)
{
    const struct am_task_worker *const w = pthread_getspecific(tasks->key);

    return w ? w->current : NULL;
}

void am_tasks_count(const struct am_tasks *tasks, struct am_executor_counts *counts)
{
    *counts = (struct am_executor_counts){.stacks = tasks->pool.made};
    for (size_t i = 0; i < tasks->setup.threads; i++) {
        const struct am_executor_counts *const one = &tasks->workers[i].counts;

        counts->executed += one->executed;
        counts->deferred += one->deferred;
        counts->inlined += one->inlined;
        counts->stolen += one->stolen;
        counts->idle_ns += one->idle_ns;
    }
}

static struct am_tasks *tasks_alloc(const struct am_task_setup *setup)
{
    const struct rules *const rules = &rules_of[setup->policy];
    struct am_tasks *const tasks = aligned_alloc(_Alignof(struct am_tasks), sizeof(*tasks));
    struct am_task_worker *const workers =
        aligned_alloc(_Alignof(struct am_task_worker), setup->threads * sizeof(*workers));

    if (!tasks || !workers) {
        free(tasks);
        free(workers);
        return NULL;
    }
    memset(tasks, 0, sizeof(*tasks));
    memset(workers, 0, setup->threads * sizeof(*workers));
    tasks->setup = *setup;
    tasks->workers = workers;
    tasks->central = rules->central;
    tasks->work_first = rules->work_first;
    tasks->next = rules->next;
    return tasks;
}

static enum am_status fill_workers(struct am_tasks *tasks, struct am_err *err)
{
    for (size_t i = 0; i < tasks->setup.threads; i++) {
        struct am_task_worker *const w = &tasks->workers[i];

        w->tasks = tasks;
        w->index = i;
        w->victim = (i + 1) % tasks->setup.threads;
        w->entry = am_task_stack_make(tasks);
        if (!w->entry)
            return am_fail(err, AM_E_NOMEM, "no memory for the stack of thread %zu", i);
    }
    return AM_OK;
}

enum am_status am_tasks_new(const struct am_task_setup *setup, struct am_tasks **tasks_p,
                            struct am_err *err)
{
    struct am_tasks *tasks;
    enum am_status s;

    if (setup->threads == 0 || setup->threads > SIZE_MAX / sizeof(struct am_task_worker))
        return am_fail(err, AM_E_LIMIT, "tasks on %zu threads", setup->threads);
    tasks = tasks_alloc(setup);
    if (!tasks)
        return am_fail(err, AM_E_NOMEM, "no memory for tasks on %zu threads", setup->threads);
    tasks->has_key = pthread_key_create(&tasks->key, NULL) == 0;
    s = tasks->has_key ? AM_OK : am_fail(err, AM_E_LIMIT, "no key for another task runtime");
    if (s == AM_OK)
        s = fill_workers(tasks, err);
    if (s == AM_OK)
        s = am_team_new(setup->threads, setup->cpus, setup->cpu_count, &tasks->team, err);
    if (s != AM_OK) {
        am_tasks_free(tasks);
        return s;
    }
    *tasks_p = tasks;
    return AM_OK;
}

void am_tasks_free(struct am_tasks *tasks)
{
    if (!tasks)
        return;
    am_team_free(tasks->team);
    if (tasks->has_key)
        (void)pthread_key_delete(tasks->key);
    am_task_pool_free(tasks);
    free(tasks->workers);
    free(tasks);
}
