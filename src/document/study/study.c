/* SPDX-License-Identifier: MIT */
/* A study for people: what came out in short, claims with the comparison behind each, tables and
 * figures in the paper's numbering, what is missing and why. */
#include "document/study/study.h"

#include "document/points.h"
#include "document/run.h"
#include "document/study/study_data.h"

#include <math.h>
#include <string.h>

enum { LABEL_BYTES = 512 };

static const enum am_tone tones[AM_CLAIM_OUTCOMES] = {
    [AM_CLAIM_REPRODUCED] = AM_TONE_GOOD,
    [AM_CLAIM_CONTRADICTED] = AM_TONE_BAD,
    [AM_CLAIM_UNDECIDED] = AM_TONE_WARN,
};

/* ---- in short ---- */

struct am_study_counts am_study_count(const struct am_study_view *view, enum am_study_kind kind)
{
    const struct am_study *const study = view->study;
    struct am_study_counts n = {0};

    for (size_t i = 0; i < study->n_items; i++) {
        if (study->items[i].kind != kind)
            continue;
        if (view->made[i].why)
            n.not_here += study->items[i].numbers.n;
        else
            n.made += study->items[i].numbers.n;
    }
    for (size_t i = 0; i < study->n_missing; i++)
        n.missing += study->missing[i].kind == kind ? study->missing[i].numbers.n : 0;
    n.all = n.made + n.not_here + n.missing;
    return n;
}

static void add_counts(struct am_body *b, const struct am_study_view *view)
{
    static const struct am_column columns[] = {
        {.title = "", .key = "kind"},
        {.title = "in the paper", .key = "all", .right = true},
        {.title = "made", .key = "made", .right = true},
        {.title = "not made here", .key = "not_here", .right = true},
        {.title = "missing", .key = "missing", .right = true},
    };
    static const char *const names[] = {[AM_STUDY_TABLE] = "tables", [AM_STUDY_FIGURE] = "figures"};
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(*columns));

    for (size_t k = 0; k < AM_STUDY_KINDS; k++) {
        const struct am_study_counts n = am_study_count(view, (enum am_study_kind)k);

        am_table_row(t);
        (void)am_table_text(t, names[k]);
        (void)am_table_whole(t, n.all);
        (void)am_table_whole(t, n.made);
        (void)am_table_whole(t, n.not_here);
        (void)am_table_whole(t, n.missing);
    }
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH,
                        "claims: ", "%zu reproduced, %zu contradicted, %zu undecided here, of %zu.",
                        view->judged->count[AM_CLAIM_REPRODUCED],
                        view->judged->count[AM_CLAIM_CONTRADICTED],
                        view->judged->count[AM_CLAIM_UNDECIDED], view->study->n_claims);
}

static void add_head(struct am_body *b, const struct am_study_view *view)
{
    const struct am_study *const study = view->study;

    /* a page has its title above */
    (void)am_block_add(b, AM_BLOCK_HEADING, view->page ? "Study" : study->title, study->source);
    (void)am_block_add(b, AM_BLOCK_LINE, "machine", am_machine_line(&view->set->machine, b->arena));
    (void)am_block_addf(b, AM_BLOCK_LINE, "run", "%s%s, %s%s", view->path ? view->path : "",
                        am_run_label(&view->set->run, b->arena),
                        view->set->run.started ? view->set->run.started : "no date",
                        view->set->run.synthetic ? ", simulated" : "");
    for (size_t i = 0; i < study->notes.n; i++)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, study->notes.items[i]);
    (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    add_counts(b, view);
}

/* ---- points ---- */

/* "BENCH size=16 KiB": the bench, and what tells the point apart from its others. */
static const char *point_text(const struct am_study_view *view, const struct am_result *r,
                              struct am_arena *arena)
{
    struct am_points points = {0};
    char label[LABEL_BYTES];
    const char *text;

    for (size_t i = 0; i < view->set->n; i++) {
        if (am_points_together(&view->set->results[i], r))
            am_points_add(&points, &view->set->results[i]);
    }
    am_points_label(&points, r, label, sizeof(label));
    text = am_arena_printf(arena, "%s%s%s", r->bench, *label ? " " : "", label);
    return text ? text : "";
}

/* ---- claims ---- */

struct am_ratio am_study_ratio(const struct am_comparison_row *row)
{
    const double times = row->times > 0 ? row->times : 1;
    struct am_ratio r = row->ratio;

    r.ratio *= times;
    r.lo *= times;
    r.hi *= times;
    return r;
}

/* "1.53 [1.49, 1.57], grades A and B": what one row rests on. */
static const char *row_words(const struct am_comparison_row *row, struct am_arena *arena)
{
    const struct am_ratio r = am_study_ratio(row);
    const char a = "ABC"[row->metric_a->grading.grade], b = "ABC"[row->metric_b->grading.grade];
    const char *words;

    if (!isfinite(r.ratio))
        return "";
    words = row->constant > 0 ? am_arena_printf(arena, "ratio %.3g [%.3g, %.3g], grade %c", r.ratio,
                                                r.lo, r.hi, b)
                              : am_arena_printf(arena, "ratio %.3g [%.3g, %.3g], grades %c and %c",
                                                r.ratio, r.lo, r.hi, b, a);
    return words ? words : "";
}

/* The same, with what was allowed for where that decided. */
static const char *row_evidence(const struct am_judged_study *s,
                                const struct am_comparison_row *row, struct am_arena *arena)
{
    const struct am_claim_row *const own = &s->rows[row - s->comparison.rows];
    const char *const words = row_words(row, arena), *more;

    if (!*words || own->why || !(own->allowance > 0))
        return words;
    more = am_arena_printf(arena, "%s, a factor of %.3g allowed for what others took", words,
                           exp(own->allowance));
    return more ? more : words;
}

/* The row of a claim that speaks loudest for its outcome. */
static const struct am_comparison_row *telling_row(const struct am_judged_study *s,
                                                   const struct am_judged_claim *c)
{
    const enum am_claim_answer wanted = c->outcome == AM_CLAIM_REPRODUCED     ? AM_ANSWER_HOLDS
                                        : c->outcome == AM_CLAIM_CONTRADICTED ? AM_ANSWER_DENIED
                                                                              : AM_ANSWER_OPEN;

    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = c->questions[i].first; k < c->questions[i].first + c->questions[i].n; k++) {
            if (s->rows[k].answer == wanted)
                return &s->comparison.rows[k];
        }
    }
    return NULL;
}

const char *am_study_evidence(const struct am_judged_study *s, const struct am_judged_claim *c,
                              struct am_arena *arena)
{
    const struct am_comparison_row *const row = telling_row(s, c);
    const char *const words = row ? row_evidence(s, row, arena) : "";
    const char *text;

    if (c->outcome == AM_CLAIM_UNDECIDED)
        text = am_arena_printf(arena, "%s%s%s", c->why, *words ? "; " : "", words);
    else if (c->n == 1)
        text = words;
    else
        text = am_arena_printf(arena, "%zu of %zu hold, %zu denied%s%s", c->count[AM_ANSWER_HOLDS],
                               c->n, c->count[AM_ANSWER_DENIED],
                               c->outcome == AM_CLAIM_CONTRADICTED ? "; denied by " : "; first ",
                               words);
    return text ? text : "";
}

const char *am_study_because(const struct am_judged_study *s, size_t i, struct am_arena *arena)
{
    const struct am_judged_claim *const c = &s->claims[i], *const reason = &s->reasons[i];
    const char *const because = c->claim->because, *text;

    if (c->outcome != AM_CLAIM_CONTRADICTED || !because)
        return NULL;
    if (!reason->claim)
        return because;
    text = am_arena_printf(arena, "%s (%s: %s)", because, am_claim_supports[reason->outcome],
                           am_study_evidence(s, reason, arena));
    return text ? text : because;
}

/* What the outcome of claim `i` rests on, and why it is another than the paper's: one below the
 * other on a terminal, in one cell of a page. */
static void add_reasons(struct am_table *t, const struct am_study_view *view, size_t i)
{
    const char *const because = am_study_because(view->judged, i, t->arena);
    const char *const evidence =
        am_study_evidence(view->judged, &view->judged->claims[i], t->arena);

    if (view->page && because)
        (void)am_table_textf(t, "%s. %s", evidence, because);
    else
        (void)am_table_text(t, evidence);
    (void)am_table_text(t, view->page ? NULL : because);
}

static void add_claims_table(struct am_body *b, const struct am_study_view *view)
{
    static const struct am_column columns[] = {
        {.title = "outcome", .key = "outcome"},
        {.title = "claim", .key = "claim"},
        {.title = "section", .key = "section", .rank = 2},
        {.title = "says", .key = "says", .flow = true, .place = AM_PLACE_BELOW},
        {.title = "evidence", .key = "evidence", .flow = true, .place = AM_PLACE_BELOW},
        {.title = "because", .key = "because", .flow = true, .place = AM_PLACE_BELOW},
    };
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(*columns));

    t->hide_empty = true;
    for (size_t i = 0; i < view->study->n_claims; i++) {
        const struct am_judged_claim *const c = &view->judged->claims[i];

        am_table_row(t);
        am_table_text(t, am_claim_outcomes[c->outcome])->tone = tones[c->outcome];
        (void)am_table_text(t, c->claim->name);
        (void)am_table_text(t, c->claim->section);
        (void)am_table_text(t, c->claim->says);
        add_reasons(t, view, i);
    }
}

/* Row `k` of the comparison, which is one of the question. */
static void add_row(struct am_table *t, const struct am_study_view *view,
                    const struct am_judged_claim *c, const struct am_study_that *that, size_t k)
{
    static const char *const answers[] = {
        [AM_ANSWER_HOLDS] = "holds", [AM_ANSWER_DENIED] = "denied", [AM_ANSWER_OPEN] = "open"};
    const struct am_comparison_row *const row = &view->judged->comparison.rows[k];
    const struct am_claim_row *const own = &view->judged->rows[k];
    const struct am_ratio r = am_study_ratio(row);
    struct am_table_cell *cell;

    am_table_row(t);
    (void)am_table_text(t, c->claim->name);
    (void)am_table_text(t, point_text(view, row->b, t->arena));
    if (row->constant > 0)
        (void)am_table_quantity(t, AM_FORM_QUANTITY, row->constant, that->unit);
    else
        (void)am_table_text(t, point_text(view, row->a, t->arena));
    (void)am_table_number(t, AM_FORM_RATIO, r.ratio);
    cell = am_table_number(t, AM_FORM_RATIO_INTERVAL, NAN);
    cell->lo = isfinite(r.ratio) ? r.lo : NAN;
    cell->hi = r.hi;
    am_table_number(t, AM_FORM_NUMBER, row->p)->digits = 2;
    (void)am_table_textf(t, "%c/%c", "ABC"[row->metric_b->grading.grade],
                         "ABC"[row->metric_a->grading.grade]);
    (void)am_table_textf(t, "%zu/%zu", row->n_b, row->n_a);
    (void)am_table_text(t, own->why ? own->why : answers[own->answer]);
}

/* Every comparison of every claim. */
static void add_rows_table(struct am_body *b, const struct am_study_view *view)
{
    static const struct am_column columns[] = {
        {.title = "claim", .key = "claim"},
        {.title = "this", .key = "point", .flow = true},
        {.title = "against", .key = "against", .flow = true},
        {.title = "ratio", .key = "ratio", .right = true},
        {.title = "95 %", .key = "interval"},
        {.title = "p", .key = "p", .right = true, .rank = 2},
        {.title = "grades", .key = "grades", .rank = 1},
        {.title = "launches", .key = "launches", .rank = 3},
        {.title = "answer", .key = "answer", .flow = true},
    };
    const struct am_judged_study *const s = view->judged;
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(*columns));

    t->tall = true;
    for (size_t i = 0; i < view->study->n_claims; i++) {
        const struct am_judged_claim *const c = &s->claims[i];

        for (size_t q = 0; q < c->n; q++) {
            for (size_t k = c->questions[q].first; k < c->questions[q].first + c->questions[q].n;
                 k++)
                add_row(t, view, c, c->questions[q].that, k);
        }
    }
}

static void add_claims(struct am_body *b, const struct am_study_view *view)
{
    const struct am_judged_study *const s = view->judged;

    if (view->study->n_claims == 0)
        return;
    (void)am_block_add(b, AM_BLOCK_HEADING, "Claims", "of the paper, judged by this run");
    add_claims_table(b, view);
    (void)am_block_addf(
        b, AM_BLOCK_PARAGRAPH, "level: ",
        "%zu claims that can be judged here share 5 %%: the probability that any outcome above is "
        "wrong is at most that. Ratios are of the first to the second, with their own 95 %% interval. "
        "Points of grade C decide only what others on the machine cannot explain; what is missing "
        "decides nothing.",
        s->n_judged);
    if (!s->comparison.n || !view->all)
        return;
    (void)am_block_add(b, AM_BLOCK_DETAILS, "every comparison", NULL);
    add_rows_table(b, view);
    (void)am_block_add(b, AM_BLOCK_DETAILS_END, NULL, NULL);
}

/* ---- tables and figures ---- */

static void add_cell(struct am_table *t, const struct am_cell *cell)
{
    struct am_table_cell *shown;

    if (cell->kind == AM_CELL_INT)
        shown = am_table_number(t, AM_FORM_NUMBER, (double)cell->i);
    else if (cell->kind == AM_CELL_REAL)
        shown = am_table_number(t, AM_FORM_NUMBER, cell->r);
    else
        shown = am_table_text(t, cell->kind == AM_CELL_TEXT ? cell->text : NULL);
    if (cell->kind == AM_CELL_INT)
        shown->digits = 15;
    else if (cell->kind == AM_CELL_REAL)
        shown->digits = 5;
}

static void add_query(struct am_body *b, const struct am_query_table *q)
{
    struct am_column columns[AM_COLUMNS_MAX];
    const size_t n = q->n_columns < AM_COLUMNS_MAX ? q->n_columns : AM_COLUMNS_MAX;
    struct am_table *t;

    if (!q->n_rows)
        return;
    for (size_t i = 0; i < n; i++)
        columns[i] = (struct am_column){.title = q->columns[i],
                                        .key = q->columns[i],
                                        .right = q->cells[i].kind != AM_CELL_TEXT};
    t = am_block_table(b, columns, n);
    t->tall = true;
    t->hide_empty = true; /* energy without a meter */
    for (size_t r = 0; r < q->n_rows; r++) {
        am_table_row(t);
        for (size_t i = 0; i < n; i++)
            add_cell(t, &q->cells[r * q->n_columns + i]);
    }
}

static void add_here(struct am_table *t, const struct am_study_view *view,
                     const struct am_study_number *number, const struct am_study_beside *beside)
{
    const struct am_pick *const pick = beside->pick;

    if (!pick) {
        am_table_text(t, beside->why)->tone = AM_TONE_MUTED;
        (void)am_table_text(t, NULL);
        (void)am_table_text(t, NULL);
        return;
    }
    am_table_known(t, AM_FORM_QUANTITY, pick->metric->summary.median, &pick->metric->summary.ci,
                   pick->metric->unit)
        ->grade = pick->metric->grading.grade;
    if (strcmp(pick->metric->unit, number->si_unit) == 0 && number->si > 0)
        (void)am_table_number(t, AM_FORM_RATIO, pick->metric->summary.median / number->si);
    else
        (void)am_table_text(t, NULL);
    (void)am_table_text(t, point_text(view, pick->result, t->arena));
}

/* The paper's numbers, and what stands beside them here. */
static void add_numbers(struct am_body *b, const struct am_study_view *view,
                        const struct am_study_made *made)
{
    static const struct am_column columns[] = {
        {.title = "in the paper", .key = "what", .flow = true},
        {.title = "there", .key = "there", .right = true},
        {.title = "here", .key = "here", .right = true, .flow = true},
        {.title = "here/there", .key = "ratio", .right = true, .rank = 1},
        {.title = "point", .key = "point", .flow = true, .rank = 2},
    };
    struct am_table *t;

    if (!made->item->n_beside)
        return;
    t = am_block_table(b, columns, sizeof(columns) / sizeof(*columns));
    t->hide_empty = true;
    for (size_t i = 0; i < made->item->n_beside; i++) {
        const struct am_study_number *const number = &made->item->beside[i];

        am_table_row(t);
        (void)am_table_text(t, number->what);
        (void)am_table_textf(t, "%.6g %s", number->value, number->unit);
        add_here(t, view, number, &made->beside[i]);
    }
}

static void add_item(struct am_body *b, const struct am_study_view *view,
                     const struct am_study_made *made)
{
    const struct am_study_item *const item = made->item;
    const char *const name = am_arena_printf(
        b->arena, "%s %s", item->kind == AM_STUDY_TABLE ? "Table" : "Figure", item->label);

    (void)am_block_add(b, AM_BLOCK_SUBHEADING, name,
                       item->caption ? item->caption
                       : made->drawn ? am_figure_title(&made->figure)
                                     : NULL);
    if (made->why)
        am_block_addf(b, AM_BLOCK_PARAGRAPH, "not made here: ", "%s", made->why)->tone =
            AM_TONE_WARN;
    if (made->drawn && view->page)
        am_block_add(b, AM_BLOCK_FIGURE, NULL, NULL)->figure = &made->figure;
    else if (made->drawn)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, "drawn on the page (-o PAGE.html)");
    add_query(b, &made->table);
    add_numbers(b, view, made);
    for (size_t i = 0; i < item->remarks.n; i++)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL, item->remarks.items[i]);
}

static void add_items(struct am_body *b, const struct am_study_view *view, enum am_study_kind kind)
{
    bool any = false;

    for (size_t i = 0; i < view->study->n_items; i++) {
        if (view->study->items[i].kind != kind)
            continue;
        if (!any)
            (void)am_block_add(b, AM_BLOCK_HEADING, kind == AM_STUDY_TABLE ? "Tables" : "Figures",
                               "in the paper's numbering");
        any = true;
        add_item(b, view, &view->made[i]);
    }
}

static void add_missing(struct am_body *b, const struct am_study *study)
{
    static const struct am_column columns[] = {{.title = "missing", .key = "missing"},
                                               {.title = "why", .key = "why", .flow = true}};
    struct am_table *t;

    if (!study->n_missing)
        return;
    (void)am_block_add(b, AM_BLOCK_HEADING, "Missing", NULL);
    t = am_block_table(b, columns, sizeof(columns) / sizeof(*columns));
    for (size_t i = 0; i < study->n_missing; i++) {
        am_table_row(t);
        (void)am_table_textf(t, "%s %s", am_study_kinds[study->missing[i].kind],
                             study->missing[i].label);
        (void)am_table_text(t, study->missing[i].why);
    }
}

static void study_blocks(struct am_body *b, const void *self)
{
    const struct am_study_view *const view = self;

    if (b->programs) { /* one table for CSV: the claims */
        add_claims_table(b, view);
        return;
    }
    add_head(b, view);
    add_claims(b, view);
    add_items(b, view, AM_STUDY_TABLE);
    add_items(b, view, AM_STUDY_FIGURE);
    add_missing(b, view->study);
}

struct am_document am_document_study(const struct am_study_view *view)
{
    return (struct am_document){.self = view,
                                .blocks = study_blocks,
                                .data = am_study_data,
                                .title = view->study->title,
                                .footer = "archmeter study",
                                .depth = 4};
}
