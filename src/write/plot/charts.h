/* SPDX-License-Identifier: MIT */
/* The shape of a bench's results on a terminal: a heat map over two axes, or sparklines over one.
 */
#ifndef AM_WRITE_PLOT_CHARTS_H
#define AM_WRITE_PLOT_CHARTS_H

#include "base/arena.h"
#include "document/points.h"
#include "write/style.h"

#include <stdio.h>

/* Of the primary metric of `n` consecutive results, whose axes `points` has. Writes nothing where
 * there are too few values to have a shape; what does not fit is said. */
void am_charts_write(const struct am_points *points, const struct am_result *results, size_t n,
                     const struct am_style *style, struct am_arena *arena, FILE *out);

#endif
