/* SPDX-License-Identifier: MIT */
/* Levels of memory found in curves of made-up machines. The generator shares no formula with the
 * fit: caches hit by their policy (LRU, random, thrash-resistant), sets are filled by page colours,
 * translation costs what its reach leaves over, launches scatter and some are slow. */
#include "base/rng.h"
#include "fit/hierarchy.h"
#include "tap.h"

#include <stdint.h>
#include <stdlib.h>

enum { LEVELS_MAX = 4, LAUNCHES = 3, SIZES_MAX = 128, SEEDS = 2 };

static const double kib = 1024, mib = 1048576;

struct machine {
    const char *name;
    double ghz;
    struct {
        double kib, cycles;
    } caches[LEVELS_MAX]; /* ended by 0 */
    double memory_ns;
    double page_kib, tlb1, tlb2; /* reach in pages */
    double share_sd;             /* of the last cache's share between launches */
};

static const struct machine machines[] = {
    {"haswell", 3.9, {{32, 4}, {256, 12}, {8192, 37}}, 92, 4, 64, 1024, 0.04},
    {"zen2", 3.4, {{32, 4}, {512, 12}, {16384, 39}}, 98, 2048, 64, 2048, 0.05},
    {"zen4", 3.7, {{32, 4}, {1024, 14}, {32768, 51}}, 118, 2048, 72, 3072, 0.05},
    {"sapphire-rapids", 3.8, {{48, 5}, {2048, 16}, {107520, 125}}, 112, 2048, 96, 2048, 0.05},
    {"a64fx", 2.2, {{64, 5}, {8192, 43}}, 130, 64, 16, 1024, 0.03},
    {"phi", 1.05, {{32, 3}, {512, 24}}, 288, 4, 64, 64, 0.03},
    {"guest with a share", 2.6, {{48, 5}, {2048, 16}, {12288, 100}}, 120, 4, 96, 2048, 0.25},
};
enum { MACHINES = sizeof(machines) / sizeof(machines[0]) };

static double normal(struct am_rng *rng)
{
    return sqrt(-2 * log(am_rng_unit(rng) + 1e-300)) * cos(6.283185307179586 * am_rng_unit(rng));
}

/* Hits of a cyclic chase over x times the capacity, by random replacement: h = exp(-(1 - h) x). */
static double random_hits(double x)
{
    double h = 0.5;

    if (x <= 1)
        return 1;
    for (int i = 0; i < 200; i++)
        h = exp(-(1 - h) * x);
    return h;
}

/* A set of `ways` lines gets Poisson many of them where pages are small. */
static double hits(double x, int ways, double alpha)
{
    double sum = 0, lambda = x * ways, term = exp(-lambda);

    if (ways == 0 || x > 8)
        return x <= 1 ? 1 : alpha * random_hits(x);
    for (int k = 0; k < 400; k++) {
        const double full = (k + 1.0) / ways;

        sum += term * (full <= 1 ? 1 : alpha * random_hits(full));
        term *= lambda / (k + 1);
    }
    return sum;
}

static double latency(const struct machine *m, double size, double share, const double *alpha)
{
    const double reach1 = m->tlb1 * m->page_kib * kib, reach2 = m->tlb2 * m->page_kib * kib;
    double missed = 1, cycles = m->caches[0].cycles;

    for (size_t i = 0; i < LEVELS_MAX && m->caches[i].kib > 0; i++) {
        const bool last = i + 1 == LEVELS_MAX || !(m->caches[i + 1].kib > 0);
        const double next = last ? m->memory_ns * m->ghz : m->caches[i + 1].cycles;
        const double capacity = m->caches[i].kib * kib * (last ? share : 1);
        const double miss = 1 - hits(size / capacity, i && m->page_kib < 1024 ? 16 : 0, alpha[i]);

        missed = fmin(missed, miss);
        cycles += missed * (next - m->caches[i].cycles);
    }
    cycles += 7 * fmax(0, 1 - reach1 / size);
    return cycles + 0.2 * cycles * fmax(0, 1 - reach2 / size);
}

/* Four sizes per octave from 4 KiB to 1 GiB. */
static size_t measure(const struct machine *m, struct am_rng *rng, struct am_hierarchy_point *out,
                      double (*values)[LAUNCHES])
{
    double alpha[LEVELS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < LEVELS_MAX; i++)
        alpha[i] = i ? 0.3 + 0.6 * am_rng_unit(rng) : 0.4 * am_rng_unit(rng);
    for (double size = 4 * kib; size <= 1024 * mib; size *= 1.189207115002721, n++) {
        for (size_t l = 0; l < LAUNCHES; l++) {
            const double slow = am_rng_unit(rng) < 0.05 ? 1.2 + 2 * am_rng_unit(rng) : 1;

            values[n][l] = latency(m, size, exp(m->share_sd * normal(rng)), alpha) *
                           exp(0.01 * normal(rng)) * slow;
        }
        out[n] = (struct am_hierarchy_point){size, values[n], LAUNCHES};
    }
    return n;
}

static size_t count_caches(const struct machine *m)
{
    size_t n = 0;

    while (n < LEVELS_MAX && m->caches[n].kib > 0)
        n++;
    return n;
}

struct tally {
    size_t right, undecided, wrong, denied, lies, missed;
    double worst_size, worst_memory;
};

/* True statements must not be denied; the last one made 8 times larger must be. */
static void judge(const struct machine *m, struct am_hierarchy *h, struct tally *t)
{
    const size_t n = count_caches(m);
    double stated[LEVELS_MAX];
    struct am_claim claims[LEVELS_MAX];

    for (size_t i = 0; i < n; i++)
        stated[i] = m->caches[i].kib * kib;
    am_hierarchy_judge(h, stated, n, claims);
    for (size_t i = 0; i < n; i++)
        t->denied += claims[i].verdict == AM_CLAIM_DENIED;
    stated[n - 1] *= 8;
    am_hierarchy_judge(h, stated, n, claims);
    t->lies++;
    t->missed += claims[n - 1].verdict == AM_CLAIM_AGREES;
}

static void look(const struct machine *m, uint64_t seed, struct tally *t)
{
    static struct am_hierarchy_point points[SIZES_MAX];
    static double values[SIZES_MAX][LAUNCHES];
    struct am_arena arena = {0};
    struct am_hierarchy h;
    struct am_rng rng;
    size_t n;

    am_rng_seed(&rng, seed, 0);
    n = measure(m, &rng, points, values);
    (void)am_hierarchy_find(
        &(struct am_hierarchy_input){.points = points, .n = n, .ns_per_unit = 1 / m->ghz}, &arena,
        &h);
    t->right += h.decided && h.n == count_caches(m);
    t->wrong += h.decided && h.n != count_caches(m);
    t->undecided += !h.decided;
    for (size_t i = 0; h.decided && h.n == count_caches(m) && i < h.n; i++)
        t->worst_size = fmax(t->worst_size, fabs(log(h.caches[i].size / (m->caches[i].kib * kib))));
    if (h.has_memory && !h.memory_at_least)
        t->worst_memory = fmax(t->worst_memory, fabs(h.memory / (m->memory_ns * m->ghz) - 1));
    judge(m, &h, t);
    am_arena_fini(&arena);
}

static void test_machines(void)
{
    struct tally all = {0};

    for (size_t i = 0; i < MACHINES; i++) {
        struct tally t = {0};

        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            look(&machines[i], seed, &t);
        ok(t.wrong == 0, "%s, seeds 1 to %d: %zu right, %zu undecided, %zu wrong", machines[i].name,
           SEEDS, t.right, t.undecided, t.wrong);
        all.right += t.right;
        all.denied += t.denied;
        all.lies += t.lies;
        all.missed += t.missed;
        all.worst_size = fmax(all.worst_size, t.worst_size);
        all.worst_memory = fmax(all.worst_memory, t.worst_memory);
    }
    ok(all.right * 100 >= 80 * MACHINES * SEEDS, "%zu of %d numbers of levels are right", all.right,
       MACHINES * SEEDS);
    ok(all.denied == 0, "%zu true statements are denied", all.denied);
    ok(all.missed == 0, "%zu of %zu lies are believed", all.missed, all.lies);
    ok(all.worst_size < log(1.5), "capacities are within %.2f x", exp(all.worst_size));
    ok(all.worst_memory < 0.3, "memory is within %.0f %%", 100 * all.worst_memory);
}

static void test_sparse(void)
{
    static const double four[] = {16384, 524288, 8388608, 268435456}, at[] = {4.1, 14.4, 57, 580};
    struct am_hierarchy_point points[4];
    struct am_arena arena = {0};
    struct am_hierarchy h;

    for (size_t i = 0; i < 4; i++)
        points[i] = (struct am_hierarchy_point){four[i], &at[i], 1};
    (void)am_hierarchy_find(
        &(struct am_hierarchy_input){.points = points, .n = 4, .ns_per_unit = 0.27}, &arena, &h);
    ok(!h.decided && h.gaps && h.n_why > 0, "four sizes decide nothing: %s",
       h.n_why ? h.why[0] : "");
    ok(h.has_memory, "but the last one is memory");
    ok(!am_hierarchy_find(&(struct am_hierarchy_input){.points = points, .n = 2, .ns_per_unit = 1},
                          &arena, &h) &&
           h.n == 0,
       "two sizes are no curve");
    am_arena_fini(&arena);
}

/* Doublings only, in cycles at 3.2 GHz: 12 MiB of random replacement with 8 MiB behind them, whose
 * rises are one to the eye; and one cache of 12 MiB before the same memory. */
static void test_doublings(void)
{
    enum { N = 17, FIRST = 12 /* doublings of 4 KiB: 16 MiB */ };
    static const double two[N] = {3,  3,  3,  3,    3,     3,   18,  18, 18,
                                  18, 20, 23, 79.9, 200.8, 269, 305, 325};
    static const double after[N - FIRST] = {166, 299, 324, 325, 326};
    double one[N];
    struct am_hierarchy_point points[N];
    struct am_arena arena = {0};
    struct am_hierarchy h;

    for (size_t i = 0; i < N; i++) {
        one[i] = i < FIRST ? two[i] : after[i - FIRST];
        points[i] = (struct am_hierarchy_point){ldexp(4096, (int)i), &two[i], 1};
    }
    (void)am_hierarchy_find(
        &(struct am_hierarchy_input){.points = points, .n = N, .ns_per_unit = 0.3125}, &arena, &h);
    ok(!h.decided && h.n_why > 0, "a wide rise of few sizes may hide a level: %s",
       h.n_why ? h.why[0] : "");
    for (size_t i = 0; i < N; i++)
        points[i].values = &one[i];
    (void)am_hierarchy_find(
        &(struct am_hierarchy_input){.points = points, .n = N, .ns_per_unit = 0.3125}, &arena, &h);
    ok(h.decided && h.n == 2, "one cache's rise does not: %zu levels, %s", h.n,
       h.n_why ? h.why[0] : "decided");
    am_arena_fini(&arena);
}

/* A machine that changed during the sweep: the large sets came first, on a slow clock. */
static void test_changed(void)
{
    static struct am_hierarchy_point points[SIZES_MAX];
    static double values[SIZES_MAX][LAUNCHES];
    struct am_arena arena = {0};
    struct am_hierarchy h;
    struct am_rng rng;
    size_t n;

    am_rng_seed(&rng, 1, 0);
    n = measure(&machines[2], &rng, points, values);
    for (size_t i = 0; i < n; i++) {
        for (size_t l = 0; points[i].size < 300 * kib && l < LAUNCHES; l++)
            values[i][l] *= 8;
    }
    (void)am_hierarchy_find(
        &(struct am_hierarchy_input){.points = points, .n = n, .ns_per_unit = 0.27}, &arena, &h);
    ok(!h.decided, "a curve that falls decides nothing: %s", h.n_why ? h.why[0] : "");
    am_arena_fini(&arena);
}

/* ---- one cache of a known policy ---- */

static double lru(double x)
{
    return x <= 1 ? 1 : 0;
}

/* LRU, 8 ways, pages that fall into sets at random. */
static double coloured(double x)
{
    double term = exp(-8 * x), sum = 0;

    for (int k = 0; k < 8; k++) {
        sum += term;
        term *= 8 * x / (k + 1);
    }
    return sum;
}

static double best(double x)
{
    return x <= 1 ? 1 : 1 / x;
}

/* Four sizes per octave over a first cache of 32 KiB, one or two of unknown policy, and memory. */
static size_t chase(double (*law)(double), double capacity, double second,
                    struct am_hierarchy_point *points, double (*values)[LAUNCHES])
{
    struct am_rng rng;
    size_t n = 0;

    am_rng_seed(&rng, 5, 0);
    for (double size = 4 * kib; size <= 1024 * mib; size *= 1.189207115002721, n++) {
        const double missed = fmin(1 - lru(size / (32 * kib)), 1 - law(size / capacity));
        const double far = second > 0 ? 1 - best(size / second) : missed;

        for (size_t l = 0; l < LAUNCHES; l++)
            values[n][l] =
                (4 + 14 * (1 - lru(size / (32 * kib))) + 102 * missed + 280 * fmin(missed, far)) *
                exp(0.005 * normal(&rng));
        points[n] = (struct am_hierarchy_point){size, values[n], LAUNCHES};
    }
    return n;
}

static void test_policies(void)
{
    static const struct {
        const char *name;
        double (*law)(double);
    } laws[] = {{"LRU", lru}, {"page colours", coloured}, {"random", random_hits}, {"best", best}};
    static struct am_hierarchy_point points[SIZES_MAX];
    static double values[SIZES_MAX][LAUNCHES];

    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
        const double capacity = 5.5 * mib; /* between two of the sizes */
        const size_t n = chase(laws[i].law, capacity, 0, points, values);
        struct am_arena arena = {0};
        struct am_hierarchy h;

        (void)am_hierarchy_find(
            &(struct am_hierarchy_input){.points = points, .n = n, .ns_per_unit = 0.3}, &arena, &h);
        ok(h.decided && h.n == 2, "%s: two caches (%zu, %s)", laws[i].name, h.n,
           h.n_why ? h.why[0] : "decided");
        ok(h.n == 2 && fabs(log(h.caches[1].size / capacity)) < log(1.15),
           "%s: a capacity of 5.5 MiB is found as %.2f", laws[i].name, h.caches[1].size / mib);
        ok(h.n == 2 && h.caches[1].lo <= 1.01 * capacity && h.caches[1].hi >= 0.99 * capacity,
           "%s: its interval [%.2f, %.2f] has it", laws[i].name, h.caches[1].lo / mib,
           h.caches[1].hi / mib);
        am_arena_fini(&arena);
    }
}

/* Two caches of nearly the same size look like one of odd shape: nothing is decided. */
static void test_near(void)
{
    static struct am_hierarchy_point points[SIZES_MAX];
    static double values[SIZES_MAX][LAUNCHES];
    const size_t n = chase(random_hits, 6 * mib, 10 * mib, points, values);
    struct am_arena arena = {0};
    struct am_hierarchy h;

    (void)am_hierarchy_find(
        &(struct am_hierarchy_input){.points = points, .n = n, .ns_per_unit = 0.3}, &arena, &h);
    ok(!h.decided || h.n == 3, "6 and 10 MiB are three caches or undecided, %zu: %s", h.n,
       h.n_why ? h.why[0] : "decided");
    am_arena_fini(&arena);
}

/* A rise of 2 x that page-local order does not show is translation. */
static void test_creep(void)
{
    static struct am_hierarchy_point points[SIZES_MAX], local[SIZES_MAX];
    static double values[SIZES_MAX][LAUNCHES], locals[SIZES_MAX][LAUNCHES];
    const size_t n = chase(lru, 64 * mib, 0, local, locals);
    struct am_arena arena = {0};
    struct am_hierarchy h;

    for (size_t i = 0; i < n; i++) {
        const double walks = fmax(0, 1 - mib / local[i].size);

        for (size_t l = 0; l < LAUNCHES; l++)
            values[i][l] = locals[i][l] + 20 * walks;
        points[i] = (struct am_hierarchy_point){local[i].size, values[i], LAUNCHES};
    }
    (void)am_hierarchy_find(
        &(struct am_hierarchy_input){
            .points = points, .n = n, .local = local, .n_local = n, .ns_per_unit = 0.3},
        &arena, &h);
    ok(h.decided && h.n == 2, "translation is no level: %zu, %s", h.n,
       h.n_why ? h.why[0] : "decided");
    am_arena_fini(&arena);
}

int main(void)
{
    test_policies();
    test_near();
    test_creep();
    test_machines();
    test_sparse();
    test_doublings();
    test_changed();
    return tap_done();
}
