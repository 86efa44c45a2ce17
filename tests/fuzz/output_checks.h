/* SPDX-License-Identifier: MIT */
/* What every writer promises, whatever the texts and numbers of a run are: its output is UTF-8
 * without a character that steers a terminal, JSON is JSON, no cell of CSV is a formula, and a page
 * has no script but its own. */
#ifndef AM_TESTS_FUZZ_OUTPUT_CHECKS_H
#define AM_TESTS_FUZZ_OUTPUT_CHECKS_H

#include "base/json_read.h"
#include "base/text.h"
#include "base/utf8.h"
#include "write/write.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline void require(bool condition)
{
    if (!condition)
        abort();
}

static inline void check_characters(const char *text, size_t n)
{
    require(strlen(text) == n);
    for (const char *p = text; *p;) {
        const size_t len = am_utf8_plain(p);

        require(len > 0 || *p == '\n' || *p == '\t');
        p += len ? len : 1;
    }
}

/* Cells begin at a line's beginning or behind a comma outside of quotes. */
static inline void check_csv(const char *text)
{
    bool quoted = false, begins = true;

    for (const char *p = text; *p; p++) {
        if (begins) {
            const size_t len = strcspn(p, ",\n");
            const char *const cell = p + (*p == '"');
            double number;

            require(!strchr("=+@\t\r", *cell) || *cell == '\0');
            require(*cell != '-' || am_parse_f64(p, len, &number));
        }
        if (*p == '"')
            quoted = !quoted;
        begins = !quoted && (*p == ',' || *p == '\n');
    }
    require(!quoted);
}

static inline size_t count_of(const char *text, const char *word)
{
    size_t n = 0;

    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        n++;
    return n;
}

static inline void check_output(enum am_format format, const char *text, size_t n)
{
    struct am_arena arena = {0};
    struct am_json_value tree;
    struct am_err err = {0};

    check_characters(text, n);
    if (format == AM_FORMAT_JSON)
        require(am_json_read("out", text, n, &arena, &tree, &err) == AM_OK);
    if (format == AM_FORMAT_CSV)
        check_csv(text);
    if (format == AM_FORMAT_HTML)
        require(count_of(text, "<script") == 1 && count_of(text, "</script") == 1 &&
                count_of(text, "=\"javascript:") == 0);
    am_arena_fini(&arena);
}

#endif
