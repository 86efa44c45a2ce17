/* SPDX-License-Identifier: MIT */
/* Differences between machines: one table, a row per fact and model. */
#include "document/machine/differences.h"

#include "document/facts.h"
#include "document/run.h"
#include "document/screen.h"

#include <math.h>
#include <string.h>

enum { ROWS_SHOWN = 200, LETTERS = 26 };

static bool of_nodes(const struct am_differences *all)
{
    return all->n && all->rows[0].others;
}

/* "A", "B", ... and "27" behind "Z". */
static const char *letter(size_t i, struct am_arena *arena)
{
    const char *const text = i < LETTERS ? am_arena_printf(arena, "%c", (char)('A' + i))
                                         : am_arena_printf(arena, "%zu", i + 1);

    return text ? text : "";
}

/* The fact's id; with that of the other side where both have their own number of threads. */
static const char *name_of(const struct am_difference *row, struct am_arena *arena)
{
    const char *const text = row->others || strcmp(row->base->id, row->fact->id) == 0
                                 ? row->fact->id
                                 : am_arena_printf(arena, "%s | threads=%.0f", row->base->id,
                                                   am_fact_number(row->fact, "threads"));

    return text ? text : row->fact->id;
}

/* ---- the table ---- */

static void add_row(struct am_table *t, const struct am_differences *all,
                    const struct am_difference *row)
{
    const struct am_machine_model *const model = &all->models->items[row->model];
    const bool differs = am_difference_is_one(row);
    struct am_table_cell *cell;

    am_table_row(t);
    (void)am_table_text(t, model->name);
    (void)am_table_text(t, name_of(row, t->arena));
    (void)am_table_text(t, row->fact->unit);
    (void)am_table_quantity(t, AM_FORM_FACT, row->against, row->fact->unit);
    (void)am_table_fact(t, row->fact);
    am_table_number(t, AM_FORM_RATIO, row->ratio)->digits = 3;
    cell = am_table_number(t, AM_FORM_RATIO_INTERVAL, row->ratio);
    cell->lo = row->lo;
    cell->hi = row->hi;
    (void)am_table_number(t, AM_FORM_NUMBER, row->lo);
    (void)am_table_number(t, AM_FORM_NUMBER, row->hi);
    am_table_number(t, AM_FORM_NUMBER, row->p)->digits = 2;
    am_table_text(t, am_difference_word(row->verdict))->tone =
        differs ? AM_TONE_WARN : AM_TONE_PLAIN;
    (void)am_table_text(t, row->by_bounds ? "bounds" : "launches");
}

static struct am_table *add_table(struct am_body *b, const struct am_differences *all)
{
    const bool nodes = of_nodes(all), several = nodes || all->models->n > 2;
    const struct am_column columns[] = {
        {.title = several ? "model" : NULL,
         .key = "model",
         .place = several ? AM_PLACE_GROUP : AM_PLACE_COLUMN},
        {.title = "fact", .key = "fact", .flow = true},
        {.key = "unit"},
        {.title = nodes ? "others" : "A", .key = nodes ? "others" : "a", .right = true},
        {.title = nodes     ? "here"
                  : several ? "its"
                            : "B",
         .key = nodes ? "here" : "b",
         .right = true},
        {.title = "ratio", .key = "ratio", .right = true},
        {.title = "interval", .rank = 1},
        {.key = "lo"},
        {.key = "hi"},
        {.key = "p"},
        {.title = "verdict", .key = "verdict"},
        {.title = "by", .key = "by", .rank = 2}};

    return am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
}

static size_t add_rows(struct am_body *b, const struct am_differences_view *view)
{
    struct am_table *const t = add_table(b, view->all);
    size_t wanted = 0;

    for (size_t i = 0; i < view->all->n; i++) {
        const struct am_difference *const row = &view->all->rows[i];

        if (!view->every && !b->programs && !am_difference_is_one(row))
            continue;
        if (b->programs || wanted < ROWS_SHOWN)
            add_row(t, view->all, row);
        wanted++;
    }
    return wanted;
}

static void tell_counts(struct am_body *b, const struct am_differences *all)
{
    const size_t sure = all->count[AM_VERDICT_FASTER] + all->count[AM_VERDICT_SLOWER];
    const size_t maybe = all->count[AM_VERDICT_MAYBE_FASTER] + all->count[AM_VERDICT_MAYBE_SLOWER];

    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                        "%zu compared: %zu different, %zu different?, %zu suspect, %zu same, %zu "
                        "undecided; %zu known of one side only.",
                        all->n, sure, maybe, all->count[AM_VERDICT_SUSPECT],
                        all->count[AM_VERDICT_SAME], all->count[AM_VERDICT_UNDECIDED],
                        all->missing);
}

static void tell_meaning(struct am_body *b, const struct am_differences *all)
{
    (void)am_block_addf(
        b, AM_BLOCK_PARAGRAPH, NULL,
        "different?: the intervals lie apart by more than %.3g %%, and p, adjusted "
        "over all facts (Holm), is below %.2g; the question mark stays where one run "
        "per machine shows nothing of how much runs differ, or where bounds and not "
        "launches give the interval. suspect: so if it were the only fact. same: "
        "shown to be within %.3g %%. Anything else is undecided.",
        100 * all->delta, 1 - all->level, 100 * all->delta);
}

void am_differences_blocks(struct am_body *b, const struct am_differences_view *view)
{
    const size_t wanted = add_rows(b, view);

    if (b->programs)
        return;
    if (wanted > ROWS_SHOWN)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "%zu further rows are left out; csv and json have all.",
                            wanted - ROWS_SHOWN);
    if (wanted == 0) {
        b->n--; /* the empty table */
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, "No fact is shown to differ.");
    }
    if (of_nodes(view->all))
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                           "Each machine is held against the middle of all others, with the spread "
                           "among them.");
    tell_counts(b, view->all);
    tell_meaning(b, view->all);
}

/* ---- the document ---- */

/* "A  zen4.json: AMD EPYC ..., measured 2026-11-15T22:14:54Z, simulated" */
static void tell_models(struct am_body *b, const struct am_machine_models *models)
{
    for (size_t i = 0; i < models->n; i++) {
        const struct am_machine_model *const m = &models->items[i];

        (void)am_block_addf(b, AM_BLOCK_LINE, letter(i, b->arena), "%s: %s, %s%s", m->name,
                            am_screen_machine(&m->set, b->arena),
                            m->set.run.started ? m->set.run.started : "of unknown date",
                            m->set.run.synthetic ? ", simulated" : "");
    }
}

static void differences_blocks(struct am_body *b, const void *self)
{
    const struct am_differences_view *const view = self;

    if (!b->programs)
        tell_models(b, view->all->models);
    am_differences_blocks(b, view);
}

static void tell_row(struct am_data *d, const struct am_differences *all,
                     const struct am_difference *row)
{
    am_data_object(d, NULL);
    am_data_text(d, "model", all->models->items[row->model].name);
    am_data_text(d, "fact", row->fact->id);
    am_data_text(d, "base", row->others ? NULL : row->base->id);
    am_data_text(d, "unit", row->fact->unit);
    am_data_number(d, "against", row->against);
    am_data_unsigned(d, "others", row->others);
    am_data_number(d, "value", row->fact->value);
    am_data_number(d, "ratio", row->ratio);
    am_data_range(d, "interval", row->lo, row->hi);
    am_data_number(d, "p", row->p);
    am_data_text(d, "verdict", am_difference_word(row->verdict));
    am_data_text(d, "by", row->by_bounds ? "bounds" : "launches");
    am_data_object_end(d);
}

void am_data_differences(struct am_data *d, const struct am_differences *all)
{
    am_data_array(d, "differences");
    for (size_t i = 0; i < all->n; i++)
        tell_row(d, all, &all->rows[i]);
    am_data_array_end(d);
}

static void differences_data(struct am_data *d, const void *self)
{
    const struct am_differences *const all = ((const struct am_differences_view *)self)->all;

    am_data_number(d, "delta", all->delta);
    am_data_unsigned(d, "one_sided", all->missing);
    am_data_array(d, "models");
    for (size_t i = 0; i < all->models->n; i++) {
        const struct am_machine_model *const m = &all->models->items[i];

        am_data_object(d, NULL);
        am_data_text(d, "name", m->name);
        am_data_text(d, "node", m->node);
        am_data_origin(d, &m->set);
        am_data_machine(d, &m->set.machine);
        am_data_pairs(d, "build", &m->set.build);
        am_data_object_end(d);
    }
    am_data_array_end(d);
    am_data_differences(d, all);
}

struct am_document am_document_differences(const struct am_differences_view *view)
{
    return (struct am_document){
        .self = view, .blocks = differences_blocks, .data = differences_data};
}
