/* SPDX-License-Identifier: MIT */
/* Steps against their controls, and what follows from them. */
#include "model/sensitivity.h"

#include "model/among.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double am_sensitivity_margin = 0.05;
static const double level = 0.95, least_share = 0.5;

/* What walks over bytes that are in the cache keeps the rate of the quickest of such walks, but for
 * a fifth, and is quicker than memory by a fifth: else a part of it goes to memory, and takes
 * bandwidth too. */
static const double of_quickest = 0.8, over_memory = 1.2;

/* ---- comparisons ---- */

static const struct am_timed *only(const struct am_timed *const *steps, size_t n,
                                   enum am_beside_kind kind)
{
    for (size_t i = 0; i < n; i++) {
        if (steps[i]->beside.kind == kind && steps[i]->time)
            return steps[i];
    }
    return NULL;
}

static double rate_of(const struct am_timed *t)
{
    return t && t->taken_rate ? t->taken_rate->summary.median : NAN;
}

/* Rates of what runs beside the program; NAN: not known. */
struct rates {
    double cache, memory; /* the quickest walk; the most traffic */
};

static struct rates rates_of(const struct am_timed *const *steps, size_t n)
{
    struct rates r = {NAN, NAN};

    for (size_t i = 0; i < n; i++) {
        if (steps[i]->beside.kind == AM_BESIDE_CACHE)
            r.cache = fmax(r.cache, rate_of(steps[i])); /* a NAN loses */
        if (steps[i]->beside.kind == AM_BESIDE_MEMORY)
            r.memory = fmax(r.memory, rate_of(steps[i]));
    }
    return r;
}

/* Whether what was to take cache went to memory. */
static bool spills(const struct am_timed *t, const struct rates *r)
{
    return t->beside.kind == AM_BESIDE_CACHE &&
           (rate_of(t) < of_quickest * r->cache || rate_of(t) < over_memory * r->memory);
}

/* The strongest step of a kind; of cache the strongest that stayed there. */
static const struct am_timed *most(const struct am_timed *const *steps, size_t n,
                                   enum am_beside_kind kind, const struct rates *r)
{
    const struct am_timed *found = NULL;

    for (size_t i = 0; i < n; i++) {
        if (steps[i]->beside.kind != kind || !steps[i]->time || spills(steps[i], r))
            continue;
        if (!found || steps[i]->beside.amount > found->beside.amount)
            found = steps[i];
    }
    return found;
}

/* What a step of each kind is held against; NONE: itself. */
static const enum am_beside_kind controls[AM_BESIDE_KINDS] = {
    [AM_BESIDE_NONE] = AM_BESIDE_NONE,  [AM_BESIDE_SPIN] = AM_BESIDE_NONE,
    [AM_BESIDE_CACHE] = AM_BESIDE_SPIN, [AM_BESIDE_MEMORY] = AM_BESIDE_SPIN,
    [AM_BESIDE_SHARE] = AM_BESIDE_NONE,
};

/* A program that computes for a tenth of its shortest execution at least: on a busy machine even a
 * loop has no more of its CPU, and what sleeps or reads has less. */
static bool computes(const struct am_timed *alone)
{
    return alone && alone->cpu && alone->time &&
           alone->cpu->summary.median >= alone->time->summary.min / 10;
}

/* Taking CPU time lengthens the time and nothing else. */
static const struct am_result_metric *judged(const struct am_timed *t, enum am_beside_kind kind,
                                             bool by_cpu)
{
    return by_cpu && kind != AM_BESIDE_SHARE && t->cpu ? t->cpu : t->time;
}

static bool add_row(struct am_comparison *c, const struct am_timed *a, const struct am_timed *b,
                    bool by_cpu)
{
    if (!a || !b || a == b || !a->time || !b->time)
        return false;
    c->rows[c->n++] = (struct am_comparison_row){.a = a->result,
                                                 .b = b->result,
                                                 .metric_a = judged(a, b->beside.kind, by_cpu),
                                                 .metric_b = judged(b, b->beside.kind, by_cpu)};
    return true;
}

static int by_strength(const void *x, const void *y)
{
    const struct am_timed *const a = *(const struct am_timed *const *)x;
    const struct am_timed *const b = *(const struct am_timed *const *)y;

    if (a->beside.kind != b->beside.kind)
        return a->beside.kind < b->beside.kind ? -1 : 1;
    return (a->beside.amount > b->beside.amount) - (a->beside.amount < b->beside.amount);
}

/* ---- answers ---- */

/* Not slower by the margin: that it is not quicker need not be shown. */
static bool is_unmoved(const struct am_comparison_row *row)
{
    return row->verdict != AM_VERDICT_SLOWER && am_change_above(&row->change) <= 1 - level;
}

/* What ran beside the program had less than half of its CPUs: it took too little to show that the
 * program does not need it. */
static bool is_starved(const struct am_timed *t)
{
    const bool beside = t->beside.kind == AM_BESIDE_SPIN || t->beside.kind == AM_BESIDE_CACHE ||
                        t->beside.kind == AM_BESIDE_MEMORY;

    return beside && t->taken_share && t->taken_share->summary.median < least_share;
}

static const char *word_of(const struct am_comparison_row *row, const struct am_timed *t)
{
    if (!row)
        return NULL;
    if (is_unmoved(row) && is_starved(t))
        return "not taken";
    return is_unmoved(row) ? "not slower" : am_verdict_name(row->verdict);
}

/* What the steps of one kind show, in the order of their strength. */
struct shown {
    bool slower;  /* one of them */
    bool unmoved; /* the strongest: where it moves nothing, weaker ones need not show it too */
    size_t n;
};

/* Of those that spilt into memory, or of the others. */
static struct shown look(const struct am_sensitivity *s, enum am_beside_kind kind, bool spilt)
{
    struct shown out = {0};

    for (size_t i = 0; i < s->n; i++) {
        const struct am_comparison_row *const row = s->steps[i].row;

        if (s->steps[i].timed->beside.kind != kind || s->steps[i].spills != spilt || !row)
            continue;
        out.slower = out.slower || row->verdict == AM_VERDICT_SLOWER;
        out.unmoved = is_unmoved(row) && !is_starved(s->steps[i].timed);
        out.n++;
    }
    return out;
}

static enum am_dependence answer(const struct am_sensitivity *s, enum am_beside_kind kind)
{
    const struct shown all = look(s, kind, false);

    if (all.slower)
        return AM_DEPENDS_YES;
    return all.n && all.unmoved ? AM_DEPENDS_NO : AM_DEPENDS_UNDECIDED;
}

/* A walk that spilt is slow for the program by the cache or by the traffic: where traffic alone
 * does nothing it was the cache, where traffic does it, the walks that stayed in the cache tell. */
static enum am_dependence answer_cache(const struct am_sensitivity *s, enum am_dependence traffic)
{
    const struct shown inside = look(s, AM_BESIDE_CACHE, false);
    const struct shown spilt = look(s, AM_BESIDE_CACHE, true);

    if (inside.slower || (spilt.slower && traffic == AM_DEPENDS_NO))
        return AM_DEPENDS_YES;
    if (spilt.n && !spilt.slower && spilt.unmoved)
        return AM_DEPENDS_NO;
    if (inside.n && inside.unmoved && (spilt.n == 0 || traffic == AM_DEPENDS_YES))
        return AM_DEPENDS_NO;
    return AM_DEPENDS_UNDECIDED;
}

/* `beyond`: the most traffic against the most cache taken; NULL: not compared. */
static enum am_dependence answer_memory(const struct am_sensitivity *s, enum am_dependence traffic,
                                        const struct am_comparison_row *beyond)
{
    if (traffic != AM_DEPENDS_YES || s->on[AM_BESIDE_CACHE] == AM_DEPENDS_NO)
        return traffic;
    if (beyond && beyond->verdict == AM_VERDICT_SLOWER)
        return AM_DEPENDS_YES;
    if (s->on[AM_BESIDE_CACHE] == AM_DEPENDS_YES && beyond && is_unmoved(beyond))
        return AM_DEPENDS_NO;
    return AM_DEPENDS_UNDECIDED;
}

/* Something of caches and memory slows it down, whichever it is. */
static bool either(const struct am_sensitivity *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const enum am_beside_kind kind = s->steps[i].timed->beside.kind;

        if ((kind == AM_BESIDE_CACHE || kind == AM_BESIDE_MEMORY) && s->steps[i].row &&
            s->steps[i].row->verdict == AM_VERDICT_SLOWER)
            return true;
    }
    return false;
}

static const char *words_of(const struct am_sensitivity *s)
{
    const enum am_dependence cpu = s->on[AM_BESIDE_SHARE], cache = s->on[AM_BESIDE_CACHE],
                             memory = s->on[AM_BESIDE_MEMORY];
    const struct {
        bool holds;
        const char *what;
    } rules[] = {
        {cache == AM_DEPENDS_YES && memory == AM_DEPENDS_YES,
         "depends on its share of the cache, and on memory beyond that"},
        {cache == AM_DEPENDS_YES && memory == AM_DEPENDS_NO, "depends on its share of the cache"},
        {cache == AM_DEPENDS_YES, "depends on its share of the cache; memory is undecided"},
        {memory == AM_DEPENDS_YES && cache == AM_DEPENDS_NO,
         "depends on memory: its bandwidth, or its latency under load"},
        {memory == AM_DEPENDS_YES, "depends on memory; cache is undecided"},
        {either(s), "depends on cache or memory; which of them is undecided"},
        {cpu == AM_DEPENDS_NO && cache == AM_DEPENDS_NO && memory == AM_DEPENDS_NO,
         "waits: depends on neither CPU time, cache nor memory"},
        {cpu == AM_DEPENDS_YES && cache == AM_DEPENDS_NO && memory == AM_DEPENDS_NO,
         "depends on the speed of its core alone"},
        {true, "undecided"},
    };
    size_t i = 0;

    while (!rules[i].holds)
        i++;
    return rules[i].what;
}

/* ---- the whole ---- */

static void put_step(struct am_sensitivity *s, const struct am_timed *timed,
                     const struct am_comparison_row *row, bool spilt)
{
    s->steps[s->n++] = (struct am_slowdown){
        .timed = timed,
        .metric = judged(timed, timed->beside.kind, s->by_cpu),
        .row = row,
        .spills = spilt,
        .word = word_of(row, timed),
        .factor = row ? exp(row->change.d) : NAN,
        .lo = row ? exp(row->change.lo) : NAN,
        .hi = row ? exp(row->change.hi) : NAN,
    };
}

enum am_status am_sensitivity_judge(const struct am_timed *const *given, size_t n,
                                    struct am_arena *arena, struct am_sensitivity *out,
                                    struct am_err *err)
{
    const struct am_compare_settings settings = {.delta = am_sensitivity_margin,
                                                 .level = level,
                                                 .basis = AM_BASIS_WITHIN_RUN,
                                                 .paired = true};
    const struct am_timed *steps[AM_SENSITIVITY_STEPS_MAX];
    bool compared[AM_SENSITIVITY_STEPS_MAX];
    struct am_comparison c = {.basis = settings.basis};
    const struct am_comparison_row *row, *beyond;
    enum am_dependence traffic;
    struct rates rates;
    enum am_status s;

    *out = (struct am_sensitivity){.line = n ? given[0]->line : ""};
    n = n < AM_SENSITIVITY_STEPS_MAX ? n : AM_SENSITIVITY_STEPS_MAX;
    memcpy(steps, given, n * sizeof(*steps));
    qsort(steps, n, sizeof(*steps), by_strength);
    c.rows = am_arena_array(arena, n + 1, sizeof(*c.rows));
    if (!c.rows)
        return am_fail(err, AM_E_NOMEM, "no memory for the steps");
    rates = rates_of(steps, n);
    out->by_cpu = computes(only(steps, n, AM_BESIDE_NONE));
    for (size_t i = 0; i < n; i++)
        compared[i] =
            add_row(&c, only(steps, n, controls[steps[i]->beside.kind]), steps[i], out->by_cpu);
    beyond = add_row(&c, most(steps, n, AM_BESIDE_CACHE, &rates),
                     most(steps, n, AM_BESIDE_MEMORY, &rates), out->by_cpu)
                 ? &c.rows[c.n - 1]
                 : NULL;
    s = am_verdicts_judge(&settings, &c, err);
    row = c.rows;
    for (size_t i = 0; s == AM_OK && i < n; i++)
        put_step(out, steps[i], compared[i] ? row++ : NULL, spills(steps[i], &rates));
    for (unsigned k = 0; k < AM_BESIDE_KINDS; k++)
        out->on[k] = answer(out, (enum am_beside_kind)k);
    traffic = out->on[AM_BESIDE_MEMORY];
    out->on[AM_BESIDE_CACHE] = answer_cache(out, traffic);
    out->on[AM_BESIDE_MEMORY] = answer_memory(out, traffic, beyond);
    out->what = words_of(out);
    return s;
}
