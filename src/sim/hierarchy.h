/* SPDX-License-Identifier: MIT */
/* Time of loads and of streams in the caches and memory of a simulated machine.
 *
 * Hits follow from replacement, not from a fitted curve: an LRU cache loses per set that is walked
 * in a fixed order as soon as it does not fit, set by set; unevenly filled sets follow a Poisson
 * law; random replacement solves h = exp(-(1-h)x); the best policy keeps 1/x. x is the walked set
 * over what the launch has of the cache. Shared with no other part of the tree. */
#ifndef AM_SIM_HIERARCHY_H
#define AM_SIM_HIERARCHY_H

#include "sim/launch.h"

/* Part of the loads that a cache serves of a set `x` times its capacity. */
double am_sim_hits(const struct am_sim_cache *cache, double x);

/* A walk over a set, as one thread does it. */
struct am_sim_walk {
    const struct am_sim_cpu *cpu;
    double ghz;
    double bytes;      /* lines touched x their length */
    double span;       /* bytes of address space, for translation */
    double translated; /* part of the loads that need a translation of their own */
    bool huge;         /* pages */
    double memory_ns;  /* latency of memory; 0: the own node's */
    double others;     /* bytes that others keep in the same shared caches */
};

/* Whether an allocation of `bytes` lies in huge pages: "any", "small" or "huge" was asked for. */
bool am_sim_is_huge(const struct am_sim_machine *m, const char *pages, double bytes);

/* Mean latency of a load in nanoseconds. */
double am_sim_load_ns(const struct am_sim_launch *l, const struct am_sim_walk *walk);
/* Of a load that hits the first cache. */
double am_sim_first_ns(const struct am_sim_launch *l, const struct am_sim_cpu *cpu, double ghz);
/* Mean latency with translation and first-level hits left out: what prefetching can hide. */
double am_sim_translate_ns(const struct am_sim_launch *l, const struct am_sim_walk *walk);

/* One pass of a team over arrays, each thread over its own part or all over the same. */
struct am_sim_stream {
    const struct am_sim_team *team;
    const char *isa;      /* NULL: no vectors */
    double read, written; /* bytes of one thread and pass */
    double bytes;         /* set of one thread: arrays counted once */
    bool same;            /* all threads walk the same set */
    bool past;            /* non-temporal stores */
    bool unfetched;       /* prefetchers are off */
    int node;             /* where memory lies; -1: each thread's own */
};

/* Seconds of the pass. */
double am_sim_stream_seconds(const struct am_sim_launch *l, const struct am_sim_stream *s);

#endif
