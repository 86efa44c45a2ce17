/* SPDX-License-Identifier: MIT */
/* Intervals by resampling against laws whose truth is known, with fixed seeds. */
#include "base/rng.h"
#include "core/stats/bootstrap.h"
#include "tap.h"

enum { N_MAX = 64, SIMULATIONS = 300 };

/* Launches with an energy and a time each. */
struct launches {
    double joules[N_MAX], seconds[N_MAX];
};

static double mean_energy(const void *self, const size_t *pick, size_t n)
{
    const struct launches *const l = self;
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += l->joules[pick[i]];
    return sum / (double)n;
}

/* Energy times delay of the mean launch. */
static double product(const void *self, const size_t *pick, size_t n)
{
    const struct launches *const l = self;
    double joules = 0, seconds = 0;

    for (size_t i = 0; i < n; i++) {
        joules += l->joules[pick[i]];
        seconds += l->seconds[pick[i]];
    }
    return joules / (double)n * seconds / (double)n;
}

/* Mean power: energy and time of a launch rise together, their quotient does not move. */
static double quotient(const void *self, const size_t *pick, size_t n)
{
    const struct launches *const l = self;
    double joules = 0, seconds = 0;

    for (size_t i = 0; i < n; i++) {
        joules += l->joules[pick[i]];
        seconds += l->seconds[pick[i]];
    }
    return joules / seconds;
}

static double nothing(const void *self, const size_t *pick, size_t n)
{
    (void)self, (void)pick, (void)n;
    return NAN;
}

static double normal(struct am_rng *r)
{
    const double u = 1 - am_rng_unit(r), v = am_rng_unit(r);

    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Times about 2 s by 5 %, 50 W with 1 % of the meter's own noise. */
static void fill(struct launches *l, struct am_rng *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        l->seconds[i] = 2 * (1 + 0.05 * normal(r));
        l->joules[i] = 50 * l->seconds[i] * (1 + 0.01 * normal(r));
    }
}

static double share_covered(size_t n, am_bootstrap_fn *fn, double truth)
{
    struct am_rng r;
    struct launches l;
    unsigned hits = 0;

    am_rng_seed(&r, 7, n);
    for (int i = 0; i < SIMULATIONS; i++) {
        struct am_interval ci;

        fill(&l, &r, n);
        ci = am_bootstrap(n, fn, &l);
        hits += ci.lo <= truth && truth <= ci.hi;
    }
    return (double)hits / SIMULATIONS;
}

static void test_coverage(void)
{
    static const struct {
        const char *name;
        am_bootstrap_fn *fn;
        double truth;
    } laws[] = {{"mean energy", mean_energy, 100},
                {"energy-delay", product, 200},
                {"mean power", quotient, 50}};
    static const struct {
        size_t n;
        double least, most;
    } sizes[] = {{5, 0.88, 0.97}, {10, 0.91, 0.98}, {30, 0.92, 0.98}};

    for (size_t k = 0; k < sizeof(laws) / sizeof(*laws); k++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
            const double share = share_covered(sizes[i].n, laws[k].fn, laws[k].truth);

            ok(share >= sizes[i].least && share <= sizes[i].most,
               "%s of %zu launches: %.3f of the intervals hold the truth", laws[k].name, sizes[i].n,
               share);
        }
    }
}

/* Half-width of the mean of n normal values: 2.00 sigma / sqrt(n) of 64. */
static void test_width(void)
{
    struct am_rng r;
    struct launches l;
    struct am_interval ci;
    double variance = 0, mean = 0;

    am_rng_seed(&r, 11, 0);
    fill(&l, &r, N_MAX);
    for (size_t i = 0; i < N_MAX; i++)
        mean += l.joules[i] / N_MAX;
    for (size_t i = 0; i < N_MAX; i++)
        variance += (l.joules[i] - mean) * (l.joules[i] - mean) / N_MAX;
    ci = am_bootstrap(N_MAX, mean_energy, &l);
    ok(fabs((ci.hi - ci.lo) / 2 / (2.0 * sqrt(variance / (N_MAX - 1))) - 1) < 0.1,
       "the width is that of the normal law: %g", ci.hi - ci.lo);
    ok(ci.lo < mean && mean < ci.hi, "around the mean");
}

static void test_joint(void)
{
    struct am_rng r;
    struct launches l;
    struct am_interval power, energy;

    am_rng_seed(&r, 13, 0);
    fill(&l, &r, 10);
    power = am_bootstrap(10, quotient, &l);
    energy = am_bootstrap(10, mean_energy, &l);
    ok((power.hi - power.lo) / 50 < 0.5 * (energy.hi - energy.lo) / 100,
       "what rises together is drawn together: power varies less than energy");
}

static void test_label(void)
{
    struct launches l = {{1, 2, 3, 4, 5, 6, 7}, {1, 1, 1, 1, 1, 1, 1}};
    const struct am_interval once = am_bootstrap(7, mean_energy, &l),
                             again = am_bootstrap(7, mean_energy, &l),
                             few = am_bootstrap(3, mean_energy, &l),
                             one = am_bootstrap(1, mean_energy, &l),
                             none = am_bootstrap(5, nothing, &l);

    ok(once.lo == again.lo && once.hi == again.hi, "the same launches give the same interval");
    ok(once.coverage == 0.95 && few.coverage == 0.75,
       "three values do not cover 95 %%, and say so");
    ok(few.lo >= 1 && few.hi <= 3, "and no interval is wider than the values");
    ok(isnan(one.lo) && isnan(one.coverage), "one launch has none");
    ok(isnan(none.lo), "nor has what is no number");
}

int main(void)
{
    test_coverage();
    test_width();
    test_joint();
    test_label();
    return tap_done();
}
