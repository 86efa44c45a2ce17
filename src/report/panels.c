/* SPDX-License-Identifier: MIT */
/* Panels of lines that pictures of their own fill. */
#include "report/panels.h"

#include <math.h>

static const double gap = 28, margin = 16, head = 12;

struct am_plot_mark *am_panel_line(struct am_panel *p, struct am_arena *arena, const char *label,
                                   unsigned color, size_t n)
{
    struct am_plot_mark *const marks = am_arena_array(arena, n, sizeof(*marks));

    if (!marks || !label || p->plot.n == AM_PANEL_LINES_MAX)
        return NULL;
    p->series[p->plot.n++] =
        (struct am_plot_series){.label = label, .marks = marks, .n = n, .color = color};
    return marks;
}

struct am_plot_series *am_panel_last(struct am_panel *p)
{
    return &p->series[p->plot.n - 1];
}

static double legend_height(const struct am_panel *p)
{
    return am_plot_legend(NULL, p->series, p->plot.n, AM_PLOT_WIDTH);
}

static double panel_height(const struct am_panel *p)
{
    return AM_PLOT_HEIGHT + legend_height(p) + gap;
}

void am_panels_draw(struct am_panel *panels, size_t n, const char *label, struct am_text *out)
{
    const size_t columns = n > 1 ? 2 : 1;
    double height = head, y = head;
    struct am_svg svg;

    for (size_t i = 0; i < n; i += columns)
        height += fmax(panel_height(&panels[i]), i + 1 < n ? panel_height(&panels[i + 1]) : 0);
    am_svg_init(&svg, out);
    am_svg_root(&svg, (double)columns * (AM_PLOT_WIDTH + gap) + 2 * margin, height + margin, label);
    for (size_t i = 0; i < n; i++) {
        struct am_panel *const p = &panels[i];
        const double x = margin + (double)(i % columns) * (AM_PLOT_WIDTH + gap);

        p->plot.series = p->series;
        am_svg_at(&svg, x, y);
        am_plot_lines(&svg, &p->plot);
        am_svg_close(&svg);
        am_svg_at(&svg, x, y + AM_PLOT_HEIGHT);
        (void)am_plot_legend(&svg, p->series, p->plot.n, AM_PLOT_WIDTH);
        am_svg_close(&svg);
        if (i % columns == columns - 1)
            y += fmax(panel_height(p), panel_height(&panels[i + 1 - columns]));
    }
    am_svg_close(&svg);
}
