/* SPDX-License-Identifier: MIT */
/* Streams on a simulated machine: mem.bandwidth, mem.placement, mem.numa, mem.loaded, mem.stanza.
 */
#include "sim/hierarchy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Arrays that a loop reads, writes and has in all. */
static const struct loop {
    const char *name;
    double reads, writes, arrays;
} loops[] = {
    {"read", 1, 0, 1},   {"write", 0, 1, 1},  {"update", 1, 1, 1}, {"copy", 1, 1, 2},
    {"scale", 1, 1, 2},  {"add", 2, 1, 3},    {"triad", 2, 1, 3},  {"scale1", 1, 1, 2},
    {"scale2", 1, 1, 1}, {"saxpy1", 2, 1, 3}, {"saxpy2", 2, 1, 2},
};

static const struct loop *find_loop(const char *name)
{
    for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
        if (strcmp(loops[i].name, name) == 0)
            return &loops[i];
    }
    return NULL;
}

static double hz_of(const struct am_sim_team *team, const char *isa)
{
    return am_sim_ghz(team->cpus[0], isa, team) * 1e9;
}

static enum am_status answer_bandwidth(const struct am_sim_question *q, struct am_sim_answer *a,
                                       struct am_err *err)
{
    const struct loop *const loop = find_loop(am_sim_name(q, "kernel", "read"));
    const size_t threads = (size_t)am_sim_int(q, "threads", 1);
    const double size = (double)am_sim_int(q, "size", 0) / (double)threads;
    const bool past = am_sim_int(q, "nt", 0) == 1;
    struct am_sim_team team;
    struct am_sim_stream s = {.team = &team, .isa = am_sim_name(q, "isa", NULL), .node = -1};

    if (!loop)
        return am_fail(err, AM_E_ABSENT, "the simulator has no loop %s",
                       am_sim_name(q, "kernel", ""));
    if (past && loop->writes == 0)
        return am_fail(err, AM_E_ABSENT, "%s has no use for non-temporal stores", loop->name);
    if (size / loop->arrays < 8)
        return am_fail(err, AM_E_ABSENT, "size: less than one element for each of %zu threads",
                       threads);
    am_sim_team_first(q, threads, &team);
    s.bytes = size;
    s.read = size / loop->arrays * loop->reads;
    s.written = size / loop->arrays * loop->writes;
    s.past = past;
    s.unfetched = am_sim_is(q, "hwprefetch", "off");
    am_sim_team_clocks(&team, s.isa, a);
    a->work.ops = 1;
    a->work.bytes_read = s.read * (double)threads;
    a->work.bytes_written = s.written * (double)threads;
    a->seconds = am_sim_stream_seconds(q->launch, &s);
    return AM_OK;
}

/* ---- placement ---- */

/* One CPU of each core while these suffice, else all, in the order of placement. */
static void fill_pool(const struct am_sim_question *q, size_t wanted, struct am_sim_team *pool)
{
    struct am_sim_team all;

    am_sim_team_first(q, AM_SIM_CPUS_MAX, &all);
    pool->n = 0;
    for (size_t i = 0; i < all.n; i++) {
        if (all.cpus[i]->thread == 0)
            pool->cpus[pool->n++] = all.cpus[i];
    }
    if (wanted > pool->n)
        *pool = all;
}

static bool choose_same_core(const struct am_sim_question *q, size_t n, struct am_sim_team *team)
{
    struct am_sim_team all;

    am_sim_team_first(q, AM_SIM_CPUS_MAX, &all);
    team->n = 0;
    for (size_t i = 0; i < all.n && team->n < n; i++) {
        if (all.cpus[i]->core == all.cpus[0]->core)
            team->cpus[team->n++] = all.cpus[i];
    }
    return team->n == n;
}

static bool choose_team(const struct am_sim_question *q, size_t n, struct am_sim_team *team)
{
    struct am_sim_team pool;

    if (am_sim_is(q, "placement", "same_core"))
        return choose_same_core(q, n, team);
    fill_pool(q, n, &pool);
    if (n > pool.n)
        return false;
    team->n = n;
    for (size_t i = 0; i < n; i++) {
        const size_t random = i + (size_t)am_rng_below(&q->launch->rng, pool.n - i);
        const size_t k = am_sim_is(q, "placement", "random")      ? random
                         : am_sim_is(q, "placement", "scattered") ? i * pool.n / n
                                                                  : i;

        team->cpus[i] = pool.cpus[k];
        if (k == random)
            pool.cpus[k] = pool.cpus[i];
    }
    return true;
}

static enum am_status answer_placement(const struct am_sim_question *q, struct am_sim_answer *a,
                                       struct am_err *err)
{
    const size_t n = (size_t)am_sim_int(q, "cores", 1);
    const double size = (double)am_sim_int(q, "size", 0);
    const bool same = am_sim_is(q, "memory", "same");
    struct am_sim_team team;
    struct am_sim_stream s = {
        .team = &team, .isa = am_sim_name(q, "isa", NULL), .same = same, .node = -1};

    if (n < 1 || !choose_team(q, n, &team))
        return am_fail(err, AM_E_ABSENT, "%zu CPUs cannot be placed so", n);
    if (n == 1 && same)
        return am_fail(err, AM_E_ABSENT, "one thread shares its memory with nobody");
    s.bytes = s.read = same ? size : size / (double)n;
    a->hz = hz_of(&team, s.isa);
    a->work.ops = 1;
    a->work.bytes_read = s.read * (double)n;
    a->seconds = am_sim_stream_seconds(q->launch, &s);
    return AM_OK;
}

/* ---- memory nodes ---- */

static double node_ns(const struct am_sim_machine *m, int64_t from, int64_t to)
{
    const int64_t per_package = (int64_t)m->memory.nodes;
    const double base = m->memory.latency_ns;

    if (from == to)
        return base;
    return base + (from / per_package == to / per_package ? m->memory.near_ns : m->memory.far_ns);
}

static enum am_status answer_numa(const struct am_sim_question *q, struct am_sim_answer *a,
                                  struct am_err *err)
{
    enum { LOADS = 20000 };
    const struct am_sim_machine *const m = am_sim_machine_of(q);
    const int64_t nodes = (int64_t)(m->memory.nodes * m->packages);
    const int64_t from = am_sim_int(q, "cpu_node", 0), to = am_sim_int(q, "memory_node", 0);
    const double size = (double)am_sim_int(q, "size", 0);
    struct am_sim_team all, team = {.n = 0};
    struct am_sim_stream s = {.team = &team, .isa = am_sim_name(q, "isa", NULL), .node = (int)to};
    struct am_sim_walk w = {.bytes = size, .span = size, .translated = 1};
    double ns, seconds;

    if (from < 0 || from >= nodes || to < 0 || to >= nodes)
        return am_fail(err, AM_E_ABSENT, "no memory node %lld",
                       (long long)(from < 0 || from >= nodes ? from : to));
    if (q->launch->layout->n < 2)
        return am_fail(err, AM_E_ABSENT, "one CPU only: it has no remote memory");
    am_sim_team_first(q, AM_SIM_CPUS_MAX, &all);
    for (size_t i = 0; i < all.n; i++) {
        if (all.cpus[i]->node == (unsigned)from)
            team.cpus[team.n++] = all.cpus[i];
    }
    if (team.n == 0)
        return am_fail(err, AM_E_ABSENT, "no CPU of node %lld may be used", (long long)from);
    a->hz = hz_of(&team, s.isa);
    w.cpu = team.cpus[0];
    w.ghz = a->hz * 1e-9;
    w.huge = am_sim_is_huge(m, "any", size);
    w.memory_ns = node_ns(m, from, to);
    ns = am_sim_load_ns(q->launch, &w);
    s.bytes = s.read = size / (double)team.n;
    seconds = am_sim_stream_seconds(q->launch, &s);
    a->work.ops = LOADS;
    a->work.bytes_read = LOADS * 8 + size;
    a->seconds = LOADS * ns * 1e-9 + seconds;
    am_sim_own(q, a, "latency", ns * 1e-9);
    am_sim_own(q, a, "bandwidth", size / seconds);
    return AM_OK;
}

/* ---- latency under load ---- */

/* Queues grow without bound as the load nears what memory can do; the delay keeps it from that. */
static double queueing(double load)
{
    const double u = fmin(load, 0.95);

    return 1 + 0.14 * u * u / (1 - u);
}

static enum am_status answer_loaded(const struct am_sim_question *q, struct am_sim_answer *a,
                                    struct am_err *err)
{
    enum { CHUNK_BYTES = 4096 };
    const size_t threads = (size_t)am_sim_int(q, "threads", 1);
    const double size = (double)am_sim_int(q, "size", 0);
    const double delay = (double)am_sim_int(q, "delay", 0);
    struct am_sim_team team, generators;
    struct am_sim_stream s = {.team = &generators, .isa = am_sim_name(q, "isa", NULL), .node = -1};
    struct am_sim_walk w = {.bytes = size, .span = size, .translated = 1};
    double most, offered, chunk;

    if (threads < 2)
        return am_fail(err, AM_E_ABSENT, "one thread cannot load memory for another");
    am_sim_team_first(q, threads, &team);
    generators.n = team.n - 1;
    memcpy(generators.cpus, team.cpus + 1, generators.n * sizeof(*team.cpus));
    s.bytes = s.read = size;
    s.written = am_sim_is(q, "traffic", "update") ? size : 0;
    a->hz = hz_of(&team, s.isa);
    most = (s.read + s.written) * (double)generators.n / am_sim_stream_seconds(q->launch, &s);
    chunk = CHUNK_BYTES / (most / (double)generators.n);
    offered = (double)generators.n * CHUNK_BYTES / (chunk + delay / a->hz);
    w.cpu = team.cpus[0];
    w.ghz = a->hz * 1e-9;
    w.huge = am_sim_is_huge(am_sim_machine_of(q), am_sim_name(q, "pages", "any"), size);
    w.others = size * (double)generators.n;
    a->work.ops = 1;
    a->work.bytes_read = 8;
    a->seconds = am_sim_load_ns(q->launch, &w) * 1e-9 * queueing(offered / most);
    am_sim_own(q, a, "bandwidth", fmin(offered, most));
    return AM_OK;
}

/* Pieces of three arrays with gaps: each begins with misses that nothing has foreseen. */
static enum am_status answer_stanza(const struct am_sim_question *q, struct am_sim_answer *a,
                                    struct am_err *err)
{
    const struct am_sim_machine *const m = am_sim_machine_of(q);
    const double elements = (double)am_sim_int(q, "size", 0) / 24;
    const double length = (double)am_sim_int(q, "length", 1);
    const double count = floor(elements / (length + (double)am_sim_int(q, "jump", 0)));
    struct am_sim_team team;
    struct am_sim_stream s = {.team = &team, .isa = am_sim_name(q, "isa", NULL), .node = -1};

    if (length < 1 || count < 1)
        return am_fail(err, AM_E_ABSENT, "no piece of %g elements fits", length);
    am_sim_team_first(q, 1, &team);
    s.bytes = 1e15; /* flushed before: nothing is in the caches */
    s.read = 2 * 8 * length * count;
    s.written = 8 * length * count;
    a->hz = hz_of(&team, s.isa);
    a->work.ops = count;
    a->work.bytes_read = s.read;
    a->work.bytes_written = s.written;
    a->seconds = am_sim_stream_seconds(q->launch, &s) +
                 count * 3 * m->memory.latency_ns * 1e-9 / fmin(3, m->memory.parallel);
    return AM_OK;
}

const struct am_sim_answerer am_sim_stream_answers[] = {
    {"mem.bandwidth", answer_bandwidth}, {"mem.placement", answer_placement},
    {"mem.numa", answer_numa},           {"mem.loaded", answer_loaded},
    {"mem.stanza", answer_stanza},       {NULL, NULL},
};
