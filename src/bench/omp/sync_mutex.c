/* SPDX-License-Identifier: MIT */
/* omp.sync: constructs that let one thread in at a time. */
#include "bench/omp/sync.h"

#include <omp.h>
#include <sched.h>
#include <stdlib.h>

#if defined(__x86_64__)
#define RELAX "pause"
#elif defined(__aarch64__)
#define RELAX "yield"
#endif

enum { SPINS = 4096 }; /* before a waiting thread offers its CPU: it may be that of the next one */

/* Declared by OpenMP 4.5 and 5.0, missing in the libgomp of gcc 12: weak, so that it may be. */
void omp_init_lock_with_hint(omp_lock_t *lock, omp_lock_hint_t hint) __attribute__((weak));

struct lock {
    _Alignas(128) omp_lock_t lock;
    omp_nest_lock_t nest;
};

struct locks {
    struct lock common;
    int n; /* initialised ones of `own` */
    struct lock own[];
};

static void init(omp_lock_t *lock, bool hinted, omp_lock_hint_t hint)
{
    if (hinted)
        omp_init_lock_with_hint(lock, hint);
    else
        omp_init_lock(lock);
}

enum am_status am_sync_locks_new(struct am_sync *s, bool hinted, struct am_err *err)
{
    const int n = s->omp.threads;
    struct locks *locks;

    if (hinted && !omp_init_lock_with_hint)
        return am_fail(err, AM_E_ABSENT, "the runtime has no omp_init_lock_with_hint");
    locks =
        aligned_alloc(_Alignof(struct locks), sizeof(*locks) + (size_t)n * sizeof(locks->own[0]));
    if (!locks)
        return am_fail(err, AM_E_NOMEM, "no memory for %d locks", n);
    init(&locks->common.lock, hinted, omp_lock_hint_contended);
    for (locks->n = 0; locks->n < n; locks->n++) {
        init(&locks->own[locks->n].lock, hinted, omp_lock_hint_uncontended);
        omp_init_nest_lock(&locks->own[locks->n].nest);
    }
    s->locks = locks;
    return AM_OK;
}

void am_sync_locks_free(struct am_sync *s)
{
    struct locks *const locks = s->locks;

    if (!locks)
        return;
    omp_destroy_lock(&locks->common.lock);
    for (int i = 0; i < locks->n; i++) {
        omp_destroy_lock(&locks->own[i].lock);
        omp_destroy_nest_lock(&locks->own[i].nest);
    }
    free(locks);
    s->locks = NULL;
}

/* Work that no two threads may do at once. */
static void work_alone(struct am_sync *s)
{
    am_sync_work(s);
    if (s->check.on)
        am_check_exclusive(&s->check);
}

static void work_in_turn(struct am_sync *s, int64_t index)
{
    work_alone(s);
    if (s->check.on)
        am_check_order(&s->check, (uint64_t)index);
}

void am_sync_critical(void *self, uint64_t n)
{
    struct am_sync *const s = self;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
#pragma omp critical(am_sync)
        work_alone(s);
    }
}

void am_sync_lock(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    omp_lock_t *const lock = &((struct locks *)s->locks)->common.lock;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
        omp_set_lock(lock);
        work_alone(s);
        omp_unset_lock(lock);
    }
}

/* ---- contention ---- */

/* A thread that leaves a lock is the nearest to it: left alone, it enters again and again while the
 * others sleep, and what is measured is a lock without contention. So a thread that has been inside
 * asks again only after another has entered: every entry finds the lock taken, or handed over. The
 * word that says so is the kind of data that locks protect: it moves with the lock. */
static void begin_turns(struct am_sync *s)
{
    s->shared->turn = (struct am_sync_turn){.owner = -1};
}

/* Outside: until another thread was inside after this one, or all is done. */
static void wait_for_another(const struct am_sync *s, int me, uint64_t total)
{
    const struct am_sync_turn *const t = &s->shared->turn;

    for (unsigned i = 1; __atomic_load_n(&t->owner, __ATOMIC_RELAXED) == me &&
                         __atomic_load_n(&t->entries, __ATOMIC_RELAXED) < total;
         i++) {
        __asm__ volatile(RELAX ::: "memory");
        if (i % SPINS == 0)
            (void)sched_yield();
    }
}

/* Inside: works, unless all is done already. */
static bool work_if_left(struct am_sync *s, int me, uint64_t total)
{
    struct am_sync_turn *const t = &s->shared->turn;
    const int before = t->owner;

    if (t->entries == total)
        return false;
    __atomic_store_n(&t->entries, t->entries + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&t->owner, me, __ATOMIC_RELAXED);
    work_alone(s);
    if (s->check.on)
        am_check_handed(&s->check, before, me);
    return true;
}

void am_sync_critical_contended(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    const uint64_t total = n * (uint64_t)s->omp.threads;

    begin_turns(s);
#pragma omp parallel
    {
        const int me = omp_get_thread_num();

        for (bool left = true; left;) {
            wait_for_another(s, me, total);
#pragma omp critical(am_sync_contended)
            left = work_if_left(s, me, total);
        }
    }
}

void am_sync_lock_contended(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    omp_lock_t *const lock = &((struct locks *)s->locks)->common.lock;
    const uint64_t total = n * (uint64_t)s->omp.threads;

    begin_turns(s);
#pragma omp parallel
    {
        const int me = omp_get_thread_num();

        for (bool left = true; left;) {
            wait_for_another(s, me, total);
            omp_set_lock(lock);
            left = work_if_left(s, me, total);
            omp_unset_lock(lock);
        }
    }
}

/* ---- without contention, and in order ---- */

void am_sync_nest_lock(void *self, uint64_t n)
{
    struct am_sync *const s = self;

#pragma omp parallel
    {
        omp_nest_lock_t *const lock = &((struct locks *)s->locks)->own[omp_get_thread_num()].nest;

        for (uint64_t j = 0; j < n; j++) {
            omp_set_nest_lock(lock);
            omp_set_nest_lock(lock);
            am_sync_work(s);
            omp_unset_nest_lock(lock);
            omp_unset_nest_lock(lock);
        }
    }
}

void am_sync_own_lock(void *self, uint64_t n)
{
    struct am_sync *const s = self;

#pragma omp parallel
    {
        omp_lock_t *const lock = &((struct locks *)s->locks)->own[omp_get_thread_num()].lock;

        for (uint64_t j = 0; j < n; j++) {
            omp_set_lock(lock);
            am_sync_work(s);
            omp_unset_lock(lock);
        }
    }
}

void am_sync_ordered(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    const int64_t total = (int64_t)n * s->omp.threads;

#pragma omp parallel for ordered schedule(static, 1)
    for (int64_t i = 0; i < total; i++) {
#pragma omp ordered
        work_in_turn(s, i);
    }
}

void am_sync_doacross(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    const int64_t total = (int64_t)n * s->omp.threads;

#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int64_t i = 0; i < total; i++) {
#pragma omp ordered depend(sink : i - 1)
        work_in_turn(s, i);
#pragma omp ordered depend(source)
    }
}
