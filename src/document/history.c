/* SPDX-License-Identifier: MIT */
/* Changes first, then the lines with their pictures, then the runs. */
#include "document/history.h"

#include "base/text.h"
#include "document/figure/figure.h"
#include "document/run.h"
#include "document/screen.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

enum { DATE = 10, MINUTE = 16, PLACES_LEAST = 3 };

/* "2026-11-15 14:06" of a run. */
static const char *when(const struct am_history *h, size_t run, size_t chars)
{
    const char *const started = h->runs[run].set->run.started;
    char *const text = am_arena_strndup(h->arena, started ? started : "?", chars);

    if (text && strlen(text) > DATE)
        text[DATE] = ' ';
    return text ? text : "?";
}

static const char *name_of(const struct am_history *h, size_t run)
{
    return h->runs[run].set->run.name ? h->runs[run].set->run.name : h->runs[run].path;
}

/* What else changed between two runs, the second included: "machine", "build", "machine and build".
 */
static const char *beside(const struct am_history *h, size_t before, size_t at)
{
    bool machine = false, build = false;

    for (size_t i = before + 1; i <= at; i++) {
        machine |= h->runs[i].machine != NULL;
        build |= h->runs[i].build != NULL;
    }
    return machine && build ? "machine and build changed"
           : machine        ? "the machine changed"
           : build          ? "the build changed"
                            : "";
}

/* ---- changes ---- */

static size_t count_changes(const struct am_history *h)
{
    size_t n = 0;

    for (size_t i = 0; i < h->n_lines; i++)
        n += h->lines[i].n_changes;
    return n;
}

static void add_change(struct am_table *t, const struct am_history *h,
                       const struct am_history_line *line, const struct am_history_change *c)
{
    am_table_row(t);
    (void)am_table_text(t, line->name);
    (void)am_table_quantity(t, AM_FORM_FACT, c->from, line->unit);
    (void)am_table_quantity(t, AM_FORM_FACT, c->to, line->unit);
    (void)am_table_number(t, AM_FORM_RATIO, c->to / c->from);
    (void)am_table_text(t, when(h, c->before, MINUTE));
    (void)am_table_text(t, when(h, c->at, MINUTE));
    (void)am_table_text(t, name_of(h, c->at));
    am_table_number(t, AM_FORM_NUMBER, c->p)->digits = 2;
    am_table_text(t, beside(h, c->before, c->at))->tone = AM_TONE_WARN;
}

static void tell_changes(struct am_body *b, const struct am_history *h)
{
    static const struct am_column columns[] = {
        {.title = "figure", .key = "figure", .flow = true},
        {.title = "before", .key = "before", .right = true, .rank = 1},
        {.title = "after", .key = "after", .right = true, .rank = 1},
        {.title = "after/before", .key = "ratio", .right = true},
        {.title = "between", .key = "between", .rank = 2},
        {.title = "and", .key = "and"},
        {.title = "run", .key = "run", .rank = 3, .flow = true},
        {.title = "p", .key = "p", .right = true, .rank = 4},
        {.title = "beside it", .key = "beside", .flow = true}};
    struct am_table *t;

    (void)am_block_add(b, AM_BLOCK_HEADING, "Changes", NULL);
    if (count_changes(h) == 0) {
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                           h->n_tested ? "No figure changed." : "Too few runs to show a change.");
        return;
    }
    t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
    t->hide_empty = true;
    for (size_t i = 0; i < h->n_lines; i++) {
        for (size_t k = 0; k < h->lines[i].n_changes; k++)
            add_change(t, h, &h->lines[i], &h->lines[i].changes[k]);
    }
}

/* ---- lines ---- */

static void add_line(struct am_table *t, const struct am_history *h,
                     const struct am_history_line *line)
{
    double first = NAN, last = NAN, least = NAN, most = NAN;

    for (size_t i = 0; i < h->n_runs; i++) {
        if (!isfinite(line->value[i]))
            continue;
        first = isfinite(first) ? first : line->value[i];
        last = line->value[i];
        least = fmin(least, last);
        most = fmax(most, last);
    }
    am_table_row(t);
    (void)am_table_text(t, line->name);
    (void)am_table_whole(t, line->n);
    (void)am_table_quantity(t, AM_FORM_FACT, first, line->unit);
    (void)am_table_quantity(t, AM_FORM_FACT, last, line->unit);
    (void)am_table_quantity(t, AM_FORM_FACT, least, line->unit);
    (void)am_table_quantity(t, AM_FORM_FACT, most, line->unit);
    (void)am_table_whole(t, line->n_changes);
}

static void tell_lines(struct am_body *b, const struct am_history *h)
{
    static const struct am_column columns[] = {
        {.title = "figure", .key = "figure", .flow = true},
        {.title = "runs", .key = "runs", .right = true, .rank = 1},
        {.title = "first", .key = "first", .right = true},
        {.title = "last", .key = "last", .right = true},
        {.title = "least", .key = "least", .right = true, .rank = 2},
        {.title = "most", .key = "most", .right = true, .rank = 2},
        {.title = "changes", .key = "changes", .right = true}};
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < h->n_lines; i++)
        add_line(t, h, &h->lines[i]);
}

/* ---- pictures ---- */

/* Where machine or build changed, and where the line did. */
static struct am_plot_rule *rules_of(const struct am_history *h, const struct am_history_line *line,
                                     size_t *n)
{
    struct am_plot_rule *const rules = am_arena_array(h->arena, 2 * h->n_runs + 1, sizeof(*rules));

    for (size_t i = 0; rules && i < h->n_runs; i++) {
        const struct am_history_run *const run = &h->runs[i];
        const double at = (double)i - 0.5;

        for (size_t k = 0; k < line->n_changes; k++) {
            if (line->changes[k].at == i)
                rules[(*n)++] = (struct am_plot_rule){
                    .at = at, .label = when(h, i, DATE), .title = "a change", .strong = true};
        }
        if (run->machine || run->build)
            rules[(*n)++] = (struct am_plot_rule){
                .at = at,
                .label = run->machine ? "machine" : "build",
                .title = am_arena_printf(h->arena, "%s%s%s", run->machine ? run->machine : "",
                                         run->machine && run->build ? "; " : "",
                                         run->build ? run->build : "")};
    }
    return rules;
}

static struct am_plot_mark *marks_of(const struct am_history *h, const struct am_history_line *line,
                                     size_t *n)
{
    struct am_plot_mark *const marks = am_arena_array(h->arena, h->n_runs + 1, sizeof(*marks));

    for (size_t i = 0; marks && i < h->n_runs; i++) {
        char value[AM_UNITS_MAX];

        if (!isfinite(line->value[i]))
            continue;
        am_units_fact(line->value[i], line->unit, value, sizeof(value));
        marks[(*n)++] = (struct am_plot_mark){
            .x = (double)i,
            .y = line->value[i],
            .lo = line->lo[i],
            .hi = line->hi[i],
            .title =
                am_arena_printf(h->arena, "%s, %s: %s", when(h, i, MINUTE), name_of(h, i), value)};
    }
    return marks;
}

static const char **dates_of(const struct am_history *h)
{
    const char **const names = am_arena_array(h->arena, h->n_runs + 1, sizeof(*names));

    for (size_t i = 0; names && i < h->n_runs; i++)
        names[i] = when(h, i, DATE);
    return names;
}

/* A picture of one line; NULL when memory is refused. */
static struct am_figure *figure_of(const struct am_history *h, const struct am_history_line *line)
{
    struct am_figure *const f = am_arena_alloc(h->arena, sizeof(*f));
    struct am_figure_row *const row = am_arena_alloc(h->arena, sizeof(*row));
    struct am_figure_panel *const panel = am_arena_alloc(h->arena, sizeof(*panel));
    struct am_plot_series *const series = am_arena_alloc(h->arena, sizeof(*series));

    if (!f || !row || !panel || !series)
        return NULL;
    *row = (struct am_figure_row){
        .name = am_arena_printf(h->arena, "line-%zu", (size_t)(line - h->lines)),
        .section = "Time lines",
        .title = line->name,
        .caption = line->n_changes ? "Red: a change, dated. Dashed: machine or build changed."
                                   : "No change found. Dashed: machine or build changed.",
        .kind = AM_FIGURE_LINES};
    *series = (struct am_plot_series){.label = line->name};
    series->marks = marks_of(h, line, &series->n);
    *panel = (struct am_figure_panel){0};
    panel->plot = (struct am_plot){
        .x = {.scale = AM_SCALE_NAMES, .names = dates_of(h), .n_names = h->n_runs, .unit = ""},
        .y = {.unit = line->unit},
        .series = series,
        .n = 1};
    panel->plot.rules = rules_of(h, line, &panel->plot.n_rules);
    *f = (struct am_figure){.row = row, .panels = panel, .n_panels = 1, .constants = ""};
    return row->name && series->marks && panel->plot.rules && panel->plot.x.names ? f : NULL;
}

static void tell_pictures(struct am_body *b, const struct am_history *h)
{
    for (size_t i = 0; i < h->n_lines; i++) {
        const struct am_figure *const f =
            h->lines[i].n >= PLACES_LEAST ? figure_of(h, &h->lines[i]) : NULL;

        if (f)
            am_block_add(b, AM_BLOCK_FIGURE, NULL, NULL)->figure = f;
    }
}

/* ---- runs ---- */

static void tell_runs(struct am_body *b, const struct am_history_view *view)
{
    static const struct am_column columns[] = {
        {.title = "started", .key = "started"},
        {.title = "run", .key = "run", .flow = true},
        {.title = "set", .key = "set", .rank = 3},
        {.title = "machine", .key = "machine", .rank = 2, .flow = true},
        {.title = "version", .key = "version", .rank = 4},
        {.title = "machine changed", .key = "machine_changed", .flow = true, .rank = 1},
        {.title = "build changed", .key = "build_changed", .flow = true, .rank = 1}};
    const struct am_history *const h = view->history;
    struct am_table *t;

    (void)am_block_add(b, AM_BLOCK_HEADING, "Runs", NULL);
    t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
    t->hide_empty = true;
    for (size_t i = 0; i < h->n_runs; i++) {
        const struct am_history_run *const run = &h->runs[i];

        am_table_row(t);
        (void)am_table_text(t, when(h, i, MINUTE));
        am_table_text(t, name_of(h, i))->link = view->pages ? view->pages[i] : NULL;
        (void)am_table_text(t, am_profile_name(run->set->run.settings.profile));
        (void)am_table_text(t, am_screen_machine(run->set, h->arena));
        (void)am_table_text(t, run->set->run.version);
        (void)am_table_text(t, run->machine);
        (void)am_table_text(t, run->build);
    }
}

static void history_blocks(struct am_body *b, const void *self)
{
    const struct am_history_view *const view = self;
    const struct am_history *const h = view->history;

    tell_changes(b, h);
    (void)am_block_add(b, AM_BLOCK_HEADING, "Time lines", NULL);
    tell_lines(b, h);
    tell_pictures(b, h);
    tell_runs(b, view);
    if (h->points_lost)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH,
                            "not shown: ", "%zu values of points beyond the first %d",
                            h->points_lost, AM_HISTORY_POINTS_MAX);
    (void)am_block_addf(
        b, AM_BLOCK_PARAGRAPH, "method: ",
        "E-divisive (Matteson and James 2014) on the logarithms, one value per run, by "
        "permutations; p at most %.2g per figure, so that %zu figures without any change have one "
        "with a chance of %.0f %% at most. It takes the runs as exchangeable between changes: a "
        "drift is told as steps.",
        h->level, h->n_tested, 100 * AM_HISTORY_LEVEL);
}

/* ---- for programs ---- */

static void data_runs(struct am_data *d, const struct am_history *h)
{
    am_data_array(d, "runs");
    for (size_t i = 0; i < h->n_runs; i++) {
        const struct am_history_run *const run = &h->runs[i];

        am_data_object(d, NULL);
        am_data_text(d, "path", run->path);
        am_data_text(d, "started", run->set->run.started);
        am_data_text(d, "version", run->set->run.version);
        am_data_text(d, "tag", run->set->run.label);
        am_data_text(d, "machine", am_screen_machine(run->set, h->arena));
        am_data_text(d, "machine_changed", run->machine);
        am_data_text(d, "build_changed", run->build);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

static void data_line(struct am_data *d, const struct am_history *h,
                      const struct am_history_line *line)
{
    am_data_object(d, NULL);
    am_data_text(d, "name", line->name);
    am_data_text(d, "unit", line->unit);
    am_data_array(d, "values");
    for (size_t i = 0; i < h->n_runs; i++) {
        if (!isfinite(line->value[i]))
            continue;
        am_data_object(d, NULL);
        am_data_unsigned(d, "run", i);
        am_data_number(d, "value", line->value[i]);
        am_data_range(d, "interval", line->lo[i], line->hi[i]);
        am_data_object_end(d);
    }
    am_data_array_end(d);
    am_data_array(d, "changes");
    for (size_t k = 0; k < line->n_changes; k++) {
        const struct am_history_change *const c = &line->changes[k];

        am_data_object(d, NULL);
        am_data_unsigned(d, "last_before", c->before);
        am_data_unsigned(d, "first_after", c->at);
        am_data_text(d, "date", h->runs[c->at].set->run.started);
        am_data_number(d, "before", c->from);
        am_data_number(d, "after", c->to);
        am_data_number(d, "p", c->p);
        am_data_object_end(d);
    }
    am_data_array_end(d);
    am_data_object_end(d);
}

static void history_data(struct am_data *d, const void *self)
{
    const struct am_history *const h = ((const struct am_history_view *)self)->history;

    data_runs(d, h);
    am_data_array(d, "lines");
    for (size_t i = 0; i < h->n_lines; i++)
        data_line(d, h, &h->lines[i]);
    am_data_array_end(d);
    am_data_object(d, "method");
    am_data_text(d, "name", "E-divisive (Matteson and James 2014), logarithms, permutations");
    am_data_number(d, "level_of_all", AM_HISTORY_LEVEL);
    am_data_number(d, "level_of_each", h->level);
    am_data_unsigned(d, "tested", h->n_tested);
    am_data_object_end(d);
}

struct am_document am_document_history(const struct am_history_view *view)
{
    const struct am_history *const h = view->history;
    const char *const title = h->n_runs
                                  ? am_arena_printf(h->arena, "%zu runs, %s to %s", h->n_runs,
                                                    when(h, 0, DATE), when(h, h->n_runs - 1, DATE))
                                  : "no runs";

    return (struct am_document){.self = view,
                                .blocks = history_blocks,
                                .data = history_data,
                                .title = title,
                                .footer =
                                    "archmeter history. Each value is a run's figure with its "
                                    "interval."};
}
