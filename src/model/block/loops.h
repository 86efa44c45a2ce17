/* SPDX-License-Identifier: MIT */
/* The innermost loops of a function: from the target of a jump backwards to that jump, without
 * another such loop inside. Several jumps back to one place are one loop (`continue` makes them),
 * up to the last of them, if all that lies between belongs to it. */
#ifndef AM_MODEL_BLOCK_LOOPS_H
#define AM_MODEL_BLOCK_LOOPS_H

#include "model/block/insn.h"

struct am_loop {
    size_t first, last; /* instructions; the last is the jump */
    size_t branches;    /* inside, beside the last: one path of several is not told from others */
    size_t calls;       /* inside: what they do is not seen */
    bool marked;        /* no loop: a marked block, taken to be repeated as it stands */
    size_t elsewhere;   /* jumps back to its first instruction from code that is not part of it */
};

struct am_loops {
    struct am_loop *items;
    size_t n, cap;
};

/* In the order of their first instructions. False when memory is refused. */
bool am_loops_find(const struct am_insns *insns, struct am_arena *arena, struct am_loops *out);
/* The loops of a marked block; where it has none, all of it. */
bool am_loops_marked(const struct am_insns *insns, struct am_arena *arena, struct am_loops *out);

#endif
