/* SPDX-License-Identifier: MIT */
/* Free records and stacks of the task runtime. Each thread keeps lists of its own, so that taking
 * and giving back needs no lock; what one thread has too much of goes to a pool that all share, in
 * batches of records and stack by stack. */
#include "runtime/task_worker.h"

#include <stdlib.h>

enum {
    BATCH = 128,           /* records that move between a thread and the pool at a time */
    STACKS_KEPT = 8,       /* by a thread */
    STACK_BYTES = 262144,  /* pages that are never touched cost nothing */
    STACKS_DEFAULT = 8192, /* a process may have 65530 mappings, a stack with its guard is two */
};

struct am_task_chunk {
    struct am_task_chunk *next;
    struct am_task_record records[BATCH];
};

/* Moves up to BATCH records from one list to another. Returns how many. */
static size_t move_batch(struct am_task_record **from, struct am_task_record **to)
{
    size_t n = 0;

    for (; *from && n < BATCH; n++) {
        struct am_task_record *const record = *from;

        *from = record->next;
        record->next = *to;
        *to = record;
    }
    return n;
}

static bool make_records(struct am_task_worker *w)
{
    struct am_task_pool *const pool = &w->tasks->pool;
    struct am_task_chunk *const chunk = calloc(1, sizeof(*chunk));

    if (!chunk)
        return false;
    for (size_t i = 0; i < BATCH; i++) {
        chunk->records[i].pooled = true;
        chunk->records[i].next = w->free;
        w->free = &chunk->records[i];
    }
    w->free_count += BATCH;
    am_spin_lock(&pool->lock);
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    am_spin_unlock(&pool->lock);
    return true;
}

struct am_task_record *am_task_record_take(struct am_task_worker *w)
{
    struct am_task_pool *const pool = &w->tasks->pool;
    struct am_task_record *record;

    if (!w->free) {
        am_spin_lock(&pool->lock);
        w->free_count += move_batch(&pool->records, &w->free);
        am_spin_unlock(&pool->lock);
        if (!w->free && !make_records(w))
            return NULL;
    }
    record = w->free;
    w->free = record->next;
    w->free_count--;
    return record;
}

/* Where one thread creates tasks and others execute them, records gather with the others: beyond
 * two batches they go back to the pool, or the creator would ask for new memory without end. */
void am_task_record_give(struct am_task_worker *w, struct am_task_record *record)
{
    struct am_task_pool *const pool = &w->tasks->pool;

    record->next = w->free;
    w->free = record;
    if (++w->free_count < (size_t)2 * BATCH)
        return;
    am_spin_lock(&pool->lock);
    w->free_count -= move_batch(&w->free, &pool->records);
    am_spin_unlock(&pool->lock);
}

/* `made` counts the new stack already; it is reduced again when memory is refused. */
static struct am_task_stack *map_stack(struct am_tasks *tasks)
{
    struct am_task_pool *const pool = &tasks->pool;
    const size_t bytes = tasks->setup.stack_bytes ? tasks->setup.stack_bytes : STACK_BYTES;
    struct am_task_stack *const stack = calloc(1, sizeof(*stack));

    if (!stack || !am_fiber_new(&stack->fiber, bytes, am_task_loop)) {
        pool->made--;
        free(stack);
        return NULL;
    }
    stack->ready.is_stack = true;
    am_spin_lock(&pool->lock);
    stack->all = pool->all;
    pool->all = stack;
    am_spin_unlock(&pool->lock);
    return stack;
}

struct am_task_stack *am_task_stack_make(struct am_tasks *tasks)
{
    tasks->pool.made++;
    return map_stack(tasks);
}

static size_t limit(const struct am_tasks *tasks)
{
    return tasks->setup.threads +
           (tasks->setup.stacks_max ? tasks->setup.stacks_max : STACKS_DEFAULT);
}

bool am_task_stacks_spent(struct am_task_worker *w)
{
    struct am_task_pool *const pool = &w->tasks->pool;
    bool spent;

    if (w->stacks || pool->made < limit(w->tasks))
        return false;
    am_spin_lock(&pool->lock);
    spent = !pool->stacks;
    am_spin_unlock(&pool->lock);
    return spent;
}

struct am_task_stack *am_task_stack_take(struct am_task_worker *w)
{
    struct am_task_pool *const pool = &w->tasks->pool;
    struct am_task_stack *stack = w->stacks;
    bool more = false;

    if (stack) {
        w->stacks = stack->next;
        w->stacks_count--;
        return stack;
    }
    am_spin_lock(&pool->lock);
    stack = pool->stacks;
    if (stack)
        pool->stacks = stack->next;
    else
        more = pool->made < limit(w->tasks);
    if (more)
        pool->made++;
    am_spin_unlock(&pool->lock);
    return more ? map_stack(w->tasks) : stack;
}

void am_task_stack_give(struct am_task_worker *w, struct am_task_stack *stack)
{
    struct am_task_pool *const pool = &w->tasks->pool;

    if (w->stacks_count < STACKS_KEPT) {
        stack->next = w->stacks;
        w->stacks = stack;
        w->stacks_count++;
        return;
    }
    am_spin_lock(&pool->lock);
    stack->next = pool->stacks;
    pool->stacks = stack;
    am_spin_unlock(&pool->lock);
}

void am_task_pool_free(struct am_tasks *tasks)
{
    struct am_task_pool *const pool = &tasks->pool;

    while (pool->all) {
        struct am_task_stack *const stack = pool->all;

        pool->all = stack->all;
        am_fiber_free(&stack->fiber);
        free(stack);
    }
    while (pool->chunks) {
        struct am_task_chunk *const chunk = pool->chunks;

        pool->chunks = chunk->next;
        free(chunk);
    }
}
