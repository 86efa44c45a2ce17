/* SPDX-License-Identifier: MIT */
/* The catalogue of cpu.instr: for each instruction form a kernel of dependent ones and a kernel of
 * independent ones. */
#ifndef AM_KERNELS_INSTR_H
#define AM_KERNELS_INSTR_H

#include <stddef.h>
#include <stdint.h>

/* Instructions of the named form in one pass of each kernel's loop. */
enum { AM_INSTR_CHAIN = 100, AM_INSTR_FREE = 96 };

enum { AM_INSTR_VEC_BYTES = 64, AM_INSTR_CHAINS = 12 };

/* What the registers of a form hold. Forms that could leave the range of normal numbers, and those
 * whose time depends on their operands, get values that keep them where they are. */
#define AM_INSTR_DOMAIN_MAP(X)                                                                     \
    X(I)   /* integers, any bits */                                                                \
    X(F32) /* binary32 near 1 */                                                                   \
    X(F64) /* binary64 near 1 */                                                                   \
    X(Z)   /* zeros, which the form turns into zeros */                                            \
    X(A)   /* addresses: each points to itself */                                                  \
    X(D64) /* a 128-bit dividend, a divisor and a quotient of 62 bits that reproduce themselves */ \
    X(D32) /* the same, half as wide */

#define AM_INSTR_DOMAIN_ENUM(word) AM_INSTR_##word,
enum am_instr_domain { AM_INSTR_DOMAIN_MAP(AM_INSTR_DOMAIN_ENUM) AM_INSTR_DOMAINS };
#undef AM_INSTR_DOMAIN_ENUM

/* The registers of a kernel, loaded before its loop and stored after it. Kernels know the offsets:
 * the order is fixed (instr.c asserts it). */
struct am_instr_regs {
    _Alignas(64) unsigned char chain[AM_INSTR_VEC_BYTES]; /* vectors 0 to 11 */
    unsigned char zero[AM_INSTR_VEC_BYTES];               /* vector 12 */
    unsigned char one[AM_INSTR_VEC_BYTES];                /* vector 13 */
    unsigned char other[AM_INSTR_VEC_BYTES];              /* vector 14: near 1, all bits in use */
    unsigned char pattern[AM_INSTR_VEC_BYTES];            /* vector 15: indices and signs */
    uint64_t operand[3];                                  /* rax, rcx, rdx; x5, x6, x7 */
    uint64_t gpr;                                         /* general chains */
    uint64_t mask_chain, mask;                            /* k1 to k6, k7 */
    uint64_t unused[2];
    unsigned char table[AM_INSTR_VEC_BYTES];                /* zeros that gathers load */
    uint64_t self[8];                                       /* self[0] holds its own address */
    unsigned char out[AM_INSTR_CHAINS][AM_INSTR_VEC_BYTES]; /* the chains after the loop */
};

/* Runs the loop `loops` times, at least once, from the same registers each time. */
typedef void am_instr_fn(struct am_instr_regs *regs, uint64_t loops);

struct am_instr {
    const char *name; /* <mnemonic>[_<mnemonic>]_<operands>[_<what differs>] */
    const char *category;
    const char *needs; /* CPU features, separated by spaces; "" for the baseline */
    enum am_instr_domain domain;
    am_instr_fn *chain; /* AM_INSTR_CHAIN of them, each waiting for the one before */
    am_instr_fn *free;  /* AM_INSTR_FREE of them that wait for little or nothing */
    am_instr_fn *extra; /* what else is in each step of `chain`, to be subtracted; or NULL */
};

/* In the order of the table, ended by a NULL name. */
extern const struct am_instr am_instrs[];
/* Their names alone, ended by NULL: the choices of the axis `instr`. */
extern const char *const am_instr_names[];
/* A few that stand for the rest, as axis values. */
extern const char am_instr_selection[];
/* Those whose latency is a known whole number of cycles on every core, ended by NULL. */
extern const char *const am_instr_standards[];

/* NULL when there is none of that name. */
const struct am_instr *am_instr_find(const char *name);
/* NULL when this machine can execute it, else the reason. */
const char *am_instr_why_not(const char *name);
/* NULL when the CPU and the system support the feature, else the reason. */
const char *am_instr_feature_missing(const char *feature, size_t len);
/* The same of a list with blanks between. */
const char *am_instr_needs_missing(const char *needs);

/* The form's start values; `out` becomes something that no kernel leaves behind. */
void am_instr_fill(struct am_instr_regs *regs, enum am_instr_domain domain);
/* After a kernel: NULL when it stored its chains and they are still in the domain, else what is
 * wrong. */
const char *am_instr_fault(const struct am_instr_regs *regs, enum am_instr_domain domain);

#endif
