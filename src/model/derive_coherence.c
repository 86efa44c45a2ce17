/* SPDX-License-Identifier: MIT */
/* What mem.pingpong and mem.coherence show of the ways between cores. */
#include "model/derive.h"

#include <math.h>
#include <string.h>

/* By the metric `distance` of these benches: what the system states of a pair. */
static const struct {
    const char *id, *what;
} relations[] = {
    {"self", "of its own caches"},
    {"core", "between hardware threads of one core"},
    {"cache", "between cores of one last-level cache"},
    {"package", "between cores of one package"},
    {"far", "between packages"},
};
enum { RELATIONS = sizeof(relations) / sizeof(relations[0]) };

/* Ways that the system states to be alike do not differ by this factor: the next relation would. */
static const double alike_limit = 2.5;

/* The results of one kind, summarised. */
struct pool {
    double *medians;          /* of n results, in plan order until they are sorted */
    size_t n, bimodal;        /* how many have two modes */
    struct am_summary lo, hi; /* of the results with the lowest and the highest median */
    const struct am_result *at_lo, *at_hi;
};

/* What a result must be to belong to a pool. */
struct kind {
    const char *bench;
    const char *axes[2], *values[2]; /* NULL ends them */
    size_t relation;
};

static bool is_of(const struct am_result *r, const struct kind *k)
{
    struct am_summary distance;

    if (strcmp(r->bench, k->bench) != 0)
        return false;
    for (size_t i = 0; i < 2 && k->axes[i]; i++) {
        const char *const text = am_result_text(r, k->axes[i]);

        if (!text || strcmp(text, k->values[i]) != 0)
            return false;
    }
    return am_result_summary(r, "distance", &distance) &&
           fabs(distance.median - (double)k->relation) < 0.5;
}

static void gather(const struct am_result_set *set, const struct kind *kind, struct pool *p)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_summary s;

        if (!is_of(r, kind) || !am_result_summary(r, "latency", &s))
            continue;
        if (p->n == 0 || s.median < p->lo.median) {
            p->lo = s;
            p->at_lo = r;
        }
        if (p->n == 0 || s.median > p->hi.median) {
            p->hi = s;
            p->at_hi = r;
        }
        p->bimodal += s.bimodal;
        p->medians[p->n++] = s.median;
    }
}

/* The median of the pairs' medians; the interval of the only one where there is no other. */
static void add_middle(struct am_facts *facts, struct pool *p, const char *id, const char *what,
                       const char *evidence)
{
    struct am_fact fact = {.id = id, .what = what, .unit = "s", .evidence = evidence};

    am_stats_sort(p->medians, p->n);
    fact.value = am_stats_median(p->medians, p->n);
    fact.ci = p->n == 1 ? p->lo.ci : am_stats_median_interval(p->medians, p->n, 0.95);
    if (fact.id && fact.what && fact.evidence)
        (void)am_facts_add(facts, &fact);
}

static void add_end(struct am_facts *facts, const struct am_summary *s, const struct am_result *at,
                    size_t relation, const char *end)
{
    const struct am_fact fact = {
        .id = am_arena_printf(facts->arena, "handoff.%s.latency.%s", relations[relation].id, end),
        .what = am_arena_printf(facts->arena, "%s hand-off of a line %s",
                                strcmp(end, "min") == 0 ? "fastest" : "slowest",
                                relations[relation].what),
        .unit = "s",
        .value = s->median,
        .ci = s->ci,
        .evidence = am_arena_printf(facts->arena, "mem.pingpong %s", at->text),
    };

    if (fact.id && fact.what && fact.evidence)
        (void)am_facts_add(facts, &fact);
}

/* Cores that are stated to share a cache, and take several times as long with each other as others
 * that share one, are not where the system says: so it is in many virtual machines. A pair with two
 * modes counts with both. */
static void add_spread(struct am_facts *facts, const struct pool *p, size_t relation)
{
    const double lo = p->lo.bimodal ? p->lo.p5 : p->lo.median;
    const double hi = p->hi.bimodal ? p->hi.p95 : p->hi.median;
    const struct am_fact fact = {
        .id = am_arena_printf(facts->arena, "handoff.%s.spread", relations[relation].id),
        .what = am_arena_printf(facts->arena, "slowest over fastest hand-off %s",
                                relations[relation].what),
        .unit = "",
        .value = hi / lo,
        .ci = {hi / lo, hi / lo, 1},
        .evidence = am_arena_printf(
            facts->arena,
            "mem.pingpong method=cas, medians (5th and 95th percentile where there are two modes) "
            "of %zu pairs, %zu of them with two modes",
            p->n, p->bimodal),
        .claimed = "alike",
        .contradicts = hi > alike_limit * lo,
    };

    if (fact.id && fact.what && fact.evidence && lo > 0)
        (void)am_facts_add(facts, &fact);
}

static void derive_handoff(const struct am_result_set *set, struct am_facts *facts, double *scratch)
{
    for (size_t i = 1; i < RELATIONS; i++) {
        const struct kind kind = {
            .bench = "mem.pingpong", .axes = {"method"}, .values = {"cas"}, .relation = i};
        struct pool p = {.medians = scratch};

        gather(set, &kind, &p);
        if (p.n == 0)
            continue;
        if (p.n > 1) { /* one pair has no ends and no spread */
            add_end(facts, &p.lo, p.at_lo, i, "min");
            add_end(facts, &p.hi, p.at_hi, i, "max");
            add_spread(facts, &p, i);
        }
        add_middle(
            facts, &p, am_arena_printf(facts->arena, "handoff.%s.latency", relations[i].id),
            am_arena_printf(facts->arena, "hand-off of a line %s", relations[i].what),
            am_arena_printf(facts->arena, "mem.pingpong method=cas, median of %zu pairs", p.n));
    }
}

static void derive_state(const struct am_result_set *set, struct am_facts *facts, double *scratch,
                         const char *op, const char *state)
{
    for (size_t i = 0; i < RELATIONS; i++) {
        const struct kind kind = {.bench = "mem.coherence",
                                  .axes = {"op", "state"},
                                  .values = {op, state},
                                  .relation = i};
        struct pool p = {.medians = scratch};

        gather(set, &kind, &p);
        if (p.n == 0)
            continue;
        add_middle(
            facts, &p,
            am_arena_printf(facts->arena, "coherence.%s.%s.%s.latency", op, state, relations[i].id),
            am_arena_printf(facts->arena, "%s of a line in state %s, %s", op, state,
                            relations[i].what),
            am_arena_printf(facts->arena,
                            "mem.coherence op=%s state=%s, median of %zu pairs and sizes", op,
                            state, p.n));
    }
}

void am_derive_coherence(const struct am_result_set *set, struct am_facts *facts)
{
    static const char *const ops[] = {"read", "write"};
    static const char *const states[] = {"modified", "exclusive", "shared", "owned", "forward"};
    double *const scratch = am_arena_array(facts->arena, set->n ? set->n : 1, sizeof(*scratch));

    if (!scratch)
        return;
    derive_handoff(set, facts, scratch);
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        for (size_t k = 0; k < sizeof(states) / sizeof(states[0]); k++)
            derive_state(set, facts, scratch, ops[i], states[k]);
    }
}
