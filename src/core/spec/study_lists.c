/* SPDX-License-Identifier: MIT */
/* Lists of the paper's tables and figures, and what must be there when a study ends: every table,
 * figure and claim is complete, and no number of the paper is passed over or made twice. */
#include "core/spec/study_lists.h"

#include "core/spec/study.h"

#include <string.h>

enum { NUMBER_MAX = 16 }; /* bytes of one, terminator included */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

const char *am_study_trimmed(struct am_spec_reader *r, const char *text, size_t n)
{
    while (n && is_blank(*text)) {
        text++;
        n--;
    }
    while (n && is_blank(text[n - 1]))
        n--;
    return am_arena_strndup(r->arena, text, n);
}

/* ---- lists ---- */

static enum am_status add_number(struct am_spec_reader *r, const char *at, const char *number,
                                 struct am_strings *out)
{
    if (!number)
        return am_spec_no_memory(r);
    if (out->n == AM_STUDY_LIST_MAX)
        return am_spec_bad_at(r, am_spec_place_of(r, at), "more than %d numbers",
                              AM_STUDY_LIST_MAX);
    if (am_strings_have(out, number))
        return am_spec_bad_at(r, am_spec_place_of(r, at), "%s stands in the list twice", number);
    return am_strings_add(out, r->arena, number) ? AM_OK : am_spec_no_memory(r);
}

/* The digits at the end of a number: "B.13" is "B." and 13. */
static bool split_number(const char *text, size_t *prefix, uint64_t *value)
{
    const size_t n = strlen(text);

    *prefix = n;
    while (*prefix && text[*prefix - 1] >= '0' && text[*prefix - 1] <= '9')
        (*prefix)--;
    return *prefix < n && am_parse_u64(text + *prefix, n - *prefix, value);
}

static enum am_status add_range(struct am_spec_reader *r, const char *at, const char *first,
                                const char *last, struct am_strings *out)
{
    size_t a, b;
    uint64_t from, to;
    enum am_status s = AM_OK;

    if (!split_number(first, &a, &from) || !split_number(last, &b, &to) || a != b ||
        strncmp(first, last, a) != 0 || from > to)
        return am_spec_bad_at(r, am_spec_place_of(r, at),
                              "\"%s-%s\" is no range: write 1-17 or B.1-B.13", first, last);
    for (uint64_t i = from; s == AM_OK && i <= to; i++)
        s = add_number(r, at,
                       am_arena_printf(r->arena, "%.*s%llu", (int)a, first, (unsigned long long)i),
                       out);
    return s;
}

static bool is_number(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.";

    return *text && strspn(text, letters) == strlen(text) && strlen(text) < NUMBER_MAX;
}

/* One item of the list, n bytes from `at` on. */
static enum am_status add_item(struct am_spec_reader *r, const char *at, size_t n,
                               struct am_strings *out)
{
    const char *const text = am_study_trimmed(r, at, n);
    const char *const dash = text ? strchr(text, '-') : NULL;
    const char *const first = dash ? am_study_trimmed(r, text, (size_t)(dash - text)) : text;
    const char *const last = dash ? am_study_trimmed(r, dash + 1, strlen(dash + 1)) : text;

    if (!first || !last)
        return am_spec_no_memory(r);
    if (!is_number(first) || !is_number(last))
        return am_spec_bad_at(r, am_spec_place_of(r, at + strspn(at, " \t")),
                              "\"%.40s\" is no number of a table or figure: letters, digits and "
                              "dots, e.g. 3, B.12, 1-17",
                              text);
    return dash ? add_range(r, at, first, last, out) : add_number(r, at, first, out);
}

enum am_status am_study_parse_list(struct am_spec_reader *r, const char *text, size_t n,
                                   struct am_strings *out)
{
    const char *const end = text + n;
    enum am_status s = AM_OK;

    while (s == AM_OK) {
        const char *const comma = memchr(text, ',', (size_t)(end - text));
        const size_t len = (size_t)((comma ? comma : end) - text);

        s = add_item(r, text, len, out);
        if (!comma)
            break;
        text = comma + 1;
    }
    return s;
}

/* ---- what must be there ---- */

static enum am_status lacks(struct am_spec_reader *r, struct am_spec_place at, const char *what,
                            const char *name, const char *key)
{
    return am_spec_bad_at(r, at, "%s %s has no \"%s\"", what, name, key);
}

static enum am_status check_item(struct am_spec_reader *r, const struct am_study_item *item)
{
    const char *const kind = am_study_kinds[item->kind];
    const bool like = item->field[AM_STUDY_LIKE] != NULL;
    const char *const form = item->field[AM_STUDY_KIND];

    if (!item->caption && !like)
        return lacks(r, item->at, kind, item->label, "caption");
    if (item->kind == AM_STUDY_TABLE)
        return item->n_queries || item->n_beside ? AM_OK
                                                 : lacks(r, item->at, kind, item->label, "query");
    if (!like && !item->field[AM_STUDY_BENCH])
        return lacks(r, item->at, kind, item->label, "like\" or \"bench");
    if (!like && !item->field[AM_STUDY_X] && (!form || strcmp(form, "table") != 0))
        return lacks(r, item->at, kind, item->label, "x");
    return AM_OK;
}

static enum am_status check_claim(struct am_spec_reader *r, const struct am_study_claim *c)
{
    if (!c->says)
        return lacks(r, c->at, "claim", c->name, "says");
    if (!c->section)
        return lacks(r, c->at, "claim", c->name, "section");
    return c->n_thats ? AM_OK : lacks(r, c->at, "claim", c->name, "that");
}

/* Where a number stands, and what of it was seen so far. */
struct covered {
    struct am_strings numbers[AM_STUDY_KINDS];
};

/* Numbers of an item or a missing line: none was there before, and the paper has them. */
static enum am_status cover(struct am_spec_reader *r, struct covered *c, enum am_study_kind kind,
                            const struct am_strings *numbers, struct am_spec_place at)
{
    const struct am_study *const study = r->out->study;

    for (size_t i = 0; i < numbers->n; i++) {
        const char *const number = numbers->items[i];

        if (am_strings_have(&c->numbers[kind], number))
            return am_spec_bad_at(r, at, "%s %s stands in the study already", am_study_kinds[kind],
                                  number);
        if (study->stated[kind] && !am_strings_have(&study->in_paper[kind], number))
            return am_spec_bad_at(r, at, "%s %s is not among those that \"paper %ss\" states",
                                  am_study_kinds[kind], number, am_study_kinds[kind]);
        if (!am_strings_add(&c->numbers[kind], r->arena, number))
            return am_spec_no_memory(r);
    }
    return AM_OK;
}

static enum am_status check_numbers(struct am_spec_reader *r)
{
    const struct am_study *const study = r->out->study;
    struct covered covered = {0};
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < study->n_items; i++)
        s = cover(r, &covered, study->items[i].kind, &study->items[i].numbers, study->items[i].at);
    for (size_t i = 0; s == AM_OK && i < study->n_missing; i++)
        s = cover(r, &covered, study->missing[i].kind, &study->missing[i].numbers,
                  study->missing[i].at);
    for (size_t k = 0; s == AM_OK && k < AM_STUDY_KINDS; k++) {
        for (size_t i = 0; s == AM_OK && i < study->in_paper[k].n; i++) {
            const char *const number = study->in_paper[k].items[i];

            if (!am_strings_have(&covered.numbers[k], number))
                s = am_spec_bad_at(r, study->at,
                                   "%s %s of the paper is neither made nor missing: write "
                                   "\"missing %s %s: REASON\"",
                                   am_study_kinds[k], number, am_study_kinds[k], number);
        }
    }
    return s;
}

enum am_status am_study_close(struct am_spec_reader *r)
{
    const struct am_study *const study = r->out->study;
    enum am_status s = AM_OK;

    if (!study->title)
        return lacks(r, study->at, "study", study->name, "title");
    if (!study->source)
        return lacks(r, study->at, "study", study->name, "source");
    for (size_t i = 0; s == AM_OK && i < study->n_items; i++)
        s = check_item(r, &study->items[i]);
    for (size_t i = 0; s == AM_OK && i < study->n_claims; i++)
        s = check_claim(r, &study->claims[i]);
    return s == AM_OK ? check_numbers(r) : s;
}
