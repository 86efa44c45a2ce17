/* SPDX-License-Identifier: MIT */
/* Many runs in the order of time: a line per headline figure and per chosen point, where each line
 * changed, and between which runs machine or build did.
 *
 * Runs must be settled, with their facts derived. Changes are found by E-divisive
 * (core/stats/divisive.h) on the logarithms of the values; over all lines together a history
 * without any change has one with a chance of AM_HISTORY_LEVEL at most (each line gets its part of
 * it). Two values of one run count once: its figure is one observation, whatever its interval.
 * Everything lives in the arena. */
#ifndef AM_MODEL_HISTORY_H
#define AM_MODEL_HISTORY_H

#include "family/family.h"
#include "store/store.h"

#define AM_HISTORY_LEVEL 0.05

enum { AM_HISTORY_POINTS_MAX = 64 };

struct am_history_run {
    const char *path;
    const struct am_result_set *set;
    struct am_facts facts;
    /* What differs from the run before it, in words; NULL: nothing. */
    const char *machine, *build;
};

struct am_history_change {
    size_t before, at; /* the last run with the old value, the first with the new */
    double p;
    double from, to; /* geometric means of the runs up to the changes on both sides */
};

struct am_history_line {
    const char *name, *unit;
    double *value, *lo, *hi; /* by run; NAN where it has none */
    size_t n;                /* runs that have one */
    struct am_history_change *changes;
    size_t n_changes;
};

struct am_history {
    struct am_history_run *runs; /* by the time they began */
    size_t n_runs;
    struct am_history_line *lines; /* headlines in their order, then points */
    size_t n_lines, cap_lines;
    size_t n_tested;    /* lines that are long enough to show a change */
    double level;       /* of each of them */
    size_t points_lost; /* chosen points beyond AM_HISTORY_POINTS_MAX */
    struct am_arena *arena;
};

/* `runs` have path, set and facts, in any order; they are sorted in place. `points` are "BENCH
 * CONDITIONS" as selectors have them. AM_E_USAGE where one matches nothing in any run. */
enum am_status am_history_make(struct am_history_run *runs, size_t n, const char *const *points,
                               size_t n_points, struct am_arena *arena, struct am_history *out,
                               struct am_err *err);

#endif
