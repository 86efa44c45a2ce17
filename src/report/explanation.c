/* SPDX-License-Identifier: MIT */
/* Explanations: one table a bench, rows in the order of the plan; what has no bound is named with
 * its reason. */
#include "report/explanation.h"

#include "base/text.h"
#include "report/graph.h"
#include "report/grid.h"
#include "report/json.h"
#include "report/points_grid.h"
#include "report/results.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

enum { LINE_MAX_BYTES = 512, BAR_COLUMNS = 10 };

enum rank { RANK_KEEP, RANK_LIMIT, RANK_BOUND, RANK_BAR, RANK_INTENSITY };

/* The consecutive explanations of one bench. */
struct group {
    const struct am_explanation *first;
    size_t n, explained;
    struct am_points points;
    bool intensity; /* some have one */
};

static struct group group_at(const struct am_explanations *all, size_t i)
{
    struct group g = {.first = &all->items[i]};

    for (; i < all->n && am_points_together(g.first->result, all->items[i].result); i++) {
        const struct am_explanation *const e = &all->items[i];

        g.n++;
        if (e->why_not)
            continue;
        am_points_add(&g.points, e->result);
        g.explained++;
        g.intensity |= isfinite(e->intensity);
    }
    return g;
}

/* ---- text ---- */

static void add_columns(struct am_grid *grid, const struct group *g, const struct am_style *style)
{
    am_points_columns(&g->points, grid);
    if (g->intensity)
        am_grid_column(grid, "flop/B", AM_ALIGN_RIGHT, RANK_INTENSITY);
    am_grid_column(grid, "measured", AM_ALIGN_RIGHT, RANK_KEEP);
    am_grid_column(grid, "bound", AM_ALIGN_RIGHT, RANK_BOUND);
    am_grid_column(grid, "share", AM_ALIGN_RIGHT, RANK_KEEP);
    if (style->graphs)
        am_grid_column(grid, "", AM_ALIGN_LEFT, RANK_BAR);
    am_grid_column(grid, "limited by", AM_ALIGN_LEFT, RANK_LIMIT);
    am_grid_flow(grid);
    am_grid_column(grid, "next", AM_ALIGN_LEFT, RANK_KEEP);
    am_grid_flow(grid);
}

static void add_row(struct am_grid *grid, const struct group *g, const struct am_explanation *e,
                    const struct am_style *style)
{
    char text[AM_UNITS_MAX], bar[AM_GRAPH_MAX];

    am_grid_row(grid);
    am_points_cells(&g->points, e->result, grid);
    if (g->intensity)
        am_grid_cellf(grid, "%.3g", e->intensity);
    am_units_value(e->measured.median, e->metric->unit, text, sizeof(text));
    am_grid_paint(grid, text, AM_PAINT_STRONG);
    am_units_value(e->bound, e->metric->unit, text, sizeof(text));
    am_grid_cell(grid, text);
    am_units_share(e->share, text, sizeof(text));
    am_grid_paint(grid, text, e->above ? AM_PAINT_BAD : AM_PAINT_NONE);
    if (style->graphs) {
        am_graph_bar(e->share, BAR_COLUMNS, style->utf8, bar, sizeof(bar));
        am_grid_cell(grid, bar);
    }
    am_grid_cell(grid, e->resource);
    am_grid_paint(grid, e->next, e->above ? AM_PAINT_BAD : AM_PAINT_NONE);
}

/* Points without a bound: one line a reason, at the first point that has it. */
static void tell_others(const struct group *g, const struct am_style *style, FILE *out)
{
    for (size_t i = 0; i < g->n; i++) {
        size_t before = 0, more = 0;
        char line[LINE_MAX_BYTES];

        if (!g->first[i].why_not)
            continue;
        for (size_t k = 0; k < g->n; k++) {
            if (g->first[k].why_not && strcmp(g->first[k].why_not, g->first[i].why_not) == 0) {
                before += k < i;
                more++;
            }
        }
        if (before)
            continue;
        (void)am_str_format(line, sizeof(line), "%zu point%s without a bound: %s", more,
                            more == 1 ? "" : "s", g->first[i].why_not);
        am_style_note(style, out, "", line);
    }
}

static void write_group(const struct group *g, const struct am_style *style, struct am_arena *arena,
                        FILE *out)
{
    char constants[LINE_MAX_BYTES] = "";
    struct am_grid grid;

    (void)fputc('\n', out);
    if (g->explained)
        am_points_constants(&g->points, constants, sizeof(constants));
    am_style_heading(style, out, g->first->result->bench, constants);
    if (g->explained) {
        am_grid_init(&grid, arena);
        add_columns(&grid, g, style);
        for (size_t i = 0; i < g->n; i++) {
            if (!g->first[i].why_not)
                add_row(&grid, g, &g->first[i], style);
        }
        (void)am_grid_write(&grid, style, 2, out);
    }
    tell_others(g, style, out);
}

static void write_text(const struct am_result_set *set, const struct am_explanations *all,
                       const struct am_style *style, struct am_arena *arena, FILE *out)
{
    char line[LINE_MAX_BYTES];

    am_report_machine_line(&set->machine, line, sizeof(line));
    am_style_heading(style, out, "machine", line);
    for (size_t i = 0; i < all->n;) {
        const struct group g = group_at(all, i);

        write_group(&g, style, arena, out);
        i += g.n;
    }
    (void)fputc('\n', out);
    if (all->above) {
        (void)am_str_format(line, sizeof(line),
                            "%zu point%s measured above the bound: there the model is wrong",
                            all->above, all->above == 1 ? " was" : "s were");
        am_style_note(style, out, "FINDING: ", line);
    }
    am_style_note(style, out, "bound: ",
                  "the least time that the work needs at the highest rates measured in this run "
                  "for its instruction set, precision, level of memory and threads (95 % quantile "
                  "of the best point), as if all resources worked at once");
    am_style_note(style, out, "scaled: ",
                  "not measured with as many threads; taken from those of fewer or more");
}

/* ---- for programs ---- */

static void json_roofs(struct am_json *j, const struct am_explanation *e)
{
    static const char *const names[AM_CEILING_KINDS] = {
        [AM_CEILING_FLOPS] = "flops",
        [AM_CEILING_READ] = "read",
        [AM_CEILING_WRITE] = "write",
        [AM_CEILING_BYTES] = "bytes",
    };

    am_json_object(j, "roofs");
    for (size_t k = 0; k < AM_CEILING_KINDS; k++) {
        const struct am_roof *const roof = &e->roofs[k];

        if (!roof->ceiling)
            continue;
        am_json_object(j, names[k]);
        am_json_number(j, "rate", roof->rate);
        am_json_bool(j, "scaled", roof->scaled);
        am_json_string(j, "from", roof->ceiling->point->text);
        am_json_object_end(j);
    }
    am_json_object_end(j);
}

static void json_explanation(struct am_json *j, const struct am_explanation *e)
{
    am_json_object(j, NULL);
    am_json_string(j, "bench", e->result->bench);
    am_json_string(j, "worker", e->result->worker);
    am_json_point(j, "point", e->result);
    am_json_string(j, "metric", e->metric->name);
    am_json_string(j, "unit", e->metric->unit);
    am_json_number(j, "measured", e->measured.median);
    am_json_array(j, "ci");
    am_json_number(j, NULL, e->measured.ci.lo);
    am_json_number(j, NULL, e->measured.ci.hi);
    am_json_array_end(j);
    am_json_string(j, "why_not", e->why_not);
    am_json_number(j, "intensity", e->why_not ? NAN : e->intensity);
    am_json_number(j, "bound", e->why_not ? NAN : e->bound);
    am_json_number(j, "share", e->why_not ? NAN : e->share);
    am_json_bool(j, "above", e->above);
    am_json_string(j, "level", e->level < AM_TIER_COUNT ? am_tier_label(e->level) : NULL);
    am_json_string(j, "limit", e->resource);
    am_json_string(j, "next", e->next);
    json_roofs(j, e);
    am_json_object_end(j);
}

static void write_json(const struct am_result_set *set, const struct am_explanations *all,
                       FILE *out)
{
    struct am_json j;

    am_json_init(&j, out, 3);
    am_json_object(&j, NULL);
    am_json_integer(&j, "schema", 1);
    am_json_run(&j, "run", set);
    am_json_facts(&j, "machine", &set->machine);
    am_json_unsigned(&j, "above", all->above);
    am_json_array(&j, "points");
    for (size_t i = 0; i < all->n; i++)
        json_explanation(&j, &all->items[i]);
    am_json_array_end(&j);
    am_json_object_end(&j);
}

static void write_csv(const struct am_explanations *all, struct am_arena *arena, FILE *out)
{
    static const char *const titles[] = {"bench",    "point",     "metric", "unit",
                                         "measured", "intensity", "bound",  "share",
                                         "above",    "limit",     "next",   "why_not"};
    const struct am_style style = {.format = AM_FORMAT_CSV};
    struct am_grid g;

    am_grid_init(&g, arena);
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        am_grid_column(&g, titles[i], AM_ALIGN_LEFT, 0);
    for (size_t i = 0; i < all->n; i++) {
        const struct am_explanation *const e = &all->items[i];
        const double numbers[] = {e->measured.median, e->why_not ? NAN : e->intensity,
                                  e->why_not ? NAN : e->bound, e->why_not ? NAN : e->share};

        am_grid_row(&g);
        am_grid_cell(&g, e->result->bench);
        am_grid_cell(&g, e->result->text);
        am_grid_cell(&g, e->metric->name);
        am_grid_cell(&g, e->metric->unit);
        for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
            am_grid_number(&g, numbers[k]);
        am_grid_cell(&g, e->above ? "yes" : "no");
        am_grid_cell(&g, e->resource);
        am_grid_cell(&g, e->next);
        am_grid_cell(&g, e->why_not);
    }
    (void)am_grid_write(&g, &style, 0, out);
}

void am_report_explanations(const struct am_result_set *set, const struct am_explanations *all,
                            const struct am_style *style, struct am_arena *arena, FILE *out)
{
    if (style->format == AM_FORMAT_JSON)
        write_json(set, all, out);
    else if (style->format == AM_FORMAT_CSV)
        write_csv(all, arena, out);
    else
        write_text(set, all, style, arena, out);
}
