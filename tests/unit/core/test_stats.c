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
    ok(isnan(am_stats_quantile(ten, 10, 1.5)), "a quantile beyond 1 is NAN");
    am_stats_sort(shuffled, 7);
    ok(isinf(shuffled[0]) && shuffled[1] == -1 && shuffled[4] == 3 && isnan(shuffled[6]),
       "sorting puts NAN last");
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
        is_near(am_stats_mann_whitney(a, n, b, n) / cases[i].p, 1, 1e-12,
                "separated samples reach the smallest p");
        with_u(a, n, b, n, n * n);
        is_near(am_stats_mann_whitney(a, n, b, n) / cases[i].p, 1, 1e-12, "in both directions");
    }
}

/* Two-sided critical values at 0.05 of the published tables, -1 where there is none. */
static const struct {
    size_t na, nb;
    int u;
    double coverage;
} critical[] = {
    {3, 3, -1, 0.9},
    {3, 5, 0, 0.9642857142857143},
    {4, 4, 0, 0.9714285714285714},
    {5, 5, 2, 0.9682539682539683},
    {6, 6, 5, 0.9588744588744589},
    {7, 7, 8, 0.9621212121212122},
    {8, 8, 13, 0.9501165501165502},
    {9, 9, 17, 0.9600164541341012},
    {10, 10, 23, 0.9567429474550218},
    {5, 10, 8, 0.9600399600399601},
    {8, 12, 22, 0.9526553941414623},
    {12, 7, 18, 0.9550686671429706},
    {10, 20, 55, 0.9509689710589261},
    {15, 15, 64, 0.9546661009020774},
    {20, 20, 127, 0.9509096748106276},
};

static void test_critical_values(void)
{
    double a[MAX_N], b[MAX_N];

    for (size_t i = 0; i < sizeof(critical) / sizeof(*critical); i++) {
        const size_t na = critical[i].na, nb = critical[i].nb;

        if (critical[i].u >= 0) {
            with_u(a, na, b, nb, (size_t)critical[i].u);
            ok(am_stats_mann_whitney(a, na, b, nb) <= 0.05, "U = %d of %zu and %zu is significant",
               critical[i].u, na, nb);
        }
        with_u(a, na, b, nb, (size_t)(critical[i].u + 1));
        ok(am_stats_mann_whitney(a, na, b, nb) > 0.05, "U = %d of %zu and %zu is not",
           critical[i].u + 1, na, nb);
    }
}

/* Log ratios 0, 1, ..., na x nb - 1: the interval's ends are its ranks. */
static void test_ratio_ranks(void)
{
    double a[MAX_N], b[MAX_N];

    for (size_t i = 0; i < sizeof(critical) / sizeof(*critical); i++) {
        const size_t na = critical[i].na, nb = critical[i].nb;
        const double lo = critical[i].u < 0 ? 0 : critical[i].u;
        struct am_ratio r;

        for (size_t k = 0; k < na; k++)
            a[k] = exp(-(double)(k * nb));
        for (size_t k = 0; k < nb; k++)
            b[k] = exp((double)k);
        r = am_stats_hodges_lehmann(a, na, b, nb, 0.95);
        ok(fabs(log(r.lo) - lo) < 1e-9 && fabs(log(r.hi) - (double)(na * nb - 1) + lo) < 1e-9,
           "the interval of %zu and %zu inverts the critical value", na, nb);
        is_near(r.coverage, critical[i].coverage, 1e-12, "with its exact coverage");
        is_near(log(r.ratio), (double)(na * nb - 1) / 2, 1e-12, "around the median ratio");
    }
}

/* Hollander and Wolfe: permeability of human chorioamnion at term and at 12 to 26 weeks. */
static void test_textbook(void)
{
    static const double term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    static const double early[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    double a[5], b[10];
    struct am_ratio r;

    for (size_t i = 0; i < 5; i++)
        a[i] = exp(early[i]);
    for (size_t i = 0; i < 10; i++)
        b[i] = exp(term[i]);
    is_near(am_stats_mann_whitney(term, 10, early, 5), 2 * 0.1272061, 1e-6,
            "chorioamnion: twice the published one-sided p");
    r = am_stats_hodges_lehmann(a, 5, b, 10, 0.95);
    is_near(log(r.ratio), 0.305, 1e-12, "chorioamnion: published shift 0.305");
    is_near(log(r.lo), -0.15, 1e-12, "chorioamnion: published lower end -0.15");
    is_near(log(r.hi), 0.76, 1e-12, "chorioamnion: published upper end 0.76");
}

/* Twice the midrank sum of the members of `mask` among x[0..n). */
static int midrank_sum2(const double *x, size_t n, unsigned mask)
{
    int sum = 0;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; mask >> i & 1 && j < n; j++)
            sum += x[j] < x[i] ? 2 : x[j] == x[i];
        sum += mask >> i & 1;
    }
    return sum;
}

/* The permutation p by looking at every choice: slow and obviously right. */
static double enumerated_p(const double *x, size_t na, size_t n)
{
    const int mean = (int)(na * (n + 1));
    const int far = abs(midrank_sum2(x, n, (1u << na) - 1) - mean);
    int total = 0, tail = 0;

    for (unsigned mask = 0; mask < 1u << n; mask++) {
        if ((size_t)__builtin_popcount(mask) != na)
            continue;
        total++;
        tail += abs(midrank_sum2(x, n, mask) - mean) >= far;
    }
    return (double)tail / total;
}

static void test_ties(void)
{
    static const struct {
        size_t na, nb;
    } sizes[] = {{5, 5}, {4, 6}, {7, 3}, {1, 8}};
    double x[10], worst = 0, same[] = {7, 7, 7, 7, 7};
    struct am_rng r;

    am_rng_seed(&r, 1, 1);
    for (int t = 0; t < 40; t++) {
        const size_t na = sizes[t % 4].na, nb = sizes[t % 4].nb;
        double p;

        for (size_t i = 0; i < na + nb; i++)
            x[i] = (double)am_rng_below(&r, 5);
        p = am_stats_mann_whitney(x, na, x + na, nb);
        worst = fmax(worst, fabs(p - enumerated_p(x, na, na + nb)));
    }
    ok(worst < 1e-14, "with ties p equals the enumerated one (off by %g at most)", worst);
    is_near(am_stats_mann_whitney(same, 5, same, 5), 1, 0, "equal samples have p = 1");
}

static void test_large_samples(void)
{
    static double a[100], b[100];
    struct am_ratio r;

    with_u(a, 25, b, 25, 200);
    is_near(am_stats_mann_whitney(a, 25, b, 25), 0.029771346975723992, 1e-12,
            "25 and 25 use the normal approximation with continuity correction");
    is_near(am_stats_mann_whitney(a, 25, b, 25) / 0.028881271831140226, 1, 0.04,
            "which is near the exact p");
    for (size_t i = 0; i < 100; i++)
        a[i] = b[i] = i < 50 ? 1 : 2;
    is_near(am_stats_mann_whitney(a, 100, b, 100), 1, 0, "many ties and no difference: p = 1");
    /* 30 and 30 values, thirty ones and thirty twos: U = 600, variance 3432.2034 with ties. */
    for (size_t i = 0; i < 30; i++) {
        a[i] = i < 10 ? 1 : 2;
        b[i] = i < 20 ? 1 : 2;
    }
    is_near(am_stats_mann_whitney(a, 30, b, 30), 0.010715346716379881, 1e-12,
            "ties lessen the variance");
    for (size_t i = 0; i < 100; i++)
        a[i] = 3;
    is_near(am_stats_mann_whitney(a, 100, a, 100), 1, 0, "nothing but ties: p = 1");
    for (size_t i = 0; i < 100; i++) {
        a[i] = exp(-0.01 * (double)i);
        b[i] = 2 * a[i];
    }
    r = am_stats_hodges_lehmann(a, 100, b, 100, 0.95);
    is_near(r.ratio, 2, 1e-12, "a ratio of 2 is found among 10,000 pairs");
    ok(r.coverage >= 0.95 && r.coverage < 0.951, "the coverage of 100 and 100 is just reached");
    ok(r.lo < 2 && r.hi > 2 && fabs(r.lo * r.hi - 4) < 1e-9, "around the ratio, symmetrically");
}

static void test_refusals(void)
{
    static const double good[] = {1, 2, 3}, zero[] = {1, 0, 3}, bad[] = {1, NAN, 3};

    ok(isnan(am_stats_mann_whitney(good, 0, good, 3)), "an empty side has no p");
    ok(isnan(am_stats_mann_whitney(good, 3, bad, 3)), "nor has NAN");
    ok(isnan(am_stats_hodges_lehmann(good, 3, good, 0, 0.95).ratio), "an empty side, no ratio");
    ok(isnan(am_stats_hodges_lehmann(zero, 3, good, 3, 0.95).ratio), "a zero has no ratio");
    ok(isnan(am_stats_hodges_lehmann(good, 3, bad, 3, 0.95).lo), "NAN has no ratio");
}

/* The fifteen p-values of Benjamini and Hochberg (1995), shuffled, and a NAN. */
static void test_benjamini_hochberg(void)
{
    static const double want[] = {0.0015,      0.003,       0.0095,     0.035625,    0.0603,
                                  0.44700 / 7, 0.44700 / 7, 0.0645,     0.0765,      0.486,
                                  6.393 / 11,  0.714875,    9.792 / 13, 11.385 / 14, 1};
    static const double p[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                               0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    double x[16];
    bool good = true;

    for (size_t i = 0; i < 15; i++)
        x[i * 7 % 16] = p[i];
    x[15 * 7 % 16] = NAN;
    am_stats_benjamini_hochberg(x, 16);
    for (size_t i = 0; i < 15; i++)
        good &= fabs(x[i * 7 % 16] - want[i]) < 1e-12;
    ok(good, "the published p-values are adjusted as published");
    ok(isnan(x[15 * 7 % 16]), "NAN stays and does not count");
    am_stats_benjamini_hochberg(x, 0);
    x[0] = 0.04;
    am_stats_benjamini_hochberg(x, 1);
    is_near(x[0], 0.04, 0, "a single p stays as it is");
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

static void test_ratio_coverage(void)
{
    static const size_t sizes[] = {6, 10, 20};
    double a[MAX_N], b[MAX_N];
    struct am_rng r;

    am_rng_seed(&r, 3, 1);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        const size_t n = sizes[i];
        int covered = 0;

        for (int t = 0; t < HEAVY_SIMULATIONS; t++) {
            struct am_ratio ratio;

            sample(&r, lognormal, a, n);
            sample(&r, lognormal, b, n);
            for (size_t k = 0; k < n; k++)
                b[k] *= 1.25;
            ratio = am_stats_hodges_lehmann(a, n, b, n, 0.95);
            covered += ratio.lo <= 1.25 && 1.25 <= ratio.hi;
        }
        ok(covered >= 0.94 * HEAVY_SIMULATIONS && covered <= 0.98 * HEAVY_SIMULATIONS,
           "%zu and %zu: the ratio is covered in %.1f %%", n, n,
           100.0 * covered / HEAVY_SIMULATIONS);
    }
}

static void test_false_positives(void)
{
    static const size_t sizes[] = {4, 6, 10, 16};
    double a[MAX_N], b[MAX_N];
    struct am_rng r;

    am_rng_seed(&r, 4, 1);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        for (int rounded = 0; rounded < 2; rounded++) {
            const size_t n = sizes[i];
            int found = 0;

            for (int t = 0; t < HEAVY_SIMULATIONS; t++) {
                sample(&r, normal, a, n);
                sample(&r, normal, b, n);
                for (size_t k = 0; rounded && k < n; k++) {
                    a[k] = round(a[k]);
                    b[k] = round(b[k]);
                }
                found += am_stats_mann_whitney(a, n, b, n) <= 0.05;
            }
            ok(found > 0 && found <= 0.055 * HEAVY_SIMULATIONS,
               "%zu and %zu%s: %.1f %% false positives", n, n, rounded ? ", ties" : "",
               100.0 * found / HEAVY_SIMULATIONS);
        }
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
    test_median_interval();
    test_smallest_p();
    test_critical_values();
    test_ratio_ranks();
    test_textbook();
    test_ties();
    test_large_samples();
    test_refusals();
    test_benjamini_hochberg();
    test_median_coverage();
    test_ratio_coverage();
    test_false_positives();
    test_modes();
    test_mode_limits();
    return tap_done();
}
