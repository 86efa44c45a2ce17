/* SPDX-License-Identifier: MIT */
/* Results as tables for people: text on a terminal, Markdown, LaTeX. */
#include "report/results.h"

#include "base/text.h"
#include "report/charts.h"
#include "report/graph.h"
#include "report/grid.h"
#include "report/nodes.h"
#include "report/points_grid.h"
#include "report/steady.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

/* What is dropped first on a narrow terminal has the highest rank. */
enum rank {
    RANK_KEEP,
    RANK_SPREAD,
    RANK_NOTES,
    RANK_OTHER,
    RANK_OTHER_SPREAD,
    RANK_EDGE,
    RANK_COUNT,
    RANK_BAR
};

enum { LINE_MAX_BYTES = 1024, TABLE_INDENT = 2, BAR_COLUMNS = 12 };

/* The consecutive results of one bench. */
struct group {
    const struct am_result *first;
    size_t n;
    const struct am_result *shape; /* the first that has metrics, else the first */
    struct am_points points;
    double most; /* highest median of the primary metric: a full bar; 0: no bars */
};

/* What the footer has to explain. */
struct seen {
    double worst_coverage; /* of the intervals shown */
    size_t hidden;         /* columns left out */
    bool spread, disturbed, bimodal, max_launches, out_of_reach, negative;
};

static bool is_ok(const struct am_result *r)
{
    return r->state == AM_POINT_OK;
}

static size_t count_ok(const struct group *g)
{
    size_t n = 0;

    for (size_t i = 0; i < g->n; i++)
        n += is_ok(&g->first[i]);
    return n;
}

static const struct am_result_metric *metric_of(const struct am_result *r, const char *name)
{
    for (size_t i = 0; i < r->n_metrics; i++) {
        if (strcmp(r->metrics[i].name, name) == 0)
            return &r->metrics[i];
    }
    return NULL;
}

/* ---- one table ---- */

static const char *plus_minus(const struct am_style *style)
{
    return style->format == AM_FORMAT_TABLE && !style->utf8 ? "+/-" : "±";
}

/* The metrics of one table: the bench's own, or what was measured beside time ("energy:package",
 * "count:PAPI_L2_TCM"), which would make the first too wide. */
struct part {
    size_t metrics[AM_METRICS_MAX]; /* indices into the shape's */
    size_t n;
    const char *scope; /* heading, with the names before the colon as columns; NULL: whole names */
    bool own;
};

/* "package" of "energy:package"; NULL for the bench's own. */
static const char *scope_of(const struct am_result_metric *m)
{
    const char *const colon = strchr(m->name, ':');

    return colon ? colon + 1 : NULL;
}

/* A scope of its own table has several metrics; others stand together in one. */
static bool shares_scope(const struct am_result *shape, size_t i)
{
    const char *const scope = scope_of(&shape->metrics[i]);

    for (size_t k = 0; scope && k < shape->n_metrics; k++) {
        const char *const other = scope_of(&shape->metrics[k]);

        if (k != i && other && strcmp(scope, other) == 0)
            return true;
    }
    return false;
}

static bool has_values(const struct group *g, const char *name)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct am_result_metric *const m = metric_of(&g->first[i], name);

        for (size_t k = 0; m && k < m->series.n; k++) {
            if (m->series.launches[k].n)
                return true;
        }
    }
    return false;
}

static void take(struct part *p, const struct group *g, size_t i, bool always)
{
    if (p->n < AM_METRICS_MAX && (always || has_values(g, g->shape->metrics[i].name)))
        p->metrics[p->n++] = i;
}

/* The primary metric has its column even where nothing was measured. */
static struct part own_part(const struct group *g)
{
    struct part p = {.own = true};

    for (size_t i = 0; i < g->shape->n_metrics; i++) {
        if (i == 0 || !scope_of(&g->shape->metrics[i]))
            take(&p, g, i, i == 0);
    }
    return p;
}

/* Of the metrics beside time: those of one scope, or (NULL) those that share theirs with none. */
static struct part beside_part(const struct group *g, const char *scope)
{
    struct part p = {.scope = scope};

    for (size_t i = 1; i < g->shape->n_metrics; i++) {
        const char *const of = scope_of(&g->shape->metrics[i]);
        const bool shared = shares_scope(g->shape, i);

        if (of && (scope ? shared && strcmp(of, scope) == 0 : !shared))
            take(&p, g, i, false);
    }
    return p;
}

static void add_name(struct am_grid *grid, const struct part *p, const struct am_result_metric *m,
                     bool primary)
{
    const int len = p->scope ? (int)strcspn(m->name, ":") : (int)strlen(m->name);
    char name[AM_UNITS_MAX];

    (void)am_str_format(name, sizeof(name), "%.*s", len, m->name);
    am_grid_column(grid, name, AM_ALIGN_RIGHT, primary ? RANK_KEEP : RANK_OTHER);
}

static void add_columns(struct am_grid *grid, const struct group *g, const struct part *p,
                        const struct am_style *style)
{
    am_points_columns(&g->points, grid);
    for (size_t i = 0; i < p->n; i++) {
        const struct am_result_metric *const m = &g->shape->metrics[p->metrics[i]];

        add_name(grid, p, m, i == 0);
        am_grid_column(grid, plus_minus(style), AM_ALIGN_RIGHT,
                       i ? RANK_OTHER_SPREAD : RANK_SPREAD);
        if (i == 0 && p->own)
            am_grid_column(grid, m->better == AM_LOWER ? "min" : "max", AM_ALIGN_RIGHT, RANK_EDGE);
        if (i == 0 && p->own && g->most > 0)
            am_grid_column(grid, "", AM_ALIGN_LEFT, RANK_BAR);
    }
    if (!p->own)
        return;
    am_grid_column(grid, "count", AM_ALIGN_RIGHT, RANK_COUNT);
    am_grid_column(grid, "notes", AM_ALIGN_LEFT, RANK_NOTES);
}

/* Half a width tells a lie where one side is several times the other. */
static const double lopsided_from = 0.05, lopsided_by = 3;

static bool is_lopsided(const struct am_summary *s)
{
    const double below = s->median - s->ci.lo, above = s->ci.hi - s->median;

    return below > lopsided_by * above || above > lopsided_by * below;
}

static void add_spread(struct am_grid *grid, const struct am_summary *s, struct seen *seen)
{
    const double precision = s->launches > 1 ? am_summary_precision(s) : INFINITY;
    char text[AM_UNITS_MAX];

    if (isfinite(precision) && precision > lopsided_from && is_lopsided(s))
        (void)am_str_format(text, sizeof(text), "-%.0f/+%.0f %%",
                            100 * (s->median - s->ci.lo) / fabs(s->median),
                            100 * (s->ci.hi - s->median) / fabs(s->median));
    else
        am_units_share(precision, text, sizeof(text));
    am_grid_cell(grid, text);
    if (!isfinite(precision))
        return;
    seen->spread = true;
    if (s->ci.coverage < seen->worst_coverage)
        seen->worst_coverage = s->ci.coverage;
}

static void add_metric(struct am_grid *grid, const struct am_result_metric *m,
                       const struct am_summary *s, bool primary, struct seen *seen)
{
    char text[AM_UNITS_MAX];

    am_units_value(s->median, m->unit, text, sizeof(text));
    am_grid_paint(grid, text, primary ? AM_PAINT_STRONG : AM_PAINT_NONE);
    add_spread(grid, s, seen);
    if (!primary)
        return;
    am_units_value(m->better == AM_LOWER ? s->min : s->max, m->unit, text, sizeof(text));
    am_grid_cell(grid, text);
}

static void add_note(char *notes, size_t cap, const char *note)
{
    const size_t used = strlen(notes);

    (void)am_str_format(notes + used, cap - used, "%s%s", used ? ", " : "", note);
}

/* Samples of every launch, used in the summary or not. */
static size_t samples_taken(const struct am_series *series)
{
    size_t n = 0;

    for (size_t i = 0; i < series->n; i++)
        n += series->launches[i].n;
    return n;
}

static void add_notes(struct am_grid *grid, const struct am_result *r, const struct am_summary *s,
                      struct seen *seen)
{
    char notes[LINE_MAX_BYTES] = "", note[AM_UNITS_MAX];

    if (s->median < 0)
        add_note(notes, sizeof(notes), "negative");
    if (s->bimodal)
        add_note(notes, sizeof(notes), "two modes");
    if (s->disturbed) {
        (void)am_str_format(note, sizeof(note), "%zu of %zu disturbed", s->disturbed,
                            samples_taken(&r->metrics[0].series));
        add_note(notes, sizeof(notes), note);
    }
    if (r->failures) {
        (void)am_str_format(note, sizeof(note), "%zu launch%s failed", r->failures,
                            r->failures == 1 ? "" : "es");
        add_note(notes, sizeof(notes), note);
    }
    if (r->stop_reason == AM_STOP_OPEN)
        add_note(notes, sizeof(notes), "unfinished");
    else if (r->stop_reason != AM_STOP_TARGET)
        add_note(notes, sizeof(notes), am_stop_reasons[r->stop_reason]);
    seen->out_of_reach |= r->stop_reason == AM_STOP_OUT_OF_REACH;
    seen->max_launches |= r->stop_reason == AM_STOP_MAX_LAUNCHES;
    seen->negative |= s->median < 0;
    seen->bimodal |= s->bimodal;
    seen->disturbed |= s->disturbed > 0;
    am_grid_cell(grid, notes);
}

static void add_bar(struct am_grid *grid, const struct group *g, double median,
                    const struct am_style *style)
{
    char bar[AM_GRAPH_MAX];

    am_graph_bar(median / g->most, BAR_COLUMNS, style->utf8, bar, sizeof(bar));
    am_grid_cell(grid, bar);
}

static void find_most(struct group *g)
{
    for (size_t i = 0; i < g->n; i++) {
        struct am_summary s;

        if (is_ok(&g->first[i]) && g->first[i].n_metrics > 0 &&
            am_summarise(&g->first[i].metrics[0].series, &s) && s.median > g->most)
            g->most = s.median;
    }
}

static void add_row(struct am_grid *grid, const struct group *g, const struct part *p,
                    const struct am_result *r, const struct am_style *style, struct seen *seen)
{
    struct am_summary primary = {0};

    am_grid_row(grid);
    am_points_cells(&g->points, r, grid);
    for (size_t i = 0; i < p->n; i++) {
        const struct am_result_metric *const shape = &g->shape->metrics[p->metrics[i]];
        const struct am_result_metric *m = metric_of(r, shape->name);
        struct am_summary s;

        if (!m || !am_summarise(&m->series, &s))
            s = (struct am_summary){.median = NAN, .min = NAN, .max = NAN};
        if (i == 0)
            primary = s;
        add_metric(grid, m ? m : shape, &s, i == 0 && p->own, seen);
        if (i == 0 && p->own && g->most > 0)
            add_bar(grid, g, s.median, style);
    }
    if (!p->own)
        return;
    am_grid_cellf(grid, "%zu/%zu", primary.launches, primary.samples);
    add_notes(grid, r, &primary, seen);
}

/* ---- points without values ---- */

static bool same_reason(const struct am_result *a, const struct am_result *b)
{
    const char *ra = a->reason ? a->reason : "", *rb = b->reason ? b->reason : "";

    return a->state == b->state && strcmp(ra, rb) == 0;
}

/* Points that share state and reason are told in one line, at the first of them. */
static void tell_others(const struct group *g, const struct am_style *style, FILE *out)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct am_result *r = &g->first[i];
        char line[LINE_MAX_BYTES], label[AM_UNITS_MAX], more[AM_UNITS_MAX] = "";
        size_t k = 0, others = 0;

        if (is_ok(r))
            continue;
        while (k < i && !same_reason(r, &g->first[k]))
            k++;
        if (k < i)
            continue;
        for (k = i + 1; k < g->n; k++)
            others += same_reason(r, &g->first[k]);
        if (others)
            (void)am_str_format(more, sizeof(more), " and %zu more", others);
        (void)am_str_format(label, sizeof(label), "  %s: ", am_point_states[r->state]);
        (void)am_str_format(line, sizeof(line), "%s%s%s%s", r->text, more, r->reason ? ": " : "",
                            r->reason ? r->reason : "");
        am_style_note(style, out, label, line);
    }
}

static void write_part(const struct group *g, const struct part *p, const struct am_style *style,
                       struct am_arena *arena, struct seen *seen, FILE *out)
{
    struct am_grid grid;

    am_grid_init(&grid, arena);
    add_columns(&grid, g, p, style);
    for (size_t i = 0; i < g->n; i++) {
        if (is_ok(&g->first[i]))
            add_row(&grid, g, p, &g->first[i], style, seen);
    }
    seen->hidden += am_grid_write(&grid, style, TABLE_INDENT, out);
}

/* What was measured beside time, below the bench's own table. */
static void write_beside(const struct group *g, const struct am_style *style,
                         struct am_arena *arena, struct seen *seen, FILE *out)
{
    const struct part rest = beside_part(g, NULL);

    for (size_t i = 1; i < g->shape->n_metrics; i++) {
        const char *const scope = scope_of(&g->shape->metrics[i]);
        const struct part p = beside_part(g, scope ? scope : "");

        if (!scope || p.n == 0 || p.metrics[0] != i)
            continue; /* a scope is written at the first of its metrics */
        (void)fputc('\n', out);
        am_style_heading(style, out, g->first->bench, scope);
        write_part(g, &p, style, arena, seen, out);
    }
    if (rest.n == 0)
        return;
    (void)fputc('\n', out);
    am_style_heading(style, out, g->first->bench, "beside time");
    write_part(g, &rest, style, arena, seen, out);
}

static void write_group(const struct group *g, const struct am_style *style, struct am_arena *arena,
                        struct seen *seen, FILE *out)
{
    const struct part own = own_part(g);
    char constants[LINE_MAX_BYTES];

    am_points_constants(&g->points, constants, sizeof(constants));
    (void)fputc('\n', out);
    am_style_heading(style, out, g->first->bench, constants);
    if (count_ok(g) > 0) {
        write_part(g, &own, style, arena, seen, out);
        write_beside(g, style, arena, seen, out);
    }
    if (style->graphs)
        am_charts_write(&g->points, g->first, g->n, style, arena, out);
    tell_others(g, style, out);
}

/* ---- the whole ---- */

static void write_run_line(const struct am_result_set *set, const struct am_style *style, FILE *out)
{
    const struct am_run_info *run = &set->run;
    char line[LINE_MAX_BYTES], rest[LINE_MAX_BYTES];

    am_report_machine_line(&set->machine, line, sizeof(line));
    am_style_heading(style, out, "machine", line);
    (void)am_str_format(rest, sizeof(rest), "%s%s%s%s  %s  %s profile, %zu launch%s, %s%s",
                        run->name ? run->name : "?", run->label ? " \"" : "",
                        run->label ? run->label : "", run->label ? "\"" : "",
                        run->started ? run->started : "?", am_profile_name(run->settings.profile),
                        set->launches, set->launches == 1 ? "" : "es", am_run_states[run->state],
                        run->synthetic ? ", synthetic (not this machine)" : "");
    am_style_heading(style, out, "run    ", rest);
}

static void write_findings(const struct am_findings *findings, const struct am_style *style,
                           FILE *out)
{
    static const char *const before[AM_FORMAT_COUNT] = {
        [AM_FORMAT_MD] = "- ", [AM_FORMAT_TEX] = "% ", [AM_FORMAT_TABLE] = ""};
    size_t unknown = 0;

    for (size_t i = 0; i < findings->n; i++) {
        const struct am_finding *f = &findings->items[i];
        const enum am_paint paint = f->level == AM_LEVEL_ERROR ? AM_PAINT_BAD : AM_PAINT_WARN;
        char line[LINE_MAX_BYTES];

        unknown += f->level == AM_LEVEL_UNKNOWN;
        if (f->level != AM_LEVEL_WARN && f->level != AM_LEVEL_ERROR)
            continue;
        (void)fprintf(out, "%s%s%-7s%s  ", before[style->format], am_style_on(style, paint),
                      am_level_name(f->level), am_style_off(style, paint));
        (void)am_str_format(line, sizeof(line), "%s: %s", f->id, f->value ? f->value : "");
        if (style->format == AM_FORMAT_TABLE) {
            am_style_flow(style, out, sizeof("unknown  ") - 1, line);
            continue;
        }
        am_style_put(style, out, line); /* a line of its own: in TeX it is a comment */
        (void)fputc('\n', out);
    }
    if (unknown && style->format == AM_FORMAT_TABLE)
        (void)fprintf(out, "unknown  %zu check%s could not look; see archmeter doctor\n", unknown,
                      unknown == 1 ? "" : "s");
}

static void write_footer(const struct seen *seen, const struct am_style *style, FILE *out)
{
    char label[AM_UNITS_MAX], line[LINE_MAX_BYTES];

    (void)fputc('\n', out);
    (void)am_str_format(label, sizeof(label), "%s: ", plus_minus(style));
    if (seen->spread)
        am_style_note(
            style, out, label,
            "half the 95 % confidence interval of the median of launch medians, relative to that "
            "median, or both sides of it where they differ; count: launches/samples used");
    if (seen->spread && seen->worst_coverage < 0.95) {
        (void)am_str_format(line, sizeof(line),
                            "where launches are few the interval is [min, max] and covers less: "
                            "%.1f %% at worst here",
                            seen->worst_coverage * 100);
        am_style_note(style, out, label, line);
    }
    if (seen->max_launches)
        am_style_note(
            style, out, "max-launches: ",
            "the interval was still wider than the target when the launches were used up.");
    if (seen->negative)
        am_style_note(style, out,
                      "negative: ", "less than its reference took; shown as it was measured.");
    if (seen->out_of_reach)
        am_style_note(style, out, "out-of-reach: ",
                      "the launches differ so much that several times the number allowed would not "
                      "bring the interval to the target.");
    if (seen->disturbed)
        am_style_note(style, out, "disturbed: ",
                      "samples during which something else ran or the clock changed; kept, "
                      "re-measured, and left out of a launch's median where it has others.");
    if (seen->bimodal)
        am_style_note(style, out,
                      "two modes: ", "the values form two groups; the median may name neither.");
    if (seen->hidden)
        am_style_note(
            style, out, "",
            "Columns were left out to fit the terminal; --format csv or json has all of them.");
}

static void write_steady(const struct am_result_set *set, const struct group *g,
                         const struct am_style *style, struct am_arena *arena, FILE *out)
{
    for (size_t i = 0; i < g->n; i++) {
        if (am_report_is_steady(&g->first[i]))
            am_report_steady(&g->first[i], set, style, arena, out);
    }
}

void am_report_results_text(const struct am_result_set *set, const struct am_style *style,
                            struct am_arena *arena, FILE *out)
{
    struct seen seen = {.worst_coverage = 1};
    size_t i = 0;

    write_run_line(set, style, out);
    if (set->nodes.n && style->format == AM_FORMAT_TABLE)
        am_report_nodes(&set->nodes, out);
    write_findings(&set->findings, style, out);
    while (i < set->n) {
        struct group g = {.first = &set->results[i], .shape = &set->results[i]};

        for (; i < set->n && am_points_together(g.first, &set->results[i]); i++) {
            if (g.shape->n_metrics == 0)
                g.shape = &set->results[i];
            am_points_add(&g.points, &set->results[i]);
            g.n++;
        }
        if (style->graphs && count_ok(&g) > 1)
            find_most(&g);
        write_group(&g, style, arena, &seen, out);
        write_steady(set, &g, style, arena, out);
    }
    if (set->n == 0)
        am_style_note(style, out, "", "no results");
    write_footer(&seen, style, out);
}
