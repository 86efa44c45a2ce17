/* SPDX-License-Identifier: MIT */
/* Sizes of a core from curves that step up: what it has in flight, what code comes in at full
 * speed, which patterns of branches it remembers.
 *
 * What is in flight shows in one step from one plateau to a higher one: two chains that came
 * together come one after the other. The size is where the curve crosses the middle between the
 * two, with the points on both sides as its interval. The lower plateau may slope: from half of the
 * window on, one pass no longer overlaps the next. Each time is the least of its launches that a
 * second confirms, for whatever disturbs only adds. Code and patterns of branches leave their
 * lowest level by 15 %, once and for all; where they do is the size. */
#include "family/core.h"

#include "family/incore/incore.h"

#include <math.h>

/* How far above the lowest level a curve has left it, relative to it. */
static const double left_by = 0.15;
/* Of the lowest level, what a step is at least; and what a second one has of it at most. */
static const double step_least = 0.5, other_step_most = 0.5;
/* Of the lower level's last point, what a launch takes at least that counts as quick. */
static const double plausible = 0.8;
/* Of the largest rise between two points, from which on the next belongs to the same step. */
static const double same_step = 0.3;

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
static struct step find_step(const struct am_picks *curve)
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

/* Half-way between the last point below and the first above. */
static struct am_fact fact_of_step(const struct am_picks *curve, const struct step *s,
                                   struct am_arena *arena)
{
    const double below = curve->items[s->above - 1].x, above = curve->items[s->above].x;
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

/* ---- what is in flight ---- */

struct curve {
    double *x, *y; /* counts and cycles */
    size_t n;
    double *all_x, *least; /* of all points, also those whose least no second launch confirms */
    size_t n_all;
    struct am_incore rest; /* what it rests on: grade, launches, points */
};

static double least_of(const struct am_series *series)
{
    double least = INFINITY;

    for (size_t i = 0; i < series->n; i++) {
        for (size_t k = 0; k < series->launches[i].n; k++)
            least = fmin(least, series->launches[i].values[k]);
    }
    return least;
}

static bool read_curve(const struct am_picks *picks, struct am_arena *arena, struct curve *c)
{
    const struct am_picks sorted = am_picks_curve(picks, "count", NULL);

    *c = (struct curve){.x = am_arena_array(arena, sorted.n + 1, sizeof(*c->x)),
                        .y = am_arena_array(arena, sorted.n + 1, sizeof(*c->y)),
                        .all_x = am_arena_array(arena, sorted.n + 1, sizeof(*c->all_x)),
                        .least = am_arena_array(arena, sorted.n + 1, sizeof(*c->least))};
    for (size_t i = 0; c->all_x && c->least && i < sorted.n; i++) {
        c->all_x[c->n_all] = sorted.items[i].x;
        c->least[c->n_all++] = least_of(&sorted.items[i].metric->series);
    }
    for (size_t i = 0; c->x && c->y && i < sorted.n; i++) {
        const struct am_incore_cell cell =
            am_incore_read_cell(&c->rest, sorted.items[i].result, sorted.items[i].metric->name);

        if (isnan(cell.value))
            continue;
        c->x[c->n] = sorted.items[i].x;
        c->y[c->n++] = cell.value;
    }
    return c->x && c->y && c->all_x && c->least && c->n >= POINTS_LEAST;
}

static double rise_at(const struct curve *c, size_t i)
{
    return c->y[i] - c->y[i - 1];
}

/* From the last point of the lower plateau to the first of the higher. */
struct ramp {
    size_t from, to; /* equal: there is no clear step */
};

static struct ramp find_ramp(const struct curve *c)
{
    struct ramp r = {.from = 0};
    double lowest = INFINITY, height;
    size_t most = 1;

    for (size_t i = 0; i < LEVEL; i++)
        lowest = fmin(lowest, c->y[i]);
    for (size_t i = 2; i < c->n; i++)
        most = rise_at(c, i) > rise_at(c, most) ? i : most;
    r = (struct ramp){most - 1, most};
    if (r.from > 0 && rise_at(c, r.from) > same_step * rise_at(c, most))
        r.from--;
    if (r.to + 1 < c->n && rise_at(c, r.to + 1) > same_step * rise_at(c, most))
        r.to++;
    height = c->y[r.to] - c->y[r.from];
    for (size_t i = 1; i < c->n; i++) {
        if ((i <= r.from || i > r.to) && fabs(rise_at(c, i)) > other_step_most * height)
            return (struct ramp){0, 0};
    }
    return height >= step_least * lowest && r.from + 1 >= SIDE_LEAST && r.to + SIDE_LEAST <= c->n
               ? r
               : (struct ramp){0, 0};
}

/* Where the curve crosses the middle of the ramp. */
static double middle_of(const struct curve *c, const struct ramp *r)
{
    const double middle = (c->y[r->from] + c->y[r->to]) / 2;
    size_t i = r->from;

    while (i + 1 < r->to && c->y[i + 1] < middle)
        i++;
    return c->x[i] + (c->x[i + 1] - c->x[i]) * fmin((middle - c->y[i]) / rise_at(c, i + 1), 1);
}

/* Divisions that the window holds beside the fillers where the step begins. The two chains come
 * together, half of one each, as long as the end of one and the begin of the next fit beside the
 * fillers; at the step's end none does. Chains occupy their own kind only: places in the window and
 * vector registers. */
static double held_beside(const struct am_result *result)
{
    static const double chain = 24;

    return am_result_is(result, "filler", "nop") || am_result_is(result, "filler", "zero") ||
                   am_result_is(result, "filler", "vector")
               ? chain / 2
               : 0;
}

/* Where chains still came together in one launch at least, beyond the step: others on the core's
 * second thread halve the window, and no launch is quick with more than it holds. What is quicker
 * than chains that come together was not timed right, and shows nothing. Returns the last such
 * point, c->n_all: there is none. */
static size_t quick_beyond(const struct curve *c, const struct ramp *r)
{
    const double middle = (c->y[r->from] + c->y[r->to]) / 2;
    size_t last = c->n_all;

    for (size_t i = 0; i < c->n_all; i++) {
        if (c->all_x[i] >= c->x[r->to] && c->least[i] < middle &&
            c->least[i] > plausible * c->y[r->from])
            last = i;
    }
    return last;
}

static struct am_fact fact_of_ramp(const struct curve *c, const struct ramp *r, double beside,
                                   struct am_arena *arena)
{
    struct am_fact fact = {.name = "window",
                           .what = "instructions of this kind that are in flight at once",
                           .kind = AM_FACT_TYPICAL,
                           .value = middle_of(c, r) + beside / 2,
                           .ci = {c->x[r->from], c->x[r->to] + beside, NAN},
                           .unit = "",
                           .grading = c->rest.grading,
                           .launches = c->rest.launches};
    const size_t quick = quick_beyond(c, r);
    const char *beyond = "";

    if (quick + 1 < c->n_all) {
        fact.value = (c->all_x[quick] + c->all_x[quick + 1] + beside) / 2;
        fact.ci.hi = c->all_x[quick + 1] + beside;
        beyond = am_arena_printf(arena, "; a launch was quick with %g", c->all_x[quick]);
    }
    for (; fact.n_points < c->rest.n_points; fact.n_points++)
        fact.points[fact.n_points] = c->rest.points[fact.n_points];
    fact.evidence = am_arena_printf(arena, "%zu points: %.3g cycles below the step, %.3g above%s",
                                    c->n, c->y[r->from], c->y[r->to], beyond ? beyond : "");
    return fact;
}

/* Why nothing follows from a curve; NULL when its ramp is where the core ends. */
static const char *find_end(const struct curve *c, struct ramp *r)
{
    *r = find_ramp(c);
    if (r->to == 0)
        return "its times have no clear step";
    return quick_beyond(c, r) + 1 == c->n_all
               ? "a launch was quick with the largest count: the core may hold more"
               : NULL;
}

void am_core_derive_window(const struct am_deriving *d)
{
    const struct am_selector selector = {"cpu.window", NULL, "cycles"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_groups groups = am_picks_group(&all, "filler");

    for (size_t i = 0; i < groups.n; i++) {
        const struct am_result *const first = groups.items[i].picks.items[0].result;
        struct curve curve;
        struct ramp ramp;
        struct am_fact fact;
        const char *why;

        if (!read_curve(&groups.items[i].picks, d->arena, &curve))
            continue;
        why = find_end(&curve, &ramp);
        if (why) {
            am_facts_remark(d->facts, "core.window of %s is not concluded: %s",
                            am_result_text(first, "filler"), why);
            continue;
        }
        fact = fact_of_ramp(&curve, &ramp, held_beside(first), d->arena);
        am_fact_label_axes(&fact, first, "filler");
        am_facts_offer(d->facts, fact);
    }
}

double am_core_window(const struct am_result_set *set, struct am_arena *arena)
{
    static const char *const fillers[] = {"filler=zero", "filler=nop"};

    for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++) {
        const struct am_selector selector = {"cpu.window", fillers[i], "cycles"};
        const struct am_picks picks = am_select(set, &selector, arena);
        struct curve curve;
        struct ramp ramp;

        if (picks.n == 0 || !read_curve(&picks, arena, &curve))
            continue;
        if (!find_end(&curve, &ramp))
            return fact_of_ramp(&curve, &ramp, held_beside(picks.items[0].result), arena).value;
    }
    return 0;
}

/* ---- code and branches ---- */

static void offer_size(const struct am_deriving *d, const char *bench, const char *axis,
                       struct am_fact names)
{
    const struct am_groups groups = sound_groups(d, bench, "on");

    for (size_t i = 0; i < groups.n && groups.n == 1; i++) {
        const struct am_picks curve = am_picks_curve(&groups.items[i].picks, axis, NULL);
        const struct step s = find_step(&curve);
        struct am_fact fact;

        if (s.above == 0)
            continue;
        fact = fact_of_step(&curve, &s, d->arena);
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
        const struct step s = find_step(&curve);
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
