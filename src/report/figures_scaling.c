/* SPDX-License-Identifier: MIT */
/* Weak and strong scaling of the distributed stencil, with the prediction beside it. */
#include "report/figures_scaling.h"

#include "report/panels.h"

#include <stdlib.h>
#include <string.h>

static const char bench[] = "mpi.stencil";

static const char *const panel_axes[] = {"scaling", "n", "type", "form", NULL};
static const char *const line_axes[] = {"threads", "isa", "steps", "node", NULL};

static bool alike(const struct am_result *a, const struct am_result *b, const char *const *axes)
{
    for (; *axes; axes++) {
        const char *const x = am_result_text(a, *axes), *const y = am_result_text(b, *axes);

        if (x && y ? strcmp(x, y) != 0 : x != y)
            return false;
    }
    return true;
}

static int by_ranks(const void *x, const void *y)
{
    const double a = am_result_number(*(const struct am_result *const *)x, "ranks");
    const double b = am_result_number(*(const struct am_result *const *)y, "ranks");

    return a < b ? -1 : a > b;
}

/* Results that were measured, by rising ranks. */
static const struct am_result **collect(const struct am_figure_source *source, size_t *n)
{
    const struct am_result_set *const set = source->set;
    const struct am_result **const all = am_arena_array(source->arena, set->n + 1, sizeof(*all));

    *n = 0;
    for (size_t i = 0; all && i < set->n; i++) {
        if (strcmp(set->results[i].bench, bench) == 0 && set->results[i].state == AM_POINT_OK)
            all[(*n)++] = &set->results[i];
    }
    if (*n)
        qsort(all, *n, sizeof(*all), by_ranks);
    return all;
}

struct curves {
    const struct am_result **all;
    size_t n;
    bool *used;
    struct am_arena *arena;
};

/* What is predicted has neither marks nor intervals. */
static void add_line(const struct curves *c, struct am_panel *panel, const struct am_result *head,
                     bool predicted, unsigned color)
{
    const char *const label =
        am_arena_printf(c->arena, predicted ? "threads=%s, predicted" : "threads=%s",
                        am_result_text(head, "threads"));
    struct am_plot_mark *const marks = am_panel_line(panel, c->arena, label, color, c->n);
    struct am_summary summary;
    size_t n = 0;

    for (size_t i = 0; marks && i < c->n; i++) {
        const struct am_result *const r = c->all[i];

        if (alike(head, r, panel_axes) && alike(head, r, line_axes) &&
            am_result_summary(r, predicted ? "predicted" : "flops", &summary))
            marks[n++] = (struct am_plot_mark){.x = am_result_number(r, "ranks"),
                                               .y = summary.median,
                                               .lo = predicted ? 0 : summary.ci.lo,
                                               .hi = predicted ? 0 : summary.ci.hi};
    }
    if (!marks)
        return;
    am_panel_last(panel)->n = n;
    am_panel_last(panel)->dashed = am_panel_last(panel)->bare = predicted;
}

static size_t length_of(const struct curves *c, const struct am_result *head)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        n += alike(head, c->all[i], panel_axes) && alike(head, c->all[i], line_axes);
    return n;
}

static void take(const struct curves *c, const struct am_result *head)
{
    for (size_t i = 0; i < c->n; i++)
        c->used[i] =
            c->used[i] || (alike(head, c->all[i], panel_axes) && alike(head, c->all[i], line_axes));
}

static void fill_panel(const struct curves *c, struct am_panel *panel, const struct am_result *head)
{
    unsigned color = 0;

    *panel =
        (struct am_panel){.plot = {.title = am_arena_printf(
                                       c->arena, "%s, n = %s, %s, %s",
                                       am_result_text(head, "scaling"), am_result_text(head, "n"),
                                       am_result_text(head, "type"), am_result_text(head, "form")),
                                   .x = {.title = "ranks", .unit = "", .whole = true},
                                   .y = {.title = "speed", .unit = "flop/s"}}};
    for (size_t i = 0; i < c->n; i++) {
        const struct am_result *const r = c->all[i];

        if (c->used[i] || !alike(head, r, panel_axes))
            continue;
        if (length_of(c, r) > 1) {
            add_line(c, panel, r, false, color);
            add_line(c, panel, r, true, color++);
        }
        take(c, r);
    }
}

bool am_scaling_draw(const struct am_figure_source *source, struct am_text *out)
{
    struct curves c = {.arena = source->arena};
    struct am_panel *const panels = am_arena_array(source->arena, AM_PANELS_MAX, sizeof(*panels));
    size_t n = 0;

    c.all = collect(source, &c.n);
    c.used = am_arena_array(source->arena, c.n + 1, sizeof(*c.used));
    for (size_t i = 0; panels && c.all && c.used && i < c.n && n < AM_PANELS_MAX; i++) {
        if (!c.used[i] && length_of(&c, c.all[i]) > 1)
            fill_panel(&c, &panels[n++], c.all[i]);
    }
    if (n == 0)
        return false;
    am_panels_draw(panels, n, "Speed of the distributed stencil over ranks", out);
    return true;
}
