/* SPDX-License-Identifier: MIT */
/* Kernels of cpu.operand and cpu.idiom: each runs and computes what it says; AArch64's under qemu.
 */
#include "kernels/path/path.h"
#include "tap.h"

static void check_paths(void)
{
    for (const struct am_path *p = am_paths; p->name; p++) {
        struct am_instr_regs regs;
        const char *const why_not = am_path_why_not(p->name);
        const char *fault;

        if (why_not) {
            ok(true, "%s # SKIP %s", p->name, why_not);
            continue;
        }
        am_path_fill(&regs, p->domain);
        fault = am_path_fault(&regs, p->domain);
        ok(fault && strstr(fault, "nothing was stored"), "%s has not run yet", p->name);
        p->chain(&regs, 3);
        fault = am_path_fault(&regs, p->domain);
        ok(!fault && strchr(p->name, '.') && p->steps >= 96, "%s runs %s", p->name,
           fault ? fault : "");
    }
}

/* Constants end as zeros or ones; copies change no product. */
static void check_idiom(const struct am_idiom *i)
{
    struct am_instr_regs with, without;
    size_t same = 0, constant = 0;

    am_path_fill(&with, i->domain);
    am_path_fill(&without, i->domain);
    i->alone(&with, 2);
    i->unit(&without, 2);
    ok(!am_path_fault(&with, AM_INSTR_I) && !am_path_fault(&without, AM_INSTR_I), "%s runs",
       i->name);
    if (!i->behind)
        return;
    for (size_t b = 0; b < 8; b++)
        constant += with.out[0][b] == 0 || with.out[0][b] == 0xff;
    am_path_fill(&with, i->domain);
    am_path_fill(&without, i->domain);
    i->behind(&with, 1);
    i->products(&without, 1);
    for (size_t b = 0; b < 8; b++)
        same += with.out[0][b] == without.out[0][b];
    if (i->kind == AM_IDIOM_CONSTANT && !strstr(i->name, "and_") && !strstr(i->name, "por_") &&
        !strstr(i->name, "r16"))
        ok(constant == 8, "%s leaves nothing of its operands", i->name);
    if (i->kind == AM_IDIOM_COPY &&
        (strstr(i->name, "mov_r64") || strstr(i->name, "_xmm") || strstr(i->name, "_ymm") ||
         strstr(i->name, "mov_x") || strstr(i->name, "mov_16b")))
        ok(same == 8, "%s changes no product", i->name);
}

static void check_idioms(void)
{
    for (const struct am_idiom *i = am_idioms; i->name; i++) {
        if (!am_idiom_why_not(i->name))
            check_idiom(i);
        ok((i->kind == AM_IDIOM_PAIR) == !i->behind && !i->behind == !i->products,
           "%s has all kernels of its kind", i->name);
    }
}

/* A wrong end is noticed: of zeros, and of addresses. */
static void check_faults(void)
{
    struct am_instr_regs regs;

    for (const struct am_path *p = am_paths; p->name; p++) {
        if ((p->domain != AM_INSTR_Z && p->domain != AM_INSTR_A) || am_path_why_not(p->name))
            continue;
        am_path_fill(&regs, p->domain);
        p->chain(&regs, 1);
        regs.out[0][3] ^= 1;
        ok(am_path_fault(&regs, p->domain) != NULL, "a bit of %s's end is noticed", p->name);
    }
    ok(strstr(am_path_why_not("nonsense"), "no such path") &&
           strstr(am_idiom_why_not("nonsense"), "no such idiom"),
       "what there is none of is refused");
}

int main(void)
{
    check_paths();
    check_idioms();
    check_faults();
    return tap_done();
}
