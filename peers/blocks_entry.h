/* SPDX-License-Identifier: MIT */
/* What blocks.c gives a block to run with: registers to enter it with, and memory wherever it
 * reaches.
 *
 * A page that a block touches is mapped when it faults, those of a window (one for each register)
 * to some physical ones in turn. What cannot be given ends in siglongjmp(blocks_refuse), with the
 * reason in blocks_reason. What memory holds is one of four fills. */
#ifndef PEERS_BLOCKS_ENTRY_H
#define PEERS_BLOCKS_ENTRY_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    PAGE = 4096,
    REGS = 16,
    SP = 4,            /* number of the stack pointer */
    WINDOW_PAGES = 16, /* physical ones */
    PHYSICAL = 32 * WINDOW_PAGES,
};
/* Bytes from one window to the next: 16 MiB, so that blocks do not reach another's, and the 16
 * pages more by which all windows together are like one array of 256 pages to whatever looks at the
 * lower bits of addresses. Zen's first-level cache finds ways by a hash of bits 12 to 27 (12 with
 * 27, 13 with 26, 14 with 25, 15 to 19 with 20 to 24: measured, as published for Zen 2) and takes
 * two lines of a set with one hash for one: without these pages, page p of rcx and page p ^ 1 of r9
 * drove each other out. */
#define WINDOW 0x01010000ull
#define WINDOWS (32 * WINDOW)

/* Floats of 1.25, small numbers as indices, addresses in a window of their own, and mixed:
 * addresses on the stack, where compilers keep such, numbers elsewhere. */
enum fill { FLOATS, NUMBERS, POINTERS, MIXED, FILLS };

/* Operands in memory that share their registers. Streams: values that the registers have in one
 * pass, other than by constants added. As blocks.py writes them. */
struct operands {
    uint64_t base, index, scale; /* numbers of registers, REGS: none */
    uint64_t streams, n;
};

struct block {
    const char *name;
    void (*code)(void);
    uint64_t bases, indices; /* sets of registers */
    uint64_t counter;        /* number of the register that counts passes */
    uint64_t vectors;        /* 0 legacy SSE, 1 VEX, 2 EVEX */
    const struct operands *operands;
    uint64_t operands_n;
};
extern unsigned char blocks_constants[PAGE];
extern const struct block blocks[];
extern const uint64_t blocks_n;

/* Offsets are known to enter(). */
struct entry {
    uint64_t in[REGS], out[REGS];
    uint64_t code, vectors;
    double pattern[8] __attribute__((aligned(64)));
};

extern struct entry blocks_entry;
extern sigjmp_buf blocks_refuse;
extern const char *volatile blocks_reason;
extern bool blocks_touched[PHYSICAL]; /* pages, by the block at hand */
extern unsigned blocks_faults;        /* of it */

/* Runs a block with the registers of e->in; leaves those of its end in e->out. */
void enter(struct entry *e);

void blocks_open_memory(void);

/* So that faults tell what the next block touches. */
void blocks_unmap_all(void);

void blocks_fill_touched(enum fill fill);
void blocks_fill_all(enum fill fill);

#endif
