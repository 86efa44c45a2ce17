/* SPDX-License-Identifier: MIT */
/* Several results of one run against each other: every pair a row, judged like the rows of a
 * comparison.
 *
 * For points that answer one question in different ways (commands that do the same work), which
 * were measured in turns. Verdicts keep their level over all pairs together (Holm). */
#ifndef AM_MODEL_AMONG_H
#define AM_MODEL_AMONG_H

#include "model/compare.h"

/* Rows by the primary metric, in the order (0, 1), (0, 2), ..., (1, 2), ...; results that are not
 * ok have none. The results must be settled. */
enum am_status am_compare_among(const struct am_result *const *results, size_t n,
                                const struct am_compare_settings *settings, struct am_arena *arena,
                                struct am_comparison *out, struct am_err *err);

#endif
