/* SPDX-License-Identifier: MIT */
/* Figures of the applications and of what runs their blocks. */
#include "family/figures_rest.h"

static const char section[] = "Applications";

const struct am_figure_row am_figures_app[] = {
    {
        .name = "blackscholes-executors",
        .section = section,
        .title = "Black-Scholes under several executors",
        .caption =
            "Options a second by who runs the blocks; a panel a number of threads, a bar a runtime.",
        .bench = "app.blackscholes",
        .metric = "options_per_s",
        .kind = AM_FIGURE_BARS,
        .x = "executor",
        .series = "runtime",
        .panel = "threads",
    },
    {
        .name = "task-overhead",
        .section = section,
        .title = "Time of an empty block",
        .caption =
            "What an executor costs a block, by the shape of the dependencies; a panel a number of "
            "threads.",
        .bench = "task.overhead",
        .kind = AM_FIGURE_BARS,
        .x = "executor",
        .series = "shape",
        .panel = "threads",
    },
    {.name = NULL},
};
