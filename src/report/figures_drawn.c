/* SPDX-License-Identifier: MIT */
/* Pictures that their own code draws, in the order of the report. */
#include "report/drawing.h"
#include "report/figure.h"
#include "report/roofline.h"

const struct am_figure_drawn am_figures_drawn[] = {
    {
        .name = "machine",
        .section = AM_FIGURE_MODEL_SECTION,
        .title = "The machine as measured",
        .caption = "Cores, caches, memory and the ways between them, each with what was measured: "
                   "capacity, latency, bandwidth.",
        .draw = am_drawing_draw,
    },
    {
        .name = "roofline",
        .section = AM_FIGURE_MODEL_SECTION,
        .title = "Roofline",
        .caption = "Ceilings are measured, never computed from a data sheet: arithmetic above, "
                   "bandwidth of each level at the slopes. Every kernel that moves bytes and "
                   "computes lies below; its distance to the lowest ceiling is what is left.",
        .draw = am_roofline_draw,
    },
    {.draw = NULL},
};
