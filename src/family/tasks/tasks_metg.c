/* SPDX-License-Identifier: MIT */
/* METG of graphs (task.graph): the shortest task at which an executor reaches half of the best
 * speed.
 *
 * A curve is one executor on one graph with one number of threads, over the steps of a task. The
 * best speed is that of any executor with as many threads, since the work of a task is the same for
 * all: an executor that never comes near it has no METG, and that is said. */
#include "family/tasks/tasks.h"

#include "fit/task_fit.h"

#include <math.h>

#define GRAPH "pattern,width,rows"
#define APART "executor,runtime," GRAPH ",wait,threads"
#define SETTING "binding,places"

enum { SIZES_MIN = 2 };

/* The same work cut into tasks of each length: a graph of longer tasks is one of fewer. */
static size_t fill_points(const struct am_picks *curve, struct am_task_point *points)
{
    const struct am_work *const most = &curve->items[curve->n - 1].result->work;
    size_t n = 0;

    for (size_t i = 0; i < curve->n; i++) {
        const struct am_pick *const p = &curve->items[i];
        const struct am_work *const w = &p->result->work;

        if (w->flops > 0 && p->metric->summary.median > 0)
            points[n++] = (struct am_task_point){.size = p->x,
                                                 .tasks = w->ops * most->flops / w->flops,
                                                 .time = most->flops / p->metric->summary.median};
    }
    return n;
}

static void offer_metg(const struct am_deriving *d, const struct am_picks *group,
                       const struct am_picks *all, const char *labels)
{
    const struct am_picks sound = am_picks_sound(group);
    const char *several;
    const struct am_picks curve = am_picks_curve(&sound, "steps", &several);
    const struct am_picks rivals = am_picks_like(all, group->items[0].result, "threads");
    const struct am_pick *const best = am_picks_best(&rivals);
    struct am_task_point *const points = am_arena_array(d->arena, curve.n + 1, sizeof(*points));
    const size_t n = points && curve.n >= SIZES_MIN ? fill_points(&curve, points) : 0;
    struct am_task_metg metg;
    struct am_fact fact;

    if (n < SIZES_MIN || !best)
        return;
    metg = am_task_metg(points, n, (size_t)am_result_number(curve.items[0].result, "threads"), 0.5,
                        curve.items[curve.n - 1].result->work.flops / best->metric->summary.median);
    if (isnan(metg.value)) {
        am_facts_remark(d->facts,
                        "tasks.graph_metg50: %s reaches half of the best speed with no task "
                        "(%s)",
                        am_result_text(curve.items[0].result, "executor"),
                        curve.items[0].result->text);
        return;
    }
    fact = (struct am_fact){
        .name = "graph_metg50",
        .what =
            "shortest task of a graph, in time of all threads, at half of the best speed of any "
            "executor",
        .unit = "s",
        .value = metg.value,
        .ci = {metg.lo, metg.hi, NAN},
        .evidence = am_arena_printf(d->arena, "task.graph, steps %g to %g: %zu lengths of tasks",
                                    points[0].size, points[n - 1].size, n)};
    for (size_t i = 0; i < curve.n; i++)
        am_fact_rest_on(&fact, &curve.items[i]);
    am_fact_label_axes(&fact, curve.items[0].result, labels);
    am_facts_offer(d->facts, fact);
}

void am_tasks_derive_graphs(const struct am_deriving *d)
{
    const struct am_selector from = {"task.graph", "steps>=1 threads>=1 threads<=1000000", "flops"};
    const struct am_picks picks = am_select(d->set, &from, d->arena);
    const char *const labels = am_labels_also(&picks, APART, SETTING);
    const struct am_groups groups = am_picks_group(&picks, APART "," SETTING);

    for (size_t i = 0; i < groups.n; i++)
        offer_metg(d, &groups.items[i].picks, &picks, labels);
}
