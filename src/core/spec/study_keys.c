/* SPDX-License-Identifier: MIT */
/* The keys that a study has beyond those of an experiment: its head, and blocks of tables, figures
 * and claims. A block begins with its key and ends where a key comes that is none of its own. */
#include "core/spec/study_blocks.h"
#include "core/spec/study_lists.h"
#include "core/spec/study_words.h"

#include <math.h>
#include <string.h>

/* ---- words ---- */

enum am_status am_study_bad_word(struct am_spec_reader *r, const char *at, const char *story,
                                 const char *word, const char *const *names, size_t n)
{
    const char *const near = am_nearest(word, names, n);

    return am_spec_bad_at(r, am_spec_place_of(r, at), "%s \"%.80s\"%s%s%s", story, word,
                          near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* ---- the head ---- */

static enum am_status key_study(struct am_spec_reader *r, const char *value)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

    if (strspn(value, letters) != strlen(value) || *value == '.' || *value == '-')
        return am_study_bad_at(
            r, value, "the name of a study is made of letters, digits, \"_\", \"-\" and \".\"");
    if (strlen(value) >= AM_SPEC_NAME_MAX)
        return am_study_bad_at(r, value, "the name of the study is too long");
    r->out->study->name = value;
    return AM_OK;
}

static enum am_status key_title(struct am_spec_reader *r, const char *value)
{
    return am_study_set_once(r, "title", value, &r->out->study->title);
}

static enum am_status key_source(struct am_spec_reader *r, const char *value)
{
    return am_study_set_once(r, "source", value, &r->out->study->source);
}

static enum am_status key_note(struct am_spec_reader *r, const char *value)
{
    return am_study_add_line(r, value, &r->out->study->notes);
}

/* A later one replaces it, so that the short form may have its own. */
static enum am_status key_budget(struct am_spec_reader *r, const char *value)
{
    if (!am_parse_duration(value, &r->out->study->budget_s) || !(r->out->study->budget_s > 0))
        return am_study_bad_at(r, value, "budget is a time with its unit, e.g. 90s, 3min, 1h");
    return AM_OK;
}

/* Cuts the first word off a copy; returns what follows it, as a place in the line itself. */
static const char *first_word(struct am_spec_reader *r, const char *value, const char **word)
{
    const size_t n = strcspn(value, " \t");

    *word = am_arena_strndup(r->arena, value, n);
    return value + n + strspn(value + n, " \t");
}

static enum am_status key_paper(struct am_spec_reader *r, const char *value)
{
    static const char *const words[] = {[AM_STUDY_TABLE] = "tables", [AM_STUDY_FIGURE] = "figures"};
    struct am_study *const study = r->out->study;
    const char *word, *const list = first_word(r, value, &word);
    const int kind = am_name_index(words, AM_STUDY_KINDS, word);

    if (!word)
        return am_spec_no_memory(r);
    if (kind < 0)
        return am_study_bad_word(r, value, "write: paper tables LIST or paper figures LIST, not",
                                 word, words, AM_STUDY_KINDS);
    study->stated[kind] = true;
    return am_study_parse_list(r, list, strlen(list), &study->in_paper[kind]);
}

static enum am_status key_missing(struct am_spec_reader *r, const char *value)
{
    struct am_study *const study = r->out->study;
    const char *word, *const list = first_word(r, value, &word);
    const char *const colon = strchr(list, ':');
    const int kind = word ? am_name_index(am_study_kinds, AM_STUDY_KINDS, word) : -1;
    struct am_study_missing *m;

    if (!word)
        return am_spec_no_memory(r);
    if (kind < 0)
        return am_study_bad_word(r, value, "write: missing figure LIST: REASON, not", word,
                                 am_study_kinds, AM_STUDY_KINDS);
    if (!colon || !colon[strspn(colon, ": \t")])
        return am_study_bad_at(r, colon ? colon : list,
                               "write: missing figure LIST: REASON; the reason is not there");
    m = AM_ARRAY_ADD(r->arena, study->missing, study->n_missing, study->cap_missing);
    if (!m)
        return am_spec_no_memory(r);
    *m = (struct am_study_missing){.kind = (enum am_study_kind)kind,
                                   .label = am_study_trimmed(r, list, (size_t)(colon - list)),
                                   .why = am_study_sentence(r, colon + 1),
                                   .at = r->place};
    if (!m->label || !m->why)
        return am_spec_no_memory(r);
    return am_study_parse_list(r, list, (size_t)(colon - list), &m->numbers);
}

/* ---- blocks ---- */

static enum am_status begin_item(struct am_spec_reader *r, enum am_study_kind kind,
                                 const char *value)
{
    struct am_study *const study = r->out->study;

    if (study->n_items == AM_STUDY_ITEMS_MAX)
        return am_spec_bad(r, "more than %d tables and figures", AM_STUDY_ITEMS_MAX);
    r->item = AM_ARRAY_ADD(r->arena, study->items, study->n_items, study->cap_items);
    if (!r->item)
        return am_spec_no_memory(r);
    r->item->kind = kind;
    r->item->label = value;
    r->item->at = r->place;
    return am_study_parse_list(r, value, strlen(value), &r->item->numbers);
}

static enum am_status key_table(struct am_spec_reader *r, const char *value)
{
    return begin_item(r, AM_STUDY_TABLE, value);
}

static enum am_status key_figure(struct am_spec_reader *r, const char *value)
{
    return begin_item(r, AM_STUDY_FIGURE, value);
}

static enum am_status key_claim(struct am_spec_reader *r, const char *value)
{
    struct am_study *const study = r->out->study;

    if (strpbrk(value, " \t"))
        return am_study_bad_at(r, strpbrk(value, " \t"), "the name of a claim is one word");
    for (size_t i = 0; i < study->n_claims; i++) {
        if (strcmp(study->claims[i].name, value) == 0)
            return am_spec_bad(r, "claim %s stands at %s:%u already", value,
                               study->claims[i].at.file, study->claims[i].at.line);
    }
    if (study->n_claims == AM_STUDY_CLAIMS_MAX)
        return am_spec_bad(r, "more than %d claims", AM_STUDY_CLAIMS_MAX);
    r->claim = AM_ARRAY_ADD(r->arena, study->claims, study->n_claims, study->cap_claims);
    if (!r->claim)
        return am_spec_no_memory(r);
    *r->claim = (struct am_study_claim){.name = value, .margin = NAN, .at = r->place};
    return AM_OK;
}

/* ---- the tables ---- */

static const struct am_study_key head_keys[] = {
    {"study", key_study},   {"title", key_title},     {"source", key_source}, {"note", key_note},
    {"paper", key_paper},   {"missing", key_missing}, {"budget", key_budget}, {"table", key_table},
    {"figure", key_figure}, {"claim", key_claim},     {"quick", NULL},        {"full", NULL},
    {NULL, NULL},
};

enum {
    HEAD_KEYS = sizeof(head_keys) / sizeof(*head_keys) - 1,
    NAMES_MAX = 64, /* of the head and of one kind of block */
};

const char *am_study_key(size_t i)
{
    return i < HEAD_KEYS ? head_keys[i].name : NULL;
}

static const struct am_study_key *find(const struct am_study_key *keys, const char *name)
{
    while (keys->name && strcmp(keys->name, name) != 0)
        keys++;
    return keys->name ? keys : NULL;
}

static size_t add_names(const struct am_study_key *keys, const char **names, size_t n)
{
    for (; keys->name && n < NAMES_MAX; keys++)
        names[n++] = keys->name;
    return n;
}

/* Keys of an experiment that end a block: after others the reader would not know whose it is. */
static bool ends_block(const char *key)
{
    static const char *const names[] = {"test", "include", "folder"};

    return am_name_index(names, sizeof(names) / sizeof(*names), key) >= 0;
}

static enum am_status unknown_in_block(struct am_spec_reader *r, const char *key)
{
    const bool figure = r->item && r->item->kind == AM_STUDY_FIGURE;
    const char *names[NAMES_MAX];
    size_t n = add_names(head_keys, names, 0);

    n = add_names(r->claim ? am_study_claim_keys : am_study_item_keys, names, n);
    for (size_t i = 0; figure && i < AM_STUDY_FIELD_COUNT && n < NAMES_MAX; i++)
        names[n++] = am_study_fields[i];
    return am_study_bad_word(r, key,
                             r->claim ? "a claim has no key"
                             : figure ? "a figure has no key"
                                      : "a table has no key",
                             key, names, n);
}

/* A line inside a block; *taken stays false where the block ends. */
static enum am_status block_line(struct am_spec_reader *r, const char *key, const char *value,
                                 bool *taken)
{
    const struct am_study_key *const own =
        find(r->claim ? am_study_claim_keys : am_study_item_keys, key);
    const int field = r->item ? am_name_index(am_study_fields, AM_STUDY_FIELD_COUNT, key) : -1;

    if (!own && field < 0 && (find(head_keys, key) || ends_block(key)))
        return AM_OK;
    *taken = true;
    if (!own && field < 0)
        return unknown_in_block(r, key);
    if (!*value)
        return am_spec_bad(r, "%s has no value", key);
    return own ? own->set(r, value) : am_study_set_field(r, (enum am_study_field)field, value);
}

/* `quick LINE` and `full LINE`: the line itself, in that form of the study. */
static enum am_status marked_line(struct am_spec_reader *r, const char *mark, const char *line)
{
    const char *key, *const value = first_word(r, line, &key);

    if (!key)
        return am_spec_no_memory(r);
    if (!*line)
        return am_spec_bad(r, "%s stands before a line", mark);
    if (strcmp(key, "quick") == 0 || strcmp(key, "full") == 0)
        return am_study_bad_at(r, line, "a line is marked once");
    return r->source->quick == (strcmp(mark, "quick") == 0) ? am_spec_line(r, key, value) : AM_OK;
}

static enum am_status head_line(struct am_spec_reader *r, const struct am_study_key *own,
                                const char *value)
{
    r->item = NULL;
    r->claim = NULL;
    if (!*value)
        return am_spec_bad(r, "%s has no value", own->name);
    if (own->set == key_study && r->out->study->name)
        return am_spec_bad(r, "a study is named once, by its first line");
    am_study_flatten(r, own->name, value);
    return own->set(r, value);
}

/* A line outside of tests that is nearly a key of the head is no variable. */
static enum am_status check_typing(struct am_spec_reader *r, const char *key)
{
    const char *names[NAMES_MAX];
    const size_t n = add_names(head_keys, names, 0);

    if (r->in_test || !am_nearest(key, names, n))
        return AM_OK;
    for (size_t i = 0; am_spec_key(i); i++) {
        if (strcmp(am_spec_key(i), key) == 0)
            return AM_OK;
    }
    return am_study_bad_word(r, key, "unknown key", key, names, n);
}

enum am_status am_study_line(struct am_spec_reader *r, const char *key, const char *value,
                             bool *taken)
{
    const struct am_study_key *const own = find(head_keys, key);
    const bool first = r->at_begin;
    enum am_status s = AM_OK;

    r->at_begin = first && strcmp(key, "folder") == 0;
    if (!r->out->study && first && own && own->set == key_study) {
        r->out->study = am_arena_alloc(r->arena, sizeof(*r->out->study));
        *taken = true;
        if (!r->out->study)
            return am_spec_no_memory(r);
        r->place.column = (unsigned)(r->line.source - r->line.begin) + 1;
        r->out->study->at = r->place;
        return head_line(r, own, value);
    }
    if (!r->out->study)
        return AM_OK;
    if (own && !own->set) {
        *taken = true;
        return marked_line(r, key, value);
    }
    if (r->item || r->claim) {
        s = block_line(r, key, value, taken);
        if (*taken)
            return s;
    }
    r->item = NULL;
    r->claim = NULL;
    *taken = own != NULL;
    if (own)
        return head_line(r, own, value);
    s = check_typing(r, key);
    *taken = s != AM_OK;
    return s;
}
