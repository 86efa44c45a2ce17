/* SPDX-License-Identifier: MIT */
/* Places: where the threads of a point stand, as values of one axis, `on`.
 *
 * A bench that has the axis does nothing for it: the conductor gives the launch the CPUs of the
 * place, in the order in which threads fill it, and thread i belongs on the i-th of them. Which
 * places there are is the topology's to say (topo/places.h): the conductor adds the kinds of core
 * that a machine has to the words below, and says of each why it is not there.
 *
 *     machine     all CPUs: one hardware thread of each core first, near cores together,
 *                 the fastest kind of core first
 *     cores       one hardware thread of each core
 *     core        the hardware threads of one core
 *     smt2, smt4  so many hardware threads of each core that has them, core by core
 *     l2, l3      those that share one cache of that level
 *     node        those of one memory node
 *     package     those of one package
 *     kind:NAME   those of one kind of core: kind:P, kind:E; kind:large, kind:small
 *
 * The numbers of the machine in values of other axes (cpus, cores, l1, l2s, ...) are those of the
 * place. */
#ifndef AM_CORE_PLACE_H
#define AM_CORE_PLACE_H

#include "base/arena.h"
#include "core/bench/axis.h"

#include <stdbool.h>
#include <stdint.h>

#define AM_PLACE_AXIS "on"
#define AM_PLACE_WHOLE "machine"
#define AM_PLACE_KIND "kind:" /* begins the names of kinds */

/* The words above, without kinds; for the descriptor's am_axis.enumerate. */
const char *const *am_place_words(void);

/* A row of an axis table. The arguments: .dflt always, .quick and .thorough where wanted. */
#define AM_AXIS_ON(...)                                                                            \
    {                                                                                              \
        .name = AM_PLACE_AXIS, .kind = AM_AXIS_NAME, .enumerate = am_place_words,                  \
        .help = "where the threads stand: the machine, one core, so many hardware threads of "     \
                "each core, one cache, node, package or kind of core",                             \
        __VA_ARGS__                                                                                \
    }

/* Two CPUs, by the system's numbers. */
struct am_cpu_pair {
    int from, to;
};
struct am_cpu_pairs {
    struct am_cpu_pair *items;
    size_t n;
    size_t all; /* that there are of two CPUs, each in both directions */
};

/* Which pairs of CPUs benches with axes `from` and `to` measure, in place of values of both. */
enum am_pairing {
    AM_PAIRS_RELATED, /* some of each relation, drawn at random */
    AM_PAIRS_JOINED,  /* the same, and those that join each CPU to its core, cache and package */
    AM_PAIRINGS
};
extern const char *const am_pairings[]; /* "related", "joined"; by enumerator */

/* Whoever knows the places of a machine; functions and their context. */
struct am_places {
    /* Symbols of a place for so many threads in it (0: as many as it has CPUs), ended by NULL, from
     * the arena; NULL when there is no such place, or no memory. */
    const struct am_symbol *(*symbols)(const void *self, const char *place, int64_t threads,
                                       struct am_arena *arena);
    /* Whether so many threads can stand there, each on a CPU of its own. */
    bool (*takes)(const void *self, const char *place, int64_t threads);
    /* Pairs of CPUs, the same for the same seed; from the arena. None without memory. */
    struct am_cpu_pairs (*pairs)(const void *self, enum am_pairing pairing, uint64_t seed,
                                 struct am_arena *arena);
    const void *self;
};

#endif
