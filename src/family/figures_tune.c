/* SPDX-License-Identifier: MIT */
/* Figures of tuning: the surface over what is tuned, from tune or from any sweep of these axes. */
#include "family/figures_rest.h"

static const char section[] = "Tuning";

const struct am_figure_row am_figures_tune[] = {
    {
        .name = "stencil-surface",
        .section = section,
        .title = "Finite differences by depth and width of slices",
        .caption =
            "Each cell is a pair that was measured, each panel a point that was tuned. Wide "
            "slices need registers, deep passes cost their start; empty cells were not tried "
            "or cannot be.",
        .bench = "app.stencil",
        .metric = "flops",
        .kind = AM_FIGURE_HEAT,
        .x = "depth",
        .series = "w",
        .where = "w!=0 depth!=0",
        .least = 3,
        .x_title = "steps a pass (depth)",
        .y_title = "vectors of a slice (w)",
    },
    {.name = NULL},
};
