/* SPDX-License-Identifier: MIT */
/* Documents in the form that a reader wants: one writer per format.
 *
 * am_write() asks the document for its blocks (terminal, Markdown, LaTeX, a page; CSV takes its
 * tables) or for its tree (JSON), and writes them. Text from a results file may be anything: each
 * writer escapes it for its readers. Errors of writing stay with the stream. */
#ifndef AM_WRITE_WRITE_H
#define AM_WRITE_WRITE_H

#include "document/document.h"
#include "write/style.h"

#include <stdio.h>

void am_write(const struct am_document *document, const struct am_style *style,
              struct am_arena *arena, FILE *out);

/* A single table as a document. */
void am_write_table(struct am_table *table, const struct am_style *style, FILE *out);

/* ---- the writers ---- */

void am_write_text(const struct am_body *blocks, const struct am_style *style, FILE *out);
void am_write_markup(const struct am_body *blocks, enum am_format format, FILE *out);
void am_write_csv(const struct am_body *blocks, FILE *out);
void am_write_json(const struct am_document *document, struct am_arena *arena, FILE *out);
void am_write_html(const struct am_document *document, const struct am_body *blocks, FILE *out);

/* Rows for other programs, one after the other: for what is too large to be a document. */
void am_write_csv_head(const struct am_table *table, FILE *out);
void am_write_csv_rows(const struct am_table *table, FILE *out);
void am_write_json_rows(const struct am_table *table, FILE *out); /* one object per line */

/* Titles of columns that were left out for want of width, each once. */
struct am_left_out {
    const char *titles[AM_COLUMNS_MAX];
    size_t n;
};

/* A table on a terminal; adds to `left`, unless that is NULL. */
void am_write_text_table(const struct am_table *table, const struct am_style *style,
                         struct am_left_out *left, FILE *out);

#endif
