/* SPDX-License-Identifier: MIT */
/* Loops of vectors on made-up cores: long chains fill the places where operations wait, and 512-bit
 * vectors may find other ports than narrower ones. */
#include "core_fixture.h"
#include "tap.h"

#include <math.h>

enum { LONGEST = 80 };

static const struct cx_form forms[] = {
    {"xor_r32_zero", -1, {1.0 / 6, 0}},
    {"vmulpd_ymm", 4, {1.0 / 6, 0.5}},
    {"vmulpd_zmm", 4, {1.0 / 6, 0.5}},
    {.name = NULL},
};
static const char *resources[] = {"front", "fmul"};

/* A product that begins a chain, and so many that each wait for the one before. */
static struct am_predicted predict(const struct am_incore *core, struct am_arena *arena,
                                   size_t links, unsigned bits)
{
    static struct am_insn items[LONGEST + 1];
    const struct am_insns insns = {.items = items, .n = links + 1};
    static struct am_loop loop;
    struct am_predicted out;

    loop = (struct am_loop){.first = 0, .last = links};
    for (size_t i = 0; i <= links; i++)
        items[i] = (struct am_insn){.arch = AM_ARCH_X86_64,
                                    .mnemonic = "vmulpd",
                                    .text = "vmulpd",
                                    .reads = i ? UINT64_C(1) << AM_REG_VECTOR : 0,
                                    .writes = UINT64_C(1) << AM_REG_VECTOR,
                                    .vector_bits = bits,
                                    .to_vector = true,
                                    .from_vector = true,
                                    .vex = true,
                                    .memory = {.base = AM_REG_COUNT, .index = AM_REG_COUNT}};
    if (!am_loop_predict(core, &insns, &loop, arena, &out))
        abort();
    return out;
}

/* Measured on a Golden Cove, which has 97 such places and 500 in its window: 29.8, 64.5 and 95.6
 * cycles of 40, 64 and 80 links. Ports allow 20.5, 32.5 and 40.5. */
static void check_waiting(struct cx_core *c)
{
    static const struct {
        size_t links;
        double cycles;
    } measured[] = {{40, 29.8}, {64, 64.5}, {80, 95.6}};
    struct am_arena *const arena = &c->run.arena;

    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
        const size_t links = measured[i].links;
        double without, with, many;

        c->incore.window = 500;
        c->incore.waiting = 0;
        without = predict(&c->incore, arena, links, 256).cycles;
        c->incore.waiting = 97;
        with = predict(&c->incore, arena, links, 256).cycles;
        c->incore.waiting = 1000;
        many = predict(&c->incore, arena, links, 256).cycles;
        ok(fabs(with / measured[i].cycles - 1) < 0.05,
           "%zu links take %.1f cycles with 97 places to wait in (measured: %.1f)", links, with,
           measured[i].cycles);
        ok(without < 0.9 * with && fabs(many / without - 1) < 1e-9,
           "%.1f without that limit, or with more places than the window has", without);
    }
    c->incore.window = c->incore.waiting = 0;
}

/* Beside 512-bit vectors the same class has one port less. */
static void check_beside(struct cx_core *c)
{
    struct am_arena *const arena = &c->run.arena;
    struct am_resources_weight *const w = am_arena_array(arena, c->incore.n_kinds * 2, sizeof(*w));
    struct am_incore wide = c->incore;
    struct am_predicted p;

    for (size_t i = 0; i < c->incore.n_kinds * 2; i++) {
        w[i] = c->incore.model.weights[i];
        w[i].value *= i % 2 ? 2 : 1;
    }
    wide.model.weights = w;
    c->incore.beside_wide = &wide;
    p = predict(&c->incore, arena, 8, 256);
    ok(!p.wide && p.core == &c->incore && fabs(p.throughput - 4.5) < 1e-9,
       "a loop without them has the ports of all: %.1f cycles", p.throughput);
    p = predict(&c->incore, arena, 8, 512);
    ok(p.wide && p.core == &wide && fabs(p.throughput - 9) < 1e-9,
       "a loop with them has fewer: %.1f cycles", p.throughput);
    c->incore.beside_wide = NULL;
    p = predict(&c->incore, arena, 8, 512);
    ok(p.wide && p.core == &c->incore && fabs(p.throughput - 4.5) < 1e-9,
       "on a core that closes none, the same: %.1f cycles", p.throughput);
}

int main(void)
{
    struct cx_core c = {.incore = {.window = 0}};

    cx_make(&c, forms, resources, 2, 0);
    cx_settle(&c);
    check_waiting(&c);
    check_beside(&c);
    am_arena_fini(&c.run.arena);
    return tap_done();
}
