/* SPDX-License-Identifier: MIT */
/* The inside of the executor task:steal (steal.c): workers, their deques, the loop that is being
 * run. Only src/runtime/steal*.c include this.
 *
 * A worker belongs to its thread, but for its deque and `claimed`, which all threads use. */
#ifndef AM_RUNTIME_STEAL_H
#define AM_RUNTIME_STEAL_H

#include "runtime/deque.h"
#include "runtime/executor.h"

#include <pthread.h>

#define AM_STEAL_NONE SIZE_MAX /* no node */

/* One node of a graph. The nodes that wait for it are after[first] to after[first of the next]. */
struct am_steal_node {
    _Atomic uint32_t missing; /* nodes before it that have not ended in this round */
    uint32_t needs;           /* nodes before it */
    size_t first;
};

/* Blocks with dependencies, turned round once so that a round asks nobody. Entries 0 to n - 1 are
 * the nodes, n and up the roots: what waits for nothing. */
struct am_steal_graph {
    size_t n, n_roots;
    struct am_steal_node *nodes; /* n + 1 */
    size_t *after, *roots;
    size_t *spare; /* the next of a list of nodes that found no room in a deque */
};

/* Something to be run in pieces. A loop that is run from inside a block lies on that block's stack:
 * whoever has handed in its last block must not touch it again. */
struct am_steal_loop {
    const struct am_blocks *blocks;
    const struct am_steal_graph *graph;          /* NULL: nobody waits */
    _Alignas(AM_DEQUE_LINE) _Atomic size_t left; /* blocks that were not handed in as done */
};

struct am_steal;

struct am_steal_worker {
    struct am_deque deque; /* first, for its alignment */
    /* The latest round in which somebody has begun its share of the loop. */
    _Alignas(AM_DEQUE_LINE) _Atomic uint64_t claimed;
    struct am_steal *team;
    size_t index;
    uint64_t seed;
    size_t done;    /* blocks of the outermost loop that were run and not handed in yet */
    size_t spare;   /* the first node of the list of those that found no room */
    unsigned helps; /* pieces that were begun while waiting, one inside the other */
    struct am_executor_counts counts;
};

/* Runs a node and, one after the other, what becomes ready by it; offers the rest to others.
 * Returns how many were run. */
size_t am_steal_run_nodes(struct am_steal_worker *w, struct am_steal_loop *loop, size_t node);
/* Moves nodes that had found no room into the deque; false when there are none. */
bool am_steal_offer_spare(struct am_steal_worker *w, struct am_steal_loop *loop);

enum am_status am_steal_graph_new(const struct am_blocks *blocks, struct am_steal_graph **graph_p,
                                  struct am_err *err);
void am_steal_graph_free(struct am_steal_graph *graph); /* accepts NULL */

#endif
