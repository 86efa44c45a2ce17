/* SPDX-License-Identifier: MIT */
/* Horizontal bars with their values in words, and the legend that all plots share. */
#include "write/plot/plot.h"
#include "document/figure/keys.h"
#include "document/units.h"

#include <math.h>
#include <stdint.h>

#define LABEL_SIZE AM_PLOT_FONT
#define BAR 13.0
#define BAR_GAP 2.0
#define GROUP_GAP 8.0
#define TOP 26.0
#define TOP_TITLED 44.0

static double top_of(const struct am_plot *plot)
{
    return plot->title ? TOP_TITLED : TOP;
}

/* Bars of the names before `name`, and of series before `series` in it: what is not measured
 * takes no room. */
static size_t bars_before(const struct am_plot *plot, size_t name, size_t series)
{
    size_t n = 0;

    for (size_t s = 0; s < plot->n; s++) {
        for (size_t i = 0; i < plot->series[s].n; i++) {
            const struct am_plot_mark *const m = &plot->series[s].marks[i];
            const size_t at = isfinite(m->x) && m->x >= 0 ? (size_t)m->x : SIZE_MAX;

            n += isfinite(m->y) && (at < name || (at == name && s < series));
        }
    }
    return n;
}

static double bar_top(const struct am_plot *plot, size_t name, size_t series)
{
    return top_of(plot) + (double)bars_before(plot, name, series) * (BAR + BAR_GAP) +
           (double)name * GROUP_GAP;
}

double am_plot_bars_height(const struct am_plot *plot)
{
    return bar_top(plot, plot->x.n_names, 0) + 6;
}

/* Where names end, bars begin and values have their place. */
struct columns {
    double names, bars, values;
    double lo, hi; /* of the values */
};

static double widest_value(const struct am_plot *plot)
{
    double widest = 0;

    for (size_t s = 0; s < plot->n; s++) {
        for (size_t i = 0; i < plot->series[s].n; i++) {
            char value[AM_UNITS_MAX];

            am_units_value(plot->series[s].marks[i].y, plot->y.unit, value, sizeof(value));
            widest = fmax(widest, am_label_width(value, LABEL_SIZE));
        }
    }
    return widest;
}

/* Makes room on the scale for a value, the end of an interval too. */
static void hold(struct columns *c, double value)
{
    if (!isfinite(value))
        return;
    c->hi = fmax(c->hi, value);
    c->lo = fmin(c->lo, value);
}

static struct columns measure(const struct am_plot *plot)
{
    const double width = plot->width > 0 ? plot->width : AM_PLOT_WIDTH;
    struct columns c = {.values = widest_value(plot) + 8};

    for (size_t i = 0; i < plot->x.n_names; i++)
        c.names = fmax(c.names, am_label_width(plot->x.names[i], LABEL_SIZE));
    c.names = fmin(c.names + 10, 0.45 * width);
    c.bars = width - c.names - c.values;
    for (size_t s = 0; s < plot->n; s++) {
        for (size_t i = 0; i < plot->series[s].n; i++) {
            const struct am_plot_mark *const m = &plot->series[s].marks[i];

            hold(&c, m->y);
            if (isfinite(m->y) && m->hi > m->lo) {
                hold(&c, m->lo);
                hold(&c, m->hi);
            }
        }
    }
    if (plot->y.lo < plot->y.hi) { /* shared with other panels */
        c.lo = fmin(plot->y.lo, 0);
        c.hi = plot->y.hi;
    }
    if (!(c.hi > c.lo))
        c.hi = c.lo + 1;
    return c;
}

static double x_at(const struct columns *c, double value)
{
    const double share = am_plot_place(AM_SCALE_LINEAR, c->lo, c->hi, value);

    return c->names + c->bars * fmin(fmax(share, 0), 1);
}

/* The value stands beside its bar, however far the interval reaches: that runs along the lower
 * edge, below the words. */
static void draw_bar(struct am_svg *svg, const struct am_plot *plot, const struct columns *c,
                     const struct am_plot_mark *m, double y, bool pale)
{
    const double zero = x_at(c, 0), end = x_at(c, m->y);
    char value[AM_UNITS_MAX];

    am_svg_rect(svg, fmin(zero, end), y, fabs(end - zero), BAR);
    if (pale)
        am_svg_attr(svg, "fill-opacity", "0.4");
    am_svg_data(svg, "data-y", m->y);
    if (m->title)
        am_svg_title(svg, m->title);
    am_svg_close(svg);
    am_units_known(m->y, m->bounded ? m->y : NAN, plot->y.unit, value, sizeof(value));
    if (isfinite(m->lo) && isfinite(m->hi) && m->hi > m->lo) {
        am_svg_ink(svg, AM_INK_TEXT);
        am_svg_line(svg, x_at(c, m->lo), y + BAR - 1, x_at(c, m->hi), y + BAR - 1, 1);
        am_svg_close(svg);
    }
    am_svg_ink(svg, AM_INK_TEXT);
    am_svg_text(svg, fmax(end, zero) + 5, y + BAR - 3, AM_ANCHOR_START, LABEL_SIZE, value);
    am_svg_close(svg);
}

static void draw_names(struct am_svg *svg, const struct am_plot *plot, const struct columns *c)
{
    for (size_t i = 0; i < plot->x.n_names; i++) {
        const double middle = (bar_top(plot, i, 0) + bar_top(plot, i, plot->n) - BAR_GAP) / 2;

        if (bars_before(plot, i, plot->n) > bars_before(plot, i, 0))
            am_svg_text(svg, c->names - 6, middle + 4, AM_ANCHOR_END, LABEL_SIZE, plot->x.names[i]);
    }
}

static void draw_heading(struct am_svg *svg, const struct am_plot *plot)
{
    if (plot->title) {
        am_svg_open(svg, "g");
        am_svg_attr(svg, "font-weight", "600");
        am_svg_text(svg, 0, 14, AM_ANCHOR_START, LABEL_SIZE + 1, plot->title);
        am_svg_close(svg);
    }
    am_svg_ink(svg, AM_INK_MUTED);
    am_svg_text(svg, 0, top_of(plot) - 12, AM_ANCHOR_START, LABEL_SIZE,
                plot->y.title ? plot->y.title : "");
    am_svg_close(svg);
}

void am_plot_bars(struct am_svg *svg, const struct am_plot *plot)
{
    const struct columns c = measure(plot);
    const double top = top_of(plot), bottom = am_plot_bars_height(plot) - 6 - GROUP_GAP;

    draw_heading(svg, plot);
    draw_names(svg, plot, &c);
    for (size_t s = 0; s < plot->n; s++) {
        const struct am_plot_series *const series = &plot->series[s];

        am_svg_ink(svg, AM_INK_SERIES + series->color % AM_SVG_COLORS);
        am_svg_attr(svg, "data-series", series->label);
        for (size_t i = 0; i < series->n; i++) { /* bars of a further run are pale */
            const struct am_plot_mark *const m = &series->marks[i];

            if (isfinite(m->y))
                draw_bar(svg, plot, &c, m, bar_top(plot, (size_t)fmax(m->x, 0), s),
                         series->run > 0);
        }
        am_svg_close(svg);
    }
    am_svg_ink(svg, AM_INK_AXIS);
    am_svg_line(svg, x_at(&c, 0), top - 3, x_at(&c, 0), bottom + 1, 1);
    am_svg_close(svg);
}

/* ---- the legend ---- */

void am_plot_dash(struct am_svg *svg, const struct am_plot_series *s)
{
    static const char *const dashes[] = {NULL, "5 3", "9 3 2 3"};
    const char *const own = dashes[s->dashed < 3 ? s->dashed : 2];

    if (s->run || own)
        am_svg_attr(svg, "stroke-dasharray", s->run ? "2 3" : own);
}

/* A line as it is drawn, a dot for marks that are not joined. */
static void draw_swatch(struct am_svg *svg, const struct am_plot_series *s, double x, double y,
                        double width)
{
    am_svg_open(svg, s->unjoined ? "circle" : "path");
    if (s->unjoined) {
        am_svg_num(svg, "cx", x + width / 2);
        am_svg_num(svg, "cy", y);
        am_svg_num(svg, "r", 4);
        am_svg_attr(svg, "fill", "currentColor");
    } else {
        am_svg_attrf(svg, "d", "M%d %dh%d", (int)x, (int)y, (int)width);
        am_svg_attr(svg, "stroke", "currentColor");
        am_svg_attr(svg, "stroke-width", "2.5");
        am_plot_dash(svg, s);
    }
    am_svg_close(svg);
}

double am_plot_legend(struct am_svg *svg, const struct am_plot_series *series, size_t n,
                      double width)
{
    const double line = 18, swatch = 18, gap = 16;
    double x = 0, y = 0;

    for (size_t i = 0; i < n; i++) {
        const double w = swatch + 5 + am_label_width(series[i].label, LABEL_SIZE) + gap;

        if (x > 0 && x + w - gap > width) {
            x = 0;
            y += line;
        }
        if (svg) {
            am_svg_ink(svg, AM_INK_SERIES + series[i].color % AM_SVG_COLORS);
            draw_swatch(svg, &series[i], x, y + 9, swatch);
            am_svg_close(svg);
            am_svg_text(svg, x + swatch + 5, y + 13, AM_ANCHOR_START, LABEL_SIZE, series[i].label);
        }
        x += w;
    }
    return n ? y + line : 0;
}
