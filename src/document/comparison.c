/* SPDX-License-Identifier: MIT */
/* Comparisons: circumstances first, then rows by effect, then what could not be compared. */
#include "document/comparison.h"

#include "base/text.h"
#include "document/points.h"
#include "document/run.h"
#include "evidence/evidence.h"

#include <math.h>
#include <string.h>

enum { LINE_BYTES = 1024, MISSING_SHOWN = 20, MISSING_FOLDED = 150, BENCHES_MAX = 256 };

static enum am_tone verdict_tone(enum am_verdict verdict)
{
    static const enum am_tone tones[AM_VERDICT_COUNT] = {
        [AM_VERDICT_SAME] = AM_TONE_PLAIN,       [AM_VERDICT_FASTER] = AM_TONE_GOOD,
        [AM_VERDICT_SLOWER] = AM_TONE_BAD,       [AM_VERDICT_MAYBE_FASTER] = AM_TONE_GOOD,
        [AM_VERDICT_MAYBE_SLOWER] = AM_TONE_BAD, [AM_VERDICT_SUSPECT] = AM_TONE_WARN,
        [AM_VERDICT_UNDECIDED] = AM_TONE_WARN,
    };

    return tones[verdict];
}

/* ---- points in short ---- */

/* The compared points of each bench: axes that do not tell them apart are left out. */
struct short_points {
    struct am_points benches[BENCHES_MAX];
    size_t n;
};

static struct am_points *points_of(struct short_points *s, const struct am_result *r)
{
    for (size_t i = 0; i < s->n; i++) {
        if (strcmp(s->benches[i].first->bench, r->bench) == 0)
            return &s->benches[i];
    }
    return s->n < BENCHES_MAX ? &s->benches[s->n++] : NULL;
}

static const char *point_text(struct short_points *s, const struct am_result *r,
                              struct am_arena *arena)
{
    const struct am_points *const points = points_of(s, r);
    char text[LINE_BYTES];
    const char *copy;

    if (!points)
        return r->text;
    am_points_label(points, r, text, sizeof(text));
    copy = am_arena_strdup(arena, text);
    return copy ? copy : "";
}

/* ---- rows ---- */

static void add_side(struct am_table *t, const struct am_result_metric *m)
{
    const struct am_summary *const s = m->has_summary ? &m->summary : &am_summary_none;

    am_table_known(t, AM_FORM_QUANTITY, s->median, &s->ci, m->unit)->grade = m->grading.grade;
}

static void add_settling(struct am_table *t, const struct am_comparison_row *row)
{
    if (row->pairs)
        (void)am_table_textf(t, "%zu of %zu fresh pairs agree", row->pairs_agree, row->pairs);
    else if (row->basis == AM_BASIS_AGAIN)
        (void)am_table_text(t, "B measured again");
    else if (row->basis == AM_BASIS_RECORD && am_verdict_direction(row->verdict))
        (void)am_table_textf(t, "%zu earlier runs", row->runs);
    else if (row->verdict != AM_VERDICT_SUSPECT && row->verdict != AM_VERDICT_UNDECIDED)
        (void)am_table_text(t, NULL);
    else if (row->launches_needed)
        (void)am_table_textf(t, "about %zu launches", row->launches_needed);
    else if (isfinite(row->seen))
        (void)am_table_textf(t, "could show %.2g %%", 100 * row->seen);
    else
        (void)am_table_text(t, "cannot be told");
}

static void add_row(struct am_table *t, struct short_points *points,
                    const struct am_comparison_row *row)
{
    const struct am_result_metric *const a = row->metric_a, *const b = row->metric_b;
    struct am_table_cell *cell;

    am_table_row(t);
    am_table_text(t, am_verdict_name(row->verdict))->tone = verdict_tone(row->verdict);
    (void)am_table_text(t, row->a->bench);
    (void)am_table_text(t, point_text(points, row->a, t->arena));
    (void)am_table_text(t, row->a->text);
    (void)am_table_text(t, a->name);
    (void)am_table_text(t, a->unit);
    (void)am_table_text(t, am_better_name(a->better));
    add_side(t, a);
    add_side(t, b);
    (void)am_table_number(t, AM_FORM_RATIO, row->ratio.ratio);
    cell = am_table_number(t, AM_FORM_RATIO_INTERVAL, NAN);
    cell->lo = isfinite(row->ratio.ratio) ? row->ratio.lo : NAN;
    cell->hi = row->ratio.hi;
    (void)am_table_number(t, AM_FORM_NUMBER, row->ratio.lo);
    (void)am_table_number(t, AM_FORM_NUMBER, row->ratio.hi);
    (void)am_table_number(t, AM_FORM_NUMBER, row->ratio.coverage);
    am_table_number(t, AM_FORM_NUMBER, isfinite(row->ratio.ratio) ? row->p : NAN)->digits = 2;
    (void)am_table_number(t, AM_FORM_NUMBER, row->speedup);
    (void)am_table_textf(t, "%zu/%zu", row->n_a, row->n_b);
    add_settling(t, row);
}

/* The compared points of every bench; NULL when memory is refused. */
static struct short_points *find_points(struct am_body *b, const struct am_comparison *c)
{
    struct short_points *const points = am_arena_alloc(b->arena, sizeof(*points));

    b->broken |= !points;
    for (size_t i = 0; points && i < c->n; i++) {
        struct am_points *const of = points_of(points, c->rows[i].a);

        if (of)
            am_points_add(of, c->rows[i].a);
    }
    return points;
}

static void add_rows(struct am_body *b, const struct am_comparison_view *view)
{
    static const struct am_column columns[] = {{.title = "verdict", .key = "verdict"},
                                               {.title = "bench", .key = "bench"},
                                               {.title = "point", .flow = true},
                                               {.key = "point"},
                                               {.title = "metric", .key = "metric", .rank = 5},
                                               {.key = "unit"},
                                               {.key = "better"},
                                               {.title = "A", .key = "a", .right = true, .rank = 2},
                                               {.title = "B", .key = "b", .right = true, .rank = 2},
                                               {.title = "B/A", .key = "ratio", .right = true},
                                               {.title = "95 % interval", .right = true, .rank = 1},
                                               {.key = "ci_lo"},
                                               {.key = "ci_hi"},
                                               {.key = "coverage"},
                                               {.title = "p", .key = "p", .right = true, .rank = 3},
                                               {.key = "speedup"},
                                               {.title = "launches", .right = true, .rank = 4},
                                               {.title = "evidence", .rank = 6}};
    const struct am_comparison *const c = view->comparison;
    struct short_points *const points = find_points(b, c);
    struct am_table *t;

    if (!points)
        return;
    t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
    t->tall = true;
    for (size_t i = 0; i < c->n; i++) {
        if (b->programs || !view->changes_only || c->rows[i].verdict != AM_VERDICT_SAME)
            add_row(t, points, &c->rows[i]);
    }
    if (t->n_rows == 0 && !b->programs)
        b->n--; /* no head over nothing */
}

/* ---- text around them ---- */

static void tell_side(struct am_body *b, const char *side, const struct am_result_set *set,
                      const char *name)
{
    (void)am_block_addf(
        b, AM_BLOCK_PARAGRAPH, side, "%s%s  %s  %s", name, am_run_label(&set->run, b->arena),
        set->run.started ? set->run.started : "?", am_machine_line(&set->machine, b->arena));
}

static void tell_differences(struct am_body *b, const struct am_comparison *c)
{
    const struct am_kvs *const d = &c->differences;

    for (size_t i = 0; i < d->n; i++)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "differs: ", "%s: %s", d->items[i].key,
                            d->items[i].value);
    if (d->n == 0)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, "same machine and environment");
    for (size_t i = 0; i < c->remarks.n; i++)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, "note: ", c->remarks.items[i].value);
}

static void tell_missing(struct am_body *b, const struct am_comparison *c)
{
    for (size_t i = 0; i < c->n_missing && i < MISSING_SHOWN; i++)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "missing: ", "%s %s: %s",
                            c->missing[i].result->bench, c->missing[i].result->text,
                            c->missing[i].why);
    if (c->n_missing > MISSING_SHOWN)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH,
                            "missing: ", "%zu more; --format json names them",
                            c->n_missing - MISSING_SHOWN);
}

/* The verdicts that occur, and always those that a reader looks for. */
static void tell_verdicts(struct am_body *b, const struct am_comparison *c)
{
    struct am_text text;

    am_text_init(&text, LINE_BYTES);
    am_text_addf(&text, "%zu compared:", c->n);
    for (unsigned v = 0; v < AM_VERDICT_COUNT; v++) {
        const bool rare =
            v == AM_VERDICT_MAYBE_FASTER || v == AM_VERDICT_MAYBE_SLOWER || v == AM_VERDICT_SUSPECT;

        if (c->count[v] || !rare)
            am_text_addf(&text, "%s %zu %s", v ? "," : "", c->count[v],
                         am_verdict_name((enum am_verdict)v));
    }
    if (c->count[AM_VERDICT_SUSPECT])
        am_text_addf(&text, " (suspects by chance: at most %.0f)",
                     ceil((1 - 0.95) * (double)c->n_judged));
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "%s; %zu missing", am_text_str(&text),
                        c->n_missing);
    am_text_fini(&text);
}

/* What the comparison could have seen at all. */
static void tell_sight(struct am_body *b, const struct am_comparison *c)
{
    static const double steps[] = {0.05, 0.1, 0.3, 1};
    struct am_text text;

    am_text_init(&text, LINE_BYTES);
    for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
        size_t rows = 0;

        for (size_t i = 0; i < c->n; i++)
            rows += c->rows[i].seen <= steps[s];
        am_text_addf(&text, "%s %.0f %% in %zu", s ? "," : "", 100 * steps[s], rows);
    }
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                        "would have shown (with 90 %%) a change of%s of %zu rows",
                        am_text_str(&text), c->n);
    am_text_fini(&text);
}

/* The basis of the comparison, and of rows that have another one. */
static void tell_basis(struct am_body *b, const struct am_comparison *c)
{
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, "basis: ", am_basis_text(c->basis));
    for (unsigned basis = 0; basis < AM_BASIS_COUNT; basis++) {
        size_t rows = 0;

        for (size_t i = 0; i < c->n; i++)
            rows += c->rows[i].basis == basis;
        if (rows && basis != c->basis)
            (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "basis of ", "%zu row%s: %s", rows,
                                rows == 1 ? "" : "s", am_basis_text((enum am_basis)basis));
    }
}

static void tell_counts(struct am_body *b, const struct am_comparison_view *view)
{
    const struct am_comparison *const c = view->comparison;

    tell_verdicts(b, c);
    if (c->n)
        tell_sight(b, c);
    if (isfinite(c->geomean_speedup))
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "geometric mean of the speed-ups: %.3f (above 1: B is better)",
                            c->geomean_speedup);
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                        "B/A is the ratio of geometric means of launch medians; faster, slower: "
                        "beyond %.3g %%; same: within; p adjusted over the rows (Holm)",
                        view->settings->delta * 100);
    tell_basis(b, c);
}

static void comparison_blocks(struct am_body *b, const void *self)
{
    const struct am_comparison_view *const view = self;

    tell_side(b, "A  ", view->a, view->name_a);
    tell_side(b, "B  ", view->b, view->name_b);
    tell_differences(b, view->comparison);
    (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    add_rows(b, view);
    (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    tell_missing(b, view->comparison);
    tell_counts(b, view);
    if (view->last) {
        (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, view->last);
    }
}

/* The first rows as a picture. */
static void add_forest(struct am_body *b, const struct am_comparison_view *view)
{
    const struct am_comparison *const c = view->comparison;
    struct short_points *const points = find_points(b, c);
    const char **const labels = am_arena_array(b->arena, c->n + 1, sizeof(*labels));
    struct am_block *block;

    b->broken |= !labels;
    if (!points || !labels || c->n == 0)
        return;
    for (size_t i = 0; i < c->n; i++)
        labels[i] = am_arena_printf(b->arena, "%s %s", c->rows[i].a->bench,
                                    point_text(points, c->rows[i].a, b->arena));
    block = am_block_add(b, AM_BLOCK_FOREST, NULL, NULL);
    block->comparison = view;
    block->labels = labels;
}

void am_comparison_section(struct am_body *b, const struct am_comparison_view *view)
{
    static const struct am_column columns[] = {
        {.title = "bench"}, {.title = "point", .flow = true}, {.title = "why", .flow = true}};
    const struct am_comparison *const c = view->comparison;
    struct am_table *t;

    tell_side(b, "A  ", view->a, view->name_a);
    tell_side(b, "B  ", view->b, view->name_b);
    tell_counts(b, view);
    tell_differences(b, c);
    add_forest(b, view);
    (void)am_block_add(b, AM_BLOCK_DETAILS,
                       am_arena_printf(b->arena, "All %zu rows, by effect", c->n), NULL);
    add_rows(b, view);
    (void)am_block_add(b, AM_BLOCK_DETAILS_END, NULL, NULL);
    if (c->n_missing == 0)
        return;
    (void)am_block_add(b, AM_BLOCK_DETAILS,
                       am_arena_printf(b->arena, "%zu points cannot be compared", c->n_missing),
                       NULL);
    t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
    t->tall = true;
    for (size_t i = 0; i < c->n_missing && i < MISSING_FOLDED; i++) {
        am_table_row(t);
        (void)am_table_text(t, c->missing[i].result->bench);
        (void)am_table_text(t, c->missing[i].result->text);
        (void)am_table_text(t, c->missing[i].why);
    }
    (void)am_block_add(b, AM_BLOCK_DETAILS_END, NULL, NULL);
}

/* ---- for programs ---- */

static void tell_of(struct am_data *d, const char *key, const struct am_result_metric *m)
{
    const struct am_summary *const s = m->has_summary ? &m->summary : &am_summary_none;
    const double bound = am_evidence_bound(&s->ci, m->unit);

    am_data_object(d, key);
    am_data_number(d, "median", isfinite(bound) ? NAN : s->median);
    am_data_number(d, "bound", bound);
    am_data_range(d, "ci", s->ci.lo, s->ci.hi);
    am_data_unsigned(d, "launches", s->launches);
    am_data_unsigned(d, "samples", s->samples);
    if (m->has_summary)
        am_data_grading(d, m->grading);
    am_data_object_end(d);
}

static void tell_row(struct am_data *d, const struct am_comparison_row *row)
{
    am_data_object(d, NULL);
    am_data_text(d, "verdict", am_verdict_name(row->verdict));
    am_data_text(d, "bench", row->a->bench);
    am_data_point(d, "point", row->a);
    am_data_text(d, "metric", row->metric_a->name);
    am_data_text(d, "unit", row->metric_a->unit);
    am_data_text(d, "better", am_better_name(row->metric_a->better));
    tell_of(d, "a", row->metric_a);
    tell_of(d, "b", row->metric_b);
    am_data_number(d, "ratio", row->ratio.ratio);
    am_data_range(d, "ci", row->ratio.lo, row->ratio.hi);
    am_data_number(d, "coverage", row->ratio.coverage);
    am_data_number(d, "p", row->p);
    am_data_number(d, "speedup", row->speedup);
    am_data_number(d, "could_show", row->seen);
    am_data_text(d, "basis", am_basis_text(row->basis));
    if (row->runs)
        am_data_unsigned(d, "runs", row->runs);
    if (row->pairs) {
        am_data_unsigned(d, "pairs", row->pairs);
        am_data_unsigned(d, "pairs_agree", row->pairs_agree);
    }
    if (row->launches_needed)
        am_data_unsigned(d, "launches_needed", row->launches_needed);
    else
        am_data_text(d, "launches_needed", NULL);
    am_data_object_end(d);
}

static void comparison_data(struct am_data *d, const void *self)
{
    const struct am_comparison_view *const view = self;
    const struct am_comparison *const c = view->comparison;

    am_data_run(d, "a", view->a);
    am_data_run(d, "b", view->b);
    am_data_number(d, "delta", view->settings->delta);
    am_data_number(d, "level", view->settings->level);
    am_data_text(d, "basis", am_basis_text(c->basis));
    am_data_pairs(d, "differences", &c->differences);
    am_data_pairs(d, "remarks", &c->remarks);
    am_data_array(d, "rows");
    for (size_t i = 0; i < c->n; i++)
        tell_row(d, &c->rows[i]);
    am_data_array_end(d);
    am_data_array(d, "missing");
    for (size_t i = 0; i < c->n_missing; i++) {
        am_data_object(d, NULL);
        am_data_text(d, "bench", c->missing[i].result->bench);
        am_data_point(d, "point", c->missing[i].result);
        am_data_text(d, "why", c->missing[i].why);
        am_data_object_end(d);
    }
    am_data_array_end(d);
    am_data_object(d, "count");
    for (unsigned v = 0; v < AM_VERDICT_COUNT; v++)
        am_data_unsigned(d, am_verdict_name((enum am_verdict)v), c->count[v]);
    am_data_object_end(d);
    am_data_number(d, "geomean_speedup", c->geomean_speedup);
}

struct am_document am_document_comparison(const struct am_comparison_view *view)
{
    return (struct am_document){.self = view, .blocks = comparison_blocks, .data = comparison_data};
}
