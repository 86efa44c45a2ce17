/* SPDX-License-Identifier: MIT */
/* Which CPUs are alike: groups that hand lines on faster among themselves than to others, found in
 * the matrix of mem.pingpong and not in what the system states. */
#include "model/derive.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ways that differ by less are of one kind: the spread of such a matrix on a quiet machine. */
static const double kinds_apart = 1.3;

enum { CPUS_MIN = 3, CPUS_MAX = 1024, TEXT_MAX = 1024, DISTANCE_CORE = 1, DISTANCES = 5 };

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
    int distance;   /* as stated: 1 is one core; -1: not stated */
    double latency; /* 0 for pairs of one core */
};

static bool is_pair(const struct am_result *r, struct pair *out)
{
    const char *const method = am_result_text(r, "method");
    const double a = am_result_number(r, "from"), b = am_result_number(r, "to");
    struct am_summary s, distance;

    if (strcmp(r->bench, "mem.pingpong") != 0 || !method || strcmp(method, "cas") != 0 ||
        !(a >= 0) || !(b >= 0) || fabs(a - b) < 0.5 || !am_result_summary(r, "latency", &s) ||
        !(s.median > 0))
        return false;
    *out = (struct pair){.from = (int)a, .to = (int)b, .distance = -1, .latency = s.median};
    if (am_result_summary(r, "distance", &distance) && distance.median >= 0 &&
        distance.median < DISTANCES)
        out->distance = (int)lround(distance.median);
    if (out->distance == DISTANCE_CORE)
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

static bool fill(const struct am_result_set *set, struct am_arena *arena, struct matrix *m)
{
    struct pair p;

    for (size_t i = 0; i < set->n; i++) {
        if (is_pair(&set->results[i], &p)) {
            (void)index_of(m, p.from);
            (void)index_of(m, p.to);
        }
    }
    if (m->n < CPUS_MIN)
        return false;
    qsort(m->cpus, m->n, sizeof(m->cpus[0]), by_number);
    m->latency = am_arena_array(arena, m->n * m->n, sizeof(*m->latency));
    for (size_t i = 0; m->latency && i < m->n * m->n; i++)
        m->latency[i] = NAN;
    for (size_t i = 0; m->latency && i < set->n; i++) {
        if (is_pair(&set->results[i], &p))
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
static bool denies_relation(const struct am_result_set *set, struct matrix *m)
{
    bool within[DISTANCES] = {false}, between[DISTANCES] = {false};

    for (size_t i = 0; i < set->n; i++) {
        struct pair p;

        if (!is_pair(&set->results[i], &p) || p.distance < 0)
            continue;
        if (m->group[index_of(m, p.from)] == m->group[index_of(m, p.to)])
            within[p.distance] = true;
        else
            between[p.distance] = true;
    }
    for (size_t d = 0; d < DISTANCES; d++) {
        if (within[d] && between[d])
            return true;
    }
    return false;
}

static void add_groups(const struct am_result_set *set, struct am_facts *facts, struct matrix *m,
                       size_t groups, const char *evidence)
{
    const bool denied = groups > 1 && denies_relation(set, m);

    am_facts_offer(
        facts, (struct am_fact){
                   .id = "symmetry.groups",
                   .what = "groups of CPUs that hand lines on faster among themselves; 1: alike",
                   .unit = "",
                   .value = (double)groups,
                   .ci = {(double)groups, (double)groups, NAN},
                   .evidence = evidence,
                   .claimed = denied ? "pairs within and between are stated to be alike" : NULL,
                   .contradicts = denied,
               });
}

static void add_facts(const struct am_result_set *set, struct am_facts *facts, struct matrix *m,
                      double *scratch)
{
    const size_t pairs = sorted_pairs(m, scratch);
    double spread, within, between;
    const char *evidence;
    char text[TEXT_MAX];
    size_t groups;

    if (pairs == 0)
        return;
    spread = scratch[pairs - 1] / scratch[0];
    groups = make_groups(m, near_limit(scratch, pairs));
    group_text(m, groups, text, sizeof(text));
    medians(m, scratch, &within, &between);
    evidence = am_arena_printf(facts->arena, "mem.pingpong method=cas, %zu pairs of %zu CPUs: %s",
                               pairs, m->n, text);
    add_groups(set, facts, m, groups, evidence);
    if (groups > 1 && within > 0)
        spread = between / within;
    am_facts_offer(facts, (struct am_fact){
                              .id = "symmetry.ratio",
                              .what = groups > 1 && within > 0
                                          ? "hand-off between groups over that within"
                                          : "slowest hand-off of any pair over the fastest",
                              .unit = "",
                              .value = spread,
                              .ci = {spread, spread, NAN},
                              .evidence = evidence,
                          });
}

void am_derive_symmetry(const struct am_result_set *set, struct am_facts *facts)
{
    struct matrix *const m = am_arena_alloc(facts->arena, sizeof(*m));
    double *scratch;

    if (!m || !fill(set, facts->arena, m))
        return;
    scratch = am_arena_array(facts->arena, m->n * m->n, sizeof(*scratch));
    if (scratch)
        add_facts(set, facts, m, scratch);
}
