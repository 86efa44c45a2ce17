/* SPDX-License-Identifier: MIT */
/* Facts of a machine: one row each with interval, claim, grade and evidence, by family. */
#include "document/facts.h"

#include "base/text.h"
#include "document/run.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

enum { INDENT = 2 };

/* In brief: of more facts of one name than anybody reads some, and between which the others are. */
enum { READ_MOST = 16, LARGEST = 3 };

/* ---- one fact ---- */

/* A size of which only those that were tried below and above it are known: its middle is nobody's
 * measurement. */
static bool is_between(const struct am_fact *f)
{
    const bool wide = f->ci.hi - f->ci.lo > 2 * am_grade_rows[AM_REASON_WIDE].a * f->value;

    return wide && !(f->ci.coverage <= 0) && strcmp(f->unit, "B") == 0;
}

void am_fact_value(const struct am_fact *f, char *buf, size_t cap)
{
    if (is_between(f))
        am_units_between(&(struct am_units_ends){f->ci.lo, f->ci.hi, f->unit}, "-", buf, cap);
    else
        am_units_known_fact(f->value, am_evidence_bound(&f->ci, f->unit), f->unit, buf, cap);
}

double am_fact_precision(const struct am_fact *f)
{
    const bool has_any = f->value > 0 && !(f->ci.coverage <= 0); /* fitted ones have no coverage */

    return has_any ? (f->ci.hi - f->ci.lo) / 2 / f->value : 0;
}

struct am_table_cell *am_table_fact(struct am_table *table, const struct am_fact *f)
{
    struct am_table_cell *const cell =
        am_table_known(table, AM_FORM_FACT, f->value, &f->ci, f->unit);

    cell->tone = AM_TONE_STRONG;
    cell->grade = f->grading.grade;
    return cell;
}

struct am_table_cell *am_table_fact_alone(struct am_table *table, const struct am_fact *f)
{
    struct am_table_cell *const cell = am_table_fact(table, f);

    if (is_between(f)) {
        cell->lo = f->ci.lo;
        cell->hi = f->ci.hi;
    }
    return cell;
}

struct am_table_cell *am_table_fact_interval(struct am_table *table, const struct am_fact *f)
{
    struct am_table_cell *const cell =
        am_table_quantity(table, AM_FORM_INTERVAL, f->ci.coverage, f->unit);

    cell->lo = f->ci.lo;
    cell->hi = f->ci.hi;
    return cell;
}

/* "33554432 B" is shown as the measured value is; any other claim as it is. */
const char *am_fact_claim(const struct am_fact *f, struct am_arena *arena)
{
    const size_t digits = f->claimed ? strspn(f->claimed, "0123456789") : 0;
    char text[AM_UNITS_MAX];
    const char *copy = NULL;
    double bytes;

    if (digits && strcmp(f->unit, "B") == 0 && strcmp(f->claimed + digits, " B") == 0 &&
        am_parse_f64(f->claimed, digits, &bytes)) {
        am_units_fact(bytes, f->unit, text, sizeof(text));
        copy = am_arena_strdup(arena, text);
    }
    return copy ? copy : f->claimed ? f->claimed : "";
}

/* ---- tables ---- */

static void add_row(struct am_table *t, const struct am_fact *f)
{
    am_table_row(t);
    (void)am_table_text(t, f->id);
    (void)am_table_text(t, f->unit);
    (void)am_table_fact(t, f);
    (void)am_table_number(t, AM_FORM_NUMBER, am_evidence_bound(&f->ci, f->unit));
    (void)am_table_fact_interval(t, f);
    (void)am_table_number(t, AM_FORM_NUMBER, f->ci.lo);
    (void)am_table_number(t, AM_FORM_NUMBER, f->ci.hi);
    (void)am_table_text(t, am_fact_claim(f, t->arena));
    (void)am_table_text(t, f->claimed);
    am_table_text(t, f->contradicts ? "CONTRADICTED"
                     : f->claimed   ? "agrees"
                                    : "")
        ->tone = f->contradicts ? AM_TONE_WARN : AM_TONE_PLAIN;
    (void)am_table_text(t, f->contradicts ? "yes" : "no");
    (void)am_table_text(t, am_grade_names[f->grading.grade]);
    (void)am_table_text(t, f->what);
    am_table_text(t, f->evidence)->tone = AM_TONE_MUTED;
}

/* `brief`: without claim and evidence, for people who did not ask for them. */
static struct am_table *add_table(struct am_body *b, bool brief)
{
    const char *const claimed = brief ? NULL : "claimed", *const evidence =
                                                              brief ? NULL : "evidence";
    const struct am_column columns[] = {
        {.title = "fact", .key = "id", .flow = true},
        {.key = "unit"},
        {.title = "value", .key = "value", .right = true},
        {.key = "bound"},
        {.title = "interval"},
        {.key = "lo"},
        {.key = "hi"},
        {.title = claimed, .rank = 3, .flow = true},
        {.key = "claimed"},
        {.title = "claim"},
        {.key = "contradicts"},
        {.title = "grade", .key = "grade", .rank = brief ? 5 : 1},
        {.title = "meaning", .key = "what", .rank = brief ? 0 : 4, .flow = true, .once = brief},
        {.title = evidence, .key = "evidence", .flow = true}};
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    t->hide_empty = true;
    t->indent = brief ? INDENT : 0;
    return t;
}

static bool same_family(const struct am_fact *a, const struct am_fact *b)
{
    return strcmp(a->family, b->family) == 0;
}

/* True when an earlier fact that counts is of the same family; *any: one that does not count. */
static bool seen_before(const struct am_facts *facts, const bool *left, size_t i, bool *any)
{
    bool seen = false;

    *any = false;
    for (size_t k = 0; k < facts->n; k++) {
        const bool same = same_family(&facts->items[k], &facts->items[i]);

        seen |= same && k < i && (!left || left[k]);
        *any |= same && left && !left[k];
    }
    return seen;
}

/* Of one family and name, as one table has them. */
struct namesakes {
    const struct am_facts *facts;
    const bool *left;
    size_t first, n;
};

static bool is_namesake(const struct namesakes *s, size_t k)
{
    const struct am_fact *const a = &s->facts->items[s->first], *const b = &s->facts->items[k];

    return (!s->left || s->left[k]) && same_family(a, b) && strcmp(a->name, b->name) == 0;
}

static struct namesakes namesakes_of(const struct am_facts *facts, const bool *left, size_t i)
{
    struct namesakes s = {.facts = facts, .left = left, .first = i};
    size_t first = facts->n;

    for (size_t k = 0; k < facts->n; k++) {
        if (!is_namesake(&s, k))
            continue;
        first = first == facts->n ? k : first;
        s.n++;
    }
    s.first = first;
    return s;
}

/* The largest few, one behind the other, and what the rest lies between. */
static void add_largest(struct am_table *t, const struct namesakes *s)
{
    const struct am_fact *const first = &s->facts->items[s->first];
    size_t told[LARGEST];
    double lo = INFINITY, hi = -INFINITY;
    struct am_table_cell *cell;

    for (size_t j = 0; j < LARGEST; j++) {
        told[j] = s->facts->n;
        for (size_t k = s->first; k < s->facts->n; k++) {
            bool before = !is_namesake(s, k);

            for (size_t q = 0; q < j; q++)
                before = before || told[q] == k;
            if (!before && (told[j] == s->facts->n ||
                            s->facts->items[k].value > s->facts->items[told[j]].value))
                told[j] = k;
        }
        if (told[j] < s->facts->n)
            add_row(t, &s->facts->items[told[j]]);
    }
    for (size_t k = s->first; k < s->facts->n; k++) {
        bool before = !is_namesake(s, k);

        for (size_t q = 0; q < LARGEST; q++)
            before = before || told[q] == k;
        lo = before ? lo : fmin(lo, s->facts->items[k].value);
        hi = before ? hi : fmax(hi, s->facts->items[k].value);
    }
    am_table_row(t);
    (void)am_table_textf(t, "%s.%s, %zu more", first->family, first->name, s->n - LARGEST);
    (void)am_table_text(t, first->unit);
    (void)am_table_text(t, NULL); /* no value of its own, and no bound */
    (void)am_table_text(t, NULL);
    cell = am_table_quantity(t, AM_FORM_INTERVAL, NAN, first->unit);
    cell->lo = lo;
    cell->hi = hi;
}

/* A row; of many of one name those of all are told at the first of them. */
static void add_rows(struct am_table *t, const struct am_facts *facts, const bool *left, size_t k)
{
    const struct namesakes s = namesakes_of(facts, left, k);

    if (s.n <= READ_MOST || !left)
        add_row(t, &facts->items[k]);
    else if (s.first == k)
        add_largest(t, &s);
}

void am_facts_tables(struct am_body *b, const struct am_facts *facts, const bool *left)
{
    for (size_t i = 0; i < facts->n; i++) {
        const struct am_family *const family = am_family_find(facts->items[i].family);
        struct am_table *t;
        bool further;

        if ((left && !left[i]) || seen_before(facts, left, i, &further))
            continue;
        (void)am_block_add(b, AM_BLOCK_SUBHEADING,
                           am_arena_printf(b->arena, "%s%s",
                                           family ? family->title : facts->items[i].family,
                                           further ? ", further" : ""),
                           NULL);
        t = add_table(b, left != NULL);
        for (size_t k = i; k < facts->n; k++) {
            if ((!left || left[k]) && same_family(&facts->items[i], &facts->items[k]))
                add_rows(t, facts, b->programs ? NULL : left, k);
        }
    }
}

void am_facts_denied(struct am_body *b, const struct am_facts *facts)
{
    struct am_table *const t = add_table(b, false);

    for (size_t i = 0; i < facts->n; i++) {
        if (facts->items[i].contradicts)
            add_row(t, &facts->items[i]);
    }
}

static bool same_reasons(const struct am_remark *a, const struct am_remark *b)
{
    return a->why && b->why && strcmp(a->why, b->why) == 0;
}

/* "too few launches: core.clock; core.peak{type=f64}": remark `i` and those behind it that were
 * withheld for the same reasons; as it is where it is alone. */
static const char *withheld_together(const struct am_facts *facts, size_t i, struct am_arena *arena)
{
    const struct am_remark *const first = &facts->remarks[i];
    struct am_text text;
    const char *copy;

    am_text_init(&text, SIZE_MAX);
    for (size_t k = i + 1; k < facts->n_remarks; k++) {
        if (!same_reasons(&facts->remarks[k], first))
            continue;
        if (!text.len)
            am_text_addf(&text, "%s: %s", first->why, first->about);
        am_text_addf(&text, "; %s", facts->remarks[k].about);
    }
    copy = text.len ? am_arena_strdup(arena, am_text_str(&text)) : NULL;
    am_text_fini(&text);
    return copy ? copy : first->text;
}

static bool told_before(const struct am_facts *facts, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (same_reasons(&facts->remarks[k], &facts->remarks[i]))
            return true;
    }
    return false;
}

void am_facts_remarks(struct am_body *b, const struct am_facts *facts)
{
    if (facts->n_remarks == 0)
        return;
    (void)am_block_add(b, AM_BLOCK_SUBHEADING, "Not concluded",
                       "what the measurements were not good enough for");
    for (size_t i = 0; i < facts->n_remarks; i++) {
        if (!told_before(facts, i))
            am_block_add(b, AM_BLOCK_ITEM, NULL, withheld_together(facts, i, b->arena))->indent =
                INDENT;
    }
}

/* ---- cards ---- */

static void add_card(struct am_table *t, const struct am_fact *f, const struct am_headline *h)
{
    const double precision = am_fact_precision(f);
    char half[AM_UNITS_MAX] = "";

    am_table_row(t);
    am_table_fact_alone(t, f)->form = h->of ? AM_FORM_SHARE : AM_FORM_FACT;
    (void)am_table_text(t, h->title);
    if (precision > 0 && !is_between(f))
        am_units_share(precision, half, sizeof(half));
    (void)am_table_textf(t, "%s%s%sgrade %s", *half ? "±" : "", half, *half ? ", " : "",
                         am_grade_names[f->grading.grade]);
}

void am_facts_cards(struct am_body *b, const struct am_facts *facts)
{
    static const struct am_column columns[] = {{.title = "value", .key = "value", .right = true},
                                               {.title = "what", .key = "what"},
                                               {.title = "trust", .key = "trust"}};
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
    const struct am_headline *all[AM_HEADLINES_MAX];
    const size_t n = am_families_headlines(all);
    const char *told = "";

    b->items[b->n - 1].kind = AM_BLOCK_CARDS;
    for (size_t i = 0; i < n; i++) {
        const struct am_fact *const f = am_headline_fact(all[i], facts);
        const bool counts = all[i]->place != AM_HEADLINE_DENIED || (f && f->contradicts);

        if (!f || !counts || strcmp(told, all[i]->title) == 0)
            continue;
        add_card(t, f, all[i]);
        told = all[i]->title;
    }
}

/* ---- documents ---- */

static void facts_blocks(struct am_body *b, const void *self)
{
    const struct am_facts_view *const view = self;

    (void)am_block_add(b, AM_BLOCK_LINE, "machine", am_machine_line(&view->set->machine, b->arena));
    am_facts_tables(b, view->facts, NULL);
    if (view->facts->n == 0 && b->programs)
        (void)add_table(b, false); /* the head of an empty table */
    am_facts_remarks(b, view->facts);
}

static void tell_fact(struct am_data *d, const struct am_fact *f)
{
    const double bound = am_evidence_bound(&f->ci, f->unit);

    am_data_object(d, NULL);
    am_data_text(d, "id", f->id);
    am_data_text(d, "family", f->family);
    am_data_text(d, "name", f->name);
    am_data_object(d, "labels");
    for (size_t i = 0; i < f->n_labels; i++) {
        if (f->labels[i].kind == AM_AXIS_NAME)
            am_data_text(d, f->labels[i].name, f->labels[i].text);
        else
            am_data_guess(d, f->labels[i].name, f->labels[i].text);
    }
    am_data_object_end(d);
    am_data_text(d, "kind", am_fact_kinds[f->kind]);
    am_data_grading(d, f->grading);
    am_data_text(d, "what", f->what);
    am_data_text(d, "unit", f->unit);
    am_data_number(d, "value", isfinite(bound) ? NAN : f->value);
    am_data_number(d, "bound", bound);
    am_data_range(d, "interval", f->ci.lo, f->ci.hi);
    am_data_number(d, "coverage", f->ci.coverage);
    am_data_unsigned(d, "launches", f->launches);
    am_data_text(d, "claimed", f->claimed);
    am_data_bool(d, "contradicts", f->contradicts);
    am_data_text(d, "evidence", f->evidence);
    am_data_object_end(d);
}

void am_data_facts(struct am_data *d, const struct am_facts *facts)
{
    am_data_array(d, "facts");
    for (size_t i = 0; i < facts->n; i++)
        tell_fact(d, &facts->items[i]);
    am_data_array_end(d);
    am_data_array(d, "not_concluded");
    for (size_t i = 0; i < facts->n_remarks; i++)
        am_data_text(d, NULL, facts->remarks[i].text);
    am_data_array_end(d);
}

static void facts_data(struct am_data *d, const void *self)
{
    const struct am_facts_view *const view = self;

    am_data_run(d, "run", view->set);
    am_data_machine(d, &view->set->machine);
    am_data_facts(d, view->facts);
}

struct am_document am_document_facts(const struct am_facts_view *view)
{
    return (struct am_document){.self = view, .blocks = facts_blocks, .data = facts_data};
}
