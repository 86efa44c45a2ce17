/* SPDX-License-Identifier: MIT */
/* Which results are repetitions of equal work, and which of their metrics tell a meter's
 * steadiness.
 */
#ifndef AM_FAMILY_STEADINESS_H
#define AM_FAMILY_STEADINESS_H

#include "evidence/evidence.h"

/* One of meter.stability, with values. */
bool am_steadiness_is(const struct am_result *result);
/* What a meter says, and the time, which tells an unsteady machine from an unsteady meter. */
bool am_steadiness_tells(const struct am_result_metric *metric);

#endif
