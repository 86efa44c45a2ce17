/* SPDX-License-Identifier: MIT */
/* The instruction catalogue: every form that this machine has runs, repeats itself and keeps its
 * values; chains that a few lines of C can follow end where those end. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/instr.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The fault of a kernel after `loops` passes, NULL when there is none. */
static const char *kernel_fault(am_instr_fn *fn, enum am_instr_domain domain, uint64_t loops)
{
    static struct am_instr_regs regs, first;
    const char *fault;

    am_instr_fill(&regs, domain);
    if (!am_instr_fault(&regs, domain))
        return "it is not noticed that nothing ran";
    fn(&regs, loops);
    fault = am_instr_fault(&regs, domain);
    if (fault)
        return fault;
    first = regs;
    am_instr_fill(&regs, domain);
    fn(&regs, loops);
    return memcmp(first.out, regs.out, sizeof(regs.out)) == 0 ? NULL : "it does not repeat itself";
}

static const char *form_fault(const struct am_instr *form)
{
    static const uint64_t loops[] = {1, 2, 1024};
    const char *fault = NULL;

    for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]) && !fault; i++) {
        fault = kernel_fault(form->chain, form->domain, loops[i]);
        if (!fault)
            fault = kernel_fault(form->free, form->domain, loops[i]);
        if (!fault && form->extra)
            fault = kernel_fault(form->extra, form->domain, loops[i]);
    }
    return fault;
}

static void check_category(const char *category)
{
    size_t ran = 0, absent = 0, bad = 0;

    for (const struct am_instr *form = am_instrs; form->name; form++) {
        const char *fault;

        if (strcmp(form->category, category) != 0)
            continue;
        if (am_instr_why_not(form->name)) {
            absent++;
            continue;
        }
        guarded_charge(form->name);
        fault = form_fault(form);
        ran++;
        bad += fault != NULL;
        if (fault)
            kcheck_report(false, "instr %s: %s", form->name, fault);
    }
    kcheck_report(bad == 0 && ran + absent > 0,
                  "instr %s: %zu forms run and keep their values, %zu are not of this machine",
                  category, ran, absent);
}

static uint64_t rotate_right(uint64_t x, unsigned by)
{
    return x >> by | x << (64 - by);
}

/* One step of a chain: x is the chain, o the operands. */
static uint64_t step_add(uint64_t x, const uint64_t *o)
{
    return x + o[0];
}

static uint64_t step_mul(uint64_t x, const uint64_t *o)
{
    return x * o[0];
}

static uint64_t step_xor(uint64_t x, const uint64_t *o)
{
    return x ^ o[0];
}

static uint64_t step_ror(uint64_t x, const uint64_t *o)
{
    (void)o;
    return rotate_right(x, 7);
}

static uint64_t step_not_and(uint64_t x, const uint64_t *o)
{
    return ~x & o[0];
}

static uint64_t step_and_not(uint64_t x, const uint64_t *o)
{
    return x & ~o[0];
}

static uint64_t step_scaled(uint64_t x, const uint64_t *o)
{
    return o[0] + 8 * x + 40;
}

static uint64_t step_shifted(uint64_t x, const uint64_t *o)
{
    return o[0] + 8 * x;
}

static uint64_t step_madd(uint64_t x, const uint64_t *o)
{
    return x * o[0] + o[1];
}

static uint64_t step_swap(uint64_t x, const uint64_t *o)
{
    (void)o;
    return __builtin_bswap64(x);
}

static uint64_t step_count(uint64_t x, const uint64_t *o)
{
    (void)o;
    return (uint64_t)__builtin_popcountll(x);
}

/* Names of both architectures: those of the other are not found. */
static const struct {
    const char *name;
    uint64_t (*step)(uint64_t x, const uint64_t *operands);
} followed[] = {
    {"add_r64", step_add},      {"imul_r64", step_mul},
    {"xor_r64", step_xor},      {"ror_r64", step_ror},
    {"andn_r64", step_not_and}, {"lea_r64_scaled", step_scaled},
    {"bswap_r64", step_swap},   {"popcnt_r64", step_count},
    {"add_x", step_add},        {"mul_x", step_mul},
    {"eor_x", step_xor},        {"ror_x", step_ror},
    {"bic_x", step_and_not},    {"add_x_shifted", step_shifted},
    {"rev_x", step_swap},       {"madd_x", step_madd},
};

static bool follows(const struct am_instr *form, uint64_t (*step)(uint64_t, const uint64_t *),
                    uint64_t loops)
{
    struct am_instr_regs regs;
    uint64_t got, want;

    am_instr_fill(&regs, form->domain);
    want = regs.gpr;
    for (uint64_t i = 0; i < loops * AM_INSTR_CHAIN; i++)
        want = step(want, regs.operand);
    form->chain(&regs, loops);
    memcpy(&got, regs.out[0], sizeof(got));
    return got == want;
}

static bool is_first_of_category(const struct am_instr *form)
{
    for (const struct am_instr *before = am_instrs; before < form; before++) {
        if (strcmp(before->category, form->category) == 0)
            return false;
    }
    return true;
}

void kcheck_instr(void)
{
    size_t chains = 0, bad = 0;

    for (const struct am_instr *form = am_instrs; form->name; form++) {
        if (is_first_of_category(form))
            check_category(form->category);
    }
    for (size_t i = 0; i < sizeof(followed) / sizeof(followed[0]); i++) {
        const struct am_instr *const form = am_instr_find(followed[i].name);

        if (!form || am_instr_why_not(form->name))
            continue;
        chains++;
        bad += !follows(form, followed[i].step, 1) || !follows(form, followed[i].step, 3);
    }
    kcheck_report(chains >= 6 && bad == 0, "instr: %zu chains end where C says", chains);
}
