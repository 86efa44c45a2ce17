/* SPDX-License-Identifier: MIT */
/* Sparklines and heat maps of results. */
#include "write/plot/charts.h"

#include "base/text.h"
#include "document/figure/keys.h"
#include "document/units.h"
#include "evidence/evidence.h"
#include "write/plot/graph.h"
#include "write/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    VALUES_MIN = 4, /* fewer have no shape that the table does not show */
    HEAT_MIN = 3,
    SERIES_MAX = 12,
    MAPS_MAX = 4,
    SPARK_COLUMNS = 60,
    LABEL_BYTES = 256,
    INDENT = 2,
    CELL_COLUMNS = 2,
    MAP_MARGIN = 14, /* columns for the names of rows */
    WIDTH_DEFAULT = 100
};

/* Values further apart than this are told by their logarithm. */
static const double log_from = 20;

/* One result with its value. */
struct spot {
    const struct am_result *result;
    double x, y; /* by axis; y only of heat maps */
    double value;
    const char *series; /* what the other axes say: one of the chart's, by pointer */
};

struct chart {
    const struct am_result_param *x, *y; /* y NULL: sparklines */
    struct spot *spots;
    size_t n;
    const char **series; /* one per combination of values of the other axes, as they appear */
    size_t n_series;
    const struct am_result_metric *metric;
};

static bool is_number(const struct am_result_param *p)
{
    return p->kind != AM_AXIS_NAME;
}

static int by_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The different values of an axis, sorted; returns how many. */
static size_t values_of(const struct chart *c, const char *axis, double *out)
{
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < c->n; i++) {
        const double v = am_result_number(c->spots[i].result, axis);

        if (isfinite(v))
            out[n++] = v;
    }
    qsort(out, n, sizeof(*out), by_double);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || out[i] > out[kept - 1])
            out[kept++] = out[i];
    }
    return kept;
}

/* "kernel=read threads=2": what varies beside the axes of the chart. */
static const char *series_of(const struct chart *c, const struct am_points *points,
                             const struct am_result *r, struct am_arena *arena)
{
    struct am_points rest = *points;
    char text[LABEL_BYTES];

    for (size_t i = 0; i < rest.first->n_params && i < AM_AXES_MAX; i++) {
        const struct am_result_param *const p = &rest.first->params[i];

        if (p == c->x || p == c->y)
            rest.vary[i] = false;
    }
    am_points_label(&rest, r, text, sizeof(text));
    return am_arena_strdup(arena, text);
}

/* ---- choosing axes ---- */

/* x: the axis of numbers with the most values; y: the other one, where there are two that cross. */
static bool choose_axes(struct chart *c, const struct am_points *points, double *scratch)
{
    size_t most = VALUES_MIN - 1, second = HEAT_MIN - 1, numbers = 0;
    const struct am_result_param *other = NULL;

    for (size_t i = 0; i < points->first->n_params && i < AM_AXES_MAX; i++) {
        const struct am_result_param *const p = &points->first->params[i];
        const size_t n = points->vary[i] && is_number(p) ? values_of(c, p->name, scratch) : 0;

        numbers += n > 1;
        if (n > most) {
            if (c->x && most > second) {
                second = most;
                other = c->x;
            }
            most = n;
            c->x = p;
        } else if (n > second) {
            second = n;
            other = p;
        }
    }
    if (numbers == 2 && c->x && other)
        c->y = other;
    return c->x != NULL;
}

/* ---- gathering ---- */

static bool gather(struct chart *c, const struct am_result *results, size_t n,
                   struct am_arena *arena)
{
    c->spots = am_arena_array(arena, n + 1, sizeof(*c->spots));
    c->series = am_arena_array(arena, n + 1, sizeof(*c->series));
    for (size_t i = 0; c->spots && c->series && i < n; i++) {
        const struct am_result_metric *const m = am_result_metric(&results[i], NULL);

        if (!m || !isfinite(m->summary.median))
            continue;
        c->metric = m;
        c->spots[c->n++] = (struct spot){.result = &results[i], .value = m->summary.median};
    }
    return c->n >= VALUES_MIN;
}

/* Series are told apart by the values of the axes that are not drawn, never by their labels. */
static void place_spots(struct chart *c, const struct am_points *points, struct am_arena *arena)
{
    struct am_keys keys = {.arena = arena};

    for (size_t i = 0; i < points->first->n_params && i < AM_AXES_MAX; i++) {
        const struct am_result_param *const p = &points->first->params[i];

        if (points->vary[i] && p != c->x && p != c->y)
            am_keys_use(&keys, p->name);
    }
    for (size_t i = 0; i < c->n; i++) {
        struct spot *const s = &c->spots[i];
        const size_t k = am_keys_index(&keys, s->result);

        s->x = am_result_number(s->result, c->x->name);
        s->y = c->y ? am_result_number(s->result, c->y->name) : 0;
        if (k == c->n_series) {
            const char *const label = series_of(c, points, s->result, arena);

            c->series[c->n_series++] = label ? label : "";
        }
        s->series = k < c->n_series ? c->series[k] : "";
    }
}

static void range_of(const struct chart *c, const char *series, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t i = 0; i < c->n; i++) {
        if (c->spots[i].series != series)
            continue;
        *lo = fmin(*lo, c->spots[i].value);
        *hi = fmax(*hi, c->spots[i].value);
    }
}

static const char *axis_text(const struct am_result_param *axis, double value, char *buf,
                             size_t cap)
{
    char text[AM_UNITS_MAX];

    (void)am_str_format(text, sizeof(text), "%.15g", value);
    am_units_param(axis->kind, text, buf, cap);
    return buf;
}

/* ---- sparklines ---- */

static int by_x(const void *a, const void *b)
{
    const struct spot *const s = a, *const t = b;

    return (s->x > t->x) - (s->x < t->x);
}

static void add_spark(struct am_table *t, const struct chart *c, const char *series,
                      const struct am_style *style, double *scratch)
{
    const size_t stride = (c->n / (c->n_series ? c->n_series : 1)) / SPARK_COLUMNS + 1;
    char text[AM_GRAPH_MAX], low[AM_UNITS_MAX], high[AM_UNITS_MAX];
    size_t n = 0, seen = 0;
    double lo, hi;

    for (size_t i = 0; i < c->n; i++) {
        if (c->spots[i].series == series && seen++ % stride == 0)
            scratch[n++] = c->spots[i].value;
    }
    range_of(c, series, &lo, &hi);
    am_graph_spark(scratch, n, lo > 0 && hi > log_from * lo, style->utf8, text, sizeof(text));
    am_units_value(lo, c->metric->unit, low, sizeof(low));
    am_units_value(hi, c->metric->unit, high, sizeof(high));
    am_table_row(t);
    (void)am_table_text(t, series);
    am_table_textf(t, "%s", text)->tone = AM_TONE_GOOD;
    (void)am_table_textf(t, "%s .. %s%s", low, high, lo > 0 && hi > log_from * lo ? " (log)" : "");
}

static void write_sparks(struct chart *c, const struct am_style *style, struct am_arena *arena,
                         double *scratch, FILE *out)
{
    char title[LABEL_BYTES], first[AM_UNITS_MAX], last[AM_UNITS_MAX];
    const size_t n = values_of(c, c->x->name, scratch);
    struct am_table t;

    axis_text(c->x, scratch[0], first, sizeof(first));
    axis_text(c->x, scratch[n - 1], last, sizeof(last));
    (void)am_str_format(title, sizeof(title), "%s %s .. %s", c->x->name, first, last);
    qsort(c->spots, c->n, sizeof(*c->spots), by_x);
    am_table_init(&t, arena);
    t.indent = INDENT;
    t.hide_empty = true;
    am_table_column(&t, (struct am_column){.title = "", .flow = true});
    am_table_column(&t, (struct am_column){.title = title});
    am_table_column(&t, (struct am_column){.title = c->metric->name, .rank = 1});
    for (size_t i = 0; i < c->n_series && i < SERIES_MAX; i++)
        add_spark(&t, c, c->series[i], style, scratch);
    (void)fputc('\n', out);
    am_write_text_table(&t, style, NULL, out);
    if (c->n_series > SERIES_MAX)
        (void)fprintf(out, "%*sand %zu lines more\n", INDENT, "", c->n_series - SERIES_MAX);
}

/* ---- heat maps ---- */

static double value_at(const struct chart *c, const char *series, double x, double y)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct spot *const s = &c->spots[i];

        if (!(s->x < x) && !(s->x > x) && !(s->y < y) && !(s->y > y) && s->series == series)
            return s->value;
    }
    return NAN;
}

/* The places of a map: different values of both axes, sorted. */
struct map {
    double *xs, *ys;
    size_t nx, ny;
};

static void map_row(const struct chart *c, const char *series, const struct map *map, double y,
                    const struct am_style *style, FILE *out)
{
    double lo, hi;
    char name[AM_UNITS_MAX];

    range_of(c, series, &lo, &hi);
    axis_text(c->y, y, name, sizeof(name));
    (void)fprintf(out, "%*s", MAP_MARGIN - 2 - (int)am_text_width(name), "");
    am_style_put(style, out, name);
    (void)fputs("  ", out);
    for (size_t i = 0; i < map->nx; i++) {
        const double v = value_at(c, series, map->xs[i], y);
        const bool by_log = lo > 0 && hi > log_from * lo;
        const double share = by_log    ? log(v / lo) / log(hi / lo)
                             : hi > lo ? (v - lo) / (hi - lo)
                                       : v - lo + 0.5;

        (void)fputs(am_graph_shade(share, style->utf8), out);
    }
    (void)fputc('\n', out);
}

static void write_map(const struct chart *c, const char *series, const struct map *map,
                      const struct am_style *style, FILE *out)
{
    char low[AM_UNITS_MAX], high[AM_UNITS_MAX], first[AM_UNITS_MAX], last[AM_UNITS_MAX];
    char line[4 * LABEL_BYTES];
    double lo, hi;

    range_of(c, series, &lo, &hi);
    am_units_value(lo, c->metric->unit, low, sizeof(low));
    am_units_value(hi, c->metric->unit, high, sizeof(high));
    axis_text(c->x, map->xs[0], first, sizeof(first));
    axis_text(c->x, map->xs[map->nx - 1], last, sizeof(last));
    (void)am_str_format(line, sizeof(line), "%s%s%s: %s %s .. %s across, %s down; %s %s .. %s %s",
                        c->metric->name, *series ? ", " : "", series, c->x->name, first, last,
                        c->y->name, am_graph_shade(0, style->utf8), low, high,
                        am_graph_shade(1, style->utf8));
    (void)fputc('\n', out);
    am_style_wrap(style, out, INDENT, "", line);
    for (size_t i = 0; i < map->ny; i++)
        map_row(c, series, map, map->ys[i], style, out);
}

static void write_maps(const struct chart *c, const struct am_style *style, struct am_arena *arena,
                       FILE *out)
{
    const size_t width = style->width ? style->width : WIDTH_DEFAULT;
    struct map map = {.xs = am_arena_array(arena, c->n + 1, sizeof(*map.xs)),
                      .ys = am_arena_array(arena, c->n + 1, sizeof(*map.ys))};

    if (!map.xs || !map.ys)
        return;
    map.nx = values_of(c, c->x->name, map.xs);
    map.ny = values_of(c, c->y->name, map.ys);
    if (MAP_MARGIN + map.nx * CELL_COLUMNS > width) {
        (void)fprintf(out, "%*s(a heat map of %zu columns does not fit here)\n", INDENT, "",
                      map.nx);
        return;
    }
    for (size_t i = 0; i < c->n_series && i < MAPS_MAX; i++)
        write_map(c, c->series[i], &map, style, out);
    if (c->n_series > MAPS_MAX)
        (void)fprintf(out, "%*sand %zu maps more\n", INDENT, "", c->n_series - MAPS_MAX);
}

void am_charts_write(const struct am_points *points, const struct am_result *results, size_t n,
                     const struct am_style *style, struct am_arena *arena, FILE *out)
{
    struct chart c = {0};
    double *const scratch = am_arena_array(arena, n + 1, sizeof(*scratch));

    if (!scratch || !gather(&c, results, n, arena) || !choose_axes(&c, points, scratch))
        return;
    place_spots(&c, points, arena);
    if (c.y)
        write_maps(&c, style, arena, out);
    else
        write_sparks(&c, style, arena, scratch, out);
}
