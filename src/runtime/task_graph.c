/* SPDX-License-Identifier: MIT */
/* Dependencies between tasks of one parent. A node counts the tasks that it still waits for, and
 * keeps a list of the nodes that wait for it; when its task ends, each of them counts one less, and
 * a node that waits for nothing is handed to the policy. Nodes and edges are allocated beforehand:
 * spawning allocates nothing. */
#include "runtime/task.h"

#include "runtime/task_worker.h"

#include <stdlib.h>

struct edge {
    struct edge *next;
    struct am_task_node *to;
};

struct am_task_node {
    struct am_spin lock; /* of `ended` and `waiting` */
    bool ended;
    struct edge *waiting;
    _Atomic size_t missing; /* ends to wait for, and 1 until all of those are known */
    struct am_task_record record;
};

struct am_task_graph {
    struct am_task_node *nodes;
    struct edge *edges;
    size_t nodes_max, edges_max;
    size_t edges_used; /* by the one task that spawns */
};

enum am_status am_task_graph_new(size_t nodes, size_t edges, struct am_task_graph **graph_p,
                                 struct am_err *err)
{
    struct am_task_graph *const graph = calloc(1, sizeof(*graph));

    if (graph) {
        graph->nodes_max = nodes;
        graph->edges_max = edges;
        graph->nodes = calloc(nodes ? nodes : 1, sizeof(*graph->nodes));
        graph->edges = calloc(edges ? edges : 1, sizeof(*graph->edges));
    }
    if (!graph || !graph->nodes || !graph->edges) {
        am_task_graph_free(graph);
        return am_fail(err, AM_E_NOMEM, "no memory for %zu tasks with %zu dependencies", nodes,
                       edges);
    }
    *graph_p = graph;
    return AM_OK;
}

void am_task_graph_free(struct am_task_graph *graph)
{
    if (!graph)
        return;
    free(graph->nodes);
    free(graph->edges);
    free(graph);
}

void am_task_graph_reset(struct am_task_graph *graph)
{
    graph->edges_used = 0;
    for (size_t i = 0; i < graph->nodes_max; i++) {
        graph->nodes[i].ended = false;
        graph->nodes[i].waiting = NULL;
    }
}

/* Whether `node` has to wait for `before`: it is then told of that one's end. */
static bool wait_for(struct am_task_node *before, struct am_task_node *node, struct edge *edge)
{
    bool alive;

    am_spin_lock(&before->lock);
    alive = !before->ended;
    if (alive) {
        *edge = (struct edge){.next = before->waiting, .to = node};
        before->waiting = edge;
    }
    am_spin_unlock(&before->lock);
    return alive;
}

/* One thing less to wait for; true when it was the last. */
static bool satisfied(struct am_task_node *node, size_t n)
{
    return atomic_fetch_sub_explicit(&node->missing, n, memory_order_acq_rel) == n;
}

void am_task_spawn_after(struct am_task *self, struct am_task_graph *graph, am_task_fn *fn,
                         void *arg, size_t index, const size_t *before, size_t n)
{
    struct am_task_node *const node = &graph->nodes[index];
    const struct am_task_job job = {
        .fn = fn, .arg = arg, .index = index, .parent = self, .node = node};
    size_t spare = 1; /* of `missing`: what turned out not to be waited for */

    atomic_fetch_add_explicit(&self->pending, 1, memory_order_relaxed);
    node->record.job = job;
    atomic_store_explicit(&node->missing, n + 1, memory_order_relaxed);
    for (size_t i = 0; i < n; i++) {
        struct edge *const edge = &graph->edges[graph->edges_used];

        if (wait_for(&graph->nodes[before[i]], node, edge))
            graph->edges_used++;
        else
            spare++;
    }
    if (satisfied(node, spare))
        am_task_submit(self, &job);
}

void am_task_graph_release(struct am_task_worker *w, struct am_task_node *node)
{
    struct edge *waiting;

    am_spin_lock(&node->lock);
    node->ended = true;
    waiting = node->waiting;
    am_spin_unlock(&node->lock);
    for (; waiting; waiting = waiting->next) {
        if (!satisfied(waiting->to, 1))
            continue;
        w->counts.deferred++;
        am_ready_push(am_task_queue_of(w), &waiting->to->record.ready);
    }
}
