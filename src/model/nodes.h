/* SPDX-License-Identifier: MIT */
/* The machines of a merged file against each other: how each compares with all others together, and
 * which stand out. */
#ifndef AM_MODEL_NODES_H
#define AM_MODEL_NODES_H

#include "model/compare.h"
#include "store/store.h"

/* One machine against the others, over the primary metrics of the points that it shares with at
 * least two of them. */
struct am_node_standing {
    const struct am_node *node;
    size_t rows;              /* compared */
    double median, low, high; /* of its speed over that of the others: NAN without rows; low and
                               * high are the 5th and 95th percentile over the rows */
    size_t slower, faster;    /* rows in which it stands out */
};

/* A row in which a machine stands out. */
struct am_node_outlier {
    const struct am_node *node;
    const struct am_comparison_row *row; /* a: the others together, b: this one */
    double p; /* adjusted for all rows of all nodes: Holm over the rows, then times the number of
               * nodes */
};

struct am_node_study {
    struct am_node_standing *standings; /* parallel to the set's nodes */
    struct am_node_outlier *outliers;   /* by node, the largest effect first */
    size_t n_outliers;
};

/* A machine stands out where its launches differ from those of all others pooled by more than delta
 * (model/verdict.h), and p is below 1 - level. Needs three nodes with results. */
enum am_status am_nodes_study(const struct am_result_set *set,
                              const struct am_compare_settings *settings, struct am_arena *arena,
                              struct am_node_study *out, struct am_err *err);

/* The part of one machine, as if its own file had been read: results without the axis of nodes, and
 * machine, environment and build as the node has them. False when it has no results, or memory is
 * refused. */
bool am_nodes_part(const struct am_result_set *set, size_t node, struct am_arena *arena,
                   struct am_result_set *out);

/* The results of the first machine that has any, as if its file had been read: what a model of "the
 * machine" is made of. The set itself when it is of one machine. */
const struct am_result_set *am_nodes_first(const struct am_result_set *set, struct am_arena *arena);

#endif
