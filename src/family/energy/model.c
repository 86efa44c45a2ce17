/* SPDX-License-Identifier: MIT */
/* The model of power (fit/power_fit.h) of each scope: fitted to every point of the run that was
 * measured with energy, and tested on those that a fit has not seen.
 *
 * Where the test is off by more than a quarter, only that is said: such a model explains nothing.
 */
#include "family/energy.h"

#include "family/roles.h"
#include "fit/power_fit.h"

#include <math.h>
#include <string.h>

#define POWER "power:"

static const double useful = 0.25;

/* The points of one scope. */
struct scope {
    const struct am_deriving *d;
    const char *name;
    struct am_picks picks; /* parallel to points */
    struct am_power_point *points;
    size_t n, groups; /* groups: benches */
};

/* The time of an iteration is its energy over the power. */
static bool make_point(const struct am_pick *pick, const char *scope, struct am_arena *arena,
                       struct am_power_point *out)
{
    const char *const name = am_arena_printf(arena, "energy:%s", scope);
    const struct am_result_metric *const joules =
        name ? am_result_metric(pick->result, name) : NULL;
    const struct am_work *const w = &pick->result->work;
    const double watts = pick->metric->summary.median;
    const double seconds = joules && watts > 0 ? joules->summary.median / watts : 0;

    if (!(seconds > 0))
        return false;
    *out = (struct am_power_point){.watts = watts,
                                   .cores = am_result_threads(pick->result),
                                   .flops = w->flops / seconds,
                                   .bytes = (w->bytes_read + w->bytes_written) / seconds};
    return true;
}

static size_t group_of(const struct scope *s, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (strcmp(s->picks.items[k].result->bench, s->picks.items[i].result->bench) == 0)
            return s->points[k].group;
    }
    return s->groups + 1;
}

static void gather(struct scope *s, const struct am_picks *all)
{
    const struct am_picks sound = am_picks_sound(all);
    const size_t prefix = strlen(POWER);

    s->picks = sound;
    s->points = am_arena_array(s->d->arena, sound.n + 1, sizeof(*s->points));
    for (size_t i = 0; s->points && i < sound.n; i++) {
        const struct am_pick pick = sound.items[i];

        if (strcmp(pick.metric->name + prefix, s->name) != 0 ||
            !make_point(&pick, s->name, s->d->arena, &s->points[s->n]))
            continue;
        s->picks.items[s->n] = pick;
        s->points[s->n].group = group_of(s, s->n);
        if (s->points[s->n].group > s->groups)
            s->groups = s->points[s->n].group;
        s->n++;
    }
    s->picks.n = s->n;
}

static void offer(const struct scope *s, struct am_fact fact, const char *held_out)
{
    for (size_t i = 0; i < s->n; i++)
        am_fact_rest_on(&fact, &s->picks.items[i]);
    fact.evidence = am_arena_printf(s->d->arena, "power of %zu points of %zu benches; %s held out",
                                    s->n, s->groups, held_out);
    am_fact_label(&fact, s->d->arena, "scope", AM_AXIS_NAME, s->name);
    am_facts_offer(s->d->facts, fact);
}

static void offer_error(const struct scope *s, const struct am_power_test *test, const char *name,
                        const char *what, const char *held_out)
{
    offer(s,
          (struct am_fact){.name = name,
                           .what = what,
                           .unit = "",
                           .value = test->rms,
                           .ci = {0, test->worst, NAN}},
          held_out);
}

static void offer_terms(const struct scope *s, const struct am_power_fit *fit,
                        const struct am_power_test *test)
{
    static const struct {
        const char *name, *what, *unit;
    } rows[AM_POWER_TERMS] = {
        [AM_POWER_STATIC] = {"power_static", "power that no work adds; range without one point",
                             "W"},
        [AM_POWER_CORE] = {"power_per_core", "power per busy core; range without one point", "W"},
        [AM_POWER_FLOP] = {"energy_per_flop",
                           "energy of one operation beyond that; range without "
                           "one point",
                           "J"},
        [AM_POWER_BYTE] = {"energy_per_byte",
                           "energy of one byte read or written beyond that; range "
                           "without one point",
                           "J/B"},
    };

    for (size_t k = 0; k < AM_POWER_TERMS; k++) {
        if (fit->used[k])
            offer(s,
                  (struct am_fact){.name = rows[k].name,
                                   .what = rows[k].what,
                                   .unit = rows[k].unit,
                                   .value = fit->term[k],
                                   .ci = {fmin(test->least[k], fit->term[k]),
                                          fmax(test->most[k], fit->term[k]), NAN}},
                  "one point");
    }
}

static void derive_scope(const struct am_deriving *d, const struct am_picks *all, const char *name)
{
    struct scope s = {.d = d, .name = name};
    struct am_power_fit fit;
    struct am_power_test points, benches;

    gather(&s, all);
    if (!am_power_fit(s.points, s.n, &fit) || !am_power_held_out(s.points, s.n, false, &points))
        return;
    offer_error(&s, &points, "power_error",
                "relative error of the model of power on a point that it has not seen: root mean "
                "square, and the greatest",
                "one point");
    if (am_power_held_out(s.points, s.n, true, &benches))
        offer_error(&s, &benches, "power_error_bench",
                    "the same on all points of a bench that it has not seen", "one bench");
    if (points.rms <= useful)
        offer_terms(&s, &fit, &points);
}

static bool is_first(const struct am_picks *picks, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (strcmp(picks->items[k].metric->name, picks->items[i].metric->name) == 0)
            return false;
    }
    return true;
}

void am_energy_derive_model(const struct am_deriving *d)
{
    const struct am_selector any = {.metric = POWER "*"};
    const struct am_picks picks = am_select(d->set, &any, d->arena);

    for (size_t i = 0; i < picks.n; i++) {
        if (is_first(&picks, i))
            derive_scope(d, &picks, picks.items[i].metric->name + strlen(POWER));
    }
}
