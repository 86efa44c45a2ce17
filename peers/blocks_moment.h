/* SPDX-License-Identifier: MIT */
/* Cycles, and whether somebody else has a part of the core at a moment, for blocks.c.
 *
 * A probe is a chain of additions, whose ticks tell how long a cycle is, and what needs the whole
 * front end: where another thread of the core is at work, perhaps a stranger's, that takes up to
 * twice as long, and the chain does not. Now and then it is the chain that is slow, by up to 1.4.
 */
#ifndef PEERS_BLOCKS_MOMENT_H
#define PEERS_BLOCKS_MOMENT_H

#include <stdint.h>
#include <stdio.h>

enum {
    CHAIN = 8, /* thousands of additions of a probe */
    NOPS = 16, /* thousands of a probe */
    JUMPS = 4000,
};

/* What the core does at a moment. */
struct moment {
    double chain; /* ticks of a chain of additions */
    double front; /* of what needs the whole front end, per tick of the chain */
};

struct moments {
    uint64_t probes, unsteady; /* unsteady: the clock changed meanwhile */
    uint64_t alone;            /* probes below the limit when it was found */
    double least, limit;       /* of the front end, between which a moment counts: below, the chain
                                * was slow and the front end was not, so that cycles seem to be fewer */
};

extern struct moments blocks_moments;
extern double blocks_reading; /* ticks that lie between two readings in a row */

static inline uint64_t blocks_ticks(void)
{
    uint64_t low, high;

    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
    return high << 32 | low;
}

static inline int blocks_is_alone(double front)
{
    return front >= blocks_moments.least && front <= blocks_moments.limit;
}

void blocks_time_reading(void);
struct moment blocks_probe(void);

/* Takes note of what a probe said, and now and then finds the limit anew. */
void blocks_note_front(double front);
void blocks_find_limit(void);

/* How many moments counted, and quantiles of the front end's times. */
void blocks_tell_moments(FILE *file);

#endif
