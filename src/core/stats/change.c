/* SPDX-License-Identifier: MIT */
/* Welch's t on logarithms against a margin, with ranks beside it. */
#include "core/stats/change.h"

#include "core/stats/stats.h"
#include "core/stats/student.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { NEEDED_MAX = 1000 };

static const double level = 0.05;       /* of tests, and of what a row among many is held to */
static const double missed = 0.1;       /* share of real changes that may go unseen */
static const double least_sigma = 5e-4; /* equal values are no proof of a spread of zero */

static bool take_logs(const double *x, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0) || isinf(x[i]))
            return false;
        out[i] = log(x[i]);
    }
    return true;
}

/* The variance of the mean of n values. */
static double mean_variance(struct am_moments m, size_t n)
{
    const double sigma = fmax(m.sigma, least_sigma);

    return sigma * sigma / (double)n;
}

/* Tests and interval of a change whose d, se and df are known. */
static void test_change(struct am_change *c)
{
    double half;

    c->p = am_student_tail((fabs(c->d) - c->margin) / c->se, c->df) +
           am_student_tail((fabs(c->d) + c->margin) / c->se, c->df);
    c->p = fmin(c->p, 1);
    c->p_same = am_student_tail((c->margin - fabs(c->d)) / c->se, c->df);
    half = am_student_quantile(level / 2, c->df) * c->se;
    c->lo = c->d - half;
    c->hi = c->d + half;
}

double am_change_above(const struct am_change *c)
{
    return am_student_tail((c->margin - c->d) / c->se, c->df);
}

static void test_means(struct am_change *c, const double *a, size_t na, const double *b, size_t nb)
{
    const struct am_moments ma = am_stats_moments(a, na), mb = am_stats_moments(b, nb);
    const double va = mean_variance(ma, na), vb = mean_variance(mb, nb), v = va + vb;

    c->d = mb.mean - ma.mean;
    c->se = sqrt(v);
    c->df = v * v / (va * va / (double)(na - 1) + vb * vb / (double)(nb - 1));
    test_change(c);
}

void am_change_add_runs(struct am_change *c, double sigma, size_t runs)
{
    const double s = fmax(sigma, least_sigma), vr = 2 * s * s, v = c->se * c->se;
    const double df_runs = (double)(runs - 1);

    if (isnan(c->d) || runs < 2)
        return;
    c->df = fmin(df_runs, (v + vr) * (v + vr) / (v * v / c->df + vr * vr / df_runs));
    c->se = sqrt(v + vr);
    test_change(c);
}

/* Which side is the higher is turned so that ranks speak about d's direction. */
static void test_ranks(struct am_change *c, const double *a, size_t na, const double *b, size_t nb)
{
    const double n = (double)na, m = (double)nb;

    c->p_rank = c->d >= 0 ? am_stats_rank_above(a, na, b, nb, c->margin)
                          : am_stats_rank_above(b, nb, a, na, c->margin);
    c->least_rank = exp(lgamma(n + 1) + lgamma(m + 1) - lgamma(n + m + 1));
}

struct am_change am_change_of(const double *a, size_t na, const double *b, size_t nb, double delta)
{
    struct am_change out = {NAN, NAN, NAN, NAN, NAN, log1p(delta), NAN, NAN, NAN, NAN};
    double *const logs = calloc(na + nb + 1, sizeof(*logs));

    if (logs && na >= AM_CHANGE_LEAST && nb >= AM_CHANGE_LEAST && take_logs(a, na, logs) &&
        take_logs(b, nb, logs + na)) {
        test_means(&out, logs, na, logs + na, nb);
        test_ranks(&out, logs, na, logs + na, nb);
    }
    free(logs);
    return out;
}

/* `d`: logarithm of b over a of every pair. */
static void test_pairs(struct am_change *c, const double *d, size_t n)
{
    const struct am_moments m = am_stats_moments(d, n);
    size_t wrong = 0;

    c->d = m.mean;
    c->se = sqrt(2 * mean_variance((struct am_moments){.sigma = m.sigma / M_SQRT2}, n));
    c->df = (double)(n - 1);
    test_change(c);
    for (size_t i = 0; i < n; i++)
        wrong += !(c->d >= 0 ? d[i] > c->margin : -d[i] > c->margin);
    c->p_rank = am_stats_sign(n, wrong);
    c->least_rank = am_stats_sign(n, 0);
}

struct am_change am_change_paired(const double *a, const double *b, size_t n, double delta)
{
    struct am_change out = {NAN, NAN, NAN, NAN, NAN, log1p(delta), NAN, NAN, NAN, NAN};
    double *const logs = calloc(2 * n + 1, sizeof(*logs));

    if (logs && n >= AM_CHANGE_LEAST && take_logs(a, n, logs) && take_logs(b, n, logs + n)) {
        for (size_t i = 0; i < n; i++)
            logs[i] = logs[n + i] - logs[i];
        test_pairs(&out, logs, n);
    }
    free(logs);
    return out;
}

/* How many standard errors beyond the margin a change must lie to be seen. */
static double reach(double df, size_t rows)
{
    return am_student_quantile(level / (double)(rows ? rows : 1), df) +
           am_student_quantile(missed, df);
}

double am_change_seen(const struct am_change *change, size_t rows)
{
    return expm1(change->margin + change->se * reach(change->df, rows));
}

/* Whether n values per side with that spread show a change that far beyond the margin. */
static bool is_enough(size_t n, double sigma, double beyond, size_t rows)
{
    return sigma * sqrt(2 / (double)n) * reach(1.6 * (double)(n - 1), rows) <= beyond;
}

size_t am_change_needs(const struct am_change *change, size_t na, size_t nb, size_t rows)
{
    /* the spread of single values, as if both sides had the same */
    const double sigma = change->se / sqrt(1 / (double)na + 1 / (double)nb);
    const double beyond = fabs(change->d) - change->margin;
    size_t lo = AM_CHANGE_LEAST - 1, hi = NEEDED_MAX; /* lo is not enough, hi is */

    if (!(beyond > 0) || !is_enough(hi, sigma, beyond, rows))
        return 0;
    while (hi - lo > 1) {
        const size_t mid = (lo + hi) / 2;

        if (is_enough(mid, sigma, beyond, rows))
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}
