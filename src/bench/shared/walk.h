/* SPDX-License-Identifier: MIT */
/* Touching memory without working on it: what an application says of the way of its data. */
#ifndef AM_BENCH_SHARED_WALK_H
#define AM_BENCH_SHARED_WALK_H

/* Bytes that come and go together: of a walk every so many are touched. */
enum { AM_WALK_LINE = 64 };

static inline void am_walk_read(const void *at)
{
    (void)*(const volatile char *)at;
}

/* What was there is lost. */
static inline void am_walk_write(void *at)
{
    *(volatile char *)at = 0;
}

#endif
