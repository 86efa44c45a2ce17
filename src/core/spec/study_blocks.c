/* SPDX-License-Identifier: MIT */
/* The keys inside the blocks of a study: tables, figures and claims. */
#include "core/spec/study_blocks.h"

#include "core/spec/study_lists.h"
#include "core/spec/study_words.h"

#include <math.h>
#include <string.h>

#define NAME(id, name) [id] = name,
const char *const am_study_fields[AM_STUDY_FIELD_COUNT] = {AM_STUDY_FIELDS(NAME)};
#undef NAME
const char *const am_study_kinds[AM_STUDY_KINDS] = {
    [AM_STUDY_TABLE] = "table", [AM_STUDY_FIGURE] = "figure"};

/* ---- lines ---- */

const char *am_study_sentence(struct am_spec_reader *r, const char *text)
{
    char *const copy = am_arena_strdup(r->arena, text);
    char *to = copy;

    for (const char *from = text; copy && *from; from++) {
        const bool blank = *from == ' ' || *from == '\t';

        if (!blank || (to > copy && to[-1] != ' '))
            *to++ = blank ? ' ' : *from;
    }
    if (copy)
        *to = '\0';
    return copy;
}

enum am_status am_study_set_once(struct am_spec_reader *r, const char *key, const char *value,
                                 const char **field)
{
    if (*field)
        return am_spec_bad(r, "%s is given twice", key);
    *field = am_study_sentence(r, value);
    return *field ? AM_OK : am_spec_no_memory(r);
}

enum am_status am_study_add_line(struct am_spec_reader *r, const char *value,
                                 struct am_strings *list)
{
    if (list->n == AM_STUDY_LIST_MAX)
        return am_spec_bad(r, "more than %d such lines", AM_STUDY_LIST_MAX);
    value = am_study_sentence(r, value);
    return value && am_strings_add(list, r->arena, value) ? AM_OK : am_spec_no_memory(r);
}

void am_study_flatten(struct am_spec_reader *r, const char *key, const char *value)
{
    am_text_addf(&r->flat, "%s %s\n", key, value);
}

/* ---- keys of a table or figure ---- */

static enum am_status key_caption(struct am_spec_reader *r, const char *value)
{
    am_study_flatten(r, "caption", value);
    return am_study_set_once(r, "caption", value, &r->item->caption);
}

static enum am_status key_remark(struct am_spec_reader *r, const char *value)
{
    am_study_flatten(r, "remark", value);
    return am_study_add_line(r, value, &r->item->remarks);
}

static enum am_status key_query(struct am_spec_reader *r, const char *value)
{
    struct am_study_query *q;

    if (r->item->kind != AM_STUDY_TABLE)
        return am_spec_bad(r, "query is for tables; a figure is described by its fields");
    if (r->item->n_queries == AM_STUDY_LIST_MAX)
        return am_spec_bad(r, "more than %d queries", AM_STUDY_LIST_MAX);
    q = AM_ARRAY_ADD(r->arena, r->item->queries, r->item->n_queries, r->item->cap_queries);
    if (!q)
        return am_spec_no_memory(r);
    am_study_flatten(r, "query", value);
    *q = (struct am_study_query){.sql = value, .at = am_spec_place_of(r, value)};
    return AM_OK;
}

/* "33.3 GFLOPS", n bytes from `text` on. */
static enum am_status read_value(struct am_spec_reader *r, const char *text, size_t n,
                                 struct am_study_number *out)
{
    const size_t blanks = strspn(text, " \t"), digits = strcspn(text + blanks, " \t|");
    const size_t used = blanks + digits;
    double scale;

    if (used > n || !am_parse_f64(text + blanks, digits, &out->value))
        return am_study_bad_at(r, text + (blanks < n ? blanks : n),
                               "a number of the paper is VALUE UNIT, and begins with digits");
    out->unit = am_study_trimmed(r, text + used, n - used);
    if (!out->unit)
        return am_spec_no_memory(r);
    if (strlen(out->unit) >= AM_NAME_MAX)
        return am_study_bad_at(r, text + used, "the unit is too long");
    am_spec_unit(out->unit, &out->si_unit, &scale);
    out->si = out->value * scale;
    return AM_OK;
}

/* WHAT | VALUE UNIT [| SELECTOR] */
static enum am_status key_number(struct am_spec_reader *r, const char *value)
{
    struct am_study_item *const item = r->item;
    const char *const first = strchr(value, '|'), *const second =
                                                      first ? strchr(first + 1, '|') : NULL;
    struct am_study_number number = {.at = r->place, .beside = second != NULL};
    struct am_study_number *added;
    enum am_status s;

    if (!first || first == value)
        return am_study_bad_at(r, value, "write: number WHAT | VALUE UNIT | SELECTOR");
    number.what = am_study_trimmed(r, value, (size_t)(first - value));
    if (!number.what)
        return am_spec_no_memory(r);
    s = read_value(r, first + 1, second ? (size_t)(second - first - 1) : strlen(first + 1),
                   &number);
    if (s == AM_OK && second)
        s = am_study_parse_selector(r, second + 1, &number.from);
    if (s != AM_OK)
        return s;
    if (item->n_beside == AM_STUDY_LIST_MAX)
        return am_spec_bad(r, "more than %d numbers", AM_STUDY_LIST_MAX);
    added = AM_ARRAY_ADD(r->arena, item->beside, item->n_beside, item->cap_beside);
    if (!added)
        return am_spec_no_memory(r);
    *added = number;
    am_text_addf(&r->flat, "number %.*s", (int)(second ? second - value : (ptrdiff_t)strlen(value)),
                 value);
    am_text_addf(&r->flat, second ? "| %s\n" : "%s\n", second ? number.from.text : "");
    return AM_OK;
}

/* Words that a field takes; NULL: any. */
static const char *const *choices_of(enum am_study_field field)
{
    static const char *const kinds[] = {"lines", "bars", "heat", "table", NULL};
    static const char *const scales[] = {"linear", "log2", "log10", NULL};
    static const char *const answers[] = {"yes", "no", NULL};
    static const char *const *const choices[AM_STUDY_FIELD_COUNT] = {
        [AM_STUDY_KIND] = kinds,    [AM_STUDY_XSCALE] = scales, [AM_STUDY_YSCALE] = scales,
        [AM_STUDY_BEST] = answers,  [AM_STUDY_OWN_Y] = answers, [AM_STUDY_STEPS] = answers,
        [AM_STUDY_LEVELS] = answers};

    return choices[field];
}

enum am_status am_study_set_field(struct am_spec_reader *r, enum am_study_field field,
                                  const char *value)
{
    const char *const *const choices = choices_of(field);
    const char *const name = am_study_fields[field];
    size_t n = 0;
    enum am_status s;

    if (r->item->kind != AM_STUDY_FIGURE)
        return am_spec_bad(r, "%s is for figures; a table is made by its queries", name);
    while (choices && choices[n])
        n++;
    if (choices && am_name_index(choices, n, value) < 0)
        return am_study_bad_word(r, value, "no word for this field:", value, choices, n);
    if (field == AM_STUDY_WHERE || field == AM_STUDY_LEVEL) {
        s = am_study_parse_where(r, value, &value);
        if (s != AM_OK)
            return s;
    }
    r->item->field_at[field] = r->place;
    am_study_flatten(r, name, value);
    return am_study_set_once(r, name, value, &r->item->field[field]);
}

/* ---- keys of a claim ---- */

static enum am_status key_says(struct am_spec_reader *r, const char *value)
{
    am_study_flatten(r, "says", value);
    return am_study_set_once(r, "says", value, &r->claim->says);
}

static enum am_status key_section(struct am_spec_reader *r, const char *value)
{
    am_study_flatten(r, "section", value);
    return am_study_set_once(r, "section", value, &r->claim->section);
}

/* Adds a relation; *flat is how it stands in the flat form. */
static enum am_status add_that(struct am_spec_reader *r, struct am_study_claim *claim,
                               const char *value, const char **flat)
{
    struct am_study_that that, *added;
    const enum am_status s = am_study_parse_that(r, value, &that);

    if (s != AM_OK)
        return s;
    if (claim->n_thats == AM_STUDY_LIST_MAX)
        return am_spec_bad(r, "more than %d relations", AM_STUDY_LIST_MAX);
    added = AM_ARRAY_ADD(r->arena, claim->thats, claim->n_thats, claim->cap_thats);
    if (!added)
        return am_spec_no_memory(r);
    *added = that;
    *flat = that.text;
    return AM_OK;
}

static enum am_status key_that(struct am_spec_reader *r, const char *value)
{
    const char *flat = "";
    const enum am_status s = add_that(r, r->claim, value, &flat);

    if (s == AM_OK)
        am_study_flatten(r, "that", flat);
    return s;
}

/* TEXT [| RELATION]: what the reason rests on is a claim of its own. */
static enum am_status key_because(struct am_spec_reader *r, const char *value)
{
    struct am_study_claim *const claim = r->claim;
    const char *const bar = strchr(value, '|');
    const char *const text =
        am_study_trimmed(r, value, bar ? (size_t)(bar - value) : strlen(value));
    const char *flat = "";
    enum am_status s;

    if (!text)
        return am_spec_no_memory(r);
    if (!*text)
        return am_study_bad_at(r, value, "write: because TEXT | RELATION");
    s = am_study_set_once(r, "because", text, &claim->because);
    if (s != AM_OK || !bar) {
        am_study_flatten(r, "because", text);
        return s;
    }
    claim->reason = am_arena_alloc(r->arena, sizeof(*claim->reason));
    if (!claim->reason)
        return am_spec_no_memory(r);
    *claim->reason = (struct am_study_claim){
        .name = claim->name, .says = claim->because, .margin = NAN, .at = r->place};
    s = add_that(r, claim->reason, bar + 1, &flat);
    if (s == AM_OK)
        am_text_addf(&r->flat, "because %s | %s\n", text, flat);
    return s;
}

static enum am_status key_margin(struct am_spec_reader *r, const char *value)
{
    if (!am_study_parse_percent(value, &r->claim->margin))
        return am_study_bad_at(r, value, "margin is a share above 0, e.g. 5%");
    am_study_flatten(r, "margin", value);
    return AM_OK;
}

static enum am_status key_pairs(struct am_spec_reader *r, const char *value)
{
    static const char *const words[] = {
        [AM_STUDY_EVERY] = "every", [AM_STUDY_MOST] = "most", [AM_STUDY_SOME] = "some"};
    const int i = am_name_index(words, AM_STUDY_SHARES, value);

    if (i < 0)
        return am_study_bad_word(r, value, "pairs is every, most or some, not", value, words,
                                 AM_STUDY_SHARES);
    r->claim->share = (enum am_study_share)i;
    am_study_flatten(r, "pairs", value);
    return AM_OK;
}

/* ---- the tables ---- */

const struct am_study_key am_study_item_keys[] = {
    {"caption", key_caption}, {"remark", key_remark}, {"query", key_query},
    {"number", key_number},   {NULL, NULL},
};

const struct am_study_key am_study_claim_keys[] = {
    {"says", key_says},   {"section", key_section}, {"that", key_that}, {"margin", key_margin},
    {"pairs", key_pairs}, {"because", key_because}, {NULL, NULL},
};
