/* SPDX-License-Identifier: MIT */
/* Figures as rows of tables: which bench, which metric, what is on the axes. One table a family
 * (those of families, and figures_omp.c, ...); a row is all a new figure needs. */
#ifndef AM_REPORT_FIGURE_H
#define AM_REPORT_FIGURE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "family/figure_row.h"
#include "model/facts.h"
#include "report/plot.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

/* Its figures stand beside the facts; the roofline too. */
#define AM_FIGURE_MODEL_SECTION "Machine model"

enum { AM_FIGURE_SERIES_MAX = 12, AM_FIGURE_PANELS_MAX = 24, AM_FIGURE_TABLE_MAX = 1000 };

/* A picture that its own code draws (the model, the roofline): appends one whole <svg> element made
 * with am_svg_root(). False, and nothing added, when the run has nothing for it. */
typedef bool am_figure_draw_fn(const struct am_figure_source *source, struct am_text *out);

struct am_figure_drawn {
    const char *name, *section, *title, *caption;
    am_figure_draw_fn *draw; /* NULL ends a table */
};

/* The tables: rows of a family each, and the pictures (figures.c lists them). */
extern const struct am_figure_row am_figures_omp[], am_figures_ocl[], am_figures_app[],
    am_figures_task[], am_figures_mpi[], am_figures_tune[], am_figures_stencil[],
    am_figures_leukocyte[];
extern const struct am_figure_drawn am_figures_drawn[];

/* ---- made from a run ---- */

/* A panel in the form that its kind needs. */
struct am_figure_panel {
    struct am_plot plot;      /* LINES, BARS */
    struct am_plot_heat heat; /* HEAT */
};

/* One line of a TABLE. */
struct am_figure_cells {
    const char **text; /* as many as columns */
    double *value;     /* parallel; what a sort goes by, NAN: the text */
};

struct am_figure {
    const struct am_figure_row *row;     /* its own when the figure is a generic one */
    const struct am_figure_drawn *drawn; /* instead of row: a picture */
    struct am_figure_panel *panels;
    size_t n_panels;
    const struct am_plot_series *legend; /* all series of all panels, when lines are not labelled */
    size_t n_legend;
    const char **columns; /* TABLE */
    struct am_figure_cells *lines;
    size_t n_columns, n_lines;
    const char *constants; /* "isa=avx2 threads=1": what all of it shares; "" when nothing */
    const char *omitted;   /* what was left out, as a sentence; NULL: nothing */
    struct am_text svg;    /* drawn: the picture */
};

struct am_figures {
    struct am_figure *items; /* by section, in the order of the tables; generic ones last */
    size_t n;
};

/* Every figure that the run has results for: all rows of all tables that apply, all pictures, and a
 * generic figure for each bench that no row shows. */
enum am_status am_figures_make(const struct am_figure_source *source, struct am_figures *out,
                               struct am_err *err);
void am_figures_fini(struct am_figures *figures); /* accepts a zeroed struct */
/* NULL when there is none; *nearest is then a likely meant name, or NULL. */
const struct am_figure *am_figures_find(const struct am_figures *figures, const char *name,
                                        const char **nearest);

const char *am_figure_name(const struct am_figure *figure);
const char *am_figure_section(const struct am_figure *figure);
const char *am_figure_title(const struct am_figure *figure);
const char *am_figure_caption(const struct am_figure *figure);
/* False for tables: nothing is drawn. */
bool am_figure_is_drawn(const struct am_figure *figure);

/* True when its panels are many and small. */
bool am_figure_is_small(const struct am_figure *figure);

/* One panel as an <svg> element; panels flow in a page. */
void am_figure_panel_svg(const struct am_figure *figure, size_t panel, struct am_text *out);
/* The whole figure as one SVG document: title, panels side by side, legend. */
void am_figure_svg(const struct am_figure *figure, struct am_text *out);

#endif
