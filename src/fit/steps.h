/* SPDX-License-Identifier: MIT */
/* Curves that climb in smooth steps: latency over working set.
 *
 * The model is f(s) = L (1 + sum of e^b m(s)), where m rises from 0 to 1 around the step's place c,
 * the capacity of a cache. Pages fall into its sets at random, so that a set of w ways overflows
 * with the Poisson probability P(w, w s/c) (the regularised incomplete gamma function); of the
 * loads of overfull sets a power law hits: the best policy keeps c/s of them (p = 1), random
 * replacement is near p = 2.5, LRU keeps nothing (p large). Both together are a closed form: log s
 * is the sum of a log-gamma and an exponential variable. Even sets are a large w, a share that
 * varies a small one. So the place is the capacity whatever the policy, where sizes near it were
 * measured.
 *
 * Values and sizes are natural logarithms. Residuals count by Student's t with 4 degrees of
 * freedom, so that one bad size in ten does no harm. Everything is deterministic. */
#ifndef AM_FIT_STEPS_H
#define AM_FIT_STEPS_H

#include <stdbool.h>
#include <stddef.h>

enum { AM_STEPS_MAX = 7, AM_STEPS_POINTS_MAX = 512 };

/* One step; all but none of these are logarithms. */
struct am_step {
    double height;     /* log of its height over the base level */
    double place;      /* log of c */
    double tail, ways; /* log of p and of w */
};

struct am_steps {
    double base; /* log of L */
    struct am_step items[AM_STEPS_MAX];
    size_t n;
    double loss; /* of the data it was fitted to; smaller is better */
};

/* Places by rising x; sigma is the standard error of y. */
struct am_steps_data {
    const double *x, *y, *sigma;
    size_t n;
};

/* The curve at x, and how steep it is there: d log f / d log s. */
double am_steps_at(const struct am_steps *steps, double x);
double am_steps_slope(const struct am_steps *steps, double x);

/* Improves `steps` by Levenberg-Marquardt, at most `iterations` of them. `hold`: index of a step
 * whose place is kept; SIZE_MAX: none. Steps stay in their order. */
void am_steps_improve(struct am_steps *steps, const struct am_steps_data *data, size_t iterations,
                      size_t hold);

/* The best fits with 1, 2, ... steps, each sorted by place; returns how many there are. Stops when
 * two more steps in a row gained nothing. Needs three places or more; 0 when memory is refused. */
size_t am_steps_fit(const struct am_steps_data *data, struct am_steps fits[AM_STEPS_MAX]);

#endif
