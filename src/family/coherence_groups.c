/* SPDX-License-Identifier: MIT */
/* Which CPUs are alike: groups that hand lines on faster among themselves than to others, found in
 * the matrix of mem.pingpong and not in what the system states.
 *
 * Pairs are near or far by the widest gap between their latencies; groups are what near pairs join.
 * Hardware threads of one core are in one group whatever was measured. The matrix is made twice, of
 * the medians and of the lower ends of their intervals: where both show other numbers of groups,
 * the interval of the fact says so, and nothing is advised. */
#include "family/coherence.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ways that differ by less are of one kind: the spread of such a matrix on a quiet machine. */
static const double kinds_apart = 1.3;

enum { CPUS_MIN = 3, CPUS_MAX = 1024, TEXT_MAX = 1024 };

/* The matrix: latency of a pair, both directions together; NAN: not measured, 0: of one core as the
 * system states it, and so in one group whatever was measured. */
struct matrix {
    int cpus[CPUS_MAX];
    size_t n;
    double *latency; /* n x n */
    size_t group[CPUS_MAX];
};

/* One result. */
struct pair {
    int from, to;
    int relation;   /* as stated; -1: not stated */
    double latency; /* 0 for pairs of one core */
};

static bool is_pair(const struct am_pick *pick, bool low, struct pair *out)
{
    const struct am_summary *const s = &pick->metric->summary;
    const double a = am_result_number(pick->result, "from");
    const double b = am_result_number(pick->result, "to");

    if (!(a >= 0) || !(b >= 0) || fabs(a - b) < 0.5 || !(s->median > 0))
        return false;
    *out = (struct pair){.from = (int)a,
                         .to = (int)b,
                         .relation = am_coherence_relation(pick->result),
                         .latency = low ? fmax(s->ci.lo, 0) : s->median};
    if (out->relation == AM_RELATION_CORE)
        out->latency = 0;
    return true;
}

/* Index of a CPU, which is added when it is new; n when there is no room. */
static size_t index_of(struct matrix *m, int cpu)
{
    for (size_t i = 0; i < m->n; i++) {
        if (m->cpus[i] == cpu)
            return i;
    }
    if (m->n < CPUS_MAX)
        m->cpus[m->n++] = cpu;
    return m->n - 1;
}

static int by_number(const void *x, const void *y)
{
    const int a = *(const int *)x, b = *(const int *)y;

    return (a > b) - (a < b);
}

static void put(struct matrix *m, size_t a, size_t b, double latency)
{
    double *const cell = &m->latency[a * m->n + b];

    *cell = isnan(*cell) ? latency : fmin(*cell, latency); /* what disturbs only adds */
    m->latency[b * m->n + a] = *cell;
}

/* Of the medians, or of the lower ends of their intervals. False when there are too few CPUs. */
static bool fill(const struct am_picks *picks, bool low, struct matrix *m)
{
    struct pair p;

    for (size_t i = 0; i < picks->n; i++) {
        if (is_pair(&picks->items[i], low, &p)) {
            (void)index_of(m, p.from);
            (void)index_of(m, p.to);
        }
    }
    if (m->n < CPUS_MIN)
        return false;
    qsort(m->cpus, m->n, sizeof(m->cpus[0]), by_number);
    m->latency = am_arena_array(picks->arena, m->n * m->n, sizeof(*m->latency));
    for (size_t i = 0; m->latency && i < m->n * m->n; i++)
        m->latency[i] = NAN;
    for (size_t i = 0; m->latency && i < picks->n; i++) {
        if (is_pair(&picks->items[i], low, &p))
            put(m, index_of(m, p.from), index_of(m, p.to), p.latency);
    }
    return m->latency != NULL;
}

/* Whether a latency takes part in the search for kinds. */
static bool counts(double latency)
{
    return latency > 0;
}

/* Sorted latencies of the measured pairs a < b; returns how many. */
static size_t sorted_pairs(const struct matrix *m, double *out)
{
    size_t n = 0;

    for (size_t a = 0; a < m->n; a++) {
        for (size_t b = a + 1; b < m->n; b++) {
            if (counts(m->latency[a * m->n + b]))
                out[n++] = m->latency[a * m->n + b];
        }
    }
    am_stats_sort(out, n);
    return n;
}

/* Pairs up to this latency are near: below the widest gap, relative to what lies below it. Infinite
 * when there is no gap. */
static double near_limit(const double *sorted, size_t n)
{
    double widest = kinds_apart, limit = INFINITY;

    for (size_t i = 1; i < n; i++) {
        if (sorted[i] / sorted[i - 1] > widest) {
            widest = sorted[i] / sorted[i - 1];
            limit = sorted[i - 1];
        }
    }
    return limit;
}

/* Groups: CPUs joined by near pairs. Returns how many; numbers them by their lowest CPU. */
static size_t make_groups(struct matrix *m, double limit)
{
    size_t groups = 0;

    for (size_t i = 0; i < m->n; i++)
        m->group[i] = SIZE_MAX;
    for (size_t first = 0; first < m->n; first++) {
        bool grown = true;

        if (m->group[first] != SIZE_MAX)
            continue;
        m->group[first] = groups;
        while (grown) {
            grown = false;
            for (size_t a = 0; a < m->n; a++) {
                for (size_t b = 0; b < m->n && m->group[a] == groups; b++) {
                    if (m->group[b] == SIZE_MAX && m->latency[a * m->n + b] <= limit) {
                        m->group[b] = groups;
                        grown = true;
                    }
                }
            }
        }
        groups++;
    }
    return groups;
}

/* Medians of the pairs within groups and of those between; NAN where there are none. */
static void medians(const struct matrix *m, double *scratch, double *within, double *between)
{
    double *const targets[] = {within, between};

    for (size_t want = 0; want < 2; want++) {
        size_t n = 0;

        for (size_t a = 0; a < m->n; a++) {
            for (size_t b = a + 1; b < m->n; b++) {
                const double latency = m->latency[a * m->n + b];

                if (counts(latency) && (m->group[a] != m->group[b]) == (want == 1))
                    scratch[n++] = latency;
            }
        }
        am_stats_sort(scratch, n);
        *targets[want] = am_stats_median(scratch, n);
    }
}

/* "{0-3} {4,6}" */
static void group_text(const struct matrix *m, size_t groups, char *buf, size_t cap)
{
    buf[0] = '\0';
    for (size_t g = 0; g < groups; g++) {
        size_t used = strlen(buf);
        const char *before = g ? " {" : "{";

        for (size_t i = 0; i < m->n; i++) {
            size_t last = i;

            if (m->group[i] != g)
                continue;
            while (last + 1 < m->n && m->group[last + 1] == g &&
                   m->cpus[last + 1] == m->cpus[last] + 1)
                last++;
            (void)am_str_format(buf + used, cap - used, last > i ? "%s%d-%d" : "%s%d", before,
                                m->cpus[i], m->cpus[last]);
            used = strlen(buf);
            before = ",";
            i = last;
        }
        (void)am_str_format(buf + used, cap - used, "}");
    }
}

/* True when pairs of one stated relation lie both within groups and between them. */
static bool denies_relation(const struct am_picks *picks, struct matrix *m)
{
    bool within[AM_RELATIONS] = {false}, between[AM_RELATIONS] = {false};

    for (size_t i = 0; i < picks->n; i++) {
        struct pair p;

        if (!is_pair(&picks->items[i], false, &p) || p.relation < 0)
            continue;
        if (m->group[index_of(m, p.from)] == m->group[index_of(m, p.to)])
            within[p.relation] = true;
        else
            between[p.relation] = true;
    }
    for (size_t d = 0; d < AM_RELATIONS; d++) {
        if (within[d] && between[d])
            return true;
    }
    return false;
}

/* How many groups the matrix falls into; *pairs is set to how many pairs count, with their sorted
 * latencies in scratch. */
static size_t count_groups(struct matrix *m, double *scratch, size_t *pairs)
{
    *pairs = sorted_pairs(m, scratch);
    return make_groups(m, near_limit(scratch, *pairs));
}

static struct matrix *make_matrix(const struct am_picks *picks, bool low)
{
    struct matrix *const m = am_arena_alloc(picks->arena, sizeof(*m));

    return m && fill(picks, low, m) ? m : NULL;
}

static void offer_facts(const struct am_deriving *d, const struct am_picks *picks, struct matrix *m,
                        double *scratch, double other)
{
    size_t pairs;
    const size_t groups = count_groups(m, scratch, &pairs);
    const double spread = pairs ? scratch[pairs - 1] / scratch[0] : NAN;
    struct am_fact fact = {
        .name = "groups",
        .what = "groups of CPUs that hand lines on faster among themselves; 1: alike",
        .unit = "",
        .value = (double)groups,
        .ci = {fmin((double)groups, other), fmax((double)groups, other), NAN},
    };
    double within, between;
    char text[TEXT_MAX];

    if (pairs == 0)
        return;
    group_text(m, groups, text, sizeof(text));
    medians(m, scratch, &within, &between);
    fact.evidence = am_arena_printf(d->arena, "mem.pingpong method=cas, %zu pairs of %zu CPUs: %s",
                                    pairs, m->n, text);
    for (size_t i = 0; i < picks->n; i++)
        am_fact_rest_on(&fact, &picks->items[i]);
    if (groups > 1 && denies_relation(picks, m)) {
        fact.claimed = "pairs within and between are stated to be alike";
        fact.contradicts = true;
    }
    am_facts_offer(d->facts, fact);
    fact.name = "group_ratio";
    fact.what = "slowest hand-off of any pair over the fastest";
    fact.value = spread;
    if (groups > 1 && within > 0) {
        fact.what = "hand-off between groups over that within";
        fact.value = between / within;
    }
    fact.ci = (struct am_interval){fact.value, fact.value, NAN};
    fact.claimed = NULL;
    fact.contradicts = false;
    am_facts_offer(d->facts, fact);
}

void am_coherence_derive_groups(const struct am_deriving *d)
{
    const struct am_selector selector = {"mem.pingpong", "method=cas", "latency"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_picks picks = am_picks_sound(&all);
    struct matrix *const m = make_matrix(&picks, false), *const low = make_matrix(&picks, true);
    double *const scratch = m ? am_arena_array(d->arena, m->n * m->n, sizeof(*scratch)) : NULL;
    size_t pairs;

    if (scratch && low)
        offer_facts(d, &picks, m, scratch, (double)count_groups(low, scratch, &pairs));
}
