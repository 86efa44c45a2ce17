/* SPDX-License-Identifier: MIT */
/* Statistics on plain arrays of doubles: robust, exact where that is cheap, deterministic. */
#ifndef AM_CORE_STATS_H
#define AM_CORE_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* The functions that say `sorted` need ascending input; the others copy nothing and sort nothing
 * unless said. n == 0 gives NAN. None of them allocates unless said. */
void am_stats_sort(double *x, size_t n);
double am_stats_median(const double *sorted, size_t n);
/* Quantile q in [0,1] by linear interpolation between order statistics (type 7). */
double am_stats_quantile(const double *sorted, size_t n, double q);
/* The least of positive values that `agreeing` of them, itself included, confirm: they lie within
 * the relative `agreement` above it. What disturbs a time only adds to it, and the bare minimum can
 * be one lucky reading. NAN: none is confirmed. */
double am_stats_confirmed(const double *sorted, size_t n, size_t agreeing, double agreement);
/* Median absolute deviation from the median, unscaled. Sorts `scratch` (n doubles). */
double am_stats_mad(const double *sorted, size_t n, double *scratch);

/* The plain look at one run: a value more than three deviations above the mean is an outlier, which
 * n <= 10 values cannot show. */
struct am_moments {
    double mean, sigma; /* sigma with n - 1; NAN below two values */
    size_t outliers;
};
struct am_moments am_stats_moments(const double *x, size_t n);

struct am_weighted {
    double mean, stddev;
};

/* Mean and standard deviation of values that stand for w[i] iterations each (equal weights: the
 * usual sample statistics). Values that are not finite and weights not above zero are passed over;
 * the deviation of fewer than two is NAN. */
struct am_weighted am_stats_weighted(const double *x, const double *w, size_t n);

struct am_interval {
    double lo, hi;
    double coverage; /* probability actually reached, e.g. 0.9375 for [min, max] of 5 */
};

/* Order-statistic interval of the median: the narrowest symmetric pair of order statistics whose
 * exact binomial coverage is >= level; [min, max] with its (lower) coverage where n is too small.
 */
struct am_interval am_stats_median_interval(const double *sorted, size_t n, double level);
/* The rank of its lower end, from 1; the upper one has as many values above it. */
size_t am_stats_median_rank(size_t n, double level, double *coverage);

/* Interval of a share of which `part` of `whole` cases were seen, by Clopper and Pearson: each end
 * is the share that would show so many, or as many the other way, with (1 - level) / 2. [0, 1] of
 * no cases. */
struct am_interval am_stats_share_interval(size_t part, size_t whole, double level);

/* P(at most `wrong` of n fair coins): the sign test. */
double am_stats_sign(size_t n, size_t wrong);

/* Exact one-sided Mann-Whitney test that b lies higher than a by more than `margin`: the share of
 * all orders of as many values in which as many pairs (a, b) or more have b - a > margin. A pair
 * that is not beyond the margin counts against. Exact by counting while na and nb <=
 * AM_STATS_EXACT_MAX, else normal with continuity correction. Allocates; NAN when memory is
 * refused, a side is empty or a value is NAN. */
enum { AM_STATS_EXACT_MAX = 20 };
double am_stats_rank_above(const double *a, size_t na, const double *b, size_t nb, double margin);

/* Holm: replaces p-values by adjusted ones, so that accepting those up to a level errs in any row
 * of the family with at most that probability. NAN entries stay and do not count. Allocates; when
 * memory is refused every entry becomes NAN. */
void am_stats_holm(double *p, size_t n);

/* Two separated groups: the largest gap between neighbours splits the sample into parts of at
 * least 20 % each (two values of fewer than 8), and exceeds both a multiple of the parts' own
 * spread and `floor` (relative to the median). Fewer than 5 values are too few to tell. */
bool am_stats_bimodal(const double *sorted, size_t n, double floor);
/* The same, telling where: how many values the lower group has, 0 when there are no two groups. */
size_t am_stats_lower_mode(const double *sorted, size_t n, double floor);

#endif
