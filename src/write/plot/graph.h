/* SPDX-License-Identifier: MIT */
/* Small graphics made of characters: bars, sparklines, shades. Blocks of Unicode, or ASCII. */
#ifndef AM_WRITE_PLOT_GRAPH_H
#define AM_WRITE_PLOT_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

enum {
    AM_GRAPH_COLUMNS_MAX = 120,
    AM_GRAPH_MAX =
        4 * AM_GRAPH_COLUMNS_MAX + 1, /* longest text written here, terminator included */
};

/* A bar of `share` of so many columns, by eighths of one in Unicode; a share above 1 ends in an
 * arrow. What is not a number has no bar. */
void am_graph_bar(double share, size_t columns, bool utf8, char *buf, size_t cap);

/* One character a value, higher for more; from zero where the values are of one order, else from
 * the least. Values that are not finite are gaps. `log` takes logarithms. */
void am_graph_spark(const double *values, size_t n, bool log, bool utf8, char *buf, size_t cap);

/* Two characters for a cell of a heat map: `share` from 0 (light) to 1 (full); not a number is
 * blank. */
const char *am_graph_shade(double share, bool utf8);

#endif
