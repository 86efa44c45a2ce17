/* SPDX-License-Identifier: MIT */
/* Time of loads and of streams in the caches and memory of a simulated machine. */
#include "sim/hierarchy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- hits ---- */

/* Sets hold ways x x lines, whole numbers: between x and x + 1/ways more and more of them overflow.
 */
static double lru_hits(double ways, double x)
{
    return x <= 1 ? 1 : fmax(0, 1 - (x - 1) * ways);
}

/* Lines of a set are Poisson: a line hits while at most ways - 1 others share its set. */
static double coloured_hits(double ways, double x)
{
    const double mean = ways * x;
    double term = exp(-mean), sum = term;

    if (mean > 700)
        return 0;
    for (unsigned k = 1; k < ways; k++) {
        term *= mean / k;
        sum += term;
    }
    return fmin(sum, 1);
}

static double random_hits(double ways, double x)
{
    double h = 0;

    (void)ways;
    if (x <= 1)
        return 1;
    for (int i = 0; i < 60; i++)
        h = exp(-(1 - h) * x);
    return h;
}

static double best_hits(double ways, double x)
{
    (void)ways;
    return x <= 1 ? 1 : 1 / x;
}

double am_sim_hits(const struct am_sim_cache *cache, double x)
{
    static double (*const laws[])(double, double) = {
        [AM_SIM_LRU] = lru_hits,
        [AM_SIM_COLOURED] = coloured_hits,
        [AM_SIM_RANDOM] = random_hits,
        [AM_SIM_BEST] = best_hits,
    };

    return laws[cache->policy]((double)cache->ways, x);
}

/* Bytes that the launch has in this cache and, where these add up, in the one before. */
static double capacity(const struct am_sim_launch *l, size_t i, double before)
{
    const struct am_sim_cache *const c = &l->layout->machine->caches[i];

    return (double)c->size * l->share[i] + (c->fill == AM_SIM_INCLUSIVE ? 0 : before);
}

/* Which part of the loads each cache serves, `parts` being indexed as the machine's caches; the
 * rest is memory's and returned. `sets` are the bytes in the instance of each cache. */
static double spread(const struct am_sim_launch *l, const struct am_sim_cpu *cpu,
                     const double *sets, double *parts)
{
    const struct am_sim_machine *const m = l->layout->machine;
    double served = 0, before = 0;

    for (size_t i = 0; i < m->n_caches; i++) {
        double hits;

        parts[i] = 0;
        if (!am_sim_cache_serves(&m->caches[i], cpu))
            continue;
        before = capacity(l, i, before);
        hits = am_sim_hits(&m->caches[i], sets[i] / before);
        parts[i] = fmax(0, hits - served);
        served = fmax(served, hits);
    }
    return 1 - served;
}

/* ---- loads ---- */

static double cache_ns(const struct am_sim_cache *c, double ghz)
{
    return c->cycles / ghz + c->ns;
}

double am_sim_first_ns(const struct am_sim_launch *l, const struct am_sim_cpu *cpu, double ghz)
{
    const struct am_sim_machine *const m = l->layout->machine;

    for (size_t i = 0; i < m->n_caches; i++) {
        if (am_sim_cache_serves(&m->caches[i], cpu))
            return cache_ns(&m->caches[i], ghz);
    }
    return m->memory.latency_ns;
}

bool am_sim_is_huge(const struct am_sim_machine *m, const char *pages, double bytes)
{
    if (strcmp(pages, "any") == 0)
        return m->memory.thp && bytes >= (double)m->memory.huge;
    return strcmp(pages, "huge") == 0;
}

double am_sim_translate_ns(const struct am_sim_launch *l, const struct am_sim_walk *w)
{
    const struct am_sim_machine *const m = l->layout->machine;
    const uint64_t wanted = w->huge ? AM_SIM_PAGES_HUGE : AM_SIM_PAGES_SMALL;
    const double pages = w->span / (double)(w->huge ? m->memory.huge : m->memory.page);
    double ns = 0;

    for (size_t i = 0; i < m->n_tlbs; i++) {
        const struct am_sim_tlb *const t = &m->tlbs[i];

        if (t->pages != AM_SIM_PAGES_BOTH && t->pages != wanted)
            continue;
        if (pages > (double)t->entries)
            ns += (1 - (double)t->entries / pages) * t->miss_cycles / w->ghz;
    }
    return ns * w->translated;
}

double am_sim_load_ns(const struct am_sim_launch *l, const struct am_sim_walk *w)
{
    const struct am_sim_machine *const m = l->layout->machine;
    const double memory_ns = w->memory_ns > 0 ? w->memory_ns : m->memory.latency_ns;
    double sets[AM_SIM_CACHES_MAX], parts[AM_SIM_CACHES_MAX], ns;

    for (size_t i = 0; i < m->n_caches; i++)
        sets[i] = w->bytes + (m->caches[i].share != 1 ? w->others : 0);
    ns = spread(l, w->cpu, sets, parts) * memory_ns;
    for (size_t i = 0; i < m->n_caches; i++)
        ns += parts[i] * cache_ns(&m->caches[i], w->ghz);
    return ns + am_sim_translate_ns(l, w);
}

/* ---- streams ---- */

/* Bytes that the team keeps in the instance of cache `c` that serves `cpu`. */
static double set_in_instance(const struct am_sim_stream *s, const struct am_sim_cache *c,
                              const struct am_sim_cpu *cpu)
{
    size_t threads = 0;

    if (s->same)
        return s->bytes;
    for (size_t i = 0; i < s->team->n; i++) {
        const struct am_sim_cpu *const other = s->team->cpus[i];

        threads += am_sim_cache_serves(c, other) && (c->share != 1 || other->core == cpu->core) &&
                   am_sim_cache_instance(c, other) == am_sim_cache_instance(c, cpu);
    }
    return s->bytes * (double)(threads ? threads : 1);
}

/* Bytes that cross a level's border: lines that are written come and go. */
static double traffic(const struct am_sim_stream *s, bool first)
{
    if (s->past)
        return s->read;
    return s->read + (first ? 1 : 2) * s->written;
}

/* Bandwidths of one core at a cache, in bytes per nanosecond. */
static double cache_rate(const struct am_sim_stream *s, const struct am_sim_cache *c,
                         const struct am_sim_cpu *cpu, double ghz)
{
    const struct am_sim_isa *const isa = s->isa ? am_sim_isa_find(cpu->kind, s->isa) : NULL;
    const double registers = isa ? 2 * isa->bits / 8 : 16;
    const double bytes =
        c->level == 1 ? fmin(c->bytes_per_cycle, cpu->kind->move_bytes) : c->bytes_per_cycle;

    return fmin(bytes, registers) * ghz;
}

/* Memory bandwidth of one core: what it may keep under way bounds it when nothing is fetched ahead.
 */
static double core_rate(const struct am_sim_launch *l, const struct am_sim_stream *s)
{
    const struct am_sim_memory *const y = &l->layout->machine->memory;
    const double line =
        l->layout->machine->n_caches ? (double)l->layout->machine->caches[0].line : 64;
    const double demanded = y->parallel * line / y->latency_ns;
    const bool fetched = l->layout->machine->prefetch.streams && !s->unfetched;
    const double rate = fetched ? y->core_gbs : fmin(y->core_gbs, demanded / 2);

    return rate * (s->written > 0 ? y->write_share : 1);
}

struct stream_totals {
    double core_ns[AM_SIM_CPUS_MAX];                     /* by core */
    double instance[AM_SIM_CACHES_MAX][AM_SIM_CPUS_MAX]; /* bytes by cache and instance */
    double node[AM_SIM_CPUS_MAX];                        /* bytes by home node */
    double link[AM_SIM_CPUS_MAX];                        /* bytes that come from another node */
};

static void add_thread(const struct am_sim_launch *l, const struct am_sim_stream *s,
                       const struct am_sim_cpu *cpu, struct stream_totals *t)
{
    const struct am_sim_machine *const m = l->layout->machine;
    const double ghz = am_sim_ghz(cpu, s->isa, s->team);
    const unsigned home = s->node >= 0 ? (unsigned)s->node : cpu->node;
    double sets[AM_SIM_CACHES_MAX], parts[AM_SIM_CACHES_MAX], memory;

    for (size_t i = 0; i < m->n_caches; i++)
        sets[i] = set_in_instance(s, &m->caches[i], cpu);
    memory = spread(l, cpu, sets, parts) * traffic(s, false) + (s->past ? s->written : 0);
    for (size_t i = 0; i < m->n_caches; i++) {
        const double bytes = parts[i] * traffic(s, m->caches[i].level == 1);

        t->core_ns[cpu->core] += bytes / cache_rate(s, &m->caches[i], cpu, ghz);
        t->instance[i][am_sim_cache_instance(&m->caches[i], cpu)] += bytes;
    }
    t->core_ns[cpu->core] += memory / core_rate(l, s);
    if (s->same && home == cpu->node)
        memory /= (double)s->team->n; /* one fetch serves all */
    t->node[home] += memory;
    if (home != cpu->node)
        t->link[cpu->node] += memory;
}

/* Time in which a node's or a link's bytes pass. */
static double memory_ns(const struct am_sim_launch *l, const struct am_sim_stream *s,
                        const struct stream_totals *t, unsigned node)
{
    const struct am_sim_memory *const y = &l->layout->machine->memory;
    const double share = l->memory_share * (s->written > 0 ? y->write_share : 1);
    const bool far = s->node >= 0 && (uint64_t)s->node / y->nodes != node / y->nodes;
    const double link = far ? y->far_gbs : y->near_gbs;
    double ns = t->node[node] / (y->node_gbs * share);

    if (t->link[node] > 0 && link > 0)
        ns = fmax(ns, t->link[node] / (link * share));
    return ns;
}

double am_sim_stream_seconds(const struct am_sim_launch *l, const struct am_sim_stream *s)
{
    const struct am_sim_machine *const m = l->layout->machine;
    const unsigned cores = (unsigned)(am_sim_core_count(m) * m->packages);
    struct stream_totals *const t = calloc(1, sizeof(*t));
    double ns = 0;

    if (!t)
        return 0; /* refused by the caller as no time */
    for (size_t i = 0; i < s->team->n; i++)
        add_thread(l, s, s->team->cpus[i], t);
    for (unsigned core = 0; core < cores; core++) {
        ns = fmax(ns, t->core_ns[core]);
        for (size_t i = 0; i < m->n_caches; i++) {
            if (m->caches[i].instance_gbs > 0)
                ns = fmax(ns, t->instance[i][core] / m->caches[i].instance_gbs);
        }
    }
    for (unsigned node = 0; node < m->memory.nodes * m->packages; node++)
        ns = fmax(ns, memory_ns(l, s, t, node));
    free(t);
    return ns * 1e-9;
}
