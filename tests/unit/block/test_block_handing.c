/* SPDX-License-Identifier: MIT */
/* Loops on made-up cores that hand out no more than so many instructions of a kind per cycle: rows
 * of one kind hold up what is behind them. */
#include "core_fixture.h"
#include "tap.h"

#include <math.h>

enum { ROW = 16, KINDS = 3, N = ROW * KINDS };

static const struct cx_form forms[] = {
    {"xor_r32_zero", -1, {1.0 / 6, 0, 0, 0}},
    {"add_r64", 1, {1.0 / 6, 0.25, 0, 0}},
    {"vmovups_xmm_m128", -1, {1.0 / 6, 0, 0.5, 0}},
    {"vunpcklpd_xmm", 1, {1.0 / 6, 0, 0, 0.5}},
    {.name = NULL},
};
static const char *resources[] = {"front", "alu", "vload", "shuffle"};

static struct am_insn instruction(size_t kind, size_t i)
{
    static const char *const names[KINDS] = {"vmovups", "add", "vunpcklpd"};
    const uint64_t general = UINT64_C(1) << (AM_REG_GENERAL + i % 8);
    const uint64_t vector = UINT64_C(1) << (AM_REG_VECTOR + i % 8);

    return (struct am_insn){.arch = AM_ARCH_X86_64,
                            .mnemonic = names[kind],
                            .text = names[kind],
                            .reads = kind == 1 ? general : 0,
                            .writes = kind == 1 ? general : vector,
                            .general_bits = kind == 1 ? 64 : 0,
                            .to_general = kind == 1,
                            .vector_bits = kind == 1 ? 0 : 128,
                            .to_vector = kind != 1,
                            .from_vector = kind == 2,
                            .loads = kind == 0,
                            .memory_bits = kind == 0 ? 128 : 0,
                            .vex = kind != 1,
                            .memory = {.base = AM_REG_COUNT, .index = AM_REG_COUNT}};
}

/* Loads, additions and shuffles, as many of each: in rows, or one after the other by turns. */
static double predicted(struct cx_core *c, bool rows)
{
    struct am_insn items[N];
    const struct am_insns insns = {.items = items, .n = N};
    const struct am_loop loop = {.first = 0, .last = N - 1};
    struct am_predicted out;

    for (size_t i = 0; i < N; i++)
        items[i] = rows ? instruction(i / ROW, i % ROW) : instruction(i % KINDS, i / KINDS);
    if (!am_loop_predict(&c->incore, &insns, &loop, &c->run.arena, &out))
        abort();
    return out.cycles;
}

/* Measured on a Zen 4: 10.99 in rows, 8.04 by turns. */
int main(void)
{
    struct cx_core c = {.incore = {.window = 0}};

    cx_make(&c, forms, resources, 4, 0);
    cx_settle(&c);
    c.incore.window = 300;
    ok(fabs(predicted(&c, true) - 8) < 0.1 && fabs(predicted(&c, false) - 8) < 0.1,
       "a core without such limits takes 8 cycles in any order (%.2f, %.2f)", predicted(&c, true),
       predicted(&c, false));
    c.incore.handed[AM_MIX_ROW_operations] = 4;
    c.incore.handed[AM_MIX_ROW_loads] = 4;
    c.incore.handed[AM_MIX_ROW_vector_loads] = 3;
    ok(fabs(predicted(&c, true) - 11) < 0.5, "rows of loads and of additions take longer: %.2f",
       predicted(&c, true));
    ok(fabs(predicted(&c, false) - 8) < 0.1, "by turns they do not: %.2f", predicted(&c, false));
    c.incore.window = 0;
    ok(fabs(predicted(&c, true) - 8) < 0.1, "without a window nothing is played");
    am_arena_fini(&c.run.arena);
    return tap_done();
}
