/* SPDX-License-Identifier: MIT */
/* Sizes of a core from curves that step up: what it has in flight, what code comes in at full
 * speed, which patterns of branches it remembers.
 *
 * What is in flight shows in one step from one plateau to a higher one: two chains that came
 * together come one after the other. The size is where the curve crosses the middle between the
 * two, with the points on both sides as its interval. The lower plateau may slope: from half of the
 * window on, one pass no longer overlaps the next. Code, jumps and patterns of branches leave their
 * lowest level by 15 %, once and for all; where they do is the size. Each time is the least of its
 * launches that a second confirms, for whatever disturbs only adds. */
#include "family/core.h"

#include "core/bench/outcome.h"
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

/* ---- curves ---- */

struct curve {
    double *x, *y; /* counts and cycles */
    size_t n;
    double *all_x, *least; /* of all points, also those whose least no second launch confirms */
    size_t n_all;
    struct am_incore rest; /* what it rests on: grade, launches, points */
};

/* Of samples whose clock held: cycles by a clock that was read wrong may be too few. */
static double least_of(const struct am_series *series)
{
    double least = INFINITY;

    for (size_t i = 0; i < series->n; i++) {
        const struct am_launch_values *const l = &series->launches[i];

        for (size_t k = 0; k < l->n; k++) {
            if (!(l->labels && l->labels[k] & AM_LABEL_DRIFT))
                least = fmin(least, l->values[k]);
        }
    }
    return least;
}

static bool read_curve(const struct am_picks *picks, const char *axis, struct am_arena *arena,
                       struct curve *c)
{
    const struct am_picks sorted = am_picks_curve(picks, axis, NULL);

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

static struct am_fact rest_on(const struct curve *c, struct am_fact fact)
{
    fact.kind = AM_FACT_TYPICAL;
    fact.grading = c->rest.grading;
    fact.launches = c->rest.launches;
    for (; fact.n_points < c->rest.n_points; fact.n_points++)
        fact.points[fact.n_points] = c->rest.points[fact.n_points];
    return fact;
}

/* ---- what is in flight ---- */

/* More fillers never take less, and what disturbs only adds: a point takes no more than one behind
 * it did. */
static void level_out(struct curve *c)
{
    for (size_t i = c->n - 1; i > 0; i--)
        c->y[i - 1] = fmin(c->y[i - 1], c->y[i]);
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
    while (r.from > 0 && rise_at(c, r.from) > same_step * rise_at(c, most))
        r.from--;
    while (r.to + 1 < c->n && rise_at(c, r.to + 1) > same_step * rise_at(c, most))
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

/* What fills up with fillers. Registers are those that renaming has beyond the ones that hold a
 * program's values, of this thread and of the core's other. */
struct filled {
    const char *filler, *what;
    bool chain; /* the chains' divisions take of the same */
    double own; /* so does what the fillers behind a chain wait for */
};

static const struct filled *filled_by(const struct am_result *result)
{
    static const struct filled plain = {"", "instructions that are in flight at once", true, 0};
    static const struct filled others[] = {
        {"general", "general registers that renaming has to give, beyond those that hold values",
         false, 0},
        {"vector", "vector registers that renaming has to give, beyond those that hold values",
         true, 0},
        {"mask", "mask registers that renaming has to give, beyond those that hold values", false,
         0},
        {"load", "loads that are in flight at once behind one that is not done", false, 1},
        {"store", "stores that are in flight at once", false, 0},
        {"waiting", "sums that wait for a result at once: entries of the scheduler", false, 1},
        {"waiting_vector", "vector sums that wait for a result at once: entries of the scheduler",
         true, 0},
        {"waiting_load", "loads that wait for their address at once: entries of the scheduler",
         false, 0},
        {"waiting_fourth",
         "sums in a row of which every fourth waits for a result: four times as many as wait where "
         "they go to any scheduler that has room, as many where four take them by turns",
         false, 1},
        {"waiting_operand",
         "comparisons with memory that wait for a result at once: entries of the schedulers that "
         "address memory",
         false, 1},
    };

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (am_result_is(result, "filler", others[i].filler))
            return &others[i];
    }
    return &plain;
}

/* Divisions that are held beside the fillers where the step begins. The two chains come together,
 * half of one each, as long as the end of one and the begin of the next fit beside the fillers; at
 * the step's end none does. */
static double held_beside(const struct filled *filled)
{
    static const double chain = 24;

    return filled->chain ? chain / 2 : 0;
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

static struct am_fact fact_of_ramp(const struct curve *c, const struct ramp *r,
                                   const struct am_result *result, struct am_arena *arena)
{
    const struct filled *const filled = filled_by(result);
    const double beside = held_beside(filled), own = filled->own;
    struct am_fact fact =
        rest_on(c, (struct am_fact){.name = "window",
                                    .what = filled->what,
                                    .value = middle_of(c, r) + own + beside / 2,
                                    .ci = {c->x[r->from] + own, c->x[r->to] + own + beside, NAN},
                                    .unit = ""});
    const size_t quick = quick_beyond(c, r);
    const char *beyond = "";

    if (quick + 1 < c->n_all) {
        fact.value = (c->all_x[quick] + c->all_x[quick + 1] + beside) / 2 + own;
        fact.ci.hi = c->all_x[quick + 1] + own + beside;
        beyond = am_arena_printf(arena, "; a launch was quick with %g", c->all_x[quick]);
    }
    fact.evidence = am_arena_printf(arena, "%zu points: %.3g cycles below the step, %.3g above%s",
                                    c->n, c->y[r->from], c->y[r->to], beyond ? beyond : "");
    return fact;
}

/* Why nothing follows from a curve; NULL when its ramp is where the core ends. */
static const char *find_end(struct curve *c, struct ramp *r)
{
    level_out(c);
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

        if (!read_curve(&groups.items[i].picks, "count", d->arena, &curve))
            continue;
        why = find_end(&curve, &ramp);
        if (why) {
            am_facts_remark(d->facts, "core.window of %s is not concluded: %s",
                            am_result_text(first, "filler"), why);
            continue;
        }
        fact = fact_of_ramp(&curve, &ramp, first, d->arena);
        am_fact_label_axes(&fact, first, "filler");
        am_facts_offer(d->facts, fact);
    }
}

/* The size that the first of the fillers shows that shows any; 0: none does. */
static double size_by(const struct am_result_set *set, const char *const *fillers, size_t n,
                      struct am_arena *arena)
{
    for (size_t i = 0; i < n; i++) {
        const struct am_selector selector = {"cpu.window", fillers[i], "cycles"};
        const struct am_picks picks = am_select(set, &selector, arena);
        struct curve curve;
        struct ramp ramp;

        if (picks.n == 0 || !read_curve(&picks, "count", arena, &curve))
            continue;
        if (!find_end(&curve, &ramp))
            return fact_of_ramp(&curve, &ramp, picks.items[0].result, arena).value;
    }
    return 0;
}

double am_core_window(const struct am_result_set *set, struct am_arena *arena)
{
    static const char *const fillers[] = {"filler=zero", "filler=nop"};

    return size_by(set, fillers, sizeof(fillers) / sizeof(fillers[0]), arena);
}

double am_core_waiting(const struct am_result_set *set, struct am_arena *arena)
{
    static const char *const fillers[] = {"filler=waiting_vector"};

    return size_by(set, fillers, sizeof(fillers) / sizeof(fillers[0]), arena);
}

struct am_core_turns am_core_turns(const struct am_result_set *set, struct am_arena *arena)
{
    enum { FOURTH = 4 };
    static const char *const all[] = {"filler=waiting"},
                             *const fourth[] = {"filler=waiting_fourth"},
                             *const operands[] = {"filler=waiting_operand"};
    static const double between = 2; /* one to one and four to one */
    const double waiting = size_by(set, all, 1, arena), every = size_by(set, fourth, 1, arena),
                 memory = size_by(set, operands, 1, arena);
    struct am_core_turns turns = {.units = FOURTH, .addressing = FOURTH};

    if (waiting <= 0 || every <= 0 || every >= between * waiting)
        return (struct am_core_turns){.units = 0};
    turns.places = (unsigned)fmax(waiting / FOURTH + 0.5, 1);
    if (memory > 0)
        turns.addressing = (unsigned)fmin(fmax(FOURTH * memory / waiting + 0.5, 1), FOURTH);
    return turns;
}

/* ---- code and branches ---- */

struct step {
    size_t above; /* index of the first point of the higher level; 0: there is no step */
    double low, high;
};

/* Where the lowest level, that of the first points, is left for good: by a share of it, or of the
 * whole rise where there is one step only. */
static struct step find_step(const struct curve *c, bool one_step)
{
    struct step s = {.low = INFINITY};
    size_t above = c->n;
    double limit;

    for (size_t i = 0; i < LEVEL; i++)
        s.low = fmin(s.low, c->y[i]);
    limit = s.low + left_by * (one_step ? c->y[c->n - 1] - s.low : s.low);
    if (one_step && c->y[c->n - 1] < (1 + step_least) * s.low)
        return s;
    while (above > 0 && c->y[above - 1] > limit)
        above--;
    if (above >= SIDE_LEAST && above + SIDE_LEAST <= c->n) {
        s.above = above;
        s.high = c->y[c->n - 1];
    }
    return s;
}

/* Half-way between the last point below and the first above. */
static struct am_fact fact_of_step(const struct curve *c, const struct step *s,
                                   struct am_arena *arena)
{
    const double below = c->x[s->above - 1], above = c->x[s->above];

    return rest_on(c, (struct am_fact){.value = (below + above) / 2,
                                       .ci = {below, above, NAN},
                                       .evidence = am_arena_printf(
                                           arena, "%zu points: %.3g cycles below, %.3g above", c->n,
                                           s->low, s->high)});
}

/* A curve, and the fact that it gives for each value of another axis. */
struct sweep {
    const char *bench, *axis;
    const char *by; /* also the fact's label; NULL: there is none */
    const char *name, *what, *unit;
    bool one_step;
};

static void offer_size(const struct am_deriving *d, const struct sweep *sweep)
{
    const struct am_selector selector = {sweep->bench, NULL, "cycles"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_groups groups = am_picks_group(&all, sweep->by ? sweep->by : "");

    for (size_t i = 0; i < groups.n; i++) {
        struct curve curve;
        struct step s;
        struct am_fact fact;

        if (!read_curve(&groups.items[i].picks, sweep->axis, d->arena, &curve))
            continue;
        s = find_step(&curve, sweep->one_step);
        if (s.above == 0)
            continue;
        fact = fact_of_step(&curve, &s, d->arena);
        fact.name = sweep->name;
        fact.what = sweep->what;
        fact.unit = sweep->unit;
        if (sweep->by)
            am_fact_label_axes(&fact, groups.items[i].picks.items[0].result, sweep->by);
        am_facts_offer(d->facts, fact);
    }
}

void am_core_derive_fetch(const struct am_deriving *d)
{
    offer_size(d, &(const struct sweep){.bench = "cpu.fetch",
                                        .axis = "code",
                                        .by = "length",
                                        .name = "fetch",
                                        .what = "bytes of code that come in at full speed",
                                        .unit = "B"});
}

/* The last point up to which jumps take so many cycles each at most; SIZE_MAX: there is none, or no
 * end of it. */
static size_t last_within(const struct curve *c, double cycles)
{
    size_t above = c->n;

    while (above > 0 && c->y[above - 1] > (1 + left_by) * cycles)
        above--;
    return above > 0 && above < c->n ? above - 1 : SIZE_MAX;
}

/* A core has the targets of few jumps at hand, of more a cycle or two later, and finds the others
 * when it decodes them: how many are followed within one, two, four and eight cycles, and within
 * half of one by a core that follows two at once. */
void am_core_derive_targets(const struct am_deriving *d)
{
    static const char *const within[] = {"0.5", "1", "2", "4", "8"};
    static const double cycles[] = {0.5, 1, 2, 4, 8};
    const struct am_selector selector = {"cpu.target", NULL, "cycles"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_groups groups = am_picks_group(&all, "spacing");

    for (size_t i = 0; i < groups.n; i++) {
        struct curve c;

        if (!read_curve(&groups.items[i].picks, "jumps", d->arena, &c))
            continue;
        for (size_t k = 0; k < sizeof(cycles) / sizeof(cycles[0]); k++) {
            const size_t last = last_within(&c, cycles[k]);
            struct am_fact fact;

            if (last == SIZE_MAX)
                continue;
            fact = rest_on(&c, (struct am_fact){.name = "targets",
                                                .what = "jumps that are followed within so many "
                                                        "cycles each",
                                                .value = (c.x[last] + c.x[last + 1]) / 2,
                                                .ci = {c.x[last], c.x[last + 1], NAN},
                                                .unit = ""});
            fact.evidence = am_arena_printf(d->arena, "%zu points: %.3g cycles, then %.3g", c.n,
                                            c.y[last], c.y[last + 1]);
            am_fact_label_axes(&fact, groups.items[i].picks.items[0].result, "spacing");
            am_fact_label(&fact, d->arena, "within", AM_AXIS_REAL, within[k]);
            am_facts_offer(d->facts, fact);
        }
    }
}

/* Half of the branches of a random pattern that is not remembered are foretold wrongly. */
static void offer_cost(const struct am_deriving *d)
{
    const struct am_selector selector = {"cpu.branch", NULL, "cycles"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    struct am_incore_cell never, often;
    struct am_fact fact = {.name = "branch_cost",
                           .what = "cycles of a branch that was foretold wrongly",
                           .unit = "cycle"};
    struct am_picks sorted;
    struct curve curve;

    if (!read_curve(&all, "period", d->arena, &curve) || find_step(&curve, true).above == 0 ||
        curve.x[0] > 1)
        return;
    sorted = am_picks_curve(&all, "period", NULL);
    curve.rest = (struct am_incore){.n_points = 0};
    never = am_incore_read_cell(&curve.rest, sorted.items[0].result, "cycles");
    often = am_incore_read_cell(&curve.rest, sorted.items[sorted.n - 1].result, "cycles");
    if (isnan(never.value) || isnan(often.value))
        return;
    fact.value = 2 * (often.value - never.value);
    fact.ci = (struct am_interval){fact.value - 2 * (often.half + never.half),
                                   fact.value + 2 * (often.half + never.half), NAN};
    fact.evidence = am_arena_printf(d->arena, "%.3g cycles of a pattern of %g, %.3g without one",
                                    often.value, sorted.items[sorted.n - 1].x, never.value);
    am_facts_offer(d->facts, rest_on(&curve, fact));
}

void am_core_derive_branch(const struct am_deriving *d)
{
    offer_size(d, &(const struct sweep){.bench = "cpu.branch",
                                        .axis = "period",
                                        .name = "branch_pattern",
                                        .what = "branches of a random pattern that are remembered",
                                        .unit = "",
                                        .one_step = true});
    offer_cost(d);
}
