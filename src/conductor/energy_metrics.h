/* SPDX-License-Identifier: MIT */
/* What is told of the energy of a batch: the metrics of one scope, and how each is computed. */
#ifndef AM_CONDUCTOR_ENERGY_METRICS_H
#define AM_CONDUCTOR_ENERGY_METRICS_H

#include "core/bench/bench.h"

#include <stdbool.h>
#include <stddef.h>

/* What one sample's window holds for one group. */
struct am_energy_measured {
    double watts;    /* mean over the window; NAN when not valid */
    double idle_w;   /* NAN when not measured */
    double seconds;  /* of one iteration, by the bench's own clock */
    double window_s; /* its share of the window: what a device waited is paid for too */
    const struct am_work *work;
    double process_nm, process_exponent; /* 0 nm: not given */
};

/* All are of one iteration. */
struct am_energy_kind {
    const char *name, *unit;
    enum am_better better;
    double (*value)(const struct am_energy_measured *m);
    bool normalised; /* only where the user gave a process */
    const char *help;
};

/* Ended by a name of NULL. */
extern const struct am_energy_kind am_energy_kinds[];

#endif
