/* SPDX-License-Identifier: MIT */
/* Predictions: one table per bench, and what is missing with its reason. */
#include "document/machine/prediction.h"

#include "document/explanation.h"
#include "document/points.h"
#include "document/run.h"
#include "document/screen.h"

#include <math.h>
#include <string.h>

enum { INDENT = 2, FACTOR_DIGITS = 2, SENTENCES_MAX = 6 };

/* The consecutive points of one bench. */
struct group {
    const struct am_prediction *first;
    size_t n, told;
    struct am_points points;
};

static struct group group_at(const struct am_predictions *all, size_t i)
{
    struct group g = {.first = &all->items[i]};

    for (; i < all->n && am_points_together(g.first->here->result, all->items[i].here->result);
         i++) {
        g.n++;
        if (all->items[i].why_not)
            continue;
        am_points_add(&g.points, all->items[i].here->result);
        g.told++;
    }
    return g;
}

static void add_range(struct am_table *t, const char *unit, double lo, double hi)
{
    struct am_table_cell *cell;

    if (!isfinite(lo + hi)) {
        (void)am_table_text(t, NULL);
        return;
    }
    cell = am_table_quantity(t, AM_FORM_INTERVAL, NAN, unit);
    cell->lo = lo;
    cell->hi = hi;
}

/* Times as fast as here: "1.70", "[1.50, 1.90]". */
static void add_factor(struct am_table *t, const struct am_prediction *p)
{
    struct am_table_cell *const factor = am_table_number(t, AM_FORM_RATIO, p->factor);
    struct am_table_cell *const range = am_table_number(t, AM_FORM_RATIO_INTERVAL, NAN);

    factor->digits = range->digits = FACTOR_DIGITS;
    factor->tone = AM_TONE_STRONG;
    range->lo = p->factor_lo;
    range->hi = p->factor_hi;
    (void)am_table_number(t, AM_FORM_NUMBER, p->factor_lo);
    (void)am_table_number(t, AM_FORM_NUMBER, p->factor_hi);
}

static void add_row(struct am_table *t, const struct group *g, const struct am_prediction *p)
{
    const struct am_explanation *const e = p->there;
    const double none = p->why_not ? NAN : 0; /* what is not bounded has no number */
    const char *const unit = e->metric->unit;

    am_table_row(t);
    (void)am_table_text(t, e->result->bench);
    (void)am_table_text(t, e->result->text);
    am_points_cells(&g->points, e->result, t);
    (void)am_table_text(t, e->metric->name);
    (void)am_table_text(t, unit);
    am_table_quantity(t, AM_FORM_QUANTITY, e->measured.median, unit)->grade =
        e->metric->grading.grade;
    am_table_quantity(t, AM_FORM_QUANTITY, e->bound + none, unit)->tone = AM_TONE_STRONG;
    add_range(t, unit, e->bound_lo + none, e->bound_hi + none);
    (void)am_table_number(t, AM_FORM_NUMBER, e->bound_lo + none);
    (void)am_table_number(t, AM_FORM_NUMBER, e->bound_hi + none);
    (void)am_table_quantity(t, AM_FORM_QUANTITY, p->expected, unit);
    add_range(t, unit, p->lo, p->hi);
    (void)am_table_number(t, AM_FORM_NUMBER, p->lo);
    (void)am_table_number(t, AM_FORM_NUMBER, p->hi);
    add_factor(t, p);
    (void)am_table_text(t, p->limit);
    (void)am_table_text(t, p->why_not);
    (void)am_table_text(t, p->unsure);
}

static struct am_table *add_table(struct am_body *b, const struct group *g)
{
    static const struct am_column before[] = {{.key = "bench"}, {.key = "point"}};
    static const struct am_column after[] = {
        {.key = "metric"},
        {.key = "unit"},
        {.title = "here", .key = "measured", .right = true},
        {.title = "bound there", .key = "bound", .right = true},
        {.title = "interval", .rank = 2},
        {.key = "bound_lo"},
        {.key = "bound_hi"},
        {.title = "expected", .key = "expected", .right = true},
        {.title = "interval", .rank = 1},
        {.key = "expected_lo"},
        {.key = "expected_hi"},
        {.title = "times", .key = "factor", .right = true},
        {.title = "interval", .rank = 3},
        {.key = "factor_lo"},
        {.key = "factor_hi"},
        {.title = "limited there by", .key = "limit", .flow = true},
        {.key = "why_not"},
        {.key = "unsure"}};
    struct am_table *const t = am_block_table(b, before, sizeof(before) / sizeof(before[0]));

    am_points_columns(&g->points, t);
    am_table_columns(t, after, sizeof(after) / sizeof(after[0]));
    t->indent = INDENT;
    t->hide_empty = true;
    return t;
}

/* Why a point has no bound there, or else nothing is expected of it. */
static const char *reason_of(const struct am_prediction *p, bool bounded)
{
    return bounded ? p->unsure : p->why_not;
}

/* One line per reason, at the first point that has it. */
static void tell_reasons(struct am_body *b, const struct group *g, bool bounded)
{
    for (size_t i = 0; i < g->n; i++) {
        const char *const reason = reason_of(&g->first[i], bounded);
        size_t before = 0, all = 0;

        for (size_t k = 0; reason && k < g->n; k++) {
            const char *const other = reason_of(&g->first[k], bounded);

            if (other && strcmp(other, reason) == 0) {
                before += k < i;
                all++;
            }
        }
        if (all && !before)
            (void)am_block_addf(
                b, AM_BLOCK_PARAGRAPH, NULL, "%zu point%s %s: %s", all, all == 1 ? "" : "s",
                bounded ? "bounded there, and nothing expected" : "not predicted", reason);
    }
}

/* The same in words, where they are few. */
static void tell_factors(struct am_body *b, const struct group *g, const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *const machine = slash ? slash + 1 : path;

    for (size_t i = 0; g->told <= SENTENCES_MAX && i < g->n; i++) {
        const struct am_prediction *const p = &g->first[i];

        if (p->why_not || !isfinite(p->factor))
            continue;
        am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                      "%s on %s: %.2f x (%.2f..%.2f), then limited by %s", p->here->result->text,
                      machine, p->factor, p->factor_lo, p->factor_hi, p->limit)
            ->tone = AM_TONE_STRONG;
    }
}

static void add_groups(struct am_body *b, const struct am_predictions *all, const char *machine)
{
    for (size_t i = 0; i < all->n;) {
        const struct group g = group_at(all, i);

        if (!b->programs)
            (void)am_block_add(b, AM_BLOCK_HEADING, g.first->here->result->bench,
                               g.told ? am_points_shared(&g.points, b->arena) : NULL);
        if (g.told || b->programs) {
            struct am_table *const t = add_table(b, &g);

            for (size_t k = 0; k < g.n; k++) {
                if (b->programs || !g.first[k].why_not)
                    add_row(t, &g, &g.first[k]);
            }
        }
        if (!b->programs)
            tell_factors(b, &g, machine);
        if (!b->programs)
            tell_reasons(b, &g, true);
        if (!b->programs)
            tell_reasons(b, &g, false);
        i += g.n;
    }
}

static void tell_meaning(struct am_body *b)
{
    (void)am_block_add(
        b, AM_BLOCK_PARAGRAPH, "PREDICTION: ",
        "nothing here was measured on that machine. Bound there: the work of a point "
        "at the highest rates that machine was measured with, by the intervals of "
        "these. Expected: what the roofs here explain of its time at the roofs there, of the same "
        "instruction set and of every level of memory that may serve it, and the rest of it at what "
        "cores and latencies gain. Times: expected over what was measured here.");
}

static void prediction_blocks(struct am_body *b, const void *self)
{
    const struct am_prediction_view *const view = self;
    const struct am_machine_model *const m = view->machine;

    if (b->programs) {
        add_groups(b, view->all, m->name);
        return;
    }
    (void)am_block_add(b, AM_BLOCK_LINE, "measured",
                       am_machine_line(&view->set->machine, b->arena));
    (void)am_block_addf(b, AM_BLOCK_LINE, "on", "%s: %s, %s%s", m->name,
                        am_screen_machine(&m->set, b->arena),
                        m->set.run.started ? m->set.run.started : "of unknown date",
                        m->set.run.synthetic ? ", simulated" : "");
    tell_meaning(b);
    add_groups(b, view->all, m->name);
    am_analyses_blocks(b, view->analyses, view->n_analyses);
}

/* ---- for programs ---- */

static void tell_point(struct am_data *d, const struct am_prediction *p)
{
    const struct am_explanation *const e = p->there;
    const double none = p->why_not ? NAN : 0;

    am_data_object(d, NULL);
    am_data_text(d, "bench", e->result->bench);
    am_data_text(d, "worker", e->result->worker);
    am_data_point(d, "point", e->result);
    am_data_text(d, "metric", e->metric->name);
    am_data_text(d, "unit", e->metric->unit);
    am_data_number(d, "measured", e->measured.median);
    am_data_range(d, "ci", e->measured.ci.lo, e->measured.ci.hi);
    am_data_number(d, "bound_here", p->here->why_not ? NAN : p->here->bound);
    am_data_text(d, "why_not", p->why_not);
    am_data_number(d, "bound", e->bound + none);
    am_data_range(d, "bound_interval", e->bound_lo + none, e->bound_hi + none);
    am_data_number(d, "expected", p->expected);
    am_data_range(d, "expected_interval", p->lo, p->hi);
    am_data_number(d, "factor", p->factor);
    am_data_range(d, "factor_interval", p->factor_lo, p->factor_hi);
    am_data_text(d, "limit", p->limit);
    am_data_text(d, "unsure", p->unsure);
    am_data_object_end(d);
}

static void prediction_data(struct am_data *d, const void *self)
{
    const struct am_prediction_view *const view = self;

    am_data_run(d, "run", view->set);
    am_data_machine(d, &view->set->machine);
    am_data_object(d, "on");
    am_data_text(d, "name", view->machine->name);
    am_data_origin(d, &view->machine->set);
    am_data_machine(d, &view->machine->set.machine);
    am_data_object_end(d);
    am_data_array(d, "predictions");
    for (size_t i = 0; i < view->all->n; i++)
        tell_point(d, &view->all->items[i]);
    am_data_array_end(d);
    am_data_analyses(d, view->analyses, view->n_analyses);
}

struct am_document am_document_prediction(const struct am_prediction_view *view)
{
    return (struct am_document){.self = view, .blocks = prediction_blocks, .data = prediction_data};
}
