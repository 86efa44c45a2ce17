/* SPDX-License-Identifier: MIT */
/* Inside documents of studies only: what the form for people and that for programs share. */
#ifndef AM_DOCUMENT_STUDY_STUDY_DATA_H
#define AM_DOCUMENT_STUDY_STUDY_DATA_H

#include "document/study/study.h"

/* Numbers of the paper, of one kind. */
struct am_study_counts {
    size_t all, made, not_here, missing;
};
struct am_study_counts am_study_count(const struct am_study_view *view, enum am_study_kind kind);

/* B over A as measured, with what the relation multiplied A by taken out again. */
struct am_ratio am_study_ratio(const struct am_comparison_row *row);
/* What an outcome rests on, in a few words; never NULL. */
const char *am_study_evidence(const struct am_judged_study *s, const struct am_judged_claim *c,
                              struct am_arena *arena);

/* Why claim `i` came out otherwise than in the paper, and whether this run supports that; NULL
 * where it did not, or where no reason is stated. */
const char *am_study_because(const struct am_judged_study *s, size_t i, struct am_arena *arena);

am_data_fn am_study_data; /* self: the view */

#endif
