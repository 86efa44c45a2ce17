/* SPDX-License-Identifier: MIT */
/* How overheads grow: with the team, and with the serial time before a region.
 *
 * Over teams of two threads and more an overhead is fitted by
 *
 *     O(p) = base + doubling * log2(p) + step(cache) [p > cache group] + step(package) [p >
 * package]
 *
 * with terms that cannot be negative. The groups are those of the topology: CPUs below one last
 * cache, CPUs of one package. A term is told where enough teams determine it, with the range of the
 * fits that leave one team out; a fit that misses a team by more than a quarter tells nothing. */
#include "fit/equations.h"
#include "family/openmp.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* Bound close to each other and waiting as the runtime likes; constructs that all threads meet at.
 */
#define TEAMS "runtime binding=close wait=default threads>1 "
#define CONSTRUCTS                                                                                 \
    "construct=parallel,parallel_for,barrier,for,single,reduction,critical_contended,"             \
    "lock_contended,ordered"

enum { BASE, DOUBLING, CACHE_STEP, PACKAGE_STEP, TERMS };

enum { TEAMS_MAX = 512, SPARE_TEAMS = 2 /* more than terms */, SIDE_TEAMS = 2 };
static const double miss_limit = 0.25; /* of a team, relative to its overhead */

/* ---- groups of the machine ---- */

static double number_in(const struct am_kvs *machine, const char *key)
{
    const char *const text = am_kvs_get(machine, key);
    double value;

    return text && am_parse_f64(text, strlen(text), &value) ? value : 0;
}

/* CPUs of a group, by the pairs of CPUs that are related so closely or closer: n CPUs in groups of
 * g have n (g - 1) / 2 such pairs. 0 where groups differ in size or none is smaller than the
 * machine.
 */
static double group_size(double cpus, double pairs)
{
    const double size = cpus > 0 ? 2 * pairs / cpus + 1 : 0;
    const bool whole = fabs(size - round(size)) < 1e-6 && fabs(fmod(cpus, round(size))) < 1e-6;

    return whole && size > 1 && size < cpus ? round(size) : 0;
}

struct groups {
    double cache, package; /* CPUs; 0: the machine has no such groups */
};

static struct groups groups_of(const struct am_kvs *machine)
{
    const double cpus = number_in(machine, "threads");
    const double below = number_in(machine, "pairs.core") + number_in(machine, "pairs.cache");
    const struct groups g = {group_size(cpus, below),
                             group_size(cpus, below + number_in(machine, "pairs.package"))};

    return g.cache >= g.package && g.package > 0 ? (struct groups){0, g.package} : g;
}

/* ---- the fit ---- */

struct growth {
    const struct am_picks *teams; /* by rising number of threads, x set */
    struct groups groups;
    double terms[TERMS];
    bool used[TERMS];
};

static void terms_at(const struct growth *g, double threads, double *out)
{
    out[BASE] = 1;
    out[DOUBLING] = log2(threads);
    out[CACHE_STEP] = g->groups.cache > 0 && threads > g->groups.cache;
    out[PACKAGE_STEP] = g->groups.package > 0 && threads > g->groups.package;
}

static double value_of(const struct am_pick *team)
{
    return team->metric->summary.median;
}

/* Of all teams but one (SIZE_MAX: all). False where they do not determine the terms. */
static bool solve(struct growth *g, size_t without)
{
    struct am_equations s = {.used = {0}};

    memcpy(s.used, g->used, sizeof(s.used));
    for (size_t i = 0; i < g->teams->n; i++) {
        double at[AM_UNKNOWNS];

        terms_at(g, g->teams->items[i].x, at);
        if (i != without)
            am_equations_add(&s, at, value_of(&g->teams->items[i]));
    }
    return am_equations_solve(&s, g->terms);
}

static double miss_of(const struct growth *g)
{
    double worst = 0;

    for (size_t i = 0; i < g->teams->n; i++) {
        double at[AM_UNKNOWNS], sum = 0;

        terms_at(g, g->teams->items[i].x, at);
        for (size_t k = 0; k < TERMS; k++)
            sum += g->terms[k] * at[k];
        worst = fmax(worst, fabs(sum / value_of(&g->teams->items[i]) - 1));
    }
    return worst;
}

/* A step is asked for where two teams at least lie on either side of it. */
static bool is_seen(const struct growth *g, double group)
{
    size_t within = 0, beyond = 0;

    for (size_t i = 0; i < g->teams->n; i++) {
        within += g->teams->items[i].x <= group;
        beyond += g->teams->items[i].x > group;
    }
    return group > 0 && within >= SIDE_TEAMS && beyond >= SIDE_TEAMS;
}

/* ---- facts ---- */

static void offer_term(const struct am_deriving *d, const struct growth *g, size_t term,
                       const char *name, const char *what, double group)
{
    const struct am_picks *const teams = g->teams;
    struct am_fact fact = {.name = name,
                           .what = what,
                           .unit = "s",
                           .value = g->terms[term],
                           .ci = {g->terms[term], g->terms[term], NAN}};

    for (size_t i = 0; i < teams->n; i++) {
        struct growth part = *g;

        if (solve(&part, i)) {
            fact.ci.lo = fmin(fact.ci.lo, part.terms[term]);
            fact.ci.hi = fmax(fact.ci.hi, part.terms[term]);
        }
        am_fact_rest_on(&fact, &teams->items[i]);
    }
    fact.evidence = am_arena_printf(
        d->arena, "%zu teams of %g to %g threads, none missed by more than %.0f %%", teams->n,
        teams->items[0].x, teams->items[teams->n - 1].x, 100 * miss_of(g));
    am_fact_label_axes(&fact, teams->items[0].result, "runtime,construct");
    if (group > 0)
        am_fact_label(&fact, d->arena, "beyond", AM_AXIS_INT,
                      am_arena_printf(d->arena, "%.0f", group));
    am_facts_offer(d->facts, fact);
}

static void fit_teams(const struct am_deriving *d, const struct am_picks *teams)
{
    struct growth g = {.teams = teams,
                       .groups = groups_of(&d->set->machine),
                       .used = {[BASE] = true, [DOUBLING] = true}};
    size_t terms = 2;

    for (size_t i = 0; i < teams->n; i++) {
        if (!(value_of(&teams->items[i]) > 0))
            return; /* not told from zero: nothing grows */
    }
    g.used[CACHE_STEP] = is_seen(&g, g.groups.cache);
    g.used[PACKAGE_STEP] = is_seen(&g, g.groups.package);
    terms += g.used[CACHE_STEP] + g.used[PACKAGE_STEP];
    if (teams->n < terms + SPARE_TEAMS || teams->n > TEAMS_MAX || !solve(&g, SIZE_MAX) ||
        miss_of(&g) > miss_limit)
        return;
    offer_term(d, &g, BASE, "growth_base", "overhead that every team has, in the fit", 0);
    offer_term(d, &g, DOUBLING, "growth_doubling",
               "what a team of twice as many threads adds to the overhead", 0);
    if (g.used[CACHE_STEP])
        offer_term(d, &g, CACHE_STEP, "growth_step",
                   "what a team adds that no longer fits below one last cache", g.groups.cache);
    if (g.used[PACKAGE_STEP])
        offer_term(d, &g, PACKAGE_STEP, "growth_step",
                   "what a team adds that no longer fits into one package", g.groups.package);
}

void am_openmp_derive_growth(const struct am_deriving *d)
{
    const struct am_selector from = {"omp.sync", TEAMS CONSTRUCTS, "overhead"};
    const struct am_picks picks = am_select(d->set, &from, d->arena);
    const struct am_groups kinds = am_picks_group(&picks, "runtime,construct");

    for (size_t i = 0; i < kinds.n; i++) {
        const char *several = NULL;
        const struct am_picks teams = am_picks_curve(&kinds.items[i].picks, "threads", &several);

        if (!several && teams.n)
            fit_teams(d, &teams);
    }
}

/* ---- gaps ---- */

/* The first gap after which a region surely costs twice what it costs at once; it may begin
 * anywhere behind the last one after which it surely does not. */
static void offer_limit(const struct am_deriving *d, const struct am_picks *gaps)
{
    static const double worth = 2;
    const struct am_interval at_once = gaps->items[0].metric->summary.ci;
    struct am_fact fact = {.name = "gap_limit",
                           .what = "serial time after which a region costs twice as much as at "
                                   "once",
                           .unit = "s",
                           .value = NAN};
    double awake = 0;

    for (size_t i = 1; i < gaps->n && !isfinite(fact.value); i++) {
        const struct am_interval ci = gaps->items[i].metric->summary.ci;
        const double seconds = gaps->items[i].x * 1e-6;

        if (ci.hi <= worth * at_once.lo)
            awake = seconds;
        if (ci.lo > worth * at_once.hi)
            fact.value = seconds;
        am_fact_rest_on(&fact, &gaps->items[i]);
    }
    fact.ci = (struct am_interval){awake, fact.value, NAN};
    fact.evidence = "regions of omp.region after rising gaps";
    am_fact_rest_on(&fact, &gaps->items[0]);
    am_fact_label_axes(&fact, gaps->items[0].result, "runtime,threads");
    am_facts_offer(d->facts, fact);
}

void am_openmp_derive_gaps(const struct am_deriving *d)
{
    const struct am_selector from = {
        "omp.region",
        "runtime team=fixed imbalance=0 crowd=1 spin=auto binding=auto "
        "wait=auto threads>1",
        "overhead"};
    const struct am_picks picks = am_select(d->set, &from, d->arena);
    const struct am_groups teams = am_picks_group(&picks, "runtime,threads,work");

    for (size_t i = 0; i < teams.n; i++) {
        const char *several = NULL;
        const struct am_picks gaps = am_picks_curve(&teams.items[i].picks, "gap", &several);

        if (!several && gaps.n > 2 && !(gaps.items[0].x > 0) &&
            gaps.items[0].metric->summary.ci.lo > 0)
            offer_limit(d, &gaps);
    }
}
