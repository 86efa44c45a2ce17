/* SPDX-License-Identifier: MIT */
/* Forest plots: one ratio per row with its interval, around the band where it does not matter. A
 * row is a strip of its own; what it is of stands beside it as text, which a page can wrap. */
#include "write/plot/plot.h"
#include "document/figure/keys.h"
#include "document/units.h"

#include <math.h>

static const double edge = 6;

/* The same distance on both sides of 1, wide enough for every interval and for the band twice. */
static double reach(const struct am_plot_forest *forest)
{
    double r = log1p(2 * forest->delta);

    for (size_t i = 0; i < forest->n; i++) {
        const double ends[] = {forest->rows[i].lo, forest->rows[i].hi, forest->rows[i].ratio};

        for (size_t k = 0; k < 3; k++)
            r = isfinite(ends[k]) && ends[k] > 0 ? fmax(r, fabs(log(ends[k]))) : r;
    }
    return exp(fmin(fmax(r * 1.05, 1e-3), log(1000)));
}

static double x_at(double reach_of, double ratio)
{
    const double share = am_plot_place(AM_SCALE_LOG10, 1 / reach_of, reach_of, ratio);

    return edge + (AM_PLOT_WIDTH - 2 * edge) * fmin(fmax(share, 0), 1);
}

static struct am_ticks ticks_of(double r)
{
    const struct am_plot_axis axis = {.unit = "", .scale = AM_SCALE_LOG10, .lo = 1 / r, .hi = r};
    struct am_ticks t;

    am_plot_ticks(&axis, 6, &t);
    return t;
}

/* A label near an edge is moved inwards: none is cut. */
static double inside(double x, const char *text)
{
    const double half = am_label_width(text, AM_PLOT_FONT) / 2;

    return fmin(fmax(x, half), AM_PLOT_WIDTH - half);
}

void am_plot_forest_head(struct am_svg *svg, const struct am_plot_forest *forest)
{
    const double r = reach(forest);
    const struct am_ticks t = ticks_of(r);

    am_svg_ink(svg, AM_INK_MUTED);
    for (size_t i = 0; i < t.n; i++) {
        char text[AM_PLOT_LABEL_MAX + 4];

        (void)am_str_format(text, sizeof(text), "%s ×", t.label[i]);
        am_svg_text(svg, inside(x_at(r, t.at[i]), text), AM_PLOT_FOREST_HEAD - 5, AM_ANCHOR_MIDDLE,
                    AM_PLOT_FONT, text);
    }
    am_svg_text(svg, 0, 12, AM_ANCHOR_START, AM_PLOT_FONT, forest->lower);
    am_svg_text(svg, AM_PLOT_WIDTH, 12, AM_ANCHOR_END, AM_PLOT_FONT, forest->higher);
    am_svg_close(svg);
}

static void draw_axis(struct am_svg *svg, const struct am_plot_forest *forest, double r)
{
    const double band = x_at(r, 1 / (1 + forest->delta));
    const struct am_ticks t = ticks_of(r);

    am_svg_ink(svg, AM_INK_GRID);
    am_svg_rect(svg, band, 0, x_at(r, 1 + forest->delta) - band, AM_PLOT_FOREST_ROW);
    am_svg_close(svg);
    for (size_t i = 0; i < t.n; i++)
        am_svg_line(svg, x_at(r, t.at[i]), 0, x_at(r, t.at[i]), AM_PLOT_FOREST_ROW, 1);
    am_svg_close(svg);
    am_svg_ink(svg, AM_INK_AXIS);
    am_svg_line(svg, x_at(r, 1), 0, x_at(r, 1), AM_PLOT_FOREST_ROW, 1);
    am_svg_close(svg);
}

void am_plot_forest_row(struct am_svg *svg, const struct am_plot_forest *forest, size_t i)
{
    const struct am_plot_effect *const e = &forest->rows[i];
    const double r = reach(forest), middle = AM_PLOT_FOREST_ROW / 2;

    draw_axis(svg, forest, r);
    am_svg_ink(svg, e->ink);
    if (isfinite(e->lo) && isfinite(e->hi))
        am_svg_line(svg, x_at(r, e->lo), middle, x_at(r, e->hi), middle, 2);
    am_svg_open(svg, "circle");
    am_svg_num(svg, "cx", x_at(r, e->ratio));
    am_svg_num(svg, "cy", middle);
    am_svg_num(svg, "r", 4);
    am_svg_attr(svg, "fill", "currentColor");
    am_svg_data(svg, "data-y", e->ratio);
    if (e->title)
        am_svg_title(svg, e->title);
    am_svg_close(svg);
    am_svg_close(svg);
}
