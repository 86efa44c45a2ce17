/* SPDX-License-Identifier: MIT */
/* Plots put together piece by piece. */
#include "family/plot.h"

#include <string.h>

struct am_plot *am_plots_add(struct am_plots *plots, const struct am_plot *plot)
{
    if (plots->n == plots->cap) {
        const size_t cap = plots->cap ? 2 * plots->cap : 8;
        struct am_plot *const items = am_arena_array(plots->arena, cap, sizeof(*items));

        if (!items)
            return NULL;
        if (plots->n)
            memcpy(items, plots->items, plots->n * sizeof(*items));
        plots->items = items;
        plots->cap = cap;
    }
    plots->items[plots->n] = *plot;
    plots->items[plots->n].series = NULL;
    plots->items[plots->n].n = 0;
    return &plots->items[plots->n++];
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
