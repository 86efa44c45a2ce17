/* SPDX-License-Identifier: MIT */
/* Statistics of repetitions. */
#include "core/stats/steady.h"

#include "core/stats/stats.h"

#include <math.h>

static const double outlier_sigmas = 3;

static double *pool(const struct am_series *series, struct am_arena *arena, size_t *n_p)
{
    double *values;
    size_t room = 0, n = 0;

    for (size_t i = 0; i < series->n; i++)
        room += series->launches[i].n;
    values = am_arena_array(arena, room + 1, sizeof(*values));
    for (size_t i = 0; values && i < series->n; i++) {
        for (size_t k = 0; k < series->launches[i].n; k++) {
            if (isfinite(series->launches[i].values[k]))
                values[n++] = series->launches[i].values[k];
        }
    }
    *n_p = n;
    return values;
}

bool am_steady_describe(const struct am_series *series, struct am_arena *arena,
                        struct am_steady *out)
{
    size_t n;
    double *const x = pool(series, arena, &n);
    struct am_moments m;

    if (!x || n < 2)
        return false;
    m = am_stats_moments(x, n);
    am_stats_sort(x, n);
    *out = (struct am_steady){.n = n,
                              .median = am_stats_median(x, n),
                              .mean = m.mean,
                              .sigma = m.sigma,
                              .min = x[0],
                              .max = x[n - 1]};
    for (size_t i = 0; i < n; i++)
        out->outliers += fabs(x[i] - m.mean) > outlier_sigmas * m.sigma;
    return true;
}
