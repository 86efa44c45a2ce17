/* SPDX-License-Identifier: MIT */
/* Figures of tasks: the pictures of the thesis's models, beside what was measured. */
#include "report/figures_task.h"

#include "model/memory_curve.h"
#include "model/task_curve.h"
#include "report/panels.h"

#include <math.h>
#include <string.h>

static const char section[] = "Tasks";

const struct am_figure_row am_figures_task[] = {
    {
        .name = "hetero-devices",
        .section = section,
        .title = "CPUs and an OpenCL device together",
        .caption = "Options a second by who may price a block; a panel a policy of StarPU.",
        .bench = "app.hetero",
        .metric = "options_per_s",
        .kind = AM_FIGURE_BARS,
        .x = "devices",
        .series = "task_size",
        .panel = "policy",
    },
    {.name = NULL},
};

/* ---- Figures 7.1 and 7.2 ---- */

static bool is_text(const struct am_result *r, const char *param, const char *text)
{
    const char *const value = am_result_text(r, param);

    return value && strcmp(value, text) == 0;
}

static bool same(const struct am_result *a, const struct am_result *b, const char *param)
{
    const char *const x = am_result_text(a, param);

    return x && is_text(b, param, x);
}

/* Curves of a panel differ in their ISA only. */
static bool share_panel(const struct am_task_curve *a, const struct am_task_curve *b)
{
    static const char *const words[] = {"executor", "runtime", "type", "nx",
                                        "variant",  "n",       "wait", "threads"};
    bool all = true;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        all = all && same(a->results[0], b->results[0], words[i]);
    return all;
}

static void add_measured(struct am_panel *p, struct am_arena *arena, const struct am_task_curve *c,
                         unsigned color)
{
    struct am_plot_mark *const marks =
        am_panel_line(p, arena, am_result_text(c->results[0], "isa"), color, c->n);

    for (size_t i = 0; marks && i < c->n; i++) {
        struct am_summary s = {0};

        (void)am_result_summary(c->results[i], "flops", &s);
        marks[i] = (struct am_plot_mark){
            .x = c->points[i].size, .y = s.median, .lo = s.ci.lo, .hi = s.ci.hi};
    }
    if (marks)
        am_panel_last(p)->unjoined = true;
}

/* By the thesis: t is that of the scalar code, whatever the ISA; the curve's own where scalar code
 * shows none. */
static void add_simple(struct am_panel *p, struct am_arena *arena,
                       const struct am_task_curves *curves, const struct am_task_curve *c,
                       unsigned color)
{
    const struct am_task_curve *const scalar = am_task_curve_other(curves, c, "isa", "scalar");
    struct am_task_simple model = c->simple;
    struct am_plot_mark *marks;

    if (scalar && scalar->has_simple && scalar->simple.t_least > 0)
        model.t = scalar->simple.t;
    if (!c->has_simple || !(model.t > 0))
        return;
    marks = am_panel_line(
        p, arena, am_arena_printf(arena, "%s: T_c + t tasks", am_result_text(c->results[0], "isa")),
        color, c->n);
    for (size_t i = 0; marks && i < c->n; i++)
        marks[i] =
            (struct am_plot_mark){.x = c->points[i].size,
                                  .y = c->flops / am_task_simple_time(&model, c->points[i].tasks)};
    if (marks)
        am_panel_last(p)->dashed = am_panel_last(p)->bare = true;
}

static void add_fit(struct am_panel *p, struct am_arena *arena, const struct am_task_curve *c,
                    unsigned color)
{
    struct am_plot_mark *const marks =
        c->has_fit
            ? am_panel_line(p, arena,
                            am_arena_printf(arena, "%s: two terms, off by %.1f %%",
                                            am_result_text(c->results[0], "isa"), c->fit.rms * 100),
                            color, c->n)
            : NULL;

    for (size_t i = 0; marks && i < c->n; i++)
        marks[i] = (struct am_plot_mark){
            .x = c->points[i].size,
            .y = c->flops / am_task_fit_time(&c->fit, c->points[i].tasks, c->threads, true)};
    if (marks)
        am_panel_last(p)->bare = true;
}

static void fill_task_panel(struct am_panel *p, struct am_arena *arena,
                            const struct am_task_curves *curves, size_t first, bool *used)
{
    const struct am_result *const r = curves->items[first].results[0];
    unsigned color = 0;

    *p = (struct am_panel){
        .plot = {
            .title = am_arena_printf(
                arena, "%s, n = %s, %s thread%s, wait %s", am_result_text(r, "executor"),
                am_result_text(r, "n"), am_result_text(r, "threads"),
                is_text(r, "threads", "1") ? "" : "s", am_result_text(r, "wait")),
            .x = {.title = "options of a task", .unit = "", .whole = true, .scale = AM_SCALE_LOG2},
            .y = {.title = "speed", .unit = "flop/s"}}};
    for (size_t i = first; i < curves->n; i++) {
        const struct am_task_curve *const c = &curves->items[i];

        if (used[i] || !share_panel(&curves->items[first], c))
            continue;
        used[i] = true;
        add_measured(p, arena, c, color);
        add_simple(p, arena, curves, c, color);
        add_fit(p, arena, c, color++);
    }
}

bool am_task_draw(const struct am_figure_source *source, struct am_text *out)
{
    struct am_task_curves curves;
    struct am_panel *const panels = am_arena_array(source->arena, AM_PANELS_MAX, sizeof(*panels));
    bool *used;
    size_t n = 0;

    am_task_curves_make(source->set, source->arena, &curves);
    used = am_arena_array(source->arena, curves.n + 1, sizeof(*used));
    for (size_t i = 0; panels && used && i < curves.n && n < AM_PANELS_MAX; i++) {
        if (!used[i])
            fill_task_panel(&panels[n++], source->arena, &curves, i, used);
    }
    if (n == 0)
        return false;
    am_panels_draw(panels, n, "Speed over the size of tasks, predicted and observed", out);
    return true;
}

/* ---- Figure 7.3 ---- */

static const char *name_of(struct am_arena *arena, const struct am_memory_curve *c)
{
    return am_arena_printf(arena, "%s %s %s%s", c->head->bench, am_result_text(c->head, "type"),
                           am_result_text(c->head, "isa"), c->counted ? "" : ", by bytes");
}

static void add_memory(struct am_panel *panels, struct am_arena *arena,
                       const struct am_memory_curve *c, unsigned color)
{
    const char *const name = name_of(arena, c);
    struct am_plot_mark *const ratios = am_panel_line(&panels[0], arena, name, color, c->n);
    struct am_plot_mark *const observed = am_panel_line(&panels[1], arena, name, color, c->n);
    struct am_plot_mark *predicted = NULL;

    if (isfinite(c->points[0].predicted))
        predicted = am_panel_line(&panels[1], arena, am_arena_printf(arena, "%s: predicted", name),
                                  color, c->n);
    if (predicted)
        am_panel_last(&panels[1])->dashed = am_panel_last(&panels[1])->bare = true;
    for (size_t i = 0; i < c->n; i++) {
        const struct am_memory_point *const p = &c->points[i];

        if (ratios)
            ratios[i] = (struct am_plot_mark){.x = p->bytes, .y = p->ratio};
        if (observed)
            observed[i] = (struct am_plot_mark){.x = p->bytes, .y = p->observed};
        if (predicted)
            predicted[i] = (struct am_plot_mark){.x = p->bytes, .y = p->predicted};
    }
}

/* Whether any of them goes to memory at all. */
static bool reaches_memory(const struct am_memory_curves *curves)
{
    for (size_t i = 0; i < curves->n; i++) {
        const struct am_memory_curve *const c = &curves->items[i];

        if (c->points[c->n - 1].ratio > 0)
            return true;
    }
    return false;
}

bool am_task_memory_draw(const struct am_figure_source *source, struct am_text *out)
{
    static const struct am_plot_axis bytes = {
        .title = "read and written", .unit = "B", .binary = true, .scale = AM_SCALE_LOG2};
    struct am_memory_curves curves;
    struct am_panel *const panels = am_arena_array(source->arena, 2, sizeof(*panels));

    am_memory_curves_make(source->set, source->facts, source->arena, &curves);
    if (!panels || !reaches_memory(&curves))
        return false;
    panels[0] = (struct am_panel){.plot = {.title = "accesses of main memory an operation",
                                           .x = bytes,
                                           .y = {.title = "accesses", .unit = ""}}};
    panels[1] = (struct am_panel){
        .plot = {.title = "share of the time", .x = bytes, .y = {.title = "overhead", .unit = ""}}};
    for (size_t i = 0; i < curves.n; i++)
        add_memory(panels, source->arena, &curves.items[i], (unsigned)i);
    am_panels_draw(panels, 2, "Main memory in the time of applications", out);
    return true;
}
