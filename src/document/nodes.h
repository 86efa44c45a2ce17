/* SPDX-License-Identifier: MIT */
/* The machines of a merged file: how each part went, how each compares, which stand out. */
#ifndef AM_DOCUMENT_NODES_H
#define AM_DOCUMENT_NODES_H

#include "document/document.h"
#include "model/nodes.h"

/* One row per node: its name, how its part ended, results of planned points, and why not all. */
void am_nodes_blocks(struct am_body *b, const struct am_nodes *nodes);
struct am_document am_document_nodes(const struct am_nodes *nodes);

/* The same with each node's standing among the others, and where it stands out. */
void am_nodes_study_blocks(struct am_body *b, const struct am_nodes *nodes,
                           const struct am_node_study *study);

#endif
