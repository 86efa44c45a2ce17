/* SPDX-License-Identifier: MIT */
/* Pairs of CPUs: classes by what the system states, and what is drawn of them. */
#include "topo/pairs.h"

#include "base/rng.h"
#include "topo/places.h"

#include <string.h>

enum {
    ALL_CPUS = 16,    /* up to so many, every pair is measured */
    PER_CLASS = 8,    /* drawn of each class */
    CLASSES_MAX = 64, /* further ones are not drawn of */
};

/* ---- classes ---- */

static bool share(const struct am_topo_cpu *a, const struct am_topo_cpu *b, unsigned level)
{
    return a->caches[level].bytes && b->caches[level].bytes &&
           a->caches[level].instance == b->caches[level].instance;
}

/* A number that pairs of one class have in common. */
static unsigned class_of(const struct am_topo_cpu *a, const struct am_topo_cpu *b)
{
    const unsigned low = a->kind < b->kind ? a->kind : b->kind;
    const unsigned high = a->kind < b->kind ? b->kind : a->kind;
    const unsigned relation = a->core == b->core         ? 0
                              : share(a, b, AM_TOPO_L2)  ? 1
                              : share(a, b, AM_TOPO_L3)  ? 2
                              : a->package == b->package ? 3
                                                         : 4;

    return ((relation * 2 + (a->node == b->node)) * 16 + low) * 16 + high;
}

static const struct am_topo_cpu *find(const struct am_topo *topo, int number)
{
    size_t n;
    const struct am_topo_cpu *const cpus = am_topo_cpus(topo, &n);

    for (size_t i = 0; i < n; i++) {
        if (cpus[i].cpu == number)
            return &cpus[i];
    }
    return NULL;
}

bool am_topo_pairs_alike(const struct am_topo *topo, struct am_cpu_pair a, struct am_cpu_pair b)
{
    const struct am_topo_cpu *const cpus[] = {find(topo, a.from), find(topo, a.to),
                                              find(topo, b.from), find(topo, b.to)};

    return cpus[0] && cpus[1] && cpus[2] && cpus[3] && (a.from == a.to) == (b.from == b.to) &&
           class_of(cpus[0], cpus[1]) == class_of(cpus[2], cpus[3]);
}

/* ---- drawing ---- */

/* What has been drawn of one class: of `seen` pairs, each with the same chance. */
struct drawn {
    unsigned sort;
    size_t seen, n, most;
    struct am_cpu_pair *pairs;
};

static void draw(struct drawn *d, struct am_rng *rng, int a, int b)
{
    const bool swapped = am_rng_below(rng, 2) == 1;
    const struct am_cpu_pair pair = {swapped ? b : a, swapped ? a : b};

    d->seen++;
    if (d->n < d->most) {
        d->pairs[d->n++] = pair;
    } else {
        const size_t at = (size_t)am_rng_below(rng, d->seen);

        if (at < d->most)
            d->pairs[at] = pair;
    }
}

static struct drawn *class_at(struct drawn *classes, size_t *n, unsigned sort,
                              struct am_cpu_pair *room)
{
    for (size_t i = 0; i < *n; i++) {
        if (classes[i].sort == sort)
            return &classes[i];
    }
    if (*n == CLASSES_MAX)
        return NULL;
    classes[*n] = (struct drawn){.sort = sort, .most = PER_CLASS, .pairs = room + *n * PER_CLASS};
    return &classes[(*n)++];
}

static bool has_pair(const struct am_cpu_pairs *pairs, struct am_cpu_pair pair)
{
    for (size_t i = 0; i < pairs->n; i++) {
        const struct am_cpu_pair *const p = &pairs->items[i];

        if ((p->from == pair.from && p->to == pair.to) ||
            (p->from == pair.to && p->to == pair.from))
            return true;
    }
    return false;
}

static void add(struct am_cpu_pairs *pairs, struct am_cpu_pair pair)
{
    if (!has_pair(pairs, pair))
        pairs->items[pairs->n++] = pair;
}

/* Some pairs of each class. */
static void add_drawn(const struct am_topo *topo, uint64_t seed, struct am_arena *arena,
                      struct am_cpu_pairs *out)
{
    struct drawn classes[CLASSES_MAX];
    struct am_cpu_pair *const room =
        am_arena_array(arena, (size_t)CLASSES_MAX * PER_CLASS, sizeof(*room));
    size_t n, found = 0;
    const struct am_topo_cpu *const cpus = am_topo_cpus(topo, &n);
    struct am_rng rng;

    am_rng_seed(&rng, seed, 0x7061697273u);
    for (size_t i = 0; room && i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            struct drawn *const d = class_at(classes, &found, class_of(&cpus[i], &cpus[k]), room);

            if (d)
                draw(d, &rng, cpus[i].cpu, cpus[k].cpu);
        }
    }
    for (size_t i = 0; room && i < found; i++) {
        for (size_t k = 0; k < classes[i].n; k++)
            add(out, classes[i].pairs[k]);
    }
}

/* ---- joining ---- */

/* Whether two CPUs are in one group of a level, from cores to the machine. */
static bool in_group(const struct am_topo_cpu *a, const struct am_topo_cpu *b, unsigned level)
{
    switch (level) {
    case 0: return a->core == b->core;
    case 1: return a->core == b->core || share(a, b, AM_TOPO_L2);
    case 2: return a->core == b->core || share(a, b, AM_TOPO_L2) || share(a, b, AM_TOPO_L3);
    case 3: return a->package == b->package;
    default: return true;
    }
}

/* The first CPU of the group that has this one. */
static size_t leader(const struct am_topo_cpu *cpus, size_t i, unsigned level)
{
    size_t k = 0;

    while (k < i && !in_group(&cpus[k], &cpus[i], level))
        k++;
    return k;
}

/* Each CPU with the first of its core, each such with the first of its cache, and so on: together
 * they join all CPUs by pairs that are as near as can be. */
static void add_joining(const struct am_topo_cpu *cpus, size_t n, struct am_cpu_pairs *out)
{
    enum { LEVELS = 5 };

    for (size_t i = 1; i < n; i++) {
        for (unsigned level = 0; level < LEVELS; level++) {
            const size_t first = leader(cpus, i, level);

            if (first == i)
                continue;
            add(out, (struct am_cpu_pair){cpus[i].cpu, cpus[first].cpu});
            break; /* farther groups are joined by the first of this one */
        }
    }
}

/* ---- choosing ---- */

static void add_all(const struct am_topo_cpu *cpus, size_t n, struct am_cpu_pairs *out)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            if (i != k)
                out->items[out->n++] = (struct am_cpu_pair){cpus[i].cpu, cpus[k].cpu};
        }
    }
}

struct am_cpu_pairs am_topo_pairs(const struct am_topo *topo, enum am_pairing pairing,
                                  uint64_t seed, struct am_arena *arena)
{
    size_t n;
    const struct am_topo_cpu *const cpus = am_topo_cpus(topo, &n);
    const size_t room = n + (size_t)ALL_CPUS * ALL_CPUS + (size_t)CLASSES_MAX * PER_CLASS;
    struct am_cpu_pairs out = {.items = am_arena_array(arena, room, sizeof(*out.items)),
                               .all = n * (n - 1)};

    if (!out.items || n == 0)
        return (struct am_cpu_pairs){0};
    if (pairing == AM_PAIRS_RELATED) /* a CPU's own caches belong to its relations */
        out.items[out.n++] = (struct am_cpu_pair){cpus[0].cpu, cpus[0].cpu};
    if (n > ALL_CPUS)
        add_drawn(topo, seed, arena, &out);
    if (n > ALL_CPUS && pairing == AM_PAIRS_JOINED)
        add_joining(cpus, n, &out);
    for (size_t i = 1; n <= ALL_CPUS && pairing == AM_PAIRS_RELATED && i < n; i++)
        out.items[out.n++] = (struct am_cpu_pair){cpus[i].cpu, cpus[0].cpu};
    if (n <= ALL_CPUS && pairing == AM_PAIRS_JOINED)
        add_all(cpus, n, &out);
    if (out.n == 0) /* one CPU: the bench says why not */
        out.items[out.n++] = (struct am_cpu_pair){cpus[0].cpu, cpus[0].cpu};
    return out;
}

struct am_cpu_pairs am_topo_pairs_like(const struct am_topo *topo, struct am_cpu_pair like,
                                       size_t most, uint64_t seed, struct am_arena *arena)
{
    struct drawn d = {.most = most, .pairs = am_arena_array(arena, most + 1, sizeof(*d.pairs))};
    const struct am_topo_cpu *const from = find(topo, like.from), *const to = find(topo, like.to);
    size_t n;
    const struct am_topo_cpu *const cpus = am_topo_cpus(topo, &n);
    struct am_rng rng;

    am_rng_seed(&rng, seed, 0x6c696b65u);
    for (size_t i = 0; d.pairs && from && to && from != to && i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            if (class_of(&cpus[i], &cpus[k]) == class_of(from, to))
                draw(&d, &rng, cpus[i].cpu, cpus[k].cpu);
        }
    }
    return (struct am_cpu_pairs){.items = d.pairs, .n = d.n, .all = 2 * d.seen};
}

/* ---- counting ---- */

static enum am_related related(const struct am_topo_cpu *a, const struct am_topo_cpu *b)
{
    unsigned last = AM_TOPO_L3;

    while (last > AM_TOPO_L1 && !a->caches[last].bytes)
        last--;
    if (a->core == b->core)
        return AM_RELATED_CORE;
    if (share(a, b, last))
        return AM_RELATED_CACHE;
    return a->package == b->package ? AM_RELATED_PACKAGE : AM_RELATED_FAR;
}

void am_topo_count_pairs(const struct am_topo *topo, size_t counts[AM_RELATIONS_STATED])
{
    size_t n;
    const struct am_topo_cpu *const cpus = am_topo_cpus(topo, &n);

    memset(counts, 0, AM_RELATIONS_STATED * sizeof(*counts));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++)
            counts[related(&cpus[i], &cpus[k])]++;
    }
}
