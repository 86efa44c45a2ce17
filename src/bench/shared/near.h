/* SPDX-License-Identifier: MIT */
/* How long a piece of work takes undisturbed: what an application says of its own parts. */
#ifndef AM_BENCH_SHARED_NEAR_H
#define AM_BENCH_SHARED_NEAR_H

#include "base/clock.h"

/* Seconds of one call, the least of 12 tries of about 0.1 ms, or of fewer calls down to 3 where
 * they take long: what disturbs a try only makes it longer. Data that a call works on and that fit
 * are in the first-level cache. */
double am_near_seconds(const struct am_clock *clock, void (*call)(void *self), void *self);

#endif
