/* SPDX-License-Identifier: MIT */
/* Which measured forms stand for an instruction.
 *
 * An instruction is its operation and, where an operand is in memory, a load or a store beside it.
 * The operation's form is looked for by its own name, then by names that differ in the width, in
 * the encoding, or by an operation that units do in the same way (a subtraction as an addition).
 * What was taken in place of what is kept, so that it can be said; what has no form at all is
 * unknown, and counts as a slot of the front end. */
#ifndef AM_MODEL_BLOCK_FORMS_H
#define AM_MODEL_BLOCK_FORMS_H

#include "model/block/insn.h"

enum { AM_FORM_NAME_MAX = 64 };

enum am_form_match {
    AM_FORM_NONE,    /* takes nothing: fused with the instruction before it */
    AM_FORM_EXACT,   /* the form of this very instruction */
    AM_FORM_LIKE,    /* another form in its place */
    AM_FORM_UNKNOWN, /* no form */
};

/* Of two parts of an instruction the one that is known less. */
static inline enum am_form_match am_form_lesser(enum am_form_match a, enum am_form_match b)
{
    return a > b ? a : b;
}

struct am_insn_forms {
    enum am_form_match match;
    char operation[AM_FORM_NAME_MAX]; /* "" when it is only a load or store */
    char load[AM_FORM_NAME_MAX];      /* "" without one */
    char store[AM_FORM_NAME_MAX];
    unsigned times;  /* so many loads or stores: those of pairs and lists; at least 1 */
    bool eliminated; /* known to renaming: a zero, whatever its sources hold */
};

/* Whether a form of that name was measured. */
typedef bool am_form_known_fn(const void *self, const char *name);

/* What stands for a slot of the front end, and for a load from the first-level cache. */
const char *am_form_slot(enum am_arch arch);
const char *am_form_load(enum am_arch arch); /* by its latency */
const char *am_form_sum(enum am_arch arch);  /* of general registers, by any integer unit */

/* How a load gets what a store before it wrote: the same operand of general registers, which some
 * cores know by its text while they rename; another operand for the same place; one that is loaded
 * with its sign; one of a byte or two; an instruction that loads, operates and stores, with a
 * register or a constant; and vectors. NULL: the architecture has no form for it. */
enum am_forward {
    AM_FORWARD_SAME,
    AM_FORWARD_OTHER,
    AM_FORWARD_SIGNED,
    AM_FORWARD_SMALL,
    AM_FORWARD_UPDATE,
    AM_FORWARD_UPDATE_CONSTANT,
    AM_FORWARD_VECTOR,
    AM_FORWARDS
};
const char *am_form_forward(enum am_arch arch, enum am_forward how);

/* An instruction with an operand in memory, without and with an index: some cores take the second
 * in as two operations. NULL where the architecture has none. */
enum am_form_indexed {
    AM_INDEXED_LOAD,
    AM_INDEXED_UPDATE,     /* the register that is written is read, too */
    AM_INDEXED_OLD_VECTOR, /* the same of vectors in old encodings */
    AM_INDEXED_VECTOR_LOAD,
    AM_INDEXED_STORE,
    AM_INDEXED_CONSTANT_STORE,
    AM_INDEXED_VECTOR_STORE,
    AM_INDEXED
};
struct am_form_pair {
    const char *plain, *indexed;
};
const struct am_form_pair *am_form_indexed(enum am_arch arch, enum am_form_indexed what);
/* A store to another line than the one before it, and to another half of one; NULL: none. */
const char *am_form_store_lines(enum am_arch arch);
const char *am_form_store_halves(enum am_arch arch);
/* A load within a line, and one that reaches into a second; NULL where there is none. */
const struct am_form_pair *am_form_crossing(enum am_arch arch);

/* Loads of the lower and of the upper half of a vector, and of both, one directly behind the other;
 * NULL where there are none. */
struct am_form_halves {
    const char *lower, *upper, *both;
};
const struct am_form_halves *am_form_halves(enum am_arch arch);

/* What stands around an instruction in its loop. */
struct am_insn_around {
    const struct am_insn *before, *after; /* NULL: none; a jump is fused with some before it */
    bool other_line; /* the store before it, or in the iteration before, is to another line */
};

void am_insn_forms(const struct am_insn *insn, const struct am_insn_around *around,
                   am_form_known_fn *known, const void *self, struct am_insn_forms *out);

/* The same of one architecture (forms_x86_64.c, forms_aarch64.c). */
void am_insn_forms_x86_64(const struct am_insn *insn, const struct am_insn_around *around,
                          am_form_known_fn *known, const void *self, struct am_insn_forms *out);
void am_insn_forms_aarch64(const struct am_insn *insn, const struct am_insn_around *around,
                           am_form_known_fn *known, const void *self, struct am_insn_forms *out);

/* An operation that units do alike, by mnemonics without a leading v; NULL: none. */
const char *am_form_like_x86_64(const char *base);

#endif
