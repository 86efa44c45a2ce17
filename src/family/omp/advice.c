/* SPDX-License-Identifier: MIT */
/* What to change in a program, by what its directives cost: each piece of advice has the seconds
 * that it should bring, from the same counts and overheads as the losses. Advice that brings less
 * than a hundredth of the program's time is not given. */
#include "family/omp/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double worth = 0.01;     /* of the program's time */
static const double chunk_grown = 16; /* times as many iterations at once */

struct advising {
    const struct am_omp_pricing *pricing;
    struct am_omp_cost *cost;
    bool broken;
};

static void give(struct advising *a, const char *text, struct am_omp_price gain,
                 struct am_omp_price seen)
{
    struct am_omp_cost *const c = a->cost;

    a->broken |= !text;
    if (!text || !gain.known || !c->alone.known || !(gain.value > worth * c->alone.value))
        return;
    c->advice[c->n_advice++] = (struct am_omp_advice){text, gain, seen};
}

static const struct am_omp_price not_tried = {.known = false};

static bool is(const struct am_omp_spent *s, const char *construct)
{
    return strcmp(s->construct, construct) == 0;
}

/* ---- regions ---- */

/* Whether one thread alone would not pay for it: regions of the place but the first, which makes
 * the team wherever it is, and what is inside of them, where there are no others that it could be
 * of. */
static bool goes_with(const struct am_omp_cost *c, const struct am_omp_spent *s,
                      const struct am_omp_spent *body)
{
    return s->lost.known && (is(s, "region") ? s->gap_us >= 0 && strcmp(s->place, body->place) == 0
                                             : c->n_bodies == 1 && !is(s, "task"));
}

/* Small regions: one thread does all of the work in less time than a team needs to meet. */
static void advise_serial(struct advising *a, const struct am_omp_spent *body)
{
    const struct am_omp_cost *const c = a->cost;
    const double counting = c->n_bodies == 1 ? c->marks * c->mark_s * body->threads : 0;
    const double work = fmax(0, body->measured_s - counting);
    const double divided = work * (1 - 1 / body->threads);
    struct am_omp_price lost = {.known = false};
    double regions = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct am_omp_spent *const s = &c->items[i];

        if (!goes_with(c, s, body))
            continue;
        lost = lost.known ? am_omp_price_plus(lost, s->lost) : s->lost;
        regions += is(s, "region") ? s->calls : 0;
    }
    if (!lost.known || !(body->threads > 1) || !(regions > 0))
        return;
    give(a,
         am_arena_printf(a->pricing->arena,
                         "run the regions at %s on one thread (an if clause): each has %.3g us of "
                         "work in all, and %.0f of them cost more than the team saves",
                         body->place, work / regions * 1e6, regions),
         am_omp_price_less(
             lost,
             (struct am_omp_price){.value = divided, .lo = divided, .hi = divided, .known = true}),
         not_tried);
}

/* The share of a place's regions that end with a barrier of their own, as those do that are a loop
 * and more. */
static double met_share(const struct am_omp_cost *c, const struct am_omp_spent *region)
{
    double met = 0, all = 0;

    for (size_t i = 0; i < c->n_meetings; i++)
        met += strcmp(c->meetings[i].place, region->place) == 0 ? c->meetings[i].calls : 0;
    for (size_t i = 0; i < c->n_bodies; i++)
        all += strcmp(c->bodies[i].place, region->place) == 0 ? c->bodies[i].calls : 0;
    return all > 0 ? fmin(1, met / all) : 0;
}

/* Regions that follow each other at once could be one, with barriers in it where there are none. */
static void advise_joining(struct advising *a)
{
    const struct am_omp_cost *const c = a->cost;
    struct am_omp_price gain = {.known = false};
    double regions = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct am_omp_spent *const s = &c->items[i];
        struct am_omp_price one;

        if (!is(s, "region") || s->gap_us < 0 || s->gap_us > 0 || !(s->threads > 1))
            continue;
        one = am_omp_price_times(
            am_omp_price_less(
                s->each, am_omp_price_times(am_omp_price_sync(a->pricing, "barrier", s->threads),
                                            1 - met_share(c, s))),
            s->calls);
        gain = gain.known ? am_omp_price_plus(gain, one) : one;
        regions += s->calls;
    }
    give(a,
         am_arena_printf(a->pricing->arena,
                         "join regions that follow each other at once: one parallel region with "
                         "a barrier between what each of %.0f does",
                         regions),
         gain, not_tried);
}

/* Threads that fell asleep during serial work. */
static void advise_policy(struct advising *a)
{
    const struct am_omp_cost *const c = a->cost;
    struct am_omp_price gain = {.known = false};

    for (size_t i = 0; i < c->n; i++) {
        const struct am_omp_spent *const s = &c->items[i];
        struct am_omp_price one;

        if (!is(s, "region") || !(s->gap_us > 0))
            continue;
        one = am_omp_price_times(
            am_omp_price_less(s->each,
                              am_omp_price_region(a->pricing, s->threads, s->gap_us, "active")),
            s->calls);
        if (one.known)
            gain = gain.known ? am_omp_price_plus(gain, one) : one;
    }
    give(a, AM_OMP_COST_POLICY "=active, where CPUs are free: threads stay awake in serial parts",
         gain, am_omp_price_less(c->alone, c->policy));
}

/* ---- inside of regions ---- */

static void advise_inside(struct advising *a, const struct am_omp_spent *s)
{
    struct am_arena *const arena = a->pricing->arena;

    if (am_omp_cost_excludes(s))
        give(a,
             am_arena_printf(arena,
                             "a reduction, atomics or parts of their own in place of the %s at %s: "
                             "%.0f entries",
                             s->construct, s->place, s->calls),
             s->lost, not_tried);
    if (is(s, "chunk"))
        give(a,
             am_arena_printf(arena,
                             "%.0f times as many iterations at once in the loop at %s: %.0f chunks",
                             chunk_grown, s->place, s->calls),
             am_omp_price_times(s->lost, 1 - 1 / chunk_grown), not_tried);
}

/* What no overhead explains is work that is not divided evenly; how much of that another schedule
 * brings is not known. */
static void advise_balance(struct advising *a)
{
    const struct am_omp_cost *const c = a->cost;
    const double rest = c->beyond.value - (c->lost.known ? c->lost.value : 0);

    if (!c->beyond.known || !(rest > 0) || !(rest > 10 * worth * c->alone.value))
        return;
    give(
        a,
        "divide the work more evenly (schedule(dynamic) or guided, smaller parts): threads wait for "
        "each other longer than the constructs take",
        (struct am_omp_price){.value = rest, .lo = 0, .hi = rest, .known = true}, not_tried);
}

static int by_gain(const void *x, const void *y)
{
    const struct am_omp_advice *const a = x, *const b = y;

    if (a->gain.value < b->gain.value || a->gain.value > b->gain.value)
        return a->gain.value > b->gain.value ? -1 : 1;
    return strcmp(a->text, b->text);
}

bool am_omp_cost_advise(const struct am_omp_pricing *pricing, struct am_omp_cost *cost)
{
    struct advising a = {pricing, cost, false};

    cost->n_advice = 0;
    cost->advice =
        am_arena_array(pricing->arena, cost->n + cost->n_bodies + 3, sizeof(*cost->advice));
    if (!cost->advice)
        return false;
    for (size_t i = 0; i < cost->n_bodies; i++)
        advise_serial(&a, &cost->bodies[i]);
    advise_joining(&a);
    advise_policy(&a);
    for (size_t i = 0; i < cost->n; i++)
        advise_inside(&a, &cost->items[i]);
    advise_balance(&a);
    qsort(cost->advice, cost->n_advice, sizeof(*cost->advice), by_gain);
    return !a.broken;
}
