/* SPDX-License-Identifier: MIT */
/* Queues of tasks that are ready to run: a doubly linked list under a spin lock, so that any thread
 * can take from either end. The lock is held for a few instructions; whoever waits for it yields
 * its CPU after a while, because the holder may have lost its own. */
#ifndef AM_RUNTIME_TASK_QUEUE_H
#define AM_RUNTIME_TASK_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct am_spin {
    _Atomic uint32_t held;
};

void am_spin_lock(struct am_spin *lock);
void am_spin_unlock(struct am_spin *lock);
/* The processor's hint that this is a wait. */
void am_spin_relax(void);

/* A link inside what is queued. */
struct am_ready {
    struct am_ready *older, *newer;
    bool is_stack; /* a task that has begun and goes on, not one that begins */
};

enum am_ready_end { AM_READY_OLDEST, AM_READY_NEWEST };

/* Zero-initialise. */
struct am_ready_queue {
    _Alignas(128) struct am_spin lock; /* two lines: some cores fetch them in pairs */
    _Atomic size_t size;               /* changed under the lock, read without */
    struct am_ready *oldest, *newest;
};

void am_ready_push(struct am_ready_queue *q, struct am_ready *item);             /* as the newest */
struct am_ready *am_ready_take(struct am_ready_queue *q, enum am_ready_end end); /* or NULL */
/* How many there were a moment ago. */
size_t am_ready_size(const struct am_ready_queue *q);

#endif
