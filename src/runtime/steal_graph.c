/* SPDX-License-Identifier: MIT */
/* Graphs of the executor task:steal. Which blocks wait for which is asked once, when the blocks are
 * prepared, and turned round: each node knows those that wait for it. A round then only counts
 * down.
 *
 * A node's counter is set back when the node runs: nobody counts it down again before the next
 * round. The thread that takes the last count runs the node itself or offers it; the counter's
 * acquire and release order it behind all nodes that it waits for. */
#include "runtime/steal.h"

#include <stdlib.h>

static void offer(struct am_steal_worker *w, struct am_steal_loop *loop, size_t node)
{
    w->counts.deferred++;
    if (am_deque_push(&w->deque, (struct am_piece){.work = loop, .lo = node, .hi = node + 1}))
        return;
    loop->graph->spare[node] = w->spare; /* a node is in one list at a time */
    w->spare = node;
}

bool am_steal_offer_spare(struct am_steal_worker *w, struct am_steal_loop *loop)
{
    bool any = false;

    while (w->spare != AM_STEAL_NONE) {
        const size_t node = w->spare, next = loop->graph->spare[node];

        if (!am_deque_push(&w->deque, (struct am_piece){.work = loop, .lo = node, .hi = node + 1}))
            break;
        w->spare = next;
        any = true;
    }
    return any;
}

/* Counts down those that wait for the node. Returns one that is ready now, and offers the others.
 */
static size_t release(struct am_steal_worker *w, struct am_steal_loop *loop, size_t node)
{
    const struct am_steal_graph *const g = loop->graph;
    const size_t end = g->nodes[node + 1].first;
    size_t next = AM_STEAL_NONE;

    for (size_t k = g->nodes[node].first; k < end; k++) {
        const size_t after = g->after[k];

        if (atomic_fetch_sub_explicit(&g->nodes[after].missing, 1, memory_order_acq_rel) != 1)
            continue;
        if (next == AM_STEAL_NONE)
            next = after;
        else
            offer(w, loop, after);
    }
    return next;
}

size_t am_steal_run_nodes(struct am_steal_worker *w, struct am_steal_loop *loop, size_t node)
{
    const struct am_blocks *const blocks = loop->blocks;
    size_t done = 0;

    while (node != AM_STEAL_NONE) {
        struct am_steal_node *const n = &loop->graph->nodes[node];

        atomic_store_explicit(&n->missing, n->needs, memory_order_relaxed);
        blocks->run(blocks->app, node);
        done++;
        node = release(w, loop, node);
    }
    return done;
}

/* ---- making ---- */

/* Needs of each node, and in `first` how many wait for it. Returns the edges. */
static size_t count_edges(struct am_steal_graph *g, const struct am_blocks *blocks, size_t *before)
{
    size_t edges = 0;

    for (size_t i = 0; i < g->n; i++) {
        const size_t n = blocks->before(blocks->app, i, before);

        g->nodes[i].needs = (uint32_t)n;
        atomic_init(&g->nodes[i].missing, (uint32_t)n);
        if (n == 0)
            g->roots[g->n_roots++] = i;
        for (size_t k = 0; k < n; k++)
            g->nodes[before[k]].first++;
        edges += n;
    }
    return edges;
}

/* Counts become places, each at the end of its part; filling moves them to the beginnings. */
static void turn_round(struct am_steal_graph *g, const struct am_blocks *blocks, size_t *before)
{
    size_t end = 0;

    for (size_t i = 0; i < g->n; i++) {
        end += g->nodes[i].first;
        g->nodes[i].first = end;
    }
    g->nodes[g->n].first = end;
    for (size_t i = g->n; i-- > 0;) {
        const size_t n = blocks->before(blocks->app, i, before);

        for (size_t k = 0; k < n; k++)
            g->after[--g->nodes[before[k]].first] = i;
    }
}

enum am_status am_steal_graph_new(const struct am_blocks *blocks, struct am_steal_graph **graph_p,
                                  struct am_err *err)
{
    struct am_steal_graph *const g = calloc(1, sizeof(*g));
    size_t *const before = calloc(blocks->before_max + 1, sizeof(*before));
    size_t edges = 0;
    bool good = g && before;

    if (good) {
        g->n = blocks->count;
        g->nodes = calloc(g->n + 1, sizeof(*g->nodes));
        g->roots = calloc(g->n + 1, sizeof(*g->roots));
        g->spare = calloc(g->n + 1, sizeof(*g->spare));
        good = g->nodes && g->roots && g->spare;
    }
    if (good) {
        edges = count_edges(g, blocks, before);
        g->after = calloc(edges + 1, sizeof(*g->after));
        good = g->after;
    }
    if (good)
        turn_round(g, blocks, before);
    free(before);
    if (!good) {
        am_steal_graph_free(g);
        return am_fail(err, AM_E_NOMEM, "no memory for dependencies of %zu blocks", blocks->count);
    }
    *graph_p = g;
    return AM_OK;
}

void am_steal_graph_free(struct am_steal_graph *g)
{
    if (!g)
        return;
    free(g->nodes);
    free(g->roots);
    free(g->spare);
    free(g->after);
    free(g);
}
