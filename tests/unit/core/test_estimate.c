/* SPDX-License-Identifier: MIT */
/* Values with intervals compared without their launches: how often a difference is claimed that is
 * not there, and how often one is found that is, by simulation with a printed seed. */
#include "core/stats/estimate.h"

#include "base/rng.h"
#include "tap.h"

enum { FACTS = 100, TIMES = 200, LAUNCHES_MAX = 10, NODES = 8 };

static const uint64_t seed = 20261115;

enum law { NORMAL, TAIL, LAWS };

static double draw(struct am_rng *r, enum law law, double noise)
{
    const double u = 1 - am_rng_unit(r), v = am_rng_unit(r);

    return law == TAIL ? 1 - noise * log(u) : exp(noise * sqrt(-2 * log(u)) * cos(2 * M_PI * v));
}

/* What a model keeps of n launches: their median with its interval. */
static struct am_estimate measured(struct am_rng *r, size_t n, double centre, enum law law,
                                   double noise)
{
    double x[LAUNCHES_MAX];
    struct am_interval ci;
    struct am_estimate out = {0};

    for (size_t i = 0; i < n; i++)
        x[i] = centre * draw(r, law, noise);
    am_stats_sort(x, n);
    ci = am_stats_median_interval(x, n, 0.95);
    (void)am_estimate_of(am_stats_median(x, n), &ci, n, &out);
    return out;
}

/* A difference as a verdict claims it: beyond doubt among so many, and the intervals apart. */
static bool is_claimed(const struct am_change *c, size_t facts)
{
    return fabs(c->d) > c->margin && c->p <= 0.05 / (double)facts && c->p_rank <= 0;
}

/* Share of comparisons of two models, in all facts alike but the first, that claim anything of the
 * others; *found: share that claim the first. */
static double simulate(struct am_rng *r, size_t n, enum law law, double noise, double change,
                       double *found)
{
    size_t wrong = 0, hits = 0;

    for (int t = 0; t < TIMES; t++) {
        bool any = false;

        for (int i = 0; i < FACTS; i++) {
            const struct am_estimate a = measured(r, n, 1, law, noise);
            const struct am_estimate b = measured(r, n, i ? 1 : 1 + change, law, noise);
            const struct am_change c = am_change_of_estimates(&a, &b, 0.02);

            if (i == 0)
                hits += is_claimed(&c, FACTS);
            else
                any |= is_claimed(&c, FACTS);
        }
        wrong += any;
    }
    *found = (double)hits / TIMES;
    return (double)wrong / TIMES;
}

static void test_rates(void)
{
    static const struct {
        size_t launches;
        double noise, change, least_found; /* 0: nothing is demanded */
    } cases[] = {
        {5, 0.01, 0.1, 0.5},   {5, 0.01, 1, 0.99}, {5, 0.03, 1, 0.9},
        {10, 0.01, 0.1, 0.95}, {10, 0.03, 0.1, 0},
    };
    struct am_rng r;

    am_rng_seed(&r, seed, 0);
    printf("# seed %llu, %d facts, %d comparisons each\n", (unsigned long long)seed, FACTS, TIMES);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (enum law law = NORMAL; law < LAWS; law++) {
            double found;
            const double wrong =
                simulate(&r, cases[i].launches, law, cases[i].noise, cases[i].change, &found);

            ok(wrong <= 0.05 && found >= cases[i].least_found,
               "%zu launches, noise %.0f %%%s: false in %.1f %% of comparisons, +%.0f %% found in "
               "%.0f %%",
               cases[i].launches, 100 * cases[i].noise, law == TAIL ? " (tail)" : "", 100 * wrong,
               100 * cases[i].change, 100 * found);
        }
    }
}

static void test_limits(void)
{
    const struct am_interval good = {0.99, 1.01, 0.9375};
    const struct am_interval open = {0.99, 1.01, NAN}, below = {-0.1, 1.01, 0.95};
    const struct am_interval exact = {1, 1, 0.9375};
    struct am_estimate e;

    ok(am_estimate_of(1, &good, 5, &e) && e.df > 3.9 && e.df < 4.1 && e.se > 0.005 && e.se < 0.0055,
       "an error from the interval");
    ok(!am_estimate_of(1, &good, 2, &e), "two launches have none");
    ok(!am_estimate_of(1, &open, 5, &e), "an interval without coverage has none");
    ok(!am_estimate_of(1, &below, 5, &e), "one that reaches below zero has none");
    ok(!am_estimate_of(2, &good, 5, &e), "a value outside of its interval has none");
    ok(am_estimate_of(1, &exact, 5, &e) && e.se > 0, "equal launches are not exact");
}

/* One of eight machines is a tenth slower; and one of three. */
static void test_others(void)
{
    struct am_rng r;
    struct am_estimate all[NODES], together;
    size_t accused = 0, found = 0;

    am_rng_seed(&r, seed, 0);
    for (int t = 0; t < TIMES; t++) {
        for (size_t i = 0; i < NODES; i++)
            all[i] = measured(&r, 5, i == 0 ? 0.9 : 1, NORMAL, 0.005);
        for (size_t i = 0; i < NODES; i++) {
            const struct am_estimate mine = all[i];
            struct am_change c;

            all[i] = all[NODES - 1];
            if (!am_estimate_of_others(all, NODES - 1, &together))
                return;
            all[i] = mine;
            c = am_change_of_estimates(&together, &mine, 0.02);
            found += i == 0 && is_claimed(&c, NODES);
            accused += i != 0 && i != NODES - 1 && is_claimed(&c, NODES);
        }
    }
    ok((double)found >= 0.95 * TIMES, "the odd one of eight is found in %zu of %d", found, TIMES);
    ok((double)accused <= 0.05 * TIMES, "the others are accused in %zu of %d", accused, TIMES);
    all[0] = measured(&r, 5, 1, NORMAL, 0.001);
    all[1] = measured(&r, 5, 0.5, NORMAL, 0.001);
    all[2] = measured(&r, 5, 1, NORMAL, 0.001);
    ok(am_estimate_of_others(all, 2, &together), "two others");
    {
        const struct am_change c = am_change_of_estimates(&together, &all[2], 0.02);

        ok(!is_claimed(&c, 1), "of three, one that is like one of the others does not stand out");
    }
}

int main(void)
{
    test_limits();
    test_rates();
    test_others();
    return tap_done();
}
