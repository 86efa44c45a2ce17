/* SPDX-License-Identifier: MIT */
/* A JSON writer: commas, indentation and escapes are its business, nesting is the caller's. */
#ifndef AM_REPORT_JSON_H
#define AM_REPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct am_json {
    FILE *out;
    unsigned depth;  /* of open objects and arrays */
    unsigned pretty; /* containers at this depth and deeper stay on one line */
    bool filled;     /* the innermost container has a member */
};

void am_json_init(struct am_json *j, FILE *out, unsigned pretty);

/* `key` is NULL inside an array and at the top. */
void am_json_object(struct am_json *j, const char *key);
void am_json_object_end(struct am_json *j);
void am_json_array(struct am_json *j, const char *key);
void am_json_array_end(struct am_json *j); /* closing the outermost container ends the line */

/* NULL gives null. Bytes that are not UTF-8 become U+FFFD. */
void am_json_string(struct am_json *j, const char *key, const char *value);
void am_json_number(struct am_json *j, const char *key, double value); /* not finite: null */
void am_json_integer(struct am_json *j, const char *key, int64_t value);
void am_json_unsigned(struct am_json *j, const char *key, uint64_t value);
void am_json_bool(struct am_json *j, const char *key, bool value);

#endif
