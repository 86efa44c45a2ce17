/* SPDX-License-Identifier: MIT */
/* What streams show: bytes per second of each level of memory and what raises them, how long
 * accesses must be, what a busy memory costs, and what lies on other nodes.
 *
 * The level of a working set is found by its size and the caches that its threads reach
 * (family/tiers.h): the bandwidth of many threads in a cache is that of all such caches together.
 * Sets that lie between two levels tell nothing of either and are left out. Bandwidths are the best
 * over instruction sets, sizes within the level, pages and distances of prefetch. */
#include "family/memory/memory.h"
#include "family/tiers.h"

#include <math.h>
#include <string.h>

/* As many threads as come this close reach the peak. */
static const double threads_near_peak = 0.95;
/* A stanza is long enough when it comes this close to the best. */
static const double stanza_near_peak = 0.9;

static void offer(const struct am_deriving *d, struct am_fact fact, const char *name,
                  const char *what)
{
    fact.name = name;
    fact.what = what;
    am_facts_offer(d->facts, fact);
}

/* ---- mem.bandwidth ---- */

/* Where a working set belongs. */
struct level {
    struct am_tiers tiers;
    enum am_tier tier;
};

static bool is_at(const struct am_result *r, const void *context)
{
    const struct level *const level = context;
    const struct am_reach reach = am_tiers_reach(r);

    return am_tiers_of(&level->tiers, am_result_number(r, "size"), &reach) == level->tier;
}

static void label_stream(const struct am_deriving *d, struct am_fact *fact, enum am_tier level,
                         const struct am_result *result, const char *axes)
{
    am_fact_label(fact, d->arena, "level", AM_AXIS_NAME, am_tier_label(level));
    am_fact_label_axes(fact, result, axes);
}

/* Ordinary stores, no software prefetch, the processor's prefetchers as they were found; and what
 * each of them changes. Older results lack the axes of prefetch. */
static const char plain_where[] = "nt?=0 prefetch?=0 hwprefetch?=as-is";
static const struct {
    const char *name, *what, *where;
    bool under; /* the ratio is plain over this, not this over plain */
} gains[] = {
    {"prefetch_gain", "gain by software prefetch", "nt?=0 prefetch>0 hwprefetch?=as-is", false},
    {"hwprefetch_gain", "gain by the processor's own prefetchers",
     "nt?=0 prefetch?=0 hwprefetch=off", true},
    {"nt_gain", "gain by stores past the caches", "nt=1 prefetch?=0 hwprefetch?=as-is", false},
};

static void offer_gains(const struct am_deriving *d, const struct am_picks *here,
                        enum am_tier level, const struct am_pick *plain)
{
    const struct am_picks like = am_picks_like(here, plain->result, "kernel,threads");

    for (size_t i = 0; i < sizeof(gains) / sizeof(gains[0]); i++) {
        const struct am_picks others = am_picks_where(&like, gains[i].where);
        const struct am_picks sound = am_picks_sound(&others);
        const struct am_pick *const other = am_picks_best(&sound);
        struct am_fact fact;

        if (!other)
            continue;
        fact = gains[i].under ? am_fact_of_ratio(plain, other, d->arena)
                              : am_fact_of_ratio(other, plain, d->arena);
        label_stream(d, &fact, level, plain->result, "kernel,threads");
        offer(d, fact, gains[i].name, gains[i].what);
    }
}

/* The fewest threads that come near the best number of them. */
static void offer_fill(const struct am_deriving *d, const struct am_picks *plain)
{
    const struct am_groups kernels = am_picks_group(plain, "kernel");

    for (size_t i = 0; i < kernels.n; i++) {
        const struct am_picks sound = am_picks_sound(&kernels.items[i].picks);
        const struct am_picks curve = am_picks_curve(&sound, "threads", NULL);
        struct am_fact fact = am_fact_of_knee(&curve, threads_near_peak, d->arena);

        am_fact_label_axes(&fact, sound.items[0].result, "kernel");
        offer(d, fact, "fill_threads", "threads that reach the highest bandwidth of memory");
    }
}

static void derive_level(const struct am_deriving *d, const struct am_picks *here,
                         enum am_tier level)
{
    const struct am_picks plain = am_picks_where(here, plain_where);
    const struct am_groups groups = am_picks_group(&plain, "kernel,threads");

    for (size_t i = 0; i < groups.n; i++) {
        const struct am_picks sound = am_picks_sound(&groups.items[i].picks);
        const struct am_pick *const best = am_picks_best(&sound);
        struct am_fact fact = am_fact_of(best, d->arena);

        fact.kind = AM_FACT_CAPABILITY;
        label_stream(d, &fact, level, best->result, "kernel,threads");
        offer(d, fact, "bandwidth", "bytes per second that these threads read and write");
        offer_gains(d, here, level, best);
    }
    if (level == AM_TIER_MEMORY)
        offer_fill(d, &plain);
}

void am_memory_derive_bandwidth(const struct am_deriving *d)
{
    struct level level = {.tiers = am_tiers_find(d->set, d->facts)};
    const struct am_selector selector = {"mem.bandwidth", "kernel threads>=1", "bandwidth"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);

    for (level.tier = AM_TIER_L1D; level.tier < AM_TIER_COUNT; level.tier++) {
        const struct am_picks here = am_picks_filter(&all, is_at, &level);

        derive_level(d, &here, level.tier);
    }
    am_facts_offer_speedups(d->facts, "bandwidth");
}

/* ---- mem.stanza, mem.loaded ---- */

void am_memory_derive_stanza(const struct am_deriving *d)
{
    const struct am_selector selector = {"mem.stanza", NULL, "bandwidth"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const char *const axes = am_picks_varying(&all, "length");
    const struct am_groups groups = am_picks_group(&all, axes);

    for (size_t i = 0; i < groups.n; i++) {
        const struct am_picks sound = am_picks_sound(&groups.items[i].picks);
        const struct am_picks curve = am_picks_curve(&sound, "length", NULL);
        struct am_fact knee = am_fact_of_knee(&curve, stanza_near_peak, d->arena), peak;

        if (curve.n < 2)
            continue;
        peak = am_fact_of(am_picks_best(&curve), d->arena);
        peak.kind = AM_FACT_CAPABILITY;
        am_fact_label_axes(&peak, curve.items[0].result, axes);
        am_fact_label_axes(&knee, curve.items[0].result, axes);
        offer(d, peak, "stanza_peak", "bandwidth of the best stanza, caches cold");
        offer(d, knee, "stanza_knee",
              "f64 elements in a row from which on gaps hardly cost bandwidth");
    }
}

/* The pick of the same result with another metric; its metric is NULL without it. */
static struct am_pick with_metric(const struct am_pick *pick, const char *metric)
{
    return (struct am_pick){pick->result, am_result_metric(pick->result, metric), NAN};
}

/* Latency beside the busiest generators, their bandwidth, and the price against the idlest. */
static void offer_loaded(const struct am_deriving *d, const struct am_picks *all,
                         const char *labels)
{
    const struct am_picks picks = am_picks_sound(all);
    const struct am_pick *const busy = am_picks_best(&picks), *idle = busy;
    struct am_pick busy_latency, idle_latency;
    struct am_fact facts[3];
    static const char *const names[][2] = {
        {"loaded_latency", "time of a load while the other threads stream"},
        {"loaded_bandwidth", "bytes per second that they move then"},
        {"loaded_penalty", "that latency over the one beside nearly idle threads"},
    };

    for (size_t i = 0; i < picks.n; i++) {
        if (picks.items[i].metric->summary.median < idle->metric->summary.median)
            idle = &picks.items[i];
    }
    busy_latency = with_metric(busy, "latency");
    idle_latency = with_metric(idle, "latency");
    if (idle == busy || !busy_latency.metric || !idle_latency.metric)
        return;
    facts[0] = am_fact_of(&busy_latency, d->arena);
    facts[1] = am_fact_of(busy, d->arena);
    facts[2] = am_fact_of_ratio(&busy_latency, &idle_latency, d->arena);
    for (size_t i = 0; i < 3; i++) {
        am_fact_label_axes(&facts[i], busy->result, labels);
        offer(d, facts[i], names[i][0], names[i][1]);
    }
}

void am_memory_derive_loaded(const struct am_deriving *d)
{
    const struct am_selector selector = {"mem.loaded", "traffic", "bandwidth"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const char *const more = am_picks_varying(&all, "delay,traffic");
    const char *const axes = am_arena_printf(d->arena, "traffic%s%s", *more ? "," : "", more);
    const struct am_groups groups = am_picks_group(&all, axes ? axes : "traffic");

    for (size_t i = 0; i < groups.n; i++)
        offer_loaded(d, &groups.items[i].picks, axes ? axes : "traffic");
}

/* ---- mem.numa ---- */

static bool is_local(const struct am_result *r, const void *wanted)
{
    return am_param_same(am_result_param(r, "cpu_node"), am_result_param(r, "memory_node")) ==
           *(const bool *)wanted;
}

/* The median over the pairs of nodes: memory of their own, and of another node. */
static void offer_nodes(const struct am_deriving *d, const char *name, const char *metric)
{
    static const char *const places[] = {"local", "remote"};
    static const char *const whose[] = {"their own", "another node's"};
    const struct am_selector selector = {"mem.numa", NULL, metric};
    const struct am_picks all = am_select(d->set, &selector, d->arena);

    for (size_t place = 0; place < 2; place++) {
        const bool local = place == 0;
        const struct am_picks nodes = am_picks_filter(&all, is_local, &local);
        const struct am_picks picks = am_picks_sound(&nodes);
        struct am_fact fact = am_fact_of_middle(&picks, d->arena);

        am_fact_label(&fact, d->arena, "place", AM_AXIS_NAME, places[place]);
        offer(d, fact, name,
              am_arena_printf(d->arena, "%s of a node's CPUs to %s memory", metric, whose[place]));
    }
}

void am_memory_derive_nodes(const struct am_deriving *d)
{
    offer_nodes(d, "node_latency", "latency");
    offer_nodes(d, "node_bandwidth", "bandwidth");
}
