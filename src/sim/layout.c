/* SPDX-License-Identifier: MIT */
/* Where the CPUs of a simulated machine lie. */
#include "sim/layout.h"

#include <string.h>

uint64_t am_sim_core_count(const struct am_sim_machine *m)
{
    uint64_t n = 0;

    for (size_t i = 0; i < m->n_kinds; i++)
        n += m->kinds[i].cores;
    return n;
}

uint64_t am_sim_cpu_count(const struct am_sim_machine *m)
{
    uint64_t n = 0;

    for (size_t i = 0; i < m->n_kinds; i++)
        n += m->kinds[i].cores * m->kinds[i].smt;
    return n * m->packages;
}

const struct am_sim_isa *am_sim_isa_find(const struct am_sim_kind *kind, const char *name)
{
    for (size_t i = 0; i < kind->n_isas; i++) {
        if (strcmp(kind->isas[i].name, name) == 0)
            return &kind->isas[i];
    }
    return NULL;
}

/* Adds the CPUs of every core that have the thread number `thread`, or all of them (-1). */
static void add_threads(struct am_sim_layout *l, int thread)
{
    const struct am_sim_machine *const m = l->machine;
    const unsigned cores = (unsigned)am_sim_core_count(m);

    for (unsigned p = 0; p < m->packages; p++) {
        unsigned core = 0;

        for (size_t k = 0; k < m->n_kinds; k++) {
            for (unsigned c = 0; c < m->kinds[k].cores; c++, core++) {
                for (unsigned t = 0; t < m->kinds[k].smt; t++) {
                    if (thread >= 0 && t != (unsigned)thread)
                        continue;
                    l->cpus[l->n++] = (struct am_sim_cpu){
                        .kind = &m->kinds[k],
                        .package = p,
                        .node = p * (unsigned)m->memory.nodes +
                                (unsigned)(core * m->memory.nodes / cores),
                        .core = p * cores + core,
                        .of_kind = c,
                        .thread = t,
                    };
                }
            }
        }
    }
}

bool am_sim_layout_make(struct am_sim_layout *out, const struct am_sim_machine *m,
                        struct am_arena *arena)
{
    const uint64_t total = am_sim_cpu_count(m);

    *out = (struct am_sim_layout){.machine = m,
                                  .cpus = am_arena_array(arena, total, sizeof(*out->cpus))};
    if (!out->cpus)
        return false;
    if (m->numbering == AM_SIM_ADJACENT)
        add_threads(out, -1);
    for (int t = 0; out->n < total; t++)
        add_threads(out, t);
    return true;
}

bool am_sim_cache_serves(const struct am_sim_cache *cache, const struct am_sim_cpu *cpu)
{
    return !cache->kind || strcmp(cache->kind, cpu->kind->name) == 0;
}

unsigned am_sim_cache_instance(const struct am_sim_cache *cache, const struct am_sim_cpu *cpu)
{
    if (cache->share == AM_SIM_PACKAGE)
        return cpu->package;
    /* Groups are counted within a kind: no instance serves cores of two kinds. */
    return cpu->core - cpu->of_kind % (unsigned)cache->share;
}

enum am_sim_relation am_sim_relate(const struct am_sim_layout *l, const struct am_sim_cpu *a,
                                   const struct am_sim_cpu *b)
{
    const struct am_sim_machine *const m = l->machine;

    if (a->core == b->core)
        return AM_SIM_SIBLING;
    if (a->package != b->package)
        return AM_SIM_FAR;
    for (size_t i = 0; i < m->n_caches; i++) {
        const struct am_sim_cache *const c = &m->caches[i];

        if (c->share != AM_SIM_PACKAGE && am_sim_cache_serves(c, a) && am_sim_cache_serves(c, b) &&
            a->kind == b->kind && am_sim_cache_instance(c, a) == am_sim_cache_instance(c, b))
            return AM_SIM_CLUSTER;
    }
    return AM_SIM_IN_PACKAGE;
}

double am_sim_neighbour_cpus(const struct am_sim_machine *m)
{
    return m->neighbour.slow > 1 ? (double)am_sim_cpu_count(m) * (1 - 1 / m->neighbour.slow) : 0;
}
