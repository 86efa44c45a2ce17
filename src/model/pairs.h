/* SPDX-License-Identifier: MIT */
/* Rows that look changed, decided by fresh pairs of launches.
 *
 * Both sides of such a row are measured again in one run, A and B next to each other in an order
 * that is drawn (conductor/sides.h). A pair speaks for the change when B lies beyond the margin on
 * the side that was suspected. Without a change beyond it a pair does so with probability 1/2 at
 * most, whatever the law of the noise: a sign test, adjusted over these rows by Holm. Slow changes
 * of the machine meet both of a pair. What was measured before chose the rows and is not used
 * again. Where nothing can tell the sides apart but the time, the row is measured once more
 * instead, and judged against A as it was stored. */
#ifndef AM_MODEL_PAIRS_H
#define AM_MODEL_PAIRS_H

#include "model/compare.h"

/* Whether the row is to be measured again: it lies beyond delta and nothing has decided it. */
bool am_row_is_open(const struct am_comparison_row *row);
size_t am_comparison_open(const struct am_comparison *c);

/* How many pairs each of `rows` rows needs, so that one that disagrees is forgiven. */
size_t am_pairs_needed(size_t rows);

/* Decides the open rows of `c` by the launches of `a` and `b`, two sides of one run (am_results_
 * where()), paired by their rounds. Rows without pairs stay as they are. Evidence and figures of a
 * decided row are the fresh ones; the counts of `c` are made anew. */
enum am_status am_pairs_decide(const struct am_result_set *a, const struct am_result_set *b,
                               const struct am_compare_settings *settings, struct am_comparison *c,
                               struct am_err *err);

/* The same where B alone was measured again: an open row is `same` when B now lies within delta of
 * A as stored, and keeps its question otherwise. */
enum am_status am_pairs_refresh(const struct am_result_set *b,
                                const struct am_compare_settings *settings, struct am_comparison *c,
                                struct am_err *err);

#endif
