/* SPDX-License-Identifier: MIT */
/* Points of one bench as rows of a grid. */
#include "report/points_grid.h"

#include "document/units.h"

enum { VALUE_MAX = 256 };

static size_t axes_of(const struct am_points *points)
{
    const size_t n = points->first ? points->first->n_params : 0;

    return n < AM_AXES_MAX ? n : AM_AXES_MAX;
}

void am_points_columns(const struct am_points *points, struct am_grid *grid)
{
    for (size_t i = 0; i < axes_of(points); i++) {
        const struct am_result_param *const p = &points->first->params[i];

        if (points->vary[i])
            am_grid_column(grid, p->name, p->kind == AM_AXIS_NAME ? AM_ALIGN_LEFT : AM_ALIGN_RIGHT,
                           0);
    }
}

void am_points_cells(const struct am_points *points, const struct am_result *result,
                     struct am_grid *grid)
{
    for (size_t i = 0; i < axes_of(points); i++) {
        const struct am_result_param *const p = &points->first->params[i];
        char text[VALUE_MAX];

        if (!points->vary[i])
            continue;
        am_units_param(p->kind, am_points_text(result, p->name), text, sizeof(text));
        am_grid_cell(grid, text);
    }
}
