/* SPDX-License-Identifier: MIT */
/* What `archmeter time --sensitivity` says: per command how much was taken of what, how much slower
 * it became, and what it therefore depends on. */
#ifndef AM_DOCUMENT_COMMANDS_SENSITIVITY_H
#define AM_DOCUMENT_COMMANDS_SENSITIVITY_H

#include "document/document.h"
#include "model/foresee.h"
#include "model/machine.h"

struct am_sensitivity_view {
    const struct am_result_set *set;
    const struct am_sensitivity *items; /* one per command */
    size_t n;
    const char *path; /* of the results; NULL: not told */
};

struct am_document am_document_sensitivity(const struct am_sensitivity_view *view);

/* The same commands on another machine. */
struct am_foresight_view {
    const struct am_result_set *set;
    const struct am_machine_model *machine;
    const struct am_foresight *items; /* one per command */
    size_t n;
};

struct am_document am_document_foresight(const struct am_foresight_view *view);

#endif
