/* SPDX-License-Identifier: MIT */
/* Levels of memory: sizes from facts where there are any, from what the system claims otherwise. */
#include "family/tiers.h"

#include "base/text.h"
#include "family/roles.h"

#include <math.h>
#include <string.h>

const char am_tiers_need[] = "mem.bandwidth";

/* Working sets up to this part of a cache are in it, from this multiple on they are not; those
 * between are partly in it. */
static const double inside = 0.75, outside = 2;

/* `where` chooses the fact of the size; `claim` is what the machine's description calls it. */
static const struct {
    const char *label, *title, *where, *claim;
} rows[AM_TIER_COUNT] = {
    [AM_TIER_L1D] = {"l1d", "L1", "level=l1d", "l1d_bytes"},
    [AM_TIER_L2] = {"l2", "L2", "level=l2", "l2_bytes"},
    [AM_TIER_L3] = {"l3", "L3", "level=l3", "l3_bytes"},
    [AM_TIER_MEMORY] = {"memory", "memory", NULL, NULL},
};

double am_tier_stated(const struct am_kvs *machine, enum am_tier level)
{
    const char *const text = rows[level].claim ? am_kvs_get(machine, rows[level].claim) : NULL;
    double bytes;

    return text && am_parse_f64(text, strlen(text), &bytes) && bytes > 0 ? bytes : 0;
}

/* The last cache is shared, the others are each core's own. */
double am_tier_set(enum am_tier level, double bytes, double threads)
{
    return level == AM_TIER_L3 || !(threads > 1) ? bytes : bytes * threads;
}

/* A statement that the measurement denies is no longer used; an undecided one still is. */
struct am_tiers am_tiers_find(const struct am_result_set *set, const struct am_facts *facts)
{
    struct am_tiers l = {{0}, {0}, {false}};
    double beyond = 0; /* stated bytes of the caches after this one */

    for (enum am_tier i = AM_TIER_L1D; i < AM_TIER_MEMORY; i++) {
        const struct am_fact *const size = am_facts_only(facts, "memory.size", rows[i].where);
        const double stated = am_tier_stated(&set->machine, i);
        const double claimed = size && size->contradicts ? 0 : stated;

        l.least[i] = size && (claimed <= 0 || size->value < claimed) ? size->value : claimed;
        l.most[i] = size ? fmax(claimed, size->contradicts ? size->ci.hi : size->value) : claimed;
        l.sure[i] = size != NULL;
    }
    for (size_t i = AM_TIER_MEMORY; i-- > 0;) {
        l.sure[i] = l.sure[i] || beyond > 0;
        beyond += am_tier_stated(&set->machine, (enum am_tier)i);
    }
    return l;
}

struct am_reach am_tiers_reach(const struct am_result *result)
{
    const char *text = am_kvs_get(&result->chosen, "caches");
    const double threads = am_result_threads(result), own = threads > 1 ? threads : 1;
    struct am_reach r = {{[AM_TIER_L1D] = own, [AM_TIER_L2] = own, [AM_TIER_L3] = 1}};

    for (size_t i = 0; text && i < AM_TIER_MEMORY; i++) {
        const size_t len = strcspn(text, " ");
        double n;

        if (am_parse_f64(text, len, &n) && n >= 1)
            r.instances[i] = n;
        text += len + (text[len] == ' ');
    }
    return r;
}

static double largest(const struct am_tiers *l)
{
    double most = 0;

    for (size_t i = 0; i < AM_TIER_MEMORY; i++)
        most = fmax(most, l->most[i]);
    return most;
}

enum am_tier am_tiers_of(const struct am_tiers *l, double bytes, const struct am_reach *reach)
{
    double most = 0; /* of the levels before */

    for (enum am_tier i = AM_TIER_L1D; i < AM_TIER_MEMORY; i++) {
        if (bytes <= inside * l->least[i] * reach->instances[i])
            return bytes >= outside * most ? i : AM_TIER_COUNT;
        most = fmax(most, l->most[i] * reach->instances[i]);
    }
    return most > 0 && bytes >= outside * most ? AM_TIER_MEMORY : AM_TIER_COUNT;
}

enum am_tier am_tiers_fastest(const struct am_tiers *l, double bytes, const struct am_reach *reach)
{
    for (enum am_tier i = AM_TIER_L1D; i < AM_TIER_MEMORY; i++) {
        if (bytes < outside * l->most[i] * reach->instances[i])
            return i;
    }
    return largest(l) > 0 ? AM_TIER_MEMORY : AM_TIER_COUNT;
}

enum am_tier am_tiers_slowest(const struct am_tiers *l, double bytes, const struct am_reach *reach)
{
    for (enum am_tier i = AM_TIER_L1D; i < AM_TIER_MEMORY; i++) {
        if (l->sure[i] && bytes <= inside * l->least[i] * reach->instances[i])
            return i;
    }
    return largest(l) > 0 ? AM_TIER_MEMORY : AM_TIER_COUNT;
}

const char *am_tier_label(enum am_tier level)
{
    return (unsigned)level < AM_TIER_COUNT ? rows[level].label : "between";
}

const char *am_tier_title(enum am_tier level)
{
    return (unsigned)level < AM_TIER_COUNT ? rows[level].title : "between levels";
}
