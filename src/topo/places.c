/* SPDX-License-Identifier: MIT */
/* The places of a machine, from the table of its CPUs. */
#include "topo/places.h"

#include "base/text.h"
#include "topo/pairs.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACES_MAX = 32,
    SMT_MAX = 16,
    SYMBOLS_MAX = 32,
    NAME_MAX_BYTES = 32,
};

static const char smt_word[] = "smt", cores_word[] = "cores";

/* ---- sets of CPUs ---- */

typedef unsigned number_fn(const struct am_topo_cpu *cpu);

static unsigned core_of(const struct am_topo_cpu *c)
{
    return c->core;
}

static unsigned package_of(const struct am_topo_cpu *c)
{
    return c->package;
}

static unsigned node_of(const struct am_topo_cpu *c)
{
    return c->node;
}

static unsigned kind_of(const struct am_topo_cpu *c)
{
    return c->kind;
}

/* Without such a cache each core counts as one of its own. */
static unsigned l2_of(const struct am_topo_cpu *c)
{
    return c->caches[AM_TOPO_L2].bytes ? c->caches[AM_TOPO_L2].instance : c->core;
}

static unsigned l3_of(const struct am_topo_cpu *c)
{
    return c->caches[AM_TOPO_L3].bytes ? c->caches[AM_TOPO_L3].instance : c->core;
}

static size_t keep(const struct am_topo_cpu *all, size_t n, number_fn *number, unsigned wanted,
                   struct am_topo_cpu *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (number(&all[i]) == wanted)
            out[kept++] = all[i];
    }
    return kept;
}

static size_t count_different(const struct am_topo_cpu *cpus, size_t n, number_fn *number)
{
    size_t different = 0;

    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < i && number(&cpus[k]) != number(&cpus[i]))
            k++;
        different += k == i;
    }
    return different;
}

size_t am_cpus_cores(const struct am_topo_cpu *cpus, size_t n)
{
    return count_different(cpus, n, core_of);
}

/* The level that stands for `level` on this CPU: the next smaller one where it has none. */
static unsigned stated_level(const struct am_topo_cpu *c, unsigned level)
{
    while (level > AM_TOPO_L1 && !c->caches[level].bytes)
        level--;
    return level;
}

static bool same_cache(const struct am_topo_cpu *a, const struct am_topo_cpu *b, unsigned level)
{
    const unsigned of_a = stated_level(a, level), of_b = stated_level(b, level);

    return of_a == of_b && a->caches[of_a].bytes && b->caches[of_b].bytes &&
           a->caches[of_a].instance == b->caches[of_b].instance;
}

static bool is_first_of_cache(const struct am_topo_cpu *cpus, size_t i, unsigned level)
{
    size_t k = 0;

    while (k < i && !same_cache(&cpus[k], &cpus[i], level))
        k++;
    return k == i;
}

size_t am_cpus_instances(const struct am_topo_cpu *cpus, size_t n, unsigned level)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        found += is_first_of_cache(cpus, i, level);
    return found;
}

uint64_t am_cpus_cache_bytes(const struct am_topo_cpu *cpus, size_t n, unsigned level)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < n; i++) {
        if (is_first_of_cache(cpus, i, level))
            bytes += cpus[i].caches[stated_level(&cpus[i], level)].bytes;
    }
    return bytes;
}

/* ---- places ---- */

/* Hardware threads of a core among the CPUs. */
static size_t on_core(const struct am_topo_cpu *cpus, size_t n, unsigned core)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        found += cpus[i].core == core;
    return found;
}

static size_t most_on_core(const struct am_topo_cpu *cpus, size_t n)
{
    size_t most = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t here = on_core(cpus, n, cpus[i].core);

        most = here > most ? here : most;
    }
    return most;
}

/* `per_core` threads of each core that has as many, core by core. */
static size_t fill_smt(const struct am_topo_cpu *all, size_t n, size_t per_core,
                       struct am_topo_cpu *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        size_t taken = 0;

        if (on_core(all, i, all[i].core) > 0 || on_core(all, n, all[i].core) < per_core)
            continue; /* not the first of its core, or too few of them */
        for (size_t k = i; k < n && taken < per_core; k++) {
            if (all[k].core != all[i].core)
                continue;
            out[kept++] = all[k];
            taken++;
        }
    }
    return kept;
}

/* 1 of "cores", the number behind "smt"; 0 when the word is another. */
static size_t threads_per_core(const char *place)
{
    uint64_t n = 0;

    if (strcmp(place, cores_word) == 0)
        return 1;
    if (strncmp(place, smt_word, sizeof(smt_word) - 1) != 0)
        return 0;
    place += sizeof(smt_word) - 1;
    return am_parse_u64(place, strlen(place), &n) && n > 1 && n <= SMT_MAX ? (size_t)n : 0;
}

/* The first of its sort: what the place is, in which CPUs of one place agree. */
static const struct sort {
    const char *word;
    number_fn *number;
    const char *whole; /* why not, where it would be the whole machine */
    const char *single;
} sorts[] = {
    {"core", core_of, "one core is the whole machine", "no core has two hardware threads here"},
    {"l2", l2_of, "one L2 serves all CPUs", "no L2 is shared by several cores"},
    {"l3", l3_of, "one L3 serves all CPUs", "no L3 is shared by several cores"},
    {"node", node_of, "there is one memory node only", NULL},
    {"package", package_of, "there is one package only", NULL},
};

static const struct sort *find_sort(const char *place)
{
    for (size_t i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++) {
        if (strcmp(sorts[i].word, place) == 0)
            return &sorts[i];
    }
    return NULL;
}

/* The kind's number; -1 when it is none of this machine. */
static int find_kind(const struct am_topo *topo, const char *place)
{
    const size_t prefix = strlen(AM_PLACE_KIND);

    if (strncmp(place, AM_PLACE_KIND, prefix) != 0)
        return -1;
    for (unsigned k = 0; am_topo_kind_name(topo, k); k++) {
        if (strcmp(am_topo_kind_name(topo, k), place + prefix) == 0)
            return (int)k;
    }
    return -1;
}

/* The first group of CPUs that agree in a number, of those that are shared by several cores when
 * there are such: on a hybrid machine the first core's L2 may be its own. */
static size_t fill_sort(const struct sort *sort, const struct am_topo_cpu *all, size_t n,
                        struct am_topo_cpu *out)
{
    for (size_t i = 0; i < n; i++) {
        const size_t kept = keep(all, n, sort->number, sort->number(&all[i]), out);

        if (sort->number == core_of ? kept > 1 : am_cpus_cores(out, kept) > 1)
            return kept;
    }
    return keep(all, n, sort->number, sort->number(&all[0]), out);
}

size_t am_place_cpus(const struct am_topo *topo, const char *place, struct am_topo_cpu *cpus)
{
    size_t n;
    const struct am_topo_cpu *const all = am_topo_cpus(topo, &n);
    const struct sort *const sort = find_sort(place);
    const size_t per_core = threads_per_core(place);
    const int kind = find_kind(topo, place);

    if (n == 0)
        return 0;
    if (strcmp(place, AM_PLACE_WHOLE) == 0) {
        memcpy(cpus, all, n * sizeof(*cpus));
        return n;
    }
    if (per_core)
        return fill_smt(all, n, per_core, cpus);
    if (kind >= 0)
        return keep(all, n, kind_of, (unsigned)kind, cpus);
    return sort ? fill_sort(sort, all, n, cpus) : 0;
}

/* Room for the CPUs of a place; the caller frees it. NULL without memory. */
static struct am_topo_cpu *gather(const struct am_topo *topo, const char *place, size_t *n)
{
    size_t all;
    struct am_topo_cpu *cpus;

    (void)am_topo_cpus(topo, &all);
    cpus = calloc(all ? all : 1, sizeof(*cpus));
    *n = cpus ? am_place_cpus(topo, place, cpus) : 0;
    return cpus;
}

/* Why a place of a sort is not worth a name of its own; NULL when it is. */
static const char *why_not_sort(const struct am_topo *topo, const struct sort *sort)
{
    size_t n, kept;
    const struct am_topo_cpu *const all = am_topo_cpus(topo, &n);
    struct am_topo_cpu *const cpus = gather(topo, sort->word, &kept);
    const char *why = NULL;

    if (!cpus)
        return "no memory for the CPUs of the place";
    if (sort->number == core_of ? kept < 2 : sort->single && am_cpus_cores(cpus, kept) < 2)
        why = sort->single;
    else if (kept == n && count_different(all, n, sort->number) == 1)
        why = sort->whole;
    free(cpus);
    return why;
}

const char *am_place_why_not(const struct am_topo *topo, const char *place, struct am_arena *arena)
{
    size_t n;
    const struct am_topo_cpu *const cpus = am_topo_cpus(topo, &n);
    const struct sort *const sort = find_sort(place);
    const size_t per_core = threads_per_core(place), most = most_on_core(cpus, n);

    if (strcmp(place, AM_PLACE_WHOLE) == 0 || find_kind(topo, place) >= 0)
        return NULL;
    if (sort)
        return why_not_sort(topo, sort);
    if (per_core == 0)
        return "this machine has no such place";
    if (most < 2)
        return "no core has two hardware threads here";
    return per_core <= most
               ? NULL
               : am_arena_printf(arena, "cores have at most %zu hardware threads here", most);
}

/* ---- listing ---- */

struct listing {
    const struct am_topo *topo;
    struct am_arena *arena;
    const char *names[PLACES_MAX + 1];
    size_t n;
};

static void offer(struct listing *l, const char *name)
{
    if (name && l->n < PLACES_MAX && !am_place_why_not(l->topo, name, l->arena))
        l->names[l->n++] = name;
}

const char *const *am_places_list(const struct am_topo *topo, struct am_arena *arena)
{
    struct listing l = {.topo = topo, .arena = arena};
    size_t n, most;
    const struct am_topo_cpu *const cpus = am_topo_cpus(topo, &n);
    const char **copy;

    most = most_on_core(cpus, n);
    offer(&l, AM_PLACE_WHOLE);
    offer(&l, cores_word);
    offer(&l, sorts[0].word);
    for (size_t i = 2; i <= most && i <= SMT_MAX; i++)
        offer(&l, am_arena_printf(arena, "%s%zu", smt_word, i));
    for (size_t i = 1; i < sizeof(sorts) / sizeof(sorts[0]); i++)
        offer(&l, sorts[i].word);
    for (unsigned k = 0; am_topo_kind_name(topo, k); k++)
        offer(&l, am_arena_printf(arena, AM_PLACE_KIND "%s", am_topo_kind_name(topo, k)));
    copy = am_arena_array(arena, l.n + 1, sizeof(*copy));
    if (copy)
        memcpy(copy, l.names, l.n * sizeof(*copy));
    return copy;
}

/* ---- threads in a place ---- */

enum am_status am_place_check(const struct am_topo *topo, const char *place, int64_t threads,
                              struct am_err *err)
{
    struct am_arena arena = {0};
    const size_t per_core = threads_per_core(place);
    const char *const why = am_place_why_not(topo, place, &arena);
    size_t n;
    struct am_topo_cpu *const cpus = gather(topo, place, &n);
    enum am_status s = AM_OK;

    free(cpus);
    if (why)
        s = am_fail(err, AM_E_ABSENT, "%s: %s", place, why);
    else if (threads < 1 || (uint64_t)threads > n)
        s = am_fail(err, AM_E_ABSENT, "%lld threads on the %zu CPUs of %s", (long long)threads, n,
                    place);
    else if (per_core && (uint64_t)threads % per_core != 0)
        s = am_fail(err, AM_E_ABSENT, "%lld threads do not fill cores with %zu each",
                    (long long)threads, per_core);
    am_arena_fini(&arena);
    return s;
}

static bool takes(const void *self, const char *place, int64_t threads)
{
    return am_place_check(self, place, threads, NULL) == AM_OK;
}

static void set_symbol(struct am_symbol *symbols, const char *name, uint64_t value)
{
    for (struct am_symbol *s = symbols; value && s->name; s++) {
        if (strcmp(s->name, name) == 0)
            s->value = (int64_t)value;
    }
}

static void set_caches(struct am_symbol *symbols, const struct am_topo_cpu *cpus, size_t reached)
{
    static const char *const one[] = {"l1", "l2", "l3"}, *const all[] = {"l1s", "l2s", "l3s"};

    for (unsigned level = AM_TOPO_L1; level < AM_TOPO_CACHES; level++) {
        set_symbol(symbols, one[level], am_cpus_cache_bytes(cpus, 1, level));
        set_symbol(symbols, all[level], am_cpus_cache_bytes(cpus, reached, level));
    }
    set_symbol(symbols, "beyond", am_topo_beyond(am_cpus_cache_bytes(cpus, reached, AM_TOPO_L3)));
    set_symbol(symbols, "far",
               am_topo_far(am_cpus_cache_bytes(cpus, reached, AM_TOPO_L3), reached > 1));
}

static const struct am_symbol *symbols_of(const void *self, const char *place, int64_t threads,
                                          struct am_arena *arena)
{
    const struct am_topo *const topo = self;
    const struct am_symbol *const base = am_topo_symbols(topo);
    struct am_symbol *const own = am_arena_array(arena, SYMBOLS_MAX, sizeof(*own));
    size_t n, count = 0;
    struct am_topo_cpu *const cpus = gather(topo, place, &n);

    if (!own || !cpus || n == 0 || am_place_why_not(topo, place, arena)) {
        free(cpus);
        return NULL;
    }
    for (; base[count].name && count + 1 < SYMBOLS_MAX; count++)
        own[count] = base[count];
    set_symbol(own, "cpus", n);
    set_symbol(own, "smt", most_on_core(cpus, n));
    if (strcmp(place, AM_PLACE_WHOLE) != 0) /* the machine's cores are counted whole */
        set_symbol(own, "cores", am_cpus_cores(cpus, n));
    set_caches(own, cpus, threads > 0 && (uint64_t)threads < n ? (size_t)threads : n);
    free(cpus);
    return own;
}

static struct am_cpu_pairs pairs_of(const void *self, enum am_pairing pairing, uint64_t seed,
                                    struct am_arena *arena)
{
    return am_topo_pairs(self, pairing, seed, arena);
}

struct am_places am_places_of(const struct am_topo *topo)
{
    return (struct am_places){
        .symbols = symbols_of, .takes = takes, .pairs = pairs_of, .self = topo};
}
