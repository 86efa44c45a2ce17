/* SPDX-License-Identifier: MIT */
/* Inside figures only: whether what a row selected has something to say, and in which form.
 *
 * A curve takes AM_FIGURE_PLACES places on its axis; with two, several series still compare, as
 * bars; a map takes as many cells; bars take two. What says less stays to tables. */
#ifndef AM_DOCUMENT_FIGURE_WORTH_H
#define AM_DOCUMENT_FIGURE_WORTH_H

#include "document/figure/figure_data.h"

enum { AM_FIGURE_PLACES = 3 };

enum am_worth {
    AM_WORTH_NOTHING,
    AM_WORTH_AS_ASKED,
    AM_WORTH_BARS, /* LINES with too few places for a curve, but series to compare */
};
enum am_worth am_figure_worth(const struct am_figure_picks *picks, const struct am_figure_row *row);

/* The row of the same figure as bars. NULL when memory is refused. */
const struct am_figure_row *am_figure_as_bars(const struct am_figure_row *row,
                                              struct am_arena *arena);

/* Leaves out the panels of LINES in which no line has the places of a curve; *n is how many. False
 * when memory is refused. */
bool am_figure_drop_panels(struct am_figure_picks *picks, struct am_arena *arena, size_t *n);

#endif
