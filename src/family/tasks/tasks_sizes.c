/* SPDX-License-Identifier: MIT */
/* Curves over the size of tasks: results of app.blackscholes that differ in nothing else, the
 * models fitted to them (fit/task_fit.h), and their facts and figure.
 *
 * A curve has three sizes or more. Results of grade C are shown in the figure but not fitted,
 * unless too few others are left: then the facts of the curve are withheld for their grade. */
#include "family/tasks/tasks.h"

#include "family/plot.h"
#include "fit/task_fit.h"

#include <math.h>
#include <string.h>

/* Axes that tell one curve from another: all but the size of tasks. Those of SETTING are labels of
 * facts only where a run varied them. */
#define APART "executor,runtime,type,nx,variant,n,wait,threads"
#define SETTING "binding,places"
static const char panel_axes[] = APART "," SETTING;
static const char curve_axes[] = APART ",isa," SETTING;

enum { SIZES_MIN = 3 };

struct curve {
    struct am_picks shown;        /* by rising size of tasks; their metric is the time */
    struct am_picks picks;        /* of them the sound ones: what the models rest on */
    struct am_task_point *points; /* parallel to picks */
    size_t threads;
    double flops; /* of the whole work */
    bool has_simple, has_fit;
    struct am_task_simple simple;
    struct am_task_fit fit;
};

struct curves {
    struct curve *items;
    size_t n;
    const char *labels; /* of their facts */
};

static const struct am_result *head_of(const struct curve *c)
{
    return c->shown.items[0].result;
}

/* ---- making ---- */

static double tasks_of(const struct am_pick *pick)
{
    return ceil(am_result_number(pick->result, "n") / pick->x);
}

/* Sizes beyond the whole work are one task like the first of them. */
static struct am_picks without_repetition(struct am_picks curve)
{
    size_t n = 0;

    for (size_t i = 0; i < curve.n; i++) {
        if (n == 0 || tasks_of(&curve.items[i]) < tasks_of(&curve.items[n - 1]))
            curve.items[n++] = curve.items[i];
    }
    curve.n = n;
    return curve;
}

static bool make_curve(const struct am_picks *group, struct curve *c)
{
    const char *several;

    *c = (struct curve){
        .shown = without_repetition(am_picks_curve(group, "task_size", &several)),
        .threads = (size_t)am_result_number(group->items[0].result, "threads"),
        .flops = group->items[0].result->work.flops,
    };
    c->picks = am_picks_sound(&c->shown);
    if (c->picks.n < SIZES_MIN)
        c->picks = c->shown; /* its facts are withheld, which says why */
    c->points = am_arena_array(group->arena, c->picks.n + 1, sizeof(*c->points));
    if (!c->points || c->picks.n < SIZES_MIN)
        return false;
    for (size_t i = 0; i < c->picks.n; i++) {
        const struct am_pick *const p = &c->picks.items[i];

        c->points[i] = (struct am_task_point){p->x, tasks_of(p), p->metric->summary.median};
    }
    c->has_simple = am_task_simple(c->points, c->picks.n, c->threads, &c->simple);
    c->has_fit = am_task_fit(c->points, c->picks.n, c->threads, &c->fit);
    return true;
}

static struct curves make_curves(const struct am_result_set *set, struct am_arena *arena)
{
    const struct am_selector from = {"app.blackscholes",
                                     "task_size>=1 n>=1 threads>=1 threads<=1000000", "time"};
    const struct am_picks picks = am_select(set, &from, arena);
    const struct am_groups groups = am_picks_group(&picks, curve_axes);
    struct curves out = {.items = am_arena_array(arena, groups.n + 1, sizeof(struct curve)),
                         .labels = am_labels_also(&picks, APART ",isa", SETTING)};

    for (size_t i = 0; out.items && i < groups.n; i++)
        out.n += make_curve(&groups.items[i].picks, &out.items[out.n]);
    return out;
}

/* ---- facts ---- */

/* A curve on its way to facts. */
struct curve_facts {
    const struct am_deriving *d;
    const struct curve *curve;
    const char *labels, *evidence;
};

static void offer(const struct curve_facts *f, struct am_fact fact)
{
    const struct am_picks *const picks = &f->curve->picks;

    for (size_t i = 0; i < picks->n; i++)
        am_fact_rest_on(&fact, &picks->items[i]);
    fact.evidence = f->evidence;
    am_fact_label_axes(&fact, head_of(f->curve), f->labels);
    am_facts_offer(f->d->facts, fact);
}

/* Whether anything can be concluded from it. */
static bool is_sound(const struct curve *c)
{
    for (size_t i = 0; i < c->picks.n; i++) {
        if (c->picks.items[i].metric->grading.grade == AM_GRADE_C)
            return false;
    }
    return true;
}

/* P_max is the speed at the largest tasks that give each thread four, less what those tasks cost:
 * as uncertain as the time of that point and as t. Where t may be all of that time, P_max is not
 * told.
 */
static void offer_pmax(const struct curve_facts *f)
{
    const struct curve *const c = f->curve;
    const struct am_task_simple *const m = &c->simple;
    const struct am_interval time = c->picks.items[m->at].metric->summary.ci;
    const double tasks = c->points[m->at].tasks;
    const double least = time.lo - m->t_most * tasks, most = time.hi - m->t_least * tasks;

    if (least <= 0 && is_sound(c)) {
        am_facts_remark(f->d->facts,
                        "tasks.pmax: the cost of a task is so uncertain that the largest tasks may "
                        "be nothing else (%s)",
                        f->evidence);
        return;
    }
    if (least <= 0)
        return; /* and other facts of the curve are withheld with the reason */
    offer(f, (struct am_fact){.name = "pmax",
                              .what = "speed without the cost of tasks (thesis 7.1.1)",
                              .unit = "flop/s",
                              .value = c->flops / m->compute,
                              .ci = {c->flops / most, c->flops / least, NAN}});
}

static void offer_simple(const struct curve_facts *f)
{
    const struct am_task_simple *const m = &f->curve->simple;

    if (!(m->t > 0))
        return; /* the run does not show that tasks cost anything */
    offer_pmax(f);
    offer(f, (struct am_fact){.name = "t",
                              .what = "cost of a task, median and range over the sizes (thesis "
                                      "7.1.1)",
                              .unit = "s",
                              .value = m->t,
                              .ci = {m->t_least, m->t_most, NAN}});
}

static void offer_best_size(const struct curve_facts *f)
{
    const struct curve *const c = f->curve;
    const size_t predicted = am_task_fit_best(&c->fit, c->points, c->picks.n, c->threads);
    const size_t fastest = am_task_fastest(c->points, c->picks.n);
    const double size = c->points[predicted].size, other = c->points[fastest].size;
    struct am_fact regret =
        am_fact_of_ratio(&c->picks.items[predicted], &c->picks.items[fastest], f->d->arena);

    offer(f, (struct am_fact){.name = "best_size",
                              .what = "options of a task that the fit says is the fastest; from "
                                      "there to the fastest measured",
                              .unit = "",
                              .value = size,
                              .ci = {fmin(size, other), fmax(size, other), NAN}});
    regret.name = "best_size_regret";
    regret.what = "time of that size over that of the fastest measured";
    offer(f, regret);
}

/* A fit that is off by more than a quarter explains nothing: only that is said. */
static void offer_fit(const struct curve_facts *f)
{
    static const double useful = 0.25;
    const struct curve *const c = f->curve;
    struct am_task_fit least, most;

    offer(f, (struct am_fact){.name = "fit_residual",
                              .what = "relative error of the two-term fit: root mean square, and "
                                      "the greatest",
                              .unit = "",
                              .value = c->fit.rms,
                              .ci = {0, c->fit.worst, NAN}});
    if (c->fit.rms > useful || !am_task_fit_range(c->points, c->picks.n, c->threads, &least, &most))
        return;
    if (c->fit.limited)
        offer(f, (struct am_fact){.name = "fit_create",
                                  .what = "cost of a task to the thread that creates all; range "
                                          "without one size",
                                  .unit = "s",
                                  .value = c->fit.create,
                                  .ci = {least.create, most.create, NAN}});
    offer(f, (struct am_fact){.name = "fit_sched",
                              .what = "cost of a task to the thread that runs it; range without "
                                      "one size",
                              .unit = "s",
                              .value = c->fit.sched,
                              .ci = {least.sched, most.sched, NAN}});
    offer_best_size(f);
}

static void offer_metg(const struct curve_facts *f)
{
    const struct curve *const c = f->curve;
    const struct am_task_metg metg = am_task_metg(c->points, c->picks.n, c->threads, 0.5, 0);

    offer(f, (struct am_fact){.name = "metg50",
                              .what = "shortest task, in time of all threads, that runs at half "
                                      "the best speed",
                              .unit = "s",
                              .value = metg.value,
                              .ci = {metg.lo, metg.hi, NAN}});
}

void am_tasks_derive_sizes(const struct am_deriving *d)
{
    const struct curves curves = make_curves(d->set, d->arena);

    for (size_t i = 0; i < curves.n; i++) {
        const struct curve *const c = &curves.items[i];
        const struct curve_facts f = {
            .d = d,
            .curve = c,
            .labels = curves.labels,
            .evidence =
                am_arena_printf(d->arena, "app.blackscholes, task_size %g to %g: %zu sizes",
                                c->points[0].size, c->points[c->picks.n - 1].size, c->picks.n)};

        if (c->has_simple)
            offer_simple(&f);
        if (c->has_fit)
            offer_fit(&f);
        offer_metg(&f);
    }
}

/* ---- the figure ---- */

/* A panel on its way, with what its lines are made of. */
struct drawing {
    const struct curves *curves;
    struct am_plot *plot;
    struct am_arena *arena;
};

static void add_measured(const struct drawing *g, const struct curve *c, unsigned color)
{
    struct am_plot_mark *const marks = am_arena_array(g->arena, c->shown.n, sizeof(*marks));
    size_t n = 0;

    for (size_t i = 0; marks && i < c->shown.n; i++) {
        const struct am_result_metric *const speed =
            am_result_metric(c->shown.items[i].result, "flops");

        if (speed)
            marks[n++] = (struct am_plot_mark){.x = c->shown.items[i].x,
                                               .y = speed->summary.median,
                                               .lo = speed->summary.ci.lo,
                                               .hi = speed->summary.ci.hi};
    }
    am_plot_add(g->plot, g->arena,
                &(struct am_plot_series){.label = am_result_text(head_of(c), "isa"),
                                         .marks = marks,
                                         .n = n,
                                         .color = color,
                                         .unjoined = true});
}

/* A line of what a model says. */
static void add_model(const struct drawing *g, const struct curve *c, struct am_plot_series looks,
                      const struct am_task_simple *simple)
{
    struct am_plot_mark *const marks = am_arena_array(g->arena, c->picks.n, sizeof(*marks));

    for (size_t i = 0; marks && i < c->picks.n; i++) {
        const double tasks = c->points[i].tasks;
        const double time = simple ? am_task_simple_time(simple, tasks)
                                   : am_task_fit_time(&c->fit, tasks, c->threads, true);

        marks[i] = (struct am_plot_mark){.x = c->points[i].size, .y = c->flops / time};
    }
    looks.marks = marks;
    looks.n = c->picks.n;
    looks.bare = true;
    am_plot_add(g->plot, g->arena, &looks);
}

/* The thesis takes t from the scalar code, whatever the ISA; the curve's own where that shows none.
 */
static double thesis_t(const struct drawing *g, const struct curve *c)
{
    for (size_t i = 0; i < g->curves->n; i++) {
        const struct curve *const o = &g->curves->items[i];

        if (am_result_is(head_of(o), "isa", "scalar") &&
            am_result_alike(head_of(o), head_of(c), panel_axes) && o->has_simple &&
            o->simple.t_least > 0)
            return o->simple.t;
    }
    return c->simple.t;
}

static void add_curve(const struct drawing *g, const struct curve *c, unsigned color)
{
    const char *const isa = am_result_text(head_of(c), "isa");
    struct am_task_simple model = c->simple;

    add_measured(g, c, color);
    model.t = thesis_t(g, c);
    if (c->has_simple && model.t > 0)
        add_model(
            g, c,
            (struct am_plot_series){.label = am_arena_printf(g->arena, "%s: T_c + t tasks", isa),
                                    .color = color,
                                    .dashed = true},
            &model);
    if (c->has_fit)
        add_model(g, c,
                  (struct am_plot_series){.label = am_arena_printf(g->arena,
                                                                   "%s: two terms, off by %.1f %%",
                                                                   isa, c->fit.rms * 100),
                                          .color = color},
                  NULL);
}

static const char *panel_title(const struct curve *c, struct am_arena *arena)
{
    const struct am_result *const r = head_of(c);

    return am_arena_printf(arena, "%s, n = %s, %s thread%s, wait %s", am_result_text(r, "executor"),
                           am_result_text(r, "n"), am_result_text(r, "threads"),
                           c->threads == 1 ? "" : "s", am_result_text(r, "wait"));
}

bool am_tasks_plot_sizes(const struct am_figure_source *source, struct am_plots *out)
{
    const struct curves curves = make_curves(source->set, source->arena);
    bool *const drawn = am_arena_array(source->arena, curves.n + 1, sizeof(*drawn));

    for (size_t i = 0; drawn && i < curves.n; i++) {
        const struct am_plot empty = {
            .title = panel_title(&curves.items[i], source->arena),
            .x = {.title = "options of a task", .unit = "", .whole = true, .scale = AM_SCALE_LOG2},
            .y = {.title = "speed", .unit = "flop/s"}};
        struct drawing g = {.curves = &curves, .arena = source->arena};
        unsigned color = 0;

        g.plot = drawn[i] ? NULL : am_plots_add(out, &empty);
        for (size_t k = i; g.plot && k < curves.n; k++) {
            if (drawn[k] ||
                !am_result_alike(head_of(&curves.items[i]), head_of(&curves.items[k]), panel_axes))
                continue;
            drawn[k] = true;
            add_curve(&g, &curves.items[k], color++);
        }
    }
    return curves.n > 0;
}
