/* SPDX-License-Identifier: MIT */
/* Which CPUs are alike: groups that hand lines on faster among themselves than to others, found in
 * the matrix of mem.pingpong and not in what the system states.
 *
 * Pairs are near or far by the widest gap between their latencies; groups are what near pairs join.
 * Hardware threads of one core are in one group whatever was measured. Where only some pairs of
 * each relation were measured, they stand for all that the machine has of it. The matrix is made
 * twice, of the medians and of the lower ends of their intervals: where both show other numbers of
 * groups, the interval of the fact says so, and nothing is advised. */
#include "family/coherence.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ways that differ by less are of one kind: the spread of such a matrix on a quiet machine. */
static const double kinds_apart = 1.3;

enum { CPUS_MIN = 3, CPUS_MAX = 1024, TEXT_MAX = 1024, NO_GROUP = CPUS_MAX };

/* By the system's numbers of CPUs, of which some may be absent. */
struct matrix {
    size_t n;        /* the highest number, plus one */
    double *latency; /* n x n, of a pair in both directions together; NAN: not measured; 0: of
                      * one core as stated, and so in one group whatever was measured */
    unsigned char *relation;         /* n x n, as stated: AM_RELATIONS: not stated */
    double weight[AM_RELATIONS + 1]; /* pairs that one measured pair of a relation stands for */
    double *sorted;         /* room for as many, and for the pairs that count by rising latency */
    size_t pairs;           /* how many count: a < b, measured, not of one core */
    size_t group[CPUS_MAX]; /* NO_GROUP: no such CPU */
    size_t cpus, groups;
};

/* The CPUs of a result; false when it is of no two CPUs that there is room for. */
static bool is_pair(const struct am_pick *pick, size_t *a, size_t *b)
{
    const double from = am_result_number(pick->result, "from");
    const double to = am_result_number(pick->result, "to");

    if (!(from >= 0 && from < CPUS_MAX) || !(to >= 0 && to < CPUS_MAX) ||
        !(pick->metric->summary.median > 0))
        return false;
    *a = (size_t)from;
    *b = (size_t)to;
    return *a != *b;
}

static void put(struct matrix *m, size_t a, size_t b, double latency, int relation)
{
    double *const cell = &m->latency[a * m->n + b];

    m->relation[a * m->n + b] = m->relation[b * m->n + a] =
        (unsigned char)(relation < 0 ? AM_RELATIONS : relation);
    *cell = isnan(*cell) ? latency : fmin(*cell, latency); /* what disturbs only adds */
    m->latency[b * m->n + a] = *cell;
    m->group[a] = m->group[b] = 0; /* they are there */
}

/* Of the medians, or of the lower ends of their intervals. False when there are too few CPUs. */
static bool fill(struct matrix *m, const struct am_picks *picks, bool low)
{
    size_t a, b;

    for (size_t i = 0; i < picks->n; i++) {
        if (is_pair(&picks->items[i], &a, &b))
            m->n = (a > b ? a : b) >= m->n ? (a > b ? a : b) + 1 : m->n;
    }
    m->latency = am_arena_array(picks->arena, m->n * m->n + 1, sizeof(*m->latency));
    m->sorted = am_arena_array(picks->arena, m->n * m->n + 1, sizeof(*m->sorted));
    m->relation = am_arena_array(picks->arena, m->n * m->n + 1, sizeof(*m->relation));
    if (!m->relation)
        return false;
    for (size_t i = 0; m->latency && i < m->n * m->n; i++)
        m->latency[i] = NAN;
    for (size_t i = 0; i < CPUS_MAX; i++)
        m->group[i] = NO_GROUP;
    for (size_t i = 0; m->latency && i < picks->n; i++) {
        const struct am_summary *const s = &picks->items[i].metric->summary;

        const int relation = am_coherence_relation(picks->items[i].result);

        if (is_pair(&picks->items[i], &a, &b))
            put(m, a, b,
                relation == AM_RELATION_CORE ? 0
                : low                        ? fmax(s->ci.lo, 0)
                                             : s->median,
                relation);
    }
    for (size_t i = 0; i < m->n; i++)
        m->cpus += m->group[i] != NO_GROUP;
    return m->latency && m->sorted && m->cpus >= CPUS_MIN;
}

/* Sorts the latencies of all pairs. Returns how many. */
static size_t sort_pairs(struct matrix *m)
{
    size_t n = 0;

    for (size_t a = 0; a < m->n; a++) {
        for (size_t b = a + 1; b < m->n; b++) {
            if (m->latency[a * m->n + b] > 0)
                m->sorted[n++] = m->latency[a * m->n + b];
        }
    }
    am_stats_sort(m->sorted, n);
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

/* Gives every CPU that near pairs join to `cpu`, directly or through others, its group. */
static void spread_group(struct matrix *m, size_t cpu, double limit)
{
    bool grown = true;

    while (grown) {
        grown = false;
        for (size_t a = 0; a < m->n; a++) {
            for (size_t b = 0; b < m->n && m->group[a] == m->group[cpu]; b++) {
                if (m->group[b] != m->group[cpu] && m->latency[a * m->n + b] <= limit) {
                    m->group[b] = m->group[cpu];
                    grown = true;
                }
            }
        }
    }
}

/* Groups are numbered from 1 by their lowest CPU. */
static void make_groups(struct matrix *m)
{
    double limit;

    m->pairs = sort_pairs(m);
    limit = near_limit(m->sorted, m->pairs);
    for (size_t cpu = 0; cpu < m->n; cpu++) {
        if (m->group[cpu] != 0)
            continue;
        m->group[cpu] = ++m->groups;
        spread_group(m, cpu, limit);
    }
}

static struct matrix *make_matrix(const struct am_picks *picks, bool low)
{
    struct matrix *const m = am_arena_alloc(picks->arena, sizeof(*m));

    if (!m || !fill(m, picks, low))
        return NULL;
    make_groups(m);
    return m;
}

/* "{0-3} {4,6}" */
static void group_text(const struct matrix *m, char *buf, size_t cap)
{
    buf[0] = '\0';
    for (size_t g = 1; g <= m->groups; g++) {
        const char *before = g > 1 ? " {" : "{";

        for (size_t i = 0, last; i < m->n; i = last + 1) {
            const size_t used = strlen(buf);

            last = i;
            if (m->group[i] != g)
                continue;
            while (last + 1 < m->n && m->group[last + 1] == g)
                last++;
            (void)am_str_format(buf + used, cap - used, last > i ? "%s%zu-%zu" : "%s%zu", before, i,
                                last);
            before = ",";
        }
        (void)am_str_format(buf + strlen(buf), cap - strlen(buf), "}");
    }
}

/* True when pairs of one stated relation lie both within groups and between them. */
static bool denies_relation(const struct matrix *m, const struct am_picks *picks)
{
    bool seen[AM_RELATIONS][2] = {{false}};

    for (size_t i = 0; i < picks->n; i++) {
        const int relation = am_coherence_relation(picks->items[i].result);
        size_t a, b;

        if (relation >= 0 && is_pair(&picks->items[i], &a, &b))
            seen[relation][m->group[a] != m->group[b]] = true;
    }
    for (size_t r = 0; r < AM_RELATIONS; r++) {
        if (seen[r][0] && seen[r][1])
            return true;
    }
    return false;
}

/* How many pairs of each relation the machine has, over how many were measured; 1 where it does not
 * say. */
static void weigh(struct matrix *m, const struct am_kvs *machine)
{
    static const char *const keys[AM_RELATIONS] = {NULL, "pairs.core", "pairs.cache",
                                                   "pairs.package", "pairs.far"};
    size_t measured[AM_RELATIONS + 1] = {0};

    for (size_t a = 0; a < m->n; a++) {
        for (size_t b = a + 1; b < m->n; b++)
            measured[m->relation[a * m->n + b]] += !isnan(m->latency[a * m->n + b]);
    }
    for (size_t r = 0; r <= AM_RELATIONS; r++) {
        const char *const text = r < AM_RELATIONS && keys[r] ? am_kvs_get(machine, keys[r]) : NULL;
        double all = NAN;

        if (!text || !am_parse_f64(text, strlen(text), &all) || !(all >= (double)measured[r]) ||
            measured[r] == 0)
            all = (double)measured[r];
        m->weight[r] = measured[r] ? all / (double)measured[r] : 0;
    }
}

struct weighed {
    double latency, weight;
};

static int by_latency(const void *a, const void *b)
{
    const double x = ((const struct weighed *)a)->latency, y = ((const struct weighed *)b)->latency;

    return (x > y) - (x < y);
}

/* The median latency of pairs within groups (false) or between them, each counting as often as it
 * stands for others. NAN without any. */
static double median_of(const struct matrix *m, bool between, struct am_arena *arena)
{
    struct weighed *const all = am_arena_array(arena, m->n * m->n + 1, sizeof(*all));
    double total = 0, sum = 0;
    size_t n = 0, i = 0;

    for (size_t a = 0; all && a < m->n; a++) {
        for (size_t b = a + 1; b < m->n; b++) {
            const size_t at = a * m->n + b;

            if (!(m->latency[at] > 0) || (m->group[a] != m->group[b]) != between)
                continue;
            all[n++] = (struct weighed){m->latency[at], m->weight[m->relation[at]]};
            total += all[n - 1].weight;
        }
    }
    if (n == 0)
        return NAN;
    qsort(all, n, sizeof(*all), by_latency);
    while (i + 1 < n && sum + all[i].weight < total / 2 * (1 - 1e-9))
        sum += all[i++].weight;
    return i + 1 < n && sum + all[i].weight <= total / 2 * (1 + 1e-9)
               ? (all[i].latency + all[i + 1].latency) / 2
               : all[i].latency;
}

/* Between groups over within; of one group, or where no group has two CPUs that were measured, the
 * slowest pair over the fastest. */
static void offer_ratio(const struct am_deriving *d, struct matrix *m, struct am_fact fact)
{
    const double within = median_of(m, false, d->arena), between = median_of(m, true, d->arena);
    const bool apart = m->groups > 1 && within > 0;

    (void)sort_pairs(m);
    fact.name = "group_ratio";
    fact.what = apart ? "hand-off between groups over that within"
                      : "slowest hand-off of any pair over the fastest";
    fact.value = apart ? between / within : m->sorted[m->pairs - 1] / m->sorted[0];
    fact.ci = (struct am_interval){fact.value, fact.value, NAN};
    fact.claimed = NULL;
    fact.contradicts = false;
    am_facts_offer(d->facts, fact);
}

/* ---- what is not known ---- */

/* Marks which groups have a measured pair between them: known[g * (groups + 1) + h]. */
static bool *mark_known(const struct matrix *m, struct am_arena *arena)
{
    const size_t row = m->groups + 1;
    bool *const known = am_arena_array(arena, row * row, sizeof(*known));

    for (size_t a = 0; known && a < m->n; a++) {
        for (size_t b = 0; b < m->n; b++) {
            if (m->group[a] != NO_GROUP && m->group[b] != NO_GROUP &&
                !isnan(m->latency[a * m->n + b]))
                known[m->group[a] * row + m->group[b]] = true;
        }
    }
    return known;
}

static size_t first_cpu(const struct matrix *m, size_t group)
{
    size_t cpu = 0;

    while (cpu + 1 < m->n && m->group[cpu] != group)
        cpu++;
    return cpu;
}

/* The first group of which it is open whether others are one with it; their number. 0: none. */
static size_t open_group(const struct matrix *m, const bool *known, size_t *group)
{
    const size_t row = m->groups + 1;
    size_t open = 0;

    for (*group = 1; *group <= m->groups; ++*group) {
        for (size_t h = *group + 1; h <= m->groups; h++)
            open += !known[*group * row + h];
        if (open)
            return open;
    }
    return 0;
}

struct am_open_pairs am_coherence_open(const struct am_result_set *set, struct am_arena *arena)
{
    const struct am_selector selector = {"mem.pingpong", "method=cas", "latency"};
    const struct am_picks all = am_select(set, &selector, arena), picks = am_picks_sound(&all);
    const struct matrix *const m = make_matrix(&picks, false);
    const bool *known;
    struct am_open_pairs out = {0};
    size_t group;

    if (!m || m->groups < 2 || !denies_relation(m, &picks))
        return out;
    known = mark_known(m, arena);
    out.pairs = am_arena_array(arena, m->groups + 1, sizeof(*out.pairs));
    if (!known || !out.pairs || open_group(m, known, &group) == 0)
        return out;
    out.like = picks.items[0].result;
    for (size_t h = group + 1; h <= m->groups; h++) {
        if (known[group * (m->groups + 1) + h])
            continue;
        out.pairs[out.n][0] = (int)first_cpu(m, h);
        out.pairs[out.n++][1] = (int)first_cpu(m, group);
    }
    return out;
}

/* The fewest groups that are possible: those of which nothing is known may be one. */
static size_t least_groups(const struct matrix *m, struct am_arena *arena)
{
    const bool *const known = mark_known(m, arena);
    size_t least = 0;

    for (size_t g = 1; known && g <= m->groups; g++) {
        bool apart = true;

        for (size_t h = 1; h < g; h++)
            apart = apart && known[g * (m->groups + 1) + h];
        least += apart;
    }
    return known ? least : m->groups;
}

/* ---- pairs, for who wants more of them ---- */

const char am_coherence_from[] = "from", am_coherence_to[] = "to";

struct am_line_pairs am_coherence_pairs(const struct am_result_set *set, struct am_arena *arena)
{
    const struct am_selector selector = {"mem.*", "from to", "latency"};
    const struct am_picks picks = am_select(set, &selector, arena);
    struct am_line_pairs out = {.items = am_arena_array(arena, picks.n + 1, sizeof(*out.items))};

    for (size_t i = 0; out.items && i < picks.n; i++) {
        const struct am_pick *const p = &picks.items[i];
        size_t a, b;

        if (p->metric->grading.grade != AM_GRADE_C && is_pair(p, &a, &b))
            out.items[out.n++] = (struct am_line_pair){
                p->result, (int)a, (int)b, p->metric->summary.ci.lo, p->metric->summary.ci.hi};
    }
    return out;
}

bool am_coherence_same_line(const struct am_result *a, const struct am_result *b)
{
    if (strcmp(a->bench, b->bench) != 0 || a->n_params != b->n_params)
        return false;
    for (size_t i = 0; i < a->n_params; i++) {
        if (!am_names_hold("from,to", a->params[i].name) &&
            !am_param_same(&a->params[i], &b->params[i]))
            return false;
    }
    return true;
}

bool am_coherence_differs(double slow, double fast)
{
    return slow > kinds_apart * fast;
}

void am_coherence_derive_groups(const struct am_deriving *d)
{
    const struct am_selector selector = {"mem.pingpong", "method=cas", "latency"};
    const struct am_picks all = am_select(d->set, &selector, d->arena);
    const struct am_picks picks = am_picks_sound(&all);
    struct matrix *const m = make_matrix(&picks, false), *const low = make_matrix(&picks, true);
    struct am_fact fact = {
        .name = "groups",
        .what = "groups of CPUs that hand lines on faster among themselves; 1: alike",
        .unit = ""};
    char text[TEXT_MAX];

    if (!m || !low || m->pairs == 0)
        return;
    fact.value = (double)m->groups;
    fact.ci = (struct am_interval){fmin(fact.value, (double)low->groups),
                                   fmax(fact.value, (double)low->groups), NAN};
    group_text(m, text, sizeof(text));
    fact.evidence = am_arena_printf(d->arena, "mem.pingpong method=cas, %zu pairs of %zu CPUs: %s",
                                    m->pairs, m->cpus, text);
    for (size_t i = 0; i < picks.n; i++)
        am_fact_rest_on(&fact, &picks.items[i]);
    if (m->groups > 1 && denies_relation(m, &picks)) {
        fact.ci.lo = fmin(fact.ci.lo, (double)least_groups(m, d->arena));
        fact.claimed = "pairs within and between are stated to be alike";
        fact.contradicts = true;
    }
    am_facts_offer(d->facts, fact);
    weigh(m, &d->set->machine);
    offer_ratio(d, m, fact);
}
