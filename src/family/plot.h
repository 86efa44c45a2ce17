/* SPDX-License-Identifier: MIT */
/* A plot as data: panels of series of marks with intervals, on two axes.
 *
 * Families whose figures need mathematics (a model beside what was measured) fill these; figures
 * that are plain rows are filled by the figure engine. Nothing here draws: layers above decide on
 * sizes, colours and formats. Everything lives in the arena that was given. A family adds as many
 * panels and lines as there are: whoever draws cuts them down and says so. */
#ifndef AM_FAMILY_PLOT_H
#define AM_FAMILY_PLOT_H

#include "base/arena.h"
#include "family/figure_row.h"

#include <stdbool.h>
#include <stddef.h>

struct am_plot_axis {
    const char *title; /* "working set"; the unit is added where labels do not carry it */
    const char *unit;  /* SI, unscaled, "B" also for sizes; "" for a count */
    bool binary;       /* labels in KiB, MiB, ... */
    bool whole;        /* a count: no ticks between whole numbers */
    enum am_scale scale;
    double lo, hi; /* the range; both 0: from the marks */
    const char *const *names;
    size_t n_names;
};

struct am_plot_mark {
    double x, y;
    double lo, hi;     /* interval of y; lo == hi or not finite: none */
    const char *title; /* the tooltip; NULL: label, x and y */
    bool odd;          /* where it should not be: a ring, and the title says why */
    bool bounded;      /* not resolved from zero: y is the bound */
};

struct am_plot_series {
    const char *label;
    const struct am_plot_mark *marks; /* by rising x */
    size_t n;
    unsigned color;  /* the series keeps it in every panel */
    unsigned run;    /* 0: the run that is shown; others are laid over it, dotted and hollow */
    bool unjoined;   /* marks only: between them nothing may be read */
    unsigned dashed; /* 0: a whole line; 1, 2: dashes that are told apart */
    bool bare;       /* a line without marks: a bound, not a measurement */
    bool steps; /* level up to the middle between two marks, then a riser: a staircase is meant */
};

/* A place on the x axis that is marked by a vertical line: the size of a cache as it is stated, the
 * day of a change. */
struct am_plot_rule {
    double at;
    const char *label; /* above the frame */
    const char *title; /* the tooltip; NULL: the label */
    bool strong;       /* found in the data, not only stated */
};

struct am_plot {
    const char *title; /* of the panel; NULL: none */
    struct am_plot_axis x, y;
    const struct am_plot_series *series;
    size_t n;
    double other_lo; /* of y on its other scale (linear or logarithmic); both 0: none. Set by */
    double other_hi; /* whoever draws */
    double width, height; /* 0: the usual ones */
    bool labels;          /* series are named at the ends of their lines; no legend is needed */
    const struct am_plot_rule *rules; /* by rising place; those outside the range are not drawn */
    size_t n_rules;
};

/* Panels beside each other. Zero-initialise, with the arena. */
struct am_plots {
    struct am_plot *items;
    size_t n, cap;
    struct am_arena *arena;
    const char *remark; /* on what is not drawn, or odd; NULL: none */
};

/* A further panel, a copy of `plot` without its series; NULL when memory is refused. The pointer
 * holds until the next panel is added. */
struct am_plot *am_plots_add(struct am_plots *plots, const struct am_plot *plot);
/* A further line in a panel. Its marks are kept by pointer, the looks are copied from `series`;
 * nothing is added when it has no label or no mark, or memory is refused. */
void am_plot_add(struct am_plot *plot, struct am_arena *arena, const struct am_plot_series *series);

#endif
