/* SPDX-License-Identifier: MIT */
/* How output is dressed: format, colour, character set, width. */
#ifndef AM_REPORT_STYLE_H
#define AM_REPORT_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum am_format {
    AM_FORMAT_TABLE,
    AM_FORMAT_JSON,
    AM_FORMAT_CSV,
    AM_FORMAT_MD,
    AM_FORMAT_TEX,
    AM_FORMAT_COUNT,
};

/* Only AM_FORMAT_TABLE looks beyond `format`. */
struct am_style {
    enum am_format format;
    bool color;     /* terminal attributes; words carry the meaning, colour only repeats it */
    bool utf8;      /* else plain ASCII stands in for the few other characters we use */
    unsigned width; /* columns of the terminal; 0: no limit */
    bool graphs;    /* bars, sparklines and heat maps beside the numbers */
};

enum am_paint { AM_PAINT_NONE, AM_PAINT_STRONG, AM_PAINT_GOOD, AM_PAINT_WARN, AM_PAINT_BAD };

/* The escape sequences around painted text; "" without colour. */
const char *am_style_on(const struct am_style *style, enum am_paint paint);
const char *am_style_off(const struct am_style *style, enum am_paint paint);

/* Columns that `text` (UTF-8) takes on a terminal; wide and combining characters counted so. */
size_t am_text_width(const char *text);

/* Bytes of `text` that fill one line of so many columns, cut at a space, else after a dot (names of
 * facts), else anywhere; at least one character. *next is where the following line begins. */
size_t am_text_line(const char *text, size_t columns, size_t *next);

/* Writes text for a person: control characters become '?' (results files may come from anywhere),
 * and without utf8 the characters of our own tables become ASCII. */
void am_style_put(const struct am_style *style, FILE *out, const char *text);

/* Writes words wrapped to the style's width (100 columns where it has none) and ends the line. The
 * cursor stands in column `start`, where the later lines begin too. */
void am_style_flow(const struct am_style *style, FILE *out, size_t start, const char *text);

/* The same after `indent` spaces and a label. */
void am_style_wrap(const struct am_style *style, FILE *out, size_t indent, const char *label,
                   const char *text);

/* A heading: the name, then what belongs to it. In the form of style->format, as the next one. */
void am_style_heading(const struct am_style *style, FILE *out, const char *name, const char *rest);

/* A paragraph after a label: wrapped in a table (spaces before the label indent it), a comment in
 * TeX, a list item in Markdown. */
void am_style_note(const struct am_style *style, FILE *out, const char *label, const char *text);

#endif
