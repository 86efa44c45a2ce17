/* SPDX-License-Identifier: MIT */
/* The lines of the first screen: headlines of one rank become a row of figures or a line of words.
 */
#include "base/text.h"
#include "document/facts.h"
#include "document/screen.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

enum {
    NAME = 16, /* columns of a line's name; longer ones move what follows */
    GAP = 2,
    NOTE_MAX = 25,
    WORDS_MAX = 512,
    ROW_MAX = 16,       /* headlines of one rank */
    VALUES_MAX = 64,    /* values of one rank's label */
    LINES_PER_RANK = 3, /* that they may become on the screen */
};

struct screen {
    struct am_body *b;
    const struct am_screen_view *view;
    size_t left; /* lines that may still be written */
    double *precisions;
    size_t n_precisions;
};

/* What a line rests on. */
struct trust {
    double precision; /* the widest; 0: none has an interval */
    struct am_grading grading;
};

static void rest_on(struct screen *s, struct trust *t, const struct am_fact *f)
{
    const double half = am_fact_precision(f);

    t->precision = fmax(t->precision, half);
    t->grading = am_grading_worse(t->grading, f->grading);
    if (half > 0 && s->n_precisions < AM_HEADLINES_MAX)
        s->precisions[s->n_precisions++] = half;
}

/* "3.2 % B", "B" where nothing has an interval. */
static void show_trust(const struct trust *t, char *buf, size_t cap)
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
    const char *word; /* behind the figure of all cores */
    bool wants_size;
    struct am_text note;
    size_t n; /* figures */
    struct trust trust;
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

static void gather(struct screen *s, const struct am_headline *const *of, size_t n, struct row *r)
{
    const struct am_fact *denials[ROW_MAX];
    const char *told = "";
    size_t n_denials = 0;

    for (size_t i = 0; i < n; i++) {
        const struct am_fact *const f = am_headline_fact(of[i], s->view->facts);
        const bool only_denials = of[i]->place == AM_HEADLINE_DENIED;

        r->wants_size |= of[i]->place == AM_HEADLINE_SIZE;
        if (!f || strcmp(told, of[i]->title) == 0)
            continue;
        told = of[i]->title;
        put_figure(r, of[i], f);
        if (only_denials && !f->contradicts)
            continue;
        if (of[i]->place == AM_HEADLINE_SIZE)
            r->trust.grading = am_grading_worse(r->trust.grading, f->grading);
        else if (!only_denials)
            rest_on(s, &r->trust, f);
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
static void note_threads(const struct screen *s, struct row *r)
{
    const char *const cores = am_kvs_get(&s->view->set->machine, "cores");
    const double threads = r->all ? am_fact_number(r->all, "threads") : NAN;
    double n = 0;
    char text[AM_UNITS_MAX];

    if (cores && am_parse_f64(cores, strlen(cores), &n) && threads < n &&
        am_str_format(text, sizeof(text), "all: %.0f threads", threads))
        add_note(r, text);
}

/* "32 KiB"; "32-64 MiB" where the measurement leaves more open than the best grade does. */
static void show_size(const struct am_fact *f, char *buf, size_t cap)
{
    const bool wide = f->ci.hi - f->ci.lo > 2 * am_grade_rows[AM_REASON_WIDE].a * f->value;
    char lo[AM_UNITS_MAX], hi[AM_UNITS_MAX];
    char *unit;

    am_fact_value(f, buf, cap);
    if (!wide || f->ci.coverage <= 0)
        return;
    am_units_fact(f->ci.lo, f->unit, lo, sizeof(lo));
    am_units_fact(f->ci.hi, f->unit, hi, sizeof(hi));
    unit = strchr(lo, ' ');
    if (unit && strchr(hi, ' ') && strcmp(unit, strchr(hi, ' ')) == 0)
        *unit = '\0'; /* once */
    if (strlen(lo) + strlen(hi) < NAME - 4)
        (void)am_str_format(buf, cap, "%s-%s", lo, hi);
}

static void put_row(const struct screen *s, struct am_table *t, struct row *r)
{
    char size[AM_UNITS_MAX] = "", trust[AM_UNITS_MAX], value[AM_UNITS_MAX] = "";
    char name[AM_CELL_BYTES];

    note_threads(s, r);
    if (r->size)
        show_size(r->size, size, sizeof(size));
    else if (r->wants_size)
        add_note(r, "size undecided");
    if (r->one)
        am_fact_value(r->one, value, sizeof(value));
    show_trust(&r->trust, trust, sizeof(trust));
    am_table_row(t);
    (void)am_str_format(name, sizeof(name), "%s%s%s", r->name, *size ? ", " : "", size);
    (void)am_table_textf(t, "%-*s", NAME, name); /* as wide as the names of lines of words */
    am_table_textf(t, "%s", value)->tone = AM_TONE_STRONG;
    put_all(t, r);
    am_table_textf(t, "%s", trust)->grade = r->trust.grading.grade;
    (void)am_table_textf(t, "%s", am_text_str(&r->note));
}

static void tell_row(struct screen *s, struct am_table *t, const struct am_headline *const *of,
                     size_t n)
{
    struct row r = {.name = of[0]->row};

    am_text_init(&r.note, WORDS_MAX);
    gather(s, of, n, &r);
    if (r.n > 0 && s->left > 0) {
        put_row(s, t, &r);
        s->left--;
    }
    am_text_fini(&r.note);
}

/* ---- lines of words ---- */

struct words {
    const char *name;  /* of the line, or of what it tells */
    const char *value; /* of the label `per`; NULL: any */
    size_t alike;      /* lines like this one that it stands for */
    struct am_text text;
    double threads; /* of its figures; NAN: none says */
    struct trust trust;
};

static bool is_of(const struct am_fact *f, const struct am_headline *h, const char *value)
{
    const char *const text = h->per ? am_fact_text(f, h->per) : NULL;

    return !h->per || (text && value && strcmp(text, value) == 0);
}

/* The figure of one line; with `each`, the next behind `after`. */
static const struct am_fact *find(const struct am_facts *facts, const struct am_headline *h,
                                  const char *value, const struct am_fact *after)
{
    const struct am_fact *best = NULL, *f = after;

    while ((f = am_facts_next(facts, h->fact, h->where, f)) != NULL) {
        if (!is_of(f, h, value))
            continue;
        if (h->each)
            return f;
        if (!best || (h->least ? f->value < best->value : f->value > best->value))
            best = f;
    }
    return after ? NULL : best;
}

static void say(struct screen *s, struct words *w, const struct am_headline *h,
                const struct am_fact *f)
{
    const char *const each = h->each ? am_fact_text(f, h->each) : NULL;
    const char *const word = each ? each : h->word;
    char value[AM_UNITS_MAX];

    if (h->of)
        am_units_share(f->value, value, sizeof(value));
    else
        am_fact_value(f, value, sizeof(value));
    am_text_addf(&w->text, "%s%s%s%s%s%s", w->text.len ? ", " : "", word ? word : "",
                 word ? " " : "", value, h->of ? " of " : "", h->of ? h->of : "");
    w->threads = fmax(w->threads, am_fact_number(f, "threads"));
    rest_on(s, &w->trust, f);
}

/* Where to break the text, of which the first `fits` bytes fit: behind a figure, so that its unit
 * stays with it, else at a blank; 0: there is neither. */
static size_t break_words(const char *text, size_t fits)
{
    size_t cut = fits;

    if (!text[fits])
        return fits;
    while (cut > 0 && !(text[cut] == ' ' && (text[cut - 1] == ',' || text[cut - 1] == ';')))
        cut--;
    if (cut > 0)
        return cut;
    for (cut = fits; cut > 0 && text[cut] != ' ';)
        cut--;
    return cut;
}

/* Words broken so that they fit behind the name. */
static size_t put_words(struct screen *s, const struct words *w)
{
    const size_t name = strlen(w->name) > NAME ? strlen(w->name) : NAME,
                 room = AM_SCREEN_COLUMNS - NAME - GAP;
    const char *rest = am_text_str(&w->text), *label = w->name;
    size_t pad = name + GAP, lines = 0;

    while (*rest) {
        const size_t fits = pad + strlen(rest) <= AM_SCREEN_COLUMNS
                                ? strlen(rest)
                                : (size_t)AM_SCREEN_COLUMNS - pad;
        size_t cut = break_words(rest, fits);

        cut = cut ? cut : room < strlen(rest) ? room : strlen(rest);
        (void)am_block_addf(s->b, AM_BLOCK_PARAGRAPH,
                            am_arena_printf(s->b->arena, "%-*s", (int)pad, label), "%.*s", (int)cut,
                            rest);
        rest += cut + (rest[cut] == ' ');
        label = "";
        pad = NAME + GAP;
        lines++;
    }
    return lines;
}

static void tell_line(struct screen *s, const struct am_headline *const *of, size_t n,
                      struct words *w)
{
    char trust[AM_UNITS_MAX];
    size_t lines;

    am_text_init(&w->text, WORDS_MAX);
    w->threads = NAN;
    for (size_t i = 0; i < n; i++) {
        for (const struct am_fact *f = find(s->view->facts, of[i], w->value, NULL); f;
             f = of[i]->each ? find(s->view->facts, of[i], w->value, f) : NULL)
            say(s, w, of[i], f);
    }
    if (w->text.len && of[0]->per && w->threads > 1)
        am_text_addf(&w->text, ", %.0f threads", w->threads);
    show_trust(&w->trust, trust, sizeof(trust));
    if (w->text.len && s->left > 0) {
        const size_t before = s->b->n;

        am_text_addf(&w->text, "; %s%s", w->trust.precision > 0 ? "±" : "", trust);
        lines = put_words(s, w);
        if (lines > s->left) {
            s->b->n = before; /* half a line would mislead */
            lines = s->left;
        }
        s->left -= lines;
    }
    am_text_fini(&w->text);
}

/* Length of a name without the number behind it: "h100-0" and "h100-1" may be two of a kind. */
static size_t stem(const char *name)
{
    size_t n = strlen(name);

    while (n > 0 && name[n - 1] >= '0' && name[n - 1] <= '9')
        n--;
    return n > 1 && name[n] && name[n - 1] == '-' ? n - 1 : strlen(name);
}

/* Two of one kind, and no figure differs by more than what the best grade leaves open. */
static bool are_alike(const struct am_facts *facts, const struct am_headline *const *of, size_t n,
                      const char *a, const char *b)
{
    if (stem(a) != stem(b) || strncmp(a, b, stem(a)) != 0 || a[stem(a)] == '\0')
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct am_fact *const x = find(facts, of[i], a, NULL), *const y = find(facts, of[i],
                                                                                     b, NULL);

        if (!x != !y ||
            (x && fabs(x->value - y->value) > am_grade_rows[AM_REASON_WIDE].a * x->value))
            return false;
    }
    return true;
}

/* The values of the label that any of the headlines has, in the order of the facts. */
static size_t list_values(const struct screen *s, const struct am_headline *const *of, size_t n,
                          struct words *lines)
{
    size_t n_lines = 0;

    for (size_t i = 0; i < n; i++) {
        for (const struct am_fact *f =
                 am_facts_next(s->view->facts, of[i]->fact, of[i]->where, NULL);
             f; f = am_facts_next(s->view->facts, of[i]->fact, of[i]->where, f)) {
            const char *const value = am_fact_text(f, of[i]->per);
            size_t k = 0;

            while (value && k < n_lines && strcmp(lines[k].value, value) != 0)
                k++;
            if (value && k == n_lines && k < VALUES_MAX)
                lines[n_lines++] = (struct words){.value = value, .alike = 1};
        }
    }
    return n_lines;
}

/* Lets one line stand for those that are alike; the lines that remain, in their order. */
static size_t join_alike(const struct screen *s, const struct am_headline *const *of, size_t n,
                         struct words *lines, size_t n_lines)
{
    size_t kept = 0;

    for (size_t i = 0; i < n_lines; i++) {
        for (size_t k = i + 1; lines[i].alike && k < n_lines; k++) {
            if (lines[k].alike &&
                are_alike(s->view->facts, of, n, lines[i].value, lines[k].value)) {
                lines[i].alike++;
                lines[k].alike = 0;
            }
        }
        if (lines[i].alike)
            lines[kept++] = lines[i];
    }
    return kept;
}

/* "and 5 more        a100, t4-0, ..." for lines that would fill the screen. */
static void tell_more(struct screen *s, const struct words *lines, size_t n)
{
    struct words w = {.alike = 1};
    size_t alike = 0, named = 0;

    am_text_init(&w.text, WORDS_MAX);
    for (size_t i = 0; i < n; i++)
        alike += lines[i].alike;
    for (; named < n; named++) {
        const size_t room = AM_SCREEN_COLUMNS - NAME - GAP - strlen(", ...");

        if (named > 0 && w.text.len + 2 + strlen(lines[named].value) > room)
            break;
        am_text_addf(&w.text, "%s%s", named ? ", " : "", lines[named].value);
    }
    am_text_add(&w.text, named < n ? ", ..." : "");
    w.name = am_arena_printf(s->b->arena, "and %zu more", alike);
    if (w.name && s->left > 0) {
        (void)put_words(s, &w);
        s->left--;
    }
    am_text_fini(&w.text);
}

/* One line per value of the label, and one for those that are alike; the first few, and what the
 * others are called. */
static void tell_values(struct screen *s, const struct am_headline *const *of, size_t n)
{
    struct words lines[VALUES_MAX];
    const size_t all = list_values(s, of, n, lines), kept = join_alike(s, of, n, lines, all);
    const size_t shown = kept > LINES_PER_RANK ? LINES_PER_RANK - 1 : kept;

    for (size_t i = 0; i < shown; i++) {
        struct words *const w = &lines[i];

        w->name = w->alike > 1 ? am_arena_printf(s->b->arena, "%.*s (%zu alike)",
                                                 (int)stem(w->value), w->value, w->alike)
                               : am_arena_printf(s->b->arena, "%s%s%s", of[0]->row,
                                                 *of[0]->row ? " " : "", w->value);
        w->name = w->name ? w->name : w->value;
        tell_line(s, of, n, w);
    }
    if (shown < kept)
        tell_more(s, lines + shown, kept - shown);
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

size_t am_screen_lines(struct am_body *b, const struct am_screen_view *view, size_t lines,
                       double *precisions, size_t *n)
{
    struct screen s = {.b = b, .view = view, .left = lines - 1, .precisions = precisions};
    const struct am_headline *all[AM_HEADLINES_MAX], *of[ROW_MAX];
    const size_t n_all = am_families_headlines(all);
    struct am_table *const table = add_rows(b);
    size_t i = 0;

    while (i < n_all) {
        const size_t n_of = take_rank(all, n_all, &i, of);
        struct words w = {.alike = 1};

        if (n_of == 0)
            continue;
        w.name = of[0]->row;
        if (of[0]->place != AM_HEADLINE_WORDS)
            tell_row(&s, table, of, n_of);
        else if (of[0]->per)
            tell_values(&s, of, n_of);
        else
            tell_line(&s, of, n_of, &w);
    }
    if (table->n_rows == 0) {
        table->bare = true; /* no titles of nothing */
        s.left++;
    }
    *n = s.n_precisions;
    return lines - s.left;
}
