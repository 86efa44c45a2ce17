/* SPDX-License-Identifier: MIT */
/* The machine as a drawing, after Figure 12 of the SCAT paper: cores, caches, memory and the ways
 * between them, each with what was measured. */
#ifndef AM_REPORT_DRAWING_H
#define AM_REPORT_DRAWING_H

#include "report/figure.h"

/* False when the run has no fact of caches, memory or cores. */
am_figure_draw_fn am_drawing_draw;

#endif
