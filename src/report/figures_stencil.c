/* SPDX-License-Identifier: MIT */
/* Figures of finite differences: the staircase, data placement, scaling, sizes, the rival. */
#include "report/figure.h"

static const char section[] = "Finite differences";

const struct am_figure_row am_figures_stencil[] = {
    {
        .name = "stencil-variants",
        .section = section,
        .title = "Finite differences, step by step",
        .caption =
            "Rate on the paper's count of operations (4 a point and step in one dimension), one "
            "thread: from the plain loop to time-skewed slices. A panel a type, a bar a form of "
            "the arithmetic.",
        .bench = "app.stencil",
        .metric = "flops",
        .kind = AM_FIGURE_BARS,
        .x = "variant",
        .series = "form",
        .panel = "type",
        .where = "dim=1 threads=1 variant!=fft executor=serial",
    },
    {
        .name = "stencil-placement",
        .section = section,
        .title = "Where the data lie",
        .caption = "Rate by the size of the grid: from what registers hold through the caches to "
                   "main memory. Loops that step once fall with every level, slices do not.",
        .bench = "app.stencil",
        .metric = "flops",
        .kind = AM_FIGURE_LINES,
        .x = "n",
        .series = "variant",
        .panel = "type",
        .where = "dim=1 threads=1 variant!=fft executor=serial form=paper",
        .xscale = AM_SCALE_LOG2,
        .x_title = "grid points",
    },
    {
        .name = "stencil-bound",
        .section = section,
        .title = "How near the bound",
        .caption = "Cycles that the arithmetic units need at least, of those taken, by the size of "
                   "the grid. A line a form; 1 is the bound.",
        .bench = "app.stencil",
        .metric = "bound_share",
        .kind = AM_FIGURE_LINES,
        .x = "n",
        .series = "form",
        .panel = "type",
        .where = "dim=1 variant=slice device=cpu",
        .xscale = AM_SCALE_LOG2,
        .x_title = "grid points",
    },
    {
        .name = "stencil-scaling",
        .section = section,
        .title = "Strong scaling",
        .caption = "Rate of slices by threads, each with its own sub-domain of the same grid. "
                   "Straight up is perfect; a panel a size.",
        .bench = "app.stencil",
        .metric = "flops",
        .kind = AM_FIGURE_LINES,
        .x = "threads",
        .series = "executor",
        .panel = "n",
        .where = "dim=1 variant=slice device=cpu",
    },
    {
        .name = "stencil-grid-scaling",
        .section = section,
        .title = "Strong scaling of grids",
        .caption = "The same in two and three dimensions: parts are cut across the dimension "
                   "beside the lanes', and all of them copy ghosts.",
        .bench = "app.stencil",
        .metric = "flops",
        .kind = AM_FIGURE_LINES,
        .x = "threads",
        .series = "dim",
        .panel = "n",
        .where = "dim=2,3 variant=slice device=cpu",
    },
    {
        .name = "stencil-sizes",
        .section = section,
        .title = "Grid sizes",
        .caption = "Rate of slices by the size of the grid: start-up work and waits are paid once "
                   "a sub-domain, so that more threads need more points. A panel a number of "
                   "threads.",
        .bench = "app.stencil",
        .metric = "flops",
        .kind = AM_FIGURE_LINES,
        .x = "n",
        .series = "executor",
        .panel = "threads",
        .where = "dim=1 variant=slice",
        .xscale = AM_SCALE_LOG2,
        .x_title = "grid points",
    },
    {
        .name = "stencil-rival",
        .section = section,
        .title = "Steps or a Fourier transform",
        .caption = "Time of all steps by their number. A transform takes the same for any, and is "
                   "faster beyond the crossing; it needs constant coefficients, steps do not.",
        .bench = "app.stencil",
        .metric = "time",
        .kind = AM_FIGURE_LINES,
        .x = "steps",
        .series = "variant",
        .panel = "n",
        .where = "dim=1 threads=1 variant=fft,slice,auto executor=serial",
        .own_y = true,
        .xscale = AM_SCALE_LOG2,
        .yscale = AM_SCALE_LOG10,
    },
    {
        .name = "stencil-dimensions",
        .section = section,
        .title = "One, two and three dimensions",
        .caption = "Points stepped a second, one thread: neighbours of more dimensions cost more "
                   "operations and more registers. A panel a type.",
        .bench = "app.stencil",
        .metric = "updates",
        .kind = AM_FIGURE_BARS,
        .x = "variant",
        .series = "dim",
        .panel = "type",
        .where = "threads=1 dim=2,3 executor=serial",
    },
    {.name = NULL},
};
