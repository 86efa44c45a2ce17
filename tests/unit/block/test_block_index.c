/* SPDX-License-Identifier: MIT */
/* Loads in a chain through their base or their index, on a made-up core where these differ. */
#include "core_fixture.h"
#include "tap.h"

#include <math.h>

enum { POINTER = 1, INDEX = 2, OTHER = 3, LOAD = 4 };

static const struct cx_form forms[] = {
    {"mov_r64_m64", LOAD, {1.0 / 6, 0.5}},
    {"ldr_x", LOAD, {1.0 / 6, 0.5}},
    {"mov_r64_m64_row", -1, {1.0 / 6, 0.5}},
    {"ldr_x_row", -1, {1.0 / 6, 0.5}},
    {.name = NULL},
};
static const char *resources[] = {"front", "load"};

/* A load into one of the registers of its address. */
static const struct load {
    const char *what;
    enum am_arch arch;
    unsigned base, index, scale, to, parts;
    double operands; /* cycles, where cpu.operand was measured */
} loads[] = {
    {"through its base", AM_ARCH_X86_64, POINTER, AM_REG_COUNT, 1, POINTER, 1, LOAD},
    {"through a base beside a scaled index", AM_ARCH_X86_64, POINTER, INDEX, 8, POINTER, 2, LOAD},
    {"through an index, of two parts", AM_ARCH_X86_64, POINTER, INDEX, 1, INDEX, 2, LOAD},
    {"through an index, of three parts", AM_ARCH_X86_64, POINTER, INDEX, 1, INDEX, 3, LOAD + 1},
    {"through a scaled index", AM_ARCH_X86_64, POINTER, INDEX, 8, INDEX, 2, LOAD + 2},
    {"through a scaled index without base", AM_ARCH_X86_64, AM_REG_COUNT, INDEX, 8, INDEX, 2,
     LOAD + 2},
    {"into another register: no chain", AM_ARCH_X86_64, POINTER, INDEX, 8, OTHER, 2, 0},
    {"through its base, of AArch64", AM_ARCH_AARCH64, POINTER, AM_REG_COUNT, 1, POINTER, 1, LOAD},
    {"through an index of AArch64", AM_ARCH_AARCH64, POINTER, INDEX, 1, INDEX, 2, LOAD + 1},
    {"through a scaled index of AArch64", AM_ARCH_AARCH64, POINTER, INDEX, 8, INDEX, 2, LOAD + 2},
};

static double chain_of(struct cx_core *c, const struct load *load, double *more)
{
    const bool arm = load->arch == AM_ARCH_AARCH64;
    const uint64_t base = load->base < AM_REG_COUNT ? UINT64_C(1) << load->base : 0;
    const uint64_t index = load->index < AM_REG_COUNT ? UINT64_C(1) << load->index : 0;
    struct am_insn item = {.arch = load->arch,
                           .mnemonic = arm ? "ldr" : "mov",
                           .text = "load",
                           .shape = "x",
                           .moved = 1,
                           .writes = UINT64_C(1) << load->to,
                           .address_reads = base | index,
                           .general_bits = 64,
                           .to_general = true,
                           .loads = true,
                           .memory_bits = 64,
                           .address_parts = load->parts,
                           .address_scaled = load->scale > 1,
                           .memory = {load->base, load->index, load->scale, 0, true}};
    const struct am_insns insns = {.items = &item, .n = 1};
    const struct am_loop loop = {.first = 0, .last = 0};
    struct am_predicted out;

    if (!am_loop_predict(&c->incore, &insns, &loop, &c->run.arena, &out))
        abort();
    *more = out.lines[0].index_more;
    return out.chain;
}

static void add_path(struct cx_core *c, const char *path, double cycles)
{
    (void)rx_add(&c->run, "cpu.operand", am_arena_printf(&c->run.arena, "path=%s", path),
                 (const struct rx_metric[]){{"latency", "cycle", cycles}, {0}});
}

static void check_all(struct cx_core *c, bool measured)
{
    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        const double wanted = measured ? loads[i].operands : fmin(loads[i].operands, LOAD);
        double more;
        const double chain = chain_of(c, &loads[i], &more);

        ok(fabs(chain - wanted) < 1e-3, "a load %s takes %g cycles%s (%g)", loads[i].what, wanted,
           measured ? "" : " where nothing else was measured", chain);
        if (!measured)
            ok(more <= 0, "and is not said to take longer than others");
    }
}

/* The same additions whatever a load itself takes; none where an index is needed no later. */
static void check_core(const char *instr, double base, double index, double scaled, bool measured)
{
    struct cx_core c = {.incore = {.window = 0}};

    cx_make(&c, forms, resources, 2, 0);
    if (index > 0) {
        add_path(&c, am_arena_printf(&c.run.arena, "%s.index", instr), index);
        add_path(&c, am_arena_printf(&c.run.arena, "%s.scaled_index", instr), scaled);
    }
    if (base > 0)
        add_path(&c, am_arena_printf(&c.run.arena, "%s.base", instr), base);
    cx_settle(&c);
    check_all(&c, measured);
    am_arena_fini(&c.run.arena);
}

int main(void)
{
    check_core("mov_r64_m64", 0, 0, 0, false);
    check_core("mov_r64_m64", 4.03, 5.02, 5.97, true);
    check_core("ldr_x", 5, 6, 7, true);
    check_core("mov_r64_m64", 5, 5, 4.98, false); /* a core that needs both at once */
    check_core("mov_r64_m64", 0, 5, 6, false);    /* of the base nothing is known */
    return tap_done();
}
