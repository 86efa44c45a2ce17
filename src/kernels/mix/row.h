/* SPDX-License-Identifier: MIT */
/* Loops of many equal instructions, made at run time, which show how much a core holds at once.
 *
 * With chains, a pass is a chain of dependent divisions, `count` fillers, a second chain, and as
 * many fillers again. The two chains wait for nothing but themselves: a core that holds what lies
 * between them at once works on both together, and a pass takes as long as one chain; else one
 * comes after the other. Fillers differ in what they occupy: a place in the window alone, a
 * register, an entry of the queue of loads or stores, or, when they wait for the chain before them,
 * one of the scheduler. Loads go to both kinds of registers, five to vectors for three to general
 * ones, so that neither kind ends before a queue that is longer than it has registers. Without
 * chains a pass is the fillers alone, code of any length, or jumps from one to the next. A pair is
 * a store and a load of what it wrote, in a chain. */
#ifndef AM_KERNELS_MIX_ROW_H
#define AM_KERNELS_MIX_ROW_H

#include "kernels/mix/mix.h"

/* X(name, what it occupies beside a place in the window) */
#define AM_ROW_FILLER_MAP(X)                                                                       \
    X(nop, "nothing")                                                                              \
    X(zero, "nothing, though it writes a register: a zero is known to renaming")                   \
    X(general, "a general register: a sum of two, which no core does by renaming")                 \
    X(vector, "a vector register")                                                                 \
    X(mask, "a mask register (AVX-512)")                                                           \
    X(load, "a general or a vector register and an entry of the queue of loads, behind one that "  \
            "is not done")                                                                         \
    X(store, "an entry of the queue of stores")                                                    \
    X(waiting, "an entry of the scheduler: a sum that waits for the chain before it")              \
    X(waiting_vector, "the same of the scheduler that vectors wait in")                            \
    X(waiting_load, "the same of loads, whose address waits")                                      \
    X(waiting_fourth, "the same of one sum in four; the others do not wait")                       \
    X(waiting_operand, "the same of comparisons with memory (x86-64)")

#define AM_ROW_ENUM(name, what) AM_ROW_##name,
enum am_row_filler { AM_ROW_FILLER_MAP(AM_ROW_ENUM) AM_ROW_FILLERS };
#undef AM_ROW_ENUM
extern const char *const am_row_fillers[]; /* names by enumerator, ended by NULL */

enum {
    AM_ROW_LINKS = 24,       /* divisions of a chain: longer than it takes to hand out a thousand
                              * fillers */
    AM_ROW_WIDE_BYTES = 4,   /* of a nop of the longer kind, which code without chains has */
    AM_ROW_WIDEST_BYTES = 8, /* and of the longest, where instructions differ in length */
    AM_ROW_COUNT_MAX = 4096, /* fillers between two chains */
    AM_ROW_BYTES_MAX = 1 << 22,
    AM_ROW_PAIRS = 32,        /* stores and loads of a pass */
    AM_ROW_SPACING_LEAST = 8, /* bytes from one jump to the next */
};

/* What a loop works on. Offsets are known to row.c. */
struct am_row_area {
    double chains[2];
    double divisor;
    uint64_t unused;
    unsigned char loaded[8], stored[24];
    uint64_t passed; /* what went through the last pair */
    _Alignas(64) unsigned char pair[64];
};

typedef void am_row_fn(struct am_row_area *area, uint64_t passes);

/* Writes a loop of two chains with `count` fillers behind each into a room of its own and makes it
 * executable. Zero-initialise the room. AM_E_ABSENT where code cannot be made. */
enum am_status am_row_between(struct am_mix_room *room, enum am_row_filler filler, size_t count,
                              am_row_fn **fn_p, struct am_err *err);
/* The same of `bytes` of code, nops of `length` bytes each, without chains. AM_E_ABSENT: no nop is
 * as long here. */
enum am_status am_row_plain(struct am_mix_room *room, size_t bytes, size_t length, am_row_fn **fn_p,
                            struct am_err *err);
/* The same of jumps, each to the next, so many bytes apart; the last leads back. */
enum am_status am_row_jumps(struct am_mix_room *room, size_t jumps, size_t spacing,
                            am_row_fn **fn_p, struct am_err *err);

/* A store of 1, 2, 4 or 8 bytes and a load of as many or others, `offset` bytes behind the store's
 * first: 0 to 7. AM_ROW_PAIRS of them in a pass, each storing what the one before loaded. */
struct am_row_pair {
    size_t store, load, offset; /* bytes */
};
enum am_status am_row_pairs(struct am_mix_room *room, const struct am_row_pair *pair,
                            am_row_fn **fn_p, struct am_err *err);

/* Where two chains lead from their start by so many passes. */
void am_row_start(struct am_row_area *area);
bool am_row_is_right(const struct am_row_area *area, uint64_t passes);

#endif
