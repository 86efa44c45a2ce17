/* SPDX-License-Identifier: MIT */
/* What `archmeter omp cost` says: a row per construct and place with the seconds that it costs the
 * program, and what to change. For programs every row; for people those that cost most. */
#ifndef AM_DOCUMENT_COMMANDS_OMP_COST_H
#define AM_DOCUMENT_COMMANDS_OMP_COST_H

#include "document/document.h"
#include "family/omp/cost.h"

struct am_omp_cost_view {
    const struct am_result_set *set;
    const struct am_omp_cost *cost;
    const char *path; /* of the results, for what to type next; NULL: nothing is told */
    bool all;         /* every row */
};

struct am_document am_document_omp_cost(const struct am_omp_cost_view *view);

#endif
