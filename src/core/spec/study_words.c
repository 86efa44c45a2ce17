/* SPDX-License-Identifier: MIT */
/* Words, conditions and selectors of a study: "omp.sched:overhead chunk=1 threads=@cpus". */
#include "core/spec/study_words.h"

#include <string.h>

enum { OP_MAX = 2 };

enum am_status am_study_bad_at(struct am_spec_reader *r, const char *at, const char *story)
{
    return am_spec_bad_at(r, am_spec_place_of(r, at), "%s", story);
}

enum am_status am_study_bad_here(const struct am_study_cursor *c, const char *story)
{
    return am_study_bad_at(c->r, c->next < c->n ? c->words[c->next].at : c->end, story);
}

/* ---- conditions ---- */

/* "axis<=8": the length of its name and of its operator. */
struct parts {
    size_t negation, name, op;
};

static struct parts parts_of(const char *word)
{
    struct parts p = {.negation = *word == '!'};

    p.name = strcspn(word + p.negation, "?!=<>");
    p.op = strspn(word + p.negation + p.name, "?!=<>");
    return p;
}

static bool is_condition(const char *word)
{
    return strpbrk(word, "=<>!") != NULL;
}

/* A number of this machine, "@cpus/2" without the @; NULL with the story told. */
static const char *symbol_text(struct am_spec_reader *r, const char *at, const char *name)
{
    const struct am_axis axis = {.name = "number", .kind = AM_AXIS_INT};
    char *const text = am_arena_alloc(r->arena, AM_VALUE_TEXT_MAX);
    struct am_err why = {0};
    struct am_values values = {0};

    if (!text) {
        (void)am_spec_no_memory(r);
        return NULL;
    }
    if (am_axis_parse(&axis, name, strlen(name), r->source->symbols, r->arena, &values, &why) !=
            AM_OK ||
        values.n != 1) {
        (void)am_spec_bad_at(
            r, am_spec_place_of(r, at),
            "\"@%.40s\" is no number of this machine, and neither @max nor @min%s%s", name,
            *why.text ? ": " : "", why.text);
        return NULL;
    }
    am_value_text(&values.v[0], text, AM_VALUE_TEXT_MAX);
    return text;
}

static bool is_extreme(const char *value)
{
    return strcmp(value, "@max") == 0 || strcmp(value, "@min") == 0;
}

/* The values of a condition with the numbers of this machine; NULL with the story told. */
static const char *values_text(struct am_spec_reader *r, const char *at, const char *values)
{
    const char *out = "";

    for (const char *p = values;;) {
        const size_t n = strcspn(p, ",");
        const char *item = am_arena_strndup(r->arena, p, n);

        if (item && *item == '@' && !is_extreme(item)) {
            item = symbol_text(r, at + (p - values), item + 1);
            if (!item)
                return NULL;
        }
        out = item ? am_arena_printf(r->arena, "%s%s%s", out, *out ? "," : "", item) : NULL;
        if (!out) {
            (void)am_spec_no_memory(r);
            return NULL;
        }
        if (!p[n] && is_extreme(item) && p > values) {
            (void)am_study_bad_at(r, at + (p - values), "@max and @min stand alone: AXIS=@max");
            return NULL;
        }
        if (!p[n])
            return out;
        if (is_extreme(item)) {
            (void)am_study_bad_at(r, at + (p - values), "@max and @min stand alone: AXIS=@max");
            return NULL;
        }
        if (!n || !p[n + 1]) {
            (void)am_study_bad_at(r, at + (p - values), "a value is missing in the list");
            return NULL;
        }
        p += n + 1;
    }
}

bool am_study_is_axis(const char *name, size_t n)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

    return n > 0 && n < AM_SPEC_NAME_MAX && strspn(name, letters) >= n;
}

/* Checks the condition and puts the numbers of this machine into it. */
static enum am_status read_condition(struct am_spec_reader *r, struct am_study_word *w)
{
    static const char *const ops[] = {"=", "?=", "!=", "<", "<=", ">", ">="};
    const struct parts p = parts_of(w->text);
    const char *const name = w->text + p.negation, *const after = name + p.name + p.op;
    char op[OP_MAX + 1] = "";
    const char *values;

    if (!am_study_is_axis(name, p.name))
        return am_study_bad_at(r, w->at,
                               "a condition is AXIS=VALUES, AXIS!=, AXIS<, AXIS<=, AXIS>, AXIS>=, "
                               "AXIS or !AXIS");
    if (!p.op)
        return AM_OK;
    if (p.op <= OP_MAX)
        (void)am_str_copy(op, p.op + 1, name + p.name);
    if (p.negation || am_name_index(ops, sizeof(ops) / sizeof(*ops), op) < 0)
        return am_study_bad_at(r, w->at + p.negation + p.name,
                               "a condition compares by =, !=, ?=, <, <=, > or >=");
    if (!*after)
        return am_study_bad_at(r, w->at + (after - w->text), "the condition has no value");
    values = values_text(r, w->at + (after - w->text), after);
    if (!values)
        return r->err ? r->err->status : AM_E_USAGE;
    if (is_extreme(values) && strcmp(op, "=") != 0)
        return am_study_bad_at(r, w->at, "@max and @min follow \"=\": AXIS=@max");
    w->text = am_arena_printf(r->arena, "%.*s%s", (int)(after - w->text), w->text, values);
    return w->text ? AM_OK : am_spec_no_memory(r);
}

/* ---- words ---- */

enum am_status am_study_cut(struct am_study_cursor *c, const char *text)
{
    enum am_status s = AM_OK;

    for (const char *p = text + strspn(text, " \t"); *p && s == AM_OK; p += strspn(p, " \t")) {
        const size_t n = strcspn(p, " \t");
        struct am_study_word *const w = &c->words[c->n];

        if (c->n == AM_STUDY_WORDS_MAX)
            return am_study_bad_at(c->r, p, "there are too many words");
        *w = (struct am_study_word){.at = p, .text = am_arena_strndup(c->r->arena, p, n)};
        if (!w->text)
            return am_spec_no_memory(c->r);
        if (is_condition(w->text))
            s = read_condition(c->r, w);
        c->n++;
        p += n;
        c->end = p;
    }
    if (!c->end)
        c->end = text;
    return s;
}

/* Words [from, to) with a blank between them; NULL without memory. */
const char *am_study_joined(const struct am_study_cursor *c, size_t from, size_t to)
{
    struct am_text text;
    const char *out;

    am_text_init(&text, AM_SPEC_TEXT_MAX);
    for (size_t i = from; i < to; i++)
        am_text_addf(&text, "%s%s", i > from ? " " : "", c->words[i].text);
    out = text.overflow ? NULL : am_arena_strdup(c->r->arena, am_text_str(&text));
    am_text_fini(&text);
    return out;
}

const char *am_study_peek(const struct am_study_cursor *c)
{
    return c->next < c->n ? c->words[c->next].text : "";
}

bool am_study_take(struct am_study_cursor *c, const char *word)
{
    if (strcmp(am_study_peek(c), word) != 0)
        return false;
    c->next++;
    return true;
}

/* The next word must be this one. */
enum am_status am_study_expect(struct am_study_cursor *c, const char *word)
{
    if (am_study_take(c, word))
        return AM_OK;
    return am_spec_bad_at(c->r,
                          am_spec_place_of(c->r, c->next < c->n ? c->words[c->next].at : c->end),
                          "\"%s\" is expected, not \"%.40s\"", word, am_study_peek(c));
}

/* ---- selectors ---- */

static bool ends_selector(const char *word)
{
    return !*word || strcmp(word, "is") == 0 || strcmp(word, "grows") == 0 ||
           strcmp(word, "falls") == 0;
}

/* Whether the two conditions name the same axis. */
static bool same_axis(const char *a, const char *b)
{
    const struct parts p = parts_of(a), q = parts_of(b);

    return p.name == q.name && strncmp(a + p.negation, b + q.negation, p.name) == 0;
}

static bool names_axis(const struct am_study_conditions *all, const struct am_study_word *w)
{
    for (size_t i = 0; i < all->n; i++) {
        if (same_axis(all->words[i]->text, w->text))
            return true;
    }
    return false;
}

/* Adds a name or condition to a list; false without memory. */
static bool append(struct am_arena *arena, const char **list, const char *between, const char *text,
                   size_t n)
{
    *list = am_arena_printf(arena, "%s%s%.*s", *list, **list ? between : "", (int)n, text);
    return *list != NULL;
}

/* The conditions as the selection wants them: extremes apart from the others. */
static enum am_status put_conditions(struct am_spec_reader *r,
                                     const struct am_study_conditions *all,
                                     struct am_study_selector *out)
{
    bool good = true;

    out->where = out->most = out->least = "";
    for (size_t i = 0; good && i < all->n; i++) {
        const char *const text = all->words[i]->text;
        const struct parts p = parts_of(text);
        const char *const value = text + p.negation + p.name + p.op;

        if (!is_extreme(value))
            good = append(r->arena, &out->where, " ", text, strlen(text));
        else if (strcmp(value, "@max") == 0)
            good = append(r->arena, &out->most, ",", text, p.name);
        else
            good = append(r->arena, &out->least, ",", text, p.name);
    }
    return good ? AM_OK : am_spec_no_memory(r);
}

/* BENCH[:METRIC] */
static enum am_status take_bench(struct am_study_cursor *c, struct am_study_selector *out)
{
    const struct am_study_word *const w = &c->words[c->next];
    const size_t n = strcspn(am_study_peek(c), ":");

    if (ends_selector(am_study_peek(c)) || is_condition(am_study_peek(c)) || n == 0)
        return am_study_bad_here(c, "a selector begins with BENCH or BENCH:METRIC");
    out->bench = am_arena_strndup(c->r->arena, w->text, n);
    out->metric = w->text[n] ? w->text + n + 1 : NULL;
    if (out->metric && !*out->metric)
        return am_study_bad_at(c->r, w->at + n, "the metric is missing behind the colon");
    c->next++;
    return out->bench ? AM_OK : am_spec_no_memory(c->r);
}

/* One selector. What it does not say itself is as `like` has it, where that is not NULL: the bench
 * and metric, and conditions on axes that it does not name. */
enum am_status am_study_take_selector(struct am_study_cursor *c,
                                      const struct am_study_selector *like,
                                      const struct am_study_conditions *inherited,
                                      struct am_study_conditions *own,
                                      struct am_study_selector *out)
{
    const size_t from = c->next;
    enum am_status s = AM_OK;

    *out = (struct am_study_selector){0};
    *own = (struct am_study_conditions){0};
    out->at = am_spec_place_of(c->r, c->next < c->n ? c->words[c->next].at : c->end);
    out->best = am_study_take(c, "best");
    if (like && is_condition(am_study_peek(c))) {
        out->bench = like->bench;
        out->metric = like->metric;
        out->best = out->best || like->best;
    } else {
        s = take_bench(c, out);
        inherited = NULL;
    }
    if (s != AM_OK)
        return s;
    for (; !ends_selector(am_study_peek(c)); c->next++) {
        if (!is_condition(am_study_peek(c)))
            s = read_condition(c->r, &c->words[c->next]);
        if (s != AM_OK)
            return s;
        own->words[own->n++] = &c->words[c->next];
    }
    out->text = am_study_joined(c, from, c->next);
    for (size_t i = 0; inherited && i < inherited->n; i++) {
        if (!names_axis(own, inherited->words[i]) && own->n < AM_STUDY_WORDS_MAX)
            own->words[own->n++] = inherited->words[i];
    }
    return out->text ? put_conditions(c->r, own, out) : am_spec_no_memory(c->r);
}

enum am_status am_study_parse_selector(struct am_spec_reader *r, const char *text,
                                       struct am_study_selector *out)
{
    struct am_study_cursor c = {.r = r};
    struct am_study_conditions own;
    enum am_status s = am_study_cut(&c, text);

    if (s == AM_OK)
        s = am_study_take_selector(&c, NULL, NULL, &own, out);
    if (s == AM_OK && c.next < c.n)
        s = am_study_bad_here(&c, "a selector ends before this word");
    return s;
}

enum am_status am_study_parse_where(struct am_spec_reader *r, const char *text, const char **out)
{
    struct am_study_cursor c = {.r = r};
    enum am_status s = am_study_cut(&c, text);

    for (size_t i = 0; s == AM_OK && i < c.n; i++) {
        if (!is_condition(c.words[i].text))
            s = read_condition(r, &c.words[i]);
        if (s == AM_OK && strchr(c.words[i].text, '=') &&
            is_extreme(strchr(c.words[i].text, '=') + 1))
            s = am_study_bad_at(r, c.words[i].at, "@max and @min are for claims and numbers");
    }
    if (s != AM_OK)
        return s;
    *out = am_study_joined(&c, 0, c.n);
    return *out ? AM_OK : am_spec_no_memory(r);
}

/* All conditions of a side on the axis of `w`, one behind the other. */
static const char *on_axis(struct am_arena *arena, const struct am_study_conditions *all,
                           const struct am_study_word *w)
{
    const char *text = "";

    for (size_t i = 0; text && i < all->n; i++) {
        if (same_axis(all->words[i]->text, w->text))
            text = am_arena_printf(arena, "%s %s", text, all->words[i]->text);
    }
    return text ? text : "";
}

enum am_status am_study_differ(struct am_spec_reader *r, const struct am_study_conditions *left,
                               const struct am_study_conditions *right, const char **out)
{
    const struct am_study_conditions *const sides[] = {left, right};

    *out = "";
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < sides[k]->n; i++) {
            const struct am_study_word *const w = sides[k]->words[i];
            const struct parts p = parts_of(w->text);

            if (strcmp(on_axis(r->arena, left, w), on_axis(r->arena, right, w)) != 0 &&
                !append(r->arena, out, ",", w->text + p.negation, p.name))
                return am_spec_no_memory(r);
        }
    }
    return AM_OK;
}
