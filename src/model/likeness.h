/* SPDX-License-Identifier: MIT */
/* Seconds of one iteration of a point by the roofs of two machines, like with like.
 *
 * A bound may take the fastest rate that could serve a point, of whatever instruction set. What is
 * compared must not: both machines are asked for the narrowest instruction set that both measured
 * and that is not below the point's, for the same operation, and for every level of memory that may
 * serve the point. Where a level was not measured, a faster one gives the least and a slower one
 * the most that it can take. Points that nobody says the operation of are compared by each that
 * both measured: a core that fuses products and one that has pipes of their own for sums are not
 * alike. */
#ifndef AM_MODEL_LIKENESS_H
#define AM_MODEL_LIKENESS_H

#include "model/explain.h"
#include "model/machine.h"

#include <stdbool.h>

/* least <= likely <= most; where levels differ, `likely` is the geometric mean of the ends. */
struct am_seconds {
    double least, likely, most;
};

enum { AM_LIKENESSES_MAX = 8 };

/* One comparison per operation; of points that do not compute, one. */
struct am_likeness {
    struct am_seconds here, there;
};

/* How many; 0 where no ceiling limits the time on one of them: `missing` says so in words. */
size_t am_likenesses(const struct am_explanation *here, const struct am_machine_model *here_by,
                     const struct am_explanation *there, const struct am_machine_model *machine,
                     struct am_likeness out[AM_LIKENESSES_MAX], const char **missing);

#endif
