/* SPDX-License-Identifier: MIT */
/* Objects of JSON into structs by tables of fields, with strict checks.
 *
 * A table names every key that an object may have, what stands there and where it goes. A key that
 * the table does not have is refused with the nearest one that it has; so are keys that are
 * missing, values of another kind and words that are none of a list. Every refusal is AM_E_USAGE
 * and begins with "FILE:LINE:COLUMN: ". Texts stay where the tree has them. */
#ifndef AM_BASE_JSON_FIELDS_H
#define AM_BASE_JSON_FIELDS_H

#include "base/json_read.h"

enum am_field_kind {
    AM_FIELD_TEXT,   /* const char * */
    AM_FIELD_NUMBER, /* double */
    AM_FIELD_WHOLE,  /* uint64_t; a whole number from 0 to 2^53 */
    AM_FIELD_BOOL,   /* bool */
    AM_FIELD_WORD,   /* int: the index in `words` */
    AM_FIELD_RANGE,  /* double[2]: an array of two numbers, the first not above the second; null in
                      * place of one is NAN */
    AM_FIELD_TREE,   /* const struct am_json_value *: an object or array that the caller reads */
    AM_FIELD_KINDS,
};

struct am_field {
    const char *key; /* NULL ends a table */
    enum am_field_kind kind;
    size_t offset;
    bool null; /* null may stand there: a text becomes NULL, a number NAN, all else stays */
    const char *const *words; /* AM_FIELD_WORD: n_words of them */
    size_t n_words;
    enum am_json_kind tree; /* AM_FIELD_TREE: which of both */
};

/* Where messages say that something stands. */
struct am_json_source {
    const char *name;
    struct am_err *err;
};

/* Fills the fields of `out` from the object. */
enum am_status am_json_fields(const struct am_json_source *source,
                              const struct am_json_value *object, const struct am_field *fields,
                              void *out);

/* The story of a value that cannot be accepted; AM_E_USAGE. */
enum am_status am_json_refuse(const struct am_json_source *source, const struct am_json_value *at,
                              const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
