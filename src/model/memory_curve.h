/* SPDX-License-Identifier: MIT */
/* Curves over the size of a problem, one thread: how often applications go to main memory, and what
 * that costs them by the thesis's model (Lien 2012, 7.1.2). */
#ifndef AM_MODEL_MEMORY_CURVE_H
#define AM_MODEL_MEMORY_CURVE_H

#include "base/arena.h"
#include "model/facts.h"
#include "store/store.h"

/* Accesses are lines of main memory. */
struct am_memory_point {
    const struct am_result *result; /* the fastest of this size */
    double bytes;                   /* that the program reads and writes */
    double flops;                   /* a second */
    double ratio;     /* R_m, accesses a flop: by counters, or by bytes where the work does not fit
                       * into the last cache */
    double predicted; /* share of the time that is waiting, L R_m / (1 / P_max + L R_m); NAN when
                       * the latency of memory is not known */
    double observed;  /* 1 - speed / P_max */
};

struct am_memory_curve {
    const struct am_result *head;   /* bench, type and the like: what all points share */
    struct am_memory_point *points; /* by rising bytes */
    size_t n;
    double pmax;  /* flop/s, the fastest of them */
    bool counted; /* R_m by counters */
};

struct am_memory_curves {
    struct am_memory_curve *items;
    size_t n;
};

/* Of app.blackscholes, app.fft and app.gemm; `facts` may have memory.latency and memory.size.
 * Curves of two sizes or more. */
void am_memory_curves_make(const struct am_result_set *set, const struct am_facts *facts,
                           struct am_arena *arena, struct am_memory_curves *out);

/* The thesis's model, with the latency in seconds. */
double am_memory_overhead(double latency, double ratio, double pmax);

#endif
