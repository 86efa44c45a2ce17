/* SPDX-License-Identifier: MIT */
/* The cost of a task, split: constructs whose tasks are all run on the spot, all by their maker
 * from a queue, or all by other threads. */
#include "bench/omp/delay.h"
#include "bench/omp/task.h"

#include <omp.h>

enum {
    FILL_MAX = 1 << 18, /* tasks that a queue may hold; libgomp takes 64 per thread */
    POLL_CYCLES = 50,   /* between two looks at what others write */
    POLLS = 4096,       /* between two looks at the clock */
};

static const uint64_t patience_ns = 2000000000; /* for tasks that nobody takes */

/* The first thread goes on when all others are where they run no tasks. */
static void wait_held(struct am_omp_task_job *job)
{
    while (atomic_load(&job->held) + 1 < job->threads)
        am_delay(POLL_CYCLES);
}

static void stay_held(struct am_omp_task_job *job)
{
    atomic_fetch_add(&job->held, 1);
    while (!atomic_load(&job->released))
        am_delay(POLL_CYCLES);
}

static void reset_held(struct am_omp_task_job *job)
{
    atomic_store(&job->held, 0);
    atomic_store(&job->released, false);
}

/* Makes tasks until the runtime runs one on the spot: its queue is full, and stays so while the
 * other threads are held. */
static void fill_queue(struct am_omp_task_job *job)
{
    struct am_task_thread *const me = job->aside;
    const uint64_t before = atomic_load(&me->ran[AM_TASK_INLINE]);

    for (unsigned i = 0; i < FILL_MAX && atomic_load(&me->ran[AM_TASK_INLINE]) == before; i++) {
        const uint64_t number = am_task_next(me);

#pragma omp task firstprivate(job, me, number)
        am_task_bare(job->aside, me, number);
        am_task_made(me);
    }
    if (atomic_load(&me->ran[AM_TASK_INLINE]) == before)
        job->stuck = true;
}

void am_task_inline(void *self, uint64_t n)
{
    struct am_omp_task_job *const job = self;

    reset_held(job);
#pragma omp parallel
    if (omp_get_thread_num()) {
        stay_held(job);
    } else {
        wait_held(job);
        fill_queue(job);
        for (uint64_t i = 0; i < n * job->units && !job->stuck; i++)
            am_task_make(job, job->all);
        atomic_store(&job->released, true);
    }
}

void am_task_deferred(void *self, uint64_t n)
{
    struct am_omp_task_job *const job = self;

    reset_held(job);
#pragma omp parallel
    if (omp_get_thread_num()) {
        stay_held(job);
    } else {
        wait_held(job);
        for (uint64_t left = n * job->units; left; left--) {
            for (uint64_t i = 0; i < job->batch; i++)
                am_task_make(job, job->all);
#pragma omp taskwait
        }
        atomic_store(&job->released, true);
    }
}

static uint64_t count_stolen(const struct am_omp_task_job *job)
{
    uint64_t n = 0;

    for (size_t t = 1; t < job->threads; t++)
        n += atomic_load_explicit(&job->all[t].ran[AM_TASK_STOLEN], memory_order_acquire);
    return n;
}

/* Away from any scheduling point, so that the first thread runs none of its tasks. */
static void wait_stolen(struct am_omp_task_job *job, uint64_t want)
{
    const uint64_t begin = job->clock->now_ns(job->clock->self);

    for (unsigned polls = 1; count_stolen(job) < want; polls++) {
        am_delay(POLL_CYCLES);
        if (polls % POLLS == 0 && job->clock->now_ns(job->clock->self) - begin > patience_ns) {
            job->stuck = true;
            return;
        }
    }
}

/* The others wait at the region's end, where a thread runs the tasks of its team. */
void am_task_stolen(void *self, uint64_t n)
{
    struct am_omp_task_job *const job = self;

#pragma omp parallel
    if (omp_get_thread_num() == 0) {
        uint64_t want = count_stolen(job);

        for (uint64_t left = n * job->units; left && !job->stuck; left--) {
            for (uint64_t i = 0; i < job->batch; i++)
                am_task_make(job, job->all);
            want += job->batch;
            wait_stolen(job, want);
        }
    }
}
