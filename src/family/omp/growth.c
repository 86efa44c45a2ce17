/* SPDX-License-Identifier: MIT */
/* How overheads grow: with the team, with the chunks of a loop, with the size of an array, and with
 * the serial time before a region.
 *
 * An overhead is a sum of terms that cannot be negative:
 *
 *     over threads p:  base + doubling * log2(p) + step [p > CPUs below one last cache]
 *                      + step [p > CPUs of one package]
 *     over chunks c:   base + each * (requests of a thread for such chunks)
 *     over elements n: base + each * n + more * (elements beyond a first-level cache)
 *                      + more * (elements beyond a second-level cache)
 *
 * Groups of CPUs and sizes of caches are those of the topology. A term is told where enough points
 * determine it, with the range of the fits that leave one point out; a law that misses a point by
 * more than a quarter tells nothing. */
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

enum { BASE, SLOPE, FIRST_KNEE, SECOND_KNEE, TERMS };
_Static_assert((int)TERMS <= (int)AM_UNKNOWNS, "a law has no more terms than can be solved for");

enum { POINTS_MAX = 512, SPARE_POINTS = 2 /* more than terms */, SIDE_POINTS = 2 };
static const double miss_limit = 0.25; /* of a point, relative to its overhead */

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

/* What is told of a term. */
struct term {
    const char *name, *what;
};

struct law {
    const struct am_picks *points; /* by rising x */
    void (*terms_at)(const struct law *law, double x, double *out);
    double knees[2]; /* x beyond which more is paid; 0: there is none */
    const char *over, *labels;
    struct term told[TERMS];
    double terms[TERMS];
    bool used[TERMS];
};

static double value_of(const struct am_pick *point)
{
    return point->metric->summary.median;
}

/* Of all points but one (SIZE_MAX: all). False where they do not determine the terms. */
static bool solve(struct law *law, size_t without)
{
    struct am_equations s = {.used = {0}};

    memcpy(s.used, law->used, sizeof(law->used));
    for (size_t i = 0; i < law->points->n; i++) {
        double at[AM_UNKNOWNS] = {0};

        law->terms_at(law, law->points->items[i].x, at);
        if (i != without)
            am_equations_add(&s, at, value_of(&law->points->items[i]));
    }
    return am_equations_solve(&s, law->terms);
}

static double miss_of(const struct law *law)
{
    double worst = 0;

    for (size_t i = 0; i < law->points->n; i++) {
        double at[AM_UNKNOWNS] = {0}, sum = 0;

        law->terms_at(law, law->points->items[i].x, at);
        for (size_t k = 0; k < TERMS; k++)
            sum += law->terms[k] * at[k];
        worst = fmax(worst, fabs(sum / value_of(&law->points->items[i]) - 1));
    }
    return worst;
}

/* A knee is asked for where two points at least lie on either side of it. */
static bool is_seen(const struct law *law, double knee)
{
    size_t within = 0, beyond = 0;

    for (size_t i = 0; i < law->points->n; i++) {
        within += law->points->items[i].x <= knee;
        beyond += law->points->items[i].x > knee;
    }
    return knee > 0 && within >= SIDE_POINTS && beyond >= SIDE_POINTS;
}

/* ---- facts ---- */

static void offer_term(const struct am_deriving *d, const struct law *law, size_t term)
{
    const struct am_picks *const points = law->points;
    const double knee = term >= FIRST_KNEE ? law->knees[term - FIRST_KNEE] : 0;
    struct am_fact fact = {.name = law->told[term].name,
                           .what = law->told[term].what,
                           .unit = "s",
                           .value = law->terms[term],
                           .ci = {law->terms[term], law->terms[term], NAN}};

    for (size_t i = 0; i < points->n; i++) {
        struct law part = *law;

        if (solve(&part, i)) {
            fact.ci.lo = fmin(fact.ci.lo, part.terms[term]);
            fact.ci.hi = fmax(fact.ci.hi, part.terms[term]);
        }
        am_fact_rest_on(&fact, &points->items[i]);
    }
    fact.evidence = am_arena_printf(
        d->arena, "%zu points of %g to %g %s, none missed by more than %.0f %%", points->n,
        points->items[0].x, points->items[points->n - 1].x, law->over, 100 * miss_of(law));
    am_fact_label_axes(&fact, points->items[0].result, law->labels);
    if (knee > 0)
        am_fact_label(&fact, d->arena, "beyond", AM_AXIS_INT,
                      am_arena_printf(d->arena, "%.0f", knee));
    am_facts_offer(d->facts, fact);
}

static void offer_law(const struct am_deriving *d, struct law *law)
{
    const struct am_picks *const points = law->points;
    size_t terms = 2;

    for (size_t i = 0; i < points->n; i++) {
        if (!(value_of(&points->items[i]) > 0))
            return; /* not told from zero: nothing grows */
    }
    law->used[BASE] = law->used[SLOPE] = true;
    for (size_t i = 0; i < 2; i++) {
        law->used[FIRST_KNEE + i] = is_seen(law, law->knees[i]);
        terms += law->used[FIRST_KNEE + i];
    }
    if (points->n < terms + SPARE_POINTS || points->n > POINTS_MAX || !solve(law, SIZE_MAX) ||
        miss_of(law) > miss_limit)
        return;
    for (size_t i = 0; i < TERMS; i++) {
        if (law->used[i])
            offer_term(d, law, i);
    }
}

/* One law for each value of the labels, over one axis. */
static void offer_laws(const struct am_deriving *d, const struct am_selector *from,
                       const char *axis, const struct law *law)
{
    const struct am_picks picks = am_select(d->set, from, d->arena);
    const struct am_groups kinds = am_picks_group(&picks, law->labels);

    for (size_t i = 0; i < kinds.n; i++) {
        const char *several = NULL;
        const struct am_picks points = am_picks_curve(&kinds.items[i].picks, axis, &several);
        struct law of_kind = *law;

        of_kind.points = &points;
        if (!several && points.n)
            offer_law(d, &of_kind);
    }
}

/* ---- over threads ---- */

static void terms_of_team(const struct law *law, double threads, double *out)
{
    out[BASE] = 1;
    out[SLOPE] = log2(threads);
    for (size_t i = 0; i < 2; i++)
        out[FIRST_KNEE + i] = law->knees[i] > 0 && threads > law->knees[i];
}

void am_openmp_derive_growth(const struct am_deriving *d)
{
    const struct am_selector from = {"omp.sync", TEAMS CONSTRUCTS, "overhead"};
    const struct groups groups = groups_of(&d->set->machine);
    const struct law law = {
        .terms_at = terms_of_team,
        .knees = {groups.cache, groups.package},
        .over = "threads",
        .labels = "runtime,construct",
        .told = {[BASE] = {"growth_base", "overhead that every team has, in the fit"},
                 [SLOPE] = {"growth_doubling",
                            "what a team of twice as many threads adds to the overhead"},
                 [FIRST_KNEE] = {"growth_step",
                                 "what a team adds that no longer fits below one last cache"},
                 [SECOND_KNEE] = {"growth_step",
                                  "what a team adds that no longer fits into one package"}}};

    offer_laws(d, &from, "threads", &law);
}

/* ---- over chunks ---- */

static void terms_of_chunk(const struct law *law, double chunk, double *out)
{
    static const double iterations = 1024; /* of every thread in a loop of omp.sched */

    (void)law;
    out[BASE] = 1;
    out[SLOPE] = iterations / chunk;
}

/* Of chunks that leave every thread some: larger ones show what is left unbalanced. */
void am_openmp_derive_chunks(const struct am_deriving *d)
{
    const struct am_selector from = {
        "omp.sched", TEAMS "schedule=dynamic shape?=even chunk>0 chunk<=64", "overhead"};
    const struct law law = {
        .terms_at = terms_of_chunk,
        .over = "iterations per chunk",
        .labels = "runtime,threads",
        .told = {
            [BASE] = {"chunk_base", "overhead of a dynamic loop whatever its chunks, in the fit"},
            [SLOPE] = {"chunk_each",
                       "what a thread pays per chunk of a dynamic loop, in the fit"}}};

    offer_laws(d, &from, "chunk", &law);
}

/* ---- over elements ---- */

static void terms_of_size(const struct law *law, double elements, double *out)
{
    out[BASE] = 1;
    out[SLOPE] = elements;
    for (size_t i = 0; i < 2; i++)
        out[FIRST_KNEE + i] = law->knees[i] > 0 ? fmax(0, elements - law->knees[i]) : 0;
}

/* A thread's copy and the original share its caches. */
static double elements_in(const struct am_kvs *machine, const char *cache)
{
    static const double both_bytes = 2 * 8;

    return floor(number_in(machine, cache) / both_bytes);
}

void am_openmp_derive_sizes(const struct am_deriving *d)
{
    const struct am_selector from = {
        "omp.array", TEAMS "clause=firstprivate,lastprivate,copyin,copyprivate,reduction",
        "overhead"};
    const struct law law = {
        .terms_at = terms_of_size,
        .knees = {elements_in(&d->set->machine, "l1d_bytes"),
                  elements_in(&d->set->machine, "l2_bytes")},
        .over = "elements",
        .labels = "runtime,clause,threads",
        .told = {
            [BASE] = {"size_base", "overhead of a clause on an array of any size, in the fit"},
            [SLOPE] = {"size_each", "what a clause on an array pays per element"},
            [FIRST_KNEE] = {"size_more",
                            "what it pays more per element that no first-level cache holds"},
            [SECOND_KNEE] = {"size_more",
                             "what it pays more per element that no second-level cache holds"}}};

    offer_laws(d, &from, "elements", &law);
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
