/* SPDX-License-Identifier: MIT */
/* The overhead of a construct: its time less the time of the same work done by one thread and
 * divided perfectly, O_p = T_p - T_s / p. */
#ifndef AM_BENCH_OMP_OVERHEAD_H
#define AM_BENCH_OMP_OVERHEAD_H

#include "core/bench/bench.h"

/* Performs n iterations, n >= 1. Calls that no sample counts are made in between: a bench that
 * verifies counts does so in what it runs here, not in run_timed(). */
typedef void am_overhead_fn(void *self, uint64_t n);

/* One construct and what it is compared with. An iteration of each function stands for `units`
 * directives: where every one of p threads enters a critical section n times, units is p, and an
 * iteration of the reference is p delays. Where the work is shared, an iteration of the reference
 * is what one thread does of it: the division by p is the bench's, by construction. */
struct am_overhead {
    am_overhead_fn *construct; /* on all threads, the enclosing parallel region included */
    am_overhead_fn *reference; /* on one thread, outside of any region */
    am_overhead_fn *beside;    /* a second construct to measure in the same batch, or NULL */
    double units;              /* directives of one iteration: divides every time */
};

/* Per directive, in seconds; `hz` is the core clock during the batch, 0 where not measurable. */
struct am_overhead_times {
    double construct, reference, beside, hz;
};

/* A difference of two times of nearly the same size is noisy by nature: more launches than this
 * asks for would buy little. */
#define AM_OVERHEAD_TARGET 0.05

/* The first metrics of every bench that measures an overhead; its own ones follow. */
enum am_overhead_metric {
    AM_OVERHEAD,
    AM_OVERHEAD_CYCLES,
    AM_OVERHEAD_TIME,
    AM_OVERHEAD_REFERENCE,
    AM_OVERHEAD_METRICS
};

#define AM_OVERHEAD_METRIC_ROWS                                                                    \
    [AM_OVERHEAD] = {"overhead", "s", AM_LOWER, AM_RULE_OWN,                                       \
                     "time of a directive beyond its reference; negative ones are shown"},         \
    [AM_OVERHEAD_CYCLES] = {"overhead_cycles", "cycle", AM_LOWER, AM_RULE_OWN,                     \
                            "the same by the core clock measured around it"},                      \
    [AM_OVERHEAD_TIME] = {"time", "s", AM_LOWER, AM_RULE_OWN, "time of a directive"},              \
    [AM_OVERHEAD_REFERENCE] = {"reference", "s", AM_LOWER, AM_RULE_OWN,                            \
                               "time of its work on one thread, perfectly divided"}

/* What they state of their uncertainty, and what is made of them in some benches: every slice is
 * timed alone, and overheads are differences. */
extern const struct am_systematic am_overhead_systematic[];

/* A batch of `iters` iterations (one at least) for run_timed(): slices of reference, construct and
 * `beside` in turn, so that what disturbs one disturbs the others; of each the median slice counts.
 * Before each slice of a construct one iteration wakes the team, untimed. Fills the metrics above
 * and elapsed_ns, the construct's time in all slices; `times` too unless NULL. */
void am_overhead_run(const struct am_overhead *o, void *self, const struct am_clock *clock,
                     uint64_t iters, struct am_batch *batch, struct am_overhead_times *times);

#endif
