/* SPDX-License-Identifier: MIT */
/* Change points of a series, by E-divisive (D. S. Matteson and N. A. James, "A nonparametric
 * approach for multiple change point analysis of multivariate data", J. Amer. Statist. Assoc. 109
 * (2014), 334-345), in one dimension and with exponent 1.
 *
 * The place where the energy distance between what is before and after is largest is a candidate;
 * it is a change when shuffled series rarely reach as much. Segments are searched again until none
 * has one. Nothing is assumed of the values' distribution but that without a change their order
 * says nothing: a drift is found as one or several steps. Permutations end early once a candidate
 * is clearly nothing (J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78
 * (1991), 301-304). The same seed gives the same answer. */
#ifndef AM_CORE_STATS_DIVISIVE_H
#define AM_CORE_STATS_DIVISIVE_H

#include <stddef.h>
#include <stdint.h>

enum { AM_DIVISIVE_LEAST = 2, AM_DIVISIVE_MOST = 400 }; /* values per segment; values at all */

struct am_divisive {
    double level;        /* a candidate with a p of at most this is a change: 0.05 is wrong in one
                          * series without any change of twenty */
    size_t permutations; /* at most */
    uint64_t seed;
};

struct am_changepoint {
    size_t at; /* the first value after the change */
    double p;
};

/* Fills `out` (room for n) by rising place. Returns how many, SIZE_MAX when memory is refused.
 * Values are finite; n is at most AM_DIVISIVE_MOST. */
size_t am_divisive_find(const double *values, size_t n, const struct am_divisive *how,
                        struct am_changepoint *out);

#endif
