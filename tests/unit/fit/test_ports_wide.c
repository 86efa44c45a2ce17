/* SPDX-License-Identifier: MIT */
/* Made-up cores on which wide vectors close a port to others, and such on which they do not: the
 * first are found out, the second are not accused. */
#include "fit/ports.h"
#include "fit/resources.h"
#include "ports_machine.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { MIXES_MAX = 4096, USES_MAX = 8, RANDOM = 500, UNSEEN = 200 };

/* A core as mixes without and with wide classes find it, and its mixes. */
struct core {
    struct pm_machine narrow, wide;
    bool is_wide[PM_KINDS];
    double alone[PM_KINDS], alone_wide[PM_KINDS];
    double noise;
    bool scheduled; /* as the core would run them, not as well as it could */
    struct am_rng rng;
    struct am_resources_mix mixes[MIXES_MAX];
    struct am_resources_use uses[MIXES_MAX][USES_MAX];
    size_t n;
};

/* The vectors of 512 bits of a core that closes a port: two of three vector ports do them, one of
 * which is made of two, and that second is closed to all vectors, not to integers. */
static const struct pm_kind closing_narrow[] = {
    {.name = "slot"},
    {.name = "alu", .ops = {0x33}},
    {.name = "shift", .ops = {0x11}},
    {.name = "imul", .ops = {0x02}},
    {.name = "load", .ops = {0x40}},
    {.name = "fadd", .ops = {0x06}},
    {.name = "fmul", .ops = {0x03}},
    {.name = "logic", .ops = {0x07}},
    {.name = "vshift", .ops = {0x03}},
    {.name = "shuffle", .ops = {0x04}},
    {.name = "zero_zmm"},
    {.name = "fma_zmm", .ops = {0x05}},
    {.name = "shift_zmm", .ops = {0x01}},
    {.name = "shuffle_zmm", .ops = {0x04}},
    {.name = "logic_zmm", .ops = {0x05}},
    {.name = "load_zmm", .ops = {0x40}},
};

/* The same vectors while one of 512 bits is about. */
static void close_port(struct pm_machine *m)
{
    static const struct {
        const char *name;
        unsigned set;
    } others[] = {{"fadd", 0x05}, {"fmul", 0x05}, {"logic", 0x05}, {"vshift", 0x01}};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        m->kinds[pm_find(m, others[i].name)].ops[0] = others[i].set;
    pm_close(m);
}

/* Two passes through units of half the width: the same ports, twice. */
static void do_twice(struct pm_machine *m)
{
    for (size_t c = 0; c < m->n; c++) {
        if (strstr(m->kinds[c].name, "_zmm") && m->kinds[c].ops[0])
            m->kinds[c].ops[1] = m->kinds[c].ops[0];
    }
    pm_close(m);
}

static void add(struct core *k, const double *counts)
{
    struct am_resources_use *const uses = k->uses[k->n];
    bool wide = false;
    size_t n = 0;

    for (size_t c = 0; c < k->narrow.n && n < USES_MAX; c++) {
        if (counts[c] > 0) {
            uses[n++] = (struct am_resources_use){.kind = c, .n = counts[c]};
            wide = wide || k->is_wide[c];
        }
    }
    k->mixes[k->n++] = (struct am_resources_mix){
        .uses = uses,
        .n = n,
        .cycles = (k->scheduled ? pm_scheduled : pm_cycles)(wide ? &k->wide : &k->narrow, counts) *
                  (1 + k->noise * pm_normal(&k->rng))};
}

static void add_random(struct core *k, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double counts[PM_KINDS] = {0};

        for (size_t left = 3 + am_rng_below(&k->rng, 5); left > 0; left--)
            counts[am_rng_below(&k->rng, k->narrow.n)] += 1 + (double)am_rng_below(&k->rng, 3);
        add(k, counts);
    }
}

static void add_pairs(struct core *k)
{
    static const double ratios[][2] = {{1, 1}, {1, 3}, {3, 1}};

    for (size_t a = 0; a < k->narrow.n; a++) {
        for (size_t b = 0; b < a; b++) {
            for (size_t i = 0; i < 3; i++) {
                double counts[PM_KINDS] = {0};

                counts[a] = ratios[i][0];
                counts[b] = ratios[i][1];
                add(k, counts);
            }
        }
    }
}

/* Measures the core as cpu.ports and cpu.mix do. */
static void measure(struct core *k, double noise, bool scheduled, uint64_t seed)
{
    k->noise = noise;
    k->scheduled = scheduled;
    am_rng_seed(&k->rng, seed, 3);
    for (size_t c = 0; c < k->narrow.n; c++) {
        double counts[PM_KINDS] = {0};

        k->is_wide[c] = strstr(k->narrow.kinds[c].name, "_zmm") != NULL;
        counts[c] = 1;
        k->alone[c] = pm_cycles(k->is_wide[c] ? &k->wide : &k->narrow, counts);
        k->alone_wide[c] = pm_cycles(&k->wide, counts);
        add(k, counts);
    }
    add_pairs(k);
    add_random(k, RANDOM);
}

static void fit(const struct core *k, struct am_arena *arena, struct am_resources_model *out)
{
    const struct am_resources_input input = {.kinds = k->narrow.n,
                                             .alone = k->alone,
                                             .alone_wide = k->alone_wide,
                                             .wide = k->is_wide,
                                             .mixes = k->mixes,
                                             .n = k->n,
                                             .noise = fmax(k->noise, 0.005)};

    if (!am_resources_fit_ports(&input, arena, out))
        abort();
}

/* Mean error on mixes that were not fitted: those with a wide class, or the others. */
static double unseen_error(struct core *k, const struct am_resources_model *model, bool wide)
{
    const size_t first = k->n;
    double sum = 0;
    size_t n = 0;

    k->noise = 0;
    add_random(k, UNSEEN);
    for (size_t i = first; i < k->n; i++) {
        const struct am_resources_mix *const mix = &k->mixes[i];
        bool has = false;

        for (size_t c = 0; c < mix->n; c++)
            has = has || k->is_wide[mix->uses[c].kind];
        if (has != wide)
            continue;
        sum += fabs(am_resources_cycles(model, mix->uses, mix->n, NULL) / mix->cycles - 1);
        n++;
    }
    k->n = first;
    return n ? sum / (double)n : NAN;
}

static struct core *new_core(void)
{
    struct core *const k = calloc(1, sizeof(*k));

    if (!k)
        abort();
    k->narrow.width = 6;
    memcpy(k->narrow.kinds, closing_narrow, sizeof(closing_narrow));
    pm_close(&k->narrow);
    return k;
}

static void check_closing(double noise, bool scheduled)
{
    struct core *const k = new_core();
    struct am_arena arena = {NULL};
    struct am_resources_model model;
    double wide, narrow;

    k->wide = k->narrow;
    close_port(&k->wide);
    measure(k, noise, scheduled, 5);
    fit(k, &arena, &model);
    ok(model.beside_wide != NULL, "a closed port is found (noise %.1f %%, %s)", 100 * noise,
       scheduled ? "as a core schedules" : "ideal");
    wide = unseen_error(k, &model, true);
    narrow = unseen_error(k, &model, false);
    ok(wide < 0.015 + noise + 0.03 * scheduled && narrow < 0.015 + noise + 0.03 * scheduled,
       "unseen mixes are missed by %.1f %% with wide vectors, %.1f %% without", 100 * wide,
       100 * narrow);
    am_arena_fini(&arena);
    free(k);
}

/* Wide vectors that only take longer, or are as others: the ports stay what they are. */
static void check_not_closing(bool twice, double noise, bool scheduled)
{
    struct core *const k = new_core();
    struct am_arena arena = {NULL};
    struct am_resources_model model;
    double wide;

    if (twice)
        do_twice(&k->narrow);
    k->wide = k->narrow;
    measure(k, noise, scheduled, 6);
    fit(k, &arena, &model);
    ok(!model.beside_wide, "none is invented: wide vectors %s (noise %.1f %%, %s)",
       twice ? "in two passes" : "like others", 100 * noise,
       scheduled ? "as a core schedules" : "ideal");
    wide = unseen_error(k, &model, true);
    ok(wide < 0.015 + noise + 0.03 * scheduled, "unseen mixes are missed by %.1f %%", 100 * wide);
    am_arena_fini(&arena);
    free(k);
}

/* Cores that nobody has built, the last classes of which are wide: with all ports as they are, and
 * with one that is closed to the first classes, where that changes anything. */
static void check_random(uint64_t seed, bool closes)
{
    enum { KINDS = 16, WIDE = 12 };
    struct core *const k = calloc(1, sizeof(*k));
    struct am_arena arena = {NULL};
    struct am_resources_model model;
    struct am_rng rng;
    double gain = 0;

    if (!k)
        abort();
    am_rng_seed(&rng, seed, 4);
    pm_random(&k->narrow, KINDS, &rng);
    for (size_t c = WIDE; c < KINDS; c++)
        k->narrow.kinds[c].name = "class_zmm";
    k->wide = k->narrow;
    for (size_t c = 1; closes && c < WIDE; c++) {
        const unsigned left = k->wide.kinds[c].ops[0] & ~1u;

        k->wide.kinds[c].ops[0] = left ? left : k->wide.kinds[c].ops[0];
    }
    pm_close(&k->wide);
    measure(k, 0.005, true, seed);
    fit(k, &arena, &model);
    for (size_t i = 0; i < k->n; i++) {
        double counts[PM_KINDS] = {0};
        bool wide = false;

        for (size_t c = 0; c < k->mixes[i].n; c++) {
            counts[k->mixes[i].uses[c].kind] = k->mixes[i].uses[c].n;
            wide = wide || k->is_wide[k->mixes[i].uses[c].kind];
        }
        if (wide)
            gain += pm_cycles(&k->wide, counts) / pm_cycles(&k->narrow, counts) - 1;
    }
    gain /= (double)k->n;
    ok(model.beside_wide ? closes : gain < 0.03,
       "seed %llu: %s, which makes mixes %.1f %% longer in the mean: %s", (unsigned long long)seed,
       closes ? "a port is closed" : "no port is closed", 100 * gain,
       model.beside_wide ? "found" : "not found");
    am_arena_fini(&arena);
    free(k);
}

int main(void)
{
    check_closing(0, false);
    check_closing(0.01, false);
    check_closing(0.005, true);
    check_not_closing(false, 0, false);
    check_not_closing(false, 0.01, true);
    check_not_closing(true, 0.005, false);
    check_not_closing(true, 0.01, true);
    for (uint64_t seed = 1; seed <= 8; seed++) {
        check_random(seed, true);
        check_random(seed, false);
    }
    return tap_done();
}
