/* SPDX-License-Identifier: MIT */
/* The synchronisation constructs of omp.sync: what they share, and one function each. */
#ifndef AM_BENCH_OMP_SYNC_H
#define AM_BENCH_OMP_SYNC_H

#include "bench/omp/check.h"
#include "bench/omp/delay.h"
#include "bench/omp/overhead.h"
#include "bench/omp/runtime.h"

enum {
    AM_SYNC_SECTIONS = 8, /* of the construct `sections`: their number is part of the program */
    AM_SYNC_ELEMENTS = 8, /* of the array that `reduction_array` reduces */
};

/* Who was inside a contended lock last, and how often it was entered: protected by the lock, and
 * looked at by threads that wait for their turn. */
struct am_sync_turn {
    int owner; /* -1: nobody yet */
    uint64_t entries;
};

/* Lines that prefetchers of pairs cannot bring together, one variable each. */
struct am_sync_shared {
    _Alignas(128) double f64;
    _Alignas(128) int64_t i64;
    _Alignas(128) int64_t sum; /* of what threads found */
    _Alignas(128) struct am_sync_turn turn;
};

struct am_sync {
    struct am_omp omp;
    uint64_t delay; /* cycles of a piece of work */
    struct am_sync_shared *shared;
    void *locks;
    struct am_omp_check check;
    int64_t totals[AM_SYNC_ELEMENTS]; /* what the latest reductions gave */
};

static inline void am_sync_work(struct am_sync *s)
{
    am_delay(s->delay);
    if (s->check.on)
        am_check_work(&s->check);
}

/* References: one delay per iteration, one for each thread, and those of the sections divided. */
am_overhead_fn am_sync_one, am_sync_each, am_sync_divided;

/* Constructs with a barrier: an iteration is one directive, met by all threads. */
am_overhead_fn am_sync_parallel, am_sync_for, am_sync_parallel_for, am_sync_barrier,
    am_sync_barrier_late, am_sync_single, am_sync_master, am_sync_sections, am_sync_reduction,
    am_sync_reduction_array;

/* Keeps the compiler from computing something once for all repetitions: gcc divides a loop among
 * threads before the loop around it, clang cannot, and programs have other loops between. */
#define AM_SYNC_ANEW(lvalue) __asm__ volatile("" : "+r"(lvalue))

/* Mutual exclusion: in an iteration every thread enters once. */
am_overhead_fn am_sync_critical, am_sync_lock, am_sync_own_lock, am_sync_ordered, am_sync_doacross,
    am_sync_nest_lock;
/* The same with contention: as many entries, but no thread enters twice in turn. */
am_overhead_fn am_sync_critical_contended, am_sync_lock_contended;
/* Locks for the constructs that need them: one for all and one for each thread. AM_E_ABSENT when
 * `hinted` and the runtime has no locks with hints. */
enum am_status am_sync_locks_new(struct am_sync *s, bool hinted, struct am_err *err);
void am_sync_locks_free(struct am_sync *s);

/* Constructs of OpenMP 5: those that a compiler does not know are not there (NULL). */
am_overhead_fn am_sync_masked __attribute__((weak)), am_sync_scope __attribute__((weak)),
    am_sync_loop __attribute__((weak)), am_sync_scan __attribute__((weak)), am_sync_reduction_user,
    am_sync_cancel, am_sync_cancellation_point, am_sync_flush, am_sync_for_simd,
    am_sync_allocate __attribute__((weak));

/* Atomics: in an iteration every thread accesses one shared variable once. */
am_overhead_fn am_sync_add_f64, am_sync_add_f64_plain, am_sync_seq_cst, am_sync_add_i64,
    am_sync_add_i64_plain, am_sync_read, am_sync_read_plain, am_sync_write, am_sync_write_plain,
    am_sync_capture, am_sync_capture_plain;

#endif
