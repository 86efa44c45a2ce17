/* SPDX-License-Identifier: MIT */
/* What mem.bandwidth shows: bytes a second of each level of memory, and what raises them. */
#include "model/derive.h"
#include "family/tiers.h"

#include <math.h>
#include <string.h>

/* As many threads as come this close reach the peak. */
static const double near_peak = 0.95;

/* What a group of results has in common. */
struct group {
    const char *kernel, *level;
    const char *hwprefetch; /* the processor's own prefetchers */
    double threads;
    bool nt, prefetch;
};

/* One result that was measured. */
struct entry {
    struct group group;
    const struct am_result *result;
    struct am_summary summary;
};

struct table {
    struct entry *entries;
    size_t n;
};

/* "cache.l1d" to "memory", or NULL. */
static const char *level_of(const struct am_tiers *levels, const struct am_result *r)
{
    const enum am_tier level =
        am_tiers_of(levels, am_result_number(r, "size"), am_result_number(r, "threads"));

    return level < AM_TIER_COUNT ? am_tier_id(level) : NULL;
}

static bool text_is(const struct am_result *r, const char *param, const char *value)
{
    const char *const text = am_result_text(r, param);

    return text && strcmp(text, value) == 0;
}

/* As they are, and what those results are grouped under that had no such parameter. */
static const char as_is[] = "as-is";

/* False when the result belongs to no group. */
static bool group_of(const struct am_tiers *levels, const struct am_result *r, struct group *out)
{
    const char *const hwprefetch = am_result_text(r, "hwprefetch");

    if (strcmp(r->bench, "mem.bandwidth") != 0)
        return false;
    *out = (struct group){
        .kernel = am_result_text(r, "kernel"),
        .level = level_of(levels, r),
        .hwprefetch = hwprefetch ? hwprefetch : as_is,
        .threads = am_result_number(r, "threads"),
        .nt = text_is(r, "nt", "1"),
        .prefetch = am_result_number(r, "prefetch") > 0, /* absent: runs before there was one */
    };
    return out->kernel && out->level && out->threads >= 1;
}

/* The same but for the number of threads. */
static bool same_kind(const struct group *a, const struct group *b)
{
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->level, b->level) == 0 && a->nt == b->nt &&
           a->prefetch == b->prefetch && strcmp(a->hwprefetch, b->hwprefetch) == 0;
}

static bool same_threads(const struct group *a, const struct group *b)
{
    return fabs(a->threads - b->threads) < 0.5;
}

static struct table make_table(const struct am_result_set *set, const struct am_facts *facts)
{
    const struct am_tiers levels = am_tiers_find(set, facts);
    struct table t = {.entries = am_arena_array(facts->arena, set->n + 1, sizeof(*t.entries))};

    for (size_t i = 0; i < set->n && t.entries; i++) {
        struct entry *const e = &t.entries[t.n];

        e->result = &set->results[i];
        if (group_of(&levels, e->result, &e->group) &&
            am_result_summary(e->result, "bandwidth", &e->summary))
            t.n++;
    }
    return t;
}

/* The best of a group over whatever else was varied: instruction set, size, pages, distance. NULL
 * when there is none. */
static const struct entry *find_best(const struct table *t, const struct group *wanted,
                                     bool any_threads)
{
    const struct entry *best = NULL;

    for (size_t i = 0; i < t->n; i++) {
        const struct entry *const e = &t->entries[i];

        if (same_kind(&e->group, wanted) && (any_threads || same_threads(&e->group, wanted)) &&
            (!best || e->summary.median > best->summary.median))
            best = e;
    }
    return best;
}

static const char *stem_of(const struct group *g, struct am_arena *arena)
{
    if (g->threads > 1)
        return am_arena_printf(arena, "%s.bandwidth.%s.threads%.0f", g->level, g->kernel,
                               g->threads);
    return am_arena_printf(arena, "%s.bandwidth.%s", g->level, g->kernel);
}

static void add_rate(struct am_facts *facts, const struct entry *best)
{
    const bool several = best->group.threads > 1;

    am_facts_offer(facts, (struct am_fact){
                              .id = stem_of(&best->group, facts->arena),
                              .what = several ? "bytes a second that these threads read and write"
                                              : "bytes a second that one thread reads and writes",
                              .unit = "B/s",
                              .value = best->summary.median,
                              .ci = best->summary.ci,
                              .evidence = am_arena_printf(facts->arena, "mem.bandwidth %s",
                                                          best->result->text),
                          });
}

static void add_gain(struct am_facts *facts, const char *word, const char *what,
                     const struct entry *with, const struct entry *without)
{
    const char *const stem = with ? stem_of(&with->group, facts->arena) : NULL;
    struct am_fact fact = {.what = what, .unit = ""};

    if (!without || !stem)
        return;
    am_fact_set_ratio(&fact, &with->summary, &without->summary);
    fact.id = am_arena_printf(facts->arena, "%s.%s", stem, word);
    fact.evidence = am_arena_printf(facts->arena, "mem.bandwidth %s over %s", with->result->text,
                                    without->result->text);
    am_facts_offer(facts, fact);
}

/* The fewest threads that come near the best number of them. */
static void add_threads(const struct table *t, struct am_facts *facts, const struct group *g)
{
    const struct entry *const peak = find_best(t, g, true);
    double fewest = peak->group.threads, below = 0;
    bool several = false;

    for (size_t i = 0; i < t->n; i++) {
        const struct entry *const e = &t->entries[i];

        if (!same_kind(&e->group, g))
            continue;
        several |= !same_threads(&e->group, g);
        if (e->summary.median >= near_peak * peak->summary.median)
            fewest = fmin(fewest, e->group.threads);
    }
    for (size_t i = 0; i < t->n; i++) {
        const struct group *const x = &t->entries[i].group;

        if (same_kind(x, g) && x->threads < fewest)
            below = fmax(below, x->threads);
    }
    if (!several) /* one number of threads tells nothing of others */
        return;
    am_facts_offer(
        facts,
        (struct am_fact){
            .id = am_arena_printf(facts->arena, "%s.bandwidth.%s.threads", g->level, g->kernel),
            .what = "threads that reach the highest bandwidth",
            .unit = "",
            .value = fewest,
            .ci = {below + 1, fewest, NAN},
            .evidence =
                am_arena_printf(facts->arena, "the fewest within %.0f %% of mem.bandwidth %s",
                                100 * (1 - near_peak), peak->result->text),
        });
}

static void add_all(const struct table *t, struct am_facts *facts, const struct entry *plain)
{
    struct group ahead = plain->group, past = plain->group, off = plain->group;

    ahead.prefetch = true;
    past.nt = true;
    off.hwprefetch = "off";
    add_rate(facts, plain);
    add_gain(facts, "prefetch_gain", "gain by software prefetch", find_best(t, &ahead, false),
             plain);
    add_gain(facts, "hwprefetch_gain", "gain by the processor's own prefetchers", plain,
             find_best(t, &off, false));
    if (strcmp(plain->group.level, "memory") != 0)
        return;
    add_gain(facts, "nt_gain", "gain by stores past the caches", find_best(t, &past, false), plain);
    add_threads(t, facts, &plain->group);
}

void am_derive_bandwidth(const struct am_result_set *set, struct am_facts *facts)
{
    const struct table t = make_table(set, facts);

    for (size_t i = 0; i < t.n; i++) {
        const struct entry *const e = &t.entries[i];

        if (!e->group.nt && !e->group.prefetch && strcmp(e->group.hwprefetch, as_is) == 0 &&
            find_best(&t, &e->group, false) == e)
            add_all(&t, facts, e); /* once a group */
    }
}
