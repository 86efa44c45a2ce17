/* SPDX-License-Identifier: MIT */
/* Loops put together at run time from instruction forms: so many of this, so many of that.
 *
 * Every form of the catalogue (kernels/instr.h) and a few more (loads, stores, moves between
 * register files) are assembled at build time, once per register of their chain, and kept as bytes.
 * A mix is a list of forms with counts. am_mix_add() spreads its instructions evenly, repeats them
 * to about AM_MIX_TARGET, and writes the loop into memory that am_mix_seal() then makes executable;
 * no page is writable and executable at the same time. A loop takes the registers of
 * kernels/instr.h and the stores' page behind them (struct am_mix_area), and counts subnormal
 * numbers as zero while it runs, so that what one form leaves in a register slows no other. */
#ifndef AM_KERNELS_MIX_MIX_H
#define AM_KERNELS_MIX_MIX_H

#include "base/status.h"
#include "kernels/instr.h"
#include "kernels/mix/anchors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers that a loop must load and keep; a loop has the last of those of its forms. Legacy
 * encodings stand in no loop with one of the banks behind them. */
enum am_mix_bank { AM_MIX_GPR, AM_MIX_SSE, AM_MIX_VEX, AM_MIX_EVEX, AM_MIX_BANKS };

/* The registers that a form's pieces go through. */
enum am_mix_list { AM_MIX_GENERALS, AM_MIX_VECTORS, AM_MIX_MASKS, AM_MIX_LISTS };

struct am_mix_form {
    const char *name; /* NULL ends the table */
    const char *needs;
    enum am_instr_domain domain;
    enum am_mix_bank bank;
    enum am_mix_list list;
    unsigned instructions; /* in one piece of code: 2 of pairs */
    /* One piece per register in turn: its length in the first byte of its head, then the code;
     * ended by length 0. */
    const unsigned char *code;
    /* The same of code that waits for itself, one piece, NULL: none; instructions of the form in
     * it; and what else is in it, alone (NULL: nothing). */
    const unsigned char *chain, *less;
    unsigned links;
};

/* Bytes before a piece's code: where instructions lie at multiples of 4, so must the pieces. */
#if defined(__aarch64__)
enum { AM_MIX_PIECE_HEAD = 4 };
static const unsigned char am_mix_nop[] = {0x1f, 0x20, 0x03, 0xd5};
#else
enum { AM_MIX_PIECE_HEAD = 1 };
static const unsigned char am_mix_nop[] = {0x90};
/* A prefix that says nothing of an instruction without memory, where there is any such. */
#define AM_MIX_PREFIX 0x3e
#endif

static inline const unsigned char *am_mix_next_piece(const unsigned char *piece)
{
    return piece + AM_MIX_PIECE_HEAD + *piece;
}

/* In the order of the catalogue, the others behind it. */
extern const struct am_mix_form am_mix_forms[];
/* Their names alone, ended by NULL. */
extern const char *const am_mix_names[];
/* Those that stand for the rest, as axis values: all anchors are among them. */
extern const char am_mix_selection[];

/* NULL when there is none of that name. */
const struct am_mix_form *am_mix_find(const char *name);
/* NULL when this machine can measure it in mixes, else the reason. */
const char *am_mix_why_not(const char *name);
/* Whether two forms may stand in one loop. */
bool am_mix_go_together(const struct am_mix_form *a, const struct am_mix_form *b);
/* The anchor's form beside which a form of this bank is measured: NULL when it is not usable. */
const struct am_mix_form *am_mix_anchor(enum am_mix_anchor role, enum am_mix_bank bank);
/* "fadd" */
extern const char *const am_mix_anchor_roles[AM_MIX_ANCHORS];

/* Additions of zeros through the register of a form's chain, of which each waits for what wrote it:
 * the two kinds of vectors, between which cores may need a cycle more. Registers that hold no
 * vectors know one kind. */
enum am_mix_link { AM_MIX_FLOAT_LINK, AM_MIX_INTEGER_LINK, AM_MIX_LINKS };
const struct am_mix_form *am_mix_link(const struct am_mix_form *form, enum am_mix_link kind);
/* NULL when a chain of the form can be measured here, else the reason. */
const char *am_mix_chain_why_not(const char *name);

struct am_mix_part {
    const struct am_mix_form *form;
    unsigned count;
};
enum { AM_MIX_PARTS_MAX = 12, AM_MIX_COUNT_MAX = 64 };

/* What a loop works on; aligned to a page. Stores go to `stores`, out of phase with all loads. */
struct am_mix_area {
    struct am_instr_regs regs;
    unsigned char gap[8192 + 2048 - sizeof(struct am_instr_regs)];
    unsigned char stores[4096 + 2048];
};

struct am_mix_loop {
    am_instr_fn *fn;     /* takes &area->regs; callable once the room is sealed */
    size_t copies;       /* of the mix in one pass */
    size_t instructions; /* of the mix */
    size_t begin;        /* bytes from the beginning of a line to the body */
    size_t bytes, back;  /* of the body of all copies; of the jump back behind it */
};

/* Where a loop lies: so many bytes behind the beginning of a line of AM_MIX_LINE, with so many
 * bytes more in each instruction, which mean nothing. */
struct am_mix_at {
    unsigned begin, more;
};
enum { AM_MIX_MORE_MAX = 4 };

/* Memory for code. Zero-initialise. */
struct am_mix_room {
    unsigned char *base;
    size_t size, used;
};

/* Room for so many loops. */
enum am_status am_mix_room_open(struct am_mix_room *room, size_t loops, struct am_err *err);
/* Writes a loop. The parts go together and their counts are 1 to AM_MIX_COUNT_MAX. */
enum am_status am_mix_add(struct am_mix_room *room, const struct am_mix_part *parts, size_t n,
                          struct am_mix_loop *out, struct am_err *err);
/* The same of one copy, however short: a loop as programs have them. */
enum am_status am_mix_add_once(struct am_mix_room *room, const struct am_mix_part *parts, size_t n,
                               struct am_mix_loop *out, struct am_err *err);
/* The same with all of a part before the next one. */
enum am_status am_mix_add_rows(struct am_mix_room *room, const struct am_mix_part *parts, size_t n,
                               struct am_mix_loop *out, struct am_err *err);
/* The same as am_mix_add_once(), elsewhere in a line and maybe of longer instructions. AM_E_ABSENT:
 * instructions of this architecture cannot be longer. */
enum am_status am_mix_add_at(struct am_mix_room *room, const struct am_mix_part *parts, size_t n,
                             struct am_mix_at at, struct am_mix_loop *out, struct am_err *err);
/* The same of the parts' chains, all through one register: each instruction waits for the one
 * before. AM_E_ABSENT: a part has none. */
enum am_status am_mix_add_chain(struct am_mix_room *room, const struct am_mix_part *parts, size_t n,
                                struct am_mix_loop *out, struct am_err *err);
/* Makes all loops executable; none can be added afterwards. AM_E_ABSENT where the system does not
 * allow it. */
enum am_status am_mix_seal(struct am_mix_room *room, struct am_err *err);
void am_mix_room_close(struct am_mix_room *room); /* accepts a zeroed struct */

/* The code of one bank's loops around their body, per architecture (mix_code.c). */
struct am_mix_frame {
    const unsigned char *enter, *enter_end; /* saves what callers keep, loads registers */
    const unsigned char *leave, *leave_end; /* stores the chains, returns */
};
extern const struct am_mix_frame am_mix_frames[AM_MIX_BANKS];
/* Links by the bank of the chain's register, those of masks last. */
extern const struct am_mix_form am_mix_links[AM_MIX_BANKS + 1][AM_MIX_LINKS];
/* The end of a pass: decrements the counter and jumps to `top` unless it is zero. Returns the bytes
 * written to `at`, at most AM_MIX_BACK_MAX. */
enum { AM_MIX_BACK_MAX = 16 };
size_t am_mix_jump_back(unsigned char *at, const unsigned char *top);
/* NULL when loops can be made on this architecture, else the reason. */
extern const char *const am_mix_unsupported;

#endif
