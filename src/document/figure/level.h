/* SPDX-License-Identifier: MIT */
/* Inside figures only: lines across a panel for results that have no place on its x axis, such as a
 * loop whose schedule states no chunk. */
#ifndef AM_DOCUMENT_FIGURE_LEVEL_H
#define AM_DOCUMENT_FIGURE_LEVEL_H

#include "document/figure/figure_data.h"
#include "family/plot.h"

/* Adds the level lines of a panel to its plot: one for each result that `row->level` chooses and
 * that agrees with a mark of the panel in every axis but x. It is dashed, without marks, in the
 * colour of that mark's series. Nothing is added where the row has no level, or memory is refused.
 */
void am_figure_add_levels(const struct am_figure_source *source, const struct am_figure_row *row,
                          const struct am_figure_picks *picks, size_t panel, struct am_plot *plot);

#endif
