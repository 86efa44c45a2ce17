/* SPDX-License-Identifier: MIT */
/* Linear models with a few unknowns that cannot be negative. */
#include "fit/equations.h"

#include <math.h>
#include <string.h>

void am_equations_add(struct am_equations *s, const double *coefficients, double value)
{
    for (size_t i = 0; i < AM_UNKNOWNS; i++) {
        for (size_t j = 0; j < AM_UNKNOWNS; j++)
            s->a[i][j] += coefficients[i] * coefficients[j] / (value * value);
        s->b[i] += coefficients[i] / value;
    }
}

static void swap_rows(double a[AM_UNKNOWNS][AM_UNKNOWNS + 1], size_t i, size_t j)
{
    double row[AM_UNKNOWNS + 1];

    memcpy(row, a[i], sizeof(row));
    memcpy(a[i], a[j], sizeof(row));
    memcpy(a[j], row, sizeof(row));
}

/* Gauss's elimination of the unknowns in use; the others are 0. False when they are not determined.
 */
static bool solve(const struct am_equations *s, double *x)
{
    double a[AM_UNKNOWNS][AM_UNKNOWNS + 1], scale[AM_UNKNOWNS];

    for (size_t i = 0; i < AM_UNKNOWNS; i++)
        scale[i] = s->used[i] && s->a[i][i] > 0 ? 1 / sqrt(s->a[i][i]) : 0;
    for (size_t i = 0; i < AM_UNKNOWNS; i++) {
        for (size_t j = 0; j < AM_UNKNOWNS; j++)
            a[i][j] = scale[i] > 0 ? s->a[i][j] * scale[i] * scale[j] : i == j;
        a[i][AM_UNKNOWNS] = s->b[i] * scale[i];
    }
    for (size_t i = 0; i < AM_UNKNOWNS; i++) {
        size_t pivot = i;

        for (size_t k = i + 1; k < AM_UNKNOWNS; k++)
            pivot = fabs(a[k][i]) > fabs(a[pivot][i]) ? k : pivot;
        if (fabs(a[pivot][i]) < 1e-10)
            return false;
        swap_rows(a, i, pivot);
        for (size_t k = 0; k < AM_UNKNOWNS; k++) {
            const double factor = k == i ? 0 : a[k][i] / a[i][i];

            for (size_t j = i; j <= AM_UNKNOWNS; j++)
                a[k][j] -= factor * a[i][j];
        }
    }
    for (size_t i = 0; i < AM_UNKNOWNS; i++)
        x[i] = a[i][AM_UNKNOWNS] / a[i][i] * scale[i];
    return true;
}

/* The most negative unknown is given up, until none is. */
bool am_equations_solve(struct am_equations *s, double *x)
{
    for (size_t tries = 0; tries <= AM_UNKNOWNS; tries++) {
        size_t worst = AM_UNKNOWNS;

        if (!solve(s, x))
            return false;
        for (size_t i = 0; i < AM_UNKNOWNS; i++) {
            if (x[i] < 0 && (worst == AM_UNKNOWNS || x[i] < x[worst]))
                worst = i;
        }
        if (worst == AM_UNKNOWNS)
            return true;
        s->used[worst] = false;
    }
    return false;
}
