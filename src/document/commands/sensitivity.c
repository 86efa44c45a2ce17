/* SPDX-License-Identifier: MIT */
/* Tables of steps, and a sentence for each command. */
#include "document/commands/sensitivity.h"

#include "document/page.h"
#include "document/results.h"
#include "document/run.h"
#include "document/screen.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

static const char *const answers[] = {
    [AM_DEPENDS_UNDECIDED] = "undecided", [AM_DEPENDS_NO] = "no", [AM_DEPENDS_YES] = "yes"};

/* What was taken, in words and as measured. */
static const char *step_name(const struct am_beside *b, bool spills, struct am_arena *arena)
{
    char size[AM_UNITS_MAX] = "";
    const char *name = NULL;

    am_units_bytes((int64_t)b->amount, size, sizeof(size));
    switch (b->kind) {
    case AM_BESIDE_NONE: name = "nothing"; break;
    case AM_BESIDE_SPIN: name = "computing beside it"; break;
    case AM_BESIDE_CACHE:
        name = am_arena_printf(arena, spills ? "cache, %s, spilt" : "cache, %s", size);
        break;
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
    (void)am_table_text(t, step_name(&step->timed->beside, step->spills, t->arena));
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
    (void)am_table_text(t, step->word);
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
        "slower, not slower: by %.0f %%, of cache and memory against computing beside it; spilt: at "
        "its rate it went to memory, and speaks of neither alone",
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
        am_data_text(d, "verdict", step->word);
        am_data_bool(d, "spilt", step->spills);
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

/* ---- on another machine ---- */

static void foresee_one(struct am_body *b, const struct am_foresight *f, const char *machine)
{
    (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, "command ", f->of->line);
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, f->of->what);
    if (f->why_not)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "on %s: not predicted; %s", machine,
                            f->why_not);
    else if (f->range.n == 0)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "on %s: as long as here, whatever that machine is", machine);
    else
        am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                      "on %s: %.2f x to %.2f x as fast, limited by %s (%zu facts of both: least "
                      "%s, most %s)",
                      machine, f->range.lo, f->range.hi, f->by, f->range.n, f->range.least,
                      f->range.most)
            ->tone = AM_TONE_STRONG;
}

static void add_foresights(struct am_body *b, const struct am_foresight_view *view)
{
    static const struct am_column columns[] = {
        {.key = "command"}, {.key = "depends"}, {.key = "factor_lo"}, {.key = "factor_hi"},
        {.key = "facts"},   {.key = "limit"},   {.key = "why_not"},
    };
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < view->n; i++) {
        const struct am_foresight *const f = &view->items[i];
        const double none = f->why_not ? NAN : 0;

        am_table_row(t);
        (void)am_table_text(t, f->of->line);
        (void)am_table_text(t, f->of->what);
        (void)am_table_number(t, AM_FORM_NUMBER, f->range.lo + none);
        (void)am_table_number(t, AM_FORM_NUMBER, f->range.hi + none);
        (void)am_table_whole(t, f->range.n);
        (void)am_table_text(t, f->why_not ? NULL : f->by);
        (void)am_table_text(t, f->why_not);
    }
}

static void foresight_blocks(struct am_body *b, const void *self)
{
    const struct am_foresight_view *const view = self;
    const char *const slash = strrchr(view->machine->name, '/');

    if (b->programs) {
        add_foresights(b, view);
        return;
    }
    (void)am_block_add(b, AM_BLOCK_LINE, "measured", am_screen_machine(view->set, b->arena));
    (void)am_block_addf(b, AM_BLOCK_LINE, "on", "%s: %s", view->machine->name,
                        am_screen_machine(&view->machine->set, b->arena));
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, "PREDICTION: ",
                       "nothing here was measured on that machine. The range is that of all facts "
                       "which both machines have of the part that the program depends on: a "
                       "program made of them gains no less than the least and no more than the "
                       "most, whatever their shares.");
    for (size_t i = 0; i < view->n; i++)
        foresee_one(b, &view->items[i], slash ? slash + 1 : view->machine->name);
}

static void foresight_data(struct am_data *d, const void *self)
{
    const struct am_foresight_view *const view = self;

    am_data_text(d, "on", view->machine->name);
    am_data_array(d, "predictions");
    for (size_t i = 0; i < view->n; i++) {
        const struct am_foresight *const f = &view->items[i];
        const double none = f->why_not ? NAN : 0;

        am_data_object(d, NULL);
        am_data_text(d, "command", f->of->line);
        am_data_text(d, "depends", f->of->what);
        am_data_range(d, "factor_interval", f->range.lo + none, f->range.hi + none);
        am_data_unsigned(d, "facts", f->range.n);
        am_data_text(d, "limit", f->why_not ? NULL : f->by);
        am_data_text(d, "why_not", f->why_not);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

struct am_document am_document_foresight(const struct am_foresight_view *view)
{
    return (struct am_document){.self = view, .blocks = foresight_blocks, .data = foresight_data};
}
