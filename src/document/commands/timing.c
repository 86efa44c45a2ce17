/* SPDX-License-Identifier: MIT */
/* The screen of commands: rows, verdicts, what to think of them. */
#include "document/commands/timing.h"

#include "base/text.h"
#include "document/page.h"
#include "document/results.h"
#include "document/run.h"
#include "document/screen.h"
#include "document/units.h"
#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LETTERS = 26,
    NAME_CAP = 16,
    LINE_COLUMNS = 30, /* of a command line in the table */
    LINE_CAP = 512,
    NAMES_SHOWN = 4,
    AROUND = 8, /* lines that are neither rows nor verdicts, at most */
};

/* ---- names ---- */

/* A, B, ... Z, A2, B2, ... */
static const char *name_of(size_t i, struct am_arena *arena)
{
    const char *const name =
        i < LETTERS ? am_arena_printf(arena, "%c", (int)('A' + i))
                    : am_arena_printf(arena, "%c%zu", (int)('A' + i % LETTERS), i / LETTERS + 1);

    return name ? name : "?";
}

static size_t index_of(const struct am_timing_view *view, const struct am_result *result)
{
    size_t i = 0;

    while (i < view->commands->n && view->commands->items[i].result != result)
        i++;
    return i;
}

/* The line, cut where it is long; never inside a character. */
static const char *short_line(const char *line, struct am_arena *arena)
{
    const char *at = line, *fits = line, *copy;
    size_t columns = 0;

    while (*at && columns < LINE_COLUMNS) {
        const size_t len = am_utf8_length(at);

        at += len ? len : 1;
        columns++;
        if (columns == LINE_COLUMNS - 2)
            fits = at;
    }
    copy = *at ? am_arena_printf(arena, "%.*s..", (int)(fits - line), line) : line;
    return copy ? copy : line;
}

/* ---- rows ---- */

static void add_value(struct am_table *t, const struct am_result_metric *m)
{
    const struct am_summary *const s = m && m->has_summary ? &m->summary : &am_summary_none;

    (void)am_table_quantity(t, AM_FORM_QUANTITY, s->median, m ? m->unit : "");
}

/* Sizes in binary units; what may be the worker's own memory is a bound. */
static void add_memory(struct am_table *t, const struct am_timed *c)
{
    const double bytes = c->memory ? c->memory->summary.median : NAN;
    struct am_table_cell *const cell = am_table_quantity(t, AM_FORM_FACT, bytes, "B");

    cell->bounded = bytes <= c->memory_floor;
}

static void add_spread(struct am_table *t, const struct am_summary *s)
{
    const double precision = s->launches > 1 ? am_summary_precision(s) : INFINITY;
    struct am_table_cell *const cell = am_table_number(t, AM_FORM_PRECISION, precision);

    cell->lo = (s->median - s->ci.lo) / fabs(s->median);
    cell->hi = (s->ci.hi - s->median) / fabs(s->median);
}

static void add_row(struct am_table *t, const struct am_timing_view *view, size_t i, bool programs)
{
    const struct am_timed *const c = &view->commands->items[i];
    const struct am_summary *const s = c->time ? &c->time->summary : &am_summary_none;
    struct am_table_cell *cell;

    am_table_row(t);
    (void)am_table_text(t, name_of(i, t->arena));
    (void)am_table_text(t, programs ? c->line : short_line(c->line, t->arena));
    if (c->time || programs) {
        cell = am_table_quantity(t, AM_FORM_QUANTITY, s->median, "s");
        cell->tone = AM_TONE_STRONG;
        cell->grade = c->time ? c->time->grading.grade : AM_GRADE_C;
    } else {
        am_table_text(t, am_point_states[c->result->state])->tone = AM_TONE_BAD;
    }
    add_spread(t, s);
    (void)am_table_number(t, AM_FORM_NUMBER, s->ci.lo);
    (void)am_table_number(t, AM_FORM_NUMBER, s->ci.hi);
    (void)am_table_quantity(t, AM_FORM_QUANTITY, s->min, "s");
    (void)am_table_number(t, AM_FORM_NUMBER, s->max);
    add_value(t, c->cpu);
    (void)am_table_number(t, AM_FORM_NUMBER, c->user ? c->user->summary.median : NAN);
    (void)am_table_number(t, AM_FORM_NUMBER, c->kernel ? c->kernel->summary.median : NAN);
    add_memory(t, c);
    if (c->energy)
        add_value(t, c->energy);
    else
        (void)am_table_text(t, NULL);
    (void)am_table_number(t, AM_FORM_NUMBER, c->code ? c->code->summary.max : NAN);
    am_table_number(t, AM_FORM_COUNT, (double)s->launches)->digits = 0;
    (void)am_table_text(t, c->time ? am_grade_names[c->time->grading.grade] : "");
}

static void add_rows(struct am_body *b, const struct am_timing_view *view, size_t rows)
{
    static const struct am_column columns[] = {
        {.title = "", .key = "name"},
        {.title = "command", .key = "command"},
        {.title = "median", .key = "median", .right = true},
        {.title = "±", .right = true},
        {.key = "ci_lo"},
        {.key = "ci_hi"},
        {.title = "min", .key = "min", .right = true, .rank = 1},
        {.key = "max"},
        {.title = "CPU", .key = "cpu", .right = true, .rank = 2},
        {.key = "user"},
        {.key = "system"},
        {.title = "memory", .key = "memory", .right = true, .rank = 3},
        {.title = "energy", .key = "energy", .right = true, .rank = 2},
        {.key = "exit_code"},
        {.key = "launches"},
        {.title = "", .key = "grade", .rank = 4},
    };
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    t->hide_empty = true;
    for (size_t i = 0; i < rows; i++)
        add_row(t, view, i, b->programs);
}

/* ---- verdicts ---- */

/* A row, turned so that the first command is the faster one. */
struct versus {
    const struct am_comparison_row *row;
    size_t fast, slow;     /* commands */
    double factor, lo, hi; /* how many times as fast */
};

static struct versus turned(const struct am_timing_view *view, const struct am_comparison_row *row)
{
    const struct am_change *const c = &row->change;
    const size_t a = index_of(view, row->a), b = index_of(view, row->b);

    if (c->d < 0)
        return (struct versus){row, b, a, exp(-c->d), exp(-c->hi), exp(-c->lo)};
    return (struct versus){row, a, b, exp(c->d), exp(c->lo), exp(c->hi)};
}

/* The fastest command's pairs first, the nearest rival before the others. */
static int by_speed(const void *x, const void *y)
{
    const struct versus *const a = x, *const b = y;
    const double fa = a->row->metric_a->summary.median, fb = b->row->metric_a->summary.median;
    const double ga = a->row->metric_b->summary.median, gb = b->row->metric_b->summary.median;
    const double near_a = fmin(fa, ga), near_b = fmin(fb, gb);
    const double far_a = fmax(fa, ga), far_b = fmax(fb, gb);

    if (near_a < near_b || near_a > near_b)
        return near_a < near_b ? -1 : 1;
    if (far_a < far_b || far_a > far_b)
        return far_a < far_b ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* What keeps the row from more. More launches of a busy machine would not. */
static const char *needs(const struct am_comparison_row *row, struct am_arena *arena)
{
    const char *const text =
        row->basis == AM_BASIS_DOUBTFUL ? ", grade C"
        : row->launches_needed ? am_arena_printf(arena, "; try %zu launches", row->launches_needed)
                               : "";

    return text ? text : "";
}

static void tell_versus(struct am_body *b, const struct am_timing_view *view,
                        const struct versus *v)
{
    const char *const fast = name_of(v->fast, b->arena), *const slow = name_of(v->slow, b->arena);
    const char *const more = needs(v->row, b->arena);

    switch (v->row->verdict) {
    case AM_VERDICT_SAME:
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "%s and %s are the same within %.3g %% (%.3f..%.3f)%s", fast, slow,
                            100 * view->settings->delta, v->lo, v->hi, more);
        break;
    case AM_VERDICT_FASTER:
    case AM_VERDICT_SLOWER:
        am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                      "%s is %.2f x (%.2f..%.2f) faster than %s: significant", fast, v->factor,
                      v->lo, v->hi, slow)
            ->tone = AM_TONE_GOOD;
        break;
    case AM_VERDICT_MAYBE_FASTER:
    case AM_VERDICT_MAYBE_SLOWER:
    case AM_VERDICT_SUSPECT:
        am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                      "%s may be %.2f x (%.2f..%.2f) faster than %s: unsure%s", fast, v->factor,
                      v->lo, v->hi, slow, more)
            ->tone = AM_TONE_WARN;
        break;
    case AM_VERDICT_UNDECIDED:
    case AM_VERDICT_COUNT:
        if (isfinite(v->factor))
            am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                          "%s and %s: undecided, %.2f x (%.2f..%.2f)%s", fast, slow, v->factor,
                          v->lo, v->hi, more)
                ->tone = AM_TONE_WARN;
        else
            am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "%s and %s: undecided, too few launches",
                          fast, slow)
                ->tone = AM_TONE_WARN;
        break;
    }
}

/* The first `lines` of all pairs. */
static void tell_pairs(struct am_body *b, const struct am_timing_view *view, size_t lines)
{
    const struct am_comparison *const pairs = view->pairs;
    struct versus *const all = am_arena_array(b->arena, pairs->n + 1, sizeof(*all));

    b->broken |= !all;
    for (size_t i = 0; all && i < pairs->n; i++)
        all[i] = turned(view, &pairs->rows[i]);
    if (all)
        qsort(all, pairs->n, sizeof(*all), by_speed);
    for (size_t i = 0; all && i < pairs->n && i < lines; i++)
        tell_versus(b, view, &all[i]);
}

/* ---- around them ---- */

static void tell_head(struct am_body *b, const struct am_timing_view *view)
{
    const char *const machine = am_screen_machine(view->set, b->arena);
    const struct am_run_info *const run = &view->set->run;
    char what[LINE_CAP];
    size_t wide;

    (void)am_str_format(what, sizeof(what), "%zu command%s, %zu launch%s%s%s", view->commands->n,
                        view->commands->n == 1 ? "" : "s", view->set->launches,
                        view->set->launches == 1 ? "" : "es", run->state == AM_RUN_DONE ? "" : ", ",
                        run->state == AM_RUN_DONE ? "" : am_run_states[run->state]);
    wide = strlen(machine) + 2 + strlen(what);
    if (wide <= AM_TIMING_COLUMNS) {
        (void)am_block_addf(b, AM_BLOCK_HEADING, machine, "%*s%s", (int)(AM_TIMING_COLUMNS - wide),
                            "", what);
        return;
    }
    (void)am_block_add(b, AM_BLOCK_HEADING, machine, NULL);
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, am_arena_strdup(b->arena, what));
}

/* Who started the commands, and what that costs. */
static void tell_starters(struct am_body *b, const struct am_timing_view *view)
{
    const struct am_timed_commands *const all = view->commands;
    char cost[AM_UNITS_MAX] = "not measured", names[LINE_CAP] = "";
    size_t shells = 0;

    for (size_t i = 0; i < all->n; i++) {
        if (!all->items[i].by_shell)
            continue;
        (void)am_str_format(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
                            shells++ ? ", " : "", name_of(i, b->arena));
    }
    if (shells == 0)
        return;
    if (shells == all->n)
        (void)am_str_copy(names, sizeof(names), "all");
    else if (shells > NAMES_SHOWN)
        (void)am_str_format(names, sizeof(names), "%zu of %zu", shells, all->n);
    if (all->shell)
        am_units_value(all->shell->summary.median, all->shell->unit, cost, sizeof(cost));
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                        "/bin/sh starts %s: its own start, %s, is in the time%s", names, cost,
                        shells == all->n ? "" : " (others: none)");
}

static size_t tell_failures(struct am_body *b, const struct am_timing_view *view, size_t lines)
{
    size_t told = 0;

    for (size_t i = 0; i < view->commands->n && told < lines; i++) {
        const struct am_timed *const c = &view->commands->items[i];

        if (c->result->state == AM_POINT_OK && c->result->failures == 0)
            continue;
        if (c->result->state == AM_POINT_PENDING)
            continue;
        am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "%s %s: %s", name_of(i, b->arena),
                      c->result->state == AM_POINT_OK ? "failed in some launches"
                                                      : am_point_states[c->result->state],
                      c->result->reason ? c->result->reason : "see show -v")
            ->tone = AM_TONE_BAD;
        told++;
    }
    return told;
}

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* What three commands in four are good to. */
static double typical_precision(const struct am_timing_view *view, struct am_arena *arena)
{
    double *const all = am_arena_array(arena, view->commands->n + 1, sizeof(*all));
    size_t n = 0;

    for (size_t i = 0; all && i < view->commands->n; i++) {
        if (view->commands->items[i].time)
            all[n++] = am_summary_precision(&view->commands->items[i].time->summary);
    }
    if (n == 0)
        return NAN;
    qsort(all, n, sizeof(*all), ascending);
    return all[(3 * n - 1) / 4];
}

static void tell_next(struct am_body *b, const struct am_timing_view *view)
{
    if (!view->path)
        return;
    if (view->set->run.state != AM_RUN_DONE)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "not finished; go on with: archmeter resume %s", view->path);
    else
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "results ",
                            "%s (archmeter show -v: tables, export --samples: every execution)",
                            view->path);
}

/* ---- the document ---- */

/* Lines for commands and for pairs: all where they fit, else half of the room for commands. */
static void share_lines(const struct am_timing_view *view, size_t room, size_t *rows, size_t *pairs)
{
    *rows = view->commands->n;
    *pairs = view->pairs->n;
    if (view->all || *rows + *pairs <= room)
        return;
    *rows = *rows < room / 2 ? *rows : room / 2;
    *pairs = *pairs < room - *rows - 1 ? *pairs : room - *rows - 1;
}

static void timing_blocks(struct am_body *b, const void *self)
{
    const struct am_timing_view *const view = self;
    size_t rows, pairs, room = AM_TIMING_LINES - AROUND, left_out;

    if (b->programs) {
        add_rows(b, view, view->commands->n);
        return;
    }
    tell_head(b, view);
    room -= tell_failures(b, view, AM_TIMING_LINES - AROUND - 4);
    share_lines(view, room, &rows, &pairs);
    add_rows(b, view, rows);
    tell_starters(b, view);
    (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    tell_pairs(b, view, pairs);
    left_out = view->commands->n - rows + view->pairs->n - pairs;
    if (left_out)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "%zu commands and %zu pairs more: archmeter show -v",
                            view->commands->n - rows, view->pairs->n - pairs);
    if (view->pairs->n > 1)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "intervals hold with 95 %% each, verdicts with 95 %% all together");
    am_quality_sentence(b, view->set, typical_precision(view, b->arena));
    tell_next(b, view);
}

static void tell_command(struct am_data *d, const struct am_timing_view *view, size_t i,
                         struct am_arena *arena)
{
    const struct am_timed *const c = &view->commands->items[i];

    am_data_object(d, NULL);
    am_data_text(d, "name", name_of(i, arena));
    am_data_text(d, "command", c->line);
    am_data_bool(d, "shell", c->by_shell);
    am_data_point(d, "point", c->result);
    am_data_object_end(d);
}

static void tell_pair(struct am_data *d, const struct am_timing_view *view,
                      const struct am_comparison_row *row, struct am_arena *arena)
{
    const struct versus v = turned(view, row);

    am_data_object(d, NULL);
    am_data_text(d, "faster", name_of(v.fast, arena));
    am_data_text(d, "slower", name_of(v.slow, arena));
    am_data_number(d, "factor", v.factor);
    am_data_range(d, "ci", v.lo, v.hi);
    am_data_number(d, "p", row->p);
    am_data_text(d, "verdict",
                 row->verdict == AM_VERDICT_SLOWER         ? "faster"
                 : row->verdict == AM_VERDICT_MAYBE_SLOWER ? "faster?"
                                                           : am_verdict_name(row->verdict));
    am_data_text(d, "basis", am_basis_text(row->basis));
    am_data_unsigned(d, "launches_needed", row->launches_needed);
    am_data_object_end(d);
}

static void timing_data(struct am_data *d, const void *self)
{
    const struct am_timing_view *const view = self;
    struct am_arena arena = {0};

    am_results_data(d, view->set);
    am_data_number(d, "delta", view->settings->delta);
    am_data_array(d, "commands");
    for (size_t i = 0; i < view->commands->n; i++)
        tell_command(d, view, i, &arena);
    am_data_array_end(d);
    am_data_array(d, "verdicts");
    for (size_t i = 0; i < view->pairs->n; i++)
        tell_pair(d, view, &view->pairs->rows[i], &arena);
    am_data_array_end(d);
    am_arena_fini(&arena);
}

struct am_document am_document_timing(const struct am_timing_view *view)
{
    return (struct am_document){.self = view, .blocks = timing_blocks, .data = timing_data};
}
