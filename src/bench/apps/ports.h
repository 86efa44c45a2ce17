/* SPDX-License-Identifier: MIT */
/* How many vector instructions this core completes per cycle: the bound of arithmetic loops.
 * Measured by the chains of cpu.flops, in about a millisecond. */
#ifndef AM_BENCH_APPS_PORTS_H
#define AM_BENCH_APPS_PORTS_H

#include "base/clock.h"
#include "kernels/flops.h"

#include <stdbool.h>

/* Instructions per cycle; 0 where not measured. */
struct am_ports {
    bool fuses; /* multiplications are fused with an addition */
    double mul; /* fma where there is one */
    double add; /* additions alone */
    /* fma, or products where nothing is fused, and additions together: more than either where their
     * units are separate. */
    double mixed;
    double extremes;      /* minima or maxima alone */
    double extremes_sums; /* in turn with additions: no more than either where they share units */
};

/* Where minima and maxima run, as far as the rates tell. */
enum am_ports_extremes {
    AM_PORTS_EXTREMES_UNKNOWN,
    AM_PORTS_EXTREMES_ON_ADDERS, /* they and additions wait for each other */
    AM_PORTS_EXTREMES_APART,
};

/* Measured here and now, by chains in registers (about 1 ms). */
void am_ports_measure(const char *isa, enum am_flops_type type, const struct am_clock *clock,
                      struct am_ports *ports);

/* What units of fma (or products) and of additions complete together, from what chains of both in
 * turn do. These are just long enough for the registers to hide, and the core hands instructions to
 * units before it knows which will be free: what is near the sum of both rates is the sum, and what
 * lies between two multiples of a half is the upper one. Other loops come nearer to it, and a bound
 * may be too low, not too high. */
double am_ports_mixed(double mul, double add, double measured);

/* The most operations per lane and cycle by any mix of instructions: products, fused where there is
 * a fused product and then two operations, and sums beside them where these have units of their
 * own. 0: not known. */
double am_ports_peak(const struct am_ports *ports);

/* The least cycles for so many multiplications (or fma) and additions. 0: not known. */
double am_ports_cycles(const struct am_ports *ports, unsigned muls, unsigned adds);

enum am_ports_extremes am_ports_place_extremes(const struct am_ports *ports);

/* The same with so many minima and maxima. They are on units of additions or of products; with
 * those of additions where measured together they are no faster than alone. */
double am_ports_cycles_with(const struct am_ports *ports, unsigned muls, unsigned adds,
                            unsigned extremes);

#endif
