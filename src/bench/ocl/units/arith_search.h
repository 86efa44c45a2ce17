/* SPDX-License-Identifier: MIT */
/* ocl.arith: the kernel for a point, and the search for what the point leaves open. */
#ifndef AM_BENCH_OCL_ARITH_SEARCH_H
#define AM_BENCH_OCL_ARITH_SEARCH_H

#include "bench/ocl/units/arith.h"
#include "bench/ocl/host/program.h"
#include "bench/ocl/host/timing.h"

/* What a point asks for; 0 is left to the search. */
struct am_arith_request {
    enum am_arith_op op;
    enum am_arith_type type;
    bool quadratic;
    unsigned width, chains, items, group, unroll;
};

/* Data of all trials. Room for the widest and most. Zero-initialise. */
struct am_arith_buffers {
    double operands[AM_ARITH_OPERANDS];
    double seeds[AM_ARITH_CHAINS_MAX * AM_ARITH_WIDTH_MAX];
    cl_mem device_operands, device_seeds, out;
};
void am_arith_buffers_free(struct am_arith_buffers *b); /* accepts a zeroed struct */

/* A kernel that is ready to run. Zero-initialise. */
struct am_arith_trial {
    struct am_arith_shape shape;
    struct am_ocl_program program;
    struct am_ocl_loop loop;
    double turn_ns; /* of the loop, when it was chosen */
};
void am_arith_trial_free(struct am_arith_trial *t); /* accepts a zeroed struct */

/* Finds the request's best, in bounded time: chains first, then work-items, then the group, each
 * from the likeliest on. What an earlier launch of the run has found is taken, and only timed,
 * unless it was found while something disturbed the device. Notes what was chosen. */
enum am_status am_arith_search(struct am_ocl_timer *timer, const struct am_arith_request *request,
                               struct am_arith_buffers *buffers, struct am_arith_trial *best,
                               struct am_err *err);

/* Races the trial against its rival (arith.h), where it has one. When that is slower by more than
 * forms differ, the compiler has combined steps of the trial: the rival takes its place. Notes the
 * ratio of their times, and a rival that counts. */
enum am_status am_arith_rival(struct am_ocl_timer *timer, const struct am_arith_request *request,
                              struct am_arith_buffers *buffers, struct am_arith_trial *trial,
                              struct am_err *err);

enum { AM_ARITH_TRIED_MAX = 448 }; /* bytes of what is said of all candidates */

/* What a search found, for the launches of the run after it (host/handed.h). */
struct am_arith_winner {
    uint64_t items, group;
    uint32_t chains, tried;
    char
        list[AM_ARITH_TRIED_MAX]; /* of the tried: "1x270336/256 6.6e+04, ..."; as far as it fits */
    uint32_t searches;            /* in this run, this one included */
    uint32_t complete;            /* 0: time was up before all candidates were tried */
    double rate;                  /* operations a nanosecond, in the search */
};
enum { AM_ARITH_SEARCHES_MAX = 3 /* of a run, however disturbed */ };
/* False when nothing is known, or what is known is not what the request allows. */
bool am_arith_winner_take(const struct am_ocl_device *d, const struct am_arith_request *request,
                          struct am_arith_winner *w);
void am_arith_winner_leave(const struct am_ocl_device *d, const struct am_arith_request *request,
                           const struct am_arith_winner *w);

/* The doubling gate of the chosen kernel; notes the ratio. */
enum am_status am_arith_gate(struct am_ocl_timer *timer, const struct am_arith_buffers *buffers,
                             struct am_arith_trial *trial, struct am_err *err);

#endif
