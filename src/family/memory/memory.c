/* SPDX-License-Identifier: MIT */
/* The family of memory: caches, main memory, address translation, nodes.
 *
 * Facts carry the level they are about as a label: l1d, l2, l3 or memory. Their mathematics stands
 * in memory_levels.c (what dependent loads show) and memory_rates.c (what streams show), the
 * guidelines made of them in guides/memory_guides.c, the figures in memory_figures.c. */
#include "family/memory/memory.h"

#include "family/families.h"
#include "family/roles.h"
#include "family/tiers.h"

#include <math.h>
#include <string.h>

/* Where the curve ends before memory's own latency shows (large caches, few sizes): that of the
 * largest set, if it is beyond the last cache; memory's is at least that. */
static void derive_largest(const struct am_deriving *d)
{
    const struct am_selector selector = {
        "mem.latency", "pattern?=random stride?=64 chains?=1 pages?=any", "latency"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_picks sound = am_picks_sound(&all);
    const struct am_picks largest = am_picks_extreme(&sound, "size", false);
    const struct am_tiers tiers = am_tiers_find(d->set, d->facts);
    const char *several = NULL;
    const struct am_pick *const last = am_picks_only(&largest, &several);
    struct am_reach reach;
    struct am_fact fact;

    if (!last || !am_facts_only(d->facts, "memory.levels", NULL) ||
        am_facts_only(d->facts, "memory.latency", "level=memory"))
        return;
    reach = am_tiers_reach(last->result);
    if (am_tiers_of(&tiers, am_result_number(last->result, "size"), &reach) != AM_TIER_MEMORY)
        return;
    fact = am_fact_of(last, d->arena);
    fact.name = "latency_largest";
    fact.what = "load latency of the largest set: memory's is at least that";
    am_facts_offer(d->facts, fact);
}

static const struct am_fact_rule rules[] = {
    {.name = "line", .what = "bytes of a cache line", .derive = am_memory_derive_line},
    {.name = "ways", .what = "lines of a set", .labels = "level", .derive = am_memory_derive_ways},
    {.name = "levels,size,latency,cycles,latency_local,order,tlb_pages",
     .what = "levels of memory and of address translation",
     .labels = "level",
     .derive = am_memory_derive_levels},
    {.name = "latency_largest",
     .what = "load latency of the largest set, where memory's own is not concluded",
     .derive = derive_largest},
    {.name = "huge_gain",
     .what = "random loads of the largest set on small pages, over huge ones",
     .derive = am_memory_derive_huge},
    {.name = "parallelism",
     .what = "loads that one core keeps under way",
     .labels = "level",
     .derive = am_memory_derive_parallelism},
    {.name = "bandwidth,prefetch_gain,hwprefetch_gain,nt_gain,fill_threads,speedup",
     .what = "bytes per second, and what raises them",
     .labels = "level,kernel,threads",
     .derive = am_memory_derive_bandwidth},
    {.name = "stanza_peak,stanza_knee",
     .what = "contiguous pieces with gaps between them",
     .derive = am_memory_derive_stanza},
    {.name = "loaded_latency,loaded_bandwidth,loaded_penalty",
     .what = "loads while other threads stream",
     .labels = "traffic",
     .derive = am_memory_derive_loaded},
    {.name = "node_latency,node_bandwidth",
     .what = "memory of one node and of others",
     .labels = "place",
     .derive = am_memory_derive_nodes},
    {.name = NULL},
};

/* ---- headlines, bounds ---- */

#define RATE(title_, row_, where_, rank_, place_)                                                  \
    {                                                                                              \
        .title = title_, .fact = "memory.bandwidth", .where = where_, .rank = rank_,               \
        .place = place_, .row = row_                                                               \
    }
#define LEVEL(name_, label_, rank_)                                                                \
    {.title = name_ " cache found",                                                                \
     .fact = "memory.size",                                                                        \
     .where = "level=" label_,                                                                     \
     .rank = rank_,                                                                                \
     .place = AM_HEADLINE_SIZE,                                                                    \
     .row = name_},                                                                                \
        {.title = name_ " latency",                                                                \
         .fact = "memory.latency",                                                                 \
         .where = "level=" label_,                                                                 \
         .least = true,                                                                            \
         .rank = rank_,                                                                            \
         .place = AM_HEADLINE_NOTE,                                                                \
         .row = name_},                                                                            \
        RATE(name_ " read, one thread", name_, "level=" label_ " kernel=read threads=1", rank_,    \
             AM_HEADLINE_ONE),                                                                     \
        RATE(name_ " read, best", name_, "level=" label_ " kernel=read threads>1", rank_,          \
             AM_HEADLINE_ALL)

static const struct am_headline headlines[] = {
    RATE("memory read, one thread", "memory read", "level=memory kernel=read threads=1", 30,
         AM_HEADLINE_ONE),
    RATE("memory read, best", "memory read", "level=memory kernel=read threads>1", 30,
         AM_HEADLINE_ALL),
    RATE("memory triad, one thread", "memory triad", "level=memory kernel=triad threads=1", 31,
         AM_HEADLINE_ONE),
    RATE("memory triad, best", "memory triad", "level=memory kernel=triad threads>1", 31,
         AM_HEADLINE_ALL),
    {.title = "memory latency",
     .fact = "memory.latency",
     .where = "level=memory",
     .least = true,
     .rank = 32,
     .row = "memory latency"},
    {.title = "memory latency",
     .fact = "memory.node_latency",
     .where = "place=local",
     .least = true,
     .rank = 32,
     .row = "memory latency"},
    {.title = "memory latency, at least",
     .fact = "memory.latency_largest",
     .rank = 32,
     .row = "memory latency",
     .word = "at least"},
    {.title = "memory latency, loaded",
     .fact = "memory.loaded_latency",
     .rank = 32,
     .place = AM_HEADLINE_ALL,
     .row = "memory latency",
     .word = "loaded"},
    LEVEL("L1", "l1d", 40),
    LEVEL("L2", "l2", 41),
    LEVEL("L3", "l3", 42),
    {.title = NULL},
};

static const struct am_bound_row bounds[] = {
    {.bench = "mem.bandwidth", .role = AM_BOUND_BYTES},
    {.bench = "mem.stanza", .cold = true},
    {.bench = "mem.numa",
     .role = AM_BOUND_FOREIGN,
     .why = "reads by all CPUs of a node, which the point does not state"},
    {.bench = "mem.loaded", .role = AM_BOUND_FOREIGN, .why = "two kinds of work at once"},
    {.bench = NULL},
};

/* ---- what to try next ---- */

static const char *try_length(const struct am_trying *t)
{
    const struct am_fact *const f = am_facts_only(t->facts, "memory.stanza_knee", NULL);

    if (!f || strcmp(t->result->bench, "mem.stanza") != 0 ||
        !(am_result_number(t->result, "length") < f->value))
        return NULL;
    return am_arena_printf(t->arena, "rows of %.0f elements or more", f->value);
}

/* Whether the point agrees in every label that is an axis of its own. */
static bool is_like(const struct am_fact *f, const struct am_result *r)
{
    for (size_t i = 0; i < f->n_labels; i++) {
        const struct am_result_param *const own = am_result_param(r, f->labels[i].name);

        if (own && !am_param_same(own, &f->labels[i]))
            return false;
    }
    return true;
}

/* A gain that was measured with the point's kernel (a copy, where it has none) and threads at its
 * level of memory, and is worth a change of code. */
static const struct am_fact *gain(const struct am_trying *t, const char *name)
{
    const char *const kernel = am_result_text(t->result, "kernel");
    const char *const where =
        t->level ? am_arena_printf(t->arena, "level=%s kernel=%s threads=%.0f", t->level,
                                   kernel ? kernel : "copy", am_result_threads(t->result))
                 : NULL;
    const struct am_fact *f = where ? am_facts_next(t->facts, name, where, NULL) : NULL;

    while (f && !is_like(f, t->result))
        f = am_facts_next(t->facts, name, where, f);
    return f && am_fact_is_decided(f) && f->ci.lo >= 1 && f->value >= t->worth ? f : NULL;
}

static const char *try_nt(const struct am_trying *t)
{
    const struct am_fact *const f = gain(t, "memory.nt_gain");
    const char *const nt = am_result_text(t->result, "nt");

    if (!f || strcmp(t->level, "memory") != 0 || !(t->result->work.bytes_written > 0) ||
        (nt && strcmp(nt, "0") != 0))
        return NULL;
    return am_arena_printf(t->arena, "non-temporal stores: %.2f x", f->value);
}

static const char *try_prefetch(const struct am_trying *t)
{
    const struct am_fact *const f = gain(t, "memory.prefetch_gain");

    if (!f || am_result_number(t->result, "prefetch") > 0)
        return NULL;
    return am_arena_printf(t->arena, "software prefetch: %.2f x", f->value);
}

static am_try_fn *const tries[] = {try_length, try_nt, try_prefetch, NULL};

const struct am_family am_family_memory = {
    .name = "memory",
    .title = "Memory",
    .facts = rules,
    .figures = am_memory_figures,
    .guidelines = am_memory_guidelines,
    .headlines = headlines,
    .bounds = bounds,
    .tries = tries,
};
