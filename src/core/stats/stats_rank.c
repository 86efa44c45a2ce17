/* SPDX-License-Identifier: MIT */
/* Two samples by ranks: Mann-Whitney U test and Hodges-Lehmann ratio. */
#include "core/stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ranking {
    double *values;   /* both samples, sorted */
    unsigned *ranks2; /* twice the midrank of each: whole numbers also with ties */
    size_t n;
    double ties; /* sum of t^3 - t over groups of t equal values */
};

static bool same(double x, double y)
{
    return !(x < y) && !(x > y);
}

static bool any_nan(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i]))
            return true;
    }
    return false;
}

static void ranking_fini(struct ranking *r)
{
    free(r->values);
    free(r->ranks2);
}

static bool ranking_init(struct ranking *r, const double *a, size_t na, const double *b, size_t nb)
{
    *r = (struct ranking){.n = na + nb};
    r->values = calloc(r->n, sizeof(*r->values));
    r->ranks2 = calloc(r->n, sizeof(*r->ranks2));
    if (!r->values || !r->ranks2)
        return false;
    memcpy(r->values, a, na * sizeof(*a));
    memcpy(r->values + na, b, nb * sizeof(*b));
    am_stats_sort(r->values, r->n);
    for (size_t i = 0, end; i < r->n; i = end) {
        double t;

        for (end = i + 1; end < r->n && same(r->values[end], r->values[i]);)
            end++;
        for (size_t k = i; k < end; k++)
            r->ranks2[k] = (unsigned)(i + 1 + end); /* twice the mean of ranks i+1 .. end */
        t = (double)(end - i);
        r->ties += t * t * t - t;
    }
    return true;
}

/* Twice the rank sum of the sample x, whose values all occur in the ranking. */
static uint64_t rank_sum2(const struct ranking *r, const double *x, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        size_t lo = 0, hi = r->n - 1;

        while (lo < hi) {
            const size_t mid = (lo + hi) / 2;

            if (r->values[mid] < x[i])
                lo = mid + 1;
            else
                hi = mid;
        }
        sum += r->ranks2[lo];
    }
    return sum;
}

/* counts[j][s]: choices of j of the values with doubled rank sum s. They stay below C(40, 20), so
 * doubles hold them exactly. Returns the counts of j = m choices, or NULL. Row-major, `width` wide;
 * the caller frees *table. */
static const double *count_sums(const struct ranking *r, size_t m, size_t width, double **table)
{
    double *counts = calloc((m + 1) * width, sizeof(*counts));
    size_t reach = 0; /* largest sum of the values seen */

    *table = counts;
    if (!counts)
        return NULL;
    counts[0] = 1;
    for (size_t i = 0; i < r->n; i++) {
        const size_t rank = r->ranks2[i];

        reach += rank;
        for (size_t j = i + 1 < m ? i + 1 : m; j > 0; j--) {
            double *to = counts + j * width;
            const double *from = counts + (j - 1) * width;

            for (size_t s = rank; s <= reach; s++)
                to[s] += from[s - rank];
        }
    }
    return counts + m * width;
}

/* Share of all choices of m values whose rank sum is at least as far from its mean as `sum2`. */
static double exact_p(const struct ranking *r, size_t m, uint64_t sum2)
{
    const size_t width = r->n * (r->n + 1) + 1;
    const int64_t mean = (int64_t)(m * (r->n + 1)); /* of the doubled rank sum */
    const int64_t far = llabs((int64_t)sum2 - mean);
    double *table, total = 0, tail = 0;
    const double *counts = count_sums(r, m, width, &table);

    for (size_t s = 0; counts && s < width; s++) {
        total += counts[s];
        if (llabs((int64_t)s - mean) >= far)
            tail += counts[s];
    }
    free(table);
    return counts ? tail / total : NAN;
}

static double normal_p(const struct ranking *r, size_t na, size_t nb, uint64_t sum2)
{
    const double n = (double)r->n;
    const double variance =
        (double)na * (double)nb / 12 * (n + 1 - (n > 1 ? r->ties / (n * (n - 1)) : 0));
    const double away = fabs((double)sum2 - (double)na * (n + 1)) / 2 - 0.5;

    if (!(variance > 0) || !(away > 0))
        return 1;
    return erfc(away / sqrt(2 * variance));
}

double am_stats_mann_whitney(const double *a, size_t na, const double *b, size_t nb)
{
    struct ranking r;
    double p = NAN;

    if (na == 0 || nb == 0 || any_nan(a, na) || any_nan(b, nb))
        return NAN;
    if (ranking_init(&r, a, na, b, nb)) {
        const uint64_t sum2 = rank_sum2(&r, a, na);

        if (na <= AM_STATS_EXACT_MAX && nb <= AM_STATS_EXACT_MAX)
            p = exact_p(&r, na, sum2);
        else
            p = normal_p(&r, na, nb, sum2);
    }
    ranking_fini(&r);
    return p;
}

/* Number of arrangements with U = u for u = 0 .. na x nb, without ties: the coefficients of the
 * Gaussian binomial, by multiplying with (1 - q^(na+i)) and dividing by (1 - q^i) in turn. All
 * stay whole and below 2 C(40, 20). */
static void count_u(size_t na, size_t nb, double *counts)
{
    const size_t top = na * nb;

    counts[0] = 1;
    for (size_t i = 1; i <= nb; i++) {
        for (size_t u = top; u >= na + i; u--)
            counts[u] -= counts[u - na - i];
        for (size_t u = i; u <= top; u++)
            counts[u] += counts[u - i];
    }
}

/* The largest rank k with 2 P(U < k) <= 1 - level, at least 1; 0 when memory is refused. */
static size_t exact_rank(size_t na, size_t nb, double level, double *coverage)
{
    double *counts = calloc(na * nb + 1, sizeof(*counts));
    double total = 0, tail = 0;
    size_t k = 0;

    if (!counts)
        return 0;
    count_u(na, nb, counts);
    for (size_t u = 0; u <= na * nb; u++)
        total += counts[u];
    for (; k < na * nb / 2 + 1; k++) {
        if (k > 0 && 2 * (tail + counts[k]) > (1 - level) * total)
            break;
        tail += counts[k];
    }
    *coverage = 1 - 2 * tail / total;
    free(counts);
    return k;
}

/* The same by the normal approximation with continuity correction. */
static size_t normal_rank(size_t na, size_t nb, double level, double *coverage)
{
    const double mean = (double)na * (double)nb / 2;
    const double spread = sqrt(mean * (double)(na + nb + 1) / 6);
    double lo = 1, hi = floor(mean) + 1; /* 2 P(U < lo) is small enough or lo is 1; hi is not */

    while (hi - lo > 1) {
        const double mid = floor((lo + hi) / 2);

        if (erfc((mean - mid + 0.5) / (spread * M_SQRT2)) <= 1 - level)
            lo = mid;
        else
            hi = mid;
    }
    *coverage = 1 - erfc((mean - lo + 0.5) / (spread * M_SQRT2));
    return (size_t)lo;
}

static bool all_positive(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0) || isinf(x[i]))
            return false;
    }
    return true;
}

/* Every log b - log a, sorted; NULL when memory is refused. */
static double *log_ratios(const double *a, size_t na, const double *b, size_t nb)
{
    double *d = nb <= SIZE_MAX / sizeof(*d) / na ? malloc(na * nb * sizeof(*d)) : NULL;

    if (!d)
        return NULL;
    for (size_t i = 0; i < na; i++) {
        const double log_a = log(a[i]);

        for (size_t j = 0; j < nb; j++)
            d[i * nb + j] = log(b[j]) - log_a;
    }
    am_stats_sort(d, na * nb);
    return d;
}

struct am_ratio am_stats_hodges_lehmann(const double *a, size_t na, const double *b, size_t nb,
                                        double level)
{
    const bool exact = na <= AM_STATS_EXACT_MAX && nb <= AM_STATS_EXACT_MAX;
    struct am_ratio out = {.ratio = NAN, .lo = NAN, .hi = NAN};
    double *d, coverage = 0;
    size_t k;

    if (na == 0 || nb == 0 || !all_positive(a, na) || !all_positive(b, nb))
        return out;
    k = exact ? exact_rank(na, nb, level, &coverage) : normal_rank(na, nb, level, &coverage);
    d = log_ratios(a, na, b, nb);
    if (d && k > 0)
        out = (struct am_ratio){.ratio = exp(am_stats_median(d, na * nb)),
                                .lo = exp(d[k - 1]),
                                .hi = exp(d[na * nb - k]),
                                .coverage = coverage};
    free(d);
    return out;
}

/* P(U >= u) of na and nb values of one law, by counting. */
static double exact_above(size_t na, size_t nb, size_t u)
{
    double *counts = calloc(na * nb + 1, sizeof(*counts));
    double total = 0, tail = 0;

    if (!counts)
        return NAN;
    count_u(na, nb, counts);
    for (size_t i = 0; i <= na * nb; i++) {
        total += counts[i];
        tail += i >= u ? counts[i] : 0;
    }
    free(counts);
    return tail / total;
}

double am_stats_rank_above(const double *a, size_t na, const double *b, size_t nb, double margin)
{
    const double pairs = (double)na * (double)nb;
    size_t u = 0;

    if (na == 0 || nb == 0 || any_nan(a, na) || any_nan(b, nb))
        return NAN;
    for (size_t i = 0; i < na; i++) {
        for (size_t k = 0; k < nb; k++)
            u += b[k] - a[i] > margin;
    }
    if (na <= AM_STATS_EXACT_MAX && nb <= AM_STATS_EXACT_MAX)
        return exact_above(na, nb, u);
    return erfc(((double)u - 0.5 - pairs / 2) / sqrt(pairs * (double)(na + nb + 1) / 6)) / 2;
}
