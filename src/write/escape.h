/* SPDX-License-Identifier: MIT */
/* Text written so that its readers show it as it is, and are steered by nothing in it. */
#ifndef AM_WRITE_ESCAPE_H
#define AM_WRITE_ESCAPE_H

#include <stdio.h>

void am_escape_md(FILE *out, const char *text);
void am_escape_tex(FILE *out, const char *text);
/* As content or inside an attribute. Bytes that are not UTF-8 become U+FFFD; a text longer than a
 * person reads is cut. */
void am_escape_html(FILE *out, const char *text);
/* Quoted where it must be. A spreadsheet takes a cell that begins with = + - or @ for a formula: it
 * gets an apostrophe before it. */
void am_escape_csv(FILE *out, const char *text, const char *separator);
/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void am_escape_json(FILE *out, const char *text);

#endif
