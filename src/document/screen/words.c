/* SPDX-License-Identifier: MIT */
/* Lines of words on the first screen: "region 590 ns, barrier 240 ns; ±1.0 % A", broken or
 * shortened to the room there is. */
#include "document/screen/lines.h"

#include "base/text.h"
#include "document/facts.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

enum { VALUES_MAX = 64 }; /* values of one rank's label */

struct words {
    const char *name;  /* of the line, or of what it tells */
    const char *brief; /* the name where the line does not fit with it; NULL: the same */
    const char *value; /* of the label `per`; NULL: any */
    size_t alike;      /* lines like this one that it stands for */
    size_t more;       /* lines that are not shown, of which this one tells */
    struct am_text text;
    double threads; /* of its figures; NAN: none says */
    struct am_screen_trust trust;
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

static void say(struct am_screen_state *s, struct words *w, const struct am_headline *h,
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
    am_screen_rest_on(s, &w->trust, f);
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
static size_t put_words(struct am_screen_state *s, const struct words *w)
{
    const size_t name = strlen(w->name) > AM_SCREEN_NAME ? strlen(w->name) : AM_SCREEN_NAME,
                 room = AM_SCREEN_COLUMNS - AM_SCREEN_NAME - AM_SCREEN_GAP;
    const char *rest = am_text_str(&w->text), *label = w->name;
    size_t pad = name + AM_SCREEN_GAP, lines = 0;

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
        pad = AM_SCREEN_NAME + AM_SCREEN_GAP;
        lines++;
    }
    return lines;
}

/* Columns behind the name. */
static size_t columns_left(const struct words *w)
{
    const size_t name = strlen(w->name);

    return AM_SCREEN_COLUMNS - AM_SCREEN_GAP - (name > AM_SCREEN_NAME ? name : AM_SCREEN_NAME);
}

/* Leaves out the last figures until the text fits behind the name together with `end`. */
static void drop_figures(struct words *w, const char *end)
{
    const size_t room = columns_left(w);

    while (strlen(am_text_str(&w->text)) + strlen(end) > room) {
        const char *const text = am_text_str(&w->text);
        size_t cut = strlen(text);

        while (cut > 0 && strncmp(text + cut, ", ", 2) != 0)
            cut--;
        if (cut == 0)
            break;
        w->text.data[cut] = '\0';
        w->text.len = cut;
    }
}

static void tell_line(struct am_screen_state *s, const struct am_headline *const *of, size_t n,
                      struct words *w)
{
    char trust[AM_UNITS_MAX], end[2 * AM_UNITS_MAX];
    const size_t before = s->b->n;
    size_t lines;

    am_text_init(&w->text, AM_SCREEN_WORDS);
    w->threads = NAN;
    for (size_t i = 0; i < n; i++) {
        for (const struct am_fact *f = find(s->view->facts, of[i], w->value, NULL); f;
             f = of[i]->each ? find(s->view->facts, of[i], w->value, f) : NULL)
            say(s, w, of[i], f);
    }
    if (w->text.len && of[0]->per && w->threads > 1)
        am_text_addf(&w->text, ", %.0f threads", w->threads);
    am_screen_show_trust(&w->trust, trust, sizeof(trust));
    (void)am_str_format(end, sizeof(end), "; %s%s", w->trust.precision > 0 ? "±" : "", trust);
    if (w->more)
        (void)am_str_format(end + strlen(end), sizeof(end) - strlen(end), "; %zu more", w->more);
    if (w->text.len) {
        if (w->brief && strlen(am_text_str(&w->text)) + strlen(end) > columns_left(w))
            w->name = w->brief;
        if (s->room.tight)
            drop_figures(w, end);
        am_text_add(&w->text, end);
        lines = put_words(s, w);
        if (lines > s->left) {
            s->b->n = before; /* half a line would mislead */
            lines = s->left;
            s->lost++;
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
static size_t list_values(const struct am_screen_state *s, const struct am_headline *const *of,
                          size_t n, struct words *lines)
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
static size_t join_alike(const struct am_screen_state *s, const struct am_headline *const *of,
                         size_t n, struct words *lines, size_t n_lines)
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
static void tell_more(struct am_screen_state *s, const struct words *lines, size_t n)
{
    struct words w = {.alike = 1};
    size_t alike = 0, named = 0;

    am_text_init(&w.text, AM_SCREEN_WORDS);
    for (size_t i = 0; i < n; i++)
        alike += lines[i].alike;
    for (; named < n; named++) {
        const size_t room = AM_SCREEN_COLUMNS - AM_SCREEN_NAME - AM_SCREEN_GAP - strlen(", ...");

        if (named > 0 && w.text.len + 2 + strlen(lines[named].value) > room)
            break;
        am_text_addf(&w.text, "%s%s", named ? ", " : "", lines[named].value);
    }
    am_text_add(&w.text, named < n ? ", ..." : "");
    w.name = am_arena_printf(s->b->arena, "and %zu more", alike);
    if (w.name && s->left > 0) {
        (void)put_words(s, &w);
        s->left--;
    } else {
        s->lost++;
    }
    am_text_fini(&w.text);
}

/* Length of the words at the beginning of a name that fit on the screen with dots behind them; its
 * own length where it fits as it is, or where its first word does not. */
static size_t brief_length(const char *name)
{
    size_t n = strlen(name), cut = AM_SCREEN_NAME - strlen("...");

    if (n <= AM_SCREEN_NAME)
        return n;
    while (cut > 0 && name[cut] != '-' && name[cut] != ' ')
        cut--;
    return cut ? cut : n;
}

/* "pocl-pthread..." for "pocl-pthread-skylake-avx512-amd-epyc"; NULL where that is no shorter, or
 * is the name of another line as well. */
static const char *shorten(const struct am_screen_state *s, const struct words *lines, size_t n,
                           const struct words *w)
{
    const size_t length = brief_length(w->value);

    if (w->alike > 1 || length == strlen(w->value))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (&lines[i] != w && strncmp(lines[i].value, w->value, length) == 0)
            return NULL;
    }
    return am_arena_printf(s->b->arena, "%.*s...", (int)length, w->value);
}

void am_screen_values(struct am_screen_state *s, const struct am_headline *const *of, size_t n)
{
    struct words lines[VALUES_MAX];
    const size_t all = list_values(s, of, n, lines), kept = join_alike(s, of, n, lines, all);
    const size_t lines_more = s->room.per_rank > 1; /* else the others are only counted */
    const size_t shown = kept > s->room.per_rank ? s->room.per_rank - lines_more : kept;

    for (size_t i = 0; i < shown; i++) {
        struct words *const w = &lines[i];

        w->name = w->alike > 1 ? am_arena_printf(s->b->arena, "%.*s (%zu alike)",
                                                 (int)stem(w->value), w->value, w->alike)
                               : am_arena_printf(s->b->arena, "%s%s%s", of[0]->row,
                                                 *of[0]->row ? " " : "", w->value);
        w->name = w->name ? w->name : w->value;
        w->more = lines_more ? 0 : kept - shown;
        w->brief = *of[0]->row ? NULL : shorten(s, lines, kept, w);
        tell_line(s, of, n, w);
    }
    if (shown < kept && lines_more)
        tell_more(s, lines + shown, kept - shown);
}

void am_screen_words(struct am_screen_state *s, const struct am_headline *const *of, size_t n)
{
    struct words w = {.name = of[0]->row, .alike = 1};

    tell_line(s, of, n, &w);
}
