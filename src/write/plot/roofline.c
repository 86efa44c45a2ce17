/* SPDX-License-Identifier: MIT */
/* Rooflines: flop/s over flop a byte, both logarithmic. Slanted lines are levels of memory, flat
 * ones instruction sets; points that move bytes only stand at the left edge, those that only
 * compute at the right one. */
#include "write/plot/pictures.h"

#include "document/figure/keys.h"
#include "document/units.h"
#include "write/plot/plot.h"

#include <math.h>
#include <string.h>

enum { LINES_MAX = 16, TEXT_BYTES = 256 };

/* Places in one panel, in user units. */
static const double panel_width = 470, panel_height = 330;
static const double left = 58, right = 12, top = 28, bottom = 44;
static const double font = 11, label_gap = 13;

/* Where the axes end; the ridges of real machines lie well inside. */
static const double x_lo = 1.0 / 64, x_hi = 64;

struct panel {
    const struct am_roof_scene *all;
    const struct am_roof_panel *of;
    struct am_svg *svg;
    double y_lo, y_hi;
};

static double place_x(double x)
{
    const double share = am_plot_place(AM_SCALE_LOG10, x_lo, x_hi, x);

    return left + share * (panel_width - left - right);
}

static double place_y(const struct panel *p, double y)
{
    const double share = am_plot_place(AM_SCALE_LOG10, p->y_lo, p->y_hi, y);

    return panel_height - bottom - share * (panel_height - top - bottom);
}

/* ---- what is in a panel ---- */

/* A ceiling of the processor's arithmetic in this panel. */
static bool is_peak(const struct panel *p, const struct am_ceiling *c)
{
    return c->kind == AM_CEILING_FLOPS && !c->device && strcmp(c->type, p->of->type) == 0 &&
           fabs(c->threads - p->of->threads) < 0.5;
}

static double bytes_of(const struct panel *p, enum am_tier tier)
{
    double rate = 0;

    for (size_t i = 0; i < p->all->roofline.n; i++) {
        const struct am_ceiling *const c = &p->all->roofline.items[i];

        if (c->kind == AM_CEILING_BYTES && c->level == tier &&
            fabs(c->threads - p->of->threads) < 0.5)
            rate = fmax(rate, c->rate);
    }
    return rate;
}

/* Powers of ten around everything that is shown. */
static void find_range(struct panel *p)
{
    const double peak = am_roof_panel_peak(p->all, p->of);
    double least = peak / 1000;

    for (enum am_tier t = AM_TIER_L1D; t < AM_TIER_COUNT; t++) {
        if (bytes_of(p, t) > 0)
            least = fmin(least, bytes_of(p, t) * x_lo);
    }
    p->y_hi = pow(10, ceil(log10(peak * 1.5)));
    p->y_lo = fmax(pow(10, floor(log10(least))), p->y_hi * 1e-6);
}

/* ---- axes ---- */

static void draw_x_axis(const struct panel *p)
{
    const double y = panel_height - bottom;

    am_svg_ink(p->svg, AM_INK_GRID);
    for (int i = 0; x_lo * pow(4, i) <= x_hi * 1.01; i++) {
        const double x = x_lo * pow(4, i);

        am_svg_line(p->svg, place_x(x), top, place_x(x), y, 1);
    }
    am_svg_close(p->svg);
    am_svg_ink(p->svg, AM_INK_MUTED);
    for (int i = 0; x_lo * pow(4, i) <= x_hi * 1.01; i++) {
        const double x = x_lo * pow(4, i);
        char text[TEXT_BYTES];

        (void)am_str_format(text, sizeof(text), x < 1 ? "1/%.0f" : "%.0f", x < 1 ? 1 / x : x);
        am_svg_text(p->svg, place_x(x), y + 15, AM_ANCHOR_MIDDLE, font, text);
    }
    am_svg_text(p->svg, (left + panel_width - right) / 2, y + 34, AM_ANCHOR_MIDDLE, font,
                "arithmetic intensity, flop/B");
    am_svg_close(p->svg);
}

static void draw_y_axis(const struct panel *p)
{
    am_svg_ink(p->svg, AM_INK_GRID);
    for (int i = 0; p->y_lo * pow(10, i) <= p->y_hi * 1.01; i++) {
        const double y = p->y_lo * pow(10, i);

        am_svg_line(p->svg, left, place_y(p, y), panel_width - right, place_y(p, y), 1);
    }
    am_svg_close(p->svg);
    am_svg_ink(p->svg, AM_INK_MUTED);
    for (int i = 0; p->y_lo * pow(10, i) <= p->y_hi * 1.01; i++) {
        const double y = p->y_lo * pow(10, i);
        char unit[AM_UNITS_MAX], text[TEXT_BYTES];
        const double scale = am_units_prefix(y, "flop/s", unit, sizeof(unit));

        (void)am_str_format(text, sizeof(text), "%.0f %.1s", y / scale, unit);
        am_svg_text(p->svg, left - 6, place_y(p, y) + 4, AM_ANCHOR_END, font, text);
    }
    am_svg_text_up(p->svg, 14, (top + panel_height - bottom) / 2, font, "flop/s");
    am_svg_close(p->svg);
}

/* ---- ceilings ---- */

static void draw_level(const struct panel *p, enum am_tier tier, double peak, double *label_y)
{
    const double rate = bytes_of(p, tier), ridge = fmin(peak / rate, x_hi);
    const double from = fmax(x_lo, p->y_lo / rate);
    char text[TEXT_BYTES], value[AM_UNITS_MAX];

    if (!(rate > 0))
        return;
    am_svg_ink(p->svg, AM_INK_SERIES + (unsigned)tier);
    am_svg_line(p->svg, place_x(from), place_y(p, rate * from), place_x(ridge),
                place_y(p, rate * ridge), 1.5);
    am_units_value(rate, "B/s", value, sizeof(value));
    (void)am_str_format(text, sizeof(text), "%s %s", am_tier_title(tier), value);
    /* the lower right corner lies below every roof: nothing else is there */
    am_svg_text(p->svg, panel_width - right - 6, *label_y, AM_ANCHOR_END, font, text);
    *label_y += label_gap;
    am_svg_close(p->svg);
}

/* Flat lines from where the fastest level reaches them, the highest first. */
static void draw_peaks(const struct panel *p, double fastest)
{
    double below = INFINITY, label_y = -INFINITY;

    for (size_t n = 0; n < LINES_MAX; n++) {
        const struct am_ceiling *best = NULL;
        char text[TEXT_BYTES], value[AM_UNITS_MAX];
        double y;

        for (size_t i = 0; i < p->all->roofline.n; i++) {
            const struct am_ceiling *const c = &p->all->roofline.items[i];

            if (is_peak(p, c) && c->rate < below && (!best || c->rate > best->rate))
                best = c;
        }
        if (!best)
            return;
        below = best->rate;
        am_svg_ink(p->svg, n == 0 ? AM_INK_TEXT : AM_INK_MUTED);
        am_svg_line(
            p->svg, place_x(fastest > 0 ? fmin(fmax(best->rate / fastest, x_lo), x_hi) : x_lo),
            place_y(p, best->rate), panel_width - right, place_y(p, best->rate), n == 0 ? 1.5 : 1);
        am_units_value(best->rate, "flop/s", value, sizeof(value));
        (void)am_str_format(text, sizeof(text), "%s %s", best->isa ? best->isa : "peak", value);
        y = fmax(place_y(p, best->rate) - 4, label_y + label_gap);
        am_svg_text(p->svg, panel_width - right - 6, y, AM_ANCHOR_END, font, text);
        label_y = y;
        am_svg_close(p->svg);
    }
}

/* ---- points ---- */

/* Levels have the first colours, benches those after them. */
static enum am_ink ink_of(size_t bench)
{
    return (enum am_ink)(AM_INK_SERIES + (AM_TIER_COUNT + bench) % AM_SVG_COLORS);
}

static enum am_ink ink_named(const struct am_roof_scene *all, const char *bench)
{
    size_t i = 0;

    while (i < all->n_benches && strcmp(all->benches[i], bench) != 0)
        i++;
    return ink_of(i);
}

/* Where a point stands; false when it is not in the picture. */
static bool stand(const struct panel *p, const struct am_explanation *e, double *x, double *y)
{
    const struct am_work *const w = &e->result->work;
    const double bytes = w->bytes_read + w->bytes_written, rate = e->measured.median;
    const bool by_flops = strcmp(e->metric->unit, "flop/s") == 0;

    *x = bytes > 0 ? fmin(fmax(w->flops / bytes, x_lo), x_hi) : x_hi;
    if (by_flops)
        *y = rate;
    else
        *y = rate * (w->flops > 0 ? w->flops / bytes : x_lo);
    return *y >= p->y_lo && *y <= p->y_hi;
}

static void draw_point(const struct panel *p, const struct am_explanation *e)
{
    char text[4 * TEXT_BYTES], measured[AM_UNITS_MAX], share[AM_UNITS_MAX];
    double x, y;

    if (!stand(p, e, &x, &y))
        return;
    am_units_value(e->measured.median, e->metric->unit, measured, sizeof(measured));
    am_units_share(e->share, share, sizeof(share));
    (void)am_str_format(text, sizeof(text), "%s %s: %s, %s of the bound (%s)", e->result->bench,
                        e->result->text, measured, share, e->resource);
    am_svg_ink(p->svg, ink_named(p->all, e->result->bench));
    am_svg_open(p->svg, "circle");
    am_svg_num(p->svg, "cx", place_x(x));
    am_svg_num(p->svg, "cy", place_y(p, y));
    am_svg_num(p->svg, "r", 3.2);
    am_svg_attr(p->svg, "fill", "currentColor");
    am_svg_attr(p->svg, "fill-opacity", "0.75");
    am_svg_title(p->svg, text);
    am_svg_close(p->svg);
    am_svg_close(p->svg);
}

static void draw_panel(struct panel *p)
{
    const double peak = am_roof_panel_peak(p->all, p->of);
    double fastest = 0, label_y = panel_height - bottom - 4 * label_gap;
    char text[TEXT_BYTES];

    find_range(p);
    draw_x_axis(p);
    draw_y_axis(p);
    for (enum am_tier t = AM_TIER_L1D; t < AM_TIER_COUNT; t++) {
        fastest = fmax(fastest, bytes_of(p, t));
        draw_level(p, t, peak, &label_y);
    }
    draw_peaks(p, fastest);
    for (size_t i = 0; i < p->all->points.n; i++) {
        if (am_roof_panel_has(p->of, &p->all->points.items[i]))
            draw_point(p, &p->all->points.items[i]);
    }
    am_svg_ink(p->svg, AM_INK_TEXT);
    (void)am_str_format(text, sizeof(text), "%s, %.0f thread%s", p->of->type, p->of->threads,
                        p->of->threads > 1 ? "s" : "");
    am_svg_text(p->svg, left, 16, AM_ANCHOR_START, font + 2, text);
    am_svg_close(p->svg);
}

/* ---- the whole ---- */

static void draw_legend(struct am_svg *svg, const struct am_roof_scene *all, double y)
{
    double x = left;

    for (size_t i = 0; i < all->n_benches; i++) {
        am_svg_ink(svg, ink_of(i));
        am_svg_open(svg, "circle");
        am_svg_num(svg, "cx", x);
        am_svg_num(svg, "cy", y - 4);
        am_svg_num(svg, "r", 3.2);
        am_svg_attr(svg, "fill", "currentColor");
        am_svg_close(svg);
        am_svg_close(svg);
        am_svg_ink(svg, AM_INK_TEXT);
        am_svg_text(svg, x + 8, y, AM_ANCHOR_START, font, all->benches[i]);
        am_svg_close(svg);
        x += 26 + am_label_width(all->benches[i], font);
    }
}

void am_roofline_draw(const struct am_roof_scene *scene, struct am_text *out)
{
    const size_t n = scene->n_panels, columns = n > 1 ? 2 : 1;
    const double height = (double)((n + columns - 1) / columns) * panel_height;
    struct am_svg svg;

    am_svg_init(&svg, out);
    am_svg_root(&svg, (double)columns * panel_width, height + 24, "Roofline");
    for (size_t i = 0; i < n; i++) {
        struct panel panel = {.all = scene, .of = &scene->panels[i], .svg = &svg};

        am_svg_at(&svg, (double)(i % columns) * panel_width, (double)(i / columns) * panel_height);
        draw_panel(&panel);
        am_svg_close(&svg);
    }
    draw_legend(&svg, scene, height + 12);
    am_svg_close(&svg);
}
