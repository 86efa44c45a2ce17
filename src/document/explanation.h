/* SPDX-License-Identifier: MIT */
/* Measured against bound. */
#ifndef AM_DOCUMENT_EXPLANATION_H
#define AM_DOCUMENT_EXPLANATION_H

#include "document/document.h"
#include "model/explain.h"

struct am_explanation_view {
    const struct am_result_set *set;
    const struct am_explanations *all;
};

struct am_document am_document_explanation(const struct am_explanation_view *view);

/* For a page: what the bounds mean, and every point folded away. */
void am_explanation_section(struct am_body *b, const struct am_explanations *all);

#endif
