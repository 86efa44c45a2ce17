/* SPDX-License-Identifier: MIT */
/* The users' syntax of axis values: lists, names and groups of names, and errors that name the
 * place. The grammar stands in axis.h; numbers are read in axis_number.c. */
#include "core/bench/axis.h"

#include "base/array.h"
#include "base/text.h"
#include "core/bench/axis_parser.h"
#include "core/bench/isas.h"

#include <string.h>

enum {
    LIST_CAP = 240, /* bytes of valid names that an error lists */
};

char am_parser_peek(const struct am_parser *p)
{
    return p->pos < p->len ? p->text[p->pos] : '\0';
}

bool am_parser_accept(struct am_parser *p, char c)
{
    if (p->pos >= p->len || p->text[p->pos] != c)
        return false;
    p->pos++;
    return true;
}

const char *am_parser_quote(const struct am_parser *p, size_t from, size_t to,
                            char buf[AM_PARSER_WORD_CAP])
{
    size_t n = 0;

    for (size_t i = from; i < to && n < AM_PARSER_WORD_CAP - 1; i++) {
        const char c = p->text[i];

        buf[n++] = c >= ' ' && c <= '~' ? c : '?';
    }
    buf[n] = '\0';
    return buf;
}

enum am_status am_parser_fail_at(const struct am_parser *p, size_t from, const char *what)
{
    return am_fail(p->err, AM_E_USAGE, "%s: %s at column %zu", p->axis->name, what, from + 1);
}

enum am_status am_parser_fail_word(const struct am_parser *p, size_t from, const char *what)
{
    char word[AM_PARSER_WORD_CAP];

    return am_fail(p->err, AM_E_USAGE, "%s: %s \"%s\" at column %zu", p->axis->name, what,
                   am_parser_quote(p, from, p->pos, word), from + 1);
}

enum am_status am_parser_fail_unknown(const struct am_parser *p, size_t from,
                                      const char *const *names)
{
    char word[AM_PARSER_WORD_CAP], list[LIST_CAP] = "", mean[2 * AM_PARSER_WORD_CAP] = "";
    const char *nearest;
    size_t n = 0, used = 0;

    for (; names[n]; n++) {
        const size_t left = sizeof(list) - used;

        if (!am_str_format(list + used, left, "%s%s", n ? ", " : "", names[n])) {
            (void)am_str_copy(list + sizeof(list) - 4, 4, "...");
            used = sizeof(list) - 1;
            continue;
        }
        used += strlen(list + used);
    }
    nearest = am_nearest(am_parser_quote(p, from, p->pos, word), names, n);
    if (nearest)
        (void)am_str_format(mean, sizeof(mean), "; did you mean \"%s\"?", nearest);
    return am_fail(p->err, AM_E_USAGE, "%s: unknown value \"%s\" at column %zu%s (%s)",
                   p->axis->name, word, from + 1, mean, list);
}

/* Looking at the last value and at those of earlier items is enough, and keeps a long range linear.
 */
static bool is_known(const struct am_parser *p, const struct am_value *value)
{
    const struct am_values *out = p->out;

    if (out->n > 0 && am_value_same(&out->v[out->n - 1], value))
        return true;
    for (size_t i = 0; i < p->before; i++) {
        if (am_value_same(&out->v[i], value))
            return true;
    }
    return false;
}

enum am_status am_parser_add(struct am_parser *p, size_t from, const struct am_value *value)
{
    struct am_value *added;

    if (++p->written > AM_AXIS_VALUES_MAX)
        return am_fail(p->err, AM_E_USAGE, "%s: more than %d values at column %zu", p->axis->name,
                       AM_AXIS_VALUES_MAX, from + 1);
    if (is_known(p, value))
        return AM_OK;
    added = AM_ARRAY_ADD(p->arena, p->out->v, p->out->n, p->cap);
    if (!added)
        return am_fail(p->err, AM_E_NOMEM, "%s: no memory for its values", p->axis->name);
    *added = *value;
    return AM_OK;
}

static bool word_is(const struct am_parser *p, size_t from, const char *word)
{
    const size_t len = p->pos - from;

    return strlen(word) == len && memcmp(word, p->text + from, len) == 0;
}

static enum am_status add_choice(struct am_parser *p, size_t from, size_t i)
{
    const struct am_value v = {.kind = AM_AXIS_NAME, .i = (int64_t)i, .name = p->axis->choices[i]};

    return am_parser_add(p, from, &v);
}

static enum am_status all_choices(struct am_parser *p, size_t from)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && p->axis->choices[i]; i++)
        s = add_choice(p, from, i);
    return s;
}

static enum am_status fail_unusable(const struct am_parser *p)
{
    const char *const first = p->axis->choices[0];

    return am_fail(p->err, AM_E_ABSENT, "%s: none of its values is usable here%s%s", p->axis->name,
                   first ? ": " : "", first ? am_axis_why_not(p->axis, 0) : "");
}

static bool is_usable(const struct am_axis *axis, size_t choice)
{
    return !am_axis_why_not(axis, choice) && !am_axis_elsewhere(axis, choice);
}

static enum am_status usable_choices(struct am_parser *p, size_t from)
{
    const size_t before = p->written;
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && p->axis->choices[i]; i++) {
        if (is_usable(p->axis, i))
            s = add_choice(p, from, i);
    }
    return s == AM_OK && p->written == before ? fail_unusable(p) : s;
}

/* The last usable one; the number of choices when there is none. */
static size_t widest(const struct am_axis *axis)
{
    size_t n = 0, last;

    for (; axis->choices[n]; n++)
        ;
    for (last = n; last > 0; last--) {
        if (is_usable(axis, last - 1))
            return last - 1;
    }
    return n;
}

static enum am_status widest_choice(struct am_parser *p, size_t from)
{
    const size_t i = widest(p->axis);

    return p->axis->choices[i] ? add_choice(p, from, i) : fail_unusable(p);
}

/* What is fastest only a measurement tells: all that can be are measured. */
static enum am_status best_choices(struct am_parser *p, size_t from)
{
    const char *const top = p->axis->choices[widest(p->axis)];
    const char *const rival = am_isa_rival(top);
    enum am_status s = AM_OK;

    for (size_t i = 0; rival && s == AM_OK && p->axis->choices[i]; i++) {
        if (strcmp(p->axis->choices[i], rival) == 0 && is_usable(p->axis, i))
            s = add_choice(p, from, i);
    }
    return s == AM_OK ? widest_choice(p, from) : s;
}

static const struct {
    const char *word;
    enum am_status (*add)(struct am_parser *p, size_t from);
    bool ranked; /* for ranked axes only */
} groups[] = {
    {"all", all_choices, false},
    {"usable", usable_choices, false},
    {"widest", widest_choice, true},
    {"best", best_choices, true},
};

enum { GROUPS = sizeof(groups) / sizeof(*groups), CHOICES_CAP = 64 };

static enum am_status fail_choice(const struct am_parser *p, size_t from)
{
    const char *names[CHOICES_CAP + GROUPS + 1] = {0};
    size_t n = 0;

    while (n < CHOICES_CAP && p->axis->choices[n]) {
        names[n] = p->axis->choices[n];
        n++;
    }
    for (size_t i = 0; i < GROUPS; i++) {
        if (p->axis->ranked || !groups[i].ranked)
            names[n++] = groups[i].word;
    }
    return am_parser_fail_unknown(p, from, names);
}

static enum am_status free_name(struct am_parser *p, size_t from)
{
    struct am_value v = {.kind = AM_AXIS_NAME, .i = -1};

    if (p->pos - from >= AM_VALUE_TEXT_MAX)
        return am_parser_fail_word(p, from, "too long a name");
    for (size_t i = from; i < p->pos; i++) {
        if (p->text[i] <= ' ' || p->text[i] > '~' || p->text[i] == '=')
            return am_parser_fail_at(p, i, "a name cannot hold the character");
    }
    v.name = am_arena_strndup(p->arena, p->text + from, p->pos - from);
    if (!v.name)
        return am_fail(p->err, AM_E_NOMEM, "%s: no memory for its values", p->axis->name);
    return am_parser_add(p, from, &v);
}

/* Every usable choice that the pattern matches; there may be none. */
static enum am_status matching_choices(struct am_parser *p, size_t from)
{
    char pattern[AM_VALUE_TEXT_MAX];
    enum am_status s = AM_OK;

    if (p->pos - from >= sizeof(pattern))
        return am_parser_fail_word(p, from, "too long a pattern");
    memcpy(pattern, p->text + from, p->pos - from);
    pattern[p->pos - from] = '\0';
    for (size_t i = 0; s == AM_OK && p->axis->choices[i]; i++) {
        if (am_glob_match(pattern, p->axis->choices[i]) && is_usable(p->axis, i))
            s = add_choice(p, from, i);
    }
    return s;
}

/* A choice wins over a group of the same name; where there are no choices, every word is a name. */
static enum am_status name_item(struct am_parser *p)
{
    const size_t from = p->pos;

    while (p->pos < p->len && p->text[p->pos] != ',')
        p->pos++;
    if (p->pos == from)
        return am_parser_fail_at(p, from, "a value is missing");
    if (!p->axis->choices)
        return free_name(p, from);
    for (size_t i = 0; p->axis->choices[i]; i++) {
        if (word_is(p, from, p->axis->choices[i]))
            return add_choice(p, from, i);
    }
    for (size_t i = 0; i < GROUPS; i++) {
        if (word_is(p, from, groups[i].word) && (p->axis->ranked || !groups[i].ranked))
            return groups[i].add(p, from);
    }
    return memchr(p->text + from, '*', p->pos - from) ? matching_choices(p, from)
                                                      : fail_choice(p, from);
}

enum am_status am_axis_parse(const struct am_axis *axis, const char *text, size_t len,
                             const struct am_symbol *symbols, struct am_arena *arena,
                             struct am_values *out, struct am_err *err)
{
    struct am_parser p = {.axis = axis,
                          .text = text,
                          .len = len,
                          .symbols = symbols,
                          .arena = arena,
                          .out = out,
                          .err = err};

    *out = (struct am_values){0};
    do {
        enum am_status s;

        p.before = out->n;
        s = axis->kind == AM_AXIS_NAME ? name_item(&p) : am_parser_number_item(&p);
        if (s != AM_OK)
            return s;
    } while (am_parser_accept(&p, ','));
    if (p.pos == p.len && out->n == 0)
        return am_fail(err, AM_E_ABSENT, "%s: no usable value here matches \"%.*s\"", axis->name,
                       (int)len, text);
    if (p.pos == p.len)
        return AM_OK;
    p.pos++;
    return am_parser_fail_word(&p, p.pos - 1, "unexpected");
}
