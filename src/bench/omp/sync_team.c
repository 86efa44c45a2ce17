/* SPDX-License-Identifier: MIT */
/* omp.sync: constructs at which the whole team meets, and the references. */
#include "bench/omp/sync.h"

#include <omp.h>
#include <string.h>

void am_sync_one(void *self, uint64_t n)
{
    for (uint64_t j = 0; j < n; j++)
        am_sync_work(self);
}

void am_sync_each(void *self, uint64_t n)
{
    const struct am_sync *const s = self;

    am_sync_one(self, n * (uint64_t)s->omp.threads);
}

void am_sync_divided(void *self, uint64_t n)
{
    const struct am_sync *const s = self;
    const uint64_t threads = (uint64_t)s->omp.threads;

    am_sync_one(self, (n * AM_SYNC_SECTIONS + threads - 1) / threads);
}

/* Behind directive j (from 0), which does `works` pieces of work: no thread may be here before. */
static void joined(struct am_sync *s, uint64_t j, uint64_t works)
{
    if (s->check.on)
        am_check_joined(&s->check, (j + 1) * works);
}

void am_sync_parallel(void *self, uint64_t n)
{
    struct am_sync *const s = self;

    for (uint64_t j = 0; j < n; j++) {
#pragma omp parallel
        am_sync_work(s);
        joined(s, j, (uint64_t)s->omp.threads);
    }
}

void am_sync_for(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    const int threads = s->omp.threads;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
        int end = threads;

        AM_SYNC_ANEW(end);
#pragma omp for
        for (int i = 0; i < end; i++)
            am_sync_work(s);
        joined(s, j, (uint64_t)threads);
    }
}

void am_sync_parallel_for(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    const int threads = s->omp.threads;

    for (uint64_t j = 0; j < n; j++) {
#pragma omp parallel for
        for (int i = 0; i < threads; i++)
            am_sync_work(s);
        joined(s, j, (uint64_t)threads);
    }
}

void am_sync_barrier(void *self, uint64_t n)
{
    struct am_sync *const s = self;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
        am_sync_work(s);
#pragma omp barrier
        joined(s, j, (uint64_t)s->omp.threads);
    }
}

void am_sync_barrier_late(void *self, uint64_t n)
{
    struct am_sync *const s = self;

#pragma omp parallel
    {
        const int me = omp_get_thread_num(), threads = s->omp.threads;
        int late = 0; /* who lets the others wait */

        for (uint64_t j = 0; j < n; j++) {
            if (late == me)
                am_sync_work(s);
            late = late + 1 == threads ? 0 : late + 1;
#pragma omp barrier
            joined(s, j, 1);
        }
    }
}

void am_sync_single(void *self, uint64_t n)
{
    struct am_sync *const s = self;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
#pragma omp single
        am_sync_work(s);
        joined(s, j, 1);
    }
}

void am_sync_master(void *self, uint64_t n)
{
    struct am_sync *const s = self;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
#pragma omp master
        am_sync_work(s);
#pragma omp barrier
        joined(s, j, 1);
    }
}

void am_sync_sections(void *self, uint64_t n)
{
    struct am_sync *const s = self;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
#pragma omp sections
        {
            am_sync_work(s);
#pragma omp section
            am_sync_work(s);
#pragma omp section
            am_sync_work(s);
#pragma omp section
            am_sync_work(s);
#pragma omp section
            am_sync_work(s);
#pragma omp section
            am_sync_work(s);
#pragma omp section
            am_sync_work(s);
#pragma omp section
            am_sync_work(s);
        }
        joined(s, j, AM_SYNC_SECTIONS);
    }
}

void am_sync_reduction(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    int64_t total = 0;

    for (uint64_t j = 0; j < n; j++) {
#pragma omp parallel reduction(+ : total)
        {
            am_sync_work(s);
            total++;
        }
        joined(s, j, (uint64_t)s->omp.threads);
    }
    s->totals[0] = total;
}

void am_sync_reduction_array(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    int64_t totals[AM_SYNC_ELEMENTS] = {0};

    for (uint64_t j = 0; j < n; j++) {
#pragma omp parallel reduction(+ : totals)
        {
            am_sync_work(s);
            for (int i = 0; i < AM_SYNC_ELEMENTS; i++)
                totals[i] += i + 1;
        }
        joined(s, j, (uint64_t)s->omp.threads);
    }
    memcpy(s->totals, totals, sizeof(totals));
}
