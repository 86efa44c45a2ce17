/* SPDX-License-Identifier: MIT */
/* Inside the parser of axis values: the cursor, shared by lists and names (axis_parse.c) and by
 * numbers and ranges (axis_number.c). */
#ifndef AM_CORE_AXIS_PARSER_H
#define AM_CORE_AXIS_PARSER_H

#include "core/bench/axis.h"

#include <stdbool.h>
#include <stddef.h>

enum { AM_PARSER_WORD_CAP = 48 }; /* bytes of a user's word that an error quotes, and its end */

struct am_parser {
    const struct am_axis *axis;
    const char *text;
    size_t len, pos;
    const struct am_symbol *symbols;
    struct am_arena *arena;
    struct am_values *out;
    size_t cap;
    size_t before;  /* values that earlier items gave */
    size_t written; /* values that the text asked for, repetitions included */
    struct am_err *err;
};

/* The byte at the cursor, '\0' at the end (and for a NUL in the text, which no rule accepts). */
char am_parser_peek(const struct am_parser *p);
/* Moves over `c` if it is the next byte. */
bool am_parser_accept(struct am_parser *p, char c);

/* text[from, to) fit for a message: bounded, unprintable bytes replaced. */
const char *am_parser_quote(const struct am_parser *p, size_t from, size_t to,
                            char buf[AM_PARSER_WORD_CAP]);

/* Failures that name the axis and the column of `from`: a sentence; a sentence and the word from
 * there to the cursor; an unknown word and the valid `names`, ended by NULL. */
enum am_status am_parser_fail_at(const struct am_parser *p, size_t from, const char *what);
enum am_status am_parser_fail_word(const struct am_parser *p, size_t from, const char *what);
enum am_status am_parser_fail_unknown(const struct am_parser *p, size_t from,
                                      const char *const *names);

/* Appends a value unless it is there already. `from` is the place of the item that asked for it.
 * The values of one item must come in an order in which equal ones are neighbours. */
enum am_status am_parser_add(struct am_parser *p, size_t from, const struct am_value *value);

/* One number or range, all its values added. */
enum am_status am_parser_number_item(struct am_parser *p);

#endif
