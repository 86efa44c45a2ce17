/* SPDX-License-Identifier: MIT */
/* Which numbers a result may hold.
 *
 * Whatever is measured in SI units is zero, or its magnitude lies between AM_SANE_LEAST and
 * AM_SANE_MOST: a femtosecond is 1e-15 s, and all computers together do less than 1e24 flop/s.
 * Products and ratios of ten such numbers are finite, so that whoever computes with results
 * (families, model, documents) needs no check of its own, and every loop over decades ends.
 *
 * The limits are held where numbers come in: the conductor refuses samples beyond them
 * (conductor/judge.h), the store writes no such number, and a file that holds one is damaged
 * (store/rows.c). */
#ifndef AM_CORE_BENCH_SANE_H
#define AM_CORE_BENCH_SANE_H

#include <math.h>
#include <stdbool.h>

#define AM_SANE_LEAST 1e-30
#define AM_SANE_MOST 1e30

/* False of NaN and the infinities, too. */
static inline bool am_is_sane(double x)
{
    const double size = fabs(x);

    return (size >= AM_SANE_LEAST && size <= AM_SANE_MOST) || fpclassify(x) == FP_ZERO;
}

#endif
