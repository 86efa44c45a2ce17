/* SPDX-License-Identifier: MIT */
/* Laws of noise that statistics are tried on: logarithms of launch medians. */
#ifndef AM_TESTS_NOISE_LAWS_H
#define AM_TESTS_NOISE_LAWS_H

#include "base/rng.h"

#include <math.h>
#include <stdbool.h>

static inline double noise_normal(struct am_rng *r)
{
    const double u = 1 - am_rng_unit(r), v = am_rng_unit(r);

    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static inline double noise_normal03(struct am_rng *r)
{
    return 0.003 * noise_normal(r);
}

static inline double noise_normal1(struct am_rng *r)
{
    return 0.01 * noise_normal(r);
}

static inline double noise_normal3(struct am_rng *r)
{
    return 0.03 * noise_normal(r);
}

static inline double noise_lognormal(struct am_rng *r)
{
    return log1p(0.02 * exp(noise_normal(r)));
}

static inline double noise_exponential(struct am_rng *r)
{
    return log1p(-0.05 * log(1 - am_rng_unit(r)));
}

static inline double noise_modes(struct am_rng *r)
{
    return (am_rng_unit(r) < 0.4 ? log(1.3) : 0) + 0.005 * noise_normal(r);
}

static inline double noise_close_modes(struct am_rng *r)
{
    return (am_rng_unit(r) < 0.5 ? log(1.1) : 0) + 0.005 * noise_normal(r);
}

struct noise_law {
    const char *name;
    double (*draw)(struct am_rng *r);
    double median; /* of the logarithm */
    bool reaches;  /* 15 launches bring its interval to 1 % more often than not */
};

/* The median of 60/40 modes is the quantile 5/6 of the lower one, 0.9674 sigma above it; that of
 * 50/50 modes lies in the middle of the gap, where no launch ever is. */
static const struct noise_law noise_laws[] = {
    {"normal 0.3 %", noise_normal03, 0, true},
    {"normal 1 %", noise_normal1, 0, true},
    {"normal 3 %", noise_normal3, 0, false},
    {"lognormal tail, 2 %", noise_lognormal, 0.019802627, false},
    {"exponential tail, mean 5 %", noise_exponential, 0.034070318, false},
    {"two modes 60/40, x1.3", noise_modes, 0.004837108, false},
    {"two modes 50/50, x1.1", noise_close_modes, 0.047655090, false},
};
enum { NOISE_LAWS = sizeof(noise_laws) / sizeof(noise_laws[0]) };

#endif
