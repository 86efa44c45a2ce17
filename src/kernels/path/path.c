/* SPDX-License-Identifier: MIT */
/* Kernels and tables are made from the architecture's lists, each of which is read several times;
 * the shapes of kernels are those of cpu.instr. */
#include "kernels/path/path.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include "kernels/instr_x86_64.h"
#define PATHS "kernels/path/path_x86_64.inc"
#define IDIOMS "kernels/path/idiom_x86_64.inc"
/* As long as most instructions: shorter ones come in slower, too many of them to a line. */
#define NOP "nopl 0(%%rax)"
#elif defined(__aarch64__)
#include "kernels/instr_aarch64.h"
#define PATHS "kernels/path/path_aarch64.inc"
#define IDIOMS "kernels/path/idiom_aarch64.inc"
#define NOP "nop"
#endif

/* ---- paths ---- */

#define PATH(instr, operand, dom, bank, needs, n, text)                                            \
    KERNEL(path_##instr##_##operand, bank, CHAIN_##bank(n), text)
#define PATH_TURNS(instr, operand, dom, bank, needs, text)                                         \
    KERNEL(path_##instr##_##operand, bank, FREE_##bank(1), text)
#include PATHS
#undef PATH
#undef PATH_TURNS

#define ENTRY(instr, operand, dom, need, n)                                                        \
    {.name = #instr "." #operand,                                                                  \
     .needs = need,                                                                                \
     .domain = AM_INSTR_##dom,                                                                     \
     .steps = n,                                                                                   \
     .chain = path_##instr##_##operand},
#define PATH(instr, operand, dom, bank, needs, n, text)                                            \
    ENTRY(instr, operand, dom, needs, AM_PATH_CHAIN)
#define PATH_TURNS(instr, operand, dom, bank, needs, text)                                         \
    ENTRY(instr, operand, dom, needs, AM_PATH_FREE)
const struct am_path am_paths[] = {
#include PATHS
    {.name = NULL},
};
#undef PATH
#undef PATH_TURNS

#define PATH(instr, operand, dom, bank, needs, n, text) #instr "." #operand,
#define PATH_TURNS(instr, operand, dom, bank, needs, text) #instr "." #operand,
const char *const am_path_names[] = {
#include PATHS
    NULL,
};
#undef PATH
#undef PATH_TURNS

const struct am_path *am_path_find(const char *name)
{
    for (const struct am_path *p = am_paths; p->name; p++) {
        if (strcmp(p->name, name) == 0)
            return p;
    }
    return NULL;
}

const char *am_path_why_not(const char *name)
{
    const struct am_path *const p = am_path_find(name);

    return p ? am_instr_needs_missing(p->needs) : "no such path on this architecture";
}

/* ---- idioms ---- */

#define COPY(name, dom, bank, needs, n, text, copied, unit, product)                               \
    KERNEL(alone_##name, bank, FREE_##bank(1), text)                                               \
    KERNEL(unit_##name, bank, FREE_##bank(1), unit)                                                \
    KERNEL(slot_##name, bank, FREE_##bank(1), NOP)                                                 \
    KERNEL(behind_##name, bank, CHAIN_##bank(n), copied)                                           \
    KERNEL(products_##name, bank, CHAIN_##bank(1), product)
#define CONSTANT(name, dom, bank, needs, text, unit, product)                                      \
    COPY(name, dom, bank, needs, 1, text, product "\n\t" text, unit, product)
/* Of six instructions two may be one. */
#define FUSED(name, first, jump)                                                                   \
    KERNEL(alone_##name, gpr, FREE_gpr(1),                                                         \
           first "\n\t" jump "\n\t" NOP "\n\t" NOP "\n\t" NOP "\n\t" NOP)                          \
    KERNEL(unit_##name, gpr, FREE_gpr(1),                                                          \
           first "\n\t" NOP "\n\t" jump "\n\t" NOP "\n\t" NOP "\n\t" NOP)                          \
    KERNEL(slot_##name, gpr, FREE_gpr(1), NOP "\n\t" NOP "\n\t" NOP "\n\t" NOP "\n\t" NOP)
#include IDIOMS
#undef COPY
#undef CONSTANT
#undef FUSED

#define IDIOM(word, k, dom, need)                                                                  \
    .name = #word, .needs = need, .domain = AM_INSTR_##dom, .kind = AM_IDIOM_##k,                  \
    .alone = alone_##word, .slot = slot_##word, .unit = unit_##word
#define COPY(name, dom, bank, needs, n, text, copied, unit, product)                               \
    {IDIOM(name, COPY, dom, needs), .behind = behind_##name, .products = products_##name},
#define CONSTANT(name, dom, bank, needs, text, unit, product)                                      \
    {IDIOM(name, CONSTANT, dom, needs), .behind = behind_##name, .products = products_##name},
#define FUSED(name, first, jump) {IDIOM(name, PAIR, I, "")},
const struct am_idiom am_idioms[] = {
#include IDIOMS
    {.name = NULL},
};
#undef COPY
#undef CONSTANT
#undef FUSED

#define COPY(name, dom, bank, needs, n, text, copied, unit, product) #name,
#define CONSTANT(name, dom, bank, needs, text, unit, product) #name,
#define FUSED(name, first, jump) #name,
const char *const am_idiom_names[] = {
#include IDIOMS
    NULL,
};
#undef COPY
#undef CONSTANT
#undef FUSED

const struct am_idiom *am_idiom_find(const char *name)
{
    for (const struct am_idiom *i = am_idioms; i->name; i++) {
        if (strcmp(i->name, name) == 0)
            return i;
    }
    return NULL;
}

const char *am_idiom_why_not(const char *name)
{
    const struct am_idiom *const i = am_idiom_find(name);

    return i ? am_instr_needs_missing(i->needs) : "no such idiom on this architecture";
}

/* ---- registers ---- */

enum { UNTOUCHED = 0xa5 }; /* as am_instr_fill() leaves what no kernel stored */

void am_path_fill(struct am_instr_regs *regs, enum am_instr_domain domain)
{
    am_instr_fill(regs, domain);
    if (domain == AM_INSTR_Z)
        regs->gpr = 0;
}

static bool is_zero(const unsigned char *vec)
{
    size_t n = AM_INSTR_VEC_BYTES;

    while (n && vec[n - 1] == UNTOUCHED)
        n--;
    while (n && vec[n - 1] == 0)
        n--;
    return n == 0;
}

const char *am_path_fault(const struct am_instr_regs *regs, enum am_instr_domain domain)
{
    for (size_t i = 0; domain == AM_INSTR_Z && i < AM_INSTR_CHAINS; i++) {
        if (!is_zero(regs->out[i]))
            return "zeros became something else";
    }
    return am_instr_fault(regs, domain == AM_INSTR_Z ? AM_INSTR_I : domain);
}
