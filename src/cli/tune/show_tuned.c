/* SPDX-License-Identifier: MIT */
/* What tune shows. */
#include "cli/tune/show_tuned.h"

#include "base/text.h"
#include "cli/run/setup.h"
#include "report/grid.h"
#include "report/json.h"
#include "document/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = AM_POINT_TEXT_MAX, JSON_PRETTY = 3 };

/* ---- texts ---- */

static void add_pair(char *buf, size_t cap, const char *axis, const char *value)
{
    const size_t used = strlen(buf);

    (void)am_str_format(buf + used, cap - used, "%s%s=%s", used ? " " : "", axis, value);
}

static void add_value(char *buf, size_t cap, const struct am_axis *axis,
                      const struct am_value *value)
{
    char text[AM_VALUE_TEXT_MAX];

    am_value_text(value, text, sizeof(text));
    add_pair(buf, cap, axis->name, text);
}

static bool is_chosen(const struct am_point *point, const struct am_value *values, size_t axis)
{
    const struct am_axis *const a = &point->bench->axes[axis];

    return values && am_axis_is_open(a, &point->values[axis]) && !am_axis_is_open(a, &values[axis]);
}

void am_tune_choice(const struct am_point *point, const struct am_value *values, char *buf,
                    size_t cap)
{
    buf[0] = '\0';
    for (size_t i = 0; point->bench->axes[i].name; i++) {
        if (is_chosen(point, values, i))
            add_value(buf, cap, &point->bench->axes[i], &values[i]);
    }
}

/* Whether the rows of this bench differ in the axis. */
static bool varies(const struct am_tune_row *rows, size_t n, const struct am_point *point,
                   size_t axis)
{
    for (size_t i = 0; i < n; i++) {
        const struct am_point *const other = rows[i].point;

        if (strcmp(other->bench->name, point->bench->name) == 0 &&
            !am_value_same(&other->values[axis], &point->values[axis]))
            return true;
    }
    return false;
}

/* The axes that tell the row from the others, and those that a reader looks for first. */
static void key_text(const struct am_tune_row *rows, size_t n, const struct am_point *point,
                     bool all, char *buf, size_t cap)
{
    const struct am_axis *const axes = point->bench->axes;

    buf[0] = '\0';
    for (size_t i = 0; axes[i].name; i++) {
        if (!am_axis_is_open(&axes[i], &point->values[i]) &&
            (all || axes[i].key == AM_KEY_CLASS || varies(rows, n, point, i)))
            add_value(buf, cap, &axes[i], &point->values[i]);
    }
}

/* How much better the found values are than the model's: 0.05 is 5 %. */
static double gain(const struct am_tune_row *row)
{
    const struct am_tuned *const t = &row->tuned;
    const bool higher = row->point->bench->metrics[0].better == AM_HIGHER;

    if (!(t->model_value > 0) || !(t->value > 0))
        return NAN;
    return higher ? t->value / t->model_value - 1 : t->model_value / t->value - 1;
}

static const char *note_of(const struct am_tuned *t)
{
    if (t->why_not)
        return t->why_not;
    if (t->interrupted)
        return "interrupted";
    return t->budget_spent ? "budget" : "";
}

/* ---- tuned points ---- */

static void add_row(struct am_grid *g, const struct am_tune_row *rows, size_t n, size_t at,
                    bool numbers)
{
    const struct am_tune_row *const row = &rows[at];
    const struct am_tuned *const t = &row->tuned;
    const struct am_metric *const metric = &row->point->bench->metrics[0];
    char text[TEXT_MAX];

    am_grid_row(g);
    am_grid_paint(g, row->point->bench->name, AM_PAINT_STRONG);
    key_text(rows, n, row->point, numbers, text, sizeof(text));
    am_grid_cell(g, text);
    am_tune_choice(row->point, t->found, text, sizeof(text));
    am_grid_cell(g, t->why_not ? "" : text);
    if (numbers) {
        am_grid_number(g, t->why_not ? NAN : t->value);
    } else {
        am_units_value(t->why_not ? NAN : t->value, metric->unit, text, sizeof(text));
        am_grid_cell(g, text);
    }
    am_tune_choice(row->point, t->model, text, sizeof(text));
    am_grid_cell(g, text);
    if (!t->why_not && isfinite(gain(row)) && t->candidates)
        am_grid_cellf(g, "%+.1f %%", 100 * gain(row));
    else
        am_grid_cell(g, "");
    am_grid_cellf(g, "%zu/%zu", t->visited, t->candidates);
    am_grid_cellf(g, "%.1f s", t->elapsed_s);
    am_grid_cell(g, note_of(t));
}

static void show_table(const struct am_cli *cli, const struct am_tune_row *rows, size_t n)
{
    struct am_grid g;

    am_grid_init(&g, cli->arena);
    am_grid_column(&g, "bench", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "for", AM_ALIGN_LEFT, 0);
    am_grid_flow(&g);
    am_grid_column(&g, "use", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, n ? rows[0].point->bench->metrics[0].name : "value", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "the bench's own", AM_ALIGN_LEFT, 2);
    am_grid_column(&g, "gain", AM_ALIGN_RIGHT, 1);
    am_grid_column(&g, "tried", AM_ALIGN_RIGHT, 3);
    am_grid_column(&g, "time", AM_ALIGN_RIGHT, 4);
    am_grid_column(&g, "notes", AM_ALIGN_LEFT, 1);
    am_grid_flow(&g);
    for (size_t i = 0; i < n; i++)
        add_row(&g, rows, n, i, cli->style.format == AM_FORMAT_CSV);
    am_grid_hide_empty(&g);
    (void)am_grid_write(&g, &cli->style, 0, stdout);
}

static void json_value(struct am_json *j, const char *name, const struct am_value *v)
{
    if (v->kind == AM_AXIS_NAME)
        am_json_string(j, name, v->name);
    else if (v->kind == AM_AXIS_REAL)
        am_json_number(j, name, v->r);
    else
        am_json_integer(j, name, v->i);
}

static void json_values(struct am_json *j, const char *name, const struct am_point *point,
                        const struct am_value *values)
{
    am_json_object(j, name);
    for (size_t i = 0; point->bench->axes[i].name; i++) {
        if (is_chosen(point, values, i))
            json_value(j, point->bench->axes[i].name, &values[i]);
    }
    am_json_object_end(j);
}

static void json_row(struct am_json *j, const struct am_tune_row *row)
{
    const struct am_tuned *const t = &row->tuned;
    const struct am_bench *const bench = row->point->bench;

    am_json_object(j, NULL);
    am_json_string(j, "bench", bench->name);
    am_json_unsigned(j, "version", bench->version);
    am_json_object(j, "point");
    for (size_t i = 0; bench->axes[i].name; i++)
        json_value(j, bench->axes[i].name, &row->point->values[i]);
    am_json_object_end(j);
    am_json_string(j, "reason", t->why_not);
    json_values(j, "use", row->point, t->why_not ? NULL : t->found);
    json_values(j, "model", row->point, t->model);
    am_json_string(j, "metric", bench->metrics[0].name);
    am_json_string(j, "unit", bench->metrics[0].unit);
    am_json_number(j, "value", t->value);
    am_json_number(j, "model_value", t->model_value);
    am_json_unsigned(j, "candidates", t->candidates);
    am_json_unsigned(j, "tried", t->visited);
    am_json_unsigned(j, "skipped", t->skipped);
    am_json_unsigned(j, "failed", t->failed);
    am_json_unsigned(j, "launches", t->launches);
    am_json_number(j, "seconds", t->elapsed_s);
    am_json_bool(j, "budget_spent", t->budget_spent);
    am_json_object_end(j);
}

void am_tune_show(const struct am_cli *cli, const struct am_tune_row *rows, size_t n,
                  const char *file, const char *results)
{
    struct am_json j;

    if (cli->style.format != AM_FORMAT_JSON) {
        if (n)
            show_table(cli, rows, n);
        return;
    }
    am_json_init(&j, stdout, JSON_PRETTY);
    am_json_object(&j, NULL);
    am_json_integer(&j, "schema", 1);
    am_json_string(&j, "mode", am_tune_modes[cli->opt->tune_mode]);
    am_json_string(&j, "tuning", file);
    am_json_string(&j, "results", results);
    am_json_array(&j, "points");
    for (size_t i = 0; i < n; i++)
        json_row(&j, &rows[i]);
    am_json_array_end(&j);
    am_json_object_end(&j);
}

/* ---- entries ---- */

static void pairs_text(const struct am_tuning_pair *pairs, size_t n, char *buf, size_t cap)
{
    buf[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        const size_t used = strlen(buf);

        (void)am_str_format(buf + used, cap - used, "%s%s%s%s", used ? " " : "", pairs[i].axis,
                            pairs[i].classed ? "~2^" : "=", pairs[i].value);
    }
}

static void add_entry(struct am_grid *g, const struct am_tuning_entry *e, const char *machine)
{
    char text[TEXT_MAX];

    am_grid_row(g);
    am_grid_paint(g, e->bench, AM_PAINT_STRONG);
    am_grid_cellf(g, "%u", e->version);
    pairs_text(e->key, e->n_key, text, sizeof(text));
    am_grid_cell(g, text);
    pairs_text(e->use, e->n_use, text, sizeof(text));
    am_grid_cell(g, text);
    am_grid_cell(g, am_tune_modes[e->mode]);
    am_grid_cellf(g, "%s %.4g", e->metric, e->value);
    am_grid_cell(g, e->date);
    am_grid_cell(g, strcmp(e->machine, machine) == 0 ? "this one" : e->machine);
}

static void json_pairs(struct am_json *j, const char *name, const struct am_tuning_pair *pairs,
                       size_t n)
{
    am_json_object(j, name);
    for (size_t i = 0; i < n; i++)
        am_json_string(j, pairs[i].axis, pairs[i].value);
    am_json_object_end(j);
}

static void json_entry(struct am_json *j, const struct am_tuning_entry *e, const char *machine)
{
    am_json_object(j, NULL);
    am_json_string(j, "bench", e->bench);
    am_json_unsigned(j, "version", e->version);
    am_json_string(j, "machine", e->machine);
    am_json_bool(j, "here", strcmp(e->machine, machine) == 0);
    json_pairs(j, "for", e->key, e->n_key);
    json_pairs(j, "use", e->use, e->n_use);
    am_json_string(j, "mode", am_tune_modes[e->mode]);
    am_json_string(j, "metric", e->metric);
    am_json_number(j, "value", e->value);
    am_json_string(j, "date", e->date);
    am_json_object_end(j);
}

static void entries_json(const struct am_cli *cli, const struct am_tuning *tuning,
                         const char *machine)
{
    struct am_json j;

    am_json_init(&j, stdout, JSON_PRETTY);
    am_json_object(&j, NULL);
    am_json_integer(&j, "schema", 1);
    am_json_array(&j, "entries");
    for (size_t i = 0; i < tuning->n; i++) {
        if (am_patterns_match(&cli->opt->operands, tuning->entries[i].bench))
            json_entry(&j, &tuning->entries[i], machine);
    }
    am_json_array_end(&j);
    am_json_object_end(&j);
}

void am_tune_show_entries(const struct am_cli *cli, const struct am_tuning *tuning,
                          const char *machine)
{
    static const char *const titles[] = {"bench", "version", "for",  "use",
                                         "mode",  "best",    "date", "machine"};
    struct am_grid g;

    if (cli->style.format == AM_FORMAT_JSON) {
        entries_json(cli, tuning, machine);
        return;
    }
    am_grid_init(&g, cli->arena);
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
        am_grid_column(&g, titles[i], AM_ALIGN_LEFT, i < 4 && i != 1 ? 0 : (unsigned)i);
        if (i == 2)
            am_grid_flow(&g);
    }
    for (size_t i = 0; i < tuning->n; i++) {
        if (am_patterns_match(&cli->opt->operands, tuning->entries[i].bench))
            add_entry(&g, &tuning->entries[i], machine);
    }
    if (g.n_rows || cli->style.format != AM_FORMAT_TABLE)
        (void)am_grid_write(&g, &cli->style, 0, stdout);
    else
        (void)printf("no entry\n");
}
