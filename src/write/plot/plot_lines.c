/* SPDX-License-Identifier: MIT */
/* Lines over a frame of two axes: bands, marks, names at the ends, and the other scale beside. */
#include "write/plot/plot.h"
#include "document/figure/keys.h"
#include "document/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_SIZE AM_PLOT_FONT
#define TITLE_SIZE 13.0

/* Room for a tick with its label, in both directions. */
#define X_PITCH 55.0
#define Y_PITCH 34.0

enum { PATH_LIMIT = 16 << 20, ENDS_MAX = 16 };

/* The window in which marks are drawn, and both scales of y. */
struct frame {
    const struct am_plot *plot;
    double left, top, width, height;
    double all; /* the width of the picture */
    struct am_ticks x;
    struct am_plot_axis y[2]; /* as asked, and the other scale */
    struct am_ticks ticks[2];
    size_t scales; /* 2 where the other scale can show every value */
    size_t hidden; /* marks that the scale cannot show */
};

/* ---- the frame ---- */

static double widest(const struct am_ticks *t)
{
    double w = 0;

    for (size_t i = 0; i < t->n; i++)
        w = fmax(w, am_label_width(t->label[i], LABEL_SIZE));
    return w;
}

static double widest_name(const struct am_plot_series *series, size_t n)
{
    double w = 0;

    for (size_t i = 0; i < n; i++)
        w = fmax(w, am_label_width(series[i].label, LABEL_SIZE));
    return w;
}

/* The same axis on the other kind of scale, where that can show every value. */
static bool other_scale(const struct am_plot *plot, struct am_plot_axis *axis)
{
    *axis = plot->y;
    axis->scale = plot->y.scale == AM_SCALE_LINEAR ? AM_SCALE_LOG10 : AM_SCALE_LINEAR;
    axis->lo = plot->other_lo;
    axis->hi = plot->other_hi;
    return axis->hi > axis->lo;
}

/* Above the frame, for the names of rules. */
static double rule_room(const struct am_plot *plot)
{
    return plot->n_rules ? LABEL_SIZE + 2 : 0;
}

static void set_frame(struct frame *f, const struct am_plot *plot)
{
    const double full_w = plot->width > 0 ? plot->width : AM_PLOT_WIDTH;
    const double full_h = plot->height > 0 ? plot->height : AM_PLOT_HEIGHT;
    double right = 12;
    size_t y_ticks;

    *f = (struct frame){.plot = plot, .scales = 1, .all = full_w, .top = plot->title ? 44 : 26};
    f->top += rule_room(plot);
    f->height = full_h - f->top - 40;
    y_ticks = (size_t)fmax(f->height / Y_PITCH, 2);
    f->y[0] = plot->y;
    am_plot_ticks(&f->y[0], y_ticks, &f->ticks[0]);
    if (other_scale(plot, &f->y[1])) {
        am_plot_ticks(&f->y[1], y_ticks, &f->ticks[1]);
        f->scales = 2;
    }
    f->left = ceil(fmax(widest(&f->ticks[0]), f->scales > 1 ? widest(&f->ticks[1]) : 0)) + 10;
    if (plot->labels)
        right = widest_name(plot->series, plot->n) + 16;
    f->width = full_w - f->left - right;
    am_plot_ticks(&plot->x, (size_t)fmax(f->width / X_PITCH, 2), &f->x);
}

static double x_at(const struct frame *f, double value)
{
    const struct am_plot_axis *const x = &f->plot->x;

    return f->left + f->width * am_plot_place(x->scale, x->lo, x->hi, value);
}

static double y_at(const struct frame *f, size_t scale, double value)
{
    const struct am_plot_axis *const y = &f->y[scale];

    return f->top + f->height * (1 - am_plot_place(y->scale, y->lo, y->hi, value));
}

static void axis_title(const struct am_plot_axis *axis, const struct am_ticks *t, char *buf,
                       size_t cap)
{
    const char *const title = axis->title ? axis->title : "";

    (void)am_str_format(buf, cap, "%s%s%s", title, *title && *t->unit ? ", " : "", t->unit);
}

static void draw_y_axis(struct am_svg *svg, const struct frame *f, size_t scale)
{
    const struct am_ticks *const t = &f->ticks[scale];
    char title[4 * AM_PLOT_LABEL_MAX];

    am_svg_open(svg, "g");
    am_svg_attr(svg, "class", scale == 0 ? "am-y" : "am-y am-alt");
    if (scale != 0)
        am_svg_attr(svg, "display", "none");
    am_svg_ink(svg, AM_INK_GRID);
    for (size_t i = 0; i < t->n; i++) {
        const double y = y_at(f, scale, t->at[i]);

        am_svg_line(svg, f->left, y, f->left + f->width, y, 1);
    }
    am_svg_close(svg);
    am_svg_ink(svg, AM_INK_MUTED);
    for (size_t i = 0; i < t->n; i++)
        am_svg_text(svg, f->left - 6, y_at(f, scale, t->at[i]) + 4, AM_ANCHOR_END, LABEL_SIZE,
                    t->label[i]);
    axis_title(&f->y[scale], t, title, sizeof(title));
    am_svg_text(svg, 0, f->top - 12 - rule_room(f->plot), AM_ANCHOR_START, LABEL_SIZE, title);
    am_svg_close(svg);
    am_svg_close(svg);
}

/* Labels that would touch their left neighbour are passed over; the tick stays. */
static void draw_x_axis(struct am_svg *svg, const struct frame *f)
{
    const double base = f->top + f->height;
    double free_from = -INFINITY;
    char title[4 * AM_PLOT_LABEL_MAX];

    am_svg_ink(svg, AM_INK_AXIS);
    am_svg_line(svg, f->left, base, f->left + f->width, base, 1);
    for (size_t i = 0; i < f->x.n; i++) {
        const double x = x_at(f, f->x.at[i]);

        am_svg_line(svg, x, base, x, base + 4, 1);
    }
    am_svg_close(svg);
    am_svg_ink(svg, AM_INK_MUTED);
    for (size_t i = 0; i < f->x.n; i++) {
        const double half = am_label_width(f->x.label[i], LABEL_SIZE) / 2;
        const double x = fmin(x_at(f, f->x.at[i]), f->all - half); /* none is cut at the edge */

        if (x - half < free_from)
            continue;
        am_svg_text(svg, x, base + 17, AM_ANCHOR_MIDDLE, LABEL_SIZE, f->x.label[i]);
        free_from = x + half + 6;
    }
    axis_title(&f->plot->x, &f->x, title, sizeof(title));
    am_svg_text(svg, f->left + f->width, base + 34, AM_ANCHOR_END, LABEL_SIZE, title);
    am_svg_close(svg);
}

/* ---- rules ---- */

static bool is_inside(const struct frame *f, double x)
{
    return x >= f->left && x <= f->left + f->width;
}

/* A name that would touch its left neighbour is passed over; the rule has it as its tooltip. */
static void draw_rules(struct am_svg *svg, const struct frame *f)
{
    double free_from = -INFINITY;

    for (size_t i = 0; i < f->plot->n_rules; i++) {
        const struct am_plot_rule *const r = &f->plot->rules[i];
        const double x = x_at(f, r->at), half = am_label_width(r->label, LABEL_SIZE) / 2;

        if (!isfinite(x) || !is_inside(f, x))
            continue;
        am_svg_ink(svg, r->strong ? AM_INK_BAD : AM_INK_MUTED);
        am_svg_attr(svg, "data-rule", r->label);
        am_svg_open(svg, "line");
        am_svg_num(svg, "x1", x);
        am_svg_num(svg, "x2", x);
        am_svg_num(svg, "y1", f->top);
        am_svg_num(svg, "y2", f->top + f->height);
        am_svg_attr(svg, "stroke", "currentColor");
        am_svg_attr(svg, "stroke-width", r->strong ? "1.5" : "1");
        if (!r->strong)
            am_svg_attr(svg, "stroke-dasharray", "4 4");
        am_svg_title(svg, r->title ? r->title : r->label);
        am_svg_close(svg);
        if (x - half >= free_from) {
            am_svg_text(svg, x, f->top - 4, AM_ANCHOR_MIDDLE, LABEL_SIZE, r->label);
            free_from = x + half + 6;
        }
        am_svg_close(svg);
    }
}

/* ---- series ---- */

static bool is_shown(const struct frame *f, const struct am_plot_mark *m)
{
    return isfinite(x_at(f, m->x)) && isfinite(y_at(f, 0, m->y));
}

static bool has_interval(const struct am_plot_mark *m)
{
    return isfinite(m->lo) && isfinite(m->hi) && m->hi > m->lo;
}

/* The end of an interval, held inside the frame where the scale ends before it. */
static double edge_at(const struct frame *f, size_t scale, double value)
{
    const double y = y_at(f, scale, value);

    return isfinite(y) ? fmin(fmax(y, f->top - 4), f->top + f->height) : f->top + f->height;
}

/* A path goes on to a place, by way of a riser half way where steps are meant. */
struct pen {
    struct am_text *d;
    bool steps, begun;
    double x, y;
};

static void go(struct pen *pen, double x, double y)
{
    if (!pen->begun) {
        am_svg_move(pen->d, x, y);
    } else {
        if (pen->steps) {
            am_svg_draw(pen->d, (pen->x + x) / 2, pen->y);
            am_svg_draw(pen->d, (pen->x + x) / 2, y);
        }
        am_svg_draw(pen->d, x, y);
    }
    *pen = (struct pen){.d = pen->d, .steps = pen->steps, .begun = true, .x = x, .y = y};
}

/* The line through the marks of a scale. */
static void line_path(const struct frame *f, const struct am_plot_series *s, size_t scale,
                      struct am_text *d)
{
    struct pen pen = {.d = d, .steps = s->steps};

    for (size_t i = 0; i < s->n; i++) {
        if (is_shown(f, &s->marks[i]))
            go(&pen, x_at(f, s->marks[i].x), y_at(f, scale, s->marks[i].y));
    }
}

/* The band between the ends of the intervals: forward along the upper, back along the lower. */
static void band_path(const struct frame *f, const struct am_plot_series *s, size_t scale,
                      struct am_text *d)
{
    struct pen pen = {.d = d, .steps = s->steps};

    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < s->n; k++) {
            const struct am_plot_mark *const m = &s->marks[pass == 0 ? k : s->n - 1 - k];
            const double end = has_interval(m) ? (pass == 0 ? m->hi : m->lo) : m->y;

            if (is_shown(f, m))
                go(&pen, x_at(f, m->x), edge_at(f, scale, end));
        }
    }
    if (pen.begun)
        am_text_add(d, "Z");
}

/* One stroke per interval, where no band may be drawn between marks. */
static void whisker_path(const struct frame *f, const struct am_plot_series *s, size_t scale,
                         struct am_text *d)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct am_plot_mark *const m = &s->marks[i];

        if (!is_shown(f, m) || !has_interval(m))
            continue;
        am_svg_move(d, x_at(f, m->x), edge_at(f, scale, m->lo));
        am_svg_draw(d, x_at(f, m->x), edge_at(f, scale, m->hi));
    }
}

typedef void path_fn(const struct frame *f, const struct am_plot_series *s, size_t scale,
                     struct am_text *d);

/* <path> left open for its strokes; nothing, and false, when it would be empty. */
static bool open_path(struct am_svg *svg, const struct frame *f, const struct am_plot_series *s,
                      path_fn *path)
{
    static const char *const keys[] = {"d", "data-alt"};
    bool opened = false;

    for (size_t scale = 0; scale < f->scales; scale++) {
        struct am_text d;

        am_text_init(&d, PATH_LIMIT);
        path(f, s, scale, &d);
        if (scale == 0 && d.len > 0) {
            am_svg_open(svg, "path");
            opened = true;
        }
        if (opened)
            am_svg_attr(svg, keys[scale], am_text_str(&d));
        am_text_fini(&d);
    }
    return opened;
}

static void draw_intervals(struct am_svg *svg, const struct frame *f,
                           const struct am_plot_series *s)
{
    bool any = false;

    for (size_t i = 0; i < s->n && !any; i++)
        any = has_interval(&s->marks[i]);
    if (!any)
        return;
    if (s->unjoined || s->n == 1) {
        if (!open_path(svg, f, s, whisker_path))
            return;
        am_svg_attr(svg, "stroke", "currentColor");
        am_svg_attr(svg, "stroke-width", "1.5");
        am_svg_attr(svg, "stroke-opacity", "0.6");
    } else {
        if (!open_path(svg, f, s, band_path))
            return;
        am_svg_attr(svg, "fill", "currentColor");
        am_svg_attr(svg, "fill-opacity", f->plot->n > 4 ? "0.08" : "0.16");
    }
    am_svg_close(svg);
}

static void mark_title(const struct frame *f, const struct am_plot_series *s,
                       const struct am_plot_mark *m, char *buf, size_t cap)
{
    char x[AM_UNITS_MAX], y[AM_UNITS_MAX];

    am_units_value(m->x, f->plot->x.unit, x, sizeof(x));
    am_units_known(m->y, m->bounded ? m->y : NAN, f->plot->y.unit, y, sizeof(y));
    (void)am_str_format(buf, cap, "%s%s%s: %s", s->label, *s->label ? ", " : "", x, y);
}

static void draw_marks(struct am_svg *svg, struct frame *f, const struct am_plot_series *s)
{
    const double radius = s->n > 40 ? 1.8 : 2.6;

    for (size_t i = 0; i < s->n; i++) {
        const struct am_plot_mark *const m = &s->marks[i];
        char title[4 * AM_PLOT_LABEL_MAX];

        if (!is_shown(f, m)) {
            f->hidden++;
            continue;
        }
        am_svg_open(svg, "circle");
        am_svg_num(svg, "cx", x_at(f, m->x));
        am_svg_num(svg, "cy", y_at(f, 0, m->y));
        am_svg_num(svg, "r", m->odd ? 2 * radius : radius);
        if (s->run && !m->odd) {
            am_svg_attr(svg, "fill", "none");
            am_svg_attr(svg, "stroke", "currentColor");
        }
        if (m->odd) {
            am_svg_attr(svg, "fill", "none");
            am_svg_attr(svg, "stroke", "currentColor");
            am_svg_attr(svg, "stroke-width", "2");
            am_svg_attr(svg, "data-odd", "1");
        }
        if (f->scales > 1)
            am_svg_num(svg, "data-alt", y_at(f, 1, m->y));
        am_svg_data(svg, "data-x", m->x);
        am_svg_data(svg, "data-y", m->y);
        if (!m->title)
            mark_title(f, s, m, title, sizeof(title));
        am_svg_title(svg, m->title ? m->title : title);
        am_svg_close(svg);
    }
}

static void draw_series(struct am_svg *svg, struct frame *f, const struct am_plot_series *s)
{
    am_svg_ink(svg, AM_INK_SERIES + s->color % AM_SVG_COLORS);
    am_svg_attr(svg, "data-series", s->label);
    draw_intervals(svg, f, s);
    if (!s->unjoined && s->n > 1 && open_path(svg, f, s, line_path)) {
        am_svg_attr(svg, "fill", "none");
        am_svg_attr(svg, "stroke", "currentColor");
        am_svg_attr(svg, "stroke-width", s->bare ? "1.2" : "1.6");
        am_plot_dash(svg, s);
        am_svg_close(svg);
    }
    if (!s->bare) {
        am_svg_open(svg, "g");
        am_svg_attr(svg, "fill", "currentColor");
        draw_marks(svg, f, s);
        am_svg_close(svg);
    }
    am_svg_close(svg);
}

/* ---- names at the ends ---- */

struct end {
    const struct am_plot_series *series;
    double y[2]; /* one a scale */
};

static const struct am_plot_mark *last_shown(const struct frame *f, const struct am_plot_series *s)
{
    for (size_t i = s->n; i > 0; i--) {
        if (is_shown(f, &s->marks[i - 1]))
            return &s->marks[i - 1];
    }
    return NULL;
}

/* Moves names apart that would lie on each other: downwards from the top one, then, where the
 * lowest fell out of the frame, back up. */
static void spread(struct end **ends, size_t n, size_t scale, double bottom)
{
    const double pitch = LABEL_SIZE + 2;

    for (size_t i = 1; i < n; i++)
        ends[i]->y[scale] = fmax(ends[i]->y[scale], ends[i - 1]->y[scale] + pitch);
    if (n > 0)
        ends[n - 1]->y[scale] = fmin(ends[n - 1]->y[scale], bottom);
    for (size_t i = n; i-- > 1;)
        ends[i - 1]->y[scale] = fmin(ends[i - 1]->y[scale], ends[i]->y[scale] - pitch);
}

static void sort_ends(struct end **ends, size_t n, size_t scale)
{
    for (size_t i = 1; i < n; i++) {
        for (size_t k = i; k > 0 && ends[k]->y[scale] < ends[k - 1]->y[scale]; k--) {
            struct end *const swap = ends[k];

            ends[k] = ends[k - 1];
            ends[k - 1] = swap;
        }
    }
}

static void draw_ends(struct am_svg *svg, const struct frame *f)
{
    struct end ends[ENDS_MAX], *order[ENDS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < f->plot->n && n < ENDS_MAX; i++) {
        const struct am_plot_mark *const m = last_shown(f, &f->plot->series[i]);

        if (!m)
            continue;
        ends[n].series = &f->plot->series[i];
        for (size_t scale = 0; scale < f->scales; scale++)
            ends[n].y[scale] = y_at(f, scale, m->y);
        order[n] = &ends[n];
        n++;
    }
    for (size_t scale = 0; scale < f->scales; scale++) {
        sort_ends(order, n, scale);
        spread(order, n, scale, f->top + f->height);
    }
    for (size_t i = 0; i < n; i++) {
        am_svg_ink(svg, AM_INK_SERIES + ends[i].series->color % AM_SVG_COLORS);
        am_svg_attr(svg, "data-name", ends[i].series->label);
        am_svg_open(svg, "text");
        am_svg_num(svg, "x", f->left + f->width + 8);
        am_svg_num(svg, "y", ends[i].y[0] + 4);
        if (f->scales > 1)
            am_svg_num(svg, "data-alt", ends[i].y[1] + 4);
        am_svg_num(svg, "font-size", LABEL_SIZE);
        am_svg_attr(svg, "fill", "currentColor");
        am_svg_content(svg, ends[i].series->label);
        am_svg_close(svg);
        am_svg_close(svg);
    }
}

static void draw_hidden_note(struct am_svg *svg, const struct frame *f)
{
    char note[AM_PLOT_LABEL_MAX];

    if (f->hidden == 0)
        return;
    (void)am_str_format(note, sizeof(note), "%zu value%s without a place on these axes", f->hidden,
                        f->hidden == 1 ? "" : "s");
    am_svg_ink(svg, AM_INK_WARN);
    am_svg_text(svg, f->left + f->width, f->top - 12 - rule_room(f->plot), AM_ANCHOR_END,
                LABEL_SIZE, note);
    am_svg_close(svg);
}

void am_plot_lines(struct am_svg *svg, const struct am_plot *plot)
{
    struct am_plot ranged = *plot;
    struct am_plot *const one = &ranged;
    struct frame f;

    am_plot_share(&one, 1);
    set_frame(&f, &ranged);
    if (plot->title) {
        am_svg_open(svg, "text");
        am_svg_num(svg, "x", 0);
        am_svg_num(svg, "y", 14);
        am_svg_num(svg, "font-size", TITLE_SIZE);
        am_svg_attr(svg, "font-weight", "600");
        am_svg_attr(svg, "fill", "currentColor");
        am_svg_content(svg, plot->title);
        am_svg_close(svg);
    }
    for (size_t scale = 0; scale < f.scales; scale++)
        draw_y_axis(svg, &f, scale);
    draw_x_axis(svg, &f);
    draw_rules(svg, &f);
    for (size_t i = 0; i < plot->n; i++)
        draw_series(svg, &f, &plot->series[i]);
    if (plot->labels)
        draw_ends(svg, &f);
    draw_hidden_note(svg, &f);
}
