/* SPDX-License-Identifier: MIT */
/* Loops of loads and stores on made-up cores that give them to units of memory by turns, and loops
 * of vectors on cores that take in fewer of these than slots. */
#include "core_fixture.h"
#include "tap.h"

#include <math.h>
#include <string.h>

enum { REPEATED = 4, N_MAX = 64 };

static const struct cx_form forms[] = {
    {"xor_r32_zero", -1, {0.125, 0, 0, 0}},      {"add_r64", 1, {0.125, 0, 0, 0}},
    {"mov_r64_m64_row", 4, {0.125, 0.25, 0, 0}}, {"vmovups_xmm_m128", 4, {0.125, 0.25, 0.5, 0}},
    {"mov_m64_r64", -1, {0.125, 0, 0, 0.5}},     {.name = NULL},
};
static const char *resources[] = {"front", "load", "vload", "store"};

/* v: a load of a vector, i: of a general register, s: a store of one. */
static struct am_insn instruction(char kind, size_t i)
{
    const bool vector = kind == 'v';

    return (struct am_insn){
        .arch = AM_ARCH_X86_64,
        .mnemonic = vector ? "vmovups" : "mov",
        .text = "",
        .reads = kind == 's' ? UINT64_C(1) << AM_REG_GENERAL : 0,
        .writes = kind == 's'
                      ? 0
                      : UINT64_C(1) << ((vector ? AM_REG_VECTOR : AM_REG_GENERAL + 1) + i % 6),
        .general_bits = vector ? 0 : 64,
        .vector_bits = vector ? 128 : 0,
        .to_general = kind == 'i',
        .to_vector = vector,
        .from_vector = kind == 'a',
        .from_general = kind == 's',
        .loads = kind == 'v' || kind == 'i',
        .stores = kind == 's',
        .memory_bits = vector ? 128 : 64,
        .vex = vector,
        .memory = {.base = AM_REG_COUNT, .index = AM_REG_COUNT}};
}

/* Cycles of the loop per so many times the text. */
static struct am_predicted predict(struct cx_core *c, const char *text)
{
    struct am_insn items[N_MAX];
    const size_t length = strlen(text), n = REPEATED * length;
    const struct am_insns insns = {.items = items, .n = n};
    static struct am_loop loop;
    struct am_predicted out;

    loop = (struct am_loop){.first = 0, .last = n - 1};
    for (size_t i = 0; i < n; i++)
        items[i] = instruction(text[i % length], i);
    if (!am_loop_predict(&c->incore, &insns, &loop, &c->run.arena, &out))
        abort();
    return out;
}

static double cycles_of(struct cx_core *c, const char *text)
{
    return predict(c, text).cycles / REPEATED;
}

static void is(struct cx_core *c, const char *text, double cycles, const char *what)
{
    const double is = cycles_of(c, text);

    ok(fabs(is - cycles) < 0.1, "%s: %s, %.2f cycles", text, what, is);
}

/* Measured on a Zen 5: vvss 1.41, vvvvss 2.42, vvvvssss 2.8, vs 0.56, vvs 0.99. */
static void check_turns(struct cx_core *c)
{
    struct am_predicted p;

    is(c, "vvss", 1, "units that are free are shared");
    ok(isnan(predict(c, "vvss").turned), "and nothing is played by turns");
    c->incore.memory = (struct am_incore_memory){4, 2, true, true};
    is(c, "vvss", 1.5, "of two stores one goes to a unit of vectors");
    is(c, "vvii", 1.5, "and so of two loads");
    is(c, "vvvvss", 2.5, "however many vectors are before them");
    is(c, "vvvvssss", 3, "of four two");
    is(c, "vs", 0.5, "one alone goes to the next unit");
    is(c, "vvs", 1, "and so behind two vectors");
    p = predict(c, "vvss");
    ok(p.limit == AM_LIMIT_TURNS && fabs(p.free / REPEATED - 1) < 0.1 && p.cycles == p.turned,
       "it is told as turns, and what free units would take");
    c->incore.memory.stores = false;
    is(c, "vvss", 1, "stores that take no turns");
    is(c, "vvii", 1.5, "change nothing of loads");
    c->incore.memory = (struct am_incore_memory){4, 2, false, true};
    is(c, "vvss", 1, "where the units of vectors lie beside one another, two go to the others");
    is(c, "vss", 1, "and one in three does not");
    c->incore.memory = (struct am_incore_memory){0};
}

int main(void)
{
    struct cx_core c = {.incore = {.window = 0}};

    cx_make(&c, forms, resources, 4, 0);
    cx_settle(&c);
    c.incore.window = 400;
    check_turns(&c);
    am_arena_fini(&c.run.arena);
    return tap_done();
}
