/* SPDX-License-Identifier: MIT */
/* What the chases show of the levels of memory: sizes, latencies, line, ways, TLBs, parallelism.
 *
 * The method is Saavedra and Smith's: levels are plateaus of latency over the working set, sizes
 * are the knees between them. Curves have every point, whatever its grade: their shape is that of
 * the least disturbed samples. A latency rests on the points of its plateau, a size on those of
 * both plateaus beside it; of these one sound point is enough, since plateaus are medians. */
#include "family/memory.h"

#include "base/text.h"
#include "fit/curve.h"

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
    LINE_BYTES = 64,       /* where none was measured */
    PAGE_BYTES = 4096,
    LEVEL_NAMES = sizeof(level_names) / sizeof(level_names[0])
};

/* ---- sweeps ---- */

/* A curve with the results that its points were made of, in the same order. */
struct sweep {
    struct am_picks picks;
    struct am_curve curve;
};

/* By rising number on the axis. Results that differ in any other axis make no curve, and are
 * remarked upon. */
static struct sweep make_sweep(const struct am_deriving *d, const struct am_picks *picks,
                               const char *axis)
{
    const char *several = NULL;
    struct am_picks curve = am_picks_curve(picks, axis, &several);
    struct sweep out = {.picks = curve};

    if (several)
        am_facts_remark(d->facts, "%s is not a curve over %s: it also differs in %s",
                        picks->items[0].result->bench, axis, several);
    out.picks.n = 0;
    for (size_t i = 0; i < curve.n; i++) {
        const struct am_summary *const s = &curve.items[i].metric->summary;
        const size_t before = out.curve.n;

        if (am_curve_add(&out.curve, d->arena,
                         (struct am_curve_point){curve.items[i].x, s->p5, s->median, s->p95}) &&
            out.curve.n > before)
            out.picks.items[out.picks.n++] = curve.items[i];
    }
    return out;
}

static struct sweep sweep_of(const struct am_deriving *d, struct am_selector selector,
                             const char *axis)
{
    const struct am_picks picks = am_select(d->set, &selector, d->arena);

    return make_sweep(d, &picks, axis);
}

/* On what is sound of the points from `first` to `last`. */
static void rest_on(struct am_fact *fact, const struct sweep *s, size_t first, size_t last)
{
    const struct am_picks part = {s->picks.items + first, last - first + 1, s->picks.arena};
    const struct am_picks sound = am_picks_sound(&part);

    for (size_t i = 0; i < sound.n; i++)
        am_fact_rest_on(fact, &sound.items[i]);
}

/* On two points, both of which must be sound: a step between them. */
static void rest_on_step(struct am_fact *fact, const struct sweep *s, size_t from, size_t to)
{
    am_fact_rest_on(fact, &s->picks.items[from]);
    am_fact_rest_on(fact, &s->picks.items[to]);
}

/* The single chase over all lines in this order; on the pages that programs get, if there are such
 * results. */
static struct sweep latency_sweep(const struct am_deriving *d, const char *pattern,
                                  const char *metric)
{
    static const char *const pages[] = {"any", "huge", "small"};
    struct sweep sweep = {0};

    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]) && sweep.curve.n < CURVE_MIN; i++)
        sweep = sweep_of(d,
                         (struct am_selector){
                             "mem.latency",
                             am_arena_printf(d->arena, "pattern?=%s pages?=%s stride?=64 chains?=1",
                                             pattern, pages[i]),
                             metric},
                         "size");
    return sweep;
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
    const struct am_deriving *d;
    struct sweep cycles, seconds; /* random order */
    struct am_plateaus levels;    /* of cycles */
    size_t caches;                /* the levels before the last, which is memory */
};

static void offer_size(const struct hierarchy *h, size_t i)
{
    static const char *const keys[] = {"l1d_bytes", "l2_bytes", "l3_bytes"};
    struct am_arena *const arena = h->d->arena;
    const struct am_plateau *const below = &h->levels.items[i], *const above = below + 1;
    struct am_fact fact = {
        .name = "size",
        .what = am_arena_printf(arena, "effective capacity of %s", level_names[i]),
        .unit = "B",
    };

    /* inner caches belong to the core: the least disturbed samples show them. The last one may be
     * shared: what is typically left of it is what a program gets. */
    if (!am_curve_crossing(&h->cycles.curve, 0.5 * (below->level + above->level),
                           i + 1 == h->caches && i > 0 ? AM_CURVE_TYPICAL : AM_CURVE_BEST,
                           &fact.value, &fact.ci))
        return;
    fact.evidence =
        am_arena_printf(arena, "mem.latency, random order: half way from %.3g to %.3g cycles",
                        below->level, above->level);
    if (i < sizeof(keys) / sizeof(keys[0]))
        claim_bytes(&fact, claimed_bytes(h->d->set, keys[i]), arena);
    am_fact_label(&fact, arena, "level", AM_AXIS_NAME, level_names[i]);
    rest_on(&fact, &h->cycles, below->first, below->last);
    rest_on(&fact, &h->cycles, above->first, above->last);
    am_facts_offer(h->d->facts, fact);
}

static void offer_latency(const struct hierarchy *h, size_t i)
{
    struct am_arena *const arena = h->d->arena;
    const struct am_plateau *const p = &h->levels.items[i];
    const bool memory = i >= h->caches;
    const struct am_curve *const s = &h->seconds.curve;
    struct am_fact cycles = {
        .name = "cycles",
        .what = memory ? "load latency of memory, TLB misses included" : "load latency",
        .unit = "cycle",
        .value = p->typical,
        .ci = {p->lo, p->hi, NAN},
        .evidence = am_arena_printf(arena, "mem.latency, random order: plateau from %s to %s",
                                    size_text(h->cycles.curve.points[p->first].x, arena),
                                    size_text(h->cycles.curve.points[p->last].x, arena)),
    };
    struct am_fact seconds;

    am_fact_label(&cycles, arena, "level", AM_AXIS_NAME, memory ? "memory" : level_names[i]);
    rest_on(&cycles, &h->cycles, p->first, p->last);
    seconds = cycles;
    if (s->n == h->cycles.curve.n) {
        seconds.name = "latency";
        seconds.unit = "s";
        seconds.value = s->points[(p->first + p->last) / 2].typical;
        seconds.ci =
            (struct am_interval){s->points[p->first].best, s->points[p->last].typical, NAN};
        am_facts_offer(h->d->facts, seconds);
    }
    if (p->typical < 1) {
        cycles.claimed = "1 cycle at least, on any core";
        cycles.contradicts = true;
    }
    am_facts_offer(h->d->facts, cycles);
}

/* The last plateau is memory if the working sets went well beyond the largest cache claimed;
 * nothing claimed: if there are several levels at all. */
static size_t count_caches(const struct hierarchy *h)
{
    static const char *const keys[] = {"l3_bytes", "l2_bytes", "l1d_bytes"};
    const struct am_curve *const c = &h->cycles.curve;
    const double largest = c->n ? c->points[c->n - 1].x : 0;
    double claimed = NAN;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !isfinite(claimed); i++)
        claimed = claimed_bytes(h->d->set, keys[i]);
    if (h->levels.n < 2 || largest < 2 * claimed)
        return h->levels.n;
    return h->levels.n - 1;
}

/* Looks at the curve before it is settled: every sample of a larger working set lies below every
 * one of a smaller set. No cache does that; the machine changed meanwhile. */
static void derive_falls(const struct hierarchy *h)
{
    struct am_arena *const arena = h->d->arena;
    const struct am_curve_point *const p = h->cycles.curve.points;
    const size_t n = h->cycles.curve.n;
    double fall = 1 - tolerance;
    size_t slow = n, fast = n;
    struct am_fact fact = {
        .name = "order",
        .what = "latency of a larger working set over that of a smaller one",
        .unit = "",
        .claimed = "1 or more: the larger the set, the less of it a cache holds",
        .contradicts = true,
    };

    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            if (p[k].worst < fall * p[i].best) {
                fall = p[k].worst / p[i].best;
                slow = i;
                fast = k;
            }
        }
    }
    if (slow == n)
        return;
    fact.value = p[fast].typical / p[slow].typical;
    fact.ci = (struct am_interval){p[fast].best / p[slow].worst, p[fast].worst / p[slow].best, NAN};
    fact.evidence = am_arena_printf(
        arena, "mem.latency, random order: %.3g cycles over %s, %.3g over %s", p[slow].typical,
        size_text(p[slow].x, arena), p[fast].typical, size_text(p[fast].x, arena));
    rest_on_step(&fact, &h->cycles, slow, fast);
    am_facts_offer(h->d->facts, fact);
}

/* The first plateau is the first cache only if there is a working set that fits it well. */
static bool begins_inside(const struct hierarchy *h)
{
    const double claimed = claimed_bytes(h->d->set, "l1d_bytes");

    return h->levels.n > 0 && h->cycles.curve.points[h->levels.items[0].first].x <=
                                  0.75 * (isfinite(claimed) ? claimed : L1D_LEAST);
}

static void derive_caches(struct hierarchy *h)
{
    h->cycles = latency_sweep(h->d, "random", "cycles");
    h->seconds = latency_sweep(h->d, "random", "latency");
    derive_falls(h);
    (void)am_curve_settle(&h->cycles.curve);
    (void)am_curve_settle(&h->seconds.curve);
    h->levels = am_curve_plateaus(&h->cycles.curve, level_ratio);
    if (!begins_inside(h))
        h->levels.n = 0;
    h->caches = count_caches(h);
    if (h->caches > LEVEL_NAMES)
        h->caches = LEVEL_NAMES;
    for (size_t i = 0; i < h->levels.n; i++) {
        if (i < h->caches && i + 1 < h->levels.n)
            offer_size(h, i);
        if (i < h->caches || i + 1 == h->levels.n)
            offer_latency(h, i);
    }
}

/* Memory as seen by code that stays within the reach of the TLB. */
static void derive_local(const struct hierarchy *h)
{
    struct am_arena *const arena = h->d->arena;
    struct sweep sweep = latency_sweep(h->d, "local", "latency");
    struct am_fact fact = {
        .name = "latency_local", .what = "load latency of memory, 64 pages at a time", .unit = "s"};
    struct am_plateaus levels;
    const struct am_plateau *last;

    (void)am_curve_settle(&sweep.curve);
    levels = am_curve_plateaus(&sweep.curve, level_ratio);
    if (levels.n < 2 || h->caches == h->levels.n)
        return;
    last = &levels.items[levels.n - 1];
    fact.value = last->typical;
    fact.ci = (struct am_interval){last->lo, last->hi, NAN};
    fact.evidence = am_arena_printf(arena, "mem.latency, local order: plateau from %s to %s",
                                    size_text(sweep.curve.points[last->first].x, arena),
                                    size_text(sweep.curve.points[last->last].x, arena));
    rest_on(&fact, &sweep, last->first, last->last);
    am_facts_offer(h->d->facts, fact);
}

/* ---- line, ways, parallelism ---- */

void am_memory_derive_line(const struct am_deriving *d)
{
    const struct am_selector selector = {"mem.line", NULL, "cycles"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_picks smallest = am_picks_extreme(&all, "size", true);
    struct sweep sweep = make_sweep(d, &smallest, "stride");
    const struct am_curve_point *const p = sweep.curve.points;
    struct am_fact fact = {.name = "line", .what = "bytes of a cache line", .unit = "B"};
    double step = line_step;
    size_t at = 0;

    (void)am_curve_settle(&sweep.curve);
    for (size_t i = 1; i < sweep.curve.n; i++) {
        if (p[i].best / p[i - 1].best > step) {
            step = p[i].best / p[i - 1].best;
            at = i;
        }
    }
    if (at == 0)
        return;
    fact.value = p[at].x;
    fact.ci = (struct am_interval){fmin(2 * p[at - 1].x, p[at].x), p[at].x, NAN};
    fact.evidence = am_arena_printf(
        d->arena, "mem.line: a pair costs %.3g cycles per load %.0f B apart, %.3g at %.0f B",
        p[at - 1].best, p[at - 1].x, p[at].best, p[at].x);
    rest_on_step(&fact, &sweep, at - 1, at);
    am_facts_offer(d->facts, fact);
}

void am_memory_derive_ways(const struct am_deriving *d)
{
    struct sweep sweep =
        sweep_of(d, (struct am_selector){"mem.ways", "stride?=64K", "cycles"}, "cells");
    const struct am_curve_point *const p = sweep.curve.points;
    struct am_fact fact = {.name = "ways", .what = "lines of a set of l1d", .unit = ""};
    size_t at = 1;

    (void)am_curve_settle(&sweep.curve);
    while (at < sweep.curve.n && p[at].best < ways_step * p[0].best)
        at++;
    if (at >= sweep.curve.n)
        return;
    fact.value = p[at - 1].x;
    fact.ci = (struct am_interval){p[at - 1].x, p[at].x - 1, NAN};
    fact.evidence = am_arena_printf(
        d->arena, "mem.ways: %.0f lines of one set take %.3g cycles per load, %.0f take %.3g",
        p[at - 1].x, p[at - 1].best, p[at].x, p[at].best);
    am_fact_label(&fact, d->arena, "level", AM_AXIS_NAME, "l1d");
    rest_on_step(&fact, &sweep, at - 1, at);
    am_facts_offer(d->facts, fact);
}

/* Misses that one core keeps under way: latency of one chase over time per load of the best number
 * of them, in the largest working set; of the least disturbed samples of both. */
void am_memory_derive_parallelism(const struct am_deriving *d)
{
    const struct am_selector selector = {"mem.parallel", NULL, "load_time"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_picks largest = am_picks_extreme(&all, "size", false);
    const struct sweep sweep = make_sweep(d, &largest, "chains");
    const struct am_curve_point *const one = sweep.curve.points, *best = one;
    struct am_fact fact = {
        .name = "parallelism", .what = "loads that one core keeps under way", .unit = ""};
    double typical;

    for (size_t i = 0; i < sweep.curve.n; i++)
        best = one[i].best < best->best ? &one[i] : best;
    if (sweep.curve.n < 2 || one->x > 1)
        return;
    typical = one->typical / best->typical;
    fact.value = one->best / best->best;
    fact.ci = (struct am_interval){fmin(fact.value, typical), fmax(fact.value, typical), NAN};
    fact.evidence = am_arena_printf(
        d->arena, "mem.parallel over %s B: %.3g ns for one chase, %.3g ns per load for %.0f",
        am_result_text(sweep.picks.items[0].result, "size"), one->best * 1e9, best->best * 1e9,
        best->x);
    rest_on_step(&fact, &sweep, 0, (size_t)(best - one));
    am_facts_offer(d->facts, fact);
}

/* ---- TLBs ---- */

/* What a load of one line per page costs beyond a load of as many lines close together, over the
 * number of pages. The same caches hold both: the rest is translation. */
static struct am_curve translation_curve(const struct hierarchy *h, const struct am_curve *raw,
                                         double line)
{
    const double least = h->cycles.curve.points[0].typical;
    struct am_curve curve = {0};

    for (size_t i = 0; i < raw->n; i++) {
        const struct am_curve_point *const p = &raw->points[i];
        const double pages = floor(p->x / PAGE_BYTES);
        const double base = am_curve_at(&h->cycles.curve, pages * line) - least;

        (void)am_curve_add(&curve, h->d->arena,
                           (struct am_curve_point){pages, fmax(p->best - base, least),
                                                   fmax(p->typical - base, least),
                                                   fmax(p->worst - base, least)});
    }
    (void)am_curve_settle(&curve);
    return curve;
}

static void derive_tlb(const struct hierarchy *h)
{
    static const char *const whats[] = {"small pages in reach of the first-level data TLB",
                                        "small pages in reach of the second-level TLB"};
    const double line = am_facts_value(h->d->facts, "memory.line", NULL);
    const struct sweep sweep =
        sweep_of(h->d, (struct am_selector){"mem.tlb", "pages?=small", "cycles"}, "size");
    struct am_curve curve;
    struct am_plateaus levels;

    if (h->cycles.curve.n < CURVE_MIN)
        return;
    curve = translation_curve(h, &sweep.curve, isfinite(line) ? line : LINE_BYTES);
    levels = am_curve_plateaus(&curve, level_ratio);
    for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]) && i < levels.n; i++) {
        const double level = levels.items[i].level;
        struct am_fact fact = {.name = "tlb_pages", .what = whats[i], .unit = ""};

        /* a page walk costs more the more pages there are: there may be no plateau above */
        if (!am_curve_crossing(&curve, ways_step * level, AM_CURVE_BEST, &fact.value, &fact.ci))
            return;
        fact.evidence = am_arena_printf(
            h->d->arena,
            "mem.tlb on small pages less mem.latency for as many lines: beyond %.3g cycles", level);
        am_fact_label(&fact, h->d->arena, "level", AM_AXIS_NAME, level_names[i]);
        rest_on(&fact, &sweep, 0, sweep.picks.n - 1);
        am_facts_offer(h->d->facts, fact);
    }
}

void am_memory_derive_levels(const struct am_deriving *d)
{
    struct hierarchy h = {.d = d};

    derive_caches(&h);
    derive_local(&h);
    derive_tlb(&h);
}
