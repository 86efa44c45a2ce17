/* SPDX-License-Identifier: MIT */
/* Measured against bound. */
#ifndef AM_DOCUMENT_EXPLANATION_H
#define AM_DOCUMENT_EXPLANATION_H

#include "document/document.h"
#include "family/family.h"
#include "model/explain.h"

struct am_explanation_view {
    const struct am_result_set *set;
    const struct am_explanations *all;
    const struct am_analysis *analyses; /* of the applications among the points */
    size_t n_analyses;
    const char *ceilings; /* the model that gives them, of the same machine; NULL: the run itself */
    const char *node;     /* the machine's name in a merged file; else NULL */
    const struct am_explanation_view *next; /* the next machine of that file */
};

struct am_document am_document_explanation(const struct am_explanation_view *view);

/* Analyses of applications as paragraphs, and as "analyses". */
void am_analyses_blocks(struct am_body *b, const struct am_analysis *analyses, size_t n);
void am_data_analyses(struct am_data *d, const struct am_analysis *analyses, size_t n);

/* For a page: what the bounds mean, and every point folded away. */
void am_explanation_section(struct am_body *b, const struct am_explanations *all);

#endif
