/* SPDX-License-Identifier: MIT */
/* What tune shows. */
#include "cli/tune/show_tuned.h"

#include "base/text.h"
#include "cli/run/setup.h"
#include "cli/tune/ways.h"
#include "document/units.h"
#include "family/roles.h"
#include "write/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = AM_POINT_TEXT_MAX };

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

static bool is_joint(const struct am_tune_row *row, size_t axis)
{
    return row->tuned.joint >> axis & 1;
}

static bool is_chosen(const struct am_tune_row *row, const struct am_value *values, size_t axis)
{
    const struct am_axis *const a = &row->point->bench->axes[axis];

    return values && (is_joint(row, axis) || am_axis_is_open(a, &row->point->values[axis])) &&
           !am_axis_is_open(a, &values[axis]);
}

void am_tune_choice(const struct am_tune_row *row, const struct am_value *values, char *buf,
                    size_t cap)
{
    const struct am_axis *const axes = row->point->bench->axes;

    buf[0] = '\0';
    for (size_t i = 0; axes[i].name; i++) {
        if (is_chosen(row, values, i))
            add_value(buf, cap, &axes[i], &values[i]);
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
static void key_text(const struct am_tune_row *rows, size_t n, const struct am_tune_row *row,
                     bool all, char *buf, size_t cap)
{
    const struct am_point *const point = row->point;
    const struct am_axis *const axes = point->bench->axes;

    buf[0] = '\0';
    for (size_t i = 0; axes[i].name; i++) {
        if (!is_joint(row, i) && !am_axis_is_open(&axes[i], &point->values[i]) &&
            (all || axes[i].key == AM_KEY_CLASS || varies(rows, n, point, i)))
            add_value(buf, cap, &axes[i], &point->values[i]);
    }
}

static const char *note_of(const struct am_tuned *t)
{
    if (t->why_not)
        return t->why_not;
    if (t->interrupted)
        return "interrupted";
    if (t->doubt)
        return t->doubt;
    return t->budget_spent ? "budget" : "";
}

/* ---- tuned points ---- */

/* The outcome of a search, and for whom. */
struct tuned {
    const struct am_cli *cli;
    const struct am_tune_row *rows;
    size_t n;
    const struct am_tune_outcome *outcome;
};

static const struct am_metric *metric_of(const struct am_tune_row *row)
{
    return &row->point->bench->metrics[row->tuned.metric];
}

static void add_row(struct am_table *t, const struct tuned *all, size_t at, bool programs)
{
    const struct am_tune_row *const row = &all->rows[at];
    const struct am_tuned *const tuned = &row->tuned;
    char text[TEXT_MAX];

    am_table_row(t);
    am_table_text(t, row->point->bench->name)->tone = AM_TONE_STRONG;
    key_text(all->rows, all->n, row, programs, text, sizeof(text));
    (void)am_table_textf(t, "%s", text);
    am_tune_choice(row, tuned->found, text, sizeof(text));
    (void)am_table_textf(t, "%s", tuned->why_not ? "" : text);
    (void)am_table_quantity(t, AM_FORM_QUANTITY, tuned->why_not ? NAN : tuned->value,
                            metric_of(row)->unit);
    am_tune_choice(row, tuned->model, text, sizeof(text));
    (void)am_table_textf(t, "%s", text);
    if (!tuned->why_not && isfinite(tuned->gain))
        (void)am_table_textf(t, "%+.1f %% (%+.1f to %+.1f)", 100 * tuned->gain,
                             100 * tuned->gain_bounds.lo, 100 * tuned->gain_bounds.hi);
    else
        (void)am_table_text(t, NULL);
    (void)am_table_textf(t, "%zu/%zu", tuned->visited, tuned->candidates);
    (void)am_table_textf(t, "%.1f s", tuned->elapsed_s);
    (void)am_table_text(t, note_of(tuned));
}

/* Whether the axis belongs to the name of a way: it was searched, or tells one worker's part from
 * another's. */
static bool names_way(const struct tuned *all, const struct am_tune_row *row, size_t axis)
{
    return is_chosen(row, row->tuned.found, axis) ||
           (am_axis_is_way(row->point->bench->axes[axis].name) &&
            varies(all->rows, all->n, row->point, axis));
}

static void way_text(const struct tuned *all, const struct am_tune_row *row, char *buf, size_t cap)
{
    const struct am_axis *const axes = row->point->bench->axes;

    buf[0] = '\0';
    for (size_t i = 0; axes[i].name; i++) {
        if (names_way(all, row, i))
            add_value(buf, cap, &axes[i], &row->tuned.found[i]);
    }
}

/* "time", or "time at gap=1000" where several works were tuned. */
static void goal_text(const struct tuned *all, const struct am_tune_row *row, char *buf, size_t cap)
{
    const struct am_axis *const axes = row->point->bench->axes;
    char work[TEXT_MAX] = "";

    for (size_t i = 0; axes[i].name; i++) {
        if (!axes[i].tune && !am_axis_is_way(axes[i].name) &&
            varies(all->rows, all->n, row->point, i))
            add_value(work, sizeof(work), &axes[i], &row->point->values[i]);
    }
    (void)am_str_format(buf, cap, "%s%s%s", am_tune_goals[all->cli->opt->tune_for],
                        *work ? " at " : "", work);
}

/* The best over all workers, and whether it is better than the next. */
static void say_best(struct am_body *b, const struct tuned *all, const struct am_tune_best *w)
{
    char best[TEXT_MAX], next[TEXT_MAX] = "", goal[TEXT_MAX + 32], value[AM_UNITS_MAX];

    goal_text(all, w->best, goal, sizeof(goal));
    way_text(all, w->best, best, sizeof(best));
    am_units_value(w->best->tuned.value, metric_of(w->best)->unit, value, sizeof(value));
    if (w->next)
        way_text(all, w->next, next, sizeof(next));
    if (!w->next)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "best for %s: %s, %s", goal, best, value);
    else if (w->verdict.better)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "best for %s: %s, %s; better than %s by %.1f %% (%.1f to %.1f)", goal,
                            best, value, next, 100 * w->verdict.gain, 100 * w->verdict.bounds.lo,
                            100 * w->verdict.bounds.hi);
    else
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "best for %s: undecided between %s, %s, and %s", goal, best, value,
                            next);
}

static void best_blocks(struct am_body *b, const struct tuned *all)
{
    bool *const taken = calloc(all->n + 1, sizeof(*taken));
    struct am_tune_best best;

    while (taken && am_tune_weigh(all->rows, all->n, taken, &best))
        say_best(b, all, &best);
    free(taken);
}

/* Empty where a single launch shows no spread. */
static void add_interval(struct am_table *t, struct am_interval ci, const char *unit)
{
    char lo[AM_UNITS_MAX], hi[AM_UNITS_MAX];

    am_units_value(ci.lo, unit, lo, sizeof(lo));
    am_units_value(ci.hi, unit, hi, sizeof(hi));
    if (ci.lo < ci.hi)
        (void)am_table_textf(t, "%s .. %s", lo, hi);
    else
        (void)am_table_text(t, NULL);
}

/* What a choice between time and energy is made of. */
static void front_blocks(struct am_body *b, const struct am_tune_outcome *o)
{
    static const struct am_column columns[] = {
        {.title = "none is better in both", .key = "way", .flow = true},
        {.title = "time", .key = "time", .right = true},
        {.title = "energy", .key = "energy", .right = true},
        {.title = "interval", .key = "interval", .right = true},
        {.title = "scope", .key = "scope"}};
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    t->hide_empty = true;
    for (size_t i = 0; i < o->n_front; i++) {
        am_table_row(t);
        (void)am_table_textf(t, "%s %s", o->front[i].bench, o->front[i].way);
        (void)am_table_quantity(t, AM_FORM_QUANTITY, o->front[i].seconds, "s");
        (void)am_table_quantity(t, AM_FORM_QUANTITY, o->front[i].energy->median, "J");
        add_interval(t, o->front[i].energy->ci, "J");
        (void)am_table_text(t, o->front[i].scope);
    }
}

static void tuned_blocks(struct am_body *b, const void *self)
{
    const struct tuned *const all = self;
    const bool ways = all->cli->opt->tune_for >= 0;
    const char *const metric = all->n ? metric_of(&all->rows[0])->name : "value";
    const char *const from = ways ? "from" : "the bench's own";
    const struct am_column columns[] = {
        {.title = "bench", .key = "bench"},
        {.title = "for", .key = "for", .flow = true},
        {.title = "use", .key = "use"},
        {.title = metric, .key = metric, .right = true},
        {.title = from, .key = from, .rank = 2},
        {.title = "gain", .key = "gain", .right = true, .rank = 1},
        {.title = "tried", .key = "tried", .right = true, .rank = 3},
        {.title = "time", .key = "time", .right = true, .rank = 4},
        {.title = "notes", .key = "notes", .rank = 1, .flow = true}};
    struct am_table *t;

    if (all->n == 0)
        return;
    t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
    t->hide_empty = true;
    for (size_t i = 0; i < all->n; i++)
        add_row(t, all, i, b->programs);
    if (ways && !b->programs)
        best_blocks(b, all);
    if (all->outcome->n_front && !b->programs)
        front_blocks(b, all->outcome);
}

static void json_values(struct am_data *d, const char *name, const struct am_tune_row *row,
                        const struct am_value *values)
{
    const struct am_axis *const axes = row->point->bench->axes;

    am_data_object(d, name);
    for (size_t i = 0; axes[i].name; i++) {
        if (is_chosen(row, values, i))
            am_data_value(d, axes[i].name, &values[i]);
    }
    am_data_object_end(d);
}

static void json_row(struct am_data *d, const struct am_tune_row *row)
{
    const struct am_tuned *const t = &row->tuned;
    const struct am_bench *const bench = row->point->bench;

    am_data_object(d, NULL);
    am_data_text(d, "bench", bench->name);
    am_data_unsigned(d, "version", bench->version);
    am_data_object(d, "point");
    for (size_t i = 0; bench->axes[i].name; i++)
        am_data_value(d, bench->axes[i].name, &row->point->values[i]);
    am_data_object_end(d);
    am_data_text(d, "reason", t->why_not);
    json_values(d, "use", row, t->why_not ? NULL : t->found);
    json_values(d, "model", row, t->model);
    am_data_text(d, "metric", metric_of(row)->name);
    am_data_text(d, "unit", metric_of(row)->unit);
    am_data_number(d, "value", t->value);
    am_data_number(d, "model_value", t->model_value);
    am_data_bool(d, "kept", t->kept);
    am_data_text(d, "doubt", t->doubt);
    am_data_number(d, "gain", t->gain);
    am_data_number(d, "gain_low", isnan(t->gain) ? NAN : t->gain_bounds.lo);
    am_data_number(d, "gain_high", isnan(t->gain) ? NAN : t->gain_bounds.hi);
    am_data_unsigned(d, "candidates", t->candidates);
    am_data_unsigned(d, "tried", t->visited);
    am_data_unsigned(d, "skipped", t->skipped);
    am_data_unsigned(d, "failed", t->failed);
    am_data_unsigned(d, "launches", t->launches);
    am_data_number(d, "seconds", t->elapsed_s);
    am_data_bool(d, "budget_spent", t->budget_spent);
    am_data_object_end(d);
}

static void json_way(struct am_data *d, const char *name, const struct tuned *all,
                     const struct am_tune_row *row)
{
    const struct am_axis *const axes = row->point->bench->axes;

    am_data_object(d, name);
    for (size_t i = 0; axes[i].name; i++) {
        if (names_way(all, row, i))
            am_data_value(d, axes[i].name, &row->tuned.found[i]);
    }
    am_data_object_end(d);
}

static void json_bests(struct am_data *d, const struct tuned *all)
{
    bool *const taken = calloc(all->n + 1, sizeof(*taken));
    struct am_tune_best best;

    am_data_text(d, "goal", am_tune_goals[all->cli->opt->tune_for]);
    am_data_array(d, "best");
    while (taken && am_tune_weigh(all->rows, all->n, taken, &best)) {
        am_data_object(d, NULL);
        am_data_text(d, "bench", best.best->point->bench->name);
        json_way(d, "use", all, best.best);
        am_data_number(d, "value", best.best->tuned.value);
        if (best.next)
            json_way(d, "next", all, best.next);
        am_data_bool(d, "decided", !best.next || best.verdict.better);
        am_data_number(d, "gain", best.verdict.gain);
        am_data_object_end(d);
    }
    am_data_array_end(d);
    free(taken);
}

static void json_front(struct am_data *d, const struct am_tune_outcome *o)
{
    am_data_array(d, "front");
    for (size_t i = 0; i < o->n_front; i++) {
        am_data_object(d, NULL);
        am_data_text(d, "bench", o->front[i].bench);
        am_data_text(d, "way", o->front[i].way);
        am_data_text(d, "scope", o->front[i].scope);
        am_data_number(d, "time", o->front[i].seconds);
        am_data_number(d, "energy", o->front[i].energy->median);
        am_data_number(d, "energy_low", o->front[i].energy->ci.lo);
        am_data_number(d, "energy_high", o->front[i].energy->ci.hi);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

static void tuned_data(struct am_data *d, const void *self)
{
    const struct tuned *const all = self;

    am_data_text(d, "mode", am_tune_modes[all->cli->opt->tune_mode]);
    am_data_text(d, "tuning", all->outcome->file);
    am_data_text(d, "results", all->outcome->results);
    am_data_array(d, "points");
    for (size_t i = 0; i < all->n; i++)
        json_row(d, &all->rows[i]);
    am_data_array_end(d);
    if (all->cli->opt->tune_for >= 0)
        json_bests(d, all);
    if (all->outcome->n_front)
        json_front(d, all->outcome);
}

void am_tune_show(const struct am_cli *cli, const struct am_tune_outcome *outcome)
{
    const struct tuned all = {cli, outcome->rows, outcome->n, outcome};

    am_write(&(struct am_document){.self = &all, .blocks = tuned_blocks, .data = tuned_data},
             &cli->style, cli->arena, stdout);
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

/* Stored entries; those of other machines are named. */
struct entries {
    const struct am_cli *cli;
    const struct am_tuning *tuning;
    const char *machine;
};

static void add_entry(struct am_table *t, const struct am_tuning_entry *e, const char *machine)
{
    char text[TEXT_MAX];

    am_table_row(t);
    am_table_text(t, e->bench)->tone = AM_TONE_STRONG;
    (void)am_table_number(t, AM_FORM_COUNT, e->version);
    pairs_text(e->key, e->n_key, text, sizeof(text));
    (void)am_table_textf(t, "%s", text);
    pairs_text(e->use, e->n_use, text, sizeof(text));
    (void)am_table_textf(t, "%s", text);
    (void)am_table_text(t, am_tune_modes[e->mode]);
    (void)am_table_textf(t, "%s %.4g", e->metric, e->value);
    (void)am_table_text(t, e->date);
    (void)am_table_text(t, strcmp(e->machine, machine) == 0 ? "this one" : e->machine);
}

static void entries_blocks(struct am_body *b, const void *self)
{
    static const struct am_column columns[] = {{.title = "bench", .key = "bench"},
                                               {.title = "version", .key = "version", .rank = 1},
                                               {.title = "for", .key = "for", .flow = true},
                                               {.title = "use", .key = "use"},
                                               {.title = "mode", .key = "mode", .rank = 4},
                                               {.title = "best", .key = "best", .rank = 5},
                                               {.title = "date", .key = "date", .rank = 6},
                                               {.title = "machine", .key = "machine", .rank = 7}};
    const struct entries *const all = self;
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < all->tuning->n; i++) {
        if (am_patterns_match(&all->cli->opt->operands, all->tuning->entries[i].bench))
            add_entry(t, &all->tuning->entries[i], all->machine);
    }
    if (t->n_rows || b->programs)
        return;
    b->n--; /* no head over nothing */
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, "no entry");
}

static void json_pairs(struct am_data *d, const char *name, const struct am_tuning_pair *pairs,
                       size_t n)
{
    am_data_object(d, name);
    for (size_t i = 0; i < n; i++)
        am_data_text(d, pairs[i].axis, pairs[i].value);
    am_data_object_end(d);
}

static void json_entry(struct am_data *d, const struct am_tuning_entry *e, const char *machine)
{
    am_data_object(d, NULL);
    am_data_text(d, "bench", e->bench);
    am_data_unsigned(d, "version", e->version);
    am_data_text(d, "machine", e->machine);
    am_data_bool(d, "here", strcmp(e->machine, machine) == 0);
    json_pairs(d, "for", e->key, e->n_key);
    json_pairs(d, "use", e->use, e->n_use);
    am_data_text(d, "mode", am_tune_modes[e->mode]);
    am_data_text(d, "metric", e->metric);
    am_data_number(d, "value", e->value);
    am_data_text(d, "date", e->date);
    am_data_object_end(d);
}

static void entries_data(struct am_data *d, const void *self)
{
    const struct entries *const all = self;

    am_data_array(d, "entries");
    for (size_t i = 0; i < all->tuning->n; i++) {
        if (am_patterns_match(&all->cli->opt->operands, all->tuning->entries[i].bench))
            json_entry(d, &all->tuning->entries[i], all->machine);
    }
    am_data_array_end(d);
}

void am_tune_show_entries(const struct am_cli *cli, const struct am_tuning *tuning,
                          const char *machine)
{
    const struct entries all = {cli, tuning, machine};

    am_write(&(struct am_document){.self = &all, .blocks = entries_blocks, .data = entries_data},
             &cli->style, cli->arena, stdout);
}
