/* SPDX-License-Identifier: MIT */
/* From a row of a table and a run to panels, or to the lines of a table. */
#include "document/figure/figure_make.h"

#include "base/text.h"
#include "document/figure/figure_data.h"
#include "document/figure/level.h"
#include "document/figure/range.h"
#include "document/figure/worth.h"
#include "document/units.h"
#include "evidence/evidence.h"
#include "family/plot.h"
#include "family/roles.h"
#include "family/tiers.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BARS_MAX = 48, HEAT_MAX = 128, METRICS_SHOWN = 6, SMALL_FROM = 6, LABELS_MAX = 8 };

/* Names that are wider do not stand at the ends of lines; in user units of a plot, of its font. */
static const double label_width = 105, label_font = 12;

/* Everything that building one figure needs. */
struct making {
    const struct am_figure_source *source;
    const struct am_figure_row *row;
    struct am_figure_picks picks;
    size_t panels, series; /* that are drawn */
    size_t series_lost, panels_lost, names_lost;
    size_t thin;        /* panels without a curve */
    const char *remark; /* of lines that a family computes */
};

static void *take(struct making *m, size_t n, size_t size)
{
    return am_arena_array(m->source->arena, n ? n : 1, size);
}

/* ---- lines and bars ---- */

static void set_axes(const struct making *m, struct am_plot *plot)
{
    const struct am_figure_row *const row = m->row;
    const struct am_figure_picks *const p = &m->picks;
    const struct am_result_metric *const metric = p->items[0].metric;
    const char *const x_name = row->x ? row->x + (row->x[0] == '@') : "";

    plot->x = (struct am_plot_axis){.title = row->x_title ? row->x_title : x_name,
                                    .unit = p->x_unit,
                                    .binary = p->x_kind == AM_AXIS_SIZE,
                                    .whole = p->x_kind == AM_AXIS_INT,
                                    .scale = row->xscale};
    if (p->x_kind == AM_AXIS_NAME || row->kind == AM_FIGURE_BARS) {
        plot->x.scale = AM_SCALE_NAMES;
        plot->x.names = p->columns.labels;
        plot->x.n_names = p->columns.n < BARS_MAX ? p->columns.n : BARS_MAX;
    }
    plot->y = (struct am_plot_axis){.title = row->y_title ? row->y_title : metric->name,
                                    .unit = metric->unit,
                                    .scale = row->yscale};
}

static bool is_drawn(const struct making *m, const struct am_plot *plot,
                     const struct am_figure_pick *pick)
{
    return pick->panel < m->panels && pick->series < m->series &&
           (plot->x.scale != AM_SCALE_NAMES || pick->column < BARS_MAX);
}

/* The caches as the system states them, in working sets of the panel's threads. */
static void set_rules(struct making *m, size_t panel, struct am_plot *plot)
{
    const struct am_result *result = NULL;
    struct am_plot_rule *const rules = take(m, AM_TIER_MEMORY, sizeof(*rules));

    for (size_t i = 0; i < m->picks.n && !result; i++)
        result = m->picks.items[i].panel == panel ? m->picks.items[i].result : NULL;
    for (enum am_tier t = AM_TIER_L1D; rules && result && t < AM_TIER_MEMORY; t++) {
        const double bytes = am_tier_stated(&m->source->set->machine, t);
        char size[AM_UNITS_MAX];

        am_units_fact(bytes, "B", size, sizeof(size));
        rules[plot->n_rules] = (struct am_plot_rule){
            .at = am_tier_set(t, bytes, am_result_threads(result)),
            .label = am_tier_title(t),
            .title = am_arena_printf(m->source->arena, "%s: %s as stated", am_tier_title(t), size),
        };
        plot->n_rules += bytes > 0;
    }
    plot->rules = rules;
}

/* The marks of one panel, series after series; the picks are sorted so. */
static enum am_status fill_panel(struct making *m, size_t panel, struct am_plot *plot,
                                 struct am_err *err)
{
    struct am_figure_picks *const p = &m->picks;
    struct am_plot_series *const series = take(m, m->series * p->runs, sizeof(*series));
    struct am_plot_mark *const marks = take(m, p->n, sizeof(*marks));
    size_t used = 0;

    if (!series || !marks)
        return am_fail(err, AM_E_NOMEM, "no memory for the figure %s", m->row->name);
    for (size_t i = 0; i < p->n; i++) {
        const struct am_figure_pick *const pick = &p->items[i];
        const bool names = plot->x.scale == AM_SCALE_NAMES;
        const double bound = am_evidence_bound(&pick->metric->summary.ci, pick->metric->unit);
        struct am_plot_series *s = plot->n ? &series[plot->n - 1] : NULL;

        if (pick->panel != panel || !is_drawn(m, plot, pick))
            continue;
        if (!s || s->color != pick->series || s->run != pick->run) {
            s = &series[plot->n++];
            *s = (struct am_plot_series){.label = p->series.labels[pick->series],
                                         .color = (unsigned)pick->series,
                                         .run = (unsigned)pick->run,
                                         .dashed = pick->series >= AM_FIGURE_COLORS,
                                         .unjoined = names,
                                         .steps = m->row->steps,
                                         .marks = &marks[used]};
        }
        marks[used++] = (struct am_plot_mark){
            .x = names ? (double)pick->column : pick->x,
            .y = isfinite(bound) ? bound : pick->metric->summary.median,
            .bounded = isfinite(bound),
            .lo = pick->metric->summary.ci.lo,
            .hi = pick->metric->summary.ci.hi,
            .title = am_figure_pick_title(p, pick, m->source),
        };
        s->n++;
    }
    plot->series = series;
    return AM_OK;
}

static bool can_label(const struct am_plot *plot)
{
    bool fit = plot->n <= LABELS_MAX && plot->x.scale != AM_SCALE_NAMES;

    for (size_t i = 0; fit && i < plot->n; i++)
        fit = am_label_width(plot->series[i].label, label_font) <= label_width;
    return fit;
}

/* Names at the ends when they fit in every panel, else one legend. */
static void set_legend(struct making *m, struct am_figure *f)
{
    struct am_plot_series *const all = take(m, m->series, sizeof(*all));
    bool fit = m->row->kind == AM_FIGURE_LINES && m->picks.runs < 2;

    if (m->picks.series.n < 2 || !all)
        return;
    for (size_t i = 0; i < f->n_panels; i++)
        fit = fit && can_label(&f->panels[i].plot);
    for (size_t i = 0; i < f->n_panels; i++)
        f->panels[i].plot.labels = fit;
    if (fit)
        return;
    for (size_t i = 0; i < m->series; i++)
        all[i] = (struct am_plot_series){.label = m->picks.series.labels[i],
                                         .color = (unsigned)i,
                                         .dashed = i >= AM_FIGURE_COLORS};
    f->legend = all;
    f->n_legend = m->series;
}

static void share_ranges(struct making *m, struct am_figure *f)
{
    struct am_plot **const plots = take(m, f->n_panels, sizeof(*plots));

    if (!plots || m->row->own_y) /* a panel that is drawn without a range takes its own */
        return;
    for (size_t i = 0; i < f->n_panels; i++)
        plots[i] = &f->panels[i].plot;
    am_plot_share(plots, f->n_panels);
}

static const char *panel_title(const struct making *m, size_t panel)
{
    const char *const title = m->picks.panels.labels[panel];

    return *title ? title : NULL;
}

static enum am_status make_plots(struct making *m, struct am_figure *f, struct am_err *err)
{
    struct am_figure_picks *const p = &m->picks;
    enum am_status status = AM_OK;

    for (size_t i = 0; i < f->n_panels && status == AM_OK; i++) {
        struct am_plot *const plot = &f->panels[i].plot;

        set_axes(m, plot);
        plot->title = panel_title(m, i);
        if (m->row->levels && m->row->kind == AM_FIGURE_LINES)
            set_rules(m, i, plot);
        status = fill_panel(m, i, plot, err);
        am_figure_add_levels(m->source, m->row, p, i, plot);
    }
    f->small = f->n_panels > SMALL_FROM && m->row->kind == AM_FIGURE_LINES;
    if (p->columns.n > BARS_MAX && f->panels[0].plot.x.scale == AM_SCALE_NAMES)
        m->names_lost = p->columns.n - BARS_MAX;
    share_ranges(m, f);
    set_legend(m, f);
    return status;
}

/* ---- heat maps ---- */

/* The cells of one panel and run. */
static bool fill_map(struct making *m, size_t panel, size_t run, struct am_plot_heat *h)
{
    const struct am_figure_picks *const p = &m->picks;
    double *const values = take(m, h->rows * h->columns, sizeof(*values));
    const char **const titles = take(m, h->rows * h->columns, sizeof(*titles));

    if (!values || !titles)
        return false;
    for (size_t k = 0; k < h->rows * h->columns; k++)
        values[k] = NAN;
    for (size_t k = 0; k < p->n; k++) {
        const struct am_figure_pick *const pick = &p->items[k];
        const size_t cell = pick->series * h->columns + pick->column;

        if (pick->panel != panel || pick->run != run || pick->series >= h->rows ||
            pick->column >= h->columns)
            continue;
        values[cell] = pick->metric->summary.median;
        titles[cell] = am_figure_pick_title(p, pick, m->source);
    }
    h->values = values;
    h->titles = titles;
    return true;
}

/* Of several runs each has its panel. */
static const char *map_title(const struct making *m, size_t panel, size_t run)
{
    const struct am_figure_pick pick = {.run = run};
    const char *const title = panel_title(m, panel);
    const char *const name = am_figure_pick_source(&pick, m->source)->name;

    if (m->picks.runs < 2)
        return title;
    return am_arena_printf(m->source->arena, "%s%s%s", title ? title : "", title ? ", " : "",
                           name ? name : "");
}

/* Runs that are looked at together have one scale of colours. */
static void share_colours(const struct making *m, struct am_plot_heat *h)
{
    h->lo = INFINITY;
    h->hi = -INFINITY;
    for (size_t i = 0; i < m->picks.n; i++) {
        h->lo = fmin(h->lo, m->picks.items[i].metric->summary.median);
        h->hi = fmax(h->hi, m->picks.items[i].metric->summary.median);
    }
}

static enum am_status make_heats(struct making *m, struct am_figure *f, struct am_err *err)
{
    struct am_figure_picks *const p = &m->picks;
    const size_t rows = p->series.n < HEAT_MAX ? p->series.n : HEAT_MAX;
    const size_t columns = p->columns.n < HEAT_MAX ? p->columns.n : HEAT_MAX;

    m->series_lost = p->series.n - rows;
    m->names_lost = p->columns.n - columns;
    for (size_t i = 0; i < f->n_panels; i++) {
        struct am_plot_heat *const h = &f->panels[i].heat;

        *h = (struct am_plot_heat){
            .title = map_title(m, i / p->runs, i % p->runs),
            .row_title = m->row->y_title  ? m->row->y_title
                         : m->row->series ? m->row->series
                                          : "",
            .column_title = m->row->x_title ? m->row->x_title
                            : m->row->x     ? m->row->x
                                            : "",
            .row_names = p->series.labels,
            .column_names = p->columns.labels,
            .rows = rows,
            .columns = columns,
            .unit = p->items[0].metric->unit,
            .log = m->row->yscale != AM_SCALE_LINEAR,
        };
        if (p->runs > 1)
            share_colours(m, h);
        if (!fill_map(m, i / p->runs, i % p->runs, h))
            return am_fail(err, AM_E_NOMEM, "no memory for the figure %s", m->row->name);
    }
    return AM_OK;
}

/* ---- tables ---- */

static enum am_status make_columns(struct making *m, struct am_figure *f, struct am_err *err)
{
    const struct am_figure_picks *const p = &m->picks;
    const size_t metrics =
        p->points.first->n_metrics < METRICS_SHOWN ? p->points.first->n_metrics : METRICS_SHOWN;

    f->columns = take(m, AM_AXES_MAX + METRICS_SHOWN + 2, sizeof(*f->columns));
    if (!f->columns)
        return am_fail(err, AM_E_NOMEM, "no memory for the table %s", m->row->name);
    for (size_t a = 0; a < p->points.first->n_params && a < AM_AXES_MAX; a++) {
        if (p->points.vary[a] || p->n == 1)
            f->columns[f->n_columns++] = p->points.first->params[a].name;
    }
    if (p->runs > 1)
        f->columns[f->n_columns++] = "run";
    for (size_t i = 0; i < metrics; i++)
        f->columns[f->n_columns++] = p->points.first->metrics[i].name;
    f->columns[f->n_columns++] = "launches";
    return AM_OK;
}

static void put_cell(struct am_figure_cells *line, size_t *at, const char *text, double value,
                     struct am_arena *arena)
{
    const char *const copy = am_arena_strdup(arena, text);

    line->value[*at] = value;
    line->text[(*at)++] = copy ? copy : "";
}

/* "40.1 GB/s ±3 %": each metric has its own interval. */
static void quantity(const struct am_result_metric *metric, char *buf, size_t cap)
{
    const double precision = metric ? am_summary_precision(&metric->summary) : NAN;
    const double bound = metric ? am_evidence_bound(&metric->summary.ci, metric->unit) : NAN;
    char share[AM_UNITS_MAX];
    size_t used;

    am_units_known(metric ? metric->summary.median : NAN, bound, metric ? metric->unit : "", buf,
                   cap);
    used = strlen(buf);
    if (!isfinite(precision) || isfinite(bound))
        return;
    am_units_share(precision, share, sizeof(share));
    (void)am_str_format(buf + used, cap - used, " ±%s", share);
}

static const char *name_of_run(const struct making *m, const struct am_figure_pick *pick)
{
    const char *const name = am_figure_pick_source(pick, m->source)->name;

    return name ? name : "";
}

static void fill_line(struct making *m, const struct am_figure *f,
                      const struct am_figure_pick *pick, struct am_figure_cells *line)
{
    const struct am_figure_picks *const p = &m->picks;
    const struct am_summary *const s = &pick->metric->summary;
    struct am_arena *const arena = m->source->arena;
    char text[256];
    size_t at = 0;

    for (size_t a = 0; a < pick->result->n_params && a < AM_AXES_MAX; a++) {
        const struct am_result_param *const param = &pick->result->params[a];

        if (!p->points.vary[a] && p->n != 1)
            continue;
        am_units_param(param->kind, param->text, text, sizeof(text));
        put_cell(line, &at, text, am_result_number(pick->result, param->name), arena);
    }
    if (p->runs > 1)
        put_cell(line, &at, name_of_run(m, pick), NAN, arena);
    for (size_t i = 0; at + 1 < f->n_columns && i < p->points.first->n_metrics; i++) {
        const struct am_result_metric *const metric =
            am_result_metric(pick->result, p->points.first->metrics[i].name);

        quantity(metric, text, sizeof(text));
        put_cell(line, &at, text, metric ? metric->summary.median : NAN, arena);
    }
    while (at + 1 < f->n_columns) /* a file may lack parameters of a point */
        put_cell(line, &at, "", NAN, arena);
    (void)am_str_format(text, sizeof(text), "%zu", s->launches);
    put_cell(line, &at, text, (double)s->launches, arena);
}

static enum am_status make_table(struct making *m, struct am_figure *f, struct am_err *err)
{
    const size_t n = m->picks.n < AM_FIGURE_TABLE_MAX ? m->picks.n : AM_FIGURE_TABLE_MAX;
    enum am_status status = make_columns(m, f, err);

    f->lines = take(m, n, sizeof(*f->lines));
    for (size_t i = 0; status == AM_OK && i < n; i++) {
        struct am_figure_cells *const line = f->lines ? &f->lines[i] : NULL;

        if (!line || !(line->text = take(m, f->n_columns, sizeof(*line->text))) ||
            !(line->value = take(m, f->n_columns, sizeof(*line->value))))
            return am_fail(err, AM_E_NOMEM, "no memory for the table %s", m->row->name);
        fill_line(m, f, &m->picks.items[i], line);
        f->n_lines++;
    }
    m->names_lost = m->picks.n - n;
    return status;
}

/* ---- the whole ---- */

static size_t at_most(size_t n, size_t max, size_t *lost)
{
    *lost = n > max ? n - max : 0;
    return n > max ? max : n;
}

/* "Not drawn: 8 more series and 3 more panels; archmeter export has all." */
static const char *tell_omitted(const struct making *m)
{
    const struct {
        size_t lost;
        const char *what;
    } parts[] = {{m->series_lost, "series"},
                 {m->panels_lost, "panels"},
                 {m->thin, "panels with too few places"},
                 {m->names_lost, m->row->kind == AM_FIGURE_TABLE ? "lines" : "places on the axis"}};
    char text[256] = "";
    const char *sentence;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const size_t used = strlen(text);

        if (parts[i].lost)
            (void)am_str_format(text + used, sizeof(text) - used, "%s%zu more %s",
                                used ? " and " : "", parts[i].lost, parts[i].what);
    }
    if (!*text)
        return m->remark;
    sentence = am_arena_printf(m->source->arena, "%s%sNot drawn: %s; the tables have all.",
                               m->remark ? m->remark : "", m->remark ? " " : "", text);
    return sentence ? sentence : "Not all is shown.";
}

/* ---- several runs ---- */

static const char *name_runs(const struct am_figure_source *source)
{
    const char *const first = source->name ? source->name : "the first run";
    const char *const next = source->next && source->next->name ? source->next->name : "the others";
    const char *const text =
        am_arena_printf(source->arena, "Solid: %s; dotted, hollow or pale: %s%s.", first, next,
                        source->next && source->next->next ? " and those after it" : "");

    return text ? text : "Dotted, hollow or pale: a further run.";
}

/* ---- lines that a family computes ---- */

/* A curve, or two lines to compare. */
static bool is_worth(const struct am_plot *plot)
{
    return plot->n > 1 || (plot->n == 1 && plot->series[0].n >= AM_FIGURE_PLACES);
}

static size_t drop_thin(struct am_plots *plots, size_t *dropped)
{
    size_t n = 0;

    for (size_t i = 0; i < plots->n; i++) {
        if (is_worth(&plots->items[i]))
            plots->items[n++] = plots->items[i];
    }
    *dropped = plots->n - n;
    return plots->n = n;
}

/* The panels of a run; those of a further one go into the panels of the same title. False when it
 * has none. */
static bool add_run(struct making *m, const struct am_figure_source *source, unsigned run,
                    struct am_plots *all)
{
    struct am_plots own = {.arena = all->arena};

    if (!m->row->make(source, &own))
        return false;
    for (size_t i = 0; i < own.n; i++) {
        const char *const title = own.items[i].title ? own.items[i].title : "";
        size_t k = 0;

        while (k < all->n && strcmp(all->items[k].title ? all->items[k].title : "", title) != 0)
            k++;
        if ((run == 0 || k == all->n) && !am_plots_add(all, &own.items[i]))
            return false;
        k = run == 0 ? all->n - 1 : k;
        for (size_t j = 0; j < own.items[i].n; j++) {
            struct am_plot_series series = own.items[i].series[j];

            series.run = run;
            if (run)
                series.label = am_arena_printf(all->arena, "%s (run %u)", series.label, run + 1);
            am_plot_add(&all->items[k], all->arena, &series);
        }
    }
    if (run == 0)
        all->remark = own.remark;
    return own.n > 0;
}

/* Each panel has lines of its own, and so a legend of its own. */
static enum am_status make_computed(struct making *m, struct am_figure *f, bool *made,
                                    struct am_err *err)
{
    struct am_plots plots = {.arena = m->source->arena};
    unsigned run = 0;

    for (const struct am_figure_source *s = m->source; s; s = s->next, run++)
        f->runs = add_run(m, s, run, &plots) && run > 0 ? name_runs(m->source) : f->runs;
    *made = drop_thin(&plots, &m->thin) > 0;
    if (!*made)
        return AM_OK;
    f->n_panels = at_most(plots.n, AM_FIGURE_PANELS_MAX, &m->panels_lost);
    f->panels = take(m, f->n_panels, sizeof(*f->panels));
    if (!f->panels)
        return am_fail(err, AM_E_NOMEM, "no memory for the figure %s", m->row->name);
    for (size_t i = 0; i < f->n_panels; i++) {
        size_t lost;

        f->panels[i].plot = plots.items[i];
        f->panels[i].plot.n = at_most(plots.items[i].n, (size_t)AM_FIGURE_SERIES_MAX * run, &lost);
        m->series_lost += lost;
    }
    f->own_legends = true;
    m->remark = plots.remark;
    return AM_OK;
}

/* ---- a figure ---- */

typedef enum am_status make_fn(struct making *m, struct am_figure *f, struct am_err *err);

static enum am_status make_selected(struct making *m, struct am_figure *f, bool *made,
                                    struct am_err *err);

/* The same results in another row: what was selected by the first is forgotten. */
static enum am_status remake_as_bars(struct making *m, struct am_figure *f, bool *made,
                                     struct am_err *err)
{
    const struct am_figure_row *const bars = am_figure_as_bars(m->row, m->source->arena);

    if (!bars)
        return am_fail(err, AM_E_NOMEM, "no memory for the figure %s", m->row->name);
    f->row = m->row = bars;
    return make_selected(m, f, made, err);
}

static enum am_status make_selected(struct making *m, struct am_figure *f, bool *made,
                                    struct am_err *err)
{
    static make_fn *const makers[] = {[AM_FIGURE_LINES] = make_plots,
                                      [AM_FIGURE_BARS] = make_plots,
                                      [AM_FIGURE_HEAT] = make_heats,
                                      [AM_FIGURE_TABLE] = make_table};
    const struct am_figure_row *const row = m->row;
    enum am_status status = am_figure_picks_select(m->source, row, &m->picks, err);
    const enum am_worth worth = am_figure_worth(&m->picks, row);

    *made = status == AM_OK && worth != AM_WORTH_NOTHING;
    if (!*made)
        return status;
    if (worth == AM_WORTH_BARS)
        return remake_as_bars(m, f, made, err);
    if (row->kind == AM_FIGURE_LINES &&
        !am_figure_drop_panels(&m->picks, m->source->arena, &m->thin))
        return am_fail(err, AM_E_NOMEM, "no memory for the figure %s", row->name);
    m->panels = at_most(m->picks.panels.n, AM_FIGURE_PANELS_MAX, &m->panels_lost);
    m->series = at_most(m->picks.series.n, AM_FIGURE_SERIES_MAX, &m->series_lost);
    if (row->kind == AM_FIGURE_TABLE)
        m->series_lost = m->panels_lost = 0;
    else
        f->n_panels = m->panels * (row->kind == AM_FIGURE_HEAT ? m->picks.runs : 1);
    f->verdicts = am_figure_picks_verdicts(&m->picks, m->source);
    if (m->picks.runs > 1)
        f->runs = name_runs(m->source);
    f->panels = take(m, f->n_panels, sizeof(*f->panels));
    if (!f->panels)
        return am_fail(err, AM_E_NOMEM, "no memory for the figure %s", row->name);
    if (row->kind != AM_FIGURE_TABLE || m->picks.n > 1) /* whose single line says them all */
        f->constants = am_figure_picks_constants(&m->picks, m->source->arena);
    return makers[row->kind](m, f, err);
}

enum am_status am_figure_make(const struct am_figure_source *source,
                              const struct am_figure_row *row, struct am_figure *out, bool *made,
                              struct am_err *err)
{
    struct making m = {.source = source, .row = row};
    enum am_status status;

    *out = (struct am_figure){.row = row, .constants = ""};
    status = row->make ? make_computed(&m, out, made, err) : make_selected(&m, out, made, err);
    out->omitted = tell_omitted(&m);
    return status;
}
