/* SPDX-License-Identifier: MIT */
/* What a construct promises and whether it kept it: counts, exclusion, order, waiting. */
#ifndef AM_BENCH_OMP_CHECK_H
#define AM_BENCH_OMP_CHECK_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Filled while a construct runs under observation. The code that is observed is the code that is
 * timed: it looks at `on` and calls the functions below only when it is set. */
struct am_omp_check {
    bool on;
    _Atomic uint64_t works;      /* pieces of work done */
    volatile uint64_t exclusive; /* the same, counted without protection but the construct's own */
    volatile uint64_t next;      /* index that ordered work must have */
    _Atomic uint64_t disorder;   /* pieces that came out of turn */
    _Atomic uint64_t early;      /* threads that went on before the others' work was done */
    _Atomic uint64_t kept;       /* entries of the thread that had entered last, too */
};

/* What to hold a construct to. */
struct am_check_promise {
    uint64_t works;
    bool excludes, orders;
    bool hands_over; /* no thread enters twice in turn */
};

void am_check_begin(struct am_omp_check *c);
void am_check_work(struct am_omp_check *c);
void am_check_exclusive(struct am_omp_check *c);
void am_check_order(struct am_omp_check *c, uint64_t index);
/* Called by a thread inside; `before`: the one that was inside last. */
void am_check_handed(struct am_omp_check *c, int before, int me);
/* Called by a thread that may go on only after `least` pieces of work. */
void am_check_joined(struct am_omp_check *c, uint64_t least);
/* Ends the observation. AM_E_WRONG with the story when a promise was broken; `residual` counts what
 * is wrong. */
enum am_status am_check_end(struct am_omp_check *c, const struct am_check_promise *promise,
                            double *residual, struct am_err *err);

#endif
