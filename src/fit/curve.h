/* SPDX-License-Identifier: MIT */
/* Curves that climb in steps (latency over working set): their plateaus and the knees between. */
#ifndef AM_FIT_CURVE_H
#define AM_FIT_CURVE_H

#include "base/arena.h"
#include "core/stats/stats.h"

#include <stdbool.h>
#include <stddef.h>

/* One measured place. All values are positive. */
struct am_curve_point {
    double x;
    double best, typical, worst; /* of the samples: 5 % quantile, median, 95 % quantile */
};

struct am_curve {
    struct am_curve_point *points;
    size_t n, cap;
};

enum { AM_CURVE_LEVELS_MAX = 8 };

/* A part of the curve that hardly climbs. */
struct am_plateau {
    size_t first, last; /* points, both belong to it */
    double level;       /* median of their best values: what the level is */
    double typical;     /* median of their typical values: what a program sees */
    double lo, hi;      /* least best and greatest typical value */
};

struct am_plateaus {
    struct am_plateau items[AM_CURVE_LEVELS_MAX];
    size_t n;
};

/* Adds a place; one that is not positive and finite is left out. False when memory is refused. */
bool am_curve_add(struct am_curve *curve, struct am_arena *arena, struct am_curve_point point);

/* Sorts by x and makes each of the three values rise or stay, by the median of neighbours that
 * fall: a larger working set is not faster, so a fall is noise. Allocates; false, and nothing is
 * changed but the order, when memory is refused. */
bool am_curve_settle(struct am_curve *curve);

/* Plateaus of a settled curve in rising order. They are looked for in the best values: what
 * interferes only adds. Neighbours less than `ratio` apart are one; what spans less than
 * a doubling between others is a pause on the way up, not a level. */
struct am_plateaus am_curve_plateaus(const struct am_curve *curve, double ratio);

/* What the curve is made of when a crossing is asked for. */
enum am_curve_side {
    AM_CURVE_BEST,    /* a structure of the machine: the two places next to the crossing bound it */
    AM_CURVE_TYPICAL, /* a share that others leave: so do the crossings of best and worst values */
};

/* Where the curve passes `level` on its way up, by interpolation in the logarithm of x. The bounds
 * have no coverage (not a number). False when it does not pass. */
bool am_curve_crossing(const struct am_curve *curve, double level, enum am_curve_side side,
                       double *x, struct am_interval *bounds);

/* The typical value at x, interpolated in the logarithm of x; the end's value beyond an end. */
double am_curve_at(const struct am_curve *curve, double x);

#endif
