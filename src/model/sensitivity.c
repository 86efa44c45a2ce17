/* SPDX-License-Identifier: MIT */
/* Steps against their controls, and what follows from them. */
#include "model/sensitivity.h"

#include "model/among.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double am_sensitivity_margin = 0.05;

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

/* The strongest step of a kind. */
static const struct am_timed *most(const struct am_timed *const *steps, size_t n,
                                   enum am_beside_kind kind)
{
    const struct am_timed *found = NULL;

    for (size_t i = 0; i < n; i++) {
        if (steps[i]->beside.kind == kind && steps[i]->time &&
            (!found || steps[i]->beside.amount > found->beside.amount))
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

/* By the rows of one kind. */
static enum am_dependence answer(const struct am_sensitivity *s, enum am_beside_kind kind)
{
    size_t steps = 0, unmoved = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct am_comparison_row *const row = s->steps[i].row;

        if (s->steps[i].timed->beside.kind != kind || !row)
            continue;
        if (row->verdict == AM_VERDICT_SLOWER)
            return AM_DEPENDS_YES;
        steps++;
        unmoved += row->verdict == AM_VERDICT_SAME || row->verdict == AM_VERDICT_FASTER;
    }
    return steps && unmoved == steps ? AM_DEPENDS_NO : AM_DEPENDS_UNDECIDED;
}

/* `beyond`: the most traffic against the whole cache taken; NULL: not compared. */
static enum am_dependence answer_memory(const struct am_sensitivity *s,
                                        const struct am_comparison_row *beyond)
{
    const enum am_dependence traffic = answer(s, AM_BESIDE_MEMORY);

    if (traffic != AM_DEPENDS_YES || s->on[AM_BESIDE_CACHE] == AM_DEPENDS_NO)
        return traffic;
    if (beyond && beyond->verdict == AM_VERDICT_SLOWER)
        return AM_DEPENDS_YES;
    if (s->on[AM_BESIDE_CACHE] == AM_DEPENDS_YES && beyond &&
        (beyond->verdict == AM_VERDICT_SAME || beyond->verdict == AM_VERDICT_FASTER))
        return AM_DEPENDS_NO;
    return AM_DEPENDS_UNDECIDED;
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
        {memory == AM_DEPENDS_YES && cache == AM_DEPENDS_NO, "depends on memory bandwidth"},
        {memory == AM_DEPENDS_YES, "depends on memory bandwidth; cache is undecided"},
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
                     const struct am_comparison_row *row)
{
    s->steps[s->n++] = (struct am_slowdown){
        .timed = timed,
        .metric = judged(timed, timed->beside.kind, s->by_cpu),
        .row = row,
        .factor = row ? exp(row->change.d) : NAN,
        .lo = row ? exp(row->change.lo) : NAN,
        .hi = row ? exp(row->change.hi) : NAN,
    };
}

enum am_status am_sensitivity_judge(const struct am_timed *const *given, size_t n,
                                    struct am_arena *arena, struct am_sensitivity *out,
                                    struct am_err *err)
{
    const struct am_compare_settings settings = {
        .delta = am_sensitivity_margin, .level = 0.95, .basis = AM_BASIS_WITHIN_RUN};
    const struct am_timed *steps[AM_SENSITIVITY_STEPS_MAX];
    bool compared[AM_SENSITIVITY_STEPS_MAX];
    struct am_comparison c = {.basis = settings.basis};
    const struct am_comparison_row *row, *beyond;
    enum am_status s;

    *out = (struct am_sensitivity){.line = n ? given[0]->line : ""};
    n = n < AM_SENSITIVITY_STEPS_MAX ? n : AM_SENSITIVITY_STEPS_MAX;
    memcpy(steps, given, n * sizeof(*steps));
    qsort(steps, n, sizeof(*steps), by_strength);
    c.rows = am_arena_array(arena, n + 1, sizeof(*c.rows));
    if (!c.rows)
        return am_fail(err, AM_E_NOMEM, "no memory for the steps");
    out->by_cpu = computes(only(steps, n, AM_BESIDE_NONE));
    for (size_t i = 0; i < n; i++)
        compared[i] =
            add_row(&c, only(steps, n, controls[steps[i]->beside.kind]), steps[i], out->by_cpu);
    beyond =
        add_row(&c, most(steps, n, AM_BESIDE_CACHE), most(steps, n, AM_BESIDE_MEMORY), out->by_cpu)
            ? &c.rows[c.n - 1]
            : NULL;
    s = am_verdicts_judge(&settings, &c, err);
    row = c.rows;
    for (size_t i = 0; s == AM_OK && i < n; i++)
        put_step(out, steps[i], compared[i] ? row++ : NULL);
    for (unsigned k = 0; k < AM_BESIDE_KINDS; k++)
        out->on[k] = answer(out, (enum am_beside_kind)k);
    out->on[AM_BESIDE_MEMORY] = answer_memory(out, beyond);
    out->what = words_of(out);
    return s;
}
