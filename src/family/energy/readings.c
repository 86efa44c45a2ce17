/* SPDX-License-Identifier: MIT */
/* How what a meter says of equal work is distributed (seed 001, figures 5.3 and 5.4): a histogram
 * per meter, with the mean and the bounds of three deviations beyond which a reading is an outlier.
 * All repetitions of all launches count, as in am_steady_describe(). */
#include "family/energy.h"

#include "core/stats/steady.h"
#include "family/plot.h"
#include "family/roles.h"

#include <math.h>

enum { BINS_LEAST = 5, BINS_MOST = 40 };
static const double outlier_sigmas = 3;

/* As many as the root of the readings: enough of them fall into each. */
static size_t bins_of(size_t readings)
{
    const double root = ceil(sqrt((double)readings));

    return root < BINS_LEAST ? BINS_LEAST : root > BINS_MOST ? BINS_MOST : (size_t)root;
}

/* Readings per bin, at the middle of each. NULL when memory is refused. */
static struct am_plot_mark *count(const struct am_series *series, const struct am_steady *y,
                                  size_t bins, struct am_arena *arena)
{
    struct am_plot_mark *const marks = am_arena_array(arena, bins, sizeof(*marks));
    const double width = (y->max - y->min) / (double)bins;

    for (size_t i = 0; marks && i < bins; i++)
        marks[i] = (struct am_plot_mark){.x = y->min + ((double)i + 0.5) * width};
    for (size_t i = 0; marks && i < series->n; i++) {
        for (size_t k = 0; k < series->launches[i].n; k++) {
            const double x = series->launches[i].values[k];
            const double place = isfinite(x) ? (x - y->min) / width : -1;

            if (place >= 0)
                marks[place < (double)bins ? (size_t)place : bins - 1].y++;
        }
    }
    for (size_t i = 0; marks && i < bins; i++)
        marks[i].lo = marks[i].hi = marks[i].y;
    return marks;
}

static void draw(const struct am_pick *pick, struct am_plots *out, struct am_arena *arena)
{
    struct am_plot_rule *const rules = am_arena_array(arena, 3, sizeof(*rules));
    const struct am_plot_mark *marks;
    struct am_plot *plot;
    struct am_steady y;
    size_t bins;

    if (!rules || !am_steady_describe(&pick->metric->series, arena, &y) || !(y.max > y.min))
        return;
    bins = bins_of(y.n);
    rules[0] = (struct am_plot_rule){.at = y.mean - outlier_sigmas * y.sigma, .label = "-3 sigma"};
    rules[1] = (struct am_plot_rule){.at = y.mean, .label = "mean", .strong = true};
    rules[2] = (struct am_plot_rule){.at = y.mean + outlier_sigmas * y.sigma, .label = "+3 sigma"};
    marks = count(&pick->metric->series, &y, bins, arena);
    plot = marks
               ? am_plots_add(
                     out,
                     &(struct am_plot){
                         .title = am_arena_printf(arena, "%s, %s: %zu readings, %zu beyond 3 sigma",
                                                  pick->metric->name, pick->result->text, y.n,
                                                  y.outliers),
                         .x = {.title = "energy of one repetition", .unit = pick->metric->unit},
                         .y = {.title = "readings", .unit = "", .whole = true},
                         .rules = rules,
                         .n_rules = 3})
               : NULL;
    if (plot)
        am_plot_add(plot, arena,
                    &(struct am_plot_series){
                        .label = "readings", .marks = marks, .n = bins, .steps = true});
}

bool am_energy_plot_readings(const struct am_figure_source *source, struct am_plots *out)
{
    const struct am_selector steady = {"meter.stability", NULL, "energy:*"};
    const struct am_picks picks = am_select(source->set, &steady, source->arena);
    const size_t before = out->n;

    for (size_t i = 0; i < picks.n; i++)
        draw(&picks.items[i], out, source->arena);
    return out->n > before;
}
