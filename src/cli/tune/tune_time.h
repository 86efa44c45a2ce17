/* SPDX-License-Identifier: MIT */
/* How long a tuning takes, told before it begins. With a meter that needs windows of seconds a
 * visit takes seconds too, and whoever waits for minutes should know it, and whether the time that
 * was given can show a gain at all. */
#ifndef AM_CLI_TUNE_TIME_H
#define AM_CLI_TUNE_TIME_H

#include "conductor/tuner.h"

/* Of all points of the plan; `candidates` of them together count where there is no budget. */
void am_tune_tell_time(const struct am_plan *plan, const struct am_tuner *tuner, double candidates);

#endif
