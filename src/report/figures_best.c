/* SPDX-License-Identifier: MIT */
/* Pictures of the best that was measured, over threads and sizes. */
#include "report/figures_best.h"

#include "report/figure_data.h"
#include "report/panels.h"

#include <math.h>
#include <string.h>

struct shown {
    const char *title, *bench, *metric;
    bool least; /* is best */
    const char *x, *series, *panel;
};

/* One result that counts. */
struct place {
    double x;
    size_t series, panel;
    struct am_summary summary;
};

struct places {
    struct place *items;
    size_t n;
    struct am_keys series, panels;
    const char *unit;
};

static const char *unit_of(const struct am_result *r, const char *metric)
{
    for (size_t i = 0; i < r->n_metrics; i++) {
        if (strcmp(r->metrics[i].name, metric) == 0)
            return r->metrics[i].unit;
    }
    return "";
}

/* Keeps the better of two at one place. */
static void put(struct places *all, const struct shown *what, const struct place *p)
{
    for (size_t i = 0; i < all->n; i++) {
        struct place *const o = &all->items[i];

        if (o->x < p->x || o->x > p->x || o->series != p->series || o->panel != p->panel)
            continue;
        if (what->least ? p->summary.median < o->summary.median
                        : p->summary.median > o->summary.median)
            *o = *p;
        return;
    }
    all->items[all->n++] = *p;
}

static bool gather(const struct am_figure_source *source, const struct shown *what,
                   struct places *all)
{
    const struct am_result_set *const set = source->set;

    all->items = am_arena_array(source->arena, set->n + 1, sizeof(*all->items));
    for (size_t i = 0; all->items && i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const char *const series = am_result_text(r, what->series);
        const char *const panel = am_result_text(r, what->panel);
        struct place p = {.x = am_result_number(r, what->x)};

        if (strcmp(r->bench, what->bench) != 0 || !series || !panel || !isfinite(p.x) ||
            !am_result_summary(r, what->metric, &p.summary))
            continue;
        p.series = am_keys_index(&all->series, source->arena, series);
        p.panel = am_keys_index(&all->panels, source->arena, panel);
        all->unit = unit_of(r, what->metric);
        if (p.series < AM_PANEL_LINES_MAX && p.panel < AM_KEYS_MAX)
            put(all, what, &p);
    }
    return all->items && all->n > 0;
}

/* Those of one line, by rising x. How many. */
static size_t line_of(const struct places *all, size_t panel, size_t series,
                      struct am_plot_mark *marks)
{
    size_t n = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct place *const p = &all->items[i];
        size_t at = n;

        if (p->panel != panel || p->series != series)
            continue;
        n++;
        for (; marks && at > 0 && marks[at - 1].x > p->x; at--)
            marks[at] = marks[at - 1];
        if (marks)
            marks[at] = (struct am_plot_mark){
                .x = p->x, .y = p->summary.median, .lo = p->summary.ci.lo, .hi = p->summary.ci.hi};
    }
    return n;
}

static bool fill_panel(struct am_panel *out, struct am_arena *arena, const struct shown *what,
                       const struct places *all, size_t panel)
{
    const bool count = strcmp(what->x, "threads") == 0;
    size_t longest = 0;

    *out = (struct am_panel){
        .plot = {.title = am_arena_printf(arena, "%s = %s", what->panel, all->panels.items[panel]),
                 .x = {.title = what->x,
                       .unit = "",
                       .whole = true,
                       .scale = count ? AM_SCALE_LINEAR : AM_SCALE_LOG2},
                 .y = {.title = what->metric, .unit = all->unit}}};
    for (size_t s = 0; s < all->series.n && s < AM_PANEL_LINES_MAX; s++) {
        const size_t n = line_of(all, panel, s, NULL);
        struct am_plot_mark *const marks =
            n ? am_panel_line(out, arena, all->series.items[s], (unsigned)s, n) : NULL;

        if (marks)
            (void)line_of(all, panel, s, marks);
        longest = n > longest ? n : longest;
    }
    return longest > 1;
}

/* Panels without a line of two places say nothing that a table does not. */
static bool draw_best(const struct am_figure_source *source, const struct shown *what,
                      struct am_text *out)
{
    struct am_panel *const panels = am_arena_array(source->arena, AM_PANELS_MAX, sizeof(*panels));
    struct places all = {.unit = ""};
    size_t n = 0;

    if (!panels || !gather(source, what, &all))
        return false;
    for (size_t i = 0; i < all.panels.n && n < AM_PANELS_MAX; i++)
        n += fill_panel(&panels[n], source->arena, what, &all, i);
    if (n == 0)
        return false;
    am_panels_draw(panels, n, what->title, out);
    return true;
}

#define DRAW(fn, name_, title_, bench_, metric_, least_, x_, series_, panel_)                      \
    bool am_best_##fn(const struct am_figure_source *source, struct am_text *out)                  \
    {                                                                                              \
        return draw_best(source,                                                                   \
                         &(const struct shown){.title = title_,                                    \
                                               .bench = bench_,                                    \
                                               .metric = metric_,                                  \
                                               .least = least_,                                    \
                                               .x = x_,                                            \
                                               .series = series_,                                  \
                                               .panel = panel_},                                   \
                         out);                                                                     \
    }
AM_FIGURES_BEST_MAP(DRAW)
