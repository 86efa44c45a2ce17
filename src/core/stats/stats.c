/* SPDX-License-Identifier: MIT */
/* Order statistics: quantiles, spread, the interval of the median, adjusted p-values, modes. */
#include "core/stats/stats.h"

#include <math.h>
#include <stdlib.h>

/* Ascending, NAN last, so that qsort() always sees a total order. */
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

void am_stats_sort(double *x, size_t n)
{
    if (n > 1)
        qsort(x, n, sizeof(*x), ascending);
}

double am_stats_median(const double *sorted, size_t n)
{
    return am_stats_quantile(sorted, n, 0.5);
}

double am_stats_confirmed(const double *sorted, size_t n, size_t agreeing, double agreement)
{
    for (size_t i = 0; agreeing > 0 && i + agreeing <= n; i++) {
        if (sorted[i + agreeing - 1] <= (1 + agreement) * sorted[i])
            return sorted[i];
    }
    return NAN;
}

struct am_moments am_stats_moments(const double *x, size_t n)
{
    struct am_moments m = {.mean = NAN, .sigma = NAN};
    double sum = 0, squares = 0;

    if (n == 0)
        return m;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    m.mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - m.mean) * (x[i] - m.mean);
    if (n > 1)
        m.sigma = sqrt(squares / (double)(n - 1));
    for (size_t i = 0; i < n; i++)
        m.outliers += x[i] > m.mean + 3 * m.sigma;
    return m;
}

double am_stats_quantile(const double *sorted, size_t n, double q)
{
    double h, below;
    size_t i;

    if (n == 0 || !(q >= 0 && q <= 1))
        return NAN;
    h = (double)(n - 1) * q;
    below = floor(h);
    i = (size_t)below;
    if (i + 1 >= n)
        return sorted[n - 1];
    return sorted[i] + (h - below) * (sorted[i + 1] - sorted[i]);
}

double am_stats_mad(const double *sorted, size_t n, double *scratch)
{
    const double median = am_stats_median(sorted, n);

    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(sorted[i] - median);
    am_stats_sort(scratch, n);
    return am_stats_median(scratch, n);
}

/* sqrt(k / (N (k - 1)) sum w (x - mean)^2), N the sum of the k weights. */
struct am_weighted am_stats_weighted(const double *x, const double *w, size_t n)
{
    struct am_weighted out = {NAN, NAN};
    double weight = 0, sum = 0, squares = 0;
    size_t used = 0;

    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !(w[i] > 0))
            continue;
        weight += w[i];
        sum += w[i] * x[i];
        used++;
    }
    if (used == 0)
        return out;
    out.mean = sum / weight;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(x[i]) && w[i] > 0)
            squares += w[i] * (x[i] - out.mean) * (x[i] - out.mean);
    }
    if (used > 1)
        out.stddev = sqrt((double)used / (weight * (double)(used - 1)) * squares);
    return out;
}

/* The largest k with 2 P(B < k) <= 1 - level for B binomial (n, 1/2). The term is carried as
 * mantissa and exponent: exact for the n that occur, and without underflow for any other. */
size_t am_stats_median_rank(size_t n, double level, double *coverage)
{
    double mantissa = 1; /* of P(B = k), times 2^-n */
    int exponent = 0;
    double tail = 0; /* P(B < k) */
    size_t k = 0;

    for (; k < n / 2 + 1; k++) {
        const double term = ldexp(mantissa, exponent - (int)n);
        int more;

        if (k > 0 && 2 * (tail + term) > 1 - level)
            break;
        tail += term;
        mantissa = frexp(mantissa * (double)(n - k) / (double)(k + 1), &more);
        exponent += more;
    }
    *coverage = 1 - 2 * tail;
    return k;
}

struct am_interval am_stats_median_interval(const double *sorted, size_t n, double level)
{
    struct am_interval ci = {.lo = NAN, .hi = NAN};
    size_t k;

    if (n == 0)
        return ci;
    k = am_stats_median_rank(n, level, &ci.coverage);
    ci.lo = sorted[k - 1];
    ci.hi = sorted[n - k];
    return ci;
}

/* P(B <= part) for B binomial (whole, share), 0 < share < 1. */
static double binomial_below(size_t part, size_t whole, double share)
{
    const double n = (double)whole;
    double sum = 0;

    for (size_t i = 0; i <= part; i++) {
        const double k = (double)i;

        sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) +
                   (n - k) * log1p(-share));
    }
    return fmin(1, sum);
}

/* The share with which `part` or fewer of `whole` are seen with the probability `p`. */
static double share_of_below(size_t part, size_t whole, double p)
{
    enum { HALVINGS = 52 }; /* as fine as a double is */
    double lo = 0, hi = 1;

    for (int i = 0; i < HALVINGS; i++) {
        const double mid = (lo + hi) / 2;

        if (binomial_below(part, whole, mid) > p)
            lo = mid;
        else
            hi = mid;
    }
    return (lo + hi) / 2;
}

struct am_interval am_stats_share_interval(size_t part, size_t whole, double level)
{
    const double tail = (1 - level) / 2;
    struct am_interval ci = {0, 1, level};

    if (part < whole)
        ci.hi = share_of_below(part, whole, tail);
    if (part > 0)
        ci.lo = share_of_below(part - 1, whole, 1 - tail);
    return ci;
}

struct ranked {
    double p;
    size_t index;
};

static int by_p(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return (x->p > y->p) - (x->p < y->p);
}

/* From the smallest p upwards: p x the rows not yet passed, never below the value of a smaller p.
 */
static void adjust(const struct ranked *sorted, size_t m, double *p)
{
    double bound = 0;

    for (size_t i = 0; i < m; i++) {
        const double scaled = fmin(1, sorted[i].p * (double)(m - i));

        bound = fmax(bound, scaled);
        p[sorted[i].index] = bound;
    }
}

void am_stats_holm(double *p, size_t n)
{
    struct ranked *r = calloc(n ? n : 1, sizeof(*r));
    size_t m = 0;

    for (size_t i = 0; i < n; i++) {
        if (!r)
            p[i] = NAN;
        else if (!isnan(p[i]))
            r[m++] = (struct ranked){.p = p[i], .index = i};
    }
    if (m > 0) {
        qsort(r, m, sizeof(*r), by_p);
        adjust(r, m, p);
    }
    free(r);
}

static double quartile_range(const double *sorted, size_t n)
{
    return am_stats_quantile(sorted, n, 0.75) - am_stats_quantile(sorted, n, 0.25);
}

/* The multiple of the wider group's quartile range that a gap must exceed. The range of a small
 * group is often small by chance, so small groups must lie further apart. Found by simulation:
 * false alarms stay below 2 % for n >= 10 on normal, uniform, exponential, lognormal and Cauchy
 * samples, and modes 15 sigma apart (10 from n = 15 on) are found in 9 of 10 samples. */
static double gap_multiple(size_t smaller_group)
{
    return fmax(1.5, 18.0 / (double)smaller_group);
}

/* Index of the value above the largest gap that leaves at least `least` values on either side. */
static size_t largest_gap(const double *sorted, size_t n, size_t least)
{
    size_t at = least;

    for (size_t i = least; i <= n - least; i++) {
        if (sorted[i] - sorted[i - 1] > sorted[at] - sorted[at - 1])
            at = i;
    }
    return at;
}

/* For samples too small for quartiles: groups of two at least, told apart by a multiple of the
 * wider group's whole range. Found by simulation on the same laws: false alarms stay below 1 %, and
 * modes 30 sigma apart that leave two values on either side are found in 9 of 10 samples. */
static size_t lower_mode_of_few(const double *sorted, size_t n, double floor)
{
    static const double multiples[] = {[5] = 7, [6] = 5, [7] = 4};
    const size_t at = largest_gap(sorted, n, 2);
    const double gap = sorted[at] - sorted[at - 1];
    const double range = fmax(sorted[at - 1] - sorted[0], sorted[n - 1] - sorted[at]);

    if (!(gap > floor * fabs(am_stats_median(sorted, n))))
        return 0;
    return gap > range * multiples[n] ? at : 0;
}

size_t am_stats_lower_mode(const double *sorted, size_t n, double floor)
{
    double gap, spread;
    size_t at;

    if (n < 5)
        return 0;
    if (n < 8)
        return lower_mode_of_few(sorted, n, floor);
    at = largest_gap(sorted, n, (n + 4) / 5);
    gap = sorted[at] - sorted[at - 1];
    spread = fmax(quartile_range(sorted, at), quartile_range(sorted + at, n - at));
    if (!(gap > floor * fabs(am_stats_median(sorted, n))))
        return 0;
    return gap > spread * gap_multiple(at < n - at ? at : n - at) ? at : 0;
}

bool am_stats_bimodal(const double *sorted, size_t n, double floor)
{
    return am_stats_lower_mode(sorted, n, floor) > 0;
}

double am_stats_sign(size_t n, size_t wrong)
{
    double sum = 0;

    for (size_t i = 0; i <= wrong && i <= n; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) -
                   (double)n * M_LN2);
    return fmin(sum, 1);
}
