/* SPDX-License-Identifier: MIT */
/* Chains through one operand of an instruction at a time, and instructions that a core may do while
 * it renames registers.
 *
 * A path is an instruction and one of its operands: a chain runs through that operand alone, the
 * others are ready. An idiom is an instruction that needs no unit on some cores (a register cleared
 * by itself, a move), or a comparison with its jump, which some cores take in as one operation.
 * What tells is measured beside it: the same number of instructions that surely need nothing but a
 * slot, and as many that surely need a unit each. Registers are those of kernels/instr.h. */
#ifndef AM_KERNELS_PATH_PATH_H
#define AM_KERNELS_PATH_PATH_H

#include "kernels/instr.h"

/* Steps of a chain in one pass of a kernel's loop, and independent instructions or groups. */
enum { AM_PATH_CHAIN = 100, AM_PATH_FREE = 96 };

struct am_path {
    const char *name; /* "vfmadd231pd_ymm.addend"; NULL ends the table */
    const char *needs;
    enum am_instr_domain domain;
    unsigned steps; /* of the chain in one pass of its loop */
    am_instr_fn *chain;
};
extern const struct am_path am_paths[];
extern const char *const am_path_names[]; /* ended by NULL */
const struct am_path *am_path_find(const char *name);
const char *am_path_why_not(const char *name);

/* What a core may do about it. */
enum am_idiom_kind {
    AM_IDIOM_CONSTANT, /* a result that its operands do not matter for */
    AM_IDIOM_COPY,     /* a result that is known before it is executed */
    AM_IDIOM_PAIR,     /* two instructions that may be one operation */
};

struct am_idiom {
    const char *name; /* "xor_r32"; "cmp_jz"; NULL ends the table */
    const char *needs;
    enum am_instr_domain domain;
    enum am_idiom_kind kind;
    am_instr_fn *alone; /* AM_PATH_FREE of them; of pairs: of groups with a pair among them */
    am_instr_fn *slot;  /* what takes as long if it needs a slot only (a pair: one slot) */
    am_instr_fn *unit;  /* and if it needs a unit (a pair: two slots) */
    /* A chain of products with the idiom behind each, and without; NULL of pairs. */
    am_instr_fn *behind, *products;
};
extern const struct am_idiom am_idioms[];
extern const char *const am_idiom_names[];
const struct am_idiom *am_idiom_find(const char *name);
const char *am_idiom_why_not(const char *name);

/* Start values of a path's or idiom's registers: those of the domain, and general chains that hold
 * an address (A), or zero (Z). */
void am_path_fill(struct am_instr_regs *regs, enum am_instr_domain domain);
/* As am_instr_fault(), also of general registers that hold zeros. */
const char *am_path_fault(const struct am_instr_regs *regs, enum am_instr_domain domain);

#endif
