/* SPDX-License-Identifier: MIT */
/* Pairs of CPUs by their relation: which of them to measure where there are too many for all.
 *
 * Pairs are of one class when the system states the same of both: one core, one L2, one L3, one
 * package or none of these, one memory node or two, and the kinds of the two cores. Of each class
 * some are drawn at random. Machines of few CPUs get all pairs. */
#ifndef AM_TOPO_PAIRS_H
#define AM_TOPO_PAIRS_H

#include "core/bench/place.h"
#include "topo/topo.h"

/* For am_places.pairs. */
struct am_cpu_pairs am_topo_pairs(const struct am_topo *topo, enum am_pairing pairing,
                                  uint64_t seed, struct am_arena *arena);
/* At most `most` pairs of the class of (from, to), drawn at random; none of an unknown CPU. */
struct am_cpu_pairs am_topo_pairs_like(const struct am_topo *topo, struct am_cpu_pair like,
                                       size_t most, uint64_t seed, struct am_arena *arena);
/* Whether two pairs are of one class. */
bool am_topo_pairs_alike(const struct am_topo *topo, struct am_cpu_pair a, struct am_cpu_pair b);

/* Pairs of different CPUs, each once, by what benches tell as their distance: threads of one core,
 * one last-level cache, one package, farther. */
enum am_related {
    AM_RELATED_CORE,
    AM_RELATED_CACHE,
    AM_RELATED_PACKAGE,
    AM_RELATED_FAR,
    AM_RELATIONS_STATED
};
void am_topo_count_pairs(const struct am_topo *topo, size_t counts[AM_RELATIONS_STATED]);

#endif
