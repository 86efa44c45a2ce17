/* SPDX-License-Identifier: MIT */
/* The machines of a merged file, for a terminal. */
#include "report/nodes.h"

#include <string.h>

void am_report_nodes(const struct am_nodes *nodes, FILE *out)
{
    size_t width = strlen("node");

    for (size_t i = 0; i < nodes->n; i++) {
        const size_t len = strlen(nodes->items[i].name);

        width = len > width ? len : width;
    }
    (void)fprintf(out, "%-*s  state    results  of\n", (int)width, "node");
    for (size_t i = 0; i < nodes->n; i++) {
        const struct am_node *const node = &nodes->items[i];

        (void)fprintf(out, "%-*s  %-7s  %7zu  %2zu%s%s\n", (int)width, node->name,
                      am_node_states[node->state], node->ok, node->points, node->reason ? "  " : "",
                      node->reason ? node->reason : "");
    }
}
