/* SPDX-License-Identifier: MIT */
/* Data-sharing clauses applied to arrays: one function a clause and size, over hooks that stand for
 * the work when timed and that look at every element when checked. */
#ifndef AM_BENCH_OMP_ARRAY_H
#define AM_BENCH_OMP_ARRAY_H

#include "bench/omp/overhead.h"

#include <stddef.h>

/* In the order of the axis `clause`. */
enum am_array_clause {
    AM_ARRAY_PRIVATE,
    AM_ARRAY_FIRSTPRIVATE,
    AM_ARRAY_LASTPRIVATE,
    AM_ARRAY_COPYIN,
    AM_ARRAY_COPYPRIVATE,
    AM_ARRAY_REDUCTION,
    AM_ARRAY_CLAUSES
};

struct am_array_job;

/* Looks at or works on an array of the size at hand; `who` is the iteration of a loop, else 0. */
typedef void am_array_hook(struct am_array_job *job, size_t who, double *a);

/* `self` of the functions below. Calls through pointers keep the compiler from dropping a copy that
 * nobody reads; reference and constructs make the same ones. */
struct am_array_job {
    am_array_hook *body; /* the work, on the thread's copy */
    am_array_hook *seen; /* afterwards, on the thread's copy: what copyprivate brought */
    am_array_hook *left; /* after each construct, on the original: what it left behind */
    size_t threads;
    uint64_t delay; /* cycles of the work */
};

struct am_array_size {
    size_t elements;
    double *original;               /* what private, firstprivate, ... are applied to */
    double *(*threadwise)(void);    /* the calling thread's copy of what copyin is applied to */
    am_overhead_fn *const *clauses; /* indexed by enum am_array_clause */
};

/* NULL when no such size was compiled: clauses take arrays of constant size. */
const struct am_array_size *am_array_find(int64_t elements);

/* The construct that carries the clause, without the clause and without an array. */
am_overhead_fn *am_array_plain(enum am_array_clause clause);

/* What one thread does of an iteration, without OpenMP. */
am_overhead_fn am_array_serial;

#endif
