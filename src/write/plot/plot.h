/* SPDX-License-Identifier: MIT */
/* Plots: scales with nice ticks, lines with interval bands, bars, heat maps, forest plots. One call
 * draws one panel (family/plot.h: its data) into an open SVG element at its origin; figures arrange
 * panels. */
#ifndef AM_WRITE_PLOT_PLOT_H
#define AM_WRITE_PLOT_PLOT_H

#include "document/figure/figure.h"
#include "document/figure/range.h"
#include "write/plot/svg.h"

#include <stdbool.h>
#include <stddef.h>

enum { AM_PLOT_TICKS_MAX = 24, AM_PLOT_LABEL_MAX = 64 };

#define AM_PLOT_WIDTH 480.0
#define AM_PLOT_HEIGHT 300.0
/* of many panels beside each other */
#define AM_PLOT_SMALL_WIDTH 330.0
#define AM_PLOT_SMALL_HEIGHT 220.0
#define AM_PLOT_FONT 12.0

/* One panel of lines. The other scale of y (linear or logarithmic) is there too, as attributes
 * `data-alt` and a hidden group of ticks, for the page's switch. */
void am_plot_lines(struct am_svg *svg, const struct am_plot *plot);

/* Horizontal bars from zero, one group a name of the x axis and in it one bar a series, with
 * whiskers and the value in words. y is the axis of values. The height follows from the bars:
 * am_plot_bars_height() tells it. */
void am_plot_bars(struct am_svg *svg, const struct am_plot *plot);
double am_plot_bars_height(const struct am_plot *plot);

/* The dashes of a line, in the plot as in the legend. */
void am_plot_dash(struct am_svg *svg, const struct am_plot_series *s);

/* Swatches with names, wrapped to `width`; returns the height used. Without `svg` it measures. */
double am_plot_legend(struct am_svg *svg, const struct am_plot_series *series, size_t n,
                      double width);

void am_plot_heat(struct am_svg *svg, const struct am_plot_heat *heat);
double am_plot_heat_height(const struct am_plot_heat *heat);

/* Ratios with intervals, one per row, on a logarithmic axis around 1. */
#define AM_PLOT_FOREST_HEAD 34.0
#define AM_PLOT_FOREST_ROW 14.0
struct am_plot_effect {
    const char *label;
    double ratio, lo, hi;
    enum am_ink ink;     /* of the verdict */
    const char *verdict; /* in words */
    const char *title;
};
struct am_plot_forest {
    const struct am_plot_effect *rows;
    size_t n;
    double delta;               /* the band around 1 in which a difference does not matter */
    const char *lower, *higher; /* what lies left and right of 1 */
};
/* The axis that all rows share, and the strip of one row; AM_PLOT_WIDTH wide. Labels and verdicts
 * are the page's business. */
void am_plot_forest_head(struct am_svg *svg, const struct am_plot_forest *forest);
void am_plot_forest_row(struct am_svg *svg, const struct am_plot_forest *forest, size_t row);

/* ---- scales, for drawings of their own ---- */

struct am_ticks {
    double at[AM_PLOT_TICKS_MAX];
    char label[AM_PLOT_TICKS_MAX][AM_PLOT_LABEL_MAX];
    size_t n;
    char unit[AM_PLOT_LABEL_MAX]; /* that all labels share ("GB/s"); "" when each has its own */
};

/* At most about `wanted` ticks over axis->lo..axis->hi. */
void am_plot_ticks(const struct am_plot_axis *axis, size_t wanted, struct am_ticks *out);
/* Where `value` lies: 0 at lo, 1 at hi; NAN when the scale cannot show it. */
double am_plot_place(enum am_scale scale, double lo, double hi, double value);

#endif
