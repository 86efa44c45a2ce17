/* SPDX-License-Identifier: MIT */
/* Kinds of core: which CPUs are of one kind, from the fastest kind to the slowest.
 *
 * The kernel tells kinds in several ways: event counters per kind (cpu_core, cpu_atom),
 * cpu_capacity, highest frequencies, the identification of each CPU (MIDR). hwloc joins the first
 * three; the last is read here where these tell nothing. Kinds that differ in nothing but a few per
 * cent of highest frequency are favoured cores of one kind, and count as one. Inside of topo: knows
 * hwloc. */
#ifndef AM_TOPO_KINDS_H
#define AM_TOPO_KINDS_H

#include "base/fsroot.h"

#include <hwloc.h>
#include <stddef.h>

enum { AM_KINDS_MAX = 8, AM_KIND_NAME_MAX = 16 };

struct am_kinds {
    hwloc_bitmap_t sets[AM_KINDS_MAX]; /* CPUs of each kind; their own copies */
    char names[AM_KINDS_MAX][AM_KIND_NAME_MAX];
    size_t n; /* 0: the system tells no kinds, all CPUs are alike */
};

/* Kinds that cannot be told (no memory) are none. */
void am_kinds_find(hwloc_topology_t topology, const struct am_fsroot *root, struct am_kinds *out);
void am_kinds_fini(struct am_kinds *kinds);
/* The kind of a CPU; 0 where there are none. */
unsigned am_kinds_of(const struct am_kinds *kinds, int cpu);

#endif
