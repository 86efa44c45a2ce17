/* SPDX-License-Identifier: MIT */
/* Which results are repetitions of equal work. */
#include "family/steadiness.h"

#include <string.h>

bool am_steadiness_is(const struct am_result *result)
{
    return strcmp(result->bench, "meter.stability") == 0 && result->state == AM_POINT_OK;
}

bool am_steadiness_tells(const struct am_result_metric *metric)
{
    return strcmp(metric->name, "time") == 0 || strncmp(metric->name, "energy:", 7) == 0 ||
           strncmp(metric->name, "power:", 6) == 0;
}
