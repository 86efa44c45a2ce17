/* SPDX-License-Identifier: MIT */
/* The least of several tries. */
#include "bench/shared/near.h"

#include <math.h>

enum { TRIES_LEAST = 3, TRIES_MOST = 12 };
static const double try_s = 1e-4, all_s = 0.02;

static double seconds_of(const struct am_clock *clock, void (*call)(void *self), void *self,
                         unsigned calls)
{
    const uint64_t begin = clock->now_ns(clock->self);

    for (unsigned i = 0; i < calls; i++)
        call(self);
    return (double)(clock->now_ns(clock->self) - begin) * 1e-9;
}

double am_near_seconds(const struct am_clock *clock, void (*call)(void *self), void *self)
{
    const double first = fmax(seconds_of(clock, call, self, 1), try_s / 1e3);
    const double once = fmin(first, fmax(seconds_of(clock, call, self, 1), try_s / 1e3));
    const unsigned calls = once < try_s ? (unsigned)(try_s / once) : 1;
    const int tries = (int)fmax(TRIES_LEAST, fmin(TRIES_MOST, all_s / once));
    double best = INFINITY;

    for (int i = 0; i < tries; i++)
        best = fmin(best, seconds_of(clock, call, self, calls) / calls);
    return best;
}
