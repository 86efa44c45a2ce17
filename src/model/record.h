/* SPDX-License-Identifier: MIT */
/* What runs of one machine differ by, from earlier runs of the same build.
 *
 * A run's mean of a row differs from the next run's by more than its launches tell. Where at least
 * three earlier runs have the row, the variance of their means is known, with as many degrees of
 * freedom as there are runs but one; it is added to the change's own. Few runs make it wide, not
 * wrong. */
#ifndef AM_MODEL_RECORD_H
#define AM_MODEL_RECORD_H

#include "store/store.h"

enum { AM_RECORD_LEAST = 3 };

struct am_record {
    const struct am_result_set *runs; /* settled */
    size_t n;
};

/* The standard deviation of the run means (logarithms) of this metric of the point; NAN with fewer
 * than AM_RECORD_LEAST. *runs is how many have it. */
double am_record_spread(const struct am_record *record, const struct am_result *result,
                        const char *metric, size_t *runs);

/* Whether `run` may be in the record of `of`: another run of the same machine by the same workers,
 * with the same settings of its samples, and complete. */
bool am_record_takes(const struct am_result_set *of, const struct am_result_set *run);

/* Whether both sets say which worker programs measured them, and those are the same. */
bool am_record_same_workers(const struct am_result_set *a, const struct am_result_set *b);

#endif
