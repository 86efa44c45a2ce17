/* SPDX-License-Identifier: MIT */
/* The words of progress: how far a run is, and what it just measured. Functions of their arguments:
 * drawing them is progress.c's. */
#ifndef AM_CLI_PROGRESS_LINES_H
#define AM_CLI_PROGRESS_LINES_H

#include "conductor/conductor.h"

#include <stdbool.h>

enum { AM_PROGRESS_LINE_MAX = 2 * AM_POINT_TEXT_MAX };

struct am_progress_lines {
    char far[AM_PROGRESS_LINE_MAX];  /* "[####----]  50 %  40 of 80, 0:30, 0:30 left" */
    char what[AM_PROGRESS_LINE_MAX]; /* "load latency by a pointer chase, size 256 MiB: 118 ns ..."
                                      */
};

/* Both lines, each at most `columns` wide (0: no bar, and nothing is cut). */
void am_progress_lines(const struct am_progress *p, unsigned columns, bool utf8,
                       struct am_progress_lines *out);

#endif
