/* SPDX-License-Identifier: MIT */
/* Figures as SVG: one panel for a page, or the whole as one picture. */
#include "write/plot/figure_svg.h"

#include "write/plot/pictures.h"
#include "write/plot/plot.h"

#include <math.h>

#define GAP 28.0
#define MARGIN 16.0

static double panel_width(const struct am_figure *f)
{
    return f->small ? AM_PLOT_SMALL_WIDTH : AM_PLOT_WIDTH;
}

static double lines_height(const struct am_figure *f)
{
    return f->small ? AM_PLOT_SMALL_HEIGHT : AM_PLOT_HEIGHT;
}

static double panel_height(const struct am_figure *f, size_t i)
{
    const struct am_plot *const plot = &f->panels[i].plot;

    if (f->row->kind == AM_FIGURE_BARS)
        return am_plot_bars_height(plot);
    if (f->row->kind == AM_FIGURE_HEAT)
        return am_plot_heat_height(&f->panels[i].heat);
    return lines_height(f) +
           (f->own_legends ? am_plot_legend(NULL, plot->series, plot->n, panel_width(f)) : 0);
}

static void draw_lines(struct am_svg *svg, const struct am_figure *f, size_t i)
{
    struct am_plot plot = f->panels[i].plot;

    plot.width = panel_width(f);
    plot.height = lines_height(f);
    am_plot_lines(svg, &plot);
    if (!f->own_legends)
        return;
    am_svg_at(svg, 0, plot.height);
    (void)am_plot_legend(svg, plot.series, plot.n, plot.width);
    am_svg_close(svg);
}

static void draw_panel(struct am_svg *svg, const struct am_figure *f, size_t i)
{
    if (f->row->kind == AM_FIGURE_BARS)
        am_plot_bars(svg, &f->panels[i].plot);
    else if (f->row->kind == AM_FIGURE_HEAT)
        am_plot_heat(svg, &f->panels[i].heat);
    else
        draw_lines(svg, f, i);
}

void am_figure_panel_svg(const struct am_figure *f, size_t panel, struct am_text *out)
{
    const char *const part =
        f->row->kind == AM_FIGURE_HEAT ? f->panels[panel].heat.title : f->panels[panel].plot.title;
    char label[256];
    struct am_svg svg;

    (void)am_str_format(label, sizeof(label), "%s%s%s", f->row->title, part ? ": " : "",
                        part ? part : "");
    am_svg_init(&svg, out);
    am_svg_root(&svg, panel_width(f), panel_height(f, panel), label);
    draw_panel(&svg, f, panel);
    am_svg_close(&svg);
}

static double row_height(const struct am_figure *f, size_t first, size_t columns)
{
    double h = 0;

    for (size_t i = first; i < f->n_panels && i < first + columns; i++)
        h = fmax(h, panel_height(f, i));
    return h;
}

void am_figure_svg(const struct am_figure *f, struct am_text *out)
{
    const size_t columns = f->n_panels < 2 ? 1 : f->small ? 3 : 2;
    const double pitch = f->drawn ? 0 : panel_width(f) + GAP;
    const double width = (double)columns * pitch - GAP;
    double height = 34, y = 34;
    struct am_svg svg;

    if (f->drawn) {
        am_picture_svg(f, out);
        return;
    }
    height += am_plot_legend(NULL, f->legend, f->n_legend, width);
    for (size_t i = 0; i < f->n_panels; i += columns)
        height += row_height(f, i, columns) + (i ? GAP : 0);
    am_svg_init(&svg, out);
    am_svg_root(&svg, width + 2 * MARGIN, height + 2 * MARGIN, f->row->title);
    am_svg_at(&svg, MARGIN, MARGIN);
    am_svg_open(&svg, "g");
    am_svg_attr(&svg, "font-weight", "600");
    am_svg_text(&svg, 0, 16, AM_ANCHOR_START, 15, f->row->title);
    am_svg_close(&svg);
    if (f->n_legend) {
        am_svg_at(&svg, 0, y);
        y += am_plot_legend(&svg, f->legend, f->n_legend, width);
        am_svg_close(&svg);
    }
    for (size_t i = 0; i < f->n_panels; i++) {
        am_svg_at(&svg, (double)(i % columns) * pitch, y);
        draw_panel(&svg, f, i);
        am_svg_close(&svg);
        if ((i + 1) % columns == 0)
            y += row_height(f, i + 1 - columns, columns) + GAP;
    }
    am_svg_close(&svg);
    am_svg_close(&svg);
}
