/* SPDX-License-Identifier: MIT */
/* Comparisons: circumstances first, then rows by effect, then what could not be compared. */
#include "report/comparison.h"

#include "base/text.h"
#include "report/grid.h"
#include "report/points_grid.h"
#include "report/results.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024, MISSING_SHOWN = 20, BENCHES_MAX = 256 };

static enum am_paint verdict_paint(enum am_verdict verdict)
{
    static const enum am_paint paints[AM_VERDICT_COUNT] = {
        [AM_VERDICT_SAME] = AM_PAINT_NONE,
        [AM_VERDICT_FASTER] = AM_PAINT_GOOD,
        [AM_VERDICT_SLOWER] = AM_PAINT_BAD,
        [AM_VERDICT_INCONCLUSIVE] = AM_PAINT_WARN,
    };

    return paints[verdict];
}

static double median_of(const struct am_result_metric *metric)
{
    struct am_summary s;

    return am_summarise(&metric->series, &s) ? s.median : NAN;
}

/* ---- points in short ---- */

/* The compared points of each bench: axes that do not tell them apart are left out. */
struct short_points {
    struct am_points benches[BENCHES_MAX];
    size_t n;
};

static struct am_points *points_of(struct short_points *s, const struct am_result *r)
{
    for (size_t i = 0; i < s->n; i++) {
        if (strcmp(s->benches[i].first->bench, r->bench) == 0)
            return &s->benches[i];
    }
    return s->n < BENCHES_MAX ? &s->benches[s->n++] : NULL;
}

static void find_varying(struct short_points *s, const struct am_comparison *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct am_points *const points = points_of(s, c->rows[i].a);

        if (points)
            am_points_add(points, c->rows[i].a);
    }
}

static void point_text(struct short_points *s, const struct am_result *r, char *buf, size_t cap)
{
    const struct am_points *const points = points_of(s, r);

    if (points)
        am_points_label(points, r, buf, cap);
    else
        (void)am_str_copy(buf, cap, r->text);
}

/* ---- rows ---- */

static void row_numbers(struct am_grid *g, const struct am_comparison_row *row)
{
    if (!isfinite(row->ratio.ratio)) {
        am_grid_cell(g, "-");
        am_grid_cell(g, "-");
        am_grid_cell(g, "-");
        return;
    }
    am_grid_cellf(g, "%.3f", row->ratio.ratio);
    am_grid_cellf(g, "[%.3f, %.3f]", row->ratio.lo, row->ratio.hi);
    am_grid_cellf(g, "%.2g", row->p);
}

static void add_row(struct am_grid *g, struct short_points *points,
                    const struct am_comparison_row *row)
{
    char a[AM_UNITS_MAX], b[AM_UNITS_MAX], point[LINE_MAX_BYTES];

    am_units_value(median_of(row->metric_a), row->metric_a->unit, a, sizeof(a));
    am_units_value(median_of(row->metric_b), row->metric_b->unit, b, sizeof(b));
    am_grid_row(g);
    am_grid_paint(g, am_verdict_name(row->verdict), verdict_paint(row->verdict));
    am_grid_cell(g, row->a->bench);
    point_text(points, row->a, point, sizeof(point));
    am_grid_cell(g, point);
    am_grid_cell(g, row->metric_a->name);
    am_grid_cell(g, a);
    am_grid_cell(g, b);
    row_numbers(g, row);
    am_grid_cellf(g, "%zu/%zu", row->metric_a->series.n, row->metric_b->series.n);
    if (row->verdict != AM_VERDICT_INCONCLUSIVE)
        am_grid_cell(g, "");
    else if (row->launches_needed)
        am_grid_cellf(g, "about %zu launches", row->launches_needed);
    else
        am_grid_cell(g, isfinite(row->ratio.ratio) ? "over 1000 launches" : "cannot be told");
}

static void write_rows(const struct am_comparison_view *view, const struct am_style *style,
                       struct am_arena *arena, FILE *out)
{
    const struct am_comparison *c = view->comparison;
    struct short_points *points = am_arena_alloc(arena, sizeof(*points));
    struct am_grid g;
    size_t shown = 0;

    if (!points)
        return;
    find_varying(points, c);
    am_grid_init(&g, arena);
    am_grid_column(&g, "verdict", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "bench", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "point", AM_ALIGN_LEFT, 0);
    am_grid_flow(&g);
    am_grid_column(&g, "metric", AM_ALIGN_LEFT, 5);
    am_grid_column(&g, "A", AM_ALIGN_RIGHT, 2);
    am_grid_column(&g, "B", AM_ALIGN_RIGHT, 2);
    am_grid_column(&g, "B/A", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "95 % interval", AM_ALIGN_RIGHT, 1);
    am_grid_column(&g, "p", AM_ALIGN_RIGHT, 3);
    am_grid_column(&g, "launches", AM_ALIGN_RIGHT, 4);
    am_grid_column(&g, "to settle", AM_ALIGN_LEFT, 6);
    for (size_t i = 0; i < c->n; i++) {
        if (view->changes_only && c->rows[i].verdict == AM_VERDICT_SAME)
            continue;
        add_row(&g, points, &c->rows[i]);
        shown++;
    }
    if (shown || style->format != AM_FORMAT_TABLE)
        (void)am_grid_write(&g, style, 0, out);
}

/* ---- text around them ---- */

/* One line, which a terminal gets wrapped behind its label. */
static void put_line(const struct am_style *style, FILE *out, const char *label, const char *text)
{
    static const char *const before[AM_FORMAT_COUNT] = {
        [AM_FORMAT_TABLE] = "", [AM_FORMAT_MD] = "- ", [AM_FORMAT_TEX] = "% "};

    if (style->format == AM_FORMAT_TABLE && style->width) {
        am_style_wrap(style, out, 0, label, text);
        return;
    }
    (void)fputs(before[style->format], out);
    am_style_put(style, out, label);
    am_style_put(style, out, text);
    (void)fputc('\n', out);
}

static void write_sides(const struct am_comparison_view *view, const struct am_style *style,
                        FILE *out)
{
    const struct am_result_set *const sets[] = {view->a, view->b};
    const char *const names[] = {view->name_a, view->name_b};

    for (size_t i = 0; i < 2; i++) {
        const struct am_run_info *run = &sets[i]->run;
        char machine[LINE_MAX_BYTES / 2], line[LINE_MAX_BYTES];

        am_report_machine_line(&sets[i]->machine, machine, sizeof(machine));
        (void)am_str_format(line, sizeof(line), "%s%s%s%s  %s  %s", names[i],
                            run->label ? " \"" : "", run->label ? run->label : "",
                            run->label ? "\"" : "", run->started ? run->started : "?", machine);
        put_line(style, out, i ? "B  " : "A  ", line);
    }
}

static void write_differences(const struct am_comparison_view *view, const struct am_style *style,
                              FILE *out)
{
    const struct am_kvs *d = &view->comparison->differences;
    char line[LINE_MAX_BYTES];

    for (size_t i = 0; i < d->n; i++) {
        (void)am_str_format(line, sizeof(line), "%s: %s", d->items[i].key, d->items[i].value);
        put_line(style, out, "differs: ", line);
    }
    if (d->n == 0)
        put_line(style, out, "", "same machine and environment");
    (void)fputc('\n', out);
}

static void write_missing(const struct am_comparison_view *view, const struct am_style *style,
                          FILE *out)
{
    const struct am_comparison *c = view->comparison;
    char line[LINE_MAX_BYTES];

    for (size_t i = 0; i < c->n_missing && i < MISSING_SHOWN; i++) {
        (void)am_str_format(line, sizeof(line), "%s %s: %s", c->missing[i].result->bench,
                            c->missing[i].result->text, c->missing[i].why);
        put_line(style, out, "missing: ", line);
    }
    if (c->n_missing > MISSING_SHOWN) {
        (void)am_str_format(line, sizeof(line), "%zu more; --format json names them",
                            c->n_missing - MISSING_SHOWN);
        put_line(style, out, "missing: ", line);
    }
}

static void write_summary(const struct am_comparison_view *view, const struct am_style *style,
                          FILE *out)
{
    const struct am_comparison *c = view->comparison;
    char line[LINE_MAX_BYTES];

    (void)fputc('\n', out);
    write_missing(view, style, out);
    (void)am_str_format(line, sizeof(line),
                        "%zu compared: %zu faster, %zu slower, %zu same, %zu inconclusive; %zu "
                        "missing",
                        c->n, c->count[AM_VERDICT_FASTER], c->count[AM_VERDICT_SLOWER],
                        c->count[AM_VERDICT_SAME], c->count[AM_VERDICT_INCONCLUSIVE], c->n_missing);
    put_line(style, out, "", line);
    if (isfinite(c->geomean_speedup)) {
        (void)am_str_format(line, sizeof(line),
                            "geometric mean of the speed-ups: %.3f (above 1: B is better)",
                            c->geomean_speedup);
        put_line(style, out, "", line);
    }
    (void)am_str_format(line, sizeof(line),
                        "B/A is the Hodges-Lehmann ratio of launch medians; faster, slower: beyond "
                        "%.3g %%; same: within; p adjusted (Benjamini-Hochberg)",
                        view->settings->delta * 100);
    put_line(style, out, "", line);
}

/* ---- JSON ---- */

static void json_side(struct am_json *j, const char *key, const struct am_result_metric *metric)
{
    struct am_summary s;

    if (!am_summarise(&metric->series, &s))
        s = (struct am_summary){.median = NAN, .ci = {NAN, NAN, 0}};
    am_json_object(j, key);
    am_json_number(j, "median", s.median);
    am_json_array(j, "ci");
    am_json_number(j, NULL, s.ci.lo);
    am_json_number(j, NULL, s.ci.hi);
    am_json_array_end(j);
    am_json_unsigned(j, "launches", s.launches);
    am_json_unsigned(j, "samples", s.samples);
    am_json_object_end(j);
}

static void json_row(struct am_json *j, const struct am_comparison_row *row)
{
    am_json_object(j, NULL);
    am_json_string(j, "verdict", am_verdict_name(row->verdict));
    am_json_string(j, "bench", row->a->bench);
    am_json_point(j, "point", row->a);
    am_json_string(j, "metric", row->metric_a->name);
    am_json_string(j, "unit", row->metric_a->unit);
    am_json_string(j, "better", am_better_name(row->metric_a->better));
    json_side(j, "a", row->metric_a);
    json_side(j, "b", row->metric_b);
    am_json_number(j, "ratio", row->ratio.ratio);
    am_json_array(j, "ci");
    am_json_number(j, NULL, row->ratio.lo);
    am_json_number(j, NULL, row->ratio.hi);
    am_json_array_end(j);
    am_json_number(j, "coverage", row->ratio.coverage);
    am_json_number(j, "p", row->p);
    am_json_number(j, "speedup", row->speedup);
    if (row->verdict == AM_VERDICT_INCONCLUSIVE && row->launches_needed)
        am_json_unsigned(j, "launches_needed", row->launches_needed);
    else
        am_json_string(j, "launches_needed", NULL);
    am_json_object_end(j);
}

static void json_missing(struct am_json *j, const struct am_comparison *c)
{
    am_json_array(j, "missing");
    for (size_t i = 0; i < c->n_missing; i++) {
        am_json_object(j, NULL);
        am_json_string(j, "bench", c->missing[i].result->bench);
        am_json_point(j, "point", c->missing[i].result);
        am_json_string(j, "why", c->missing[i].why);
        am_json_object_end(j);
    }
    am_json_array_end(j);
}

static void write_json(const struct am_comparison_view *view, FILE *out)
{
    const struct am_comparison *c = view->comparison;
    struct am_json j;

    am_json_init(&j, out, 3);
    am_json_object(&j, NULL);
    am_json_integer(&j, "schema", 1);
    am_json_run(&j, "a", view->a);
    am_json_run(&j, "b", view->b);
    am_json_number(&j, "delta", view->settings->delta);
    am_json_number(&j, "level", view->settings->level);
    am_json_facts(&j, "differences", &c->differences);
    am_json_array(&j, "rows");
    for (size_t i = 0; i < c->n; i++)
        json_row(&j, &c->rows[i]);
    am_json_array_end(&j);
    json_missing(&j, c);
    am_json_object(&j, "count");
    for (unsigned v = 0; v < AM_VERDICT_COUNT; v++)
        am_json_unsigned(&j, am_verdict_name((enum am_verdict)v), c->count[v]);
    am_json_object_end(&j);
    am_json_number(&j, "geomean_speedup", c->geomean_speedup);
    am_json_object_end(&j);
}

/* CSV carries the numbers as they are. */
static void write_csv(const struct am_comparison_view *view, struct am_arena *arena, FILE *out)
{
    static const char *const titles[] = {"verdict", "bench",    "point", "metric", "unit",
                                         "better",  "a",        "b",     "ratio",  "ci_lo",
                                         "ci_hi",   "coverage", "p",     "speedup"};
    const struct am_style style = {.format = AM_FORMAT_CSV};
    struct am_grid g;

    am_grid_init(&g, arena);
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        am_grid_column(&g, titles[i], AM_ALIGN_LEFT, 0);
    for (size_t i = 0; i < view->comparison->n; i++) {
        const struct am_comparison_row *row = &view->comparison->rows[i];
        const double numbers[] = {median_of(row->metric_a),
                                  median_of(row->metric_b),
                                  row->ratio.ratio,
                                  row->ratio.lo,
                                  row->ratio.hi,
                                  row->ratio.coverage,
                                  row->p,
                                  row->speedup};

        am_grid_row(&g);
        am_grid_cell(&g, am_verdict_name(row->verdict));
        am_grid_cell(&g, row->a->bench);
        am_grid_cell(&g, row->a->text);
        am_grid_cell(&g, row->metric_a->name);
        am_grid_cell(&g, row->metric_a->unit);
        am_grid_cell(&g, am_better_name(row->metric_a->better));
        for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
            am_grid_number(&g, numbers[k]);
    }
    (void)am_grid_write(&g, &style, 0, out);
}

void am_report_comparison(const struct am_comparison_view *view, const struct am_style *style,
                          struct am_arena *arena, FILE *out)
{
    if (style->format == AM_FORMAT_JSON) {
        write_json(view, out);
        return;
    }
    if (style->format == AM_FORMAT_CSV) {
        write_csv(view, arena, out);
        return;
    }
    write_sides(view, style, out);
    write_differences(view, style, out);
    write_rows(view, style, arena, out);
    write_summary(view, style, out);
}
