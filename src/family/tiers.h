/* SPDX-License-Identifier: MIT */
/* Which level of memory a working set is in, by the sizes that were measured and claimed.
 *
 * Facts of memory carry the level as a label; ceilings and bounds use it as a number. Sizes come
 * from the facts memory.size{level=...} where there are any, and from what the system states. */
#ifndef AM_FAMILY_TIERS_H
#define AM_FAMILY_TIERS_H

#include "family/fact.h"
#include "store/store.h"

enum am_tier {
    AM_TIER_L1D,
    AM_TIER_L2,
    AM_TIER_L3,
    AM_TIER_MEMORY,
    AM_TIER_COUNT, /* also: between two of them, or not known */
};

/* Bytes of the caches, of one core's or of the shared one; 0: no such cache, or nothing is known.
 */
struct am_tiers {
    double least[AM_TIER_MEMORY]; /* of measured and claimed: a smaller set is inside */
    double most[AM_TIER_MEMORY];  /* of both: a set far larger is outside */
    /* That it has the least bytes was measured, or is stated of a cache that nobody else uses. What
     * is stated of the last cache alone is not what a point gets of it: guests and neighbours share
     * it. */
    bool sure[AM_TIER_MEMORY];
};

/* Caches of each level that the threads of a point reach, by what the system states. */
struct am_reach {
    double instances[AM_TIER_MEMORY];
};
/* As the launch recorded it; else (older files) a cache per thread, and one shared last one. */
struct am_reach am_tiers_reach(const struct am_result *result);

struct am_tiers am_tiers_find(const struct am_result_set *set, const struct am_facts *facts);

/* Bytes of the cache as the machine's description states them; 0: it states none. */
double am_tier_stated(const struct am_kvs *machine, enum am_tier level);
/* The working set of so many threads that fills as much of each one's caches of the level as
 * `bytes` of one thread do. */
double am_tier_set(enum am_tier level, double bytes, double threads);

/* The level that serves a set of `bytes`, all threads together; AM_TIER_COUNT where the set lies
 * between two levels and would tell nothing of either. */
enum am_tier am_tiers_of(const struct am_tiers *levels, double bytes, const struct am_reach *reach);

/* The fastest level that may serve a part of the set: for bounds, which must not be too low.
 * AM_TIER_COUNT when no cache is known. */
enum am_tier am_tiers_fastest(const struct am_tiers *levels, double bytes,
                              const struct am_reach *reach);

/* The slowest level that may serve a part of it: for expectations, which a cache that is stated and
 * was never seen must not raise. AM_TIER_COUNT when no cache is known. */
enum am_tier am_tiers_slowest(const struct am_tiers *levels, double bytes,
                              const struct am_reach *reach);

/* The bench that measures what a level gives. */
extern const char am_tiers_need[];

/* "l1d" ... "memory": the label `level` of facts. */
const char *am_tier_label(enum am_tier level);
/* "L1" ... "memory": for people. */
const char *am_tier_title(enum am_tier level);

#endif
