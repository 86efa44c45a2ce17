/* SPDX-License-Identifier: MIT */
/* The change between two samples, judged against a margin that is too small to matter.
 *
 * Values are positive and compared by their logarithms, so that halving and doubling weigh alike.
 * The change is the difference of the means, its error that of Welch's t test (the sides need not
 * be equally noisy). It is tested against the margin, not against zero: a change beyond it, or
 * within it, is what a verdict claims. Exact ranks are computed beside it, because means of few
 * values in two modes mislead. The family of rows is the caller's business: adjust `p` with
 * am_stats_holm() and pass the number of rows to am_change_seen() and am_change_needs(). */
#ifndef AM_CORE_STATS_CHANGE_H
#define AM_CORE_STATS_CHANGE_H

#include <stddef.h>

struct am_change {
    double d, se, df;  /* mean log b - mean log a, its standard error, degrees of freedom */
    double lo, hi;     /* 95 % interval of d */
    double margin;     /* ln(1 + delta): what it was tested against */
    double p;          /* that |true change| <= margin */
    double p_same;     /* that |true change| >= margin: two one-sided tests */
    double p_rank;     /* exact one-sided Mann-Whitney, in d's direction, beyond the margin */
    double least_rank; /* the smallest p_rank that as many values can give */
};

enum { AM_CHANGE_LEAST = 3 }; /* values per side; below there is no error to speak of */

/* All NAN where a side has fewer than AM_CHANGE_LEAST values or one that is not positive and
 * finite, or when memory is refused. `delta` >= 0. Allocates. */
struct am_change am_change_of(const double *a, size_t na, const double *b, size_t nb, double delta);

/* The same of pairs (a[i], b[i]) that were measured next to each other: what both of a pair met is
 * no part of the error. The t test is that of the differences; the ranks are the sign test of them.
 */
struct am_change am_change_paired(const double *a, const double *b, size_t n, double delta);

/* The probability that the true change is above the margin, by which b would be larger: whoever
 * only asks whether b is larger needs no proof that it is not smaller. */
double am_change_above(const struct am_change *change);

/* Adds what runs differ by, one run per side: `sigma` is the standard deviation of the means of
 * `runs` earlier runs. Ranks know nothing of runs and stay. */
void am_change_add_runs(struct am_change *change, double sigma, size_t runs);

/* The smallest relative change (0.05: 5 % more) that such a row would show with probability 90 %
 * among `rows` rows. NAN where the change is. */
double am_change_seen(const struct am_change *change, size_t rows);

/* How many values per side would show the change as measured with probability 90 % among `rows`
 * rows; 0: more than 1000, or it is not beyond the margin. */
size_t am_change_needs(const struct am_change *change, size_t na, size_t nb, size_t rows);

#endif
