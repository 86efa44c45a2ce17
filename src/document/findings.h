/* SPDX-License-Identifier: MIT */
/* The findings of doctor. */
#ifndef AM_DOCUMENT_FINDINGS_H
#define AM_DOCUMENT_FINDINGS_H

#include "document/document.h"
#include "topo/doctor.h"

struct am_findings_view {
    const struct am_findings *findings;
    bool synthetic; /* they are of a false root, not of this machine, and say so */
};

struct am_document am_document_findings(const struct am_findings_view *view);

/* For a page: what disturbs, and folded away what is in order. */
void am_findings_section(struct am_body *b, const struct am_findings *findings);
void am_data_findings(struct am_data *d, const struct am_findings *findings);

#endif
