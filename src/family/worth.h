/* SPDX-License-Identifier: MIT */
/* What is worth measuring first when time is short, and what it is likely to cost.
 *
 * One table for all families: which points the lines of the first screen rest on, by the ranks of
 * their headlines, and behind them everything else in the order in which it is worth the time that
 * is left. A plan asks for the worth of each of its points (am_worth_of()); the conductor, which
 * knows no bench by name, plays them in that order (conductor/schedule.h). Two things no row can
 * say, since they depend on the other points: of the instruction sets by which memory is read the
 * widest suffices for a line, and of several devices the first of each kind comes before its equals
 * and before CPUs that are devices too. A second table has what visits take beside their batches,
 * for the plan of a machine on which nothing was measured yet. */
#ifndef AM_FAMILY_WORTH_H
#define AM_FAMILY_WORTH_H

#include "core/bench/plan.h"

struct am_worth_row {
    unsigned rank;     /* below AM_WORTH_HEADLINES that of the headlines which rest on the points */
    const char *bench; /* a name or glob; NULL ends the table */
    const char *where; /* conditions on its axes (evidence/select.h); NULL: all points */
};

/* By rising rank; the first row that a point matches is its own. */
extern const struct am_worth_row am_worth_rows[];

/* Ranks of devices: of those after the first of a kind, one after another, and of CPUs. */
enum { AM_WORTH_EQUALS = 60, AM_WORTH_EQUALS_LAST = 69, AM_WORTH_CPU_DEVICE = 85 };

/* Rank of a point by its axes alone; AM_WORTH_LAST where no row names it. */
unsigned am_worth_of(const struct am_point *point);

/* Gives every point of the plan its worth, and what a visit takes to start (start_s). */
void am_worth_apply(struct am_plan *plan);

#endif
