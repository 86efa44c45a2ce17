/* SPDX-License-Identifier: MIT */
/* What a run shows of a study: the paper's tables and figures as they are here, the paper's numbers
 * beside, and every claim with its outcome and the comparison behind it.
 *
 * am_study_make() makes figures and finds the points beside the paper's numbers; tables are made of
 * queries by whoever has the results file open. The document only tells: nothing is judged here. */
#ifndef AM_DOCUMENT_STUDY_STUDY_H
#define AM_DOCUMENT_STUDY_STUDY_H

#include "document/document.h"
#include "document/figure/figure.h"
#include "model/study/claims.h"
#include "store/query.h"

/* The row of that name in the table of any family; NULL: none, *nearest is then a likely meant
 * one, or NULL. */
const struct am_figure_row *am_study_row(const char *name, const char **nearest);

/* A point beside a number of the paper; without one, why. */
struct am_study_beside {
    const struct am_pick *pick;
    const char *why;
};

/* A table or figure as it came out. */
struct am_study_made {
    const struct am_study_item *item;
    const char *why;             /* it could not be made here: the reason; NULL: it is there */
    struct am_query_table table; /* of its queries */
    struct am_figure figure;     /* made where `drawn` */
    bool drawn;
    struct am_study_beside *beside; /* parallel to the item's numbers */
};

struct am_study_view {
    const struct am_study *study;
    const struct am_result_set *set;
    const struct am_judged_study *judged;
    const struct am_study_made *made; /* as many as the study has items */
    const char *path;                 /* of the results file */
    bool page;                        /* figures are drawn where this goes */
    bool all;                         /* every comparison is told, not the claims alone */
};

/* Figures of the items, and points beside the paper's numbers. `made` has one entry per item, whose
 * tables and reasons are set already. */
enum am_status am_study_make(const struct am_study *study, const struct am_result_set *set,
                             const struct am_facts *facts, struct am_arena *arena,
                             struct am_study_made *made, struct am_err *err);

struct am_document am_document_study(const struct am_study_view *view);

#endif
