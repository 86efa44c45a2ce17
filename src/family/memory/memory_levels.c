/* SPDX-License-Identifier: MIT */
/* What the chases show of the levels of memory: sizes, latencies, line, ways, TLBs.
 *
 * Levels come from a fit of latency over the working set (fit/hierarchy.h), which finds their
 * number, capacities and latencies with their uncertainty and takes nothing from what the system
 * states: statements are judged afterwards. Where the number is undecided only the innermost caches
 * that no doubt concerns and main memory get facts, and a remark says why. The other curves have
 * every point, whatever its grade: their shape is that of the least disturbed samples. */
#include "family/memory/memory.h"

#include "base/text.h"
#include "fit/curve.h"
#include "fit/hierarchy.h"

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

/* What a point of the sweep showed, before the curve was settled: for evidence, which quotes
 * samples. */
static double seen_at(const struct sweep *s, size_t i)
{
    return s->picks.items[i].metric->summary.median;
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

/* ---- caches ---- */

/* All that is known about the levels of one run. */
struct hierarchy {
    const struct am_deriving *d;
    struct sweep cycles; /* random order */
    double seconds;      /* per cycle; NAN: not known */
    struct am_hierarchy found;
    double stated[LEVEL_NAMES]; /* bytes, the innermost first */
    struct am_claim claims[LEVEL_NAMES];
    size_t n_stated;
};

static void read_statements(struct hierarchy *h)
{
    static const char *const keys[] = {"l1d_bytes", "l2_bytes", "l3_bytes", "l4_bytes"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *const text = am_kvs_get(&h->d->set->machine, keys[i]);
        double bytes;

        if (text && am_parse_f64(text, strlen(text), &bytes) && bytes > 0)
            h->stated[h->n_stated++] = bytes;
    }
}

/* One value per launch: its median. */
static struct am_hierarchy_point point_of(const struct am_pick *pick, struct am_arena *arena)
{
    const struct am_series *const series = &pick->metric->series;
    double *const medians = am_arena_array(arena, series->n + 1, sizeof(*medians));

    return (struct am_hierarchy_point){pick->x, medians,
                                       medians ? am_series_medians(series, medians) : 0};
}

static struct am_hierarchy_point *points_of(const struct sweep *s, struct am_arena *arena)
{
    struct am_hierarchy_point *const points =
        am_arena_array(arena, s->picks.n + 1, sizeof(*points));

    for (size_t i = 0; points && i < s->picks.n; i++)
        points[i] = point_of(&s->picks.items[i], arena);
    return points;
}

/* Seconds of a cycle, by the points that have both. */
static double seconds_per_cycle(const struct sweep *cycles)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < cycles->picks.n; i++) {
        const struct am_result_metric *const time =
            am_result_metric(cycles->picks.items[i].result, "latency");
        const double count = cycles->picks.items[i].metric->summary.median;

        if (!time || !(count > 0))
            continue;
        sum += time->summary.median / count;
        n++;
    }
    return n ? sum / (double)n : NAN;
}

/* On what is sound of the sizes between two. */
static void rest_between(struct am_fact *fact, const struct hierarchy *h, double from, double to)
{
    const struct sweep *const s = &h->cycles;
    size_t first = 0, last = s->picks.n;

    while (first + 1 < s->picks.n && s->picks.items[first].x < from)
        first++;
    while (last > first + 1 && s->picks.items[last - 1].x > to)
        last--;
    rest_on(fact, s, first, last - 1);
}

/* What the system states of the cache that was seen, and whether it is denied. */
static void claim(struct am_fact *fact, const struct hierarchy *h, size_t cache)
{
    for (size_t i = 0; i < h->n_stated; i++) {
        if (h->claims[i].cache != cache)
            continue;
        fact->claimed = am_arena_printf(h->d->arena, "%.0f B", h->stated[i]);
        fact->contradicts = h->claims[i].verdict == AM_CLAIM_DENIED;
    }
}

static void offer_size(const struct hierarchy *h, size_t i)
{
    const struct am_hierarchy_cache *const c = &h->found.caches[i];
    struct am_arena *const arena = h->d->arena;
    struct am_fact fact = {
        .name = "size",
        .what = am_arena_printf(arena,
                                c->varies ? "share of %s that a core gets; it varies"
                                          : "effective capacity of %s",
                                level_names[i]),
        .unit = "B",
        .value = c->size,
        .ci = {c->lo, c->hi, NAN},
        .evidence = "mem.latency, random order: place of a step of the fitted curve",
    };

    claim(&fact, h, i);
    if (!c->resolved && !c->varies && !fact.contradicts) { /* too wide to tell, but not to deny */
        am_facts_remark(h->d->facts, "memory.size{level=%s} is not concluded: between %s and %s",
                        level_names[i], size_text(c->lo, arena), size_text(c->hi, arena));
        return;
    }
    am_fact_label(&fact, arena, "level", AM_AXIS_NAME, level_names[i]);
    rest_between(&fact, h, c->lo / 2, 2 * c->hi);
    am_facts_offer(h->d->facts, fact);
}

/* Latency of a level in cycles and, where the clock is known, in seconds. */
static void offer_latency(const struct hierarchy *h, const char *level, struct am_fact cycles,
                          double from, double to)
{
    struct am_fact seconds;

    cycles.name = "cycles";
    cycles.unit = "cycle";
    cycles.evidence = am_arena_printf(h->d->arena, "mem.latency, random order: %s to %s",
                                      size_text(from, h->d->arena), size_text(to, h->d->arena));
    am_fact_label(&cycles, h->d->arena, "level", AM_AXIS_NAME, level);
    rest_between(&cycles, h, from, to);
    seconds = cycles;
    seconds.name = "latency";
    seconds.unit = "s";
    am_fact_scale(&seconds, h->seconds);
    am_facts_offer(h->d->facts, seconds);
    if (cycles.ci.hi < 1) {
        cycles.claimed = "1 cycle at least, on any core";
        cycles.contradicts = true;
    }
    am_facts_offer(h->d->facts, cycles);
}

static void offer_caches(const struct hierarchy *h)
{
    const struct am_hierarchy *const f = &h->found;
    /* a set of 16 KiB or less is in the innermost cache, however many follow */
    const bool inside = h->cycles.picks.n && h->cycles.picks.items[0].x <= L1D_LEAST;
    const size_t sized = f->decided ? f->n : inside ? f->sure : 0;
    const size_t known = sized ? sized : inside && f->n > 0;

    for (size_t i = 0; i < known && i < LEVEL_NAMES; i++) {
        const struct am_hierarchy_cache *const c = &f->caches[i];
        const double from = i ? f->caches[i - 1].hi : h->cycles.picks.items[0].x;

        if (i < sized)
            offer_size(h, i);
        offer_latency(
            h, level_names[i],
            (struct am_fact){.what = c->no_plateau ? "load latency at most: no plateau shows it"
                                                   : "load latency",
                             .value = c->latency,
                             .ci = {c->no_plateau && i ? f->caches[i - 1].latency : c->latency_lo,
                                    c->latency_hi, NAN}},
            fmin(from, c->lo), c->lo);
    }
}

static void offer_memory(const struct hierarchy *h)
{
    const struct am_hierarchy *const f = &h->found;

    if (!f->has_memory || f->memory_at_least || f->n == 0)
        return;
    offer_latency(h, "memory",
                  (struct am_fact){.what = "load latency of memory, TLB misses included",
                                   .value = f->memory,
                                   .ci = {f->memory_lo, f->memory_hi, NAN}},
                  2 * f->caches[f->n - 1].size, INFINITY);
}

static void offer_count(const struct hierarchy *h)
{
    const struct am_hierarchy *const f = &h->found;
    struct am_fact fact = {
        .name = "levels",
        .what = "cache levels that one core sees",
        .unit = "",
        .value = (double)f->n,
        .ci = {(double)f->n, (double)f->n, NAN},
        .evidence = "mem.latency, random order: steps of the fitted curve",
    };

    if (!f->decided) {
        am_facts_remark(h->d->facts, "memory.levels is not concluded, %zu at least: %s%s%s",
                        f->at_least, f->n_why ? f->why[0] : "no curve", f->n_why > 1 ? "; " : "",
                        f->n_why > 1 ? f->why[1] : "");
        return;
    }
    rest_between(&fact, h, 0, INFINITY);
    am_facts_offer(h->d->facts, fact);
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

static void derive_caches(struct hierarchy *h)
{
    const struct sweep local = latency_sweep(h->d, "local", "cycles");
    struct am_hierarchy_input input;

    h->cycles = latency_sweep(h->d, "random", "cycles");
    h->seconds = seconds_per_cycle(&h->cycles);
    if (h->cycles.picks.n < CURVE_MIN)
        return;
    derive_falls(h);
    input = (struct am_hierarchy_input){.points = points_of(&h->cycles, h->d->arena),
                                        .n = h->cycles.picks.n,
                                        .local = points_of(&local, h->d->arena),
                                        .n_local = local.picks.n,
                                        .ns_per_unit = isfinite(h->seconds) ? 1e9 * h->seconds : 0};
    (void)am_curve_settle(&h->cycles.curve);
    if (!input.points || !am_hierarchy_find(&input, h->d->arena, &h->found))
        return;
    read_statements(h);
    am_hierarchy_judge(&h->found, h->stated, h->n_stated, h->claims);
    offer_count(h);
    offer_caches(h);
    offer_memory(h);
}

/* Memory as seen by code that stays within the reach of the TLB: well beyond the last cache. */
static void derive_local(const struct hierarchy *h)
{
    const struct sweep sweep = latency_sweep(h->d, "local", "latency");
    const struct am_hierarchy *const f = &h->found;
    const double beyond = f->n ? 4 * f->caches[f->n - 1].hi : INFINITY;
    struct am_fact fact = {
        .name = "latency_local", .what = "load latency of memory, 64 pages at a time", .unit = "s"};
    size_t first = 0;

    while (first < sweep.picks.n && sweep.picks.items[first].x < beyond)
        first++;
    if (!f->decided || first == sweep.picks.n)
        return;
    fact.value = sweep.curve.points[(first + sweep.picks.n) / 2].typical;
    fact.ci = (struct am_interval){sweep.curve.points[first].best,
                                   sweep.curve.points[sweep.picks.n - 1].typical, NAN};
    fact.ci.lo = fmin(fact.ci.lo, fact.value);
    fact.ci.hi = fmax(fact.ci.hi, fact.value);
    fact.evidence = am_arena_printf(h->d->arena, "mem.latency, local order: from %s on",
                                    size_text(sweep.picks.items[first].x, h->d->arena));
    rest_on(&fact, &sweep, first, sweep.picks.n - 1);
    am_facts_offer(h->d->facts, fact);
}

/* ---- line, ways ---- */

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
    if (at == 0) {
        if (sweep.curve.n > 1)
            am_facts_remark(d->facts,
                            "memory.line is not concluded: none of %zu distances of a pair costs "
                            "%.0f %% more than the one before",
                            sweep.curve.n, 100 * (line_step - 1));
        return;
    }
    fact.value = p[at].x;
    fact.ci = (struct am_interval){fmin(2 * p[at - 1].x, p[at].x), p[at].x, NAN};
    fact.evidence = am_arena_printf(
        d->arena, "mem.line: a pair costs %.3g cycles per load %.0f B apart, %.3g at %.0f B",
        seen_at(&sweep, at - 1), p[at - 1].x, seen_at(&sweep, at), p[at].x);
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
    if (at >= sweep.curve.n) {
        if (sweep.curve.n > 1)
            am_facts_remark(d->facts,
                            "memory.ways{level=l1d} is not concluded: %.0f lines of one set cost "
                            "less than %.1f times what one does",
                            p[sweep.curve.n - 1].x, ways_step);
        return;
    }
    fact.value = p[at - 1].x;
    fact.ci = (struct am_interval){p[at - 1].x, p[at].x - 1, NAN};
    fact.evidence = am_arena_printf(
        d->arena, "mem.ways: %.0f lines of one set take %.3g cycles per load, %.0f take %.3g",
        p[at - 1].x, seen_at(&sweep, at - 1), p[at].x, seen_at(&sweep, at));
    am_fact_label(&fact, d->arena, "level", AM_AXIS_NAME, "l1d");
    rest_on_step(&fact, &sweep, at - 1, at);
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
