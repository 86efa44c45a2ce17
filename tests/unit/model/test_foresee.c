/* SPDX-License-Identifier: MIT */
/* What a program of which only that is known what it depends on would gain on another machine: the
 * range holds every mixture of what was measured, and what is missing is said. */
#include "base/rng.h"
#include "model/foresee.h"

#include "fact_fixture.h"
#include "tap.h"

#include <math.h>

enum { MIXTURES = 200 };

/* Cycles per instruction of each kind, on both machines. */
static const struct {
    const char *where;
    double here, there;
} instructions[] = {
    {"instr=add_r64", 0.25, 0.25},
    {"instr=imul_r64", 1, 1.5},
    {"instr=mulsd_xmm", 0.5, 0.3},
    {"instr=div_r64", 20, 10},
};
enum { KINDS = sizeof(instructions) / sizeof(*instructions) };

static const double clock_here = 2e9, clock_there = 3e9;

struct bed {
    struct am_arena arena;
    struct am_facts here, there;
};

static void make_machines(struct bed *b, size_t kinds)
{
    *b = (struct bed){0};
    b->here.arena = b->there.arena = &b->arena;
    fx_fact(&b->here, "core.clock", "", "Hz", clock_here);
    fx_fact(&b->there, "core.clock", "", "Hz", clock_there);
    for (size_t i = 0; i < kinds; i++) {
        fx_fact(&b->here, "core.rate", instructions[i].where, "1/cycle", 1 / instructions[i].here);
        fx_fact(&b->there, "core.rate", instructions[i].where, "1/cycle",
                1 / instructions[i].there);
    }
    fx_fact(&b->here, "memory.bandwidth", "level=memory kernel=read threads=1", "B/s", 10e9);
    fx_fact(&b->there, "memory.bandwidth", "level=memory kernel=read threads=1", "B/s", 17e9);
    fx_fact(&b->here, "memory.bandwidth", "level=memory kernel=triad threads=1", "B/s", 10e9);
    fx_fact(&b->there, "memory.bandwidth", "level=memory kernel=triad threads=1", "B/s", 20e9);
    fx_fact(&b->here, "memory.latency", "level=memory", "s", 100e-9);
    fx_fact(&b->there, "memory.latency", "level=memory", "s", 80e-9);
    fx_fact(&b->there, "memory.bandwidth", "level=memory kernel=copy threads=1", "B/s", 1);
    fx_fact(&b->here, "memory.bandwidth", "level=l2 kernel=read threads=1", "B/s", 1);
    fx_fact(&b->there, "memory.bandwidth", "level=l2 kernel=read threads=1", "B/s", 1e9);
}

static struct am_sensitivity depends(enum am_dependence cpu, enum am_dependence cache,
                                     enum am_dependence memory)
{
    struct am_sensitivity s = {.line = "p"};

    s.on[AM_BESIDE_SHARE] = cpu;
    s.on[AM_BESIDE_CACHE] = cache;
    s.on[AM_BESIDE_MEMORY] = memory;
    return s;
}

static struct am_foresight foresee(struct bed *b, const struct am_sensitivity *s, bool known)
{
    struct am_foresight f;

    am_foresee(s, known ? &b->here : NULL, &b->there, &b->arena, &f);
    return f;
}

/* Programs of instructions in drawn shares, one after the other. */
static void test_mixtures(struct bed *b)
{
    const struct am_sensitivity core = depends(AM_DEPENDS_YES, AM_DEPENDS_NO, AM_DEPENDS_NO);
    const struct am_foresight f = foresee(b, &core, true);
    size_t inside = 0;
    struct am_rng rng;

    am_rng_seed(&rng, 7, 1);
    for (int i = 0; i < MIXTURES; i++) {
        double here = 0, there = 0;

        for (size_t k = 0; k < KINDS; k++) {
            const double share = am_rng_unit(&rng) * am_rng_unit(&rng) * am_rng_unit(&rng);

            here += share * instructions[k].here / clock_here;
            there += share * instructions[k].there / clock_there;
        }
        inside += here / there >= f.range.lo && here / there <= f.range.hi;
    }
    ok(!f.why_not && f.range.n == KINDS && inside == MIXTURES,
       "%zu of %d mixtures gain what is foreseen, %.2f to %.2f", inside, MIXTURES, f.range.lo,
       f.range.hi);
    ok(fabs(f.range.lo - 1) < 1e-9 && fabs(f.range.hi - 3) < 1e-9,
       "the range ends at what gains least and most");
    ok(f.range.least && strstr(f.range.least, "imul_r64") && strstr(f.range.most, "div_r64"),
       "and names them");
}

static void test_parts(struct bed *b)
{
    static const struct {
        enum am_dependence cpu, cache, memory;
        double lo, hi;     /* NAN: none */
        const char *words; /* of the reason, where there is one */
    } cases[] = {
        {AM_DEPENDS_YES, AM_DEPENDS_NO, AM_DEPENDS_YES, 1.25, 2, NULL},
        {AM_DEPENDS_NO, AM_DEPENDS_NO, AM_DEPENDS_NO, 1, 1, NULL},
        {AM_DEPENDS_YES, AM_DEPENDS_YES, AM_DEPENDS_NO, NAN, NAN, "share of the cache"},
        {AM_DEPENDS_YES, AM_DEPENDS_YES, AM_DEPENDS_YES, NAN, NAN, "share of the cache"},
        {AM_DEPENDS_YES, AM_DEPENDS_UNDECIDED, AM_DEPENDS_YES, NAN, NAN, "undecided"},
        {AM_DEPENDS_UNDECIDED, AM_DEPENDS_NO, AM_DEPENDS_NO, NAN, NAN, "undecided"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct am_sensitivity s = depends(cases[i].cpu, cases[i].cache, cases[i].memory);
        const struct am_foresight f = foresee(b, &s, true);

        if (cases[i].words)
            ok(f.why_not && strstr(f.why_not, cases[i].words), "case %zu: %s", i,
               f.why_not ? f.why_not : "a range");
        else
            ok(!f.why_not && fabs(f.range.lo - cases[i].lo) < 1e-9 &&
                   fabs(f.range.hi - cases[i].hi) < 1e-9,
               "case %zu: %g to %g", i, f.range.lo, f.range.hi);
    }
}

static void test_missing(void)
{
    const struct am_sensitivity core = depends(AM_DEPENDS_YES, AM_DEPENDS_NO, AM_DEPENDS_NO);
    struct am_foresight f;
    struct bed b;

    make_machines(&b, 2);
    f = foresee(&b, &core, true);
    ok(f.why_not && strstr(f.why_not, "archmeter run cpu.instr"), "too few facts: %s",
       f.why_not ? f.why_not : "a range");
    f = foresee(&b, &core, false);
    ok(f.why_not && strstr(f.why_not, "--on HERE"), "no model of this machine: %s",
       f.why_not ? f.why_not : "a range");
    am_arena_fini(&b.arena);
}

int main(void)
{
    struct bed b;

    make_machines(&b, KINDS);
    test_mixtures(&b);
    test_parts(&b);
    am_arena_fini(&b.arena);
    test_missing();
    return tap_done();
}
