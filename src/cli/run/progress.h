/* SPDX-License-Identifier: MIT */
/* Progress on stderr: one redrawn line on a terminal, plain lines elsewhere. */
#ifndef AM_CLI_PROGRESS_H
#define AM_CLI_PROGRESS_H

#include "cli/words/options.h"
#include "conductor/conductor.h"

#include <stdbool.h>

struct am_progress_view {
    bool silent, interactive, verbose;
    bool drawn;          /* a line stands on the terminal that must be erased */
    double last_plain_s; /* when the latest plain line was written */
    unsigned min_launches;
};

void am_progress_begin(struct am_progress_view *view, const struct am_options *opt,
                       const struct am_plan *plan);
am_progress_fn am_progress_show; /* self: struct am_progress_view */
void am_progress_end(struct am_progress_view *view);

/* The text of one line, cut to `columns` (0: not cut). */
void am_progress_line(const struct am_progress *p, unsigned min_launches, unsigned columns,
                      char *buf, size_t cap);

#endif
