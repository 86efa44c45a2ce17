/* SPDX-License-Identifier: MIT */
/* Machine instructions as the prediction of blocks sees them: what they are called, what they read
 * and write, where they lead. Whoever decodes (decode_zydis.c for x86-64, decode_capstone.c for
 * AArch64) is known to nobody else. */
#ifndef AM_MODEL_BLOCK_INSN_H
#define AM_MODEL_BLOCK_INSN_H

#include "base/arena.h"
#include "base/status.h"
#include "model/block/elf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers by full name: parts of one are the same. */
enum {
    AM_REG_GENERAL = 0, /* 16 of them, in the order of their encoding */
    AM_REG_VECTOR = 16, /* 32 */
    AM_REG_MASK = 48,   /* 8 */
    AM_REG_FLAGS = 56,
    /* of AArch64 */
    AM_REG_ARM_GENERAL = 0, /* 31 */
    AM_REG_ARM_VECTOR = 31, /* 32 */
    AM_REG_ARM_FLAGS = 63,
    AM_REG_COUNT = 64, /* as bits of a set; a number that stands for what is not followed */
};

enum am_flow { AM_FLOW_NEXT, AM_FLOW_JUMP, AM_FLOW_BRANCH, AM_FLOW_CALL, AM_FLOW_END };

/* An address, as its operand states it. */
struct am_insn_memory {
    unsigned base, index; /* registers; AM_REG_COUNT: none, or not a general one */
    unsigned scale;
    int64_t displacement;
    bool known; /* it is the sum of these */
};

struct am_insn {
    enum am_arch arch;
    uint64_t address;
    unsigned length;
    const char *text;     /* as a disassembler writes it, AT&T order */
    const char *mnemonic; /* lower case, as in the manuals: "vaddpd", "jnz" */
    enum am_flow flow;
    bool aims;                             /* a jump, branch or call to a known place: */
    uint64_t target;                       /* which may be 0, as objects count from there */
    uint64_t reads, writes, address_reads; /* sets of registers, as bits */
    uint64_t beside;   /* written one cycle behind the address: a base that an access moves on, */
    bool beside_known; /* by a constant: */
    int64_t beside_by;
    uint64_t maybe; /* general registers that a word without a name may write, for all we know */
    unsigned general_bits, vector_bits;  /* of the widest register operand of each kind; 0: none */
    unsigned from_bits;                  /* of the last register operand that is only read */
    bool to_general, to_vector, to_mask; /* kind of the first operand, where it is written */
    bool from_general, from_vector;      /* a register operand that is read and not written */
    bool loads, stores;
    unsigned memory_bits;
    unsigned address_parts; /* base, index and displacement that are there */
    bool address_scaled;
    struct am_insn_memory memory; /* its operand there; a load and a store share it */
    /* Where all that it does is to write `moved_from` plus a constant to one general register:
     * sums that count iterations, copies, addresses. */
    bool moves;
    unsigned moved_to, moved_from;
    int64_t moved_by;
    bool immediate, by_cl, masked, vex; /* vex: a destination of its own: VEX, EVEX or XOP */
    bool same_sources; /* two register operands or more, and all of them the same */
    /* Work beyond what its parts in a row would take: a load, a sum and a store that nobody comes
     * between; a store past the caches. */
    bool apart;
    /* Of AArch64: the first register as forms name it ("x", "d", "2d"), how many registers a load
     * or store moves, and whether an operand is shifted. */
    char shape[4];
    unsigned moved;
    bool shifted;
};

struct am_insns {
    struct am_insn *items;
    size_t n, cap;
    unsigned kept; /* as in struct am_code */
};

enum { AM_INSNS_MAX = 100000 }; /* of a function */

/* Decodes the instructions of one architecture, one at a time. */
struct am_decoder {
    const char *missing; /* NULL, or why this program has none */
    /* NULL when it cannot be started. */
    void *(*open)(void);
    void (*close)(void *self);
    /* The instruction at `bytes`, at most `n` of them. AM_E_USAGE: there is none. */
    enum am_status (*decode)(void *self, const unsigned char *bytes, size_t n, uint64_t address,
                             struct am_arena *arena, struct am_insn *out);
};
extern const struct am_decoder am_decoder_x86_64, am_decoder_aarch64;

/* NULL when instructions of the architecture can be decoded, else the reason. */
const char *am_insn_unsupported(enum am_arch arch);

/* All instructions of the code. AM_E_USAGE names the place of what is none; AM_E_ABSENT: this
 * program was built without a decoder. */
enum am_status am_insns_decode(const struct am_code *code, struct am_arena *arena,
                               struct am_insns *out, struct am_err *err);

#endif
