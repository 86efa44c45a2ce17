/* SPDX-License-Identifier: MIT */
/* What the time of a study is spent on: points that claims rest on, before those of figures.
 *
 * The points of a claim have one rank, so that they get their launches or none of them does; claims
 * that cost little come first, for more of them are then judged. Figures follow, a rank each, then
 * whatever nothing names but queries. The short form also says how often: points of claims from
 * enough launches for a verdict up to as many as the time allows, all others as often as a figure
 * needs them. Numbers of launches do not depend on what is measured. */
#include "base/text.h"
#include "cli/study/study.h"
#include "conductor/schedule.h"
#include "document/study/study.h"
#include "evidence/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANKS_OF_KIND = AM_WORTH_HEADLINES, /* claims, then figures, then the rest: a class each */
    NAME_BYTES = 64,
    LEAST = 2,         /* launches of what is only shown, */
    MOST = 5,          /* at most; */
    LEAST_CLAIMED = 3, /* of what a claim rests on: fewer tell nothing, */
    MOST_CLAIMED = 20, /* while there is time */
};

struct ranking {
    struct am_plan *plan;
    struct am_arena *arena;
    struct am_result *points; /* parallel to the plan's: their bench and parameters alone */
    bool *marked;             /* parallel to them: by the selector, claim or figure at hand */
    bool *picked;             /* scratch of one selector */
    bool broken;              /* memory was refused */
};

/* ---- points as selectors see them ---- */

static void name_point(struct ranking *r, size_t i)
{
    const struct am_point *const point = &r->plan->points[i];
    const size_t n = am_axis_count(point->bench->axes);
    struct am_result *const out = &r->points[i];

    out->bench = point->bench->name;
    out->params = am_arena_array(r->arena, n + 1, sizeof(*out->params));
    for (size_t k = 0; out->params && k < n; k++) {
        char text[AM_VALUE_TEXT_MAX];

        am_value_text(&point->values[k], text, sizeof(text));
        out->params[k] = (struct am_result_param){.name = point->bench->axes[k].name,
                                                  .kind = point->bench->axes[k].kind,
                                                  .text = am_arena_strdup(r->arena, text)};
        r->broken = r->broken || !out->params[k].text;
        out->n_params++;
    }
    r->broken = r->broken || !out->params;
}

/* Whether every condition on an axis of the point holds; what a bench chooses itself (the kind of a
 * device) is not known yet. */
static bool may_match(const struct ranking *r, const struct am_result *point, const char *where)
{
    bool all = true;

    for (const char *p = where ? where : ""; *p && all;) {
        const size_t n = strcspn(p, " "), no = *p == '!', len = strcspn(p + no, "?!=<> ");
        char name[NAME_BYTES];
        const char *const word = am_arena_strndup(r->arena, p, n);

        (void)am_str_copy(name, len + 1 < sizeof(name) ? len + 1 : sizeof(name), p + no);
        if (word && am_result_param(point, name))
            all = am_where_matches(word, point->params, point->n_params);
        p += n;
        p += strspn(p, " ");
    }
    return all;
}

/* Of the picked points, those with the largest (smallest) number on each axis of the list. */
static void keep_extremes(struct ranking *r, const char *axes, bool least)
{
    for (const char *p = axes ? axes : ""; *p;) {
        const size_t n = strcspn(p, ",");
        char axis[NAME_BYTES];
        double extreme = NAN;

        (void)am_str_copy(axis, n + 1 < sizeof(axis) ? n + 1 : sizeof(axis), p);
        for (size_t i = 0; i < r->plan->n; i++) {
            const double x = r->picked[i] ? am_result_number(&r->points[i], axis) : (double)NAN;

            extreme = least ? fmin(extreme, x) : fmax(extreme, x); /* both pass NAN over */
        }
        for (size_t i = 0; i < r->plan->n; i++) {
            const double x = am_result_number(&r->points[i], axis);

            r->picked[i] = r->picked[i] && !(x < extreme) && !(x > extreme);
        }
        p += n + (p[n] == ',');
    }
}

/* Marks the points that a selector may choose. */
static void mark_selected(struct ranking *r, const struct am_study_selector *s)
{
    for (size_t i = 0; i < r->plan->n; i++)
        r->picked[i] =
            am_glob_match(s->bench, r->points[i].bench) && may_match(r, &r->points[i], s->where);
    keep_extremes(r, s->most, false);
    keep_extremes(r, s->least, true);
    for (size_t i = 0; i < r->plan->n; i++)
        r->marked[i] = r->marked[i] || r->picked[i];
}

static void mark_claim(struct ranking *r, const struct am_study_claim *claim)
{
    for (size_t i = 0; i < claim->n_thats; i++) {
        const struct am_study_that *const that = &claim->thats[i];

        mark_selected(r, &that->left);
        if (!that->constant && !that->axis)
            mark_selected(r, &that->right);
    }
}

/* What a figure draws, and what stands beside the paper's numbers. */
static void mark_item(struct ranking *r, const struct am_study_item *item)
{
    const char *const like = item->field[AM_STUDY_LIKE], *near;
    const struct am_figure_row *const row = like ? am_study_row(like, &near) : NULL;
    const char *const own = item->field[AM_STUDY_BENCH];
    const char *const bench = own ? own : row ? row->bench : NULL;

    for (size_t i = 0; bench && i < r->plan->n; i++)
        r->marked[i] = r->marked[i] || (am_glob_match(bench, r->points[i].bench) &&
                                        may_match(r, &r->points[i], item->field[AM_STUDY_WHERE]));
    for (size_t i = 0; i < item->n_beside; i++) {
        if (item->beside[i].beside)
            mark_selected(r, &item->beside[i].from);
    }
}

/* ---- ranks ---- */

/* A claim and what it takes. */
struct cost {
    size_t claim;
    double seconds;
};

static int by_seconds(const void *x, const void *y)
{
    const struct cost *const a = x, *const b = y;

    if (a->seconds < b->seconds || a->seconds > b->seconds)
        return a->seconds < b->seconds ? -1 : 1;
    return (a->claim > b->claim) - (a->claim < b->claim);
}

static void mark_again(struct ranking *r, const struct am_study_claim *claim)
{
    memset(r->marked, 0, r->plan->n * sizeof(*r->marked));
    mark_claim(r, claim);
    if (claim->reason)
        mark_claim(r, claim->reason);
}

/* Gives the marked points a rank, where they have no better one. */
static void give_rank(const struct ranking *r, size_t rank, bool claimed)
{
    for (size_t i = 0; i < r->plan->n; i++) {
        struct am_point *const point = &r->plan->points[i];

        if (!r->marked[i] || point->worth <= rank)
            continue;
        point->worth = (unsigned)rank;
        point->needed = claimed;
    }
}

static size_t in_class(size_t kind, size_t i)
{
    return kind * RANKS_OF_KIND + (i < RANKS_OF_KIND ? i : RANKS_OF_KIND - 1);
}

static void rank_claims(struct ranking *r, const struct am_study *study)
{
    struct cost *const costs = am_arena_array(r->arena, study->n_claims + 1, sizeof(*costs));

    for (size_t i = 0; costs && i < study->n_claims; i++) {
        costs[i].claim = i;
        mark_again(r, &study->claims[i]);
        for (size_t k = 0; k < r->plan->n; k++)
            costs[i].seconds += r->marked[k] ? am_schedule_guess(r->plan, &r->plan->points[k]) : 0;
    }
    r->broken = r->broken || !costs;
    if (costs)
        qsort(costs, study->n_claims, sizeof(*costs), by_seconds);
    for (size_t i = 0; costs && i < study->n_claims; i++) {
        mark_again(r, &study->claims[costs[i].claim]);
        give_rank(r, in_class(0, i), true);
    }
}

static void rank_items(struct ranking *r, const struct am_study *study)
{
    for (size_t i = 0; i < study->n_items; i++) {
        memset(r->marked, 0, r->plan->n * sizeof(*r->marked));
        mark_item(r, &study->items[i]);
        give_rank(r, in_class(1, i), false);
    }
}

void am_study_launches(struct am_plan_settings *settings)
{
    settings->min_launches = LEAST;
    settings->max_launches = MOST_CLAIMED;
}

/* How often, where the numbers are those of the short form and not the user's. */
static void set_launches(struct am_plan *plan)
{
    const struct am_plan_settings *const set = &plan->settings;

    if (set->profile != AM_PROFILE_QUICK || set->min_launches != LEAST ||
        set->max_launches != MOST_CLAIMED)
        return;
    for (size_t i = 0; i < plan->n; i++) {
        plan->points[i].least = plan->points[i].needed ? LEAST_CLAIMED : 0;
        plan->points[i].most = plan->points[i].needed ? 0 : MOST;
    }
}

bool am_study_rank(const struct am_study *study, struct am_plan *plan, struct am_arena *arena)
{
    struct ranking r = {.plan = plan,
                        .arena = arena,
                        .points = am_arena_array(arena, plan->n + 1, sizeof(*r.points)),
                        .marked = am_arena_array(arena, plan->n + 1, sizeof(*r.marked)),
                        .picked = am_arena_array(arena, plan->n + 1, sizeof(*r.picked))};

    if (!r.points || !r.marked || !r.picked)
        return false;
    for (size_t i = 0; i < plan->n; i++) {
        name_point(&r, i);
        plan->points[i].worth = (unsigned)in_class(2, 0);
    }
    if (r.broken)
        return false;
    rank_claims(&r, study);
    rank_items(&r, study);
    set_launches(plan);
    return !r.broken;
}
