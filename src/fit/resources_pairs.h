/* SPDX-License-Identifier: MIT */
/* Inside the fit of resources only: what instructions cost beside those of one class that keep busy
 * what they need most, by mixes of just two. */
#ifndef AM_FIT_RESOURCES_PAIRS_H
#define AM_FIT_RESOURCES_PAIRS_H

#include "fit/resources.h"

/* Of a mix of `kind` and one other class: which that is, and what an instruction of it costs at
 * most while those of `kind` take as long as alone. False: there is none, or more than one. The
 * loop's own instructions make a further part of less than one. */
bool am_resources_pair_cost(const struct am_resources_input *input,
                            const struct am_resources_mix *mix, size_t kind, size_t *other,
                            double *cost);
/* The same as a weight, where it is the least of several: none where it is next to nothing, and
 * never more than the class takes alone. */
double am_resources_pair_weight(double cost, double alone);

/* Adds columns to weights (kinds x *n), each of them what the others cost beside one class. Mixes
 * of two make them, and mixes of three and more test them: a column is added where it takes much of
 * the error away from those that it bounds. False when memory is refused. */
bool am_resources_pairs_add(const struct am_resources_input *input, struct am_arena *arena,
                            double **w_p, size_t *n_p);

#endif
