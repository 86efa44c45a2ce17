/* SPDX-License-Identifier: MIT */
/* Progress on stderr: two lines that are drawn again on a terminal, plain lines elsewhere. */
#ifndef AM_CLI_PROGRESS_H
#define AM_CLI_PROGRESS_H

#include "cli/words/options.h"
#include "conductor/conductor.h"

#include <stdbool.h>

struct am_progress_view {
    bool silent, interactive, verbose, utf8;
    bool drawn;          /* lines stand on the terminal that must be erased */
    double last_plain_s; /* when the latest plain line was written */
};

/* `utf8`: the terminal shows it. */
void am_progress_begin(struct am_progress_view *view, const struct am_options *opt, bool utf8);
am_progress_fn am_progress_show; /* self: struct am_progress_view */
void am_progress_end(struct am_progress_view *view);

#endif
