/* SPDX-License-Identifier: MIT */
/* Sizes of a core from curves that step up: what it has in flight, what code comes in at full
 * speed, which patterns of branches it remembers.
 *
 * A curve begins at its lowest level and leaves it, once and for all; it may rise further then.
 * Where it does is the size, between the last point below and the first above. What is in flight
 * leaves by half of the level at least, in one jump: two chains that came together come one after
 * the other. Code and patterns of branches leave it by 15 %. */
#include "family/core.h"

#include <math.h>

/* How far above the lowest level a curve has left it, relative to it. */
static const double left_by_half = 0.5, left_by_little = 0.15;
/* From the last point below to the first above, where it is one jump. */
static const double jump_least = 1.2;

enum { POINTS_LEAST = 6, SIDE_LEAST = 2, LEVEL = 3 }; /* LEVEL: points that show the lowest */

struct step {
    size_t above; /* index of the first point of the higher level; 0: there is no step */
    double low, high;
};

static double median_at(const struct am_picks *curve, size_t i)
{
    return curve->items[i].metric->summary.median;
}

/* Where the lowest level, that of the first points, is left for good. */
static struct step find_step(const struct am_picks *curve, double left_by)
{
    struct step s = {.low = INFINITY};
    size_t above = curve->n;

    if (curve->n < POINTS_LEAST)
        return s;
    for (size_t i = 0; i < LEVEL; i++)
        s.low = fmin(s.low, median_at(curve, i));
    while (above > 0 && median_at(curve, above - 1) > (1 + left_by) * s.low)
        above--;
    if (above >= SIDE_LEAST && above + SIDE_LEAST <= curve->n) {
        s.above = above;
        s.high = median_at(curve, curve->n - 1);
    }
    return s;
}

static struct step find_jump(const struct am_picks *curve)
{
    struct step s = find_step(curve, left_by_half);

    if (s.above > 0 && median_at(curve, s.above) < jump_least * median_at(curve, s.above - 1))
        s.above = 0;
    return s;
}

/* Half-way between the last point below and the first above, plus what the loop has beside. */
static struct am_fact fact_of_step(const struct am_picks *curve, const struct step *s, double more,
                                   struct am_arena *arena)
{
    const double below = curve->items[s->above - 1].x + more,
                 above = curve->items[s->above].x + more;
    struct am_fact fact = {.kind = AM_FACT_TYPICAL,
                           .value = (below + above) / 2,
                           .ci = {below, above, NAN},
                           .unit = ""};

    for (size_t i = 0; i < curve->n; i++)
        am_fact_rest_on(&fact, &curve->items[i]);
    fact.evidence = am_arena_printf(arena, "%zu points: %.3g cycles below, %.3g above", curve->n,
                                    s->low, s->high);
    return fact;
}

static struct am_groups sound_groups(const struct am_deriving *d, const char *bench,
                                     const char *axes)
{
    const struct am_selector selector = {bench, NULL, "cycles"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    struct am_picks *const sound = am_arena_alloc(d->arena, sizeof(*sound));

    if (!sound)
        return (struct am_groups){.n = 0};
    *sound = am_picks_sound(&all);
    return am_picks_group(sound, axes);
}

/* The fillers and half of the chain that waits: its other half has retired when the step is
 * half-way. */
void am_core_derive_window(const struct am_deriving *d)
{
    static const double chain = 12;
    const struct am_groups groups = sound_groups(d, "cpu.window", "filler");

    for (size_t i = 0; i < groups.n; i++) {
        const struct am_picks curve = am_picks_curve(&groups.items[i].picks, "count", NULL);
        const struct step s = find_jump(&curve);
        struct am_fact fact;

        if (s.above == 0) {
            if (curve.n >= POINTS_LEAST)
                am_facts_remark(d->facts,
                                "core.window of %s is not concluded: its times have no clear step",
                                am_result_text(groups.items[i].picks.items[0].result, "filler"));
            continue;
        }
        fact = fact_of_step(&curve, &s, chain / 2, d->arena);
        fact.ci.lo -= chain / 2;
        fact.ci.hi += chain / 2;
        fact.name = "window";
        fact.what = "instructions of this kind that are in flight at once";
        am_fact_label_axes(&fact, groups.items[i].picks.items[0].result, "filler");
        am_facts_offer(d->facts, fact);
    }
}

static void offer_size(const struct am_deriving *d, const char *bench, const char *axis,
                       struct am_fact names)
{
    const struct am_groups groups = sound_groups(d, bench, "on");

    for (size_t i = 0; i < groups.n && groups.n == 1; i++) {
        const struct am_picks curve = am_picks_curve(&groups.items[i].picks, axis, NULL);
        const struct step s = find_step(&curve, left_by_little);
        struct am_fact fact;

        if (s.above == 0)
            continue;
        fact = fact_of_step(&curve, &s, 0, d->arena);
        fact.name = names.name;
        fact.what = names.what;
        fact.unit = names.unit;
        am_facts_offer(d->facts, fact);
    }
}

void am_core_derive_fetch(const struct am_deriving *d)
{
    offer_size(d, "cpu.fetch", "code",
               (struct am_fact){.name = "fetch",
                                .what = "bytes of code that come in at full speed",
                                .unit = "B"});
}

/* Half of the branches of a random pattern that is not remembered are foretold wrongly. */
static void offer_cost(const struct am_deriving *d)
{
    const struct am_groups groups = sound_groups(d, "cpu.branch", "on");

    for (size_t i = 0; i < groups.n && groups.n == 1; i++) {
        const struct am_picks curve = am_picks_curve(&groups.items[i].picks, "period", NULL);
        const struct step s = find_step(&curve, left_by_little);
        struct am_fact fact;

        if (s.above == 0 || curve.items[0].x > 1)
            continue;
        fact = am_fact_of_difference(1, &curve.items[curve.n - 1], &curve.items[0], d->arena);
        am_fact_scale(&fact, 2);
        fact.name = "branch_cost";
        fact.what = "cycles of a branch that was foretold wrongly";
        am_facts_offer(d->facts, fact);
    }
}

void am_core_derive_branch(const struct am_deriving *d)
{
    offer_size(d, "cpu.branch", "period",
               (struct am_fact){.name = "branch_pattern",
                                .what = "branches of a random pattern that are remembered",
                                .unit = ""});
    offer_cost(d);
}
