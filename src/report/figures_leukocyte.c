/* SPDX-License-Identifier: MIT */
/* Figures of the tracking of cells: the steps of the paper's table, and its surface of threads. */
#include "report/figure.h"

static const char section[] = "Applications";

const struct am_figure_row am_figures_leukocyte[] = {
    {
        .name = "leukocyte-variants",
        .section = section,
        .title = "Cells tracked, step by step",
        .caption =
            "Time a frame: row pointers and the C library's arc, vectors with an arc of our own, "
            "vectors without any. A panel an executor, a bar a type.",
        .bench = "app.leukocyte",
        .metric = "time_per_frame",
        .kind = AM_FIGURE_BARS,
        .x = "variant",
        .series = "type",
        .panel = "executor",
        .where = "device=cpu",
    },
    {
        .name = "leukocyte-levels",
        .section = section,
        .title = "Two levels of threads",
        .caption = "Time a frame over first-level threads (cells at a time) and second-level "
                   "threads (bands of a cell's rows); one cell of the grid a combination that the "
                   "machine has threads for. The paper's Figure 15.",
        .bench = "app.leukocyte",
        .metric = "time_per_frame",
        .kind = AM_FIGURE_HEAT,
        .x = "slt",
        .series = "flt",
        .panel = "executor",
        .where = "flt!=0 slt!=0",
        .least = 2,
        .yscale = AM_SCALE_LOG10,
        .x_title = "second-level threads",
        .y_title = "first-level threads",
    },
    {
        .name = "leukocyte-bound",
        .section = section,
        .title = "Tracking against the bound of its cores",
        .caption =
            "Time that arithmetic units or caches need at least for the steps of all fields, "
            "of the time taken; edge maps and contours are in the rest. A bar a type.",
        .bench = "app.leukocyte",
        .metric = "bound_share",
        .kind = AM_FIGURE_BARS,
        .x = "variant",
        .series = "type",
        .panel = "isa",
        .where = "device=cpu slt=0,1",
    },
    {
        .name = "leukocyte-devices",
        .section = section,
        .title = "Cells tracked on devices",
        .caption = "Frames a second, the frame's way to the device and the places' way back "
                   "included. A bar a type.",
        .bench = "app.leukocyte",
        .metric = "frames_per_s",
        .kind = AM_FIGURE_BARS,
        .x = "device",
        .series = "type",
        .panel = "variant",
        .where = "executor=opencl",
    },
    {.name = NULL},
};
