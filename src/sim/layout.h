/* SPDX-License-Identifier: MIT */
/* Where the CPUs of a simulated machine lie: cores, caches, packages and memory nodes.
 *
 * Cores of a package are numbered kind by kind in the order of the description. CPU numbers follow
 * the description's numbering, as a kernel would give them. */
#ifndef AM_SIM_LAYOUT_H
#define AM_SIM_LAYOUT_H

#include "sim/machine.h"

struct am_sim_cpu {
    const struct am_sim_kind *kind;
    unsigned package, node;
    unsigned core;    /* on the whole machine */
    unsigned of_kind; /* core's number among those of its kind in its package */
    unsigned thread;  /* of the core */
};

struct am_sim_layout {
    const struct am_sim_machine *machine;
    struct am_sim_cpu *cpus;
    unsigned n;
};

/* How two CPUs are related, from near to far. */
enum am_sim_relation { AM_SIM_SIBLING, AM_SIM_CLUSTER, AM_SIM_IN_PACKAGE, AM_SIM_FAR };

/* Memory from the arena; false without. */
bool am_sim_layout_make(struct am_sim_layout *out, const struct am_sim_machine *m,
                        struct am_arena *arena);

bool am_sim_cache_serves(const struct am_sim_cache *cache, const struct am_sim_cpu *cpu);
/* Number of the instance of a cache that serves the CPU, unique for that cache. */
unsigned am_sim_cache_instance(const struct am_sim_cache *cache, const struct am_sim_cpu *cpu);
enum am_sim_relation am_sim_relate(const struct am_sim_layout *l, const struct am_sim_cpu *a,
                                   const struct am_sim_cpu *b);

#endif
