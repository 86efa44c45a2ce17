/* SPDX-License-Identifier: MIT */
/* A grid of cells that is written as an aligned text table, CSV, Markdown or LaTeX. */
#ifndef AM_REPORT_GRID_H
#define AM_REPORT_GRID_H

#include "base/arena.h"
#include "report/style.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum am_align { AM_ALIGN_LEFT, AM_ALIGN_RIGHT };

enum { AM_GRID_COLUMNS_MAX = 128 };

struct am_grid_column {
    const char *title;
    enum am_align align;
    unsigned rank; /* on a narrow terminal the columns of the highest rank go first; 0 stays */
    bool hidden;
    bool flow; /* text may be wrapped over several lines where the terminal is narrow */
};

struct am_grid_cell {
    const char *text;
    enum am_paint paint;
};

/* Zero-initialise. Memory belongs to the arena. */
struct am_grid {
    struct am_arena *arena;
    struct am_grid_column columns[AM_GRID_COLUMNS_MAX];
    struct am_grid_cell *cells; /* row by row, n_columns each */
    size_t n_columns, n_rows, cap_rows;
    size_t at;   /* column of the next cell in the last row */
    bool broken; /* memory was refused, or there were too many columns: the table is incomplete */
};

void am_grid_init(struct am_grid *g, struct am_arena *arena);
/* All columns come before the first row; titles are copied. */
void am_grid_column(struct am_grid *g, const char *title, enum am_align align, unsigned rank);
/* Lets the text of the latest column be wrapped, so that it need not be left out. */
void am_grid_flow(struct am_grid *g);
void am_grid_row(struct am_grid *g);
/* The next cell of the current row; text is copied, NULL is empty. */
void am_grid_cell(struct am_grid *g, const char *text);
void am_grid_paint(struct am_grid *g, const char *text, enum am_paint paint);
/* With as many digits as read back the same; empty when not finite. */
void am_grid_number(struct am_grid *g, double value);
void am_grid_cellf(struct am_grid *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Leaves out the columns of a text table that have no text in any row. */
void am_grid_hide_empty(struct am_grid *g);

/* Writes the grid in style->format (JSON has its own writer and is not written here). A text table
 * is indented by `indent` spaces. Returns the number of columns left out for want of width. */
size_t am_grid_write(struct am_grid *g, const struct am_style *style, unsigned indent, FILE *out);

#endif
