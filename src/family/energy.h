/* SPDX-License-Identifier: MIT */
/* The parts of the family of energy that have files of their own, for the tables of energy.c. */
#ifndef AM_FAMILY_ENERGY_H
#define AM_FAMILY_ENERGY_H

#include "family/family.h"

/* What is drawn at rest, per core, per operation and per byte, and how well that predicts. */
am_derive_fn am_energy_derive_model;

/* Of all ways to do one work: the least energy, the least energy times delay, what speed costs. */
am_derive_fn am_energy_derive_goals;
/* Energy over time, all ways to do one work, and those that none beats in both. */
am_figure_make_fn am_energy_plot_goals;
/* What each meter said of equal work, as a histogram. */
am_figure_make_fn am_energy_plot_readings;

/* One way to do some work that no other beats in time and in energy. Texts live in the arena. */
struct am_energy_way {
    const char *bench, *scope, *way;
    double seconds;                  /* of an iteration */
    const struct am_summary *energy; /* J */
};

/* All of them, work by work, the fastest first; at most `cap`, the first ones. */
size_t am_energy_front(const struct am_result_set *set, struct am_arena *arena,
                       struct am_energy_way *out, size_t cap);

#endif
