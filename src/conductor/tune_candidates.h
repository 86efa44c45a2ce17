/* SPDX-License-Identifier: MIT */
/* What a launch tells a tuner: what the bench chose, what may be tried instead, and how good a
 * visit was. */
#ifndef AM_CONDUCTOR_TUNE_CANDIDATES_H
#define AM_CONDUCTOR_TUNE_CANDIDATES_H

#include "base/arena.h"
#include "base/kv.h"
#include "base/status.h"
#include "core/bench/axis.h"
#include "core/bench/plan.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

/* The point's values, those that it leaves open as the bench chose them; where it did not say, a
 * value stays open. NULL without memory. */
const struct am_value *am_tune_model(const struct am_point *point, const struct am_kvs *chosen,
                                     struct am_arena *arena);

/* The candidates of one axis at this point: what the bench proposed, in the syntax of am_axis.tune.
 * Without a proposal *values is left as it is. AM_E_PARSE where it cannot be read. */
enum am_status am_tune_candidates(const struct am_axis *axis, const struct am_kvs *proposed,
                                  const struct am_symbol *symbols, struct am_arena *arena,
                                  struct am_values *values, struct am_err *err);

/* What may be tried on one axis, numbers rising: the candidates, and what the bench chooses; where
 * it does not say, to leave it open. False without memory. */
bool am_tune_values(const struct am_values *given, const struct am_value *start,
                    struct am_arena *arena, struct am_values *out);
/* The index of a value that is among them. */
size_t am_tune_index(const struct am_values *values, const struct am_value *value);

/* Whether the visit had an undisturbed sample. */
bool am_tune_is_calm(const struct am_visit *visit);
/* Its best value of the first metric, of undisturbed samples where there are any; NAN without. */
double am_tune_visit_value(const struct am_visit *visit, enum am_better better);
/* The median of another metric over its undisturbed samples, of all where none is; NAN without. */
double am_tune_visit_middle(const struct am_visit *visit, size_t metric);
/* Why a visit that went well has no value of the metric: what the meters said of it. */
const char *am_tune_why_no_value(const struct am_visit *visit, struct am_arena *arena);

#endif
