/* SPDX-License-Identifier: MIT */
/* The lines of the first screen: headlines of one rank become a row of figures or a line of words.
 */
#include "document/screen/lines.h"

#include "base/text.h"
#include "document/facts.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

enum {
    NOTE_MAX = 25,
    ROW_MAX = 16, /* headlines of one rank */
};

/* From roomy to crowded. A line that falls off the end of the screen is worse than any of these. */
static const struct am_screen_room rooms[] = {{3, false}, {3, true}, {2, true}, {1, true}};

void am_screen_rest_on(struct am_screen_state *s, struct am_screen_trust *t,
                       const struct am_fact *f)
{
    const double half = am_fact_precision(f);

    t->precision = fmax(t->precision, half);
    t->grading = am_grading_worse(t->grading, f->grading);
    if (half > 0 && s->n_precisions < AM_HEADLINES_MAX)
        s->precisions[s->n_precisions++] = half;
}

void am_screen_show_trust(const struct am_screen_trust *t, char *buf, size_t cap)
{
    char share[AM_UNITS_MAX] = "";

    if (t->precision > 0)
        am_units_share(t->precision, share, sizeof(share));
    (void)am_str_format(buf, cap, "%s%s%s", share, *share ? " " : "",
                        am_grade_names[t->grading.grade]);
}

/* ---- rows of figures ---- */

struct row {
    const char *name;
    const struct am_fact *one, *all, *size;
    const char *word;        /* behind the figure of all cores */
    bool wants_size, looked; /* looked: what tells sizes was measured */
    struct am_text note;
    size_t n; /* figures */
    struct am_screen_trust trust;
};

/* What does not fit is left out: the tables have it. */
static void add_note(struct row *r, const char *text)
{
    const size_t before = strlen(am_text_str(&r->note));

    if (before + 2 + strlen(text) <= NOTE_MAX)
        am_text_addf(&r->note, "%s%s", before ? ", " : "", text);
}

static void deny(struct row *r, const struct am_fact *f, struct am_arena *arena)
{
    char text[AM_UNITS_MAX];

    if (f->contradicts && am_str_format(text, sizeof(text), "%s denied", am_fact_claim(f, arena)))
        add_note(r, text);
}

static void put_figure(struct row *r, const struct am_headline *h, const struct am_fact *f)
{
    char text[AM_UNITS_MAX];

    if (h->place == AM_HEADLINE_ONE && !r->one) {
        r->one = f;
        if (h->word)
            add_note(r, h->word);
    }
    if (h->place == AM_HEADLINE_ALL && !r->all) {
        r->all = f;
        r->word = h->word;
    }
    if (h->place == AM_HEADLINE_SIZE)
        r->size = f;
    if (h->place == AM_HEADLINE_NOTE) {
        am_fact_value(f, text, sizeof(text));
        add_note(r, text);
    }
}

/* Sizes follow from what stands among the remarks of levels: where that is known of any level, a
 * size that is not known is undecided, else nobody asked. */
static bool is_looked_for(const struct am_facts *facts, const struct am_headline *h)
{
    return (h->place == AM_HEADLINE_SIZE || h->place == AM_HEADLINE_NOTE) &&
           am_facts_next(facts, h->fact, NULL, NULL) != NULL;
}

static void gather(struct am_screen_state *s, const struct am_headline *const *of, size_t n,
                   struct row *r)
{
    const struct am_fact *denials[ROW_MAX];
    const char *told = "";
    size_t n_denials = 0;

    for (size_t i = 0; i < n; i++) {
        const struct am_fact *const f = am_headline_fact(of[i], s->view->facts);
        const bool only_denials = of[i]->place == AM_HEADLINE_DENIED;

        r->wants_size |= of[i]->place == AM_HEADLINE_SIZE;
        r->looked |= is_looked_for(s->view->facts, of[i]);
        if (!f || strcmp(told, of[i]->title) == 0)
            continue;
        told = of[i]->title;
        put_figure(r, of[i], f);
        if (only_denials && !f->contradicts)
            continue;
        if (of[i]->place == AM_HEADLINE_SIZE)
            r->trust.grading = am_grading_worse(r->trust.grading, f->grading);
        else if (!only_denials)
            am_screen_rest_on(s, &r->trust, f);
        denials[n_denials++] = f;
        r->n += !only_denials;
    }
    for (size_t i = 0; i < n_denials; i++)
        deny(r, denials[i], s->b->arena);
}

/* "174" behind "87 Gflop/s": the unit once, where both have the same prefix. */
static void put_all(struct am_table *t, const struct row *r)
{
    char one[AM_UNITS_MAX], all[AM_UNITS_MAX];
    const char *unit, *same;

    if (!r->all) {
        (void)am_table_text(t, NULL);
        return;
    }
    am_fact_value(r->all, all, sizeof(all));
    if (r->one) {
        am_fact_value(r->one, one, sizeof(one));
        unit = strchr(one, ' ');
        same = strchr(all, ' ');
        if (unit && same && strcmp(unit, same) == 0)
            all[same - all] = '\0';
    }
    am_table_textf(t, "%s%s%s", all, r->word ? " " : "", r->word ? r->word : "")->tone =
        AM_TONE_STRONG;
}

/* A rate of some cores only is not one of all. */
static void note_threads(const struct am_screen_state *s, struct row *r)
{
    const char *const cores = am_kvs_get(&s->view->set->machine, "cores");
    const double threads = r->all ? am_fact_number(r->all, "threads") : NAN;
    double n = 0;
    char text[AM_UNITS_MAX];

    if (cores && am_parse_f64(cores, strlen(cores), &n) && threads < n &&
        am_str_format(text, sizeof(text), "all: %.0f threads", threads))
        add_note(r, text);
}

/* Its middle where both ends do not fit behind the line's name. */
static void show_size(const struct am_fact *f, char *buf, size_t cap)
{
    am_fact_value(f, buf, cap);
    if (strlen(buf) > AM_SCREEN_NAME - strlen("L1, "))
        am_units_fact(f->value, f->unit, buf, cap);
}

static void put_row(const struct am_screen_state *s, struct am_table *t, struct row *r)
{
    char size[AM_UNITS_MAX] = "", trust[AM_UNITS_MAX], value[AM_UNITS_MAX] = "";
    char name[AM_CELL_BYTES];

    note_threads(s, r);
    if (r->size)
        show_size(r->size, size, sizeof(size));
    else if (r->wants_size && r->looked)
        add_note(r, "size undecided");
    if (r->one)
        am_fact_value(r->one, value, sizeof(value));
    am_screen_show_trust(&r->trust, trust, sizeof(trust));
    am_table_row(t);
    (void)am_str_format(name, sizeof(name), "%s%s%s", r->name, *size ? ", " : "", size);
    (void)am_table_textf(t, "%-*s", AM_SCREEN_NAME,
                         name); /* as wide as the names of lines of words */
    am_table_textf(t, "%s", value)->tone = AM_TONE_STRONG;
    put_all(t, r);
    am_table_textf(t, "%s", trust)->grade = r->trust.grading.grade;
    (void)am_table_textf(t, "%s", am_text_str(&r->note));
}

static void tell_row(struct am_screen_state *s, struct am_table *t,
                     const struct am_headline *const *of, size_t n)
{
    struct row r = {.name = of[0]->row};

    am_text_init(&r.note, AM_SCREEN_WORDS);
    gather(s, of, n, &r);
    if (r.n > 0 && s->left > 0) {
        put_row(s, t, &r);
        s->left--;
    } else {
        s->lost += r.n > 0;
    }
    am_text_fini(&r.note);
}

/* ---- all of them ---- */

/* Headlines of one rank that stand on the screen; *i moves behind them. */
static size_t take_rank(const struct am_headline *const *all, size_t n, size_t *i,
                        const struct am_headline **out)
{
    const unsigned rank = all[*i]->rank;
    size_t taken = 0;

    for (; *i < n && all[*i]->rank == rank; (*i)++) {
        if (all[*i]->row && taken < ROW_MAX)
            out[taken++] = all[*i];
    }
    return taken;
}

static struct am_table *add_rows(struct am_body *b)
{
    static const struct am_column columns[] = {
        {.title = "", .key = "what"},         {.title = "one core", .key = "one"},
        {.title = "all cores", .key = "all"}, {.title = "± grade", .key = "grade", .right = true},
        {.title = "", .key = "note"},
    };

    return am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
}

static void tell_ranks(struct am_screen_state *s, struct am_table *table)
{
    const struct am_headline *all[AM_HEADLINES_MAX], *of[ROW_MAX];
    const size_t n_all = am_families_headlines(all);
    size_t i = 0;

    while (i < n_all) {
        const size_t n_of = take_rank(all, n_all, &i, of);
        if (n_of == 0)
            continue;
        if (of[0]->place != AM_HEADLINE_WORDS)
            tell_row(s, table, of, n_of);
        else if (of[0]->per)
            am_screen_values(s, of, n_of);
        else
            am_screen_words(s, of, n_of);
    }
}

size_t am_screen_lines(struct am_body *b, const struct am_screen_view *view, size_t lines,
                       double *precisions, size_t *n)
{
    const size_t before = b->n, n_rooms = sizeof(rooms) / sizeof(rooms[0]);
    struct am_screen_state s = {.lost = 1};

    for (size_t i = 0; i < n_rooms && s.lost; i++) {
        struct am_table *table;

        b->n = before;
        table = add_rows(b);
        s = (struct am_screen_state){
            .b = b, .view = view, .room = rooms[i], .left = lines - 1, .precisions = precisions};
        tell_ranks(&s, table);
        if (table->n_rows == 0) {
            table->bare = true; /* no titles of nothing */
            s.left++;
        }
    }
    *n = s.n_precisions;
    return lines - s.left;
}
