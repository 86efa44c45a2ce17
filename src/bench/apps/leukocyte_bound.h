/* SPDX-License-Identifier: MIT */
/* The least time of one pixel's update of the motion gradient vector flow on a core: by its
 * arithmetic units, and by the cache that a sub-image lies in. Both are measured at the start of a
 * point. */
#ifndef AM_BENCH_APPS_LEUKOCYTE_BOUND_H
#define AM_BENCH_APPS_LEUKOCYTE_BOUND_H

#include "bench/apps/ports.h"
#include "base/clock.h"
#include "base/status.h"
#include "kernels/mgvf.h"

#include <stddef.h>

/* Cycles per update; 0: not known. */
struct am_leuko_bound {
    double units; /* of arithmetic, by the instructions of the form lanes */
    double cache; /* two elements read and one written, from where such a sub-image lies */
    enum am_ports_extremes extremes; /* where minima and maxima run here */
};

/* Measured here and now on the calling thread (a few ms). */
enum am_status am_leuko_bound_measure(const char *isa, enum am_mgvf_type type, size_t pixels,
                                      const struct am_clock *clock, struct am_leuko_bound *bound,
                                      struct am_err *err);

/* "minimum and maximum on the adders" and the like, for the note. */
const char *am_leuko_bound_extremes(const struct am_leuko_bound *bound);

/* The greater of both. */
double am_leuko_bound_cycles(const struct am_leuko_bound *bound);

#endif
