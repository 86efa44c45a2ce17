/* SPDX-License-Identifier: MIT */
/* The catalogue of cpu.instr: kernels and table are made from the architecture's list of forms,
 * which is read three times. */
#include "kernels/instr.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include "kernels/instr_x86_64.h"
#define FORMS "kernels/instr_x86_64.inc"
#elif defined(__aarch64__)
#include "kernels/instr_aarch64.h"
#define FORMS "kernels/instr_aarch64.inc"
#endif

/* The offsets that kernels use. */
_Static_assert(offsetof(struct am_instr_regs, zero) == 64, "vector 12");
_Static_assert(offsetof(struct am_instr_regs, pattern) == 256, "vector 15");
_Static_assert(offsetof(struct am_instr_regs, operand) == 320, "operands");
_Static_assert(offsetof(struct am_instr_regs, gpr) == 344, "general chains");
_Static_assert(offsetof(struct am_instr_regs, mask_chain) == 352, "mask chains");
_Static_assert(offsetof(struct am_instr_regs, table) == 384, "table");
_Static_assert(offsetof(struct am_instr_regs, out) == 512, "results");

#define FORM(name, cat, dom, bank, needs, n, chain_text, m, free_text)                             \
    KERNEL(chain_##name, bank, CHAIN_##bank(n), chain_text)                                        \
    KERNEL(free_##name, bank, FREE_##bank(m), free_text)
#define FORM_LESS(name, cat, dom, bank, needs, n, chain_text, m, free_text, extra_text)            \
    FORM(name, cat, dom, bank, needs, n, chain_text, m, free_text)                                 \
    KERNEL(extra_##name, bank, CHAIN_##bank(n), extra_text)
#include FORMS
#undef FORM
#undef FORM_LESS

#define ENTRY(form, cat, dom, need, fn)                                                            \
    {.name = #form,                                                                                \
     .category = #cat,                                                                             \
     .needs = need,                                                                                \
     .domain = AM_INSTR_##dom,                                                                     \
     .chain = chain_##form,                                                                        \
     .free = free_##form,                                                                          \
     .extra = fn},
#define FORM(name, cat, dom, bank, needs, n, chain_text, m, free_text)                             \
    ENTRY(name, cat, dom, needs, NULL)
#define FORM_LESS(name, cat, dom, bank, needs, n, chain_text, m, free_text, extra_text)            \
    ENTRY(name, cat, dom, needs, extra_##name)
const struct am_instr am_instrs[] = {
#include FORMS
    {.name = NULL},
};
#undef FORM
#undef FORM_LESS

#define FORM(name, cat, dom, bank, needs, n, chain_text, m, free_text) #name,
#define FORM_LESS(name, cat, dom, bank, needs, n, chain_text, m, free_text, extra_text) #name,
const char *const am_instr_names[] = {
#include FORMS
    NULL,
};
#undef FORM
#undef FORM_LESS

const char am_instr_selection[] = SELECTION;
const char *const am_instr_standards[] = {STANDARDS, NULL};

const struct am_instr *am_instr_find(const char *name)
{
    for (const struct am_instr *form = am_instrs; form->name; form++) {
        if (strcmp(form->name, name) == 0)
            return form;
    }
    return NULL;
}

const char *am_instr_why_not(const char *name)
{
    const struct am_instr *const form = am_instr_find(name);

    return form ? am_instr_needs_missing(form->needs)
                : "no such instruction form on this architecture";
}

/* Irrational, so that no bit of the significand is idle; the second is so near 1 that a hundred
 * thousand divisions by it stay near 1. */
static const double chain_value = 1.7320508075688772, other_value = 1.0000001390984262;

static void fill_f32(unsigned char *vec, double value)
{
    const float f = (float)value;

    for (size_t i = 0; i < AM_INSTR_VEC_BYTES; i += sizeof(f))
        memcpy(vec + i, &f, sizeof(f));
}

static void fill_f64(unsigned char *vec, double value)
{
    for (size_t i = 0; i < AM_INSTR_VEC_BYTES; i += sizeof(value))
        memcpy(vec + i, &value, sizeof(value));
}

/* Words that are indices below 16 in no order; every other has its sign set. */
static void fill_pattern(unsigned char *vec)
{
    for (uint32_t i = 0; i < AM_INSTR_VEC_BYTES / sizeof(i); i++) {
        const uint32_t word = (i * 5 + 3) % 16 | (i % 2 ? UINT32_C(0x80000000) : 0);

        memcpy(vec + i * sizeof(word), &word, sizeof(word));
    }
}

static void fill_integers(struct am_instr_regs *regs)
{
    for (uint32_t i = 0; i < AM_INSTR_VEC_BYTES; i++) {
        regs->chain[i] = (unsigned char)(i * 37 + 11);
        regs->one[i] = i % 4 == 0;
        regs->other[i] = (unsigned char)(i * 101 + 7);
    }
}

/* Values of rax (x5), rcx (x6), rdx (x7) and of the general chains. A divisor m + 1, where m
 * divides 2^64 - 1 (2^32 - 1), and a remainder r reproduce the dividend r * 2^64 + q: its quotient
 * is q = r * (2^64 - 1) / m again. Where quotient and dividend are of one width, the chain is a
 * divisor of half as many bits, and so is its quotient. */
static const uint64_t generals[AM_INSTR_DOMAINS][4] = {
    [AM_INSTR_I] = {0x9e3779b97f4a7c15, 7, 0x6a09e667f3bcc909, 0x123456789abcdef1},
    [AM_INSTR_D64] = {0x3fffffffULL * 0xffffffffULL, 0x100000002, 0x3fffffff, 0x100000002},
    [AM_INSTR_D32] = {0x3fffULL * 0xffffULL, 0x10002, 0x3fff, 0x10002},
};

void am_instr_fill(struct am_instr_regs *regs, enum am_instr_domain domain)
{
    void (*const fill)(unsigned char *, double) = domain == AM_INSTR_F32 ? fill_f32 : fill_f64;
    const bool numbers = domain == AM_INSTR_F32 || domain == AM_INSTR_F64;
    const enum am_instr_domain general =
        domain == AM_INSTR_D64 || domain == AM_INSTR_D32 ? domain : AM_INSTR_I;

    memset(regs, 0, sizeof(*regs));
    memset(regs->out, 0xa5, sizeof(regs->out));
    fill_pattern(regs->pattern);
    if (numbers) {
        fill(regs->chain, chain_value);
        fill(regs->one, 1);
        fill(regs->other, other_value);
    } else if (domain != AM_INSTR_Z) {
        fill_integers(regs);
    }
    memcpy(regs->operand, generals[general], sizeof(regs->operand));
    regs->gpr = generals[general][3];
    regs->self[0] = (uint64_t)(uintptr_t)&regs->self[0];
    if (domain == AM_INSTR_A)
        regs->gpr = regs->self[0];
    regs->mask_chain = 0x6db6;
    regs->mask = 0x5555;
}

/* Zero, or a number so near 1 that its neighbours are far from the ends of its format. */
static bool is_tame(double x)
{
    const double magnitude = fabs(x);

    return !(magnitude > 0) ? !isnan(x) : magnitude >= 0x1p-20 && magnitude <= 0x1p20;
}

static double lane_at(const unsigned char *at, enum am_instr_domain domain)
{
    float f;
    double d;

    if (domain == AM_INSTR_F64) {
        memcpy(&d, at, sizeof(d));
        return d;
    }
    memcpy(&f, at, sizeof(f));
    return (double)f;
}

static bool all_tame(const unsigned char *vec, enum am_instr_domain domain, size_t bytes)
{
    const size_t lane = domain == AM_INSTR_F64 ? sizeof(double) : sizeof(float);

    for (size_t i = 0; i < bytes; i += lane) {
        if (!is_tame(lane_at(vec + i, domain)))
            return false;
    }
    return true;
}

/* Bytes at the start of a chain's place that the kernel stored: whole lanes of 16 bytes. */
static size_t stored_bytes(const unsigned char *vec)
{
    size_t n = AM_INSTR_VEC_BYTES;

    while (n && vec[n - 1] == 0xa5)
        n--;
    return (n + 15) / 16 * 16;
}

static bool all_zero(const unsigned char *vec, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (vec[i])
            return false;
    }
    return true;
}

const char *am_instr_fault(const struct am_instr_regs *regs, enum am_instr_domain domain)
{
    const bool numbers = domain == AM_INSTR_F32 || domain == AM_INSTR_F64;
    size_t stored = 0;

    for (size_t i = 0; i < AM_INSTR_CHAINS; i++) {
        const size_t bytes = stored_bytes(regs->out[i]);

        stored += bytes;
        if (numbers && !all_tame(regs->out[i], domain, bytes))
            return "the chain left the range of normal numbers";
        if (domain == AM_INSTR_Z && !all_zero(regs->out[i], bytes))
            return "zeros became something else";
        if (domain == AM_INSTR_A && bytes && memcmp(regs->out[i], &regs->self[0], 8) != 0)
            return "an address became another";
    }
    return stored ? NULL : "nothing was stored: the kernel did not run";
}
