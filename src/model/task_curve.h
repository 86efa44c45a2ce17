/* SPDX-License-Identifier: MIT */
/* Curves over the size of tasks: the results of app.blackscholes that differ in nothing else, with
 * the models that were fitted to them. */
#ifndef AM_MODEL_TASK_CURVE_H
#define AM_MODEL_TASK_CURVE_H

#include "base/arena.h"
#include "fit/task_fit.h"
#include "store/store.h"

struct am_task_curve {
    const struct am_result **results; /* by rising size of tasks */
    struct am_task_point *points;     /* parallel: medians of the time */
    size_t n;
    size_t threads;
    double flops; /* of the whole work */
    bool has_simple, has_fit;
    struct am_task_simple simple;
    struct am_task_fit fit;
};

struct am_task_curves {
    struct am_task_curve *items;
    size_t n;
};

/* Those with three sizes or more; none when memory is refused. */
void am_task_curves_make(const struct am_result_set *set, struct am_arena *arena,
                         struct am_task_curves *out);

/* Size of tasks that the fit says is the fastest, of those measured: an index into points. */
size_t am_task_curve_predicted(const struct am_task_curve *curve);
/* That which was. */
size_t am_task_curve_fastest(const struct am_task_curve *curve);

/* The curve that differs from this one in `param` only, there being `text`; NULL: none. */
const struct am_task_curve *am_task_curve_other(const struct am_task_curves *curves,
                                                const struct am_task_curve *curve,
                                                const char *param, const char *text);

#endif
