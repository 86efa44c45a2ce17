/* SPDX-License-Identifier: MIT */
/* Pairs of CPUs: all of few, some of each relation of many, and pairs that join every CPU. */
#include "topo/pairs.h"

#include "fsroot/tree.h"
#include "tap.h"
#include "topo/places.h"

enum { MOST = 128 };

/* Two packages of cores without siblings; one L3 per package as its CPUs' list tells. */
static bool open_machine(struct tree *t, unsigned cores, struct am_fsroot *root,
                         struct am_topo **topo)
{
    struct am_err err = {0};

    tree_open(t);
    for (unsigned cpu = 0; cpu < 2 * cores; cpu++) {
        char path[128];
        uint64_t mask;

        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
        tree_put(t, path, "%u", cpu % cores);
        (void)snprintf(path, sizeof(path),
                       "sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
        tree_put(t, path, "%u", cpu / cores);
        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/thread_siblings",
                       cpu);
        tree_put(t, path, "%08x,%08x", cpu >= 32 ? 1u << (cpu - 32) : 0, cpu < 32 ? 1u << cpu : 0);
        (void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/core_siblings",
                       cpu);
        mask = ((UINT64_C(1) << cores) - 1) << (cpu < cores ? 0 : cores);
        tree_put(t, path, "%08x,%08x", (unsigned)(mask >> 32), (unsigned)mask);
    }
    tree_put(t, "sys/devices/system/cpu/online", "0-%u", 2 * cores - 1);
    tree_put(t, "sys/devices/system/cpu/possible", "0-%u", 2 * cores - 1);
    return am_fsroot_open(root, t->path, &err) == AM_OK && am_topo_open(root, topo, &err) == AM_OK;
}

static unsigned package_of(const struct am_topo *topo, int cpu)
{
    size_t n;
    const struct am_topo_cpu *const cpus = am_topo_cpus(topo, &n);

    for (size_t i = 0; i < n; i++) {
        if (cpus[i].cpu == cpu)
            return cpus[i].package;
    }
    return 99;
}

/* Gives every CPU the lowest number that pairs join it to; returns how many are not joined to the
 * first. */
static size_t count_apart(const struct am_cpu_pairs *pairs, size_t n)
{
    size_t group[MOST], apart = 0;
    bool grown = true;

    for (size_t i = 0; i < n; i++)
        group[i] = i;
    while (grown) {
        grown = false;
        for (size_t i = 0; i < pairs->n; i++) {
            size_t *const a = &group[pairs->items[i].from], *const b = &group[pairs->items[i].to];
            const size_t low = *a < *b ? *a : *b;

            grown = grown || *a != *b;
            *a = *b = low;
        }
    }
    for (size_t i = 0; i < n; i++)
        apart += group[i] != 0;
    return apart;
}

static size_t count_doubles(const struct am_cpu_pairs *pairs)
{
    size_t doubles = 0;

    for (size_t i = 0; i < pairs->n; i++) {
        for (size_t k = 0; k < i; k++)
            doubles += pairs->items[i].from == pairs->items[k].from &&
                       pairs->items[i].to == pairs->items[k].to;
    }
    return doubles;
}

static void check_many(const struct am_topo *topo, struct am_arena *arena)
{
    const struct am_cpu_pairs joined = am_topo_pairs(topo, AM_PAIRS_JOINED, 7, arena);
    const struct am_cpu_pairs again = am_topo_pairs(topo, AM_PAIRS_JOINED, 7, arena);
    const struct am_cpu_pairs other = am_topo_pairs(topo, AM_PAIRS_JOINED, 8, arena);
    const struct am_cpu_pairs related = am_topo_pairs(topo, AM_PAIRS_RELATED, 7, arena);
    const struct am_cpu_pairs like =
        am_topo_pairs_like(topo, (struct am_cpu_pair){0, 39}, 5, 1, arena);
    size_t counts[AM_RELATIONS_STATED], far = 0, wrong = 0;

    ok(joined.all == 40 * 39 && joined.n >= 39 && joined.n <= 39 + 16,
       "%zu of %zu pairs of 40 CPUs", joined.n, joined.all);
    ok(count_apart(&joined, 40) == 0, "they join all CPUs");
    ok(count_doubles(&joined) == 0, "none is there twice");
    ok(again.n == joined.n &&
           memcmp(again.items, joined.items, again.n * sizeof(*again.items)) == 0,
       "a seed draws the same pairs again");
    ok(other.n != joined.n || memcmp(other.items, joined.items, other.n * sizeof(*other.items)),
       "another one others");
    for (size_t i = 0; i < related.n; i++)
        far += package_of(topo, related.items[i].from) != package_of(topo, related.items[i].to);
    ok(related.n == 17 && far == 8, "eight of each relation, and one CPU with itself: %zu, %zu far",
       related.n, far);
    for (size_t i = 0; i < like.n; i++)
        wrong += package_of(topo, like.items[i].from) == package_of(topo, like.items[i].to);
    ok(like.n == 5 && wrong == 0 && like.all == 2 * 400, "pairs like one of two packages");
    ok(am_topo_pairs_alike(topo, (struct am_cpu_pair){0, 39}, (struct am_cpu_pair){25, 3}) &&
           !am_topo_pairs_alike(topo, (struct am_cpu_pair){0, 39}, (struct am_cpu_pair){0, 3}) &&
           !am_topo_pairs_alike(topo, (struct am_cpu_pair){0, 39}, (struct am_cpu_pair){0, 99}),
       "classes tell packages apart, and know no CPU that is not there");
    am_topo_count_pairs(topo, counts);
    ok(counts[AM_RELATED_PACKAGE] == 2 * 190 && counts[AM_RELATED_FAR] == 400 &&
           counts[AM_RELATED_CORE] == 0 && counts[AM_RELATED_CACHE] == 0,
       "pairs of each relation are counted");
}

static void check_few(const struct am_topo *topo, struct am_arena *arena)
{
    const struct am_cpu_pairs joined = am_topo_pairs(topo, AM_PAIRS_JOINED, 7, arena);
    const struct am_cpu_pairs related = am_topo_pairs(topo, AM_PAIRS_RELATED, 7, arena);

    ok(joined.n == 16 * 15 && joined.all == joined.n, "of 16 CPUs all pairs are measured");
    ok(related.n == 16 && related.items[5].to == related.items[0].to,
       "or all with the first, itself included");
}

int main(void)
{
    static const struct {
        unsigned cores;
        void (*check)(const struct am_topo *topo, struct am_arena *arena);
    } machines[] = {{20, check_many}, {8, check_few}};

    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        struct am_arena arena = {0};
        struct am_fsroot root = {.fd = -1};
        struct am_topo *topo = NULL;
        struct tree t;

        if (ok(open_machine(&t, machines[i].cores, &root, &topo), "a tree is read"))
            machines[i].check(topo, &arena);
        am_topo_close(topo);
        am_fsroot_close(&root);
        am_arena_fini(&arena);
        tree_close(&t);
    }
    return tap_done();
}
