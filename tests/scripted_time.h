/* SPDX-License-Identifier: MIT */
/* A time for meters that passes only when it is rested in: however busy the machine is, a test
 * reads the same values at the same moments. */
#ifndef AM_TESTS_SCRIPTED_TIME_H
#define AM_TESTS_SCRIPTED_TIME_H

#include "meter/meter.h"

struct scripted_time {
    struct am_meter_time time; /* what am_meters.time points to */
    uint64_t now_ns;
    void (*passed)(void *self, uint64_t now_ns); /* told after every rest; may be NULL */
    void *self;
};

static inline uint64_t scripted_now(void *self)
{
    const struct scripted_time *const t = self;

    return t->now_ns;
}

static inline void scripted_rest(void *self, uint64_t ns)
{
    struct scripted_time *const t = self;

    t->now_ns += ns;
    if (t->passed)
        t->passed(t->self, t->now_ns);
}

/* Begins at a second: no time is 0, and some may lie before it. */
static inline void scripted_time_init(struct scripted_time *t)
{
    *t = (struct scripted_time){
        .time = {.now_ns = scripted_now, .rest_ns = scripted_rest, .self = t},
        .now_ns = 1000000000u,
    };
}

#endif
