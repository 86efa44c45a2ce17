/* SPDX-License-Identifier: MIT */
/* omp.sync: constructs that let one thread in at a time. */
#include "bench/omp/sync.h"

#include <omp.h>
#include <stdlib.h>

/* Declared by OpenMP 4.5 and 5.0, missing in the libgomp of gcc 12: weak, so that it may be. */
void omp_init_lock_with_hint(omp_lock_t *lock, omp_lock_hint_t hint) __attribute__((weak));

struct lock {
    _Alignas(128) omp_lock_t lock;
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
    for (locks->n = 0; locks->n < n; locks->n++)
        init(&locks->own[locks->n].lock, hinted, omp_lock_hint_uncontended);
    s->locks = locks;
    return AM_OK;
}

void am_sync_locks_free(struct am_sync *s)
{
    struct locks *const locks = s->locks;

    if (!locks)
        return;
    omp_destroy_lock(&locks->common.lock);
    for (int i = 0; i < locks->n; i++)
        omp_destroy_lock(&locks->own[i].lock);
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
