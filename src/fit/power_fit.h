/* SPDX-License-Identifier: MIT */
/* A model of power: what a machine draws at rest, per busy core, per operation and per byte.
 *
 *     P = static + cores * per_core + flop/s * per_flop + byte/s * per_byte
 *
 * Fitted to measured points by least squares of relative errors, no term negative. A fit says
 * nothing of itself: it is tested on points that it has not seen (am_power_held_out). */
#ifndef AM_FIT_POWER_FIT_H
#define AM_FIT_POWER_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* One measured point; rates per second. */
struct am_power_point {
    double watts, cores, flops, bytes;
    size_t group; /* points of one kind of work share a number */
};

enum am_power_term {
    AM_POWER_STATIC, /* W */
    AM_POWER_CORE,   /* W per core */
    AM_POWER_FLOP,   /* J per operation */
    AM_POWER_BYTE,   /* J per byte */
    AM_POWER_TERMS,
};

struct am_power_fit {
    double term[AM_POWER_TERMS];
    bool used[AM_POWER_TERMS]; /* else the points do not tell it, or it would be negative: 0 */
};

/* False when the points do not suffice: two more than there are terms. */
bool am_power_fit(const struct am_power_point *points, size_t n, struct am_power_fit *out);
double am_power_of(const struct am_power_fit *fit, const struct am_power_point *point);

/* Errors of predictions, relative to what was measured, and the range of the terms, over fits that
 * have not seen what they predict: one point at a time, or (`groups`) all points of a group. */
struct am_power_test {
    size_t n; /* predictions */
    double rms, worst;
    double least[AM_POWER_TERMS], most[AM_POWER_TERMS];
};
/* False when a fit without some of them is not possible. Allocates. */
bool am_power_held_out(const struct am_power_point *points, size_t n, bool groups,
                       struct am_power_test *out);

#endif
