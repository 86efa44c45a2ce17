/* SPDX-License-Identifier: MIT */
/* Figures of a run as data: what the rows of families (family/figure_row.h) and the pictures of the
 * machine show of it. Nothing here draws; write/plot/figure_svg.h makes SVG of a figure.
 *
 * A figure appears when it has something to say. Its series, panels and columns are told apart by
 * values, so two of them never run into one because their names look alike. What does not fit is
 * left out and counted in `omitted`. Everything lives in the arena of the source. */
#ifndef AM_DOCUMENT_FIGURE_FIGURE_H
#define AM_DOCUMENT_FIGURE_FIGURE_H

#include "base/arena.h"
#include "base/status.h"
#include "family/family.h"
#include "family/plot.h"
#include "family/tracks.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

/* Sections of the page that are not a family's. */
#define AM_FIGURE_MACHINE_SECTION "The machine"
#define AM_FIGURE_ROOFLINE_SECTION "Roofline"

enum {
    AM_FIGURE_SERIES_MAX = 12,
    AM_FIGURE_PANELS_MAX = 24,
    AM_FIGURE_TABLE_MAX = 1000,
    AM_FIGURE_COLORS = 8, /* that are told apart; further series are dashed */
};

/* A matrix: cell (row, column) is values[row * columns + column]; NAN: not measured. */
struct am_plot_heat {
    const char *title;
    const char *row_title, *column_title;
    const char *const *row_names, *const *column_names;
    size_t rows, columns;
    const double *values;
    const char *const *titles; /* tooltips, as values; NULL: row, column and value */
    const char *unit;
    bool log;      /* colours by the logarithm */
    double lo, hi; /* of the colours; both 0: from the values */
    double width;  /* 0: the usual one */
};

/* ---- pictures: what is no plot ---- */

enum am_drawing { AM_DRAWING_MACHINE, AM_DRAWING_TRACKS, AM_DRAWINGS };

struct am_figure_drawn {
    const char *name, *section, *title, *caption;
};
extern const struct am_figure_drawn am_figures_drawn[AM_DRAWINGS];

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
    const struct am_figure_drawn *drawn; /* instead of row: a picture, an element of the table */
    struct am_figure_panel *panels;
    size_t n_panels;
    bool small;                          /* its panels are many, and so drawn small */
    bool own_legends;                    /* each panel has its legend, `legend` is empty */
    const struct am_plot_series *legend; /* all series of all panels, when lines are not labelled */
    size_t n_legend;
    const char **columns; /* TABLE */
    struct am_figure_cells *lines;
    size_t n_columns, n_lines;
    const char *constants; /* "isa=avx2 threads=1": what all of it shares; "" when nothing */
    const char *omitted;   /* what was left out, as a sentence; NULL: nothing */
    const char *runs;      /* how those that are laid over each other are drawn; NULL: one run */
    const char *verdicts;  /* on them, counted, in words; NULL: none */
    /* Of pictures: what they show. */
    const struct am_figure_source *source; /* the machine: its facts */
    const struct am_track_scenes *tracks;
};

struct am_figures {
    struct am_figure *items; /* pictures, then by family in the order of its rows; generic ones last
                              */
    size_t n;
};

/* Every figure that the run has results for: all rows of all families that apply, all pictures, and
 * a generic figure for each bench that no row shows. */
enum am_status am_figures_make(const struct am_figure_source *source, struct am_figures *out,
                               struct am_err *err);
/* NULL when there is none; *nearest is then a likely meant name, or NULL. */
const struct am_figure *am_figures_find(const struct am_figures *figures, const char *name,
                                        const char **nearest);

const char *am_figure_name(const struct am_figure *figure);
const char *am_figure_section(const struct am_figure *figure);
const char *am_figure_title(const struct am_figure *figure);
const char *am_figure_caption(const struct am_figure *figure);
/* False for tables: nothing is drawn. */
bool am_figure_is_drawn(const struct am_figure *figure);

#endif
