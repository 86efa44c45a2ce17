/* SPDX-License-Identifier: MIT */
/* Time: the monotonic raw clock with its measured cost, and the core clock by a dependent chain.
 *
 * CLOCK_MONOTONIC_RAW is used because nothing adjusts its rate during a batch. Hardware counters
 * are often closed to users and to guests; so the frequency of the core is measured by timing a
 * chain of dependent additions, which take one cycle each on every core that is known here. */
#ifndef AM_BASE_CLOCK_H
#define AM_BASE_CLOCK_H

#include <stdint.h>

/* A clock is a value, so that tests can put a scripted one in its place. */
struct am_clock {
    const char *name;
    uint64_t (*now_ns)(void *self);
    void *self;
    uint64_t overhead_ns;   /* median cost of one reading */
    uint64_t resolution_ns; /* smallest step seen between two readings */
};

/* CLOCK_MONOTONIC_RAW: not slewed by NTP, and comparable between processes of one machine. */
uint64_t am_now_ns(void);

/* The real clock, overhead and resolution measured (takes about 0.1 ms). */
void am_clock_init(struct am_clock *c);

/* Core clock in Hz by a chain of dependent one-cycle adds, the fastest of a few short probes
 * (about 30 us in all). 0 when the clock gives no usable reading. */
double am_clock_core_hz(const struct am_clock *c);
/* Seconds that the chain of one such probe lasts at a core clock of `hz`: what the clock's step and
 * reading are to be compared with. INFINITY for a clock of 0. */
double am_clock_probe_s(double hz);

#endif
