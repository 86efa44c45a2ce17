/* SPDX-License-Identifier: MIT */
/* What runs next: the queue of a policy, stealing from other threads, and how an idle thread
 * spends its time. */
#include "runtime/task_worker.h"

#include "base/clock.h"

#include <sched.h>
#include <time.h>

struct am_ready_queue *am_task_queue_of(struct am_task_worker *w)
{
    return w->tasks->central ? &w->tasks->queue : &w->queue;
}

/* Takes the oldest entry of another thread's queue. Threads are asked in the order of their
 * numbers, beginning with the one that was stolen from last: it probably has more. */
static struct am_ready *steal(struct am_task_worker *w)
{
    struct am_tasks *const tasks = w->tasks;
    const size_t threads = tasks->setup.threads;

    for (size_t i = 0; i < threads; i++) {
        const size_t v = (w->victim + i) % threads;
        struct am_ready *const item =
            v == w->index ? NULL : am_ready_take(&tasks->workers[v].queue, AM_READY_OLDEST);

        if (item) {
            w->victim = v;
            w->counts.stolen++;
            return item;
        }
    }
    return NULL;
}

struct am_ready *am_task_find(struct am_task_worker *w)
{
    struct am_ready *const item = am_ready_take(am_task_queue_of(w), w->tasks->next);

    return item || w->tasks->central ? item : steal(w);
}

/* Nanos++ 0.6 looks for work NX_SPINS times and then yields; 0.7a sleeps for 100 ns instead. */
void am_task_pause(const struct am_task_worker *w, uint64_t turn)
{
    const struct am_task_setup *const setup = &w->tasks->setup;
    const struct timespec nap = {.tv_nsec = (long)setup->sleep_ns};

    if ((turn + 1) % (setup->spins + 1) != 0)
        am_spin_relax();
    else if (setup->sleep_ns)
        (void)nanosleep(&nap, NULL);
    else
        (void)sched_yield();
}

struct am_ready *am_task_next(struct am_task_worker *w)
{
    struct am_ready *item = am_task_find(w);
    uint64_t begin;

    if (item)
        return item;
    begin = am_now_ns();
    for (uint64_t turn = 0; !item; turn++) {
        if (atomic_load_explicit(&w->tasks->done, memory_order_acquire))
            break;
        am_task_pause(w, turn);
        item = am_task_find(w);
    }
    w->counts.idle_ns += am_now_ns() - begin;
    return item;
}
