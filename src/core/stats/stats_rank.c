/* SPDX-License-Identifier: MIT */
/* Two samples by ranks: the one-sided Mann-Whitney test beyond a margin. */
#include "core/stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static bool any_nan(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i]))
            return true;
    }
    return false;
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
