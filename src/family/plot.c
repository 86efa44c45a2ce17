/* SPDX-License-Identifier: MIT */
/* Plots put together piece by piece. */
#include "family/plot.h"

#include "base/array.h"

#include <string.h>

struct am_plot *am_plots_add(struct am_plots *plots, const struct am_plot *plot)
{
    struct am_plot *const added = AM_ARRAY_ADD(plots->arena, plots->items, plots->n, plots->cap);

    if (!added)
        return NULL;
    *added = *plot;
    added->series = NULL;
    added->n = 0;
    return added;
}

void am_plot_add(struct am_plot *plot, struct am_arena *arena, const struct am_plot_series *series)
{
    struct am_plot_series *const all = series->label && series->marks && series->n
                                           ? am_arena_array(arena, plot->n + 1, sizeof(*all))
                                           : NULL;

    if (!all)
        return;
    if (plot->n)
        memcpy(all, plot->series, plot->n * sizeof(*all));
    all[plot->n++] = *series;
    plot->series = all;
}
