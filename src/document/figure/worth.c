/* SPDX-License-Identifier: MIT */
/* When a figure is worth its room. */
#include "document/figure/worth.h"

#include <math.h>
#include <string.h>

/* ---- counting ---- */

static bool share_line(const struct am_figure_pick *a, const struct am_figure_pick *b)
{
    return a->panel == b->panel && a->series == b->series && a->run == b->run;
}

/* Different places of the line that begins at pick `first`; *end is where the next one begins. */
static size_t line_places(const struct am_figure_picks *p, size_t first, size_t *end)
{
    size_t i = first + 1, places = 1;

    for (; i < p->n && share_line(&p->items[first], &p->items[i]); i++)
        places += p->x_is_metric || p->items[i - 1].x < p->items[i].x;
    *end = i;
    return places;
}

static size_t most_places(const struct am_figure_picks *p)
{
    size_t most = 0, end;

    for (size_t i = 0; i < p->n; i = end) {
        const size_t n = line_places(p, i, &end);

        most = n > most ? n : most;
    }
    return most;
}

/* Whether two series, or two runs, were measured at one place. Called where lines have one or two
 * places. */
static bool has_rivals(const struct am_figure_picks *p)
{
    for (size_t i = 1; i < p->n; i++) {
        const struct am_figure_pick *const a = &p->items[i];

        for (size_t k = i; k-- > 0 && p->items[k].panel == a->panel;) {
            if (!share_line(&p->items[k], a) && p->items[k].column == a->column)
                return true;
        }
    }
    return false;
}

/* The most results that one panel shows. */
static size_t count_marks(const struct am_figure_picks *p)
{
    size_t most = 0, in_panel = 0;

    for (size_t i = 0; i < p->n; i++) {
        in_panel = i > 0 && p->items[i - 1].panel == p->items[i].panel ? in_panel + 1 : 1;
        most = in_panel > most ? in_panel : most;
    }
    return most;
}

/* The most cells of one map: runs have maps of their own. */
static size_t count_cells(const struct am_figure_picks *p)
{
    size_t most = 0;

    for (size_t run = 0; run < p->runs; run++) {
        size_t n = 0;

        for (size_t i = 0; i < p->n; i++) {
            n = i > 0 && p->items[i - 1].panel != p->items[i].panel ? 0 : n;
            n += p->items[i].run == run;
            most = n > most ? n : most;
        }
    }
    return most;
}

/* Whether the axis that the figure is about has two values. */
static bool compares(const struct am_figure_picks *p, const char *axis)
{
    for (size_t i = 1; axis && i < p->n; i++) {
        if (!am_result_same(p->items[0].result, p->items[i].result, axis))
            return true;
    }
    return !axis;
}

/* ---- judging ---- */

static enum am_worth worth_of_lines(const struct am_figure_picks *p,
                                    const struct am_figure_row *row)
{
    if (most_places(p) >= AM_FIGURE_PLACES)
        return AM_WORTH_AS_ASKED;
    return !p->x_is_metric && !row->best && most_places(p) > 1 && has_rivals(p) ? AM_WORTH_BARS
                                                                                : AM_WORTH_NOTHING;
}

enum am_worth am_figure_worth(const struct am_figure_picks *p, const struct am_figure_row *row)
{
    bool worth = true;

    if (p->n == 0 || !compares(p, row->compares))
        return AM_WORTH_NOTHING;
    if (row->kind == AM_FIGURE_LINES)
        return worth_of_lines(p, row);
    if (row->kind == AM_FIGURE_BARS)
        worth = count_marks(p) > 1;
    if (row->kind == AM_FIGURE_HEAT)
        worth = count_cells(p) >= AM_FIGURE_PLACES && p->columns.n >= row->least &&
                p->series.n >= row->least;
    return worth ? AM_WORTH_AS_ASKED : AM_WORTH_NOTHING;
}

/* ---- other forms ---- */

const struct am_figure_row *am_figure_as_bars(const struct am_figure_row *row,
                                              struct am_arena *arena)
{
    const char *const axis = row->x_title ? row->x_title : row->x;
    struct am_figure_row *const bars = am_arena_alloc(arena, sizeof(*bars));

    if (!bars)
        return NULL;
    *bars = *row;
    bars->kind = AM_FIGURE_BARS;
    bars->caption = am_arena_printf(
        arena, "%s Bars: two values of %s were measured, too few for a curve.", row->caption, axis);
    return bars->caption ? bars : NULL;
}

bool am_figure_drop_panels(struct am_figure_picks *p, struct am_arena *arena, size_t *n)
{
    size_t *const place = am_arena_array(arena, p->panels.n + 1, sizeof(*place));
    bool *const kept = am_arena_array(arena, p->panels.n + 1, sizeof(*kept));
    size_t panels = 0, left = 0, end;

    if (!place || !kept)
        return false;
    for (size_t i = 0; i < p->n; i = end)
        kept[p->items[i].panel] |= line_places(p, i, &end) >= AM_FIGURE_PLACES;
    for (size_t i = 0; i < p->panels.n; i++) {
        place[i] = panels;
        p->panels.labels[panels] = p->panels.labels[i];
        panels += kept[i];
    }
    for (size_t i = 0; i < p->n; i++) {
        if (!kept[p->items[i].panel])
            continue;
        p->items[left] = p->items[i];
        p->items[left++].panel = place[p->items[i].panel];
    }
    *n = p->panels.n - panels;
    p->n = left;
    p->panels.n = panels;
    return true;
}
