/* SPDX-License-Identifier: MIT */
/* Points of a run on another machine: what that machine would bound them to, and what to expect
 * there.
 *
 * The bound is a statement of that machine's ceilings. The expectation compares like with like
 * (model/likeness.h): the same instruction set, each kind of work by the levels of memory that may
 * serve it, from the fastest to the slowest. The time that the roofs here explain becomes that of
 * the roofs there; the rest of it is work of the core or waiting, and becomes what both machines'
 * clocks, instructions and latencies say of that, as far as they were measured, or what the roofs
 * gain. A point that comes nowhere near a roof here is only expected where instructions were
 * measured on both machines: else nothing that was measured holds it back, and nothing says what it
 * would do. All of it has an interval, and none of it is a measurement. */
#ifndef AM_MODEL_PREDICT_H
#define AM_MODEL_PREDICT_H

#include "model/explain.h"
#include "model/machine.h"

struct am_prediction {
    const struct am_explanation *here;  /* by the run's own ceilings */
    const struct am_explanation *there; /* by the other machine's: bound, bound_lo, bound_hi */
    const char *why_not;                /* nothing is said of it there; NULL: there is a bound */
    const char *unsure;      /* why nothing is expected although there is a bound; NULL: it is */
    double expected, lo, hi; /* in the metric's unit; NAN where nothing is expected */
    double factor, factor_lo, factor_hi; /* expected over measured, by the intervals of the bounds:
                                          * the measurement is on both sides. NAN as above */
    const char *limit;                   /* what then limits, in words; NULL: there is no bound */
};

struct am_predictions {
    struct am_prediction *items; /* in plan order */
    size_t n, unexplained;
};

struct am_predicting {
    const struct am_explanations *here, *there; /* of one set: am_explain() and am_explain_on() */
    const struct am_machine_model *here_by;     /* whose ceilings `here` was made with */
    const struct am_machine_model *machine;     /* the other one */
    struct am_arena *arena;
};

enum am_status am_predict(const struct am_predicting *predicting, struct am_predictions *out,
                          struct am_err *err);

#endif
