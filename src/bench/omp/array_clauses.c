/* SPDX-License-Identifier: MIT */
/* The clauses of omp.array, compiled for every size, and the constructs without them. */
#include "bench/omp/array.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#define ELEMENTS 1
#include "bench/omp/array_clauses.inc"
#define ELEMENTS 3
#include "bench/omp/array_clauses.inc"
#define ELEMENTS 9
#include "bench/omp/array_clauses.inc"
#define ELEMENTS 27
#include "bench/omp/array_clauses.inc"
#define ELEMENTS 81
#include "bench/omp/array_clauses.inc"
#define ELEMENTS 243
#include "bench/omp/array_clauses.inc"
#define ELEMENTS 729
#include "bench/omp/array_clauses.inc"
#define ELEMENTS 2187
#include "bench/omp/array_clauses.inc"
#define ELEMENTS 6561
#include "bench/omp/array_clauses.inc"
#define ELEMENTS 19683
#include "bench/omp/array_clauses.inc"
#define ELEMENTS 59049
#include "bench/omp/array_clauses.inc"

#define SIZE(n)                                                                                    \
    {                                                                                              \
        (n), original_##n, threadwise_at_##n, clauses_##n                                          \
    }

static const struct am_array_size sizes[] = {
    SIZE(1),   SIZE(3),    SIZE(9),    SIZE(27),    SIZE(81),    SIZE(243),
    SIZE(729), SIZE(2187), SIZE(6561), SIZE(19683), SIZE(59049),
};

const struct am_array_size *am_array_find(int64_t elements)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (elements == (int64_t)sizes[i].elements)
            return &sizes[i];
    }
    return NULL;
}

static void plain_parallel(void *self, uint64_t n)
{
    struct am_array_job *const job = self;

    for (; n; n--) {
        double outside = 0;

#pragma omp parallel
        {
            double own = 0;

            job->body(job, 0, &own);
            job->seen(job, 0, &own);
        }
        job->left(job, 0, &outside);
    }
}

static void plain_for(void *self, uint64_t n)
{
    struct am_array_job *const job = self;

    for (; n; n--) {
        double outside = 0;

#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < job->threads; i++) {
            double own = 0;

            job->body(job, i, &own);
            job->seen(job, i, &own);
        }
        job->left(job, 0, &outside);
    }
}

static void plain_single(void *self, uint64_t n)
{
    struct am_array_job *const job = self;

    for (; n; n--) {
        double outside = 0;

#pragma omp parallel
        {
            double own = 0;

#pragma omp single
            job->body(job, 0, &own);
            job->seen(job, 0, &own);
        }
        job->left(job, 0, &outside);
    }
}

am_overhead_fn *am_array_plain(enum am_array_clause clause)
{
    static am_overhead_fn *const plain[AM_ARRAY_CLAUSES] = {
        [AM_ARRAY_PRIVATE] = plain_parallel,   [AM_ARRAY_FIRSTPRIVATE] = plain_parallel,
        [AM_ARRAY_LASTPRIVATE] = plain_for,    [AM_ARRAY_COPYIN] = plain_parallel,
        [AM_ARRAY_COPYPRIVATE] = plain_single, [AM_ARRAY_REDUCTION] = plain_parallel,
    };

    return plain[clause];
}

void am_array_serial(void *self, uint64_t n)
{
    struct am_array_job *const job = self;

    for (; n; n--) {
        double own = 0;

        job->body(job, 0, &own);
        job->seen(job, 0, &own);
        job->left(job, 0, &own);
    }
}
