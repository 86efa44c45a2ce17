/* SPDX-License-Identifier: MIT */
/* The places of a machine: which values of the axis `on` (core/bench/place.h) it has, their CPUs
 * and numbers.
 *
 * Made from the table of CPUs of a topology, without hwloc. A place that would be the same as a
 * larger or a smaller one (the only package; a cache of one core) is not offered: the reason says
 * which place it is. */
#ifndef AM_TOPO_PLACES_H
#define AM_TOPO_PLACES_H

#include "base/arena.h"
#include "base/status.h"
#include "core/bench/place.h"
#include "topo/topo.h"

#include <stddef.h>
#include <stdint.h>

/* The places that this machine has, `machine` first, ended by NULL; NULL without memory. */
const char *const *am_places_list(const struct am_topo *topo, struct am_arena *arena);
/* NULL when the machine has the place; else why not. */
const char *am_place_why_not(const struct am_topo *topo, const char *place, struct am_arena *arena);

/* The CPUs of a place in the order in which threads fill it. `cpus` has room for all of the
 * machine's; returns how many, 0 when there is no such place. */
size_t am_place_cpus(const struct am_topo *topo, const char *place, struct am_topo_cpu *cpus);
/* AM_OK when so many threads can stand there; AM_E_ABSENT with the reason. */
enum am_status am_place_check(const struct am_topo *topo, const char *place, int64_t threads,
                              struct am_err *err);

/* Of a set of CPUs: different cores; instances of a level's data cache, and bytes of all of them
 * (where a CPU states none, those of its next smaller cache). */
size_t am_cpus_cores(const struct am_topo_cpu *cpus, size_t n);
size_t am_cpus_instances(const struct am_topo_cpu *cpus, size_t n, unsigned level);
uint64_t am_cpus_cache_bytes(const struct am_topo_cpu *cpus, size_t n, unsigned level);

/* The topology as plans want it, for am_topo_places(). */
struct am_places am_places_of(const struct am_topo *topo);

#endif
