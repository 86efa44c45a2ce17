/* SPDX-License-Identifier: MIT */
/* A history of runs: what changed and when, every headline over time, and an index of the runs. */
#ifndef AM_DOCUMENT_HISTORY_H
#define AM_DOCUMENT_HISTORY_H

#include "document/document.h"
#include "model/history.h"

struct am_history_view {
    const struct am_history *history;
    const char *const *pages; /* by run: where its page is, for links; NULL: it has none */
};

struct am_document am_document_history(const struct am_history_view *view);

#endif
