/* SPDX-License-Identifier: MIT */
/* The machines of a merged file: which facts differ between them, then the model of each. */
#ifndef AM_DOCUMENT_MACHINES_H
#define AM_DOCUMENT_MACHINES_H

#include "document/document.h"
#include "family/family.h"
#include "model/differ.h"

enum { AM_MACHINES_TOLD = 4 }; /* models in full; of more only the differences are told */

struct am_machines_view {
    const struct am_machine_models *models;
    const struct am_guidelines *guidelines;   /* parallel to the models */
    const struct am_differences *differences; /* by am_nodes_differ() */
};

/* For programs "models", each as a file of its own has it, and "differences"; CSV: the latter. */
struct am_document am_document_machines(const struct am_machines_view *view);

#endif
