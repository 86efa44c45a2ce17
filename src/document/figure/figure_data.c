/* SPDX-License-Identifier: MIT */
/* Which results a figure shows, and where each of them belongs. */
#include "document/figure/figure_data.h"

#include "base/array.h"
#include "base/text.h"
#include "document/units.h"
#include "evidence/select.h"
#include "family/roles.h"
#include "model/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE_CHARS = 80, TITLE_BYTES = 1024, TABLE_FEW = 20 };

/* ---- selection ---- */

static enum am_status no_memory(const struct am_figure_row *row, struct am_err *err)
{
    return am_fail(err, AM_E_NOMEM, "no memory for the figure %s", row->name);
}

/* The row's metric; one of energy without a scope gets that of the first run. NULL: the primary
 * one, or no such scope. */
static const char *metric_of(const struct am_figure_source *source, const struct am_figure_row *row)
{
    const size_t n = row->metric ? strlen(row->metric) : 0;

    if (n == 0 || row->metric[n - 1] != ':')
        return row->metric;
    return am_energy_metric(source->set, row->bench, row->metric);
}

static enum am_status select_results(const struct am_figure_source *source,
                                     const struct am_figure_row *row, struct am_figure_picks *p,
                                     struct am_err *err)
{
    const char *const metric = metric_of(source, row);
    const struct am_selector from = {row->bench, row->where, metric};
    size_t cap = 0, run = 0;

    if (row->metric && !metric)
        return AM_OK;

    for (const struct am_figure_source *s = source; s; s = s->next, run++) {
        const struct am_picks picks = am_select(s->set, &from, source->arena);

        if (picks.n == 0 && picks.items)
            continue;
        if (!picks.items ||
            !am_array_reserve(source->arena, &p->items, p->n, &cap, picks.n, sizeof(*p->items)))
            return no_memory(row, err);
        for (size_t i = 0; i < picks.n; i++) {
            p->items[p->n++] = (struct am_figure_pick){.result = picks.items[i].result,
                                                       .metric = picks.items[i].metric,
                                                       .ordinal = i,
                                                       .run = run,
                                                       .column = AM_KEY_NONE,
                                                       .x = NAN};
            am_points_add(&p->points, picks.items[i].result);
        }
        p->runs = run + 1;
    }
    return AM_OK;
}

/* ---- keys ---- */

static bool is_name(const char *text, size_t n, const char *axis)
{
    return strlen(axis) == n && memcmp(text, axis, n) == 0;
}

/* Whether a list ("variant,n/threads") has the axis, or a quotient of it. */
static bool uses(const char *list, const char *axis)
{
    for (const char *p = list ? list : ""; *p;) {
        const size_t n = strcspn(p, ","), over = strcspn(p, "/,");

        if (is_name(p, n, axis) || is_name(p, over, axis) ||
            (over < n && is_name(p + over + 1, n - over - 1, axis)))
            return true;
        p += n + (p[n] == ',');
    }
    return false;
}

static bool is_used(const struct am_figure_row *row, const char *axis)
{
    return uses(row->x, axis) || uses(row->series, axis) || uses(row->panel, axis) ||
           uses(row->along, axis);
}

/* Which axes tell panels, series and columns apart. What varies and is named nowhere tells series
 * apart, or panels where two values may not share a cell; unless the best of them counts. */
static void choose_keys(const struct am_figure_source *source, const struct am_figure_row *row,
                        struct am_figure_picks *p)
{
    struct am_keys *const rest = row->kind == AM_FIGURE_HEAT ? &p->panels : &p->series;

    p->panels.arena = p->series.arena = p->columns.arena = source->arena;
    am_keys_use(&p->panels, row->panel);
    am_keys_use(&p->series, row->series);
    if (!p->x_is_metric)
        am_keys_use(&p->columns, row->x);
    for (size_t a = 0; !row->best && a < p->points.first->n_params && a < AM_AXES_MAX; a++) {
        const char *const axis = p->points.first->params[a].name;

        if (p->points.vary[a] && !is_used(row, axis))
            am_keys_use(rest, axis);
    }
}

static void find_x(const struct am_figure_row *row, struct am_figure_picks *p)
{
    const struct am_result_metric *metric;
    const struct am_result_param *axis;

    p->x_unit = "";
    p->x_kind = AM_AXIS_REAL;
    p->x_is_metric = row->x && row->x[0] == '@';
    if (p->x_is_metric) {
        metric = am_result_metric(p->points.first, row->x + 1);
        p->x_unit = metric ? metric->unit : "";
        return;
    }
    axis = row->x ? am_result_param(p->points.first, row->x) : NULL;
    p->x_kind = axis ? axis->kind : AM_AXIS_REAL;
    if (p->x_kind == AM_AXIS_SIZE)
        p->x_unit = "B";
}

/* Gives a pick its places; false when it has none: a quotient that is not whole. */
static bool place(struct am_figure_picks *p, const struct am_figure_row *row,
                  struct am_figure_pick *pick)
{
    const struct am_result_metric *const m =
        p->x_is_metric ? am_result_metric(pick->result, row->x + 1) : NULL;

    pick->panel = am_keys_index(&p->panels, pick->result);
    pick->series = am_keys_index(&p->series, pick->result);
    if (m)
        pick->x = m->summary.median;
    if (!p->x_is_metric)
        pick->column = am_keys_index(&p->columns, pick->result);
    if (!p->x_is_metric && p->x_kind != AM_AXIS_NAME && row->x)
        pick->x = am_result_number(pick->result, row->x);
    return pick->panel != AM_KEY_NONE && pick->series != AM_KEY_NONE &&
           (p->x_is_metric || pick->column != AM_KEY_NONE);
}

/* Columns rise, and the rows of a map: the plan's order is the user's, not an axis's. */
static bool sort_keys(struct am_figure_picks *p, const struct am_figure_row *row,
                      struct am_arena *arena)
{
    size_t *const columns = am_arena_array(arena, p->columns.n + 1, sizeof(*columns));
    size_t *const rows = am_arena_array(arena, p->series.n + 1, sizeof(*rows));
    const bool heat = row->kind == AM_FIGURE_HEAT;

    if (!columns || !rows)
        return false;
    am_keys_sort(&p->columns, columns);
    if (heat)
        am_keys_sort(&p->series, rows);
    for (size_t i = 0; i < p->n; i++) {
        struct am_figure_pick *const pick = &p->items[i];

        pick->series = heat ? rows[pick->series] : pick->series;
        if (pick->column != AM_KEY_NONE)
            pick->column = columns[pick->column];
        if (p->x_kind == AM_AXIS_NAME && !p->x_is_metric)
            pick->x = (double)pick->column;
    }
    return true;
}

/* ---- order ---- */

/* What has no place comes last. */
static int by_number(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) - isnan(b) : (a > b) - (a < b);
}

static int by_index(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int by_line(const struct am_figure_pick *a, const struct am_figure_pick *b)
{
    const int panel = by_index(a->panel, b->panel), series = by_index(a->series, b->series);

    return panel ? panel : series ? series : by_index(a->run, b->run);
}

/* By line and plan: a metric as x may make a curve turn back. */
static int by_plan(const void *pa, const void *pb)
{
    const struct am_figure_pick *const a = pa, *const b = pb;
    const int order = by_line(a, b);

    return order ? order : by_index(a->ordinal, b->ordinal);
}

static int by_place(const void *pa, const void *pb)
{
    const struct am_figure_pick *const a = pa, *const b = pb;
    int order = by_line(a, b);

    if (order == 0)
        order = by_number(a->x, b->x);
    return order ? order : by_index(a->ordinal, b->ordinal);
}

/* ---- the best at each place ---- */

/* By the metric that chooses; a point without it is worse than any that has it. */
static bool is_better(const struct am_figure_pick *a, const struct am_figure_pick *b,
                      const char *by)
{
    const struct am_result_metric *const ma = by ? am_result_metric(a->result, by) : a->metric;
    const struct am_result_metric *const mb = by ? am_result_metric(b->result, by) : b->metric;

    if (!ma || !mb)
        return ma && !mb;
    return ma->better == AM_HIGHER ? ma->summary.median > mb->summary.median
                                   : ma->summary.median < mb->summary.median;
}

static bool share_line(const struct am_figure_pick *a, const struct am_figure_pick *b)
{
    return a->panel == b->panel && a->series == b->series && a->run == b->run;
}

/* Of picks sorted by their place those that are better than all others there. */
static void keep_best(struct am_figure_picks *p, const char *by)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        const struct am_figure_pick pick = p->items[i];
        struct am_figure_pick *const last = n ? &p->items[n - 1] : NULL;

        if (!isfinite(pick.x))
            continue;
        if (!last || !share_line(last, &pick) || last->x < pick.x)
            p->items[n++] = pick;
        else if (is_better(&pick, last, by))
            *last = pick;
    }
    p->n = n;
}

/* ---- the whole ---- */

/* A number beside a bar says what it is ("threads 4"); at an axis its title does. */
static enum am_label_style name_columns(const struct am_figure_picks *p,
                                        const struct am_figure_row *row)
{
    return row->kind == AM_FIGURE_BARS && p->x_kind != AM_AXIS_NAME ? AM_LABEL_NAMED : AM_LABEL_ALL;
}

enum am_status am_figure_picks_select(const struct am_figure_source *source,
                                      const struct am_figure_row *row, struct am_figure_picks *out,
                                      struct am_err *err)
{
    enum am_status status;
    size_t n = 0;

    *out = (struct am_figure_picks){0};
    status = select_results(source, row, out, err);
    if (status != AM_OK || out->n == 0)
        return status;
    find_x(row, out);
    choose_keys(source, row, out);
    for (size_t i = 0; i < out->n; i++) {
        if (place(out, row, &out->items[i]))
            out->items[n++] = out->items[i];
    }
    out->n = n;
    if (!sort_keys(out, row, source->arena) || !am_keys_label(&out->panels, AM_LABEL_NAMED) ||
        !am_keys_label(&out->series,
                       row->kind == AM_FIGURE_HEAT ? AM_LABEL_BARE : AM_LABEL_NAMED) ||
        !am_keys_label(&out->columns, name_columns(out, row)))
        return no_memory(row, err);
    if (out->n && row->kind != AM_FIGURE_TABLE) /* which keeps the order of the plan */
        qsort(out->items, out->n, sizeof(*out->items), out->x_is_metric ? by_plan : by_place);
    if (row->best)
        keep_best(out, row->by);
    return AM_OK;
}

/* ---- words ---- */

const char *am_figure_picks_constants(const struct am_figure_picks *p, struct am_arena *arena)
{
    char text[TITLE_BYTES];
    const char *copy;

    am_points_constants(&p->points, text, sizeof(text));
    copy = am_arena_strdup(arena, text);
    return copy ? copy : "";
}

const struct am_figure_source *am_figure_pick_source(const struct am_figure_pick *pick,
                                                     const struct am_figure_source *source)
{
    for (size_t i = 0; i < pick->run && source->next; i++)
        source = source->next;
    return source;
}

/* What the comparison says of this point; NULL: nothing. */
static const struct am_comparison_row *verdict_on(const struct am_figure_pick *pick,
                                                  const struct am_figure_source *source)
{
    const struct am_comparison *const c = am_figure_pick_source(pick, source)->comparison;

    for (size_t i = 0; pick->run && c && i < c->n; i++) {
        if (c->rows[i].b == pick->result && c->rows[i].metric_b == pick->metric)
            return &c->rows[i];
    }
    return NULL;
}

const char *am_figure_pick_title(const struct am_figure_picks *p, const struct am_figure_pick *pick,
                                 const struct am_figure_source *source)
{
    const struct am_summary *const s = &pick->metric->summary;
    const struct am_figure_source *const of = am_figure_pick_source(pick, source);
    const struct am_comparison_row *const row = verdict_on(pick, source);
    char median[AM_UNITS_MAX], lo[AM_UNITS_MAX], hi[AM_UNITS_MAX], label[TITLE_BYTES];
    struct am_text text;
    const char *title;

    am_points_label(&p->points, pick->result, label, sizeof(label));
    am_units_known(s->median, am_evidence_bound(&s->ci, pick->metric->unit), pick->metric->unit,
                   median, sizeof(median));
    am_units_value(s->ci.lo, pick->metric->unit, lo, sizeof(lo));
    am_units_value(s->ci.hi, pick->metric->unit, hi, sizeof(hi));
    am_text_init(&text, (size_t)2 * TITLE_BYTES);
    if (p->runs > 1 && of->name)
        am_text_addf(&text, "%s%s", of->name, *label ? " " : ": ");
    am_text_addf(&text, "%s%s%s", label, *label ? ": " : "", median);
    if (s->launches > 1)
        am_text_addf(&text, " (%s to %s, %zu launches)", lo, hi, s->launches);
    if (row)
        am_text_addf(&text, "; %s, %.3g x the speed", am_verdict_name(row->verdict), row->speedup);
    title = am_arena_strdup(source->arena, am_text_str(&text));
    am_text_fini(&text);
    return title ? title : "";
}

const char *am_figure_picks_verdicts(const struct am_figure_picks *p,
                                     const struct am_figure_source *source)
{
    size_t count[AM_VERDICT_COUNT] = {0}, all = 0;
    struct am_text text;
    const char *copy;

    for (size_t i = 0; i < p->n; i++) {
        const struct am_comparison_row *const row = verdict_on(&p->items[i], source);

        count[row ? row->verdict : 0] += row != NULL;
        all += row != NULL;
    }
    if (all == 0)
        return NULL;
    am_text_init(&text, TITLE_BYTES);
    am_text_addf(&text, "%s against %s:", source->next->next ? "The others" : source->next->name,
                 source->name);
    for (unsigned v = 0, told = 0; v < AM_VERDICT_COUNT; v++) {
        if (count[v])
            am_text_addf(&text, "%s %zu %s", told++ ? "," : "", count[v],
                         am_verdict_name((enum am_verdict)v));
    }
    copy = am_arena_strdup(source->arena, am_text_str(&text));
    am_text_fini(&text);
    return copy;
}

/* ---- benches that no table names ---- */

/* How many different values an axis has, and the largest over the smallest. */
static size_t distinct(const struct am_picks *picks, const char *axis, double *ratio)
{
    struct am_keys keys = {.arena = picks->arena};
    double lo = INFINITY, hi = -INFINITY;

    am_keys_use(&keys, axis);
    for (size_t i = 0; i < picks->n; i++) {
        const double x = am_result_number(picks->items[i].result, axis);

        (void)am_keys_index(&keys, picks->items[i].result);
        lo = fmin(lo, x);
        hi = fmax(hi, x);
    }
    *ratio = lo > 0 ? hi / lo : 0;
    return keys.n;
}

/* The first row of any family that shows this bench; NULL: no family knows it. */
static const struct am_figure_row *row_of(const char *bench)
{
    for (size_t i = 0; am_families[i]; i++) {
        for (const struct am_figure_row *r = am_families[i]->figures; r && r->name; r++) {
            if (r->bench && strcmp(r->bench, bench) == 0)
                return r;
        }
    }
    return NULL;
}

void am_figure_generic(const struct am_figure_source *source, const char *bench,
                       struct am_figure_row *row)
{
    const struct am_figure_row *const known = row_of(bench);
    const struct am_selector from = {.bench = bench};
    const struct am_picks picks = am_select(source->set, &from, source->arena);
    const struct am_result *const shape = picks.n ? picks.items[0].result : NULL;
    size_t most = 2;

    *row = (struct am_figure_row){
        .name = am_arena_printf(source->arena, "generic-%s", bench),
        .section = known ? known->section : "Other benches",
        .title = am_label_cut(source->arena, bench, TITLE_CHARS),
        .caption = picks.n > TABLE_FEW ? "No axis has numbers to draw a curve over."
                                       : "Measured at so few points that a table says it best.",
        .bench = bench,
        .kind = AM_FIGURE_TABLE,
    };
    for (size_t a = 0; shape && a < shape->n_params; a++) {
        const struct am_result_param *const axis = &shape->params[a];
        double ratio;
        const size_t n = distinct(&picks, axis->name, &ratio);

        if (axis->kind == AM_AXIS_NAME && n > 1 && !row->series)
            row->series = axis->name;
        if (axis->kind == AM_AXIS_NAME || n <= most)
            continue;
        most = n;
        row->x = axis->name;
        row->kind = AM_FIGURE_LINES;
        row->caption = "Over the axis that has the most values.";
        row->xscale = ratio >= 16 ? AM_SCALE_LOG2 : AM_SCALE_LINEAR;
    }
}
