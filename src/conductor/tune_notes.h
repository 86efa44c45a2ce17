/* SPDX-License-Identifier: MIT */
/* What the notes of a launch tell a tuner: what the bench chose, and what may be tried instead. */
#ifndef AM_CONDUCTOR_TUNE_NOTES_H
#define AM_CONDUCTOR_TUNE_NOTES_H

#include "base/arena.h"
#include "base/kv.h"
#include "base/status.h"
#include "core/bench/axis.h"
#include "core/bench/plan.h"

/* The point's values, those that it leaves open as notes of their names say; where there is none,
 * or none that can be read, a value stays open. NULL without memory. */
const struct am_value *am_tune_model(const struct am_point *point, const struct am_kvs *notes,
                                     struct am_arena *arena);

/* The candidates of one axis at this point: what its note "tune_AXIS" says, in the syntax of
 * am_axis.tune. Without that note *values is left as it is. AM_E_PARSE where it cannot be read. */
enum am_status am_tune_candidates(const struct am_axis *axis, const struct am_kvs *notes,
                                  const struct am_symbol *symbols, struct am_arena *arena,
                                  struct am_values *values, struct am_err *err);

#endif
