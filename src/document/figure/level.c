/* SPDX-License-Identifier: MIT */
/* Level lines: from the first to the last place of a panel, at the value of one result. */
#include "document/figure/level.h"

#include "evidence/select.h"

#include <math.h>
#include <string.h>

/* What all lines of a panel share. */
struct panel {
    const struct am_figure_source *source;
    const struct am_figure_row *row;
    const struct am_figure_picks *picks;
    size_t index;
    double first, last; /* places */
    struct am_plot *plot;
};

/* Whether the two are points of one bench that differ at most in x. */
static bool is_beside(const struct am_result *a, const struct am_result *b, const char *x)
{
    bool alike = a->n_params == b->n_params && strcmp(a->bench, b->bench) == 0;

    for (size_t i = 0; alike && i < a->n_params; i++)
        alike = strcmp(a->params[i].name, x) == 0 || am_result_alike(a, b, a->params[i].name);
    return alike;
}

/* The mark whose line this result is the level of; NULL: none in this panel. */
static const struct am_figure_pick *mark_beside(const struct panel *p,
                                                const struct am_result *result, size_t run)
{
    for (size_t i = 0; i < p->picks->n; i++) {
        const struct am_figure_pick *const pick = &p->picks->items[i];

        if (pick->panel == p->index && pick->run == run && pick->series < AM_FIGURE_SERIES_MAX &&
            is_beside(pick->result, result, p->row->x))
            return pick;
    }
    return NULL;
}

static void add_level(const struct panel *p, const struct am_pick *level, size_t run)
{
    struct am_arena *const arena = p->source->arena;
    const struct am_figure_pick *const pick = mark_beside(p, level->result, run);
    struct am_plot_mark *const marks = am_arena_array(arena, 2, sizeof(*marks));
    const struct am_result_param *const at = am_result_param(level->result, p->row->x);
    const struct am_figure_pick self = {
        .result = level->result, .metric = level->metric, .run = run};

    if (!pick || !marks)
        return;
    for (size_t i = 0; i < 2; i++)
        marks[i] = (struct am_plot_mark){.x = i == 0 ? p->first : p->last,
                                         .y = level->metric->summary.median,
                                         .lo = level->metric->summary.median,
                                         .hi = level->metric->summary.median,
                                         .title = am_figure_pick_title(p->picks, &self, p->source)};
    am_plot_add(
        p->plot, arena,
        &(struct am_plot_series){
            .label = am_arena_printf(arena, "%s, %s %s", p->picks->series.labels[pick->series],
                                     p->row->x, at ? at->text : ""),
            .marks = marks,
            .n = 2,
            .color = (unsigned)pick->series,
            .run = (unsigned)run,
            .dashed = true,
            .bare = true,
        });
}

void am_figure_add_levels(const struct am_figure_source *source, const struct am_figure_row *row,
                          const struct am_figure_picks *picks, size_t panel, struct am_plot *plot)
{
    const struct am_selector from = {row->bench, row->level, row->metric};
    struct panel p = {.source = source,
                      .row = row,
                      .picks = picks,
                      .index = panel,
                      .first = INFINITY,
                      .last = -INFINITY,
                      .plot = plot};
    size_t run = 0;

    for (size_t i = 0; row->level && row->x && i < picks->n; i++) {
        const bool counts = picks->items[i].panel == panel && isfinite(picks->items[i].x);

        p.first = counts ? fmin(p.first, picks->items[i].x) : p.first;
        p.last = counts ? fmax(p.last, picks->items[i].x) : p.last;
    }
    for (const struct am_figure_source *s = p.first < p.last ? source : NULL; s;
         s = s->next, run++) {
        const struct am_picks levels = am_select(s->set, &from, source->arena);

        for (size_t i = 0; i < levels.n; i++)
            add_level(&p, &levels.items[i], run);
    }
}
