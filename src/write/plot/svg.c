/* SPDX-License-Identifier: MIT */
/* The SVG writer: tags, numbers, inks and the measure of text. */
#include "write/plot/svg.h"

#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

void am_svg_init(struct am_svg *svg, struct am_text *out)
{
    *svg = (struct am_svg){.out = out};
}

/* ---- characters and numbers ---- */

static const char *entity(char c)
{
    static const struct {
        char c;
        const char *text;
    } table[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].c == c)
            return table[i].text;
    }
    return NULL;
}

/* Characters that XML 1.0 excludes although they are UTF-8 (most controls, U+FFFE and U+FFFF), and
 * those that it allows and that would change how the text around them is read. */
static bool is_excluded(const char *s, size_t len)
{
    const unsigned char c = (unsigned char)*s;

    if (c == '\t' || c == '\n')
        return false;
    if (!am_utf8_plain(s))
        return true;
    return len == 3 && memcmp(s, "\xef\xbf", 2) == 0 && (unsigned char)s[2] >= 0xbe;
}

void am_svg_escape_cut(struct am_text *out, const char *s, size_t max)
{
    for (size_t n = 0; *s; n++) {
        const size_t len = am_utf8_length(s);
        const char *const name = entity(*s);

        if (n == max) {
            am_text_add(out, "…");
            return;
        }
        if (name)
            am_text_add(out, name);
        else if (len == 0 || is_excluded(s, len))
            am_text_add(out, replacement);
        else
            am_text_addn(out, s, len);
        s += len ? len : 1;
    }
}

void am_svg_escape(struct am_text *out, const char *s)
{
    am_svg_escape_cut(out, s, SIZE_MAX);
}

/* By whole hundredths: printf's point would follow the locale, and its zeros would be written. */
void am_svg_add_number(struct am_text *out, double value)
{
    const double limit = 1e12;
    const int64_t n = isfinite(value) && fabs(value) < limit ? llround(value * 100) : 0;
    const uint64_t a = n < 0 ? (uint64_t)-n : (uint64_t)n;

    am_text_addf(out, "%s%" PRIu64, n < 0 ? "-" : "", a / 100);
    if (a % 100 == 0)
        return;
    if (a % 10 == 0)
        am_text_addf(out, ".%" PRIu64, a % 100 / 10);
    else
        am_text_addf(out, ".%02" PRIu64, a % 100);
}

/* ---- elements ---- */

static void end_tag(struct am_svg *svg)
{
    if (svg->in_tag)
        am_text_add(svg->out, ">");
    svg->in_tag = false;
}

void am_svg_open(struct am_svg *svg, const char *name)
{
    assert(svg->depth < AM_SVG_DEPTH_MAX);
    end_tag(svg);
    am_text_addf(svg->out, "<%s", name);
    svg->stack[svg->depth++] = name;
    svg->in_tag = true;
}

void am_svg_close(struct am_svg *svg)
{
    assert(svg->depth > 0);
    svg->depth--;
    if (svg->in_tag)
        am_text_add(svg->out, "/>");
    else
        am_text_addf(svg->out, "</%s>", svg->stack[svg->depth]);
    svg->in_tag = false;
    /* A line an element of the upper levels: a difference of two pictures can be read. */
    if (svg->depth <= 3)
        am_text_add(svg->out, "\n");
}

void am_svg_attr(struct am_svg *svg, const char *key, const char *value)
{
    assert(svg->in_tag);
    am_text_addf(svg->out, " %s=\"", key);
    am_svg_escape(svg->out, value);
    am_text_add(svg->out, "\"");
}

void am_svg_attrf(struct am_svg *svg, const char *key, const char *fmt, ...)
{
    char value[256];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(value, sizeof(value), fmt, ap);
    va_end(ap);
    am_svg_attr(svg, key, value);
}

void am_svg_num(struct am_svg *svg, const char *key, double value)
{
    assert(svg->in_tag);
    am_text_addf(svg->out, " %s=\"", key);
    am_svg_add_number(svg->out, value);
    am_text_add(svg->out, "\"");
}

void am_svg_data(struct am_svg *svg, const char *key, double value)
{
    if (isfinite(value))
        am_svg_attrf(svg, key, "%.6g", value);
}

void am_svg_content(struct am_svg *svg, const char *text)
{
    end_tag(svg);
    am_svg_escape(svg->out, text);
}

void am_svg_title(struct am_svg *svg, const char *text)
{
    enum { TITLE_MAX = 400 };

    end_tag(svg);
    am_text_add(svg->out, "<title>");
    am_svg_escape_cut(svg->out, text, TITLE_MAX);
    am_text_add(svg->out, "</title>");
}

/* ---- inks ---- */

/* The series' colours keep their distance in lightness and hue under simulated protanopia and
 * deuteranopia (tests/unit/write/test_svg.c measures it). */
static const struct {
    const char *name, *light, *dark;
} inks[AM_INK_COUNT] = {
    [AM_INK_TEXT] = {"am-text", "#1c1f23", "#e6e8ea"},
    [AM_INK_MUTED] = {"am-muted", "#5c636b", "#a2a9b1"},
    [AM_INK_AXIS] = {"am-axis", "#8b9199", "#727a83"},
    [AM_INK_GRID] = {"am-grid", "#e4e6e9", "#2d3238"},
    [AM_INK_PAPER] = {"am-paper", "#ffffff", "#15181c"},
    [AM_INK_GOOD] = {"am-good", "#1a7f52", "#4cc38a"},
    [AM_INK_WARN] = {"am-warn", "#96650a", "#e3b341"},
    [AM_INK_BAD] = {"am-bad", "#b8352a", "#ff7b6e"},
    [AM_INK_SERIES + 0] = {"am-s0", "#0068a8", "#3d97dd"},
    [AM_INK_SERIES + 1] = {"am-s1", "#c8500a", "#ff9152"},
    [AM_INK_SERIES + 2] = {"am-s2", "#00896a", "#3fcfa2"},
    [AM_INK_SERIES + 3] = {"am-s3", "#a3458c", "#e394cf"},
    [AM_INK_SERIES + 4] = {"am-s4", "#b98a00", "#f0c24a"},
    [AM_INK_SERIES + 5] = {"am-s5", "#4aa3d8", "#a6dcfa"},
    [AM_INK_SERIES + 6] = {"am-s6", "#3b4148", "#b7bcc2"},
    [AM_INK_SERIES + 7] = {"am-s7", "#8a8f3a", "#d9dd7a"},
};

const char *am_ink_class(enum am_ink ink)
{
    return inks[ink].name;
}

const char *am_ink_color(enum am_ink ink, bool dark)
{
    return dark ? inks[ink].dark : inks[ink].light;
}

/* Nine colours from pale yellow through green to deep blue, lightness falling evenly (CIE L* 96 to
 * 16), straight lines in between. */
void am_svg_heat(double share, char color[8], const char **text_on)
{
    static const unsigned char stops[][3] = {
        {252, 245, 208}, {224, 228, 166}, {182, 211, 142}, {134, 191, 135}, {84, 168, 138},
        {37, 143, 141},  {24, 116, 134},  {33, 87, 119},   {33, 57, 90},
    };
    const size_t last = sizeof(stops) / sizeof(stops[0]) - 1;
    const double s = isfinite(share) ? fmin(fmax(share, 0), 1) : 0;
    const double at = s * (double)last;
    const size_t i = at >= (double)last ? last - 1 : (size_t)at;
    unsigned rgb[3];

    for (size_t c = 0; c < 3; c++)
        rgb[c] = (unsigned)lround(stops[i][c] + (stops[i + 1][c] - stops[i][c]) * (at - (double)i));
    (void)am_str_format(color, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
    *text_on = s < 0.66 ? "#14181c" : "#ffffff";
}

/* ---- pictures ---- */

void am_svg_root(struct am_svg *svg, double width, double height, const char *label)
{
    am_svg_open(svg, "svg");
    am_svg_attr(svg, "xmlns", "http://www.w3.org/2000/svg");
    am_text_add(svg->out, " viewBox=\"0 0 ");
    am_svg_add_number(svg->out, width);
    am_text_add(svg->out, " ");
    am_svg_add_number(svg->out, height);
    am_text_add(svg->out, "\"");
    am_svg_num(svg, "width", width);
    am_svg_num(svg, "height", height);
    am_svg_attr(svg, "class", am_ink_class(AM_INK_TEXT));
    am_svg_attr(svg, "color", am_ink_color(AM_INK_TEXT, false));
    am_svg_attr(svg, "font-family", "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif");
    am_svg_attr(svg, "role", "img");
    am_text_add(svg->out, " aria-label=\"");
    am_svg_escape_cut(svg->out, label, 200);
    am_text_add(svg->out, "\"");
}

void am_svg_ink(struct am_svg *svg, enum am_ink ink)
{
    am_svg_open(svg, "g");
    am_svg_attr(svg, "class", inks[ink].name);
    am_svg_attr(svg, "color", inks[ink].light);
}

void am_svg_at(struct am_svg *svg, double x, double y)
{
    am_svg_open(svg, "g");
    am_text_add(svg->out, " transform=\"translate(");
    am_svg_add_number(svg->out, x);
    am_text_add(svg->out, " ");
    am_svg_add_number(svg->out, y);
    am_text_add(svg->out, ")\"");
}

void am_svg_line(struct am_svg *svg, double x1, double y1, double x2, double y2, double width)
{
    am_svg_open(svg, "path");
    am_text_add(svg->out, " d=\"");
    am_svg_move(svg->out, x1, y1);
    am_svg_draw(svg->out, x2, y2);
    am_text_add(svg->out, "\" stroke=\"currentColor\"");
    am_svg_num(svg, "stroke-width", width);
    am_svg_close(svg);
}

static void text_element(struct am_svg *svg, double x, double y, enum am_anchor anchor, double size)
{
    static const char *const anchors[] = {
        [AM_ANCHOR_MIDDLE] = "middle", [AM_ANCHOR_END] = "end", [AM_ANCHOR_START] = NULL};

    am_svg_open(svg, "text");
    am_svg_num(svg, "x", x);
    am_svg_num(svg, "y", y);
    if (anchors[anchor])
        am_svg_attr(svg, "text-anchor", anchors[anchor]);
    am_svg_num(svg, "font-size", size);
    am_svg_attr(svg, "fill", "currentColor");
}

void am_svg_text(struct am_svg *svg, double x, double y, enum am_anchor anchor, double size,
                 const char *text)
{
    text_element(svg, x, y, anchor, size);
    am_svg_content(svg, text);
    am_svg_close(svg);
}

void am_svg_text_up(struct am_svg *svg, double x, double y, double size, const char *text)
{
    text_element(svg, 0, 0, AM_ANCHOR_MIDDLE, size);
    am_text_add(svg->out, " transform=\"translate(");
    am_svg_add_number(svg->out, x);
    am_text_add(svg->out, " ");
    am_svg_add_number(svg->out, y);
    am_text_add(svg->out, ") rotate(-90)\"");
    am_svg_content(svg, text);
    am_svg_close(svg);
}

void am_svg_rect(struct am_svg *svg, double x, double y, double width, double height)
{
    am_svg_open(svg, "rect");
    am_svg_num(svg, "x", x);
    am_svg_num(svg, "y", y);
    am_svg_num(svg, "width", fmax(width, 0));
    am_svg_num(svg, "height", fmax(height, 0));
    am_svg_attr(svg, "fill", "currentColor");
}

static void path_point(struct am_text *d, const char *command, double x, double y)
{
    am_text_add(d, command);
    am_svg_add_number(d, x);
    am_text_add(d, " ");
    am_svg_add_number(d, y);
}

void am_svg_move(struct am_text *d, double x, double y)
{
    path_point(d, "M", x, y);
}

void am_svg_draw(struct am_text *d, double x, double y)
{
    path_point(d, "L", x, y);
}

/* Widths in units of the size, by class of character, of the wider ones among common sans-serif
 * faces: what is said to fit does. */
