/* SPDX-License-Identifier: MIT */
/* Points of one bench as rows of a grid. */
#ifndef AM_REPORT_POINTS_GRID_H
#define AM_REPORT_POINTS_GRID_H

#include "document/points.h"
#include "report/grid.h"

/* One column a varying axis, and the cells of a point in them. */
void am_points_columns(const struct am_points *points, struct am_grid *grid);
void am_points_cells(const struct am_points *points, const struct am_result *result,
                     struct am_grid *grid);

#endif
