/* SPDX-License-Identifier: MIT */
/* Tables of steps, and a sentence for each command. */
#include "document/commands/sensitivity.h"

#include "document/page.h"
#include "document/results.h"
#include "document/run.h"
#include "document/screen.h"
#include "document/units.h"

#include <math.h>

static const char *const answers[] = {
    [AM_DEPENDS_UNDECIDED] = "undecided", [AM_DEPENDS_NO] = "no", [AM_DEPENDS_YES] = "yes"};

/* What was taken, in words and as measured. */
static const char *step_name(const struct am_beside *b, struct am_arena *arena)
{
    char size[AM_UNITS_MAX] = "";
    const char *name = NULL;

    am_units_bytes((int64_t)b->amount, size, sizeof(size));
    switch (b->kind) {
    case AM_BESIDE_NONE: name = "nothing"; break;
    case AM_BESIDE_SPIN: name = "computing beside it"; break;
    case AM_BESIDE_CACHE: name = am_arena_printf(arena, "cache, %s", size); break;
    case AM_BESIDE_MEMORY:
        name = am_arena_printf(arena, "memory, %llu %% of the time", (unsigned long long)b->amount);
        break;
    case AM_BESIDE_SHARE:
        name = am_arena_printf(arena, "its CPUs, meant %llu %%", (unsigned long long)b->amount);
        break;
    case AM_BESIDE_KINDS: break;
    }
    return name ? name : "?";
}

static void add_taken(struct am_table *t, const struct am_timed *c)
{
    const struct am_result_metric *const rate = c->taken_rate, *const share = c->taken_share;

    if (c->beside.kind == AM_BESIDE_SHARE && share)
        (void)am_table_number(t, AM_FORM_SHARE, share->summary.median);
    else if ((c->beside.kind == AM_BESIDE_CACHE || c->beside.kind == AM_BESIDE_MEMORY) && rate)
        (void)am_table_quantity(t, AM_FORM_QUANTITY, rate->summary.median, rate->unit);
    else
        (void)am_table_text(t, NULL);
}

static void add_step(struct am_table *t, const struct am_sensitivity *s, size_t i)
{
    const struct am_slowdown *const step = &s->steps[i];
    const struct am_result_metric *const time = step->metric;
    struct am_table_cell *cell;

    am_table_row(t);
    (void)am_table_text(t, s->line);
    (void)am_table_text(t, am_beside_words[step->timed->beside.kind]);
    (void)am_table_whole(t, step->timed->beside.amount);
    (void)am_table_text(t, step_name(&step->timed->beside, t->arena));
    add_taken(t, step->timed);
    cell = am_table_quantity(t, AM_FORM_QUANTITY, time ? time->summary.median : NAN, "s");
    cell->grade = time ? time->grading.grade : AM_GRADE_C;
    (void)am_table_text(t, time ? time->name : NULL);
    am_table_number(t, AM_FORM_RATIO, step->factor)->digits = 2;
    cell = am_table_number(t, AM_FORM_RATIO_INTERVAL, NAN);
    cell->lo = step->lo;
    cell->hi = step->hi;
    (void)am_table_number(t, AM_FORM_NUMBER, step->lo);
    (void)am_table_number(t, AM_FORM_NUMBER, step->hi);
    (void)am_table_text(t, step->row ? am_verdict_name(step->row->verdict) : NULL);
}

static void add_steps(struct am_body *b, const struct am_sensitivity *s)
{
    static const struct am_column columns[] = {
        {.key = "command"},
        {.key = "kind"},
        {.key = "amount"},
        {.title = "taken"},
        {.title = "measured", .key = "taken", .right = true},
        {.title = "time", .key = "median", .right = true},
        {.title = "of", .key = "metric"},
        {.title = "slowdown", .key = "slowdown", .right = true},
        {.title = "95 % interval", .right = true, .rank = 1},
        {.key = "ci_lo"},
        {.key = "ci_hi"},
        {.title = "", .key = "verdict"},
    };
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < s->n; i++)
        add_step(t, s, i);
}

static void sensitivity_blocks(struct am_body *b, const void *self)
{
    const struct am_sensitivity_view *const view = self;

    for (size_t i = 0; b->programs && i < view->n; i++)
        add_steps(b, &view->items[i]);
    if (b->programs)
        return;
    (void)am_block_add(b, AM_BLOCK_HEADING, am_screen_machine(view->set, b->arena), NULL);
    for (size_t i = 0; i < view->n; i++) {
        const struct am_sensitivity *const s = &view->items[i];

        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, "command ", s->line);
        add_steps(b, s);
        am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, s->what)->tone = AM_TONE_STRONG;
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "CPU time: %s; cache: %s; memory: %s; what CPUs share beside: %s",
                            answers[s->on[AM_BESIDE_SHARE]], answers[s->on[AM_BESIDE_CACHE]],
                            answers[s->on[AM_BESIDE_MEMORY]], answers[s->on[AM_BESIDE_SPIN]]);
        (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    }
    (void)am_block_addf(
        b, AM_BLOCK_PARAGRAPH, NULL,
        "slower: by more than %.0f %%, of cache and memory against computing beside it",
        100 * am_sensitivity_margin);
    if (view->path)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, "results ", view->path);
}

static void tell_one(struct am_data *d, const struct am_sensitivity *s)
{
    am_data_object(d, NULL);
    am_data_text(d, "command", s->line);
    am_data_text(d, "what", s->what);
    for (unsigned k = AM_BESIDE_SPIN; k < AM_BESIDE_KINDS; k++)
        am_data_text(d, am_beside_words[k], answers[s->on[k]]);
    am_data_array(d, "steps");
    for (size_t i = 0; i < s->n; i++) {
        const struct am_slowdown *const step = &s->steps[i];

        am_data_object(d, NULL);
        am_data_point(d, "point", step->timed->result);
        am_data_number(d, "slowdown", step->factor);
        am_data_range(d, "ci", step->lo, step->hi);
        am_data_text(d, "verdict", step->row ? am_verdict_name(step->row->verdict) : NULL);
        am_data_object_end(d);
    }
    am_data_array_end(d);
    am_data_object_end(d);
}

static void sensitivity_data(struct am_data *d, const void *self)
{
    const struct am_sensitivity_view *const view = self;

    am_results_data(d, view->set);
    am_data_array(d, "sensitivity");
    for (size_t i = 0; i < view->n; i++)
        tell_one(d, &view->items[i]);
    am_data_array_end(d);
}

struct am_document am_document_sensitivity(const struct am_sensitivity_view *view)
{
    return (struct am_document){
        .self = view, .blocks = sensitivity_blocks, .data = sensitivity_data};
}
