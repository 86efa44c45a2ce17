/* SPDX-License-Identifier: MIT */
/* Inside figures only: the roofline as a row whose lines are computed. */
#ifndef AM_DOCUMENT_FIGURE_ROOFLINE_H
#define AM_DOCUMENT_FIGURE_ROOFLINE_H

#include "document/figure/figure.h"

extern const struct am_figure_row am_roofline_row;
am_figure_make_fn am_roofline_plots;

#endif
