/* SPDX-License-Identifier: MIT */
/* What constructs cost on a machine, found among its results. */
#include "evidence/select.h"
#include "family/omp/cost.h"

#include <math.h>

static struct am_omp_price of_pick(const struct am_pick *pick)
{
    const struct am_summary *const s = &pick->metric->summary;

    return (struct am_omp_price){.value = s->median,
                                 .lo = s->ci.lo,
                                 .hi = s->ci.hi,
                                 .known = true,
                                 .grade = pick->metric->grading.grade};
}

static enum am_grade worse(enum am_grade a, enum am_grade b)
{
    return a > b ? a : b;
}

struct am_omp_price am_omp_price_times(struct am_omp_price p, double n)
{
    p.value *= n;
    p.lo *= n;
    p.hi *= n;
    return p;
}

struct am_omp_price am_omp_price_less(struct am_omp_price a, struct am_omp_price b)
{
    return (struct am_omp_price){.value = a.value - b.value,
                                 .lo = a.lo - b.hi,
                                 .hi = a.hi - b.lo,
                                 .known = a.known && b.known,
                                 .grade = worse(a.grade, b.grade)};
}

struct am_omp_price am_omp_price_plus(struct am_omp_price a, struct am_omp_price b)
{
    return (struct am_omp_price){.value = a.value + b.value,
                                 .lo = a.lo + b.lo,
                                 .hi = a.hi + b.hi,
                                 .known = a.known && b.known,
                                 .grade = worse(a.grade, b.grade)};
}

/* ---- regions ---- */

/* Between two prices, at a share of the way. */
static struct am_omp_price between(struct am_omp_price a, struct am_omp_price b, double share)
{
    return (struct am_omp_price){.value = a.value + share * (b.value - a.value),
                                 .lo = a.lo + share * (b.lo - a.lo),
                                 .hi = a.hi + share * (b.hi - a.hi),
                                 .known = a.known && b.known,
                                 .grade = worse(a.grade, b.grade)};
}

/* Beyond the last gap that was measured the last one speaks: threads sleep. Before the first one
 * nothing does. */
static struct am_omp_price on_curve(const struct am_picks *curve, double gap_us)
{
    for (size_t i = 0; i < curve->n; i++) {
        const struct am_pick *const here = &curve->items[i];

        if (here->x < gap_us && i + 1 < curve->n)
            continue;
        if (here->x <= gap_us)
            return of_pick(here);
        if (i == 0)
            break;
        return between(of_pick(&curve->items[i - 1]), of_pick(here),
                       (gap_us - curve->items[i - 1].x) / (here->x - curve->items[i - 1].x));
    }
    return (struct am_omp_price){.known = false};
}

/* A program waits for its slow regions too: it pays their mean. Results of older versions have
 * medians alone. */
static struct am_picks regions_of(const struct am_omp_pricing *p, const char *where)
{
    const struct am_selector means = {"omp.region", where, "overhead_mean"};
    const struct am_selector medians = {"omp.region", where, "overhead"};
    const struct am_picks picks = am_select(p->set, &means, p->arena);

    return picks.n ? picks : am_select(p->set, &medians, p->arena);
}

struct am_omp_price am_omp_price_region(const struct am_omp_pricing *p, double threads,
                                        double gap_us, const char *wait)
{
    const char *const where =
        am_arena_printf(p->arena,
                        "runtime=%s threads=%.0f wait=%s team=fixed imbalance=0 crowd=1 spin=auto "
                        "binding=auto places=auto",
                        p->runtime, threads, wait);
    const struct am_picks picks = regions_of(p, where);
    const char *several = NULL;
    const struct am_picks curve = am_picks_curve(&picks, "gap", &several);

    return where ? on_curve(&curve, gap_us) : (struct am_omp_price){.known = false};
}

/* ---- constructs inside of regions ---- */

/* Threads that are not bound, as programs have them that say nothing, before others. */
static const struct am_pick *usual(const struct am_picks *picks)
{
    const struct am_picks unbound = am_picks_where(picks, "binding=none");
    const char *several = NULL;

    return am_picks_only(unbound.n ? &unbound : picks, &several);
}

/* The only result that the conditions leave. */
static struct am_omp_price one_of(const struct am_omp_pricing *p, const char *bench,
                                  const char *where, const char *metric)
{
    const struct am_selector from = {bench, where, metric};
    const struct am_picks picks = am_select(p->set, &from, p->arena);
    const struct am_pick *const pick = where ? usual(&picks) : NULL;

    return pick ? of_pick(pick) : (struct am_omp_price){.known = false};
}

struct am_omp_price am_omp_price_sync(const struct am_omp_pricing *p, const char *construct,
                                      double threads)
{
    const char *const where =
        am_arena_printf(p->arena, "runtime=%s threads=%.0f construct=%s wait=default", p->runtime,
                        threads, construct);

    return one_of(p, "omp.sync", where, "overhead");
}

struct am_omp_price am_omp_price_first(const struct am_omp_pricing *p, double threads)
{
    return one_of(p, "omp.start",
                  am_arena_printf(p->arena, "runtime=%s threads=%.0f event=parallel wait=default",
                                  p->runtime, threads),
                  "first");
}

/* Chunks of one less the coarsest that was measured, over how many more there are. */
struct am_omp_price am_omp_price_chunk(const struct am_omp_pricing *p, double threads)
{
    static const double iterations = 1024; /* of every thread in a loop of omp.sched */
    const char *const where = am_arena_printf(
        p->arena, "runtime=%s threads=%.0f schedule=dynamic shape?=even wait=default", p->runtime,
        threads);
    const struct am_selector from = {"omp.sched", where, "overhead"};
    const struct am_picks loops = am_select(p->set, &from, p->arena);
    const struct am_picks ones = am_picks_where(&loops, "chunk=1");
    const struct am_picks larger = am_picks_where(&loops, "chunk>1");
    const struct am_picks largest = am_picks_extreme(&larger, "chunk", false);
    const struct am_pick *const fine = usual(&ones), *const coarse = usual(&largest);
    double more;

    if (!fine || !coarse)
        return (struct am_omp_price){.known = false};
    more = iterations - iterations / am_result_number(coarse->result, "chunk");
    return am_omp_price_times(am_omp_price_less(of_pick(fine), of_pick(coarse)), 1 / more);
}

struct am_omp_price am_omp_price_task(const struct am_omp_pricing *p, double threads)
{
    return one_of(p, "omp.task",
                  am_arena_printf(p->arena,
                                  "runtime=%s threads=%.0f construct=parallel_task wait=default",
                                  p->runtime, threads),
                  "overhead");
}
