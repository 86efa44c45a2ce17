/* SPDX-License-Identifier: MIT */
/* Lines that several cores use, on a simulated machine: mem.coherence, mem.pingpong, mem.sharing.
 */
#include "sim/hierarchy.h"

#include <math.h>
#include <string.h>

static double relation_ns(const struct am_sim_machine *m, enum am_sim_relation relation)
{
    const double ns[] = {
        [AM_SIM_SIBLING] = m->coherence.sibling_ns,
        [AM_SIM_CLUSTER] = m->coherence.cluster_ns,
        [AM_SIM_IN_PACKAGE] = m->coherence.package_ns,
        [AM_SIM_FAR] = m->coherence.far_ns,
    };

    return ns[relation];
}

/* What the system states of a pair, by the caches that it lists: 0 one CPU, 1 one core, 2 one
 * last-level cache, 3 one package, 4 farther. */
static double stated_distance(const struct am_sim_question *q, const struct am_sim_cpu *a,
                              const struct am_sim_cpu *b)
{
    const struct am_sim_machine *const m = am_sim_machine_of(q);
    const struct am_sim_cache *last = NULL;

    if (a == b)
        return 0;
    if (a->core == b->core)
        return 1;
    for (size_t i = 0; i < m->n_caches; i++) {
        if (!m->caches[i].hidden && am_sim_cache_serves(&m->caches[i], a))
            last = &m->caches[i];
    }
    if (last && am_sim_cache_serves(last, b) &&
        am_sim_cache_instance(last, a) == am_sim_cache_instance(last, b))
        return 2;
    return a->package == b->package ? 3 : 4;
}

/* The two CPUs of a point; AM_E_ABSENT when one is not there or both are the same. */
static enum am_status find_pair(const struct am_sim_question *q, const struct am_sim_cpu *pair[2],
                                struct am_err *err)
{
    const int64_t from = am_sim_int(q, "from", 0), to = am_sim_int(q, "to", 0);

    pair[0] = am_sim_cpu_at(q, from);
    pair[1] = am_sim_cpu_at(q, to);
    if (!pair[0] || !pair[1])
        return am_fail(err, AM_E_ABSENT, "no CPU %lld here", (long long)(pair[0] ? to : from));
    if (pair[0] == pair[1])
        return am_fail(err, AM_E_ABSENT, "CPU %lld has no line of its own to fetch", (long long)to);
    return AM_OK;
}

/* Clock of the second CPU of a pair while both are busy. */
static double pair_hz(const struct am_sim_cpu *const pair[2])
{
    const struct am_sim_team team = {.cpus = {pair[0], pair[1]}, .n = 2};

    return am_sim_ghz(pair[1], NULL, &team) * 1e9;
}

static bool has_sharers(const struct am_sim_question *q)
{
    const char *const state = am_sim_name(q, "state", "modified");

    return strcmp(state, "modified") != 0 && strcmp(state, "exclusive") != 0;
}

/* CPUs on the holder's side that can have copies: on no core of the two, and not nearer to the
 * taker than the holder is. The nearest to the holder take part: *farthest is the distance of the
 * last one, as the system states it. False when there are fewer than `n`. */
static bool find_sharers(const struct am_sim_question *q, const struct am_sim_cpu *const pair[2],
                         size_t n, double *farthest)
{
    const struct am_sim_layout *const l = q->launch->layout;
    const double apart = stated_distance(q, pair[1], pair[0]);
    size_t found = 0;

    for (int step = 2; step <= 4; step++) {
        const double d = step;

        for (unsigned i = 0; i < l->n && found < n; i++) {
            const struct am_sim_cpu *const c = &l->cpus[i];
            const double near = stated_distance(q, pair[0], c),
                         taker = stated_distance(q, pair[1], c);

            if (near < d || near > d || taker < 2 || taker < apart)
                continue;
            *farthest = d;
            found++;
        }
    }
    return found == n;
}

/* Copies lie with the holder and near it: the taker reads the holder's. A write waits until every
 * copy is gone. */
static double state_ns(const struct am_sim_question *q, const struct am_sim_cpu *const pair[2])
{
    const struct am_sim_machine *const m = am_sim_machine_of(q);
    const char *const state = am_sim_name(q, "state", "modified");
    const double modified = relation_ns(m, am_sim_relate(q->launch->layout, pair[0], pair[1]));
    const bool writes = am_sim_is(q, "op", "write");

    if (strcmp(state, "modified") == 0)
        return modified;
    if (strcmp(state, "exclusive") == 0)
        return modified * m->coherence.clean_share;
    return writes ? modified * (1 + 0.15 * log2(1 + (double)am_sim_int(q, "sharers", 1)))
                  : modified * m->coherence.clean_share;
}

static enum am_status answer_coherence(const struct am_sim_question *q, struct am_sim_answer *a,
                                       struct am_err *err)
{
    const double lines = fmax(1, (double)am_sim_int(q, "size", 65536) / 64);
    const struct am_sim_cpu *pair[2];
    const enum am_status s = find_pair(q, pair, err);
    const size_t sharers = (size_t)am_sim_int(q, "sharers", 1);
    double farthest = 0;

    if (s != AM_OK)
        return s;
    if (!has_sharers(q) && sharers > 1)
        return am_fail(err, AM_E_ABSENT, "%zu sharers of a line that one CPU has", sharers);
    if (has_sharers(q) && !find_sharers(q, pair, sharers, &farthest))
        return am_fail(err, AM_E_ABSENT, "this state needs a third CPU, apart from both");
    a->hz = pair_hz(pair);
    a->work.ops = lines;
    a->work.bytes_read = 8 * lines;
    a->work.bytes_written = am_sim_is(q, "op", "write") ? 8 * lines : 0;
    a->seconds = lines * state_ns(q, pair) * 1e-9;
    am_sim_own(q, a, "distance", stated_distance(q, pair[0], pair[1]));
    am_sim_own(q, a, "sharers_distance", farthest);
    return AM_OK;
}

static enum am_status answer_pingpong(const struct am_sim_question *q, struct am_sim_answer *a,
                                      struct am_err *err)
{
    enum { HANDOFFS = 16 };
    const struct am_sim_cpu *pair[2];
    const enum am_status s = find_pair(q, pair, err);
    double ns;

    if (s != AM_OK)
        return s;
    ns = relation_ns(am_sim_machine_of(q), am_sim_relate(q->launch->layout, pair[0], pair[1]));
    a->hz = pair_hz(pair);
    a->work.ops = HANDOFFS;
    a->seconds = HANDOFFS * ns * 1e-9 * (am_sim_is(q, "method", "store") ? 0.95 : 1.05);
    am_sim_own(q, a, "distance", stated_distance(q, pair[0], pair[1]));
    return AM_OK;
}

/* Every increment of a shared line waits for it to come from the others in turn. */
static enum am_status answer_sharing(const struct am_sim_question *q, struct am_sim_answer *a,
                                     struct am_err *err)
{
    const struct am_sim_machine *const m = am_sim_machine_of(q);
    const size_t threads = (size_t)am_sim_int(q, "threads", 1);
    const bool add = am_sim_is(q, "op", "add");
    struct am_sim_team team;
    double ns, travel = 0;

    (void)err;
    am_sim_team_first(q, threads, &team);
    a->hz = am_sim_ghz(team.cpus[0], NULL, &team) * 1e9;
    ns = (add ? 18 : 1) * 1e9 / a->hz * (double)am_sim_on_core(&team, team.cpus[0]);
    for (size_t i = 1; i < team.n; i++)
        travel += relation_ns(m, am_sim_relate(q->launch->layout, team.cpus[i - 1], team.cpus[i]));
    if (am_sim_is(q, "layout", "shared_line") && team.n > 1)
        ns += travel * (add ? 1 : 0.1); /* stores gather in the buffer before the line comes */
    a->work.ops = 1;
    a->seconds = ns * 1e-9;
    return AM_OK;
}

const struct am_sim_answerer am_sim_share_answers[] = {
    {"mem.coherence", answer_coherence},
    {"mem.pingpong", answer_pingpong},
    {"mem.sharing", answer_sharing},
    {NULL, NULL},
};
