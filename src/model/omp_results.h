/* SPDX-License-Identifier: MIT */
/* Results of the OpenMP benches as their derivers choose them. */
#ifndef AM_MODEL_OMP_RESULTS_H
#define AM_MODEL_OMP_RESULTS_H

#include "model/facts.h"

/* Whether the parameter of a result has this text. */
bool am_omp_result_is(const struct am_result *r, const char *param, const char *text);
/* Whether both have the parameter with the same text. */
bool am_omp_result_same(const struct am_result *a, const struct am_result *b, const char *param);
/* Of this bench, and measured as programs run that say nothing special: bound threads, the
 * runtime's own waiting. */
bool am_omp_result_usual(const struct am_result *r, const char *bench);
/* Whether no such result of the same bench, runtime and `what` has an overhead of more threads. */
bool am_omp_result_widest(const struct am_result_set *set, const struct am_result *r,
                          const char *what);
/* Bench and point in words; NULL when memory is refused. */
const char *am_omp_result_words(const struct am_facts *facts, const struct am_result *r);

#endif
