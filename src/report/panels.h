/* SPDX-License-Identifier: MIT */
/* Panels of lines that pictures of their own fill, two beside each other. */
#ifndef AM_REPORT_PANELS_H
#define AM_REPORT_PANELS_H

#include "base/arena.h"
#include "base/text.h"
#include "report/plot.h"

enum { AM_PANELS_MAX = 8, AM_PANEL_LINES_MAX = 12 };

struct am_panel {
    struct am_plot plot; /* its series are set by am_panels_draw() */
    struct am_plot_series series[AM_PANEL_LINES_MAX];
};

/* A further line: room for `n` marks that the caller fills. NULL when there are too many lines, or
 * memory is refused. */
struct am_plot_mark *am_panel_line(struct am_panel *panel, struct am_arena *arena,
                                   const char *label, unsigned color, size_t n);
/* The line that was added last, for its looks. */
struct am_plot_series *am_panel_last(struct am_panel *panel);
/* All of them as one <svg> element, each with its legend below. */
void am_panels_draw(struct am_panel *panels, size_t n, const char *label, struct am_text *out);

#endif
