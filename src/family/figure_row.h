/* SPDX-License-Identifier: MIT */
/* Figures as rows: which bench, which metric, what is on the axes. A row in the table of its family
 * is all that a new figure needs; document/figure makes it from a run. */
#ifndef AM_FAMILY_FIGURE_ROW_H
#define AM_FAMILY_FIGURE_ROW_H

#include <stdbool.h>
#include <stddef.h>

enum am_scale {
    AM_SCALE_LINEAR, /* from zero unless the values are far from it; the default */
    AM_SCALE_LOG10,  /* values that are not positive cannot be shown and are counted */
    AM_SCALE_LOG2,
    AM_SCALE_NAMES, /* places 0, 1, ... have names */
};

enum am_figure_kind {
    AM_FIGURE_LINES,
    AM_FIGURE_BARS,  /* horizontal, one per value of x; for axes of names */
    AM_FIGURE_HEAT,  /* x: columns, series: rows */
    AM_FIGURE_TABLE, /* the varying axes and every metric in words */
};

struct am_arena;
struct am_comparison;
struct am_facts;
struct am_plots;
struct am_result_set;

/* What figures are made from. */
struct am_figure_source {
    const struct am_result_set *set;
    const struct am_facts *facts;
    struct am_arena *arena;
    /* A further run, laid over this one in every figure; NULL: none. */
    const struct am_figure_source *next;
    const char *name;                       /* of the run, where there are several */
    const struct am_comparison *comparison; /* of a further run: with the first; NULL: none */
};

/* A figure whose lines are computed: adds panels of lines (family/plot.h) to `out`. False, and
 * nothing added, when the run has nothing for it. */
typedef bool am_figure_make_fn(const struct am_figure_source *source, struct am_plots *out);

/* One figure. Axes are named as in the bench; an axis that varies and is named nowhere becomes part
 * of the series' names, or (`best`) is given up. At most AM_FIGURE_SERIES_MAX series and
 * AM_FIGURE_PANELS_MAX panels are drawn, and the figure says how many were left out. A run without
 * results for a row has no such figure. */
struct am_figure_row {
    const char *name;    /* for `export --svg NAME`: [a-z0-9-]; NULL ends a table */
    const char *section; /* of the report, one of am_sections */
    const char *title;   /* what is seen, not which program saw it */
    const char *caption; /* how to read it: one to three sentences */
    /* metric NULL: the primary one. "power:" is that of the scope of energy which the run has: the
     * package's, else of what is wider (family/roles.h); the axis of the figure names it. */
    const char *bench, *metric;
    enum am_figure_kind kind;
    const char *x; /* an axis, or "@metric": another metric of the same point */
    /* One line, bar or row of cells per value of the axis; NULL: none. A list "variant,type" is one
     * per combination of values. */
    const char *series;
    /* One small plot per value of the axis or combination of a list; NULL: none. In both lists
     * "n/threads" is the quotient of two axes of numbers; points where it is not whole are left
     * out. */
    const char *panel;
    const char *along;    /* with x = "@metric", the axis that moves along a line; NULL: none */
    const char *where;    /* "pattern=random,local nt!=0": only such points; an axis that the bench
                           * does not have is no match. NULL: all */
    const char *level;    /* LINES: conditions of points that have no place on x: each is a dashed
                           * line across its panel, beside the line that it belongs to. NULL: none */
    const char *compares; /* the axis that the figure is about: without two values of it there is
                           * nothing to say. NULL: any */
    size_t least; /* HEAT: rows and columns that it takes at least; 0: two cells are enough */
    /* LINES: at each place the best of all points that share x, series and panel counts, by the
     * direction of the metric. */
    bool best;
    const char *by; /* with `best`: the metric that chooses the point, which is then shown by its
                     * `metric`. NULL: the metric itself */
    bool own_y;     /* LINES: each panel has its own range of values; the default is one for all */
    bool steps;     /* LINES: drawn as a staircase */
    bool levels;    /* LINES over sizes: the caches as the system states them are marked */
    enum am_scale xscale, yscale;  /* LINES; HEAT: yscale other than linear colours by logarithm */
    const char *x_title, *y_title; /* of the axes; NULL: the names of axis and metric */
    /* Instead of all from `bench` on: lines that are computed. A row has either this or a bench. */
    am_figure_make_fn *make;
};

#endif
