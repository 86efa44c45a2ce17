/* SPDX-License-Identifier: MIT */
/* The distributed stencil over ranks, measured and predicted in one picture. */
#ifndef AM_REPORT_FIGURES_SCALING_H
#define AM_REPORT_FIGURES_SCALING_H

#include "report/figure.h"

/* A panel for weak and one for strong scaling of each grid. False unless a curve has two points. */
am_figure_draw_fn am_scaling_draw;

#endif
