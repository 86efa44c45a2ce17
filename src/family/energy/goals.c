/* SPDX-License-Identifier: MIT */
/* Energy as an objective: of all ways in which a run did one and the same work, the fastest, the
 * one of least energy and the one of least energy times delay, and whether the last two are others
 * than the first.
 *
 * Points do the same work when they differ only in who runs it and how (am_way_axes). The best of
 * many points is partly the luckiest: facts say of how many, and a ratio whose interval holds 1
 * decides nothing. */
#include "family/energy.h"

#include "base/text.h"
#include "family/plot.h"
#include "family/roles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENERGY "energy:"

enum { POINTS_MIN = 3 };

/* One work by all the ways that were measured. */
struct work {
    const char *scope;
    struct am_picks picks; /* their metric is the energy */
    const struct am_pick *frugal, *fastest, *balanced;
};

static double seconds_of(const struct am_pick *pick, const char *scope, struct am_arena *arena)
{
    const char *const name = am_arena_printf(arena, "power:%s", scope);
    const struct am_result_metric *const watts = name ? am_result_metric(pick->result, name) : NULL;

    return watts && watts->summary.median > 0 ? pick->metric->summary.median / watts->summary.median
                                              : NAN;
}

/* The least of energy times a power of the time: 0 energy, 1 energy times delay; -1 the time alone.
 */
static const struct am_pick *least(const struct work *w, int delays, struct am_arena *arena)
{
    const struct am_pick *best = NULL;
    double least_so_far = INFINITY;

    for (size_t i = 0; i < w->picks.n; i++) {
        const struct am_pick *const p = &w->picks.items[i];
        const double s = seconds_of(p, w->scope, arena);
        const double joules = p->metric->summary.median;
        const double value = delays < 0 ? s : joules * (delays ? s : 1);

        if (value < least_so_far) {
            least_so_far = value;
            best = p;
        }
    }
    return best;
}

/* Benches that give each thread its own do more with more of them: such points are no ways to do
 * the same. What a bench counts first of operations, bytes and items has to agree. */
static bool does_same(const struct am_result *a, const struct am_result *b)
{
    const double one[] = {a->work.flops, a->work.bytes_read + a->work.bytes_written, a->work.ops};
    const double other[] = {b->work.flops, b->work.bytes_read + b->work.bytes_written, b->work.ops};
    size_t i = 0;

    while (i + 1 < sizeof(one) / sizeof(one[0]) && !(one[i] > 0))
        i++;
    return fabs(one[i] - other[i]) <= 1e-6 * fabs(one[i]);
}

/* The next work of this scope that no earlier result belongs to; false at the end. */
static bool next_work(const struct am_picks *all, const char *metric, bool *taken, struct work *out)
{
    const struct am_picks of_scope = *all;

    for (size_t i = 0; i < of_scope.n; i++) {
        struct am_picks alike;
        size_t n = 0;

        if (taken[i] || strcmp(of_scope.items[i].metric->name, metric) != 0)
            continue;
        alike = am_picks_beside(all, of_scope.items[i].result, am_way_axes);
        for (size_t k = 0; k < alike.n; k++) {
            if (strcmp(alike.items[k].metric->name, metric) == 0 &&
                does_same(of_scope.items[i].result, alike.items[k].result))
                alike.items[n++] = alike.items[k];
        }
        alike.n = n;
        for (size_t k = 0; k < of_scope.n; k++) {
            for (size_t m = 0; m < n; m++)
                taken[k] = taken[k] || (of_scope.items[k].result == alike.items[m].result &&
                                        of_scope.items[k].metric == alike.items[m].metric);
        }
        *out = (struct work){.scope = metric + strlen(ENERGY), .picks = am_picks_sound(&alike)};
        return true;
    }
    return false;
}

static bool choose(struct work *w, struct am_arena *arena)
{
    if (w->picks.n < POINTS_MIN)
        return false;
    w->frugal = least(w, 0, arena);
    w->balanced = least(w, 1, arena);
    w->fastest = least(w, -1, arena);
    return w->frugal && w->balanced && w->fastest;
}

/* ---- facts ---- */

static void offer(const struct am_deriving *d, const struct work *w, struct am_fact fact,
                  const struct am_pick *of)
{
    const struct am_result *const r = of->result;

    fact.evidence = am_arena_printf(d->arena, "%s %s; of %zu ways to do the same", r->bench,
                                    r->text, w->picks.n);
    fact.n_labels = 0;
    am_fact_label(&fact, d->arena, "scope", AM_AXIS_NAME, w->scope);
    am_fact_label(&fact, d->arena, "bench", AM_AXIS_NAME, r->bench);
    for (size_t i = 0; i < r->n_params && fact.n_labels < AM_FACT_LABELS_MAX; i++) {
        if (!am_names_hold(am_way_axes, r->params[i].name))
            am_fact_label(&fact, d->arena, r->params[i].name, r->params[i].kind, r->params[i].text);
    }
    am_facts_offer(d->facts, fact);
}

static void offer_work(const struct am_deriving *d, const struct work *w)
{
    struct am_fact fact = am_fact_of(w->frugal, d->arena);

    fact.name = "least";
    fact.what = "least energy of any way to do the work";
    offer(d, w, fact, w->frugal);
    fact = am_fact_of(w->balanced, d->arena);
    fact.name = "least_edp";
    fact.what = "energy of the way with the least energy times delay";
    offer(d, w, fact, w->balanced);
    if (w->fastest == w->frugal)
        return; /* the fastest way is the one of least energy: there is nothing to weigh */
    fact = am_fact_of_ratio(w->fastest, w->frugal, d->arena);
    fact.name = "price_of_speed";
    fact.what = "energy of the fastest way over that of the one with the least";
    offer(d, w, fact, w->fastest);
}

typedef void work_fn(void *self, const struct work *work);

/* Every work of every scope. */
static void each_work(const struct am_result_set *set, struct am_arena *arena, work_fn *fn,
                      void *self)
{
    const struct am_selector any = {.metric = ENERGY "*"};
    const struct am_picks picks = am_select(set, &any, arena);
    bool *const taken = am_arena_array(arena, picks.n + 1, sizeof(*taken));

    for (size_t i = 0; taken && i < picks.n; i++) {
        struct work work;

        while (!taken[i] && next_work(&picks, picks.items[i].metric->name, taken, &work)) {
            if (choose(&work, arena))
                fn(self, &work);
        }
    }
}

static void derive_one(void *self, const struct work *work)
{
    offer_work(self, work);
}

void am_energy_derive_goals(const struct am_deriving *d)
{
    each_work(d->set, d->arena, derive_one, (void *)d);
}

/* ---- the figure ---- */

struct drawing {
    struct am_plots *plots;
    struct am_arena *arena;
};

static int by_x(const void *a, const void *b)
{
    const struct am_plot_mark *const x = a, *const y = b;

    return (x->x > y->x) - (x->x < y->x);
}

/* Those that no other point beats in both: by rising time, falling energy. */
static size_t front_of(const struct am_plot_mark *marks, size_t n, struct am_plot_mark *front)
{
    double least_so_far = INFINITY;
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        if (marks[i].y < least_so_far) {
            least_so_far = marks[i].y;
            front[k++] = marks[i];
        }
    }
    return k;
}

static void draw_one(void *self, const struct work *w)
{
    const struct drawing *const g = self;
    struct am_plot_mark *const marks = am_arena_array(g->arena, w->picks.n + 1, sizeof(*marks));
    struct am_plot_mark *const front = am_arena_array(g->arena, w->picks.n + 1, sizeof(*front));
    const struct am_plot empty = {
        .title = am_arena_printf(g->arena, "%s, %s", w->fastest->result->bench, w->scope),
        .x = {.title = "time", .unit = "s", .scale = AM_SCALE_LOG10},
        .y = {.title = "energy", .unit = "J", .scale = AM_SCALE_LOG10}};
    struct am_plot *const plot = marks && front ? am_plots_add(g->plots, &empty) : NULL;

    if (!plot)
        return;
    for (size_t i = 0; i < w->picks.n; i++) {
        const struct am_pick *const p = &w->picks.items[i];

        marks[i] = (struct am_plot_mark){.x = seconds_of(p, w->scope, g->arena),
                                         .y = p->metric->summary.median,
                                         .lo = p->metric->summary.ci.lo,
                                         .hi = p->metric->summary.ci.hi,
                                         .title = p->result->text};
    }
    qsort(marks, w->picks.n, sizeof(*marks), by_x);
    am_plot_add(plot, g->arena,
                &(struct am_plot_series){
                    .label = "measured", .marks = marks, .n = w->picks.n, .unjoined = true});
    am_plot_add(plot, g->arena,
                &(struct am_plot_series){.label = "none is better in both",
                                         .marks = front,
                                         .n = front_of(marks, w->picks.n, front),
                                         .color = 1,
                                         .steps = true,
                                         .bare = true});
}

bool am_energy_plot_goals(const struct am_figure_source *source, struct am_plots *out)
{
    struct drawing g = {.plots = out, .arena = source->arena};
    const size_t before = out->n;

    each_work(source->set, source->arena, draw_one, &g);
    return out->n > before;
}

/* ---- those that none beats in both, as rows ---- */

struct rows {
    struct am_energy_way *items;
    size_t n, cap;
    struct am_arena *arena;
};

/* "isa=avx threads=4": the ways in which this work was done differently. */
static const char *way_text(const struct work *w, const struct am_result *r, struct am_arena *arena)
{
    const char *text = "";

    for (size_t i = 0; text && i < r->n_params; i++) {
        bool varies = false;

        for (size_t k = 0; k < w->picks.n; k++) {
            const char *const other = am_result_text(w->picks.items[k].result, r->params[i].name);

            varies = varies || !other || strcmp(other, r->params[i].text) != 0;
        }
        if (varies)
            text = am_arena_printf(arena, "%s%s%s=%s", text, *text ? " " : "", r->params[i].name,
                                   r->params[i].text);
    }
    return text ? text : "";
}

static int by_time(const void *a, const void *b)
{
    const struct am_energy_way *const x = a, *const y = b;

    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static void add_front(void *self, const struct work *w)
{
    struct rows *const rows = self;
    const size_t first = rows->n;

    for (size_t i = 0; i < w->picks.n; i++) {
        const struct am_pick *const p = &w->picks.items[i];
        const double seconds = seconds_of(p, w->scope, rows->arena);
        bool beaten = false;

        for (size_t k = 0; k < w->picks.n; k++) {
            const struct am_pick *const other = &w->picks.items[k];

            beaten = beaten || (seconds_of(other, w->scope, rows->arena) < seconds &&
                                other->metric->summary.median < p->metric->summary.median);
        }
        if (!beaten && rows->n < rows->cap)
            rows->items[rows->n++] =
                (struct am_energy_way){.bench = p->result->bench,
                                       .scope = w->scope,
                                       .way = way_text(w, p->result, rows->arena),
                                       .seconds = seconds,
                                       .energy = &p->metric->summary};
    }
    qsort(rows->items + first, rows->n - first, sizeof(*rows->items), by_time);
}

size_t am_energy_front(const struct am_result_set *set, struct am_arena *arena,
                       struct am_energy_way *out, size_t cap)
{
    struct rows rows = {.items = out, .cap = cap, .arena = arena};

    each_work(set, arena, add_front, &rows);
    return rows.n;
}
