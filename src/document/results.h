/* SPDX-License-Identifier: MIT */
/* A run's results: what show, run and export say, and the tables of a page. */
#ifndef AM_DOCUMENT_RESULTS_H
#define AM_DOCUMENT_RESULTS_H

#include "document/document.h"

/* The whole set; CSV has one row per point and metric. */
struct am_document am_document_results(const struct am_result_set *set);

/* Of repetitions of equal work, as the thesis tells it: a row per quantity, and
 * what the meters say of themselves. Nothing for other benches (steady.c). */
void am_steady_blocks(struct am_body *b, const struct am_result *result,
                      const struct am_result_set *set);

/* One folded table per bench, for a page. */
void am_results_folded(struct am_body *b, const struct am_result_set *set);

/* The tree of a set and its flat table, for programs (results_data.c). */
am_data_fn am_results_data; /* self: the set */
void am_results_rows(struct am_body *b, const struct am_result_set *set);

#endif
