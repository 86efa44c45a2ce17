/* SPDX-License-Identifier: MIT */
/* omp.sync: constructs of OpenMP 5, as far as the compiler of this worker knows them.
 *
 * Compilers follow the standard in their own order, so each construct is asked for by the
 * compiler's version. What one does not know is left out; its address is then NULL (sync.h declares
 * it weak), and omp.sync refuses the point with the reason. Functions assume what those of
 * sync_team.c do. */
#include "bench/omp/sync.h"

#include <omp.h>
#include <string.h>

#define NEVER 1000 /* as far as was tried: clang 19 refuses it */
#if defined(__clang__)
#define KNOWS(gcc, clang) (__clang_major__ >= (clang))
#else
#define KNOWS(gcc, clang) (__GNUC__ >= (gcc))
#endif

/* Behind directive j (from 0), which does `works` pieces of work: no thread may be here before. */
static void joined(struct am_sync *s, uint64_t j, uint64_t works)
{
    if (s->check.on)
        am_check_joined(&s->check, (j + 1) * works);
}

/* ---- meeting ---- */

#if KNOWS(12, 16)
/* One thread after the other is let through by the filter. */
void am_sync_masked(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    const int threads = s->omp.threads;

#pragma omp parallel
    {
        int chosen = 0;

        for (uint64_t j = 0; j < n; j++) {
#pragma omp masked filter(chosen)
            am_sync_work(s);
            chosen = chosen + 1 == threads ? 0 : chosen + 1;
#pragma omp barrier
            joined(s, j, 1);
        }
    }
}
#endif

#if KNOWS(12, NEVER)
/* A reduction over the team without a loop. */
void am_sync_scope(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    int64_t total = 0;

#pragma omp parallel shared(total)
    for (uint64_t j = 0; j < n; j++) {
#pragma omp scope reduction(+ : total)
        {
            am_sync_work(s);
            total++;
        }
        joined(s, j, (uint64_t)s->omp.threads);
    }
    s->totals[0] = total;
}
#endif

#if KNOWS(10, 15)
void am_sync_loop(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    const int threads = s->omp.threads;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
        int end = threads;

        AM_SYNC_ANEW(end);
#pragma omp loop bind(parallel)
        for (int i = 0; i < end; i++)
            am_sync_work(s);
        joined(s, j, (uint64_t)threads);
    }
}
#endif

/* ---- reductions ---- */

#if KNOWS(10, 19)
/* A prefix sum over as many iterations as threads: two passes and the barrier between them. It
 * begins with zero each time, because clang 19 forgets what was there before; clang 14 leaves a
 * wrong sum in any case. */
void am_sync_scan(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    const int threads = s->omp.threads;
    int64_t sums = 0, prefixes = 0;

    for (uint64_t j = 0; j < n; j++) {
        int64_t sum = 0;

#pragma omp parallel for reduction(inscan, + : sum)
        for (int i = 0; i < threads; i++) {
            am_sync_work(s);
            sum += 1;
#pragma omp scan inclusive(sum)
            if (s->check.on) {
#pragma omp atomic
                prefixes += sum;
            }
        }
        sums += sum;
        joined(s, j, (uint64_t)threads);
    }
    s->totals[0] = sums;
    s->totals[1] = prefixes;
}
#endif

/* The largest value and how often it was met: no operator of the language does that. */
struct peak {
    int64_t value, count;
};

static void join_peaks(struct peak *into, const struct peak *from)
{
    if (from->value == into->value)
        into->count += from->count;
    else if (from->value > into->value)
        *into = *from;
}

#pragma omp declare reduction(am_peak                                                              \
                              : struct peak                                                        \
                              : join_peaks(&omp_out, &omp_in))                                     \
    initializer(omp_priv = (struct peak){0, 0})

void am_sync_reduction_user(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    struct peak peak = {0, 0};

    for (uint64_t j = 0; j < n; j++) {
        const struct peak mine = {(int64_t)j, 1};

        peak = (struct peak){0, 0};
#pragma omp parallel reduction(am_peak : peak)
        {
            am_sync_work(s);
            join_peaks(&peak, &mine);
        }
        joined(s, j, (uint64_t)s->omp.threads);
    }
    s->totals[0] = peak.value;
    s->totals[1] = peak.count;
}

/* ---- cancellation and memory ---- */

void am_sync_cancel(void *self, uint64_t n)
{
    struct am_sync *const s = self;

    for (uint64_t j = 0; j < n; j++) {
#pragma omp parallel
        {
            am_sync_work(s);
#pragma omp cancel parallel
        }
        joined(s, j, (uint64_t)s->omp.threads);
    }
}

void am_sync_cancellation_point(void *self, uint64_t n)
{
    struct am_sync *const s = self;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
        am_sync_work(s);
#pragma omp cancellation point parallel
    }
}

void am_sync_flush(void *self, uint64_t n)
{
    struct am_sync *const s = self;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
        am_sync_work(s);
#pragma omp flush
    }
}

/* Vectors of iterations divided among threads; the work is a call, which is no vector: clang says
 * so. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
void am_sync_for_simd(void *self, uint64_t n)
{
    struct am_sync *const s = self;
    const int threads = s->omp.threads;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
        int end = threads;

        AM_SYNC_ANEW(end);
#pragma omp for simd schedule(static, 1)
        for (int i = 0; i < end; i++)
            am_sync_work(s);
        joined(s, j, (uint64_t)threads);
    }
}

#if !AM_OMP_FOREIGN
/* A line of memory from OpenMP's default allocator around each piece of work; where none is given
 * the work is missing. */
void am_sync_allocate(void *self, uint64_t n)
{
    struct am_sync *const s = self;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
        uint64_t *const line = omp_alloc(64, omp_default_mem_alloc);

        if (!line)
            continue;
        __atomic_store_n(line, j, __ATOMIC_RELAXED);
        am_sync_work(s);
        omp_free(line, omp_default_mem_alloc);
    }
}
#endif
