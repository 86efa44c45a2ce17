/* SPDX-License-Identifier: MIT */
/* A comparison of two runs. */
#ifndef AM_DOCUMENT_COMPARISON_H
#define AM_DOCUMENT_COMPARISON_H

#include "document/document.h"
#include "model/compare.h"

struct am_comparison_view {
    const struct am_comparison *comparison;
    const struct am_compare_settings *settings;
    const struct am_result_set *a, *b;
    const char *name_a, *name_b; /* what the sides are called in the text */
    bool changes_only;           /* leave out the rows whose verdict is `same` */
    const char *last;            /* a sentence below it all; NULL: none */
};

struct am_document am_document_comparison(const struct am_comparison_view *view);

/* For a page: counts, differences, a picture, and folded away rows and what cannot be compared.
 * The view lives as long as the blocks. */
void am_comparison_section(struct am_body *b, const struct am_comparison_view *view);

#endif
