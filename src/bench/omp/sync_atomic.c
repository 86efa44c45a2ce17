/* SPDX-License-Identifier: MIT */
/* omp.sync: atomic accesses, each with the plain access that it is compared with. */
#include "bench/omp/sync.h"

/* Keeps a plain access in memory and in the loop. */
#define TOUCH(lvalue) __asm__ volatile("" : "+m"(lvalue))

static uint64_t of_all(const struct am_sync *s, uint64_t n)
{
    return n * (uint64_t)s->omp.threads;
}

void am_sync_add_f64(void *self, uint64_t n)
{
    const struct am_sync *const s = self;
    double *const x = &s->shared->f64;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
#pragma omp atomic update
        *x += 1.0;
    }
}

void am_sync_seq_cst(void *self, uint64_t n)
{
    const struct am_sync *const s = self;
    double *const x = &s->shared->f64;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
#pragma omp atomic update seq_cst
        *x += 1.0;
    }
}

void am_sync_add_f64_plain(void *self, uint64_t n)
{
    const struct am_sync *const s = self;
    double *const x = &s->shared->f64;
    const uint64_t all = of_all(s, n);

    for (uint64_t j = 0; j < all; j++) {
        *x += 1.0;
        TOUCH(*x);
    }
}

void am_sync_add_i64(void *self, uint64_t n)
{
    const struct am_sync *const s = self;
    int64_t *const x = &s->shared->i64;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
#pragma omp atomic update
        *x += 1;
    }
}

void am_sync_add_i64_plain(void *self, uint64_t n)
{
    const struct am_sync *const s = self;
    int64_t *const x = &s->shared->i64;
    const uint64_t all = of_all(s, n);

    for (uint64_t j = 0; j < all; j++) {
        *x += 1;
        TOUCH(*x);
    }
}

/* Nobody writes meanwhile, and nothing need wait: each thread's reads count for themselves. */
void am_sync_read(void *self, uint64_t n)
{
    const struct am_sync *const s = self;
    const int64_t *const x = &s->shared->i64;
    int64_t sum = 0;

#pragma omp parallel reduction(+ : sum)
    for (uint64_t j = 0; j < n; j++) {
        int64_t value;

#pragma omp atomic read
        value = *x;
        sum += value;
    }
    s->shared->sum = sum;
}

void am_sync_read_plain(void *self, uint64_t n)
{
    const struct am_sync *const s = self;
    int64_t sum = 0;

    for (uint64_t j = 0; j < n; j++) {
        TOUCH(s->shared->i64);
        sum += s->shared->i64;
    }
    s->shared->sum = sum;
}

/* Stores of several threads to one variable do not wait for each other: a core hands its stores
 * over together when it has the line. Each thread's stores count for themselves, as reads do; held
 * against all stores on one thread, the overhead would be negative by construction. */
void am_sync_write(void *self, uint64_t n)
{
    const struct am_sync *const s = self;
    int64_t *const x = &s->shared->i64;

#pragma omp parallel
    for (uint64_t j = 0; j < n; j++) {
#pragma omp atomic write
        *x = (int64_t)j;
    }
}

void am_sync_write_plain(void *self, uint64_t n)
{
    const struct am_sync *const s = self;
    int64_t *const x = &s->shared->i64;

    for (uint64_t j = 0; j < n; j++) {
        *x = (int64_t)j;
        TOUCH(*x);
    }
}

void am_sync_capture(void *self, uint64_t n)
{
    const struct am_sync *const s = self;
    int64_t *const x = &s->shared->i64;
    int64_t sum = 0;

#pragma omp parallel reduction(+ : sum)
    for (uint64_t j = 0; j < n; j++) {
        int64_t before;

#pragma omp atomic capture
        before = (*x)++;
        sum += before;
    }
    s->shared->sum = sum;
}

void am_sync_capture_plain(void *self, uint64_t n)
{
    const struct am_sync *const s = self;
    int64_t *const x = &s->shared->i64;
    const uint64_t all = of_all(s, n);
    int64_t sum = 0;

    for (uint64_t j = 0; j < all; j++) {
        sum += (*x)++;
        TOUCH(*x);
    }
    s->shared->sum = sum;
}
