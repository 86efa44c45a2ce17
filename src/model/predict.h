/* SPDX-License-Identifier: MIT */
/* Points of a run on another machine: what that machine would bound them to, and what to expect
 * there if a point comes as near to its bound as it does here.
 *
 * The first is a statement of that machine's ceilings, the second rests on an assumption that
 * nothing here can show; both have an interval from what was measured, and neither is a
 * measurement. */
#ifndef AM_MODEL_PREDICT_H
#define AM_MODEL_PREDICT_H

#include "model/explain.h"
#include "model/machine.h"

struct am_prediction {
    const struct am_explanation *here;  /* by the run's own ceilings */
    const struct am_explanation *there; /* by the other machine's: bound, bound_lo, bound_hi */
    const char *why_not;                /* nothing is said of it there; NULL: there is a bound */
    double expected, lo, hi; /* in the metric's unit; NAN where the run itself shows no bound, or
                              * measured the point with grade C, which concludes nothing */
    double factor, factor_lo, factor_hi; /* expected over measured, by the intervals of the bounds:
                                          * the measurement is on both sides. NAN as above */
};

struct am_predictions {
    struct am_prediction *items; /* in plan order */
    size_t n, unexplained;
};

/* `here` and `there` are of the same set: am_explain() and am_explain_on(). */
enum am_status am_predict(const struct am_explanations *here, const struct am_explanations *there,
                          const struct am_machine_model *machine, struct am_arena *arena,
                          struct am_predictions *out, struct am_err *err);

#endif
