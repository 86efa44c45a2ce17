/* SPDX-License-Identifier: MIT */
/* The table of constructs, and advice. */
#include "document/commands/omp_cost.h"

#include "document/page.h"
#include "document/results.h"
#include "document/run.h"
#include "document/screen.h"
#include "document/units.h"

#include <math.h>

enum { ROWS_SHOWN = 12, TEXT_CAP = 160 };

/* "1.2 ms (0.9 ms..1.5 ms)" */
static void price_text(struct am_omp_price p, char *out, size_t cap)
{
    char value[AM_UNITS_MAX], lo[AM_UNITS_MAX], hi[AM_UNITS_MAX];

    am_units_value(p.value, "s", value, sizeof(value));
    am_units_value(p.lo, "s", lo, sizeof(lo));
    am_units_value(p.hi, "s", hi, sizeof(hi));
    (void)am_str_format(out, cap, "%s (%s..%s)", value, lo, hi);
}

static const char *gap_text(const struct am_omp_spent *s, struct am_arena *arena)
{
    const char *const text = s->gap_us < 0   ? "first"
                             : s->gap_us > 0 ? am_arena_printf(arena, "%.0f us", s->gap_us)
                                             : "";

    return text ? text : "";
}

static void add_price(struct am_table *t, struct am_omp_price p)
{
    struct am_table_cell *const cell =
        am_table_quantity(t, AM_FORM_QUANTITY, p.known ? p.value : NAN, "s");

    cell->grade = p.known ? p.grade : AM_GRADE_C;
    (void)am_table_number(t, AM_FORM_NUMBER, p.known ? p.lo : NAN);
    (void)am_table_number(t, AM_FORM_NUMBER, p.known ? p.hi : NAN);
}

static void add_row(struct am_table *t, const struct am_omp_cost *cost,
                    const struct am_omp_spent *s)
{
    am_table_row(t);
    (void)am_table_text(t, s->construct);
    (void)am_table_text(t, s->place);
    am_table_number(t, AM_FORM_COUNT, s->threads)->digits = 0;
    (void)am_table_text(t, gap_text(s, t->arena));
    (void)am_table_number(t, AM_FORM_NUMBER, s->gap_us);
    (void)am_table_number(t, AM_FORM_NUMBER, s->calls);
    am_table_number(t, AM_FORM_COUNT, s->times)->digits = 0;
    add_price(t, s->each);
    add_price(t, s->lost);
    (void)am_table_number(t, AM_FORM_SHARE,
                          s->lost.known && cost->alone.known ? s->lost.value / cost->alone.value
                                                             : NAN);
    (void)am_table_quantity(t, AM_FORM_QUANTITY, s->measured_s, "s");
    (void)am_table_text(t, s->why_not);
}

static void add_rows(struct am_body *b, const struct am_omp_cost *cost, size_t rows)
{
    static const struct am_column columns[] = {
        {.title = "construct", .key = "construct"},
        {.title = "at", .key = "place"},
        {.title = "threads", .key = "threads", .right = true, .rank = 1},
        {.title = "after", .right = true},
        {.key = "gap_us"},
        {.key = "calls"},
        {.title = "times", .key = "times", .right = true},
        {.title = "each", .key = "each", .right = true},
        {.key = "each_lo"},
        {.key = "each_hi"},
        {.title = "lost", .key = "lost", .right = true},
        {.key = "lost_lo"},
        {.key = "lost_hi"},
        {.title = "of the time", .key = "share", .right = true},
        {.title = "time in it", .key = "measured", .right = true, .rank = 2},
        {.title = "", .key = "why_not", .rank = 3},
    };
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    t->hide_empty = true;
    for (size_t i = 0; i < rows; i++)
        add_row(t, cost, &cost->items[i]);
}

/* ---- sentences ---- */

static void tell_sum(struct am_body *b, const struct am_omp_cost *c)
{
    char lost[TEXT_CAP], alone[TEXT_CAP], beyond[TEXT_CAP];

    price_text(c->lost, lost, sizeof(lost));
    price_text(c->alone, alone, sizeof(alone));
    if (!c->alone.known)
        am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                     "the program was not measured without counting: nothing says what share is "
                     "lost")
            ->tone = AM_TONE_WARN;
    else
        am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                      "predicted to be lost to OpenMP: %s of %s, %.1f %%", lost, alone,
                      100 * c->lost.value / c->alone.value)
            ->tone = AM_TONE_STRONG;
    if (c->beyond.known) {
        price_text(c->beyond, beyond, sizeof(beyond));
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "regions take %s longer than their threads' mean work; what is not "
                            "lost to constructs is waiting for others",
                            beyond);
    } else if (c->tasks)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                           "tasks run while threads wait: how long they waited is not known");
    if (c->alone.known && c->counted.known)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "counting itself made the program %.2f x as long",
                            c->counted.value / c->alone.value);
}

static void tell_advice(struct am_body *b, const struct am_omp_cost *c, size_t i)
{
    const struct am_omp_advice *const a = &c->advice[i];
    char gain[TEXT_CAP], seen[TEXT_CAP];

    price_text(a->gain, gain, sizeof(gain));
    price_text(a->seen, seen, sizeof(seen));
    am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "%zu. %s", i + 1, a->text)->tone = AM_TONE_GOOD;
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "   predicted gain %s, %.1f %%%s%s%s", gain,
                        100 * a->gain.value / c->alone.value, a->gain.lo > 0 ? "" : ": not decided",
                        a->seen.known ? "; measured here " : "", a->seen.known ? seen : "");
}

static void cost_blocks(struct am_body *b, const void *self)
{
    const struct am_omp_cost_view *const view = self;
    const struct am_omp_cost *const c = view->cost;
    const size_t rows = view->all || c->n < ROWS_SHOWN ? c->n : ROWS_SHOWN;

    if (b->programs) {
        add_rows(b, c, c->n);
        return;
    }
    (void)am_block_add(b, AM_BLOCK_HEADING, am_screen_machine(view->set, b->arena), NULL);
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, "program ", c->program);
    add_rows(b, c, rows);
    if (rows < c->n)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "%zu rows more: -v", c->n - rows);
    tell_sum(b, c);
    (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    for (size_t i = 0; i < c->n_advice; i++)
        tell_advice(b, c, i);
    if (c->n_advice == 0)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                           "nothing to change that would bring a hundredth of its time");
    am_quality_sentence(b, view->set, NAN);
    if (view->path)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "results ", "%s (archmeter show -v)",
                            view->path);
}

/* ---- for programs ---- */

static void tell_price(struct am_data *d, const char *name, struct am_omp_price p)
{
    if (!p.known)
        return;
    am_data_object(d, name);
    am_data_number(d, "value", p.value);
    am_data_range(d, "ci", p.lo, p.hi);
    am_data_text(d, "grade", am_grade_names[p.grade]);
    am_data_object_end(d);
}

static void tell_spent(struct am_data *d, const struct am_omp_spent *s)
{
    am_data_object(d, NULL);
    am_data_text(d, "construct", s->construct);
    am_data_text(d, "family", s->family);
    am_data_text(d, "place", s->place);
    am_data_number(d, "threads", s->threads);
    am_data_number(d, "gap_us", s->gap_us);
    am_data_number(d, "calls", s->calls);
    am_data_number(d, "times", s->times);
    am_data_number(d, "measured_s", s->measured_s);
    tell_price(d, "each_s", s->each);
    tell_price(d, "lost_s", s->lost);
    if (s->why_not)
        am_data_text(d, "why_not", s->why_not);
    am_data_object_end(d);
}

static void cost_data(struct am_data *d, const void *self)
{
    const struct am_omp_cost_view *const view = self;
    const struct am_omp_cost *const c = view->cost;

    am_results_data(d, view->set);
    am_data_object(d, "omp_cost");
    am_data_text(d, "program", c->program);
    tell_price(d, "alone_s", c->alone);
    tell_price(d, "counted_s", c->counted);
    tell_price(d, "lost_s", c->lost);
    tell_price(d, "beyond_work_s", c->beyond);
    am_data_number(d, "uneven_s", c->uneven_s);
    am_data_array(d, "constructs");
    for (size_t i = 0; i < c->n; i++)
        tell_spent(d, &c->items[i]);
    am_data_array_end(d);
    am_data_array(d, "advice");
    for (size_t i = 0; i < c->n_advice; i++) {
        am_data_object(d, NULL);
        am_data_text(d, "text", c->advice[i].text);
        tell_price(d, "gain_s", c->advice[i].gain);
        tell_price(d, "seen_s", c->advice[i].seen);
        am_data_object_end(d);
    }
    am_data_array_end(d);
    am_data_object_end(d);
}

struct am_document am_document_omp_cost(const struct am_omp_cost_view *view)
{
    return (struct am_document){.self = view, .blocks = cost_blocks, .data = cost_data};
}
