/* SPDX-License-Identifier: MIT */
/* How output is dressed: format, colour, character set, width. */
#ifndef AM_WRITE_STYLE_H
#define AM_WRITE_STYLE_H

#include "document/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum am_format {
    AM_FORMAT_TABLE,
    AM_FORMAT_JSON,
    AM_FORMAT_CSV,
    AM_FORMAT_MD,
    AM_FORMAT_TEX,
    AM_FORMAT_COUNT,                  /* those that --format knows */
    AM_FORMAT_HTML = AM_FORMAT_COUNT, /* a page: archmeter report */
};

/* Only AM_FORMAT_TABLE looks beyond `format`. */
struct am_style {
    enum am_format format;
    bool color;     /* terminal attributes; words carry the meaning, colour only repeats it */
    bool utf8;      /* else plain ASCII stands in for the few other characters we use */
    unsigned width; /* columns of the terminal; 0: no limit */
    bool graphs;    /* bars, sparklines and heat maps beside the numbers */
};

/* The escape sequences around a text of this tone; "" without colour. */
const char *am_style_on(const struct am_style *style, enum am_tone tone);
const char *am_style_off(const struct am_style *style, enum am_tone tone);

/* Columns that `text` (UTF-8) takes on a terminal; wide and combining characters counted so. */
size_t am_text_width(const char *text);

/* Bytes of `text` that fill one line of so many columns, cut at a space, else after a dot, comma,
 * brace, hyphen or slash (ids of facts, names of devices, paths), else anywhere; at least one
 * character. *next is where the following line begins. */
size_t am_text_line(const char *text, size_t columns, size_t *next);

/* Writes text for a person: control characters become '?' (results files may come from anywhere),
 * and without utf8 the characters of our own tables become ASCII. */
void am_style_put(const struct am_style *style, FILE *out, const char *text);

/* Writes words wrapped to the style's width (100 columns where it has none) and ends the line. The
 * cursor stands in column `start`, where the later lines begin too unless that is beyond the
 * middle. Words wider than a line are cut only where a terminal would cut them. */
void am_style_flow(const struct am_style *style, FILE *out, size_t start, const char *text);

/* The same after `indent` spaces and a label. */
void am_style_wrap(const struct am_style *style, FILE *out, size_t indent, const char *label,
                   const char *text);

#endif
