/* SPDX-License-Identifier: MIT */
/* From readings to the energy of a window of time. Pure functions: scripted readings test them. */
#ifndef AM_METER_WINDOW_H
#define AM_METER_WINDOW_H

#include "meter/meter.h"

/* A meter's readings in the order of time. */
struct am_readings {
    const struct am_reading *items;
    size_t n;
};

/* Energy of [t0, t1] by one meter. */
struct am_energy {
    double joules, watts; /* watts: mean */
    double uncertainty_j; /* half-width: quantum, update period, what the edges interpolate */
    uint64_t gap_ns;      /* the longest between two readings that were used */
    size_t readings;      /* used */
    bool valid;
    char reason[160]; /* why it is not valid, else empty */
};

/* Counters are unwrapped reading by reading and interpolated at both ends; power is integrated by
 * the trapezoid rule over the real intervals, clipped at both ends (seed 001, Algorithm 2). A
 * window is not valid when readings do not enclose it, when a counter went back and its range is
 * not known, when it shows more than the meter's greatest power (a reset, or two wraps between
 * readings), when it stood still for fifty update periods, or when the window is shorter than
 * fifty of them; of power whose period nobody states, when it holds fewer than ten readings. What
 * is not valid is never clamped or guessed: joules is then NAN. */
void am_meter_window(const struct am_meter *meter, const struct am_readings *readings,
                     uint64_t t0_ns, uint64_t t1_ns, struct am_energy *out);

/* Between two readings, where the sampler keeps up. */
uint64_t am_meter_interval_ns(const struct am_meter *meter);

/* The shortest window in which this meter can be trusted. */
uint64_t am_meter_shortest_ns(const struct am_meter *meter);

/* How often the value changes: the median distance between changes; 0 when fewer than three are
 * seen. */
uint64_t am_meter_period(const struct am_meter *meter, const struct am_readings *readings);

/* Whether two counters of one quantum showed the same energy at all of their readings (but for what
 * the moments between the two reads gain) while both moved: one counter under two names. */
bool am_meter_mirrors(const struct am_meter *meter, const struct am_readings *a,
                      const struct am_readings *b);

#endif
