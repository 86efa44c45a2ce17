/* SPDX-License-Identifier: MIT */
/* What mem.placement, mem.sharing and mem.numa show: whether it matters where threads and memory
 * are, and how much. */
#include "model/derive.h"

#include <math.h>
#include <string.h>

/* Placements nearer than this are alike: less is seen between two runs of one. */
static const double symmetric_limit = 0.95;

static bool text_is(const struct am_result *r, const char *param, const char *value)
{
    const char *const text = am_result_text(r, param);

    return text && strcmp(text, value) == 0;
}

/* Whether two results differ in one parameter only, if at all. */
static bool alike_but(const struct am_result *a, const struct am_result *b, const char *param)
{
    if (strcmp(a->bench, b->bench) != 0 || a->n_params != b->n_params)
        return false;
    for (size_t i = 0; i < a->n_params; i++) {
        const char *const name = a->params[i].name;

        if (strcmp(name, param) != 0 && !text_is(b, name, a->params[i].text))
            return false;
    }
    return true;
}

/* A comparison of two values of one parameter, where everything else is the same. */
struct contrast {
    const char *bench, *metric, *param, *over, *under; /* the fact is over / under */
    const char *largest; /* parameter of which the highest value counts */
    const char *only, *only_value;
    const char *id, *what;
};

static const struct contrast contrasts[] = {
    {"mem.placement", "bandwidth", "memory", "same", "separate", "cores", "placement", "compact",
     "placement.same_memory", "bandwidth of threads that read the same memory, over separate"},
    {"mem.placement", "bandwidth", "placement", "same_core", "compact", "cores", "memory",
     "separate", "placement.same_core", "bandwidth of threads on one core, over separate cores"},
    {"mem.sharing", "increment", "layout", "shared_line", "separate_lines", "threads", "op", "add",
     "sharing.add.penalty", "atomic addition in a shared line, over lines of their own"},
    {"mem.sharing", "increment", "layout", "shared_line", "separate_lines", "threads", "op",
     "store", "sharing.store.penalty", "plain increment in a shared line, over lines of their own"},
};

static const struct am_result *partner(const struct am_result_set *set, const struct am_result *r,
                                       const struct contrast *c)
{
    struct am_summary s;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const x = &set->results[i];

        if (alike_but(r, x, c->param) && text_is(x, c->param, c->under) &&
            am_result_summary(x, c->metric, &s))
            return x;
    }
    return NULL;
}

static void derive_contrast(const struct am_result_set *set, const struct contrast *c,
                            struct am_facts *facts)
{
    const struct am_result *over = NULL, *under = NULL;
    struct am_fact fact = {.id = c->id, .what = c->what, .unit = ""};
    struct am_summary a, b;
    double largest = 1; /* one thread shares nothing */

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const double n = strcmp(r->bench, c->bench) == 0 ? am_result_number(r, c->largest) : 0;
        const struct am_result *x;

        if (!(n > largest) || !text_is(r, c->param, c->over) ||
            !text_is(r, c->only, c->only_value) || !am_result_summary(r, c->metric, &a))
            continue;
        x = partner(set, r, c);
        if (x) {
            largest = n;
            over = r;
            under = x;
        }
    }
    if (!over || !am_result_summary(over, c->metric, &a) ||
        !am_result_summary(under, c->metric, &b))
        return;
    am_fact_set_ratio(&fact, &a, &b);
    fact.evidence = am_arena_printf(facts->arena, "%s %s, over %s=%s", over->bench, over->text,
                                    c->param, c->under);
    am_facts_offer(facts, fact);
}

/* Whether a result takes part in the question of symmetry: threads of their own cores and memory,
 * and more than one. */
static bool is_spread(const struct am_result *r, struct am_summary *s)
{
    return strcmp(r->bench, "mem.placement") == 0 && text_is(r, "memory", "separate") &&
           !text_is(r, "placement", "same_core") && am_result_number(r, "cores") > 1 &&
           am_result_summary(r, "bandwidth", s);
}

/* The placement of as many threads that is slowest beside `fast`. */
static const struct am_result *slowest_beside(const struct am_result_set *set,
                                              const struct am_result *fast, struct am_summary *slow)
{
    const struct am_result *found = NULL;
    struct am_summary s;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (r == fast || !alike_but(fast, r, "placement") || !is_spread(r, &s))
            continue;
        if (!found || s.median < slow->median) {
            found = r;
            *slow = s;
        }
    }
    return found;
}

static void derive_symmetry(const struct am_result_set *set, struct am_facts *facts)
{
    struct am_fact fact = {
        .id = "placement.symmetry",
        .what = "bandwidth of the slowest placement over the fastest, as many threads each",
        .unit = "",
        .value = INFINITY,
    };
    const struct am_result *fast_at = NULL, *slow_at = NULL;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const struct am_result *other;
        struct am_summary fast, slow;

        if (!is_spread(r, &fast))
            continue;
        other = slowest_beside(set, r, &slow);
        if (other && slow.median / fast.median < fact.value) {
            am_fact_set_ratio(&fact, &slow, &fast);
            fast_at = r;
            slow_at = other;
        }
    }
    if (!slow_at)
        return;
    fact.evidence = am_arena_printf(facts->arena, "mem.placement: %s against placement=%s",
                                    slow_at->text, am_result_text(fast_at, "placement"));
    am_facts_offer(facts, fact);
    if (fact.ci.lo < symmetric_limit && fact.ci.hi >= symmetric_limit)
        return; /* the run does not tell */
    fact.id = "placement.symmetric";
    fact.what = "1: it does not matter where threads are placed; 0: it does";
    fact.value = fact.ci.lo >= symmetric_limit;
    fact.ci = (struct am_interval){fact.value, fact.value, fact.ci.coverage};
    am_facts_offer(facts, fact);
}

/* The median over the pairs of nodes of one kind. */
static void derive_numa(const struct am_result_set *set, struct am_facts *facts, bool local,
                        const char *metric, const char *unit)
{
    double *const medians = am_arena_array(facts->arena, set->n ? set->n : 1, sizeof(*medians));
    const char *const where = local ? "local" : "remote";
    struct am_fact fact = {.unit = unit};
    struct am_summary s;
    size_t n = 0;

    for (size_t i = 0; i < set->n && medians; i++) {
        const struct am_result *const r = &set->results[i];
        const double apart = am_result_number(r, "cpu_node") - am_result_number(r, "memory_node");

        if (strcmp(r->bench, "mem.numa") != 0 || (fabs(apart) < 0.5) != local ||
            !am_result_summary(r, metric, &s))
            continue;
        medians[n++] = s.median;
        fact.ci = s.ci;
    }
    if (n == 0)
        return;
    am_stats_sort(medians, n);
    fact.value = am_stats_median(medians, n);
    if (n > 1)
        fact.ci = am_stats_median_interval(medians, n, 0.95);
    fact.id = am_arena_printf(facts->arena, "numa.%s.%s", where, metric);
    fact.what = am_arena_printf(facts->arena, "%s of a node's CPUs to %s memory", metric,
                                local ? "their own" : "another node's");
    fact.evidence = am_arena_printf(facts->arena, "mem.numa, median of %zu pairs of nodes", n);
    am_facts_offer(facts, fact);
}

void am_derive_placement(const struct am_result_set *set, struct am_facts *facts)
{
    derive_symmetry(set, facts);
    for (size_t i = 0; i < sizeof(contrasts) / sizeof(contrasts[0]); i++)
        derive_contrast(set, &contrasts[i], facts);
    for (int local = 1; local >= 0; local--) {
        derive_numa(set, facts, local, "latency", "s");
        derive_numa(set, facts, local, "bandwidth", "B/s");
    }
}
