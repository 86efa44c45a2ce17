/* SPDX-License-Identifier: MIT */
/* Tracks of cells: what was found in colour, the truth in grey, both drawn longer than they are;
 * and how far off every place is. */
#include "write/plot/pictures.h"

#include "write/plot/svg.h"

#include <math.h>
#include <string.h>

enum { TEXT_BYTES = 256 };

/* In user units. */
static const double panel_width = 760, left = 34, right = 10, top = 46, bottom = 48, gap = 22;
static const double target_width = 190; /* of the errors, at the right */
static const double font = 11, small = 9;
static const double longest_way = 40; /* drawn, of the fastest cell: less than between two cells */

/* In pixels of the video. */
static const double ring = 10;      /* the circle that every contour begins as */
static const double margin_px = 26; /* around the cells */
static const double error_max = 1;  /* that is right */

/* A scene as it is drawn. */
struct scene {
    const struct am_track_scene *of;
    double unit;    /* user units per pixel */
    double stretch; /* ways are drawn so many times as long */
    bool has_truth;
    double x0, y0, x1, y1; /* the part of the video that is drawn, px */
};

/* ---- what is seen ---- */

static double way(const struct am_track *t, size_t k)
{
    return hypot(t->places[k].x - t->places[0].x, t->places[k].y - t->places[0].y);
}

/* Where cells began is given; errors count from the next place on. NAN: no truth. */
static double error_of(const struct am_track *t)
{
    double most = NAN;

    for (size_t k = 1; k < t->n; k++)
        most = fmax(most, hypot(t->places[k].dx, t->places[k].dy));
    return most;
}

static void choose_stretch(struct scene *s)
{
    static const double stretches[] = {50, 20, 10, 5, 2};
    double most = 0;

    s->stretch = 1;
    for (size_t i = 0; i < s->of->n; i++) {
        for (size_t k = 1; k < s->of->tracks[i].n; k++)
            most = fmax(most, way(&s->of->tracks[i], k));
    }
    for (size_t i = 0; i < sizeof(stretches) / sizeof(stretches[0]) && s->stretch <= 1; i++) {
        if (most * stretches[i] <= longest_way)
            s->stretch = stretches[i];
    }
}

/* A place as it is drawn, px: from where the cell began, `stretch` times as far. */
static struct am_track_place stretched(const struct scene *s, const struct am_track *t, size_t k)
{
    const struct am_track_place from = t->places[0], to = t->places[k];

    return (struct am_track_place){from.x + s->stretch * (to.x - from.x),
                                   from.y + s->stretch * (to.y - from.y), s->stretch * to.dx,
                                   s->stretch * to.dy};
}

/* Around the cells and their ways; most of a video of a vessel is not the vessel. */
static void choose_part(struct scene *s)
{
    s->x0 = s->of->width;
    s->y0 = s->of->height;
    for (size_t i = 0; i < s->of->n; i++) {
        const struct am_track *const t = &s->of->tracks[i];

        for (size_t k = 0; k < t->n; k++) {
            const struct am_track_place p = stretched(s, t, k);

            s->x0 = fmin(s->x0, p.x - margin_px);
            s->y0 = fmin(s->y0, p.y - margin_px);
            s->x1 = fmax(s->x1, p.x + margin_px);
            s->y1 = fmax(s->y1, p.y + margin_px);
        }
    }
    s->unit = (panel_width - left - right - (s->has_truth ? target_width : 0)) / (s->x1 - s->x0);
}

static double panel_height(const struct scene *s)
{
    return top + fmax((s->y1 - s->y0) * s->unit, s->has_truth ? target_width : 0) + bottom;
}

static double at_x(const struct scene *s, double x)
{
    return (x - s->x0) * s->unit;
}

static double at_y(const struct scene *s, double y)
{
    return (y - s->y0) * s->unit;
}

/* ---- drawing the video ---- */

/* A round number of pixels, of which `range` has at most `most`. */
static double tick_of(double range, double most)
{
    static const double steps[] = {1, 2.5, 5};
    double tick = 10;

    for (size_t i = 1; range / tick > most; i++)
        tick = steps[i % 3] * pow(10, (double)(1 + i / 3));
    return tick;
}

static void draw_frame(struct am_svg *svg, const struct scene *s)
{
    const double width = at_x(s, s->x1), height = at_y(s, s->y1);
    const double across = tick_of(s->x1 - s->x0, 8), down = tick_of(s->y1 - s->y0, 5);
    char label[TEXT_BYTES];

    am_svg_ink(svg, AM_INK_AXIS);
    am_svg_open(svg, "rect");
    am_svg_num(svg, "width", width);
    am_svg_num(svg, "height", height);
    am_svg_attr(svg, "fill", "none");
    am_svg_attr(svg, "stroke", "currentColor");
    am_svg_close(svg);
    am_svg_close(svg);
    am_svg_ink(svg, AM_INK_MUTED);
    for (long i = lround(ceil(s->x0 / across)); (double)i * across <= s->x1; i++) {
        const double x = (double)i * across;

        (void)am_str_format(label, sizeof(label), "%.0f", x);
        am_svg_text(svg, at_x(s, x), height + font + 4, AM_ANCHOR_MIDDLE, font, label);
    }
    for (long i = lround(ceil(s->y0 / down)); (double)i * down <= s->y1; i++) {
        const double y = (double)i * down;

        (void)am_str_format(label, sizeof(label), "%.0f", y);
        am_svg_text(svg, -6, at_y(s, y) + 4, AM_ANCHOR_END, font, label);
    }
    (void)am_str_format(label, sizeof(label), "pixels, of %.0f x %.0f", s->of->width,
                        s->of->height);
    am_svg_text(svg, width, height + 2 * font + 10, AM_ANCHOR_END, font, label);
    am_svg_close(svg);
}

/* The truth is a broad band, what was found a thin line in it. */
static void draw_way(struct am_svg *svg, const struct scene *s, const struct am_track *t,
                     bool truth)
{
    struct am_text d;

    am_text_init(&d, (size_t)TEXT_BYTES * AM_TRACK_PLACES_MAX);
    for (size_t k = 0; k < t->n; k++) {
        const struct am_track_place p = stretched(s, t, k);

        (k ? am_svg_draw : am_svg_move)(&d, at_x(s, p.x - (truth ? p.dx : 0)),
                                        at_y(s, p.y - (truth ? p.dy : 0)));
    }
    am_svg_open(svg, "path");
    am_svg_attr(svg, "d", am_text_str(&d));
    am_svg_attr(svg, "fill", "none");
    am_svg_attr(svg, "stroke", "currentColor");
    am_svg_num(svg, "stroke-width", truth ? 4.5 : 1.6);
    am_svg_attr(svg, "stroke-opacity", truth ? "0.45" : "1");
    am_svg_close(svg);
    am_text_fini(&d);
}

static void describe(const struct am_track *t, char *out, size_t cap)
{
    const struct am_track_place from = t->places[0], to = t->places[t->n - 1];
    char off[TEXT_BYTES] = "";

    if (isfinite(error_of(t)))
        (void)am_str_format(off, sizeof(off), ", off the truth by %.2f px at most", error_of(t));
    (void)am_str_format(out, cap, "cell %llu: (%.1f, %.1f) to (%.1f, %.1f), %.1f px%s",
                        (unsigned long long)t->cell, from.x, from.y, to.x, to.y, way(t, t->n - 1),
                        off);
}

static void draw_ring(struct am_svg *svg, double x, double y, double r, const char *opacity)
{
    am_svg_open(svg, "circle");
    am_svg_num(svg, "cx", x);
    am_svg_num(svg, "cy", y);
    am_svg_num(svg, "r", r);
    am_svg_attr(svg, "fill", "currentColor");
    am_svg_attr(svg, "fill-opacity", opacity);
    am_svg_attr(svg, "stroke", "currentColor");
    am_svg_attr(svg, "stroke-width", "0.7");
    am_svg_close(svg);
}

static enum am_ink ink_of(const struct am_track *t)
{
    return (enum am_ink)(AM_INK_SERIES + t->cell % AM_SVG_COLORS);
}

static void draw_track(struct am_svg *svg, const struct scene *s, const struct am_track *t)
{
    const double x = at_x(s, t->places[0].x), y = at_y(s, t->places[0].y), r = ring * s->unit;
    char text[2 * TEXT_BYTES];

    if (s->has_truth) {
        am_svg_ink(svg, AM_INK_AXIS);
        draw_way(svg, s, t, true);
        am_svg_close(svg);
    }
    describe(t, text, sizeof(text));
    am_svg_ink(svg, ink_of(t));
    am_svg_title(svg, text);
    draw_ring(svg, x, y, r, "0.12");
    draw_way(svg, s, t, false);
    (void)am_str_format(text, sizeof(text), "%llu", (unsigned long long)t->cell);
    am_svg_text(svg, x, y - r - 2, AM_ANCHOR_MIDDLE, small, text);
    am_svg_close(svg);
}

static void draw_legend(struct am_svg *svg, const struct scene *s)
{
    const double y = at_y(s, s->y1) + 2 * font + 10;

    am_svg_ink(svg, AM_INK_SERIES);
    am_svg_line(svg, 0, y - 4, 26, y - 4, 1.6);
    am_svg_close(svg);
    am_svg_text(svg, 32, y, AM_ANCHOR_START, font, "found");
    if (!s->has_truth)
        return;
    am_svg_ink(svg, AM_INK_AXIS);
    am_svg_line(svg, 90, y - 4, 116, y - 4, 4.5);
    am_svg_close(svg);
    am_svg_text(svg, 122, y, AM_ANCHOR_START, font, "truth");
}

/* ---- drawing errors ---- */

/* A mark a place, around the truth; the rings are half of what is right, and all of it. */
static void draw_target(struct am_svg *svg, const struct scene *s)
{
    const double r = (target_width - 30) / 2, x = target_width - r, y = r;
    const double unit = r / (1.1 * error_max);

    am_svg_ink(svg, AM_INK_AXIS);
    draw_ring(svg, x, y, error_max * unit, "0");
    draw_ring(svg, x, y, error_max / 2 * unit, "0");
    am_svg_line(svg, x - r, y, x + r, y, 0.5);
    am_svg_line(svg, x, y - r, x, y + r, 0.5);
    am_svg_close(svg);
    for (size_t i = 0; i < s->of->n; i++) {
        const struct am_track *const t = &s->of->tracks[i];
        char text[2 * TEXT_BYTES];

        describe(t, text, sizeof(text));
        am_svg_ink(svg, ink_of(t));
        am_svg_title(svg, text);
        for (size_t k = 1; k < t->n; k++) {
            const double off = fmax(hypot(t->places[k].dx, t->places[k].dy) / (1.1 * error_max), 1);

            draw_ring(svg, x + t->places[k].dx / off * unit, y + t->places[k].dy / off * unit, 1.6,
                      "0.6");
        }
        am_svg_close(svg);
    }
    am_svg_ink(svg, AM_INK_MUTED);
    am_svg_text(svg, x + 2, y - error_max / 2 * unit - 2, AM_ANCHOR_START, small, "0.5 px");
    am_svg_text(svg, x + 2, y - error_max * unit - 2, AM_ANCHOR_START, small, "1 px");
    am_svg_text(svg, x, 2 * r + font + 4, AM_ANCHOR_MIDDLE, font, "found, around the truth");
    am_svg_close(svg);
}

/* Of a file its name alone. */
static const char *video_of(const struct scene *s)
{
    const char *const video = s->of->video;
    const char *const slash = strrchr(video, '/');

    return slash && slash[1] ? slash + 1 : video;
}

static void draw_head(struct am_svg *svg, const struct scene *s)
{
    double most = 0, sum = 0;
    char text[2 * TEXT_BYTES], off[TEXT_BYTES] = "", times[TEXT_BYTES] = "";

    for (size_t i = 0; i < s->of->n; i++) {
        most = fmax(most, error_of(&s->of->tracks[i]));
        sum += error_of(&s->of->tracks[i]);
    }
    (void)am_str_format(text, sizeof(text), "%s: %.0f cells through %.0f frame%s%s", video_of(s),
                        s->of->cells, s->of->frames, s->of->frames > 1 ? "s" : "",
                        (double)s->of->n < s->of->cells ? ", not all drawn" : "");
    am_svg_text(svg, left, 16, AM_ANCHOR_START, font + 2, text);
    if (s->has_truth)
        (void)am_str_format(off, sizeof(off),
                            "; off the truth by %.2f px at most, the mean of "
                            "the cells' worst is %.2f px",
                            most, sum / (double)s->of->n);
    if (s->stretch > 1)
        (void)am_str_format(times, sizeof(times), "%.0f times ", s->stretch);
    (void)am_str_format(text, sizeof(text), "ways drawn %sas long as they are%s", times, off);
    am_svg_ink(svg, AM_INK_MUTED);
    am_svg_text(svg, left, 34, AM_ANCHOR_START, font, text);
    am_svg_close(svg);
}

static void draw_scene(struct am_svg *svg, const struct scene *s)
{
    draw_head(svg, s);
    am_svg_at(svg, left, top);
    draw_frame(svg, s);
    for (size_t k = 0; k < s->of->n; k++)
        draw_track(svg, s, &s->of->tracks[k]);
    draw_legend(svg, s);
    am_svg_close(svg);
    if (!s->has_truth)
        return;
    am_svg_at(svg, panel_width - target_width - right / 2, top);
    draw_target(svg, s);
    am_svg_close(svg);
}

/* Truth counts where it is known of all. */
static void prepare(struct scene *s)
{
    s->has_truth = true;
    for (size_t i = 0; i < s->of->n; i++)
        s->has_truth = s->has_truth && isfinite(error_of(&s->of->tracks[i]));
    choose_stretch(s);
    choose_part(s);
}

void am_tracks_draw(const struct am_track_scenes *tracks, struct am_text *out)
{
    struct scene scenes[AM_TRACK_VIDEOS_MAX];
    struct am_svg svg;
    double height = 0, y = 0;

    for (size_t i = 0; i < tracks->n; i++) {
        scenes[i] = (struct scene){.of = &tracks->scenes[i]};
        prepare(&scenes[i]);
        height += panel_height(&scenes[i]) + (i ? gap : 0);
    }
    am_svg_init(&svg, out);
    am_svg_root(&svg, panel_width, height, "Cells followed from frame to frame, in the video");
    for (size_t i = 0; i < tracks->n; i++) {
        am_svg_at(&svg, 0, y);
        draw_scene(&svg, &scenes[i]);
        am_svg_close(&svg);
        y += panel_height(&scenes[i]) + gap;
    }
    am_svg_close(&svg);
}
