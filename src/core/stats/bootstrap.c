/* SPDX-License-Identifier: MIT */
/* Percentile bootstrap over launches. */
#include "core/stats/bootstrap.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 2000 };

static const uint64_t fixed_seed = 0x626f6f747374726cu;
static const double level = 0.95;

/* 0.975 quantiles of Student's law by degrees of freedom, from 1 on. */
static const double student[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064};
enum { STUDENTS = sizeof(student) / sizeof(*student) };

/* The share of draws to leave out on either side; n >= 2. */
static double tail_of(size_t n)
{
    const double df = (double)(n - 1);
    const double t = n - 1 <= STUDENTS ? student[n - 2] : 1.96 + 2.4 / df;

    return erfc(sqrt((double)n / df) * t / sqrt(2)) / 2;
}

static size_t draw_all(size_t n, am_bootstrap_fn *statistic, const void *self, size_t *pick,
                       double *out)
{
    struct am_rng rng;
    size_t kept = 0;

    am_rng_seed(&rng, fixed_seed, n);
    for (size_t d = 0; d < DRAWS; d++) {
        for (size_t i = 0; i < n; i++)
            pick[i] = (size_t)am_rng_below(&rng, n);
        out[kept] = statistic(self, pick, n);
        kept += isfinite(out[kept]) != 0;
    }
    return kept;
}

struct am_interval am_bootstrap(size_t n, am_bootstrap_fn *statistic, const void *self)
{
    struct am_interval ci = {NAN, NAN, NAN};
    size_t *const pick = n >= 2 ? calloc(n, sizeof(*pick)) : NULL;
    double *const values = calloc(DRAWS + 1, sizeof(*values));
    size_t kept = 0;

    if (pick && values)
        kept = draw_all(n, statistic, self, pick, values);
    if (kept >= DRAWS / 2) {
        const double tail = tail_of(n);

        am_stats_sort(values, kept);
        ci = (struct am_interval){am_stats_quantile(values, kept, tail),
                                  am_stats_quantile(values, kept, 1 - tail),
                                  fmin(level, 1 - ldexp(1, 1 - (int)(n < 64 ? n : 64)))};
    }
    free(pick);
    free(values);
    return ci;
}
