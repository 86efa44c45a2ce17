/* SPDX-License-Identifier: MIT */
/* Text written so that its readers show it as it is, and are steered by nothing in it: no control
 * character, no mark of writing direction and no byte that is not UTF-8 passes (base/utf8.h). They
 * become U+FFFD, line feeds and tabs a space where they would end something; in JSON characters
 * become \u sequences. */
#ifndef AM_WRITE_ESCAPE_H
#define AM_WRITE_ESCAPE_H

#include <stdio.h>

void am_escape_md(FILE *out, const char *text);
void am_escape_tex(FILE *out, const char *text);
/* Behind the sign of a comment: one line. */
void am_escape_comment(FILE *out, const char *text);
/* As content or inside an attribute. A text longer than a person reads is cut. */
void am_escape_html(FILE *out, const char *text);
/* The same, to be parted after the commas and braces of an id rather than within a word. */
void am_escape_html_parted(FILE *out, const char *text);
/* Quoted where it must be. A spreadsheet takes a cell that begins with = + - or @, maybe behind a
 * tab or a line feed, for a formula: it gets an apostrophe before it. */
void am_escape_csv(FILE *out, const char *text, const char *separator);
/* For texts that are code of the reader's own language: only what is no plain character is
 * replaced; line feeds and tabs stay. */
void am_escape_controls(FILE *out, const char *text);
/* Between double quotes of gnuplot: quotes and backslashes get a backslash. */
void am_escape_quoted(FILE *out, const char *text);
/* A JSON string with its quotes. */
void am_escape_json(FILE *out, const char *text);
/* The same of a key: different keys stay different. Behind each U+FFFD stand the two hexadecimal
 * digits of the byte that it is there for. */
void am_escape_json_key(FILE *out, const char *key);

#endif
