/* SPDX-License-Identifier: MIT */
/* Statistics against published values, exhaustive enumeration and simulation with fixed seeds. */
#include "base/rng.h"
#include "core/stats/stats.h"
#include "tap.h"

#include <stdlib.h>

enum { MAX_N = 40, SIMULATIONS = 4000, HEAVY_SIMULATIONS = 2000 };

static double normal(struct am_rng *r)
{
    const double u = 1 - am_rng_unit(r), v = am_rng_unit(r);

    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static double uniform(struct am_rng *r)
{
    return am_rng_unit(r);
}

static double exponential(struct am_rng *r)
{
    return -log(1 - am_rng_unit(r));
}

static double lognormal(struct am_rng *r)
{
    return exp(normal(r));
}

static double cauchy(struct am_rng *r)
{
    return tan(M_PI * (am_rng_unit(r) - 0.5));
}

typedef double draw_fn(struct am_rng *r);

static void sample(struct am_rng *r, draw_fn *draw, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = draw(r);
}

static void test_confirmed(void)
{
    const double lucky[] = {1, 2, 2.005, 2.009, 4}, apart[] = {1, 2, 4, 8};

    is_near(am_stats_confirmed(lucky, 5, 3, 0.005), 2, 0, "one lucky reading is not confirmed");
    is_near(am_stats_confirmed(lucky, 5, 1, 0.005), 1, 0, "by itself it is");
    ok(isnan(am_stats_confirmed(lucky, 5, 4, 0.005)), "four do not agree");
    ok(isnan(am_stats_confirmed(apart, 4, 2, 0.01)), "of values that lie apart none is confirmed");
    ok(isnan(am_stats_confirmed(lucky, 2, 3, 1)), "two values cannot agree by three");
    ok(isnan(am_stats_confirmed(lucky, 5, 0, 1)), "nobody confirms nothing");
}

static void test_order_statistics(void)
{
    double ten[10], mad[] = {1, 1, 2, 2, 4, 6, 9}, scratch[7];
    double shuffled[] = {3, NAN, -1, INFINITY, 2, -INFINITY, 0};

    for (int i = 0; i < 10; i++)
        ten[i] = i + 1;
    is_near(am_stats_median(ten, 10), 5.5, 0, "the median of 1..10 is 5.5");
    is_near(am_stats_median(ten, 9), 5, 0, "the median of 1..9 is 5");
    is_near(am_stats_quantile(ten, 10, 0.25), 3.25, 1e-15, "type 7: lower quartile of 1..10");
    is_near(am_stats_quantile(ten, 10, 0.95), 9.55, 1e-15, "type 7: 95 % quantile of 1..10");
    is_near(am_stats_quantile(ten, 10, 0), 1, 0, "quantile 0 is the minimum");
    is_near(am_stats_quantile(ten, 10, 1), 10, 0, "quantile 1 is the maximum");
    is_near(am_stats_mad(mad, 7, scratch), 1, 0, "the MAD of 1 1 2 2 4 6 9 is 1");
    ok(isnan(am_stats_median(ten, 0)), "the median of nothing is NAN");
    test_confirmed();
    ok(isnan(am_stats_quantile(ten, 10, 1.5)), "a quantile beyond 1 is NAN");
    am_stats_sort(shuffled, 7);
    ok(isinf(shuffled[0]) && shuffled[1] == -1 && shuffled[4] == 3 && isnan(shuffled[6]),
       "sorting puts NAN last");
}

/* Tabulated ends, and what the ends mean where nothing or everything was seen. */
static void test_share_interval(void)
{
    struct am_interval ci = am_stats_share_interval(3, 10, 0.95);

    is_near(ci.lo, 0.0667395, 1e-6, "3 of 10: the lower end");
    is_near(ci.hi, 0.6524529, 1e-6, "3 of 10: the upper end");
    ci = am_stats_share_interval(0, 20, 0.95);
    is_near(ci.hi, 1 - pow(0.025, 1.0 / 20), 1e-9, "none of 20: 20 misses are that likely");
    ok(ci.lo == 0, "none of 20 may be none at all");
    ci = am_stats_share_interval(20, 20, 0.95);
    is_near(ci.lo, pow(0.025, 1.0 / 20), 1e-9, "all of 20: as many hits");
    ok(ci.hi == 1, "all of 20 may be all");
    ci = am_stats_share_interval(0, 0, 0.95);
    ok(ci.lo == 0 && ci.hi == 1, "no case, no knowledge");
}

static void test_median_interval(void)
{
    static const struct {
        size_t n, rank;
        double coverage;
    } cases[] = {
        {1, 1, 0},
        {2, 1, 0.5},
        {5, 1, 0.9375},
        {6, 1, 0.96875},
        {8, 1, 0.9921875},
        {9, 2, 0.9609375},
        {10, 2, 0.978515625},
        {12, 3, 0.96142578125},
        {15, 4, 0.96484375},
        {20, 6, 0.9586105346679688},
        {25, 8, 0.9567147493362427},
        {30, 10, 0.9572260547429323},
        {100, 40, 0.9647997997822952},
        {2000, 956, 0.953447179509},
    };
    double x[2000];

    for (size_t i = 0; i < 2000; i++)
        x[i] = (double)(i + 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const size_t n = cases[i].n, rank = cases[i].rank;
        const struct am_interval ci = am_stats_median_interval(x, n, 0.95);

        ok(ci.lo == (double)rank && ci.hi == (double)(n + 1 - rank),
           "of %zu values the interval is order statistics %zu and %zu", n, rank, n + 1 - rank);
        is_near(ci.coverage, cases[i].coverage, 1e-11, "with the binomial coverage");
    }
    ok(isnan(am_stats_median_interval(x, 0, 0.95).lo), "no values, no interval");
    is_near(am_stats_median_interval(x, 10, 0.99).coverage, 0.998046875, 1e-15,
            "a higher level takes [min, max] of 10");
}

/* Samples without ties whose U (pairs with a above b) is exactly u. */
static void with_u(double *a, size_t na, double *b, size_t nb, size_t u)
{
    const size_t above = u / nb, steps = u % nb;

    for (size_t j = 0; j < nb; j++)
        b[j] = 100 + (double)j;
    for (size_t i = 0; i < na; i++) {
        const size_t from_top = na - 1 - i;

        a[i] = (double)i;
        if (from_top < above)
            a[i] += 1000;
        else if (from_top == above && steps > 0)
            a[i] = 100 + (double)steps - 0.5;
    }
}

static void test_smallest_p(void)
{
    static const struct {
        size_t n;
        double p;
    } cases[] = {{3, 0.1},         {4, 1.0 / 35},     {5, 1.0 / 126},
                 {6, 2.0 / 924.0}, {10, 1.0 / 92378}, {20, 2.0 / 137846528820.0}};
    double a[MAX_N], b[MAX_N];

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const size_t n = cases[i].n;

        with_u(a, n, b, n, 0);
        is_near(2 * am_stats_rank_above(a, n, b, n, 0) / cases[i].p, 1, 1e-12,
                "separated samples reach the smallest p");
        is_near(am_stats_rank_above(b, n, a, n, 0), 1, 1e-12, "and 1 the other way round");
    }
}

/* Two-sided critical values at 0.05 of the published tables, -1 where there is none. */
static const struct {
    size_t na, nb;
    int u;
} critical[] = {
    {3, 3, -1},  {3, 5, 0},   {4, 4, 0},    {5, 5, 2},    {6, 6, 5},
    {7, 7, 8},   {8, 8, 13},  {9, 9, 17},   {10, 10, 23}, {5, 10, 8},
    {8, 12, 22}, {12, 7, 18}, {10, 20, 55}, {15, 15, 64}, {20, 20, 127},
};

static void test_critical_values(void)
{
    double a[MAX_N], b[MAX_N];

    for (size_t i = 0; i < sizeof(critical) / sizeof(*critical); i++) {
        const size_t na = critical[i].na, nb = critical[i].nb;

        if (critical[i].u >= 0) {
            with_u(a, na, b, nb, (size_t)critical[i].u);
            ok(am_stats_rank_above(a, na, b, nb, 0) <= 0.025,
               "U = %d of %zu and %zu is significant", critical[i].u, na, nb);
        }
        with_u(a, na, b, nb, (size_t)(critical[i].u + 1));
        ok(am_stats_rank_above(a, na, b, nb, 0) > 0.025, "U = %d of %zu and %zu is not",
           critical[i].u + 1, na, nb);
    }
}

static double median_coverage(struct am_rng *r, draw_fn *draw, size_t n, double truth)
{
    double x[MAX_N];
    int covered = 0;

    for (int t = 0; t < SIMULATIONS; t++) {
        struct am_interval ci;

        sample(r, draw, x, n);
        am_stats_sort(x, n);
        ci = am_stats_median_interval(x, n, 0.95);
        covered += ci.lo <= truth && truth <= ci.hi;
    }
    return covered / (double)SIMULATIONS;
}

static void test_median_coverage(void)
{
    static const struct {
        const char *name;
        draw_fn *draw;
        double median;
    } laws[] = {
        {"normal", normal, 0}, {"exponential", exponential, M_LN2}, {"lognormal", lognormal, 1}};
    struct am_rng r;

    am_rng_seed(&r, 2, 1);
    for (size_t i = 0; i < sizeof(laws) / sizeof(*laws); i++) {
        double least = 1;

        for (size_t n = 6; n <= 30; n++)
            least = fmin(least, median_coverage(&r, laws[i].draw, n, laws[i].median));
        ok(least >= 0.94, "%s, n = 6..30: the median is covered in %.1f %% or more", laws[i].name,
           100 * least);
    }
}

static double flagged(struct am_rng *r, draw_fn *draw, size_t n, double apart)
{
    double x[64];
    int found = 0;

    for (int t = 0; t < HEAVY_SIMULATIONS; t++) {
        sample(r, draw, x, n);
        for (size_t i = 0; i < n; i++)
            x[i] += am_rng_unit(r) < 0.5 ? apart : 0;
        am_stats_sort(x, n);
        found += am_stats_bimodal(x, n, 0);
    }
    return found / (double)HEAVY_SIMULATIONS;
}

static void test_modes(void)
{
    static const struct {
        const char *name;
        draw_fn *draw;
    } laws[] = {{"normal", normal},
                {"uniform", uniform},
                {"exponential", exponential},
                {"lognormal", lognormal},
                {"Cauchy", cauchy}};
    static const size_t few[] = {5, 6, 7}, sizes[] = {10, 11, 15, 20, 30, 50};
    struct am_rng r;

    am_rng_seed(&r, 5, 1);
    for (size_t i = 0; i < sizeof(laws) / sizeof(*laws); i++) {
        double most = 0;

        for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
            most = fmax(most, flagged(&r, laws[i].draw, sizes[k], 0));
        for (size_t k = 0; k < sizeof(few) / sizeof(*few); k++)
            most = fmax(most, flagged(&r, laws[i].draw, few[k], 0));
        ok(most < 0.02, "%s samples look bimodal in %.2f %% at most", laws[i].name, 100 * most);
    }
    for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
        const double apart = sizes[k] < 15 ? 15 : 10;
        const double found = flagged(&r, normal, sizes[k], apart);

        ok(found > 0.9, "two modes %g sigma apart are found in %.1f %% of samples of %zu", apart,
           100 * found, sizes[k]);
    }
}

static void test_mode_limits(void)
{
    double x[] = {100, 100, 100, 100, 100, 101, 101, 101, 101, 101};

    ok(am_stats_lower_mode(x, 10, 0.005) == 5, "two values five times each are two modes of five");
    ok(!am_stats_bimodal(x, 10, 0.02), "but not when nearer than the floor");
    ok(am_stats_lower_mode(x + 2, 7, 0) == 3, "of seven, three and four are two modes");
    ok(am_stats_lower_mode(x + 3, 5, 0) == 2, "of five, two and three are");
    ok(!am_stats_bimodal(x + 4, 5, 0), "one and four are not");
    ok(!am_stats_bimodal(x + 3, 4, 0), "four values are too few to tell");
    x[5] = x[6] = x[7] = x[8] = 100;
    ok(!am_stats_bimodal(x, 10, 0), "one value in ten is an outlier, not a mode");
    x[9] = 100;
    ok(!am_stats_bimodal(x, 10, 0), "a constant has one mode");
}

static void test_moments(void)
{
    static const double textbook[] = {2, 4, 4, 4, 5, 5, 7, 9};
    double run[20] = {0};
    struct am_moments m = am_stats_moments(textbook, 8);

    is_near(m.mean, 5, 1e-15, "the mean of a textbook's eight values");
    is_near(m.sigma, sqrt(32.0 / 7), 1e-15, "their deviation, with n - 1");
    ok(m.outliers == 0, "none of them is an outlier");
    run[7] = 1;
    ok(am_stats_moments(run, 20).outliers == 1, "one spike in twenty is an outlier");
    ok(am_stats_moments(run, 10).outliers == 0, "ten values cannot show one");
    run[7] = -1;
    ok(am_stats_moments(run, 20).outliers == 0, "a value below the mean is none");
    m = am_stats_moments(run, 1);
    ok(m.mean == 0 && isnan(m.sigma) && m.outliers == 0, "one value has a mean and no deviation");
    ok(isnan(am_stats_moments(run, 0).mean), "no values have no mean");
}

int main(void)
{
    test_moments();
    test_order_statistics();
    test_share_interval();
    test_median_interval();
    test_smallest_p();
    test_critical_values();
    test_median_coverage();
    test_modes();
    test_mode_limits();
    return tap_done();
}
