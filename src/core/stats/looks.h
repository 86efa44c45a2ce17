/* SPDX-License-Identifier: MIT */
/* When a measurement may stop because it is precise enough, without making its interval lie.
 *
 * Whoever looks after every launch and stops at the first narrow interval stops where luck made it
 * narrow. So launches are looked at at a few counts only, fixed before the first one. The counts
 * are chosen so that the intervals of the median at *all* of them (am_stats_median_interval() at 95
 * %) hold it together with at least 95 %: the number of launches below the median is a walk of fair
 * coins, whatever the law, so that this is exact. Whichever of them is shown in the end, it is one
 * of those. To stop, the usual interval of the mean must be narrow as well: it knows of the rare
 * launch far out that the middle ones do not show. Pure functions; doc/internals/verdicts.md has
 * their error rates. */
#ifndef AM_CORE_STATS_LOOKS_H
#define AM_CORE_STATS_LOOKS_H

#include <stdbool.h>
#include <stddef.h>

enum { AM_LOOKS_MAX = 16 };

struct am_looks {
    size_t at[AM_LOOKS_MAX]; /* rising; the last is the most launches that there may be */
    size_t n;
    double coverage; /* that the intervals at all of them hold the median */
};

/* The counts from `least` up to `most` launches, least <= most. */
struct am_looks am_looks_of(size_t least, size_t most);

/* Whether n launches are one of the counts. */
bool am_looks_at(const struct am_looks *looks, size_t n);
/* The first count above n; 0 behind the last. */
size_t am_looks_next(const struct am_looks *looks, size_t n);

/* How precise n launch medians are: the wider half-width, relative to the middle, of the interval
 * of the median and of the mean's. INFINITY where either cannot be told. Allocates; INFINITY when
 * memory is refused. */
double am_looks_precision(const double *medians, size_t n);

#endif
