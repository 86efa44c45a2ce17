/* SPDX-License-Identifier: MIT */
/* Figures (document/figure/figure.h) as SVG. */
#ifndef AM_WRITE_PLOT_FIGURE_SVG_H
#define AM_WRITE_PLOT_FIGURE_SVG_H

#include "base/text.h"
#include "document/figure/figure.h"

/* One panel as an <svg> element; panels flow in a page. */
void am_figure_panel_svg(const struct am_figure *figure, size_t panel, struct am_text *out);
/* The whole figure as one SVG document: title, panels side by side, legend. */
void am_figure_svg(const struct am_figure *figure, struct am_text *out);

#endif
