/* SPDX-License-Identifier: MIT */
/* Queues of tasks that are ready to run, and the lock that guards them. */
#include "runtime/task_queue.h"

#include <sched.h>

enum { TRIES = 128 }; /* before a waiter yields; a holder needs less than a microsecond */

#if defined(__x86_64__)
#define relax() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define relax() __asm__ volatile("isb" ::: "memory")
#else
#error "no spin-wait hint for this architecture"
#endif

void am_spin_relax(void)
{
    relax();
}

void am_spin_lock(struct am_spin *lock)
{
    unsigned tries = 0;

    while (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire)) {
        while (atomic_load_explicit(&lock->held, memory_order_relaxed)) {
            relax();
            if (++tries % TRIES == 0)
                (void)sched_yield();
        }
    }
}

void am_spin_unlock(struct am_spin *lock)
{
    atomic_store_explicit(&lock->held, 0, memory_order_release);
}

size_t am_ready_size(const struct am_ready_queue *q)
{
    return atomic_load_explicit(&q->size, memory_order_relaxed);
}

static void set_size(struct am_ready_queue *q, size_t size)
{
    atomic_store_explicit(&q->size, size, memory_order_relaxed);
}

void am_ready_push(struct am_ready_queue *q, struct am_ready *item)
{
    am_spin_lock(&q->lock);
    item->newer = NULL;
    item->older = q->newest;
    if (q->newest)
        q->newest->newer = item;
    else
        q->oldest = item;
    q->newest = item;
    set_size(q, am_ready_size(q) + 1);
    am_spin_unlock(&q->lock);
}

static void unlink_item(struct am_ready_queue *q, const struct am_ready *item)
{
    if (item->older)
        item->older->newer = item->newer;
    else
        q->oldest = item->newer;
    if (item->newer)
        item->newer->older = item->older;
    else
        q->newest = item->older;
}

struct am_ready *am_ready_take(struct am_ready_queue *q, enum am_ready_end end)
{
    struct am_ready *item;

    if (!am_ready_size(q)) /* the lock is not worth it; a newcomer is seen at the next look */
        return NULL;
    am_spin_lock(&q->lock);
    item = end == AM_READY_OLDEST ? q->oldest : q->newest;
    if (item) {
        unlink_item(q, item);
        set_size(q, am_ready_size(q) - 1);
    }
    am_spin_unlock(&q->lock);
    return item;
}
