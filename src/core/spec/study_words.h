/* SPDX-License-Identifier: MIT */
/* Inside the reader of studies only: a text cut into words, and the selectors in it.
 *
 * In conditions @symbols become numbers of this machine. The words joined again are the flat form,
 * which says the same on any machine. Every story has the column of the word that is wrong. */
#ifndef AM_CORE_SPEC_STUDY_WORDS_H
#define AM_CORE_SPEC_STUDY_WORDS_H

#include "core/spec/spec_reader.h"
#include "core/spec/study.h"

enum { AM_STUDY_WORDS_MAX = 64 };

/* One word: where it stands in the line, and what it says here. */
struct am_study_word {
    const char *at, *text;
};

/* Words from `next` on are not read yet. */
struct am_study_cursor {
    struct am_spec_reader *r;
    struct am_study_word words[AM_STUDY_WORDS_MAX];
    size_t n, next;
    const char *end; /* behind the last word, for stories of what is not there */
};

/* The conditions of a selector. */
struct am_study_conditions {
    const struct am_study_word *words[AM_STUDY_WORDS_MAX];
    size_t n;
};

enum am_status am_study_cut(struct am_study_cursor *c, const char *text);
/* The next word, "" behind the last. */
const char *am_study_peek(const struct am_study_cursor *c);
/* Passes over the next word if it is this one. */
bool am_study_take(struct am_study_cursor *c, const char *word);
/* The next word must be this one. */
enum am_status am_study_expect(struct am_study_cursor *c, const char *word);
/* The story of the next word, or of its absence. */
enum am_status am_study_bad_here(const struct am_study_cursor *c, const char *story);
enum am_status am_study_bad_at(struct am_spec_reader *r, const char *at, const char *story);
/* Words [from, to) with a blank between them; NULL without memory. */
const char *am_study_joined(const struct am_study_cursor *c, size_t from, size_t to);
bool am_study_is_axis(const char *name, size_t n);

/* One selector. What it does not say itself is as `like` has it, where that is not NULL: the bench
 * and metric, and those of the `inherited` conditions whose axes it does not name. `own`: all of
 * its conditions. */
enum am_status am_study_take_selector(struct am_study_cursor *c,
                                      const struct am_study_selector *like,
                                      const struct am_study_conditions *inherited,
                                      struct am_study_conditions *own,
                                      struct am_study_selector *out);
/* Axes on which the two have different conditions, "a,b". */
enum am_status am_study_differ(struct am_spec_reader *r, const struct am_study_conditions *left,
                               const struct am_study_conditions *right, const char **out);

#endif
