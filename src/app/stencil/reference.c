/* SPDX-License-Identifier: MIT */
/* The reference: one point after another, one step after another. */
#include "app/stencil/reference.h"

void am_stencil_reference(long double *x, size_t count, size_t steps, double r)
{
    const long double side = r, centre = 1 - 2 * side;

    for (size_t left = steps; left; left--) {
        const size_t points = count + 2 * (left - 1);

        for (size_t i = 0; i < points; i++)
            x[i] = centre * x[i + 1] + side * (x[i] + x[i + 2]);
    }
}
