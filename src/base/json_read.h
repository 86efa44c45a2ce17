/* SPDX-License-Identifier: MIT */
/* JSON (RFC 8259) from text to a tree whose values know where they stand.
 *
 * The text may come from anybody: its size, the depth of nesting and the memory are bounded, a key
 * that occurs twice in an object is refused, and so are numbers that no double can hold. A refusal
 * names the file, the line and the column. Numbers keep their literal beside the value, so that
 * what was written can be written again. Everything lives in the arena that was given. */
#ifndef AM_BASE_JSON_READ_H
#define AM_BASE_JSON_READ_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    AM_JSON_BYTES_MAX = 16 << 20,
    AM_JSON_DEPTH_MAX = 16,
    AM_JSON_KEYS_MAX = 512, /* of one object: they are compared with each other */
};

enum am_json_kind {
    AM_JSON_NULL,
    AM_JSON_BOOL,
    AM_JSON_NUMBER,
    AM_JSON_TEXT,
    AM_JSON_ARRAY,
    AM_JSON_OBJECT,
    AM_JSON_KINDS,
};

struct am_json_value {
    enum am_json_kind kind;
    unsigned line, column;       /* where it begins, both from 1; columns are bytes */
    const char *key;             /* as a member of an object; NULL elsewhere */
    const char *text;            /* TEXT: decoded; NUMBER: the literal; else NULL */
    double number;               /* NUMBER: finite */
    bool truth;                  /* BOOL */
    struct am_json_value *items; /* ARRAY, OBJECT: in their order */
    size_t n;
};

/* The whole of text[0..n) must be one value. `name` is the file's, for messages: AM_E_USAGE with
 * "NAME:LINE:COLUMN: ...". */
enum am_status am_json_read(const char *name, const char *text, size_t n, struct am_arena *arena,
                            struct am_json_value *out, struct am_err *err);

/* The member of an object; NULL when it has none, or is none. */
const struct am_json_value *am_json_get(const struct am_json_value *object, const char *key);

/* "a number", "an object": for messages. */
const char *am_json_kind_words(enum am_json_kind kind);

#endif
