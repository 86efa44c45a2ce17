/* SPDX-License-Identifier: MIT */
/* A run's results: what show, run and export say, and the tables of a page. */
#ifndef AM_DOCUMENT_RESULTS_H
#define AM_DOCUMENT_RESULTS_H

#include "document/document.h"

/* The whole set; CSV has one row per point and metric. */
struct am_document am_document_results(const struct am_result_set *set);
/* The same; but of benches with more points than anybody reads people see how many there are, how
 * good they are, and the slowest. */
enum { AM_RESULTS_READ_MOST = 48 };
struct am_document am_document_results_short(const struct am_result_set *set);
/* Tells how many points of a bench there are and how good (results_short.c); returns which are the
 * slowest, in the body's arena, NULL without memory. */
const bool *am_results_pick(struct am_body *b, const struct am_result *first, size_t n);

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
