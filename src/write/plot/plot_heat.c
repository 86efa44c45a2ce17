/* SPDX-License-Identifier: MIT */
/* Heat maps: a cell a pair, colours of even steps, the numbers too where they have room. */
#include "write/plot/plot.h"
#include "document/figure/keys.h"
#include "document/units.h"

#include <math.h>

#define LABEL_SIZE AM_PLOT_FONT
#define VALUE_SIZE 11.5
#define KEY_HEIGHT 34.0

enum { ROW_HEIGHT_MAX = 24, VALUES_MAX = 400, KEY_STEPS = 24 };

static const double least_contrast = 1.25;

struct layout {
    double left, top, cell_w, cell_h;
    double lo, hi;
    double factor; /* of the unit that all numbers share */
    char unit[AM_UNITS_MAX];
};

static double widest(const char *const *names, size_t n)
{
    double w = 0;

    for (size_t i = 0; i < n; i++)
        w = fmax(w, am_label_width(names[i], LABEL_SIZE));
    return w;
}

static double cell_height(const struct am_plot_heat *heat)
{
    const double tall = 420;

    return fmin(ROW_HEIGHT_MAX, fmax(5, tall / (double)(heat->rows ? heat->rows : 1)));
}

/* Title, then the titles of rows and columns, then the columns' names. */
static double top_of(const struct am_plot_heat *heat)
{
    return heat->title ? 58 : 40;
}

double am_plot_heat_height(const struct am_plot_heat *heat)
{
    return top_of(heat) + (double)heat->rows * cell_height(heat) + KEY_HEIGHT + 12;
}

static void set_layout(struct layout *l, const struct am_plot_heat *heat)
{
    const double width = heat->width > 0 ? heat->width : AM_PLOT_WIDTH;
    const double columns = (double)(heat->columns ? heat->columns : 1);

    *l = (struct layout){.left = fmin(widest(heat->row_names, heat->rows) + 8, width / 3),
                         .top = top_of(heat),
                         .cell_h = cell_height(heat),
                         .lo = INFINITY,
                         .hi = -INFINITY};
    l->cell_w = fmin((width - l->left) / columns, 64);
    for (size_t i = 0; i < heat->rows * heat->columns; i++) {
        const double v = heat->values[i];

        if (!isfinite(v) || (heat->log && !(v > 0)))
            continue;
        l->lo = fmin(l->lo, v);
        l->hi = fmax(l->hi, v);
    }
    if (heat->lo < heat->hi) {
        l->lo = heat->lo;
        l->hi = heat->hi;
    }
    /* differences that hardly matter should hardly show */
    if (l->lo > 0 && l->hi < least_contrast * l->lo)
        l->hi = least_contrast * l->lo;
    l->factor =
        am_units_prefix(fmax(fabs(l->lo), fabs(l->hi)), heat->unit, l->unit, sizeof(l->unit));
}

/* A map of one value is all in the middle of the scale. */
static double share_of(const struct am_plot_heat *heat, const struct layout *l, double value)
{
    const double share =
        am_plot_place(heat->log ? AM_SCALE_LOG10 : AM_SCALE_LINEAR, l->lo, l->hi, value);

    return isfinite(share) ? share : 0.3;
}

static void number_text(double v, char *buf, size_t cap)
{
    const double a = fabs(v);

    (void)am_str_format(buf, cap, "%.*f", a < 9.95 ? 2 : a < 99.5 ? 1 : 0, v);
}

static void draw_cell(struct am_svg *svg, const struct am_plot_heat *heat, const struct layout *l,
                      size_t row, size_t column)
{
    const size_t i = row * heat->columns + column;
    const double x = l->left + (double)column * l->cell_w, y = l->top + (double)row * l->cell_h;
    const double gap = l->cell_w > 8 && l->cell_h > 8 ? 1 : 0;
    const char *text_on;
    char color[8], value[AM_UNITS_MAX], title[4 * AM_PLOT_LABEL_MAX];

    if (!isfinite(heat->values[i]))
        return;
    am_svg_heat(share_of(heat, l, heat->values[i]), color, &text_on);
    am_svg_open(svg, "rect");
    am_svg_num(svg, "x", x);
    am_svg_num(svg, "y", y);
    am_svg_num(svg, "width", l->cell_w - gap);
    am_svg_num(svg, "height", l->cell_h - gap);
    am_svg_attr(svg, "fill", color);
    am_svg_data(svg, "data-y", heat->values[i]);
    am_units_value(heat->values[i], heat->unit, value, sizeof(value));
    (void)am_str_format(title, sizeof(title), "%s %s, %s %s: %s", heat->row_title,
                        heat->row_names[row], heat->column_title, heat->column_names[column],
                        value);
    am_svg_title(svg, heat->titles && heat->titles[i] ? heat->titles[i] : title);
    am_svg_close(svg);
    if (l->cell_w < 34 || l->cell_h < 14 || heat->rows * heat->columns > VALUES_MAX)
        return;
    number_text(heat->values[i] / l->factor, value, sizeof(value));
    am_svg_open(svg, "text");
    am_svg_num(svg, "x", x + (l->cell_w - gap) / 2);
    am_svg_num(svg, "y", y + (l->cell_h - gap) / 2 + VALUE_SIZE * 0.36);
    am_svg_attr(svg, "text-anchor", "middle");
    am_svg_num(svg, "font-size", VALUE_SIZE);
    am_svg_attr(svg, "fill", text_on);
    am_svg_attr(svg, "pointer-events", "none");
    am_svg_content(svg, value);
    am_svg_close(svg);
}

static void draw_names(struct am_svg *svg, const struct am_plot_heat *heat, const struct layout *l)
{
    double free_from = -INFINITY;

    am_svg_ink(svg, AM_INK_MUTED);
    for (size_t c = 0; c < heat->columns; c++) {
        const double x = l->left + ((double)c + 0.5) * l->cell_w;
        const double half = am_label_width(heat->column_names[c], LABEL_SIZE - 0.5) / 2;

        if (x - half < free_from)
            continue;
        am_svg_text(svg, x, l->top - 5, AM_ANCHOR_MIDDLE, LABEL_SIZE - 0.5, heat->column_names[c]);
        free_from = x + half + 5;
    }
    free_from = -INFINITY;
    for (size_t r = 0; r < heat->rows; r++) {
        const double y = l->top + ((double)r + 0.5) * l->cell_h;

        if (y - LABEL_SIZE / 2 < free_from)
            continue;
        am_svg_text(svg, l->left - 5, y + 4, AM_ANCHOR_END, LABEL_SIZE - 0.5, heat->row_names[r]);
        free_from = y + LABEL_SIZE / 2;
    }
    am_svg_close(svg);
}

static void draw_heading(struct am_svg *svg, const struct am_plot_heat *heat,
                         const struct layout *l)
{
    char title[4 * AM_PLOT_LABEL_MAX];

    if (heat->title) {
        am_svg_open(svg, "g");
        am_svg_attr(svg, "font-weight", "600");
        am_svg_text(svg, 0, 14, AM_ANCHOR_START, LABEL_SIZE + 1, heat->title);
        am_svg_close(svg);
    }
    (void)am_str_format(title, sizeof(title), "rows: %s, columns: %s", heat->row_title,
                        heat->column_title);
    am_svg_ink(svg, AM_INK_MUTED);
    am_svg_text(svg, 0, l->top - 25, AM_ANCHOR_START, LABEL_SIZE, title);
    am_svg_close(svg);
}

/* The scale of colours with its ends. */
static void draw_key(struct am_svg *svg, const struct am_plot_heat *heat, const struct layout *l)
{
    const double y = l->top + (double)heat->rows * l->cell_h + 14, step = 6;
    char text[AM_UNITS_MAX];

    if (!(l->hi > l->lo))
        return;
    for (int i = 0; i < KEY_STEPS; i++) {
        const char *text_on;
        char color[8];

        am_svg_heat((double)i / (KEY_STEPS - 1), color, &text_on);
        am_svg_open(svg, "rect");
        am_svg_num(svg, "x", l->left + i * step);
        am_svg_num(svg, "y", y);
        am_svg_num(svg, "width", step + 0.3);
        am_svg_num(svg, "height", 8);
        am_svg_attr(svg, "fill", color);
        am_svg_close(svg);
    }
    am_svg_ink(svg, AM_INK_MUTED);
    am_units_value(l->lo, heat->unit, text, sizeof(text));
    am_svg_text(svg, l->left, y + 21, AM_ANCHOR_START, LABEL_SIZE - 0.5, text);
    am_units_value(l->hi, heat->unit, text, sizeof(text));
    am_svg_text(svg, l->left + KEY_STEPS * step, y + 21, AM_ANCHOR_END, LABEL_SIZE - 0.5, text);
    (void)am_str_format(text, sizeof(text), "%s%s%s", *l->unit ? "in " : "", l->unit,
                        heat->log ? ", colours by logarithm" : "");
    am_svg_text(svg, l->left + KEY_STEPS * step + 10, y + 9, AM_ANCHOR_START, LABEL_SIZE - 0.5,
                text);
    am_svg_close(svg);
}

void am_plot_heat(struct am_svg *svg, const struct am_plot_heat *heat)
{
    struct layout l;

    set_layout(&l, heat);
    draw_heading(svg, heat, &l);
    draw_names(svg, heat, &l);
    for (size_t r = 0; r < heat->rows; r++) {
        for (size_t c = 0; c < heat->columns; c++)
            draw_cell(svg, heat, &l, r, c);
    }
    draw_key(svg, heat, &l);
}
