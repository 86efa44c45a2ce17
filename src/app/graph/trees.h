/* SPDX-License-Identifier: MIT */
/* Recursion: trees whose nodes are tasks, each waiting for its children. Who runs a node's children
 * at the same time is an executor's business: a node runs them as a loop inside its block.
 *
 *     fib     the tree of calls of Fibonacci numbers: two children, tiny tasks
 *     queens  queens on a board of n by n: a node is a position, its children the moves
 *     uts     an unbalanced tree (as in UTS, Olivier et al. 2006, with a generator of our own): how
 *             many children a node has follows from its name, four on average, down to depth n
 *
 * Every shape has a known answer (a Fibonacci number, solutions, nodes) that a plain recursion
 * gives too. Nodes with `cutoff` levels or fewer below them are walked by plain calls. */
#ifndef AM_APP_GRAPH_TREES_H
#define AM_APP_GRAPH_TREES_H

#include "runtime/executor.h"

extern const char *const am_tree_names[]; /* ended by NULL */

struct am_trees {
    size_t shape; /* index of its name */
    size_t n, cutoff;
    const struct am_executor *executor; /* of loops inside blocks; NULL: plain calls */
    void *self;
};

struct am_tree_sum {
    uint64_t answer, nodes;
};

/* The n that is neither done at once nor takes long, and the greatest. */
size_t am_tree_usual(size_t shape);
size_t am_tree_most(size_t shape);

/* Walks the whole tree; from inside a block where there is an executor. */
struct am_tree_sum am_trees_walk(const struct am_trees *trees);
/* What is known of the answer without walking; false where nothing is. */
bool am_trees_known(const struct am_trees *trees, uint64_t *answer);

#endif
