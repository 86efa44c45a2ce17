/* SPDX-License-Identifier: MIT */
/* METG of graphs and applications: the shortest task at which an executor reaches half of the best
 * speed.
 *
 * A curve is one executor on one work with one number of threads, over the size of a task. The best
 * speed is that of any executor and size with as many threads, since the work is the same for all:
 * an executor that never comes near it has no METG, and that is said. Where small tasks are slow by
 * themselves (tiles of matrices), that is in it: what is asked is how small tasks may be. */
#include "family/tasks/tasks.h"

#include "base/text.h"
#include "fit/task_fit.h"

#include <math.h>
#include <string.h>

#define SETTING "binding,places"

enum { SIZES_MIN = 2 };

/* Work that is cut into tasks of several sizes. */
struct cut {
    struct am_selector from;
    const char *size; /* the axis that says how large a task is */
    const char *same; /* axes in which rivals agree */
    const char *apart;
    const char *fact, *what;
    const char *app; /* label; NULL: none */
};

static const struct cut graph = {
    .from = {"task.graph", "steps>=1 threads>=1 threads<=1000000", "flops"},
    .size = "steps",
    .same = "threads",
    .apart = "executor,runtime,pattern,width,rows,wait,threads",
    .fact = "graph_metg50",
    .what = "shortest task of a graph, in time of all threads, at half of the best speed of any "
            "executor"};

#define APPLICATION(name, axis, axes)                                                              \
    {                                                                                              \
        .from = {"app." name, axis ">=1 threads>=1 threads<=1000000", "flops"}, .size = (axis),    \
        .same = axes ",threads", .apart = "executor,runtime," axes ",wait,threads",                \
        .fact = "app_metg50",                                                                      \
        .what = "shortest task of an application, in time of all threads, at half of the best "    \
                "speed of any executor",                                                           \
        .app = (name)                                                                              \
    }
static const struct cut applications[] = {
    APPLICATION("blackscholes", "task_size", "isa,type,nx,variant,n"),
    APPLICATION("gemm", "task_size", "isa,type,variant,n"),
    APPLICATION("cholesky", "tile", "n"),
};
#undef APPLICATION

/* Tasks of one iteration: an application says it; of graphs it is the work itself. 0: not known. */
static double tasks_of(const struct cut *cut, const struct am_result *result)
{
    const char *const said = cut->app ? am_kvs_get(&result->chosen, "blocks") : NULL;
    uint64_t n = 0;

    if (!cut->app)
        return result->work.ops;
    return said && am_parse_u64(said, strlen(said), &n) ? (double)n : 0;
}

/* The same work cut into tasks of each size: a graph of longer tasks is one of fewer. */
static size_t fill_points(const struct cut *cut, const struct am_picks *curve,
                          struct am_task_point *points)
{
    const struct am_work *const most = &curve->items[curve->n - 1].result->work;
    size_t n = 0;

    for (size_t i = 0; i < curve->n; i++) {
        const struct am_pick *const p = &curve->items[i];
        const struct am_work *const w = &p->result->work;
        const double tasks = tasks_of(cut, p->result);

        if (tasks > 0 && w->flops > 0 && p->metric->summary.median > 0)
            points[n++] = (struct am_task_point){.size = p->x,
                                                 .tasks = tasks * most->flops / w->flops,
                                                 .time = most->flops / p->metric->summary.median};
    }
    return n;
}

/* What a fact of one curve is made of. */
struct found {
    const struct cut *cut;
    struct am_picks curve;
    const struct am_task_point *points;
    size_t n;
    const char *labels;
};

static void offer(const struct am_deriving *d, const struct found *f, struct am_task_metg metg)
{
    const struct am_result *const first = f->curve.items[0].result;
    struct am_fact fact = {.name = f->cut->fact,
                           .what = f->cut->what,
                           .unit = "s",
                           .value = metg.value,
                           .ci = {metg.lo, metg.hi, NAN},
                           .evidence = am_arena_printf(
                               d->arena, "%s, %s %g to %g: %zu sizes of tasks", first->bench,
                               f->cut->size, f->points[0].size, f->points[f->n - 1].size, f->n)};

    for (size_t i = 0; i < f->curve.n; i++)
        am_fact_rest_on(&fact, &f->curve.items[i]);
    if (f->cut->app)
        am_fact_label(&fact, d->arena, "app", AM_AXIS_NAME, f->cut->app);
    am_fact_label_axes(&fact, first, f->labels);
    am_facts_offer(d->facts, fact);
}

static void derive_curve(const struct am_deriving *d, const struct cut *cut,
                         const struct am_picks *group, const struct am_picks *all,
                         const char *labels)
{
    const struct am_picks sound = am_picks_sound(group);
    const char *several;
    const struct am_picks curve = am_picks_curve(&sound, cut->size, &several);
    const struct am_picks rivals = am_picks_like(all, group->items[0].result, cut->same);
    const struct am_pick *const best = am_picks_best(&rivals);
    struct am_task_point *const points = am_arena_array(d->arena, curve.n + 1, sizeof(*points));
    const size_t n = points && curve.n >= SIZES_MIN ? fill_points(cut, &curve, points) : 0;
    const struct found f = {.cut = cut, .curve = curve, .points = points, .n = n, .labels = labels};
    struct am_task_metg metg;

    if (n < SIZES_MIN || !best)
        return;
    metg = am_task_metg(points, n, (size_t)am_result_number(curve.items[0].result, "threads"), 0.5,
                        curve.items[curve.n - 1].result->work.flops / best->metric->summary.median);
    if (isnan(metg.value))
        am_facts_remark(d->facts, "tasks.%s: %s reaches half of the best speed with no task (%s)",
                        cut->fact, am_result_text(curve.items[0].result, "executor"),
                        curve.items[0].result->text);
    else
        offer(d, &f, metg);
}

static void derive(const struct am_deriving *d, const struct cut *cut)
{
    const struct am_picks picks = am_select(d->set, &cut->from, d->arena);
    const char *const labels = am_labels_also(&picks, cut->apart, SETTING);
    const char *const apart = am_arena_printf(d->arena, "%s,%s", cut->apart, SETTING);
    const struct am_groups groups = am_picks_group(&picks, apart ? apart : cut->apart);

    for (size_t i = 0; i < groups.n; i++)
        derive_curve(d, cut, &groups.items[i].picks, &picks, labels);
}

void am_tasks_derive_graphs(const struct am_deriving *d)
{
    derive(d, &graph);
}

void am_tasks_derive_applications(const struct am_deriving *d)
{
    for (size_t i = 0; i < sizeof(applications) / sizeof(*applications); i++)
        derive(d, &applications[i]);
}
