/* SPDX-License-Identifier: MIT */
/* meter.stability as the thesis tells it: a row a quantity, and what the meters say of themselves.
 */
#ifndef AM_REPORT_STEADY_H
#define AM_REPORT_STEADY_H

#include "base/arena.h"
#include "report/style.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdio.h>

bool am_report_is_steady(const struct am_result *result); /* one of meter.stability, with values */

/* Time, energy and power of all repetitions: median, mean, deviation, extremes, outliers; below it
 * the update period of every meter, which the set has. */
void am_report_steady(const struct am_result *result, const struct am_result_set *set,
                      const struct am_style *style, struct am_arena *arena, FILE *out);

#endif
