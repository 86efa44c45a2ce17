/* SPDX-License-Identifier: MIT */
/* The roofline of a run as a picture: ceilings by precision and threads, and every point below. */
#ifndef AM_REPORT_ROOFLINE_H
#define AM_REPORT_ROOFLINE_H

#include "report/figure.h"

/* One panel a precision and number of threads (one, and the most). False when no ceiling of
 * arithmetic was measured. */
am_figure_draw_fn am_roofline_draw;

#endif
