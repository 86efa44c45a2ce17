/* SPDX-License-Identifier: MIT */
/* The SVG writer, scales and plots: escapes, numbers, ticks, colours, and what is drawn. */
#include "tap.h"

#include "write/plot/plot.h"
#include "write/plot/svg.h"
#include "document/units.h"

#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 1 << 22 };

static void test_escape(void)
{
    static const struct {
        const char *text, *want, *what;
    } cases[] = {
        {"</script><b>", "&lt;/script&gt;&lt;b&gt;", "markup is escaped"},
        {"a\"b'c&d", "a&quot;b&#39;c&amp;d", "quotes and ampersands are escaped"},
        {"tab\tnew\nline", "tab\tnew\nline", "white space stays"},
        {"bell\a", "bell\xef\xbf\xbd", "a control character is replaced"},
        {"\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd", "bytes that are not UTF-8 are replaced"},
        {"\xef\xbf\xbf", "\xef\xbf\xbd", "U+FFFF is no character of XML"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "a surrogate is replaced"},
        {"\xc2\xb5s", "\xc2\xb5s", "UTF-8 stays"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_text t;

        am_text_init(&t, LIMIT);
        am_svg_escape(&t, cases[i].text);
        is_str(am_text_str(&t), cases[i].want, cases[i].what);
        am_text_fini(&t);
    }
}

static void test_cut(void)
{
    enum { LONG = 1 << 20 };
    char *const text = malloc(LONG + 1);
    struct am_text t;

    memset(text, '<', LONG);
    text[LONG] = '\0';
    am_text_init(&t, LIMIT);
    am_svg_escape_cut(&t, text, 3);
    is_str(am_text_str(&t), "&lt;&lt;&lt;…", "a megabyte is cut after as many characters as asked");
    am_text_fini(&t);
    free(text);
}

static void test_numbers(void)
{
    static const struct {
        double value;
        const char *want;
    } cases[] = {
        {0, "0"},        {1, "1"},      {-1.5, "-1.5"},      {2.345, "2.35"},
        {0.004, "0"},    {-0.004, "0"}, {1e9, "1000000000"}, {NAN, "0"},
        {INFINITY, "0"}, {1e300, "0"},  {12.05, "12.05"},    {-0.5, "-0.5"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_text t;

        am_text_init(&t, LIMIT);
        am_svg_add_number(&t, cases[i].value);
        is_str(am_text_str(&t), cases[i].want, "a coordinate has two decimals at the most");
        am_text_fini(&t);
    }
}

static void test_prefixes(void)
{
    static const struct {
        double value;
        const char *unit, *scaled;
        double factor;
    } cases[] = {
        {4.88e10, "flop/s", "Gflop/s", 1e9},
        {1.2e-9, "s", "ns", 1e-9},
        {999.6, "B/s", "kB/s", 1e3},
        {999.4, "B/s", "B/s", 1},
        {5e6, "1/s", "M/s", 1e6},
        {3e7, "cycle", "cycle", 1},
        {0, "s", "s", 1},
        {-2e-6, "s", "µs", 1e-6},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char scaled[AM_UNITS_MAX];
        const double factor =
            am_units_prefix(cases[i].value, cases[i].unit, scaled, sizeof(scaled));

        ok(strcmp(scaled, cases[i].scaled) == 0 && fabs(factor / cases[i].factor - 1) < 1e-12,
           "%g %s is shown in %s", cases[i].value, cases[i].unit, cases[i].scaled);
    }
}

static void test_ticks(void)
{
    static const struct {
        struct am_plot_axis axis;
        const char *labels, *unit;
    } cases[] = {
        {{.unit = "B/s", .lo = 0, .hi = 52e9}, "0 10 20 30 40 50 ", "GB/s"},
        {{.unit = "s", .scale = AM_SCALE_LOG10, .lo = 1e-9, .hi = 2e-7}, "1 ns|10 ns|100 ns|", ""},
        {{.unit = "s", .scale = AM_SCALE_LOG10, .lo = 1e-9, .hi = 1e-8},
         "1 ns|2 ns|5 ns|10 ns|",
         ""},
        {{.unit = "B", .binary = true, .scale = AM_SCALE_LOG2, .lo = 4096, .hi = 65536},
         "4 KiB|8 KiB|16 KiB|32 KiB|64 KiB|",
         ""},
        {{.unit = "", .whole = true, .lo = 0.96, .hi = 2.04}, "1 2 ", ""},
        {{.unit = "cycle", .scale = AM_SCALE_LOG10, .lo = 1, .hi = 1000},
         "1 10 100 1000 ",
         "cycle"},
        {{.unit = "", .scale = AM_SCALE_LOG10, .lo = 0, .hi = 10}, "", ""},
        {{.unit = "", .lo = 3, .hi = 3}, "", ""},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char between = strchr(cases[i].labels, '|') ? '|' : ' ';
        char got[512] = "";
        struct am_ticks t;

        am_plot_ticks(&cases[i].axis, 6, &t);
        for (size_t k = 0; k < t.n; k++) {
            const size_t used = strlen(got);

            (void)snprintf(got + used, sizeof(got) - used, "%s%c", t.label[k], between);
        }
        is_str(got, cases[i].labels, "an axis has round ticks");
        is_str(t.unit, cases[i].unit, "and tells the unit that its labels share");
    }
}

/* sRGB to linear light. */
static double linear(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

struct lab {
    double l, a, b;
};

static double lab_curve(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* CIE L*a*b* of linear sRGB, D65. */
static struct lab lab_of(const double rgb[3])
{
    static const double m[3][3] = {
        {0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}};
    static const double white[3] = {0.9505, 1, 1.089};
    double f[3];

    for (size_t i = 0; i < 3; i++)
        f[i] = lab_curve((m[i][0] * rgb[0] + m[i][1] * rgb[1] + m[i][2] * rgb[2]) / white[i]);
    return (struct lab){116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

/* A colour as an eye without one kind of cone sees it (Vienot 1999, in linear light). */
static struct lab seen(const char *color, const double m[3][3])
{
    unsigned r = 0, g = 0, b = 0;
    double in[3], out[3];

    (void)sscanf(color, "#%2x%2x%2x", &r, &g, &b);
    in[0] = linear(r / 255.0);
    in[1] = linear(g / 255.0);
    in[2] = linear(b / 255.0);
    for (size_t i = 0; i < 3; i++)
        out[i] = fmin(fmax(m[i][0] * in[0] + m[i][1] * in[1] + m[i][2] * in[2], 0), 1);
    return lab_of(out);
}

static const double normal[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double protan[3][3] = {
    {0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}};
static const double deutan[3][3] = {
    {0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}};

static double least_distance(bool dark, const double m[3][3])
{
    double least = INFINITY;

    for (int i = 0; i < AM_SVG_COLORS; i++) {
        for (int k = 0; k < i; k++) {
            const struct lab x = seen(am_ink_color(AM_INK_SERIES + i, dark), m);
            const struct lab y = seen(am_ink_color(AM_INK_SERIES + k, dark), m);

            least = fmin(least, sqrt((x.l - y.l) * (x.l - y.l) + (x.a - y.a) * (x.a - y.a) +
                                     (x.b - y.b) * (x.b - y.b)));
        }
    }
    return least;
}

static double contrast(const char *a, const char *b)
{
    const struct lab la = seen(a, normal), lb = seen(b, normal);
    const double ya = pow((fmax(la.l, lb.l) + 16) / 116, 3),
                 yb = pow((fmin(la.l, lb.l) + 16) / 116, 3);

    return (ya + 0.05) / (fmax(yb, 0) + 0.05);
}

static void test_colors(void)
{
    double last = 101;
    bool even = true;

    for (int dark = 0; dark < 2; dark++) {
        const char *const paper = am_ink_color(AM_INK_PAPER, dark);

        ok(least_distance(dark, normal) > 20, "series differ on %s paper (%.1f)",
           dark ? "dark" : "light", least_distance(dark, normal));
        ok(least_distance(dark, protan) > 8, "also without red cones (%.1f)",
           least_distance(dark, protan));
        ok(least_distance(dark, deutan) > 8, "also without green cones (%.1f)",
           least_distance(dark, deutan));
        ok(contrast(am_ink_color(AM_INK_TEXT, dark), paper) >= 7, "text has contrast");
        ok(contrast(am_ink_color(AM_INK_MUTED, dark), paper) >= 4.5, "so have remarks");
        for (int i = 0; i < AM_SVG_COLORS; i++)
            ok(contrast(am_ink_color(AM_INK_SERIES + i, dark), paper) >= 2.7,
               "so has series %d (%.1f)", i,
               contrast(am_ink_color(AM_INK_SERIES + i, dark), paper));
    }
    for (int i = 0; i <= 8; i++) {
        const char *text_on;
        char color[8];
        double l;

        am_svg_heat(i / 8.0, color, &text_on);
        l = seen(color, normal).l;
        even = even && (i == 0 || (last - l > 5 && last - l < 15));
        last = l;
        ok(contrast(color, text_on) >= 4, "writing on shade %d can be read (%.1f)", i,
           contrast(color, text_on));
    }
    ok(even, "the shades of a map darken in even steps");
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;

    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
        n++;
    return n;
}

static void test_lines(void)
{
    static const struct am_plot_mark marks[] = {
        {.x = 1, .y = 10, .lo = 9, .hi = 11, .title = "one"},
        {.x = 2, .y = 100, .lo = 90, .hi = 120, .title = "two"},
        {.x = 3, .y = -5, .lo = -6, .hi = -4, .title = "three"},
    };
    const struct am_plot_series series = {.label = "a<b", .marks = marks, .n = 3};
    struct am_plot plot = {.x = {.unit = "", .title = "x"},
                           .y = {.unit = "s", .title = "y", .scale = AM_SCALE_LOG10},
                           .series = &series,
                           .n = 1};
    struct am_svg svg;
    struct am_text t;

    am_text_init(&t, LIMIT);
    am_svg_init(&svg, &t);
    am_svg_root(&svg, AM_PLOT_WIDTH, AM_PLOT_HEIGHT, "test");
    am_plot_lines(&svg, &plot);
    am_svg_close(&svg);
    ok(count(am_text_str(&t), "<circle") == 2, "a value that a logarithm cannot show has no mark");
    ok(strstr(am_text_str(&t), "1 value without a place"), "and the plot says so");
    ok(strstr(am_text_str(&t), "data-series=\"a&lt;b\""), "a series is named, escaped");
    ok(strstr(am_text_str(&t), "<title>two</title>"), "a mark has its tooltip");
    ok(strstr(am_text_str(&t), "data-y=\"100\""), "and its value");
    ok(strstr(am_text_str(&t), "class=\"am-y am-alt\" display=\"none\""),
       "the linear scale is there too, hidden");
    ok(!strstr(am_text_str(&t), "nan") && !strstr(am_text_str(&t), "inf"),
       "no coordinate is not a number");
    plot.y.scale = AM_SCALE_LINEAR;
    plot.y.lo = plot.y.hi = 0;
    am_text_clear(&t);
    am_svg_init(&svg, &t);
    am_svg_root(&svg, AM_PLOT_WIDTH, AM_PLOT_HEIGHT, "test");
    am_plot_lines(&svg, &plot);
    am_svg_close(&svg);
    ok(count(am_text_str(&t), "<circle") == 3, "a linear scale shows all");
    ok(!strstr(am_text_str(&t), "am-alt"), "and offers no logarithm that could not");
    am_text_fini(&t);
}

/* Width of the only bar of a plot. */
static double bar_width(const struct am_plot_mark *mark)
{
    static const char *const names[] = {"one"};
    const struct am_plot_series series = {.label = "a", .marks = mark, .n = 1};
    const struct am_plot plot = {.x = {.names = names, .n_names = 1, .scale = AM_SCALE_NAMES},
                                 .y = {.unit = "s", .title = "y"},
                                 .series = &series,
                                 .n = 1};
    const char *at;
    struct am_svg svg;
    struct am_text t;
    double width = 0;

    am_text_init(&t, LIMIT);
    am_svg_init(&svg, &t);
    am_svg_root(&svg, AM_PLOT_WIDTH, am_plot_bars_height(&plot), "test");
    am_plot_bars(&svg, &plot);
    am_svg_close(&svg);
    at = strstr(am_text_str(&t), "<rect");
    at = at ? strstr(at, " width=\"") : NULL;
    if (at)
        width = strtod(at + strlen(" width=\""), NULL);
    am_text_fini(&t);
    return width;
}

/* The scale of bars ends with the largest value, or where the interval of one ends. */
static void test_bars(void)
{
    const double whole = bar_width(&(struct am_plot_mark){.y = 20, .lo = NAN, .hi = NAN});
    const double half = bar_width(&(struct am_plot_mark){.y = 10, .lo = 9, .hi = 20});
    const double none = bar_width(&(struct am_plot_mark){.y = 10, .lo = 0, .hi = INFINITY});

    ok(whole > 100 && fabs(half - whole / 2) < 0.2, "an interval is drawn to its end: %g of %g",
       half, whole);
    ok(fabs(none - whole) < 0.2, "one without an end leaves the scale as it is");
}

int main(void)
{
    test_bars();
    test_escape();
    test_cut();
    test_numbers();
    test_prefixes();
    test_ticks();
    test_colors();
    test_lines();
    return tap_done();
}
