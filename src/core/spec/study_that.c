/* SPDX-License-Identifier: MIT */
/* Relations of a study: "SELECTOR is less than SELECTOR". */
#include "core/spec/study_words.h"

#include <math.h>
#include <string.h>

bool am_study_parse_percent(const char *text, double *out)
{
    const size_t n = strlen(text);
    const bool percent = n && text[n - 1] == '%';
    double value;

    if (!am_parse_f64(text, percent ? n - 1 : n, &value) || !(value > 0) || value > 1e6)
        return false;
    *out = percent ? value / 100 : value;
    return true;
}

/* ---- relations ---- */

/* What follows the words of a relation. */
enum { RIGHT = 1, TIMES = 2, BOUND = 4, ALONG = 8, THEN_WITHIN = 16 };

static const struct relation {
    enum am_study_relation id;
    bool verb;                  /* without `is` */
    const char *first, *second; /* words; "" none */
    unsigned flags;
    const char *text;
} relations[AM_STUDY_RELATIONS] = {
    {AM_STUDY_GREATER, false, "greater", "than", RIGHT, "is greater than"},
    {AM_STUDY_LESS, false, "less", "than", RIGHT, "is less than"},
    {AM_STUDY_AT_LEAST, false, "at", "least", RIGHT | TIMES, "is at least"},
    {AM_STUDY_AT_MOST, false, "at", "most", RIGHT | TIMES, "is at most"},
    {AM_STUDY_WITHIN, false, "within", "", RIGHT | BOUND, "is within"},
    {AM_STUDY_GROWS, true, "grows", "with", ALONG, "grows with"},
    {AM_STUDY_FALLS, true, "falls", "with", ALONG, "falls with"},
    {AM_STUDY_INDEPENDENT, false, "independent", "of", ALONG | THEN_WITHIN, "is independent of"},
    {AM_STUDY_PROPORTIONAL, false, "proportional", "to", ALONG | THEN_WITHIN, "is proportional to"},
};

const char *am_study_relation_text(enum am_study_relation relation)
{
    return (unsigned)relation < AM_STUDY_RELATIONS ? relations[relation].text : "";
}

/* The relation whose words come next; `is` stands before all but the two verbs. */
static const struct relation *next_relation(const struct am_study_cursor *c, bool is)
{
    for (size_t i = 0; i < AM_STUDY_RELATIONS; i++) {
        const struct relation *const known = &relations[i];
        const char *const second = c->next + 1 < c->n ? c->words[c->next + 1].text : "";

        if (is == !known->verb && strcmp(known->first, am_study_peek(c)) == 0 &&
            (!*known->second || strcmp(known->second, second) == 0))
            return known;
    }
    return NULL;
}

static enum am_status take_relation(struct am_study_cursor *c, const struct relation **out)
{
    const bool is = am_study_take(c, "is");
    const char *names[AM_STUDY_RELATIONS];

    *out = next_relation(c, is);
    if (*out) {
        c->next += *(*out)->second ? 2 : 1;
        return AM_OK;
    }
    for (size_t i = 0; i < AM_STUDY_RELATIONS; i++)
        names[i] = relations[i].first;
    if (!is && !*am_study_peek(c))
        return am_study_bad_here(c, "a relation is missing: is greater than, grows with ...");
    return am_study_bad_word(c->r, c->next < c->n ? c->words[c->next].at : c->end,
                             "a relation is: is greater than, is less than, is at least F times, "
                             "is at most F times, is within P% of, is independent of, is "
                             "proportional to, grows with, falls with; not",
                             am_study_peek(c), names, AM_STUDY_RELATIONS);
}

static enum am_status take_factor(struct am_study_cursor *c, double *out)
{
    if (!am_parse_f64(am_study_peek(c), strlen(am_study_peek(c)), out) || !(*out > 0) || *out > 1e9)
        return am_study_bad_here(c, "a factor is a number above 0");
    c->next++;
    return AM_OK;
}

/* "P%" or "a factor of F": how far apart two numbers may be, relatively. */
static enum am_status take_bound(struct am_study_cursor *c, double *out)
{
    enum am_status s;

    if (!am_study_take(c, "a")) {
        if (!strchr(am_study_peek(c), '%') || !am_study_parse_percent(am_study_peek(c), out))
            return am_study_bad_here(
                c, "within P% or within a factor of F, with P above 0 and F above 1");
        c->next++;
        return AM_OK;
    }
    s = am_study_expect(c, "factor");
    if (s == AM_OK)
        s = am_study_expect(c, "of");
    if (s == AM_OK)
        s = take_factor(c, out);
    if (s == AM_OK && !(*out > 1))
        return am_study_bad_at(c->r, c->words[c->next - 1].at, "a factor of this kind is above 1");
    *out -= 1;
    return s;
}

static bool is_digit(char c)
{
    return (c >= '0' && c <= '9') || c == '.';
}

/* A number with its unit in place of a selector. */
static enum am_status take_constant(struct am_study_cursor *c, struct am_study_that *out)
{
    const char *const unit = c->next + 1 < c->n ? c->words[c->next + 1].text : "";
    double scale;

    if (!am_parse_f64(am_study_peek(c), strlen(am_study_peek(c)), &out->value) || !(out->value > 0))
        return am_study_bad_here(c, "a number here is above 0, with its unit as a word of its own");
    if (strlen(unit) >= AM_NAME_MAX)
        return am_study_bad_at(c->r, c->words[c->next + 1].at, "the unit is too long");
    am_spec_unit(unit, &out->unit, &scale);
    out->value *= scale;
    out->constant = true;
    out->right = (struct am_study_selector){.at = am_spec_place_of(c->r, c->words[c->next].at),
                                            .bench = "",
                                            .where = "",
                                            .most = "",
                                            .least = "",
                                            .text = am_study_joined(c, c->next, c->n)};
    c->next += *unit ? 2 : 1;
    return out->right.text ? AM_OK : am_spec_no_memory(c->r);
}

static enum am_status take_right(struct am_study_cursor *c,
                                 const struct am_study_conditions *of_left,
                                 struct am_study_that *out)
{
    struct am_study_conditions own;
    enum am_status s;

    out->differ = "";
    if (is_digit(*am_study_peek(c)))
        return take_constant(c, out);
    s = am_study_take_selector(c, &out->left, of_left, &own, &out->right);
    return s == AM_OK ? am_study_differ(c->r, of_left, &own, &out->differ) : s;
}

static enum am_status take_along(struct am_study_cursor *c, struct am_study_that *out)
{
    if (!*am_study_peek(c) || !am_study_is_axis(am_study_peek(c), strlen(am_study_peek(c))))
        return am_study_bad_here(c, "the name of an axis is expected");
    out->axis = am_study_peek(c);
    c->next++;
    return AM_OK;
}

/* All that follows the words of the relation. */
static enum am_status take_rest(struct am_study_cursor *c, const struct relation *rel,
                                const struct am_study_conditions *of_left,
                                struct am_study_that *out)
{
    enum am_status s = AM_OK;

    if (rel->flags & TIMES) {
        s = take_factor(c, &out->factor);
        if (s == AM_OK)
            s = am_study_expect(c, "times");
    }
    if (s == AM_OK && (rel->flags & BOUND)) {
        s = take_bound(c, &out->margin);
        if (s == AM_OK)
            s = am_study_expect(c, "of");
    }
    if (s == AM_OK && (rel->flags & ALONG))
        s = take_along(c, out);
    if (s == AM_OK && (rel->flags & THEN_WITHIN)) {
        s = am_study_expect(c, "within");
        if (s == AM_OK)
            s = take_bound(c, &out->margin);
    }
    if (s == AM_OK && (rel->flags & RIGHT))
        s = take_right(c, of_left, out);
    if (s == AM_OK && c->next < c->n)
        s = am_study_bad_here(c, "the relation ends before this word");
    return s;
}

enum am_status am_study_parse_that(struct am_spec_reader *r, const char *text,
                                   struct am_study_that *out)
{
    struct am_study_cursor c = {.r = r};
    const struct relation *rel = NULL;
    struct am_study_conditions of_left;
    enum am_status s = am_study_cut(&c, text);

    *out = (struct am_study_that){.factor = 1, .margin = NAN, .differ = "", .at = r->place};
    if (s == AM_OK)
        s = am_study_take_selector(&c, NULL, NULL, &of_left, &out->left);
    if (s == AM_OK)
        s = take_relation(&c, &rel);
    if (s != AM_OK)
        return s;
    out->relation = rel->id;
    s = take_rest(&c, rel, &of_left, out);
    if (s != AM_OK)
        return s;
    out->text = am_study_joined(&c, 0, c.n);
    return out->text ? AM_OK : am_spec_no_memory(r);
}
