/* SPDX-License-Identifier: MIT */
/* Loops of integers on made-up cores whose units take operations by turns, or whose schedulers do
 * so by chance. */
#include "core_fixture.h"
#include "tap.h"

#include <math.h>

enum { LONGEST = 8, UNITS = 4, PLACES = 24 };

static const struct cx_form forms[] = {
    {"xor_r32_zero", -1, {1.0 / 6, 0}},
    {"add_r64", 1, {1.0 / 6, 0.25}},
    {"cmp_r64", -1, {1.0 / 6, 0.25}},
    {.name = NULL},
};
/* Comparisons of two operations. */
static const struct cx_form doubled[] = {
    {"xor_r32_zero", -1, {1.0 / 6, 0}},
    {"add_r64", 1, {1.0 / 6, 0.25}},
    {"cmp_r64", -1, {1.0 / 6, 0.5}},
    {.name = NULL},
};
static const char *resources[] = {"front", "alu"};

/* A sum of each iteration with that of the one before; of the comparisons behind it some read it,
 * the others what is there. */
static struct am_predicted predict(const struct am_incore *core, struct am_arena *arena,
                                   size_t comparisons, unsigned readers)
{
    static struct am_insn items[LONGEST + 1];
    const struct am_insns insns = {.items = items, .n = comparisons + 1};
    static struct am_loop loop;
    struct am_predicted out;

    loop = (struct am_loop){.first = 0, .last = comparisons};
    for (size_t i = 0; i <= comparisons; i++)
        items[i] =
            (struct am_insn){.arch = AM_ARCH_X86_64,
                             .mnemonic = i ? "cmp" : "add",
                             .text = i ? "cmp" : "add",
                             .reads = UINT64_C(1) << (AM_REG_GENERAL + (i && !(readers >> i & 1))),
                             .writes = UINT64_C(1) << (i ? AM_REG_FLAGS : AM_REG_GENERAL),
                             .from_general = true,
                             .memory = {.base = AM_REG_COUNT, .index = AM_REG_COUNT}};
    if (!am_loop_predict(core, &insns, &loop, arena, &out))
        abort();
    return out;
}

/* Five operations on four units: by turns each sum has the unit of the comparison behind the sum
 * before, which is older and ready as early, until a unit's places are taken and it is passed over.
 * A Zen 4 takes 1.50 cycles, and 1.75 where all comparisons read the sum. */
static void check_chain(struct cx_core *c, unsigned readers, double measured)
{
    struct am_arena *const arena = &c->run.arena;
    struct am_predicted p;

    c->incore.turns = 0;
    p = predict(&c->incore, arena, 4, readers);
    ok(fabs(p.cycles - 1.25) < 0.02 && isnan(p.turned), "units that are all free: %.2f cycles",
       p.cycles);
    c->incore.turns = c->incore.addressing = UNITS;
    p = predict(&c->incore, arena, 4, readers);
    ok(fabs(p.free - 1.25) < 0.02 && p.cycles == p.turned && p.limit == AM_LIMIT_TURNS,
       "%.2f, and %.2f by turns", p.free, p.turned);
    ok(strcmp(am_limit_words[p.limit], "turns") == 0, "which has a word of its own for programs");
    ok(fabs(p.cycles / measured - 1) < 0.15 && p.hi >= p.turned - 1e-9,
       "%.3f cycles are predicted, %.2f were measured", p.cycles, measured);
    c->incore.places = 2000;
    p = predict(&c->incore, arena, 4, readers);
    ok(fabs(p.turned - 2) < 0.02, "%.2f where no unit is ever passed over", p.turned);
    c->incore.places = PLACES;
    c->incore.turns = UNITS + 1;
    p = predict(&c->incore, arena, 4, readers);
    ok(isnan(p.turned) && fabs(p.cycles - 1.25) < 0.02,
       "turns of more units than sums go to say nothing");
    c->incore.turns = 0;
}

/* Four operations have a unit each, and what does not read the sum is in nobody's way. */
static void check_apart(struct cx_core *c)
{
    struct am_arena *const arena = &c->run.arena;
    struct am_predicted p;

    c->incore.turns = c->incore.addressing = UNITS;
    p = predict(&c->incore, arena, 3, 2 | 4 | 8);
    ok(fabs(p.cycles - 1) < 0.02, "four operations: %.2f cycles", p.cycles);
    p = predict(&c->incore, arena, 4, 4 | 8);
    ok(fabs(p.turned - 1.25) < 0.02, "readers that have other units: %.2f cycles", p.turned);
    c->incore.turns = 0;
}

/* A core whose units take operations by turns. */
static void make_turning(struct cx_core *c, const struct cx_form *known)
{
    cx_make(c, known, resources, 2, 0);
    cx_settle(c);
    c->incore.window = 320;
    c->incore.turns = c->incore.addressing = UNITS;
    c->incore.places = PLACES;
}

/* What has several operations is in nobody's way, and takes as long as units allow. */
static void check_several(void)
{
    struct cx_core c = {.incore = {.window = 0}};
    struct am_predicted p;

    make_turning(&c, doubled);
    p = predict(&c.incore, &c.run.arena, 4, 2 | 4 | 8);
    ok(fabs(p.free - 2.25) < 0.02 && fabs(p.cycles - p.free) < 0.02,
       "comparisons of two operations: %.2f cycles", p.cycles);
    am_arena_fini(&c.run.arena);
}

/* A clock that is off by a percent makes no other latencies: a sum of 1.0006 cycles would miss its
 * turn by a cycle. */
static void check_clock(double latency, double meant)
{
    const struct cx_form off[] = {forms[0], {"add_r64", latency, {1.0 / 6, 0.25}}, forms[2], {0}};
    struct cx_core c = {.incore = {.window = 0}};
    struct am_predicted p;

    make_turning(&c, off);
    p = predict(&c.incore, &c.run.arena, 4, 4 | 8);
    ok(am_incore_way(&c.incore, "add_r64")->latency == meant, "%g cycles are %g", latency, meant);
    ok(meant != 1 || fabs(p.cycles - 1.25) < 0.02, "and the loop takes %.2f", p.cycles);
    am_arena_fini(&c.run.arena);
}

/* ---- by chance ---- */

enum { SIX = 6, HALVES = 2, WIDTH = 8 };

static const struct cx_form six[] = {
    {"xor_r32_zero", -1, {1.0 / WIDTH, 0}},
    {"add_r64", 1, {1.0 / WIDTH, 1.0 / SIX}},
    {"cmp_r64", -1, {1.0 / WIDTH, 1.0 / SIX}},
    {.name = NULL},
};

/* A core on which sums that wait for sums take `longer` than comparisons that wait for nothing. */
static void make_waiting(struct cx_core *c, double free, double longer)
{
    cx_make(c, six, resources, 2, 0);
    cx_settle(c);
    c->incore.window = 440;
    c->incore.width = WIDTH;
    c->incore.forms[1].alone.value = longer * free;
    c->incore.forms[2].alone.value = free;
}

/* Two schedulers of three units each: a Zen 5 takes 1.26, 1.50 and 1.72 cycles for a sum, three to
 * five comparisons that read it, and the decrement. What meets two others at most is never late. */
static void check_halves(void)
{
    struct cx_core c = {.incore = {.window = 0}};
    struct am_arena *const arena = &c.run.arena;
    struct am_predicted p;

    make_waiting(&c, 1.0 / SIX, 1.13);
    p = predict(&c.incore, arena, 4, 2 | 4 | 8 | 16);
    ok(fabs(p.cycles - 1) < 0.02 && isnan(p.turned), "units that are all free: %.2f", p.cycles);
    am_incore_read_schedulers(&c.incore, arena);
    ok(c.incore.schedulers == HALVES, "sums of 1.13 show two schedulers (%u)", c.incore.schedulers);
    p = predict(&c.incore, arena, 4, 2 | 4 | 8 | 16);
    ok(p.cycles > 1.25 && p.cycles < 1.5 && p.cycles == p.turned && p.limit == AM_LIMIT_TURNS &&
           fabs(p.free - 1) < 0.02 && p.hi >= p.turned - 1e-9,
       "four readers of a sum: %.2f, %.2f if all units were free", p.cycles, p.free);
    p = predict(&c.incore, arena, 2, 2 | 4);
    ok(fabs(p.cycles - 1) < 1e-6, "two readers are in nobody's way: %.3f", p.cycles);
    p = predict(&c.incore, arena, 4, 0);
    ok(fabs(p.cycles - 1) < 0.05, "nor is what waits for nothing: %.3f", p.cycles);
    c.incore.schedulers = 4;
    p = predict(&c.incore, arena, 4, 2 | 4 | 8 | 16);
    ok(isnan(p.turned) || p.turned == 0, "six units are no four schedulers");
    am_arena_fini(arena);
}

/* How many schedulers sums show that take so much longer than what waits for nothing. */
static unsigned shown(double free, double longer, unsigned turns, double window)
{
    struct cx_core c = {.incore = {.window = 0}};
    unsigned n;

    make_waiting(&c, free, longer);
    c.incore.turns = turns;
    c.incore.window = window;
    am_incore_read_schedulers(&c.incore, &c.run.arena);
    n = c.incore.schedulers;
    am_arena_fini(&c.run.arena);
    return n;
}

static void check_shown(void)
{
    ok(shown(1.0 / SIX, 1.065, 0, 440) == 0,
       "sums a little longer, which free units explain as well, show none");
    ok(shown(1.0 / SIX, 1.11, 0, 440) == 2 && shown(1.0 / SIX, 1.2, 0, 440) == 3,
       "two schedulers of three units, three of two");
    ok(shown(1.0 / SIX, 1, 0, 440) == 0 && shown(1.0 / SIX, 1.02, 0, 440) == 0,
       "sums that take as long as all else show none");
    ok(shown(1.0 / SIX, 1.8, 0, 440) == 0, "nor do those that no number explains");
    ok(shown(1.0 / 5, 1.15, 0, 440) == 0, "five units have no halves");
    ok(shown(1.0 / SIX, 1.11, UNITS, 440) == 0, "turns are known better");
    ok(shown(1.0 / SIX, 1.11, 0, 0) == 0, "without a window nothing is played");
    ok(shown(NAN, 1.11, 0, 440) == 0, "nothing is said of what was not measured");
}

int main(void)
{
    struct cx_core c = {.incore = {.window = 0}};

    cx_make(&c, forms, resources, 2, 0);
    cx_settle(&c);
    c.incore.window = 320;
    c.incore.places = PLACES;
    check_chain(&c, 2, 1.5);
    check_chain(&c, 2 | 4 | 8, 1.75);
    check_apart(&c);
    am_arena_fini(&c.run.arena);
    check_several();
    check_clock(0.9993, 1);
    check_clock(1.0006, 1);
    check_clock(1.015, 1);
    check_clock(1.5, 1.5);
    check_halves();
    check_shown();
    return tap_done();
}
