/* SPDX-License-Identifier: MIT */
/* The reference: one point after another, one step after another. */
#include "app/stencil/grid_reference.h"

#include <string.h>

static long double stepped(const long double *x, unsigned dim, const size_t n[3],
                           const size_t at[3], long double r, const double (*wall)[2])
{
    const size_t stride[3] = {1, n[0], n[0] * n[1]};
    const size_t here = at[0] + at[1] * stride[1] + at[2] * stride[2];
    long double around = 0;

    for (unsigned d = 0; d < dim; d++) {
        const size_t line = here - at[d] * stride[d];

        around += wall && at[d] == 0 ? wall[d][0] : x[line + (at[d] + n[d] - 1) % n[d] * stride[d]];
        around += wall && at[d] + 1 == n[d] ? wall[d][1] : x[line + (at[d] + 1) % n[d] * stride[d]];
    }
    return (1 - 2 * dim * r) * x[here] + r * around;
}

void am_grid_reference(long double *x, long double *other, unsigned dim, const size_t n[3],
                       size_t steps, double r, const double (*wall)[2])
{
    const size_t points = n[0] * n[1] * n[2];

    for (; steps; steps--) {
        for (size_t i = 0; i < points; i++) {
            const size_t at[3] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};

            other[i] = stepped(x, dim, n, at, r, wall);
        }
        memcpy(x, other, points * sizeof(*x));
    }
}
