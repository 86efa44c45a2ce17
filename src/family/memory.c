/* SPDX-License-Identifier: MIT */
/* The family of memory: caches, main memory, address translation, nodes.
 *
 * Facts carry the level they are about as a label: l1d, l2, l3 or memory. Their mathematics stands
 * in memory_levels.c (what dependent loads show) and memory_rates.c (what streams show); here are
 * the tables, and the guidelines made of the facts. */
#include "family/memory.h"

#include "family/families.h"
#include "family/roles.h"

#include <math.h>
#include <string.h>

/* Smaller effects are no advice. */
static const double worth = 1.1;
enum { SMALL_PAGE = 4096 };

static const struct am_fact_rule rules[] = {
    {.name = "line", .what = "bytes of a cache line", .derive = am_memory_derive_line},
    {.name = "ways", .what = "lines of a set", .labels = "level", .derive = am_memory_derive_ways},
    {.name = "levels,size,latency,cycles,latency_local,order,tlb_pages",
     .what = "levels of memory and of address translation",
     .labels = "level",
     .derive = am_memory_derive_levels},
    {.name = "parallelism",
     .what = "loads that one core keeps under way",
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

/* ---- guidelines ---- */

static bool say_levels(const struct am_facts *facts, struct am_arena *arena,
                       struct am_guideline *out)
{
    const struct am_fact *const l1 = am_facts_only(facts, "memory.latency", "level=l1d");
    const struct am_fact *const l2 = am_facts_only(facts, "memory.latency", "level=l2");
    const struct am_fact *const memory = am_facts_only(facts, "memory.latency", "level=memory");
    const struct am_fact *const size = am_facts_only(facts, "memory.size", "level=l2");

    if (!l1 || !l2 || !memory || !size || !(memory->ci.lo > worth * l2->ci.hi))
        return false;
    *out = (struct am_guideline){
        .text = am_arena_printf(
            arena,
            "Block for L2: keep what is used again below %.0f KiB per core. A load takes %.2g ns "
            "from L1, %.2g ns from L2 and %.3g ns from memory (%.0f x L2).",
            size->value / 1024, l1->value * 1e9, l2->value * 1e9, memory->value * 1e9,
            memory->value / l2->value),
        .evidence = am_arena_printf(arena, "%s, %s, %s, %s", size->id, l1->id, l2->id, memory->id),
        .command = "run mem.latency -p pattern=random",
        .grading = am_grading_worse(am_grading_worse(size->grading, l1->grading),
                                    am_grading_worse(l2->grading, memory->grading)),
    };
    return true;
}

/* ", and lose inside it (0.41 x in l2)", where that was measured. */
static const char *inside_caches(const struct am_facts *facts, const struct am_fact *gain,
                                 struct am_arena *arena)
{
    const struct am_fact *const inside = am_facts_least(
        facts, "memory.nt_gain",
        am_arena_printf(arena, "level!=memory threads=1 kernel=%s", am_fact_text(gain, "kernel")));
    const char *const text = inside && am_fact_is_decided(inside) && inside->ci.hi < 1
                                 ? am_arena_printf(arena, ", and lose inside it (%.2f x in %s)",
                                                   inside->value, am_fact_text(inside, "level"))
                                 : NULL;

    return text ? text : "";
}

/* Where the interval lies beyond 1 on one side: gained, or lost. */
static bool say_streaming(const struct am_facts *facts, struct am_arena *arena,
                          struct am_guideline *out)
{
    const struct am_fact *const f =
        am_facts_most(facts, "memory.nt_gain", "level=memory threads=1");
    const char *const kernel = f ? am_fact_text(f, "kernel") : NULL;
    const double cache = am_facts_value(facts, "memory.size", "level=l3");

    if (!kernel || !am_fact_is_decided(f) || (f->ci.lo <= worth && f->ci.hi >= 1))
        return false;
    out->text =
        f->ci.lo > worth
            ? am_arena_printf(
                  arena,
                  "Write large results with non-temporal stores: they gain %.2f x (%s) "
                  "beyond the last cache%s%s.",
                  f->value, kernel,
                  isfinite(cache) ? am_arena_printf(arena, " (%.3g MiB)", cache / 1048576) : "",
                  inside_caches(facts, f, arena))
            : am_arena_printf(arena,
                              "Leave non-temporal stores alone: even the kernel that they suit "
                              "best (%s) falls to %.2f x.",
                              kernel, f->value);
    out->evidence = am_arena_printf(arena, "%s, from %.2f to %.2f", f->id, f->ci.lo, f->ci.hi);
    out->command =
        am_arena_printf(arena, "run mem.bandwidth -p kernel=%s -p nt=0,1 -p size=1G", kernel);
    out->grading = f->grading;
    return true;
}

/* What filling the memory takes: one thread, some, or all that there are. */
static const char *threads_advice(const struct am_fact *fill, const struct am_fact *gain,
                                  struct am_arena *arena)
{
    const double most = am_fact_number(gain, "threads");

    if (fill->ci.hi < 2)
        return am_arena_printf(arena,
                               "One thread fills the memory: more of them gain only where the work "
                               "is in the caches (%.2f x here).",
                               gain->value);
    if (fill->value >= most && gain->ci.lo > worth)
        return am_arena_printf(arena,
                               "Use all threads for work that memory bounds: %.0f of them move "
                               "%.2f x what one does.",
                               most, gain->value);
    if (fill->ci.hi <= 2 * fill->ci.lo)
        return am_arena_printf(
            arena, "Use %.0f threads for work that memory bounds: more gain nothing.", fill->value);
    return am_arena_printf(arena,
                           "Not decided: memory is filled by some number of threads between %.0f "
                           "and %.0f.",
                           fill->ci.lo, fill->ci.hi);
}

static bool say_threads(const struct am_facts *facts, struct am_arena *arena,
                        struct am_guideline *out)
{
    static const char *const kernels[] = {"triad", "copy", "read"};

    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        const struct am_fact *const fill = am_facts_only(
            facts, "memory.fill_threads", am_arena_printf(arena, "kernel=%s", kernels[i]));
        const struct am_fact *const gain = am_facts_only(
            facts, "memory.speedup", am_arena_printf(arena, "level=memory kernel=%s", kernels[i]));

        if (!fill || !gain)
            continue;
        *out = (struct am_guideline){
            .text = threads_advice(fill, gain, arena),
            .evidence =
                am_arena_printf(arena, "%s = %.0f; %s", fill->id, fill->value, fill->evidence),
            .command = am_arena_printf(
                arena, "run mem.bandwidth -p kernel=%s -p threads=1:cpus -p size=1G", kernels[i]),
            .grading = am_grading_worse(fill->grading, gain->grading),
        };
        return true;
    }
    return false;
}

/* Lengths are measured in doublings at best: an interval wider than that decides nothing. */
static bool say_stanza(const struct am_facts *facts, struct am_arena *arena,
                       struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_only(facts, "memory.stanza_knee", NULL);

    if (!f)
        return false;
    *out = (struct am_guideline){
        .text = f->ci.hi <= 2 * f->ci.lo
                    ? am_arena_printf(arena,
                                      "Touch memory in rows of at least %.0f B (%.0f f64 "
                                      "elements): from there on gaps between them hardly cost "
                                      "bandwidth.",
                                      8 * f->value, f->value)
                    : am_arena_printf(arena,
                                      "Not decided: rows become long enough for gaps between them "
                                      "not to cost bandwidth somewhere between %.0f and %.0f B.",
                                      8 * f->ci.lo, 8 * f->ci.hi),
        .evidence = am_arena_printf(arena, "%s: %s", f->id, f->evidence),
        .command = "run mem.stanza",
        .grading = f->grading,
    };
    return true;
}

static bool say_parallelism(const struct am_facts *facts, struct am_arena *arena,
                            struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_only(facts, "memory.parallelism", NULL);

    if (!f || !(f->ci.lo >= 2))
        return false;
    *out = (struct am_guideline){
        .text = am_arena_printf(
            arena,
            "Make misses independent: one core keeps %.0f loads under way, so that a chain of "
            "dependent ones (a list, a tree) is up to %.0f times slower than as many loads whose "
            "addresses are known.",
            f->value, f->value),
        .evidence = am_arena_printf(arena, "%s = %.3g (%s)", f->id, f->value, f->evidence),
        .command = "run mem.parallel",
        .grading = f->grading,
    };
    return true;
}

static bool say_pages(const struct am_facts *facts, struct am_arena *arena,
                      struct am_guideline *out)
{
    const struct am_fact *const f = am_facts_only(facts, "memory.tlb_pages", "level=l2");
    const double cache = am_facts_value(facts, "memory.size", "level=l3");

    if (!f)
        return false;
    *out = (struct am_guideline){
        .text = am_arena_printf(
            arena,
            "Random access beyond %.3g MiB pays for address translation%s: try "
            "huge pages.",
            f->value * SMALL_PAGE / 1048576,
            f->ci.hi * SMALL_PAGE < cache ? ", even for what the last cache would hold" : ""),
        .evidence = am_arena_printf(arena, "%s = %.0f of 4 KiB", f->id, f->value),
        .command = "run mem.tlb mem.latency -p pages=small,huge",
        .grading = f->grading,
    };
    return true;
}

static const struct am_guideline_rule guidelines[] = {
    {"memory.levels", say_levels},
    {"memory.streaming", say_streaming},
    {"memory.threads", say_threads},
    {"memory.stanza", say_stanza},
    {"memory.parallelism", say_parallelism},
    {"memory.pages", say_pages},
    {NULL, NULL},
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
    .guidelines = guidelines,
    .headlines = headlines,
    .bounds = bounds,
    .tries = tries,
};
