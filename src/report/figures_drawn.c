/* SPDX-License-Identifier: MIT */
/* Pictures that their own code draws, in the order of the report. */
#include "report/drawing.h"
#include "report/figure.h"
#include "report/figures_best.h"
#include "report/figures_scaling.h"
#include "report/figures_task.h"
#include "report/roofline.h"
#include "report/tracks.h"

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
    {
        .name = "task-model",
        .section = "Tasks",
        .title = "Speed over the size of tasks, predicted and observed",
        .caption = "Marks are measured. Dashed: the thesis's model, its t from the scalar code "
                   "(Figures 7.1 and 7.2). Lines: two terms, one for the thread that creates and "
                   "one for those that run.",
        .draw = am_task_draw,
    },
    {
        .name = "memory-model",
        .section = "Tasks",
        .title = "Main memory in the time of applications",
        .caption = "Accesses an operation on one thread, and the share of the time that they "
                   "cost: dashed by the thesis's model, marked as observed against the best size "
                   "(Figure 7.3).",
        .draw = am_task_memory_draw,
    },
    {
        .name = "leukocyte-tracks",
        .section = "Applications",
        .title = "Where the cells went",
        .caption = "Each cell from the circle it began in, by the point that followed it through "
                   "the most frames. Every point was checked before it was timed: where the truth "
                   "is known all cells within 1 px of it, and two against the plain reference.",
        .draw = am_tracks_draw,
    },
    {
        .name = "stencil-weak",
        .section = "Finite differences",
        .title = "Weak scaling",
        .caption = "Rate by threads where each has as many points as the others and as one alone: "
                   "a straight line from the origin is perfect. A panel a number of dimensions and "
                   "of points a thread; at each place the best executor.",
        .draw = am_stencil_weak_draw,
    },
    {
        .name = "mpi-scaling",
        .section = "Messages between ranks",
        .title = "Scaling of the distributed stencil, measured and predicted",
        .caption = "Strong: one grid for all ranks; weak: one a rank. Dashed: what blocks without "
                   "messages and messages alone add up to, one after the other. Measured above it: "
                   "messages hide behind work; below: ranks wait for each other.",
        .draw = am_scaling_draw,
    },
    AM_FIGURES_BEST_MAP(AM_FIGURES_BEST_ROW){.draw = NULL},
};
