/* SPDX-License-Identifier: MIT */
/* Which results a figure shows, and where each of them belongs. */
#include "report/figure_data.h"

#include "report/units.h"
#include "report/utf8.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_CHARS = 28, TITLE_CHARS = 80, TITLE_BYTES = 1024 };

size_t am_keys_index(struct am_keys *keys, struct am_arena *arena, const char *text)
{
    for (size_t i = 0; i < keys->n; i++) {
        if (strcmp(keys->items[i], text) == 0)
            return i;
    }
    if (keys->n == AM_KEYS_MAX)
        return AM_KEYS_MAX;
    if (keys->n == keys->cap) {
        const size_t cap = keys->cap ? keys->cap * 2 : 16;
        const char **const items = am_arena_array(arena, cap, sizeof(*items));

        if (!items)
            return SIZE_MAX;
        if (keys->n)
            memcpy(items, keys->items, keys->n * sizeof(*items));
        keys->items = items;
        keys->cap = cap;
    }
    keys->items[keys->n] = text;
    return keys->n++;
}

const char *am_label_cut(struct am_arena *arena, const char *text, size_t max)
{
    const char *end = text;
    const char *copy;

    for (size_t n = 0; *end; n++) {
        const size_t len = am_utf8_length(end);

        if (n == max) {
            copy = am_arena_printf(arena, "%.*s…", (int)(end - text), text);
            return copy ? copy : "…";
        }
        end += len ? len : 1;
    }
    return text;
}

/* ---- selection ---- */

/* Whether one of the values "a,b,c" (len bytes) is `text`. */
static bool lists(const char *values, size_t len, const char *text)
{
    const size_t want = strlen(text);

    for (size_t at = 0; at <= len;) {
        size_t n = 0;

        while (at + n < len && values[at + n] != ',')
            n++;
        if (n == want && memcmp(values + at, text, n) == 0)
            return true;
        at += n + 1;
    }
    return false;
}

/* Every "axis=values" and "axis!=values" of `where` must hold. */
static bool matches(const struct am_result *r, const char *where)
{
    for (const char *p = where ? where : ""; *p; p += strspn(p, " ")) {
        const size_t name = strcspn(p, "!= "), all = strcspn(p, " ");
        const bool not = p[name] == '!';
        const size_t values = name + 1 + not ;
        bool held = false;

        for (size_t i = 0; i < r->n_params && !held; i++)
            held = strlen(r->params[i].name) == name && memcmp(r->params[i].name, p, name) == 0 &&
                   all >= values && lists(p + values, all - values, r->params[i].text) != not ;
        if (!held)
            return false;
        p += all;
    }
    return true;
}

static const struct am_result_metric *metric_of(const struct am_result *r, const char *name)
{
    for (size_t i = 0; i < r->n_metrics; i++) {
        if (!name || strcmp(r->metrics[i].name, name) == 0)
            return &r->metrics[i];
    }
    return NULL;
}

static enum am_status select_results(const struct am_figure_source *source,
                                     const struct am_figure_row *row, struct am_figure_picks *p,
                                     struct am_err *err)
{
    const struct am_result_set *const set = source->set;
    size_t matching = 0;

    for (size_t i = 0; i < set->n; i++)
        matching += strcmp(set->results[i].bench, row->bench) == 0;
    if (matching == 0)
        return AM_OK;
    p->items = am_arena_array(source->arena, matching, sizeof(*p->items));
    if (!p->items)
        return am_fail(err, AM_E_NOMEM, "no memory for the figure %s", row->name);
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_figure_pick pick = {.result = r, .ordinal = i, .x = NAN};

        if (strcmp(r->bench, row->bench) != 0 || r->state != AM_POINT_OK || !matches(r, row->where))
            continue;
        pick.metric = metric_of(r, row->metric);
        if (pick.metric && am_summarise(&pick.metric->series, &pick.summary))
            p->items[p->n++] = pick;
    }
    for (size_t i = 0; i < p->n; i++)
        am_points_add(&p->points, p->items[i].result);
    return AM_OK;
}

/* ---- places ---- */

static bool names_axis(const char *named, const char *axis)
{
    return named && strcmp(named, axis) == 0;
}

/* The axis as the row uses it; the varying ones that it does not use go into labels. */
static bool is_left(const struct am_figure_row *row, const char *axis)
{
    return !names_axis(row->x, axis) && !names_axis(row->series, axis) &&
           !names_axis(row->panel, axis) && !names_axis(row->along, axis);
}

/* "avx2" for a name, "threads 4" for a number; the value alone where a title names the axis. */
static void add_part(struct am_text *out, const struct am_result_param *param, bool titled)
{
    char text[LABEL_CHARS * 4 + AM_UNITS_MAX];

    am_units_param(param->kind, param->text, text, sizeof(text));
    if (out->len)
        am_text_add(out, ", ");
    if (param->kind != AM_AXIS_NAME && !titled)
        am_text_addf(out, "%s ", param->name);
    am_text_add(out, text);
}

/* The parts of a label: the named axis when it varies, then (with `others`) those used nowhere. */
static const char *label_of(const struct am_figure_picks *p, const struct am_figure_row *row,
                            const struct am_result *r, const char *named, bool others,
                            struct am_arena *arena)
{
    struct am_text text;
    const char *label;

    am_text_init(&text, TITLE_BYTES);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t a = 0; a < p->points.first->n_params && a < AM_AXES_MAX && a < r->n_params;
             a++) {
            const bool is_named = names_axis(named, r->params[a].name);

            if (p->points.vary[a] &&
                (pass == 0 ? is_named : others && is_left(row, r->params[a].name)))
                add_part(&text, &r->params[a],
                         row->kind == AM_FIGURE_HEAT && names_axis(row->series, r->params[a].name));
        }
    }
    label = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return label ? am_label_cut(arena, label, LABEL_CHARS) : "?";
}

static void place_x(struct am_figure_picks *p, const struct am_figure_row *row,
                    struct am_figure_pick *pick, struct am_arena *arena)
{
    const char *text;
    char shown[TITLE_BYTES];

    if (p->x_is_metric) {
        struct am_summary s;

        pick->x = am_result_summary(pick->result, row->x + 1, &s) ? s.median : NAN;
        return;
    }
    text = row->x ? am_result_text(pick->result, row->x) : NULL;
    if (!text)
        return;
    am_units_param(p->x_kind, text, shown, sizeof(shown));
    text = am_arena_strdup(arena, shown);
    pick->column =
        am_keys_index(&p->names, arena, am_label_cut(arena, text ? text : "?", LABEL_CHARS));
    pick->x =
        p->x_kind == AM_AXIS_NAME ? (double)pick->column : am_result_number(pick->result, row->x);
}

static void find_x(const struct am_figure_row *row, struct am_figure_picks *p)
{
    const struct am_result_metric *metric;

    p->x_unit = "";
    p->x_kind = AM_AXIS_REAL;
    p->x_is_metric = row->x && row->x[0] == '@';
    if (p->x_is_metric) {
        metric = metric_of(p->points.first, row->x + 1);
        p->x_unit = metric ? metric->unit : "";
        return;
    }
    for (size_t a = 0; row->x && a < p->points.first->n_params; a++) {
        if (strcmp(p->points.first->params[a].name, row->x) == 0)
            p->x_kind = p->points.first->params[a].kind;
    }
    if (p->x_kind == AM_AXIS_SIZE)
        p->x_unit = "B";
}

static int by_row(const void *a, const void *b)
{
    const struct am_figure_pick *const x = a, *const y = b;

    if (x->x < y->x || x->x > y->x)
        return x->x < y->x ? -1 : 1;
    return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* Rows of a map rise, in whatever order a search came upon them. */
static void sort_rows(const struct am_figure_row *row, struct am_figure_picks *p)
{
    for (size_t i = 0; i < p->n; i++) {
        p->items[i].x = am_result_number(p->items[i].result, row->series);
        if (isnan(p->items[i].x))
            return; /* names stay as they come */
    }
    qsort(p->items, p->n, sizeof(*p->items), by_row);
}

enum am_status am_figure_picks_select(const struct am_figure_source *source,
                                      const struct am_figure_row *row, struct am_figure_picks *out,
                                      struct am_err *err)
{
    const bool heat = row->kind == AM_FIGURE_HEAT;
    enum am_status status;

    *out = (struct am_figure_picks){0};
    status = select_results(source, row, out, err);
    if (status != AM_OK || out->n == 0)
        return status;
    find_x(row, out);
    if (heat && row->series)
        sort_rows(row, out);
    for (size_t i = 0; i < out->n; i++) {
        struct am_figure_pick *const pick = &out->items[i];
        const struct am_result *const r = pick->result;

        /* two values may not share a cell: there the other axes part the panels */
        pick->panel = am_keys_index(&out->panels, source->arena,
                                    label_of(out, row, r, row->panel, heat, source->arena));
        pick->series = am_keys_index(&out->series, source->arena,
                                     label_of(out, row, r, row->series, !heat, source->arena));
        place_x(out, row, pick, source->arena);
        if (pick->panel == SIZE_MAX || pick->series == SIZE_MAX || pick->column == SIZE_MAX)
            return am_fail(err, AM_E_NOMEM, "no memory for the figure %s", row->name);
    }
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

const char *am_figure_pick_title(const struct am_figure_picks *p, const struct am_figure_pick *pick,
                                 struct am_arena *arena)
{
    const struct am_summary *const s = &pick->summary;
    char median[AM_UNITS_MAX], lo[AM_UNITS_MAX], hi[AM_UNITS_MAX], label[TITLE_BYTES];
    const char *title;

    am_points_label(&p->points, pick->result, label, sizeof(label));
    am_units_value(s->median, pick->metric->unit, median, sizeof(median));
    am_units_value(s->ci.lo, pick->metric->unit, lo, sizeof(lo));
    am_units_value(s->ci.hi, pick->metric->unit, hi, sizeof(hi));
    if (s->launches > 1)
        title = am_arena_printf(arena, "%s%s%s (%s to %s, %zu launches)", label, *label ? ": " : "",
                                median, lo, hi, s->launches);
    else
        title = am_arena_printf(arena, "%s%s%s", label, *label ? ": " : "", median);
    return title ? title : "";
}

/* ---- benches that no table names ---- */

/* Distinct values of an axis among the bench's ok results. */
static size_t distinct(const struct am_figure_source *source, const char *bench, const char *axis,
                       double *ratio)
{
    struct am_keys keys = {0};
    double lo = INFINITY, hi = -INFINITY;

    for (size_t i = 0; i < source->set->n; i++) {
        const struct am_result *const r = &source->set->results[i];
        const char *const text = strcmp(r->bench, bench) == 0 && r->state == AM_POINT_OK
                                     ? am_result_text(r, axis)
                                     : NULL;

        if (!text || am_keys_index(&keys, source->arena, text) == SIZE_MAX)
            continue;
        lo = fmin(lo, am_result_number(r, axis));
        hi = fmax(hi, am_result_number(r, axis));
    }
    *ratio = lo > 0 ? hi / lo : 0;
    return keys.n;
}

static const struct am_result *first_of(const struct am_figure_source *source, const char *bench)
{
    for (size_t i = 0; i < source->set->n; i++) {
        if (strcmp(source->set->results[i].bench, bench) == 0)
            return &source->set->results[i];
    }
    return NULL;
}

void am_figure_generic(const struct am_figure_source *source, const char *bench,
                       struct am_figure_row *row)
{
    const struct am_result *const shape = first_of(source, bench);
    size_t most = 2;

    *row = (struct am_figure_row){
        .name = am_arena_printf(source->arena, "generic-%s", bench),
        .section = "Other benches",
        .title = am_label_cut(source->arena, bench, TITLE_CHARS),
        .caption =
            "No figure of its own suits what was measured here: the axis with the most values "
            "is drawn, or a table where there is none.",
        .bench = bench,
        .kind = AM_FIGURE_TABLE,
    };
    for (size_t a = 0; shape && a < shape->n_params; a++) {
        const struct am_result_param *const axis = &shape->params[a];
        double ratio;
        const size_t n = distinct(source, bench, axis->name, &ratio);

        if (axis->kind == AM_AXIS_NAME && n > 1 && !row->series)
            row->series = axis->name;
        if (axis->kind == AM_AXIS_NAME || n <= most)
            continue;
        most = n;
        row->x = axis->name;
        row->kind = AM_FIGURE_LINES;
        row->xscale = ratio >= 16 ? AM_SCALE_LOG2 : AM_SCALE_LINEAR;
    }
}
