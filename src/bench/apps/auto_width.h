/* SPDX-License-Identifier: MIT */
/* Whether the compiler's plain loop over a grid takes halves of vectors or whole ones.
 *
 * A load as long as a line of cache crosses one nearly everywhere, which costs in caches; from
 * memory half as many loads wait for as many bytes, and more of them are under way. Which of it
 * counts differs from core to core and from grid to grid: both are tried on the grid itself. */
#ifndef AM_BENCH_APPS_AUTO_WIDTH_H
#define AM_BENCH_APPS_AUTO_WIDTH_H

#include "app/stencil/grid.h"
#include "base/clock.h"

/* Seconds of one step, the best of a few; zeros: there is one width only. */
struct am_auto_width {
    double half, whole;
};

/* Sets grid->spec.whole, on the calling thread, which steps a state that was loaded: it is lost.
 * Some tenths of a second at most, or eight steps of a grid that takes longer. */
void am_auto_width_choose(struct am_stencil_grid *grid, const struct am_clock *clock,
                          struct am_auto_width *width);

#endif
