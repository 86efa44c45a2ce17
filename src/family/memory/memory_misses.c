/* SPDX-License-Identifier: MIT */
/* What programs can do about misses: huge pages, and several at once.
 *
 * Both compare two results that differ in one axis, so that their ratios have intervals. */
#include "family/memory/memory.h"

#include "family/tiers.h"

/* ---- huge pages ---- */

/* The result of `small` on huge pages; NULL without, or with several. */
static const struct am_pick *on_huge(const struct am_result *small, const struct am_picks *huge)
{
    const struct am_picks beside = am_picks_beside(huge, small, "pages");
    const char *several;

    return am_picks_only(&beside, &several);
}

static bool has_huge(const struct am_result *small, const void *huge)
{
    return on_huge(small, huge) != NULL;
}

void am_memory_derive_huge(const struct am_deriving *d)
{
    const struct am_selector small = {
        "mem.latency", "pattern?=random stride?=64 chains?=1 pages=small", "latency"};
    const struct am_selector large = {"mem.latency",
                                      "pattern?=random stride?=64 chains?=1 pages=huge", "latency"};
    const struct am_picks all = am_select(d->set, &small, d->arena);
    const struct am_picks huge = am_select(d->set, &large, d->arena);
    const struct am_picks both = am_picks_filter(&all, has_huge, &huge);
    const struct am_picks largest = am_picks_extreme(&both, "size", false);
    const char *several = NULL;
    const struct am_pick *const over = am_picks_only(&largest, &several);
    struct am_fact fact;

    if (!over)
        return;
    fact = am_fact_of_ratio(over, on_huge(over->result, &huge), d->arena);
    fact.name = "huge_gain";
    fact.what = "random loads of the largest set on small pages, over huge ones";
    am_facts_offer(d->facts, fact);
}

/* ---- several at once ---- */

static double median_of(const struct am_pick *pick)
{
    return pick->metric->summary.median;
}

/* The level that served the result's set, by the sizes of this run. */
static enum am_tier level_of(const struct am_deriving *d, const struct am_result *result)
{
    const struct am_tiers levels = am_tiers_find(d->set, d->facts);
    const struct am_reach reach = am_tiers_reach(result);

    return am_tiers_of(&levels, am_result_number(result, "size"), &reach);
}

static const struct am_pick *least_of(const struct am_picks *picks)
{
    const struct am_pick *least = picks->items;

    for (size_t i = 1; i < picks->n; i++)
        least = median_of(&picks->items[i]) < median_of(least) ? &picks->items[i] : least;
    return least;
}

/* Time per load of one chase over that of the best number of them, in the largest working set. The
 * level which that set is in is said: it need not be memory. */
void am_memory_derive_parallelism(const struct am_deriving *d)
{
    const struct am_selector selector = {"mem.parallel", NULL, "load_time"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_picks largest = am_picks_extreme(&all, "size", false);
    const char *several = NULL;
    const struct am_picks curve = am_picks_curve(&largest, "chains", &several);
    const struct am_pick *const one = curve.items, *best;
    struct am_fact fact;
    enum am_tier level;

    if (several)
        am_facts_remark(d->facts, "mem.parallel is not a curve over chains: it also differs in %s",
                        several);
    if (curve.n < 2 || one->x > 1)
        return;
    best = least_of(&curve);
    fact = am_fact_of_ratio(one, best, d->arena);
    fact.name = "parallelism";
    fact.what = "loads that one core keeps under way";
    fact.evidence = am_arena_printf(
        d->arena, "mem.parallel over %.4g MiB: %.3g ns for one chase, %.3g ns per load for %.0f",
        am_result_number(one->result, "size") / 1048576, median_of(one) * 1e9,
        median_of(best) * 1e9, best->x);
    level = level_of(d, one->result);
    if (level != AM_TIER_COUNT)
        am_fact_label(&fact, d->arena, "level", AM_AXIS_NAME, am_tier_label(level));
    am_facts_offer(d->facts, fact);
}
