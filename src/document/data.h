/* SPDX-License-Identifier: MIT */
/* A document as a tree for programs: objects, arrays, texts and numbers, told one after the other.
 *
 * Documents call these functions; a writer (write/json.c) supplies the four operations behind them.
 * Nothing is kept in between, so a run of any size costs no memory. Numbers are literals with all
 * digits; what is not finite is null. */
#ifndef AM_DOCUMENT_DATA_H
#define AM_DOCUMENT_DATA_H

#include <stdbool.h>
#include <stdint.h>

/* `key` is NULL inside an array and at the top. */
struct am_data {
    void (*open)(struct am_data *d, const char *key, char bracket); /* '{' or '[' */
    void (*close)(struct am_data *d, char bracket);
    void (*text)(struct am_data *d, const char *key, const char *text);
    void (*literal)(struct am_data *d, const char *key, const char *text);
};

void am_data_object(struct am_data *d, const char *key);
void am_data_object_end(struct am_data *d);
void am_data_array(struct am_data *d, const char *key);
void am_data_array_end(struct am_data *d);
void am_data_text(struct am_data *d, const char *key, const char *text); /* NULL: null */
void am_data_number(struct am_data *d, const char *key, double value);
void am_data_integer(struct am_data *d, const char *key, int64_t value);
void am_data_unsigned(struct am_data *d, const char *key, uint64_t value);
void am_data_bool(struct am_data *d, const char *key, bool value);
struct am_value;
void am_data_value(struct am_data *d, const char *key, const struct am_value *value);
/* [lo, hi] */
void am_data_range(struct am_data *d, const char *key, double lo, double hi);
/* A number where the text is one as programs write it ("16", "2.5"), else a text. */
void am_data_guess(struct am_data *d, const char *key, const char *text);

#endif
