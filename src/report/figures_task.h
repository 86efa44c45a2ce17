/* SPDX-License-Identifier: MIT */
/* Pictures of the models of tasks and of main memory, after Figures 7.1 to 7.3 of the thesis. */
#ifndef AM_REPORT_FIGURES_TASK_H
#define AM_REPORT_FIGURES_TASK_H

#include "report/figure.h"

/* Speed over the size of tasks: measured, by the thesis's model, by two terms. False without a
 * curve of three sizes. */
am_figure_draw_fn am_task_draw;
/* Accesses of main memory an operation, and what they cost: predicted and observed. False unless
 * a problem of one thread, of several, is larger than the caches. */
am_figure_draw_fn am_task_memory_draw;

#endif
