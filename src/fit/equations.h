/* SPDX-License-Identifier: MIT */
/* Linear models with a few unknowns that cannot be negative (costs, powers), by least squares of
 * relative errors: a measurement of 1 and one of 1000 weigh the same. */
#ifndef AM_FIT_EQUATIONS_H
#define AM_FIT_EQUATIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { AM_UNKNOWNS = 4 };

/* The normal equations. Zero-initialise but for `used`: an unknown that is not used is 0. */
struct am_equations {
    double a[AM_UNKNOWNS][AM_UNKNOWNS], b[AM_UNKNOWNS];
    bool used[AM_UNKNOWNS];
};

/* One measurement: a value above zero, and what each unknown is multiplied by in it. */
void am_equations_add(struct am_equations *s, const double *coefficients, double value);
/* False when the unknowns are not determined. Those that would be negative are given up: `used`
 * says which are left. */
bool am_equations_solve(struct am_equations *s, double *x);

#endif
