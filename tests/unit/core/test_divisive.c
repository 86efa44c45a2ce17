/* SPDX-License-Identifier: MIT */
/* Change points: planted ones are found where they are, series without any have them as rarely as
 * the level says, under several laws; all by simulation with a fixed seed. */
#include "core/stats/divisive.h"

#include "base/rng.h"
#include "tap.h"

enum { SERIES = 400, N = 30, PERMUTATIONS = 399 };

static double normal(struct am_rng *r)
{
    const double u = 1 - am_rng_unit(r), v = am_rng_unit(r);

    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Values far out, as a busy machine gives them. */
static double heavy(struct am_rng *r)
{
    return normal(r) / (0.2 + fabs(normal(r)));
}

static double two_modes(struct am_rng *r)
{
    return (am_rng_unit(r) < 0.3 ? 5 : 0) + 0.1 * normal(r);
}

typedef double draw_fn(struct am_rng *r);

static const struct am_divisive how = {.level = 0.05, .permutations = PERMUTATIONS, .seed = 1};

/* Share of series without a change in which one is found. */
static double false_rate(draw_fn *draw, struct am_rng *r)
{
    struct am_changepoint found[N];
    size_t wrong = 0;

    for (size_t i = 0; i < SERIES; i++) {
        double x[N];

        for (size_t k = 0; k < N; k++)
            x[k] = draw(r);
        wrong += am_divisive_find(x, N, &how, found) > 0;
    }
    return (double)wrong / SERIES;
}

static void test_none(struct am_rng *r)
{
    static const struct {
        draw_fn *draw;
        const char *law;
    } laws[] = {{normal, "normal"}, {heavy, "heavy tails"}, {two_modes, "two modes"}};
    /* three standard errors of a share of 0.05 in as many series */
    const double most = 0.05 + 3 * sqrt(0.05 * 0.95 / SERIES);
    const double flat[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct am_changepoint found[N];

    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
        const double rate = false_rate(laws[i].draw, r);

        ok(rate <= most, "%s, no change: found in %.3f of %d series, level 0.05", laws[i].law, rate,
           SERIES);
    }
    ok(am_divisive_find(flat, 8, &how, found) == 0, "a constant has none");
    ok(am_divisive_find(flat, 3, &how, found) == 0, "nor have three values");
}

/* Steps of so many standard deviations at these places. */
static void plant(double *x, size_t n, const size_t *at, size_t steps, double size,
                  struct am_rng *r)
{
    for (size_t k = 0; k < n; k++) {
        x[k] = normal(r);
        for (size_t i = 0; i < steps; i++)
            x[k] += k >= at[i] ? (i % 2 ? -size : size) : 0;
    }
}

static void test_planted(struct am_rng *r)
{
    static const struct {
        size_t n, at[2], steps;
        double size, least; /* share of series in which exactly these are found, within 1 place */
    } cases[] = {
        {30, {15}, 1, 3, 0.85},    {30, {24}, 1, 4, 0.85},    {14, {7}, 1, 4, 0.85},
        {40, {12, 28}, 2, 4, 0.8}, {40, {18, 24}, 2, 6, 0.8}, {60, {30}, 1, 2, 0.75},
    };

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        size_t right = 0;

        for (size_t i = 0; i < 100; i++) {
            struct am_changepoint found[64];
            double x[64];
            size_t n;
            bool same;

            plant(x, cases[c].n, cases[c].at, cases[c].steps, cases[c].size, r);
            n = am_divisive_find(x, cases[c].n, &how, found);
            same = n == cases[c].steps;
            for (size_t k = 0; same && k < n; k++)
                same = found[k].at + 1 >= cases[c].at[k] && found[k].at <= cases[c].at[k] + 1 &&
                       found[k].p <= how.level;
            right += same;
        }
        ok((double)right >= 100 * cases[c].least,
           "%zu values, %zu steps of %.0f standard deviations: found where they are in %zu of 100",
           cases[c].n, cases[c].steps, cases[c].size, right);
    }
}

/* One value far out is no change: nothing stayed. */
static void test_outlier(struct am_rng *r)
{
    size_t found_any = 0;

    for (size_t i = 0; i < 100; i++) {
        struct am_changepoint found[N];
        double x[N];

        for (size_t k = 0; k < N; k++)
            x[k] = normal(r) + (k == N / 2 ? 20 : 0);
        found_any += am_divisive_find(x, N, &how, found) > 0;
    }
    ok(found_any <= 12, "one value far out is a change in %zu of 100 series", found_any);
}

static void test_again(struct am_rng *r)
{
    struct am_changepoint first[N], again[N];
    const size_t at = 10;
    double x[N];
    size_t n;

    plant(x, N, &at, 1, 5, r);
    n = am_divisive_find(x, N, &how, first);
    ok(n == am_divisive_find(x, N, &how, again) && n == 1 && first[0].at == again[0].at &&
           !(first[0].p < again[0].p) && !(first[0].p > again[0].p),
       "the same values give the same answer");
}

int main(void)
{
    struct am_rng r;

    am_rng_seed(&r, 20261115, 0);
    test_none(&r);
    test_planted(&r);
    test_outlier(&r);
    test_again(&r);
    return tap_done();
}
