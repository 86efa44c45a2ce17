/* SPDX-License-Identifier: MIT */
/* One run compared with itself: the points that differ in one axis only, e.g. two OpenMP runtimes.
 */
#ifndef AM_MODEL_BETWEEN_H
#define AM_MODEL_BETWEEN_H

#include "base/arena.h"
#include "base/status.h"
#include "store/store.h"

/* The results whose `axis` has `value`, without that axis and whatever worker measured them: two of
 * these sets compare like two runs. The rest of the set is shared with `set`. AM_E_USAGE when no
 * result has the axis or the value, with those that there are. */
enum am_status am_results_where(const struct am_result_set *set, const char *axis,
                                const char *value, struct am_arena *arena,
                                struct am_result_set *out, struct am_err *err);

#endif
