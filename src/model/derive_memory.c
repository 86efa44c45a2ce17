/* SPDX-License-Identifier: MIT */
/* What the chases show of caches and memory: sizes, latencies, line, ways, parallelism. The method
 * is Saavedra and Smith's: levels are plateaus of latency over working set, sizes are knees. */
#include "fit/curve.h"
#include "model/derive.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* Latencies of neighbouring levels differ by more than this factor on every machine we know. */
static const double level_ratio = 1.4;
/* A claim within this of the measured interval is not contradicted. */
static const double tolerance = 0.15;
/* The second load of a pair costs this much more, pair for pair, once it needs a line of its own.
 */
static const double line_step = 1.15;
/* More cells than a set has ways: the latency rises by this factor. */
static const double ways_step = 1.4;

static const char *const level_names[] = {"l1d", "l2", "l3", "l4"};

enum {
    CURVE_MIN = 4,         /* points that a curve has at least */
    L1D_LEAST = 16 * 1024, /* bytes of the smallest first-level cache in use */
    LEVEL_NAMES = sizeof(level_names) / sizeof(level_names[0])
};

/* ---- curves of a run ---- */

enum { PARAMS_MAX = 4 };

/* Which results of a bench make a curve over an axis: those with these values of other axes. A
 * result without such an axis, of another version of the bench, is not left out for it. */
struct choice {
    const char *bench, *axis, *metric;
    struct am_kv params[PARAMS_MAX]; /* ended by a key of NULL */
};

static bool fits(const struct am_result *r, const struct choice *c)
{
    if (strcmp(r->bench, c->bench) != 0)
        return false;
    for (size_t i = 0; i < PARAMS_MAX && c->params[i].key; i++) {
        const char *const text = am_result_text(r, c->params[i].key);

        if (text && (!c->params[i].value || strcmp(text, c->params[i].value) != 0))
            return false;
    }
    return true;
}

static struct am_curve gather(const struct am_result_set *set, const struct choice *choice,
                              struct am_arena *arena)
{
    struct am_curve curve = {0};

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_summary s;

        if (fits(r, choice) && am_result_summary(r, choice->metric, &s))
            (void)am_curve_add(
                &curve, arena,
                (struct am_curve_point){am_result_number(r, choice->axis), s.p5, s.median, s.p95});
    }
    return curve;
}

/* The text of the least (or greatest) value of a parameter among a bench's results; NULL when it
 * has none. */
static const char *extreme(const struct am_result_set *set, const char *bench, const char *param,
                           bool greatest)
{
    const struct am_result *found = NULL;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const double value = am_result_number(r, param);

        if (strcmp(r->bench, bench) != 0 || r->state != AM_POINT_OK || !isfinite(value))
            continue;
        if (!found || (value > am_result_number(found, param)) == greatest)
            found = r;
    }
    return found ? am_result_text(found, param) : NULL;
}

/* The single chase over all lines in this order; on the pages that programs get, if there are such
 * results. */
static struct am_curve latency_curve(const struct am_result_set *set, const char *pattern,
                                     const char *metric, struct am_arena *arena)
{
    static const char *const pages[] = {"any", "huge", "small"};
    struct am_curve curve = {0};

    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]) && curve.n < CURVE_MIN; i++) {
        const struct choice choice = {
            "mem.latency",
            "size",
            metric,
            {{"pattern", pattern}, {"pages", pages[i]}, {"stride", "64"}, {"chains", "1"}}};

        curve = gather(set, &choice, arena);
    }
    return curve;
}

/* "48 KiB", "1.5 MiB". */
static const char *size_text(double bytes, struct am_arena *arena)
{
    const bool small = bytes < 1048576;
    const char *const text =
        am_arena_printf(arena, "%.4g %s", bytes / (small ? 1024 : 1048576), small ? "KiB" : "MiB");

    return text ? text : "?";
}

/* ---- claims ---- */

static double claimed_bytes(const struct am_result_set *set, const char *key)
{
    const char *const text = am_kvs_get(&set->machine, key);
    double bytes;

    return text && am_parse_f64(text, strlen(text), &bytes) && bytes > 0 ? bytes : NAN;
}

/* Attaches what the system claims, in bytes, and whether the measurement denies it. */
static void claim_bytes(struct am_fact *fact, double bytes, struct am_arena *arena)
{
    if (!isfinite(bytes))
        return;
    fact->claimed = am_arena_printf(arena, "%.0f %s", bytes, fact->unit);
    fact->contradicts =
        bytes < fact->ci.lo * (1 - tolerance) || bytes > fact->ci.hi * (1 + tolerance);
}

/* ---- caches ---- */

/* All that is known about the levels of one run. */
struct hierarchy {
    const struct am_result_set *set;
    struct am_facts *facts;
    struct am_curve cycles, seconds; /* random order */
    struct am_plateaus levels;       /* of cycles */
    size_t caches;                   /* the levels before the last, which is memory */
};

static void add_size(const struct hierarchy *h, size_t i)
{
    static const char *const keys[] = {"l1d_bytes", "l2_bytes", "l3_bytes"};
    struct am_arena *const arena = h->facts->arena;
    const double below = h->levels.items[i].level, above = h->levels.items[i + 1].level;
    struct am_fact fact = {
        .id = am_arena_printf(arena, "cache.%s.size", level_names[i]),
        .what = am_arena_printf(arena, "effective capacity of %s", level_names[i]),
        .unit = "B",
    };

    /* inner caches belong to the core: the least disturbed samples show them. The last one may be
     * shared: what is typically left of it is what a program gets. */
    if (!am_curve_crossing(&h->cycles, 0.5 * (below + above),
                           i + 1 == h->caches && i > 0 ? AM_CURVE_TYPICAL : AM_CURVE_BEST,
                           &fact.value, &fact.ci))
        return;
    fact.evidence = am_arena_printf(
        arena, "mem.latency, random order: half way from %.3g to %.3g cycles", below, above);
    if (i < sizeof(keys) / sizeof(keys[0]))
        claim_bytes(&fact, claimed_bytes(h->set, keys[i]), arena);
    am_facts_offer(h->facts, fact);
}

static void add_latency(const struct hierarchy *h, size_t i)
{
    struct am_arena *const arena = h->facts->arena;
    const struct am_plateau *const p = &h->levels.items[i];
    const bool memory = i >= h->caches;
    const char *const name = memory ? "memory" : am_arena_printf(arena, "cache.%s", level_names[i]);
    const struct am_curve *const s = &h->seconds;
    const char *const evidence =
        am_arena_printf(arena, "mem.latency, random order: plateau from %s to %s",
                        size_text(h->cycles.points[p->first].x, arena),
                        size_text(h->cycles.points[p->last].x, arena));
    struct am_fact cycles = {
        .id = am_arena_printf(arena, "%s.cycles", name),
        .what = memory ? "load latency of memory, TLB misses included" : "load latency",
        .unit = "cycle",
        .value = p->typical,
        .ci = {p->lo, p->hi, NAN},
        .evidence = evidence,
    };
    struct am_fact seconds = cycles;

    if (p->typical < 1) {
        cycles.claimed = "1 cycle at least, on any core";
        cycles.contradicts = true;
    }
    if (s->n == h->cycles.n) {
        seconds.id = am_arena_printf(arena, "%s.latency", name);
        seconds.unit = "s";
        seconds.value = s->points[(p->first + p->last) / 2].typical;
        seconds.ci =
            (struct am_interval){s->points[p->first].best, s->points[p->last].typical, NAN};
        am_facts_offer(h->facts, seconds);
    }
    am_facts_offer(h->facts, cycles);
}

/* The last plateau is memory if the working sets went well beyond the largest cache claimed;
 * nothing claimed: if there are several levels at all. */
static size_t count_caches(const struct hierarchy *h)
{
    static const char *const keys[] = {"l3_bytes", "l2_bytes", "l1d_bytes"};
    const double largest = h->cycles.n ? h->cycles.points[h->cycles.n - 1].x : 0;
    double claimed = NAN;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !isfinite(claimed); i++)
        claimed = claimed_bytes(h->set, keys[i]);
    if (h->levels.n < 2 || largest < 2 * claimed)
        return h->levels.n;
    return h->levels.n - 1;
}

/* Looks at the curve before it is settled: every sample of a larger working set lies below every
 * one of a smaller set. No cache does that; the machine changed meanwhile. */
static void derive_falls(const struct hierarchy *h)
{
    const struct am_curve_point *const p = h->cycles.points, *slow = NULL, *fast = NULL;
    double fall = 1 - tolerance;

    for (size_t i = 0; i < h->cycles.n; i++) {
        for (size_t k = 0; k < h->cycles.n; k++) {
            if (p[k].x > p[i].x && p[k].worst < fall * p[i].best) {
                fall = p[k].worst / p[i].best;
                slow = &p[i];
                fast = &p[k];
            }
        }
    }
    if (!slow)
        return;
    am_facts_offer(
        h->facts,
        (struct am_fact){
            .id = "memory.order",
            .what = "latency of a larger working set over that of a smaller one",
            .unit = "",
            .value = fast->typical / slow->typical,
            .ci = {fast->best / slow->worst, fast->worst / slow->best, NAN},
            .evidence = am_arena_printf(
                h->facts->arena, "mem.latency, random order: %.3g cycles over %s, %.3g over %s",
                slow->typical, size_text(slow->x, h->facts->arena), fast->typical,
                size_text(fast->x, h->facts->arena)),
            .claimed = "1 or more: the larger the set, the less of it a cache holds",
            .contradicts = true,
        });
}

/* The first plateau is the first cache only if there is a working set that fits it well. */
static bool begins_inside(const struct hierarchy *h)
{
    const double claimed = claimed_bytes(h->set, "l1d_bytes");

    return h->levels.n > 0 && h->cycles.points[h->levels.items[0].first].x <=
                                  0.75 * (isfinite(claimed) ? claimed : L1D_LEAST);
}

static void derive_caches(struct hierarchy *h)
{
    struct am_arena *const arena = h->facts->arena;

    h->cycles = latency_curve(h->set, "random", "cycles", arena);
    h->seconds = latency_curve(h->set, "random", "latency", arena);
    derive_falls(h);
    (void)am_curve_settle(&h->cycles);
    (void)am_curve_settle(&h->seconds);
    h->levels = am_curve_plateaus(&h->cycles, level_ratio);
    if (!begins_inside(h))
        h->levels.n = 0;
    h->caches = count_caches(h);
    if (h->caches > LEVEL_NAMES)
        h->caches = LEVEL_NAMES;
    for (size_t i = 0; i < h->levels.n; i++) {
        if (i < h->caches && i + 1 < h->levels.n)
            add_size(h, i);
        if (i < h->caches || i + 1 == h->levels.n)
            add_latency(h, i);
    }
}

/* Memory as seen by code that stays within the reach of the TLB. */
static void derive_local(const struct hierarchy *h)
{
    struct am_arena *const arena = h->facts->arena;
    struct am_curve curve = latency_curve(h->set, "local", "latency", arena);
    struct am_plateaus levels;
    const struct am_plateau *last;

    (void)am_curve_settle(&curve);
    levels = am_curve_plateaus(&curve, level_ratio);
    if (levels.n < 2 || h->caches == h->levels.n)
        return;
    last = &levels.items[levels.n - 1];
    am_facts_offer(h->facts, (struct am_fact){
                                 .id = "memory.latency.local",
                                 .what = "load latency of memory, 64 pages at a time",
                                 .unit = "s",
                                 .value = last->typical,
                                 .ci = {last->lo, last->hi, NAN},
                                 .evidence = am_arena_printf(
                                     arena, "mem.latency, local order: plateau from %s to %s",
                                     size_text(curve.points[last->first].x, arena),
                                     size_text(curve.points[last->last].x, arena)),
                             });
}

/* ---- line and ways ---- */

static void derive_line(const struct am_result_set *set, struct am_facts *facts)
{
    const struct choice choice = {
        "mem.line", "stride", "cycles", {{"size", extreme(set, "mem.line", "size", false)}}};
    struct am_curve curve = gather(set, &choice, facts->arena);
    double step = line_step;
    size_t at = 0;

    (void)am_curve_settle(&curve);
    for (size_t i = 1; i < curve.n; i++) {
        const double ratio = curve.points[i].best / curve.points[i - 1].best;

        if (curve.points[i].x > curve.points[i - 1].x && ratio > step) {
            step = ratio;
            at = i;
        }
    }
    if (at == 0)
        return;
    am_facts_offer(
        facts,
        (struct am_fact){
            .id = "cache.line",
            .what = "bytes of a cache line",
            .unit = "B",
            .value = curve.points[at].x,
            .ci = {fmin(2 * curve.points[at - 1].x, curve.points[at].x), curve.points[at].x, NAN},
            .evidence = am_arena_printf(
                facts->arena,
                "mem.line: a pair costs %.3g cycles a load %.0f B apart, %.3g at %.0f B",
                curve.points[at - 1].best, curve.points[at - 1].x, curve.points[at].best,
                curve.points[at].x),
        });
}

static void derive_ways(const struct am_result_set *set, struct am_facts *facts)
{
    static const struct choice choice = {"mem.ways", "cells", "cycles", {{"stride", "65536"}}};
    struct am_curve curve = gather(set, &choice, facts->arena);

    (void)am_curve_settle(&curve);
    for (size_t i = 1; i < curve.n; i++) {
        const struct am_curve_point *const p = &curve.points[i];

        if (p->best < ways_step * curve.points[0].best)
            continue;
        am_facts_offer(
            facts,
            (struct am_fact){
                .id = "cache.l1d.ways",
                .what = "lines of a set of l1d",
                .unit = "",
                .value = p[-1].x,
                .ci = {p[-1].x, p->x - 1, NAN},
                .evidence = am_arena_printf(
                    facts->arena,
                    "mem.ways: %.0f lines of one set take %.3g cycles a load, %.0f take %.3g",
                    p[-1].x, p[-1].best, p->x, p->best),
            });
        return;
    }
}

/* ---- parallelism ---- */

/* Misses that one core keeps under way: latency of one chase over time a load of the best number of
 * them, in the largest working set; of the least disturbed samples of both. */
static void derive_parallelism(const struct am_result_set *set, struct am_facts *facts)
{
    const char *const size = extreme(set, "mem.parallel", "size", true);
    const struct choice choice = {"mem.parallel", "chains", "load_time", {{"size", size}}};
    const struct am_curve curve = gather(set, &choice, facts->arena);
    const struct am_curve_point *best = curve.points, *one = curve.points;
    double least, typical;

    for (size_t i = 0; i < curve.n; i++) {
        best = curve.points[i].best < best->best ? &curve.points[i] : best;
        one = curve.points[i].x < one->x ? &curve.points[i] : one;
    }
    if (curve.n < 2 || one->x > 1)
        return;
    least = one->best / best->best;
    typical = one->typical / best->typical;
    am_facts_offer(facts,
                   (struct am_fact){
                       .id = "memory.parallelism",
                       .what = "loads one core keeps under way",
                       .unit = "",
                       .value = least,
                       .ci = {fmin(least, typical), fmax(least, typical), NAN},
                       .evidence = am_arena_printf(
                           facts->arena,
                           "mem.parallel over %s B: %.3g ns for one chase, %.3g ns a load for %.0f",
                           size, one->best * 1e9, best->best * 1e9, best->x),
                   });
}

/* ---- TLBs ---- */

/* What a load of one line a page costs beyond a load of as many lines close together, over the
 * number of pages. The same caches hold both: the rest is translation. */
static struct am_curve translation_curve(const struct hierarchy *h, double line)
{
    static const struct choice choice = {"mem.tlb", "size", "cycles", {{"pages", "small"}}};
    struct am_arena *const arena = h->facts->arena;
    const struct am_curve raw = gather(h->set, &choice, arena);
    const double least = h->cycles.points[0].typical;
    struct am_curve curve = {0};

    for (size_t i = 0; i < raw.n; i++) {
        const struct am_curve_point *const p = &raw.points[i];
        const double pages = floor(p->x / 4096);
        const double base = am_curve_at(&h->cycles, pages * line) - least;

        (void)am_curve_add(&curve, arena,
                           (struct am_curve_point){pages, fmax(p->best - base, least),
                                                   fmax(p->typical - base, least),
                                                   fmax(p->worst - base, least)});
    }
    (void)am_curve_settle(&curve);
    return curve;
}

static void derive_tlb(const struct hierarchy *h)
{
    static const char *const ids[] = {"tlb.l1d.pages", "tlb.l2.pages"};
    static const char *const whats[] = {"small pages in reach of the first-level data TLB",
                                        "small pages in reach of the second-level TLB"};
    const struct am_fact *const line = am_facts_find(h->facts, "cache.line");
    struct am_arena *const arena = h->facts->arena;
    struct am_curve curve;
    struct am_plateaus levels;

    if (h->cycles.n < CURVE_MIN)
        return;
    curve = translation_curve(h, line ? line->value : 64);
    levels = am_curve_plateaus(&curve, level_ratio);
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]) && i < levels.n; i++) {
        const double level = levels.items[i].level;
        struct am_fact fact = {.id = ids[i], .what = whats[i], .unit = ""};

        /* a page walk costs more the more pages there are: there may be no plateau above */
        if (!am_curve_crossing(&curve, ways_step * level, AM_CURVE_BEST, &fact.value, &fact.ci))
            return;
        fact.evidence = am_arena_printf(
            arena, "mem.tlb on small pages less mem.latency for as many lines: beyond %.3g cycles",
            level);
        am_facts_offer(h->facts, fact);
    }
}

void am_derive_memory(const struct am_result_set *set, struct am_facts *facts)
{
    struct hierarchy h = {.set = set, .facts = facts};

    derive_caches(&h);
    derive_local(&h);
    derive_line(set, facts);
    derive_ways(set, facts);
    derive_tlb(&h);
    derive_parallelism(set, facts);
}
