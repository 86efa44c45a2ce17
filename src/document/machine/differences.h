/* SPDX-License-Identifier: MIT */
/* Machine models against each other: what each is, in which facts they differ, and how sure that
 * is. */
#ifndef AM_DOCUMENT_DIFFERENCES_H
#define AM_DOCUMENT_DIFFERENCES_H

#include "document/document.h"
#include "model/differ.h"

struct am_differences_view {
    const struct am_differences *all;
    bool every; /* rows that do not differ are told too */
};

/* For programs every row, and the provenance of every model. */
struct am_document am_document_differences(const struct am_differences_view *view);

/* ---- parts of the model of a merged file ---- */

/* Which facts differ between the nodes. */
void am_differences_blocks(struct am_body *b, const struct am_differences_view *view);
/* "differences": an array of rows. */
void am_data_differences(struct am_data *d, const struct am_differences *all);

#endif
