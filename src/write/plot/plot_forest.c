/* SPDX-License-Identifier: MIT */
/* Forest plots: one ratio a row with its interval, around the band where it does not matter. */
#include "write/plot/plot.h"
#include "document/units.h"

#include <math.h>

#define LABEL_SIZE AM_PLOT_FONT
#define ROW 36.0
#define TOP 34.0
#define BOTTOM 12.0

double am_plot_forest_height(const struct am_plot_forest *forest)
{
    return TOP + (double)forest->n * ROW + BOTTOM;
}

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

static double x_at(double reach_of, double width, double ratio)
{
    const double share = am_plot_place(AM_SCALE_LOG10, 1 / reach_of, reach_of, ratio);

    return 4 + (width - 8) * fmin(fmax(share, 0), 1);
}

/* The band, the ticks and the line at 1, in each row only where its interval lies: names stay
 * readable. */
static void draw_row_axis(struct am_svg *svg, const struct am_plot_forest *forest,
                          const struct am_ticks *t, double width, double r)
{
    const double band = x_at(r, width, 1 / (1 + forest->delta));
    const double top = ROW - 16, bottom = ROW - 3;

    am_svg_ink(svg, AM_INK_GRID);
    am_svg_rect(svg, band, top, x_at(r, width, 1 + forest->delta) - band, bottom - top);
    am_svg_close(svg);
    for (size_t i = 0; i < t->n; i++)
        am_svg_line(svg, x_at(r, width, t->at[i]), top, x_at(r, width, t->at[i]), bottom, 1);
    am_svg_close(svg);
    am_svg_ink(svg, AM_INK_AXIS);
    am_svg_line(svg, x_at(r, width, 1), top, x_at(r, width, 1), bottom, 1);
    am_svg_close(svg);
}

static void draw_heading(struct am_svg *svg, const struct am_plot_forest *forest,
                         const struct am_ticks *t, double width, double r)
{
    am_svg_ink(svg, AM_INK_MUTED);
    for (size_t i = 0; i < t->n; i++) {
        char text[AM_PLOT_LABEL_MAX + 4];

        (void)am_str_format(text, sizeof(text), "%s ×", t->label[i]);
        am_svg_text(svg, x_at(r, width, t->at[i]), TOP - 5, AM_ANCHOR_MIDDLE, LABEL_SIZE - 0.5,
                    text);
    }
    am_svg_text(svg, 0, 12, AM_ANCHOR_START, LABEL_SIZE, forest->lower);
    am_svg_text(svg, width, 12, AM_ANCHOR_END, LABEL_SIZE, forest->higher);
    am_svg_close(svg);
}

static void draw_row(struct am_svg *svg, const struct am_plot_effect *e, double width, double r)
{
    const double middle = ROW - 9.5;

    am_svg_text(svg, 0, 13, AM_ANCHOR_START, LABEL_SIZE - 0.5, e->label);
    am_svg_ink(svg, e->ink);
    am_svg_text(svg, width, 13, AM_ANCHOR_END, LABEL_SIZE - 0.5, e->verdict);
    if (isfinite(e->lo) && isfinite(e->hi))
        am_svg_line(svg, x_at(r, width, e->lo), middle, x_at(r, width, e->hi), middle, 2);
    am_svg_open(svg, "circle");
    am_svg_num(svg, "cx", x_at(r, width, e->ratio));
    am_svg_num(svg, "cy", middle);
    am_svg_num(svg, "r", 4);
    am_svg_attr(svg, "fill", "currentColor");
    am_svg_data(svg, "data-y", e->ratio);
    if (e->title)
        am_svg_title(svg, e->title);
    am_svg_close(svg);
    am_svg_close(svg);
}

void am_plot_forest(struct am_svg *svg, const struct am_plot_forest *forest)
{
    const double width = forest->width > 0 ? forest->width : AM_PLOT_WIDTH;
    const double r = reach(forest);
    const struct am_plot_axis axis = {.unit = "", .scale = AM_SCALE_LOG10, .lo = 1 / r, .hi = r};
    struct am_ticks t;

    am_plot_ticks(&axis, 6, &t);
    draw_heading(svg, forest, &t, width, r);
    for (size_t i = 0; i < forest->n; i++) {
        am_svg_at(svg, 0, TOP + (double)i * ROW);
        draw_row_axis(svg, forest, &t, width, r);
        draw_row(svg, &forest->rows[i], width, r);
        am_svg_close(svg);
    }
}
