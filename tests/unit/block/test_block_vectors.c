/* SPDX-License-Identifier: MIT */
/* Loops on made-up cores that take in fewer vectors per cycle than they have slots. */
#include "core_fixture.h"
#include "tap.h"

#include <math.h>
#include <string.h>

enum { N_MAX = 16 };

static const struct cx_form forms[] = {
    {"xor_r32_zero", -1, {0.125, 0}},        {"add_r64", 1, {0.125, 0.125}},
    {"vmovups_xmm_m128", 4, {0.125, 0.125}}, {"vmovups_m128_xmm", -1, {0.125, 0.125}},
    {"vpand_xmm", 1, {0.125, 0.125}},        {.name = NULL},
};
static const char *resources[] = {"front", "units"};

/* l, s: a load and a store of a vector, v: vectors in registers, i: a sum. */
static struct am_insn instruction(char kind, size_t i)
{
    static const char *const names[] = {"vmovups", "vmovups", "vpand", "add"};
    static const char kinds[] = "lsvi";
    const size_t at = (size_t)(strchr(kinds, kind) - kinds);
    const bool vector = kind != 'i';
    const uint64_t own = UINT64_C(1) << ((vector ? AM_REG_VECTOR : AM_REG_GENERAL) + i % 8);

    return (struct am_insn){.arch = AM_ARCH_X86_64,
                            .mnemonic = names[at],
                            .text = names[at],
                            .reads = kind == 'l' || kind == 'v' ? 0 : own,
                            .writes = kind == 's' ? 0 : own,
                            .general_bits = vector ? 0 : 64,
                            .vector_bits = vector ? 128 : 0,
                            .to_general = !vector,
                            .to_vector = kind == 'l' || kind == 'v',
                            .from_vector = kind == 's' || kind == 'v',
                            .loads = kind == 'l',
                            .stores = kind == 's',
                            .memory_bits = kind == 'l' || kind == 's' ? 128 : 0,
                            .vex = vector,
                            .memory = {.base = AM_REG_COUNT, .index = AM_REG_COUNT}};
}

static struct am_predicted predict(struct cx_core *c, const char *text)
{
    struct am_insn items[N_MAX];
    const size_t n = strlen(text);
    const struct am_insns insns = {.items = items, .n = n};
    static struct am_loop loop;
    struct am_predicted out;

    loop = (struct am_loop){.first = 0, .last = n - 1};
    for (size_t i = 0; i < n; i++)
        items[i] = instruction(text[i], i);
    if (!am_loop_predict(&c->incore, &insns, &loop, &c->run.arena, &out))
        abort();
    return out;
}

static void is(struct cx_core *c, const char *text, double cycles, const char *what)
{
    const double is = predict(c, text).cycles;

    ok(fabs(is - cycles) < 0.1, "%s: %s, %.2f cycles", text, what, is);
}

int main(void)
{
    struct cx_core c = {.incore = {.window = 0}};

    cx_make(&c, forms, resources, 2, 0);
    cx_settle(&c);
    is(&c, "vvvvvvvvvvvvvvvv", 2, "sixteen vectors, as slots");
    c.incore.vectors[AM_MIX_IN_vectors] = 4;
    c.incore.vectors[AM_MIX_IN_moved_vectors] = 2;
    is(&c, "vvvvvvvvvvvvvvvv", 4, "four per cycle");
    ok(predict(&c, "vvvvvvvvvvvvvvvv").limit == AM_LIMIT_RESOURCE &&
           predict(&c, "vvvvvvvvvvvvvvvv").busiest == 0,
       "which the front end is limited by");
    is(&c, "vvvvvvvvlvvvvvvv", 8, "two where one is loaded");
    is(&c, "vvvvvvvvvvvvvvvs", 8, "or stored");
    is(&c, "iiiiiiiivvvviiii", 2, "what are no vectors counts as slots");
    c.incore.vectors[AM_MIX_IN_vectors] = 0;
    is(&c, "vvvvvvvvvvvvvvvv", 2, "without a number, as slots");
    am_arena_fini(&c.run.arena);
    return tap_done();
}
