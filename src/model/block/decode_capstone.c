/* SPDX-License-Identifier: MIT */
/* Instructions of AArch64 by Capstone.
 *
 * Which operands are written is decided here by the mnemonic: the library's own answers are wrong
 * of a dozen of them (cmp, adds, movi, tbl, ld1 and others). Words that it does not know, among
 * them all scalable vectors and the atomics of ARMv8.1, are instructions without a name: they take
 * a slot, an access among them is one to an unknown place, and the general registers that they may
 * write hold something unknown afterwards. */
#include "model/block/insn.h"

#include "base/text.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 4 };

struct decoder {
    csh handle;
    cs_insn *insn;
};

/* ---- registers ---- */

/* The number of a register by its name, which is a letter and a number; AM_REG_COUNT for what is
 * not followed: the stack pointer and the register of zeros. */
static unsigned number_of(const struct decoder *d, unsigned reg)
{
    const char *const name = cs_reg_name(d->handle, reg);
    uint64_t n;

    if (!name || !name[0])
        return AM_REG_COUNT;
    if (strcmp(name, "nzcv") == 0)
        return AM_REG_ARM_FLAGS;
    if (strcmp(name, "fp") == 0 || strcmp(name, "lr") == 0)
        return AM_REG_ARM_GENERAL + (name[0] == 'f' ? 29 : 30);
    if (!am_parse_u64(name + 1, strlen(name + 1), &n) || n > 31)
        return AM_REG_COUNT;
    if (name[0] == 'x' || name[0] == 'w')
        return n < 31 ? AM_REG_ARM_GENERAL + (unsigned)n : AM_REG_COUNT;
    return strchr("vqdshb", name[0]) ? AM_REG_ARM_VECTOR + (unsigned)n : AM_REG_COUNT;
}

static uint64_t bit_of(const struct decoder *d, unsigned reg)
{
    const unsigned n = reg == ARM64_REG_INVALID ? (unsigned)AM_REG_COUNT : number_of(d, reg);

    return n < AM_REG_COUNT ? UINT64_C(1) << n : 0;
}

static bool is_vector(unsigned number)
{
    return number >= AM_REG_ARM_VECTOR && number < AM_REG_ARM_FLAGS;
}

/* The register as forms name it: the arrangement of a vector, else its letter. */
static void shape_of(const struct decoder *d, const cs_arm64_op *op, char out[4])
{
    static const char *const arrangements[] = {
        [ARM64_VAS_8B] = "8b", [ARM64_VAS_16B] = "16b", [ARM64_VAS_4H] = "4h",
        [ARM64_VAS_8H] = "8h", [ARM64_VAS_2S] = "2s",   [ARM64_VAS_4S] = "4s",
        [ARM64_VAS_1D] = "1d", [ARM64_VAS_2D] = "2d",   [ARM64_VAS_1Q] = "1q",
    };
    const char *const name = cs_reg_name(d->handle, op->reg);

    if ((size_t)op->vas < sizeof(arrangements) / sizeof(arrangements[0]) && arrangements[op->vas])
        (void)am_str_copy(out, 4, arrangements[op->vas]);
    else if (name)
        out[0] = name[0], out[1] = '\0';
}

/* ---- what an instruction does with them ---- */

static bool is_load(const char *m)
{
    static const char *const names[] = {"ld*", "prfm", "prfum", NULL};

    return am_glob_any(names, m);
}

static bool is_store(const char *m)
{
    static const char *const names[] = {"st*", NULL};

    return am_glob_any(names, m);
}

/* Nothing but flags, or the way, comes out of it. */
static bool writes_none(const char *m)
{
    static const char *const names[] = {"cmp", "cmn",  "tst", "fcmp*", "fccmp*", "ccm?",
                                        "cb*", "tb?z", "b",   "b.*",   "br",     "bl",
                                        "blr", "ret*", "nop", "hint",  "prf*",   NULL};

    return am_glob_any(names, m);
}

/* The first operand is read, too. */
static bool accumulates(const char *m)
{
    static const char *const names[] = {
        "movk",  "bfi",    "bfxil",  "bfm",     "ins",     "fml?",   "fmlal*", "mla",
        "mls",   "?mlal*", "?mlsl*", "sqdmla*", "sqdmls*", "?dot",   "bsl",    "bit",
        "bif",   "aes?",   "sha*",   "xtn2",    "*xtn2",   "*xtun2", "fcvtn2", "fcvtxn2",
        "*hn2",  "?shrn2", "*shrn2", "*shrun2", "sri",     "sli",    "tbx",    "?sra",
        "?rsra", "?aba",   "?abal*", "?adalp",  "suqadd",  "usqadd", "bfc",    NULL};

    return am_glob_any(names, m);
}

static void see_first(struct am_insn *out, const struct decoder *d, const cs_arm64_op *op)
{
    const unsigned n = number_of(d, op->reg);

    shape_of(d, op, out->shape);
    if (is_store(out->mnemonic) || writes_none(out->mnemonic)) {
        out->reads |= bit_of(d, op->reg);
        return;
    }
    out->writes |= bit_of(d, op->reg);
    if (accumulates(out->mnemonic) || (op->vector_index >= 0 && strcmp(out->mnemonic, "dup") != 0))
        out->reads |= bit_of(d, op->reg); /* the other elements stay */
    out->to_vector = is_vector(n);
    out->to_general = !out->to_vector;
}

static void see_later(struct am_insn *out, const struct decoder *d, const cs_arm64_op *op)
{
    const bool also_loaded = out->loads && is_load(out->mnemonic);
    const unsigned n = number_of(d, op->reg);

    if (also_loaded) {
        out->writes |= bit_of(d, op->reg);
        return;
    }
    out->reads |= bit_of(d, op->reg);
    out->from_vector = out->from_vector || is_vector(n);
    out->from_general = out->from_general || n < AM_REG_ARM_VECTOR;
    out->shifted =
        out->shifted || op->shift.type != ARM64_SFT_INVALID || op->ext != ARM64_EXT_INVALID;
}

/* ---- memory ---- */

/* Bits of one register by its letter, or of an element by the letter of an arrangement. */
static unsigned bits_of(char letter)
{
    switch (letter) {
    case 'b': return 8;
    case 'h': return 16;
    case 'w':
    case 's': return 32;
    case 'x':
    case 'd': return 64;
    case 'q': return 128;
    default: return 0;
    }
}

/* "4s": 128; "d": 64 */
static unsigned bits_of_shape(const char *shape)
{
    uint64_t lanes = 1;
    const size_t digits = strspn(shape, "0123456789");

    if (digits && !am_parse_u64(shape, digits, &lanes))
        return 0;
    return (unsigned)lanes * bits_of(shape[digits]);
}

/* Bits that an access of so many registers moves; 0: not known here. A prefetch brings a line,
 * whichever part of it is named. */
static unsigned bits_moved(const struct am_insn *in, unsigned registers, const char *operands)
{
    static const char *const bytes[] = {"ld*rb", "ld*rsb", "st*rb", "prf*", NULL};
    static const char *const halves[] = {"ld*rh", "ld*rsh", "st*rh", NULL};
    static const char *const words[] = {"ldrsw", "ldursw", "ldtrsw", NULL};
    static const char *const pairs_of_words[] = {"ldpsw", NULL};
    static const char *const broadcasts[] = {"ld1r", "ld2r", "ld3r", "ld4r", NULL};
    static const char *const others[] = {"stx*", "stlx*", "cas*", "swp*", NULL};
    const char *const element = strstr(operands, "}[");

    if (am_glob_any(others, in->mnemonic)) /* their first register is no operand, or is two */
        return 0;
    if (am_glob_any(broadcasts, in->mnemonic))
        return registers * bits_of(in->shape[strspn(in->shape, "0123456789")]);
    if (element && element > operands)
        return registers * bits_of(element[-1]);
    return am_glob_any(bytes, in->mnemonic)            ? 8
           : am_glob_any(halves, in->mnemonic)         ? 16
           : am_glob_any(words, in->mnemonic)          ? 32
           : am_glob_any(pairs_of_words, in->mnemonic) ? 64
                                                       : registers * bits_of_shape(in->shape);
}

/* The next operand is what a base moves on by behind the access, if there is one. */
static void see_base(struct am_insn *out, const struct decoder *d, const cs_arm64 *in,
                     const cs_arm64_op *op)
{
    const cs_arm64_op *const behind = op + 1 < in->operands + in->op_count ? op + 1 : NULL;

    out->beside |= bit_of(d, op->mem.base);
    out->beside_known = !behind || behind->type == ARM64_OP_IMM;
    out->beside_by = behind ? (out->beside_known ? behind->imm : 0) : op->mem.disp;
}

static void see_memory(struct am_insn *out, const struct decoder *d, const cs_arm64 *in,
                       const cs_arm64_op *op)
{
    const bool indexed = op->mem.index != ARM64_REG_INVALID;
    const bool scaled = op->shift.type == ARM64_SFT_LSL;

    out->address_reads |= bit_of(d, op->mem.base) | bit_of(d, op->mem.index);
    out->address_parts = 1 + indexed + (op->mem.disp != 0);
    out->address_scaled = op->shift.type != ARM64_SFT_INVALID;
    out->memory = (struct am_insn_memory){.base = number_of(d, op->mem.base),
                                          .index = indexed ? number_of(d, op->mem.index)
                                                           : (unsigned)AM_REG_COUNT,
                                          .scale = scaled ? 1u << op->shift.value : 1,
                                          .displacement = op->mem.disp};
    out->memory.known =
        out->memory.base < AM_REG_ARM_VECTOR && (!indexed || out->memory.index < AM_REG_ARM_VECTOR);
    if (in->writeback)
        see_base(out, d, in, op);
}

/* Sums of a register and a constant, copies: what becomes of addresses. */
static void see_move(struct am_insn *out, const struct decoder *d, const cs_arm64 *in)
{
    static const char *const sums[] = {"add", "adds", NULL}, *const less[] = {"sub", "subs", NULL};
    const cs_arm64_op *const ops = in->operands;
    const bool sum = am_glob_any(sums, out->mnemonic), minus = am_glob_any(less, out->mnemonic);

    if (in->op_count < 2 || ops[0].type != ARM64_OP_REG || ops[1].type != ARM64_OP_REG)
        return;
    if ((sum || minus) && in->op_count == 3 && ops[2].type == ARM64_OP_IMM)
        out->moved_by = (minus ? -ops[2].imm : ops[2].imm) *
                        (ops[2].shift.type == ARM64_SFT_LSL ? INT64_C(1) << ops[2].shift.value : 1);
    else if (strcmp(out->mnemonic, "mov") != 0 || in->op_count != 2)
        return;
    out->moved_to = number_of(d, ops[0].reg);
    out->moved_from = number_of(d, ops[1].reg);
    out->moves = out->moved_to < AM_REG_ARM_VECTOR && out->moved_from < AM_REG_ARM_VECTOR;
}

static void see_operands(struct am_insn *out, const struct decoder *d, const cs_arm64 *in)
{
    unsigned registers = 0;
    const cs_arm64_op *memory = NULL;

    out->loads = is_load(out->mnemonic);
    out->stores = is_store(out->mnemonic);
    for (uint8_t i = 0; i < in->op_count; i++) {
        const cs_arm64_op *const op = &in->operands[i];

        if (op->type == ARM64_OP_REG && memory)
            out->reads |= bit_of(d, op->reg); /* what the base moves on by */
        else if (op->type == ARM64_OP_REG && registers++ == 0)
            see_first(out, d, op);
        else if (op->type == ARM64_OP_REG)
            see_later(out, d, op);
        else if (op->type == ARM64_OP_MEM)
            see_memory(out, d, in, memory = op);
        else if (op->type == ARM64_OP_IMM || op->type == ARM64_OP_FP)
            out->immediate = true;
    }
    out->moved = registers;
    if (memory || out->loads) /* without an operand there: at a place of its own in the code */
        out->memory_bits = bits_moved(out, registers, d->insn->op_str);
    out->memory.known = out->memory.known || (out->loads && !memory);
    see_move(out, d, in);
}

static void see_flags(struct am_insn *out, const struct decoder *d)
{
    cs_regs read, written;
    uint8_t n_read = 0, n_written = 0;

    if (d->insn->detail->arm64.update_flags)
        out->writes |= UINT64_C(1) << AM_REG_ARM_FLAGS;
    if (cs_regs_access(d->handle, d->insn, read, &n_read, written, &n_written) != CS_ERR_OK)
        return;
    for (uint8_t i = 0; i < n_read; i++) {
        if (number_of(d, read[i]) == AM_REG_ARM_FLAGS)
            out->reads |= UINT64_C(1) << AM_REG_ARM_FLAGS;
    }
}

/* ---- one instruction ---- */

static enum am_flow flow_of(const char *m)
{
    static const char *const branches[] = {"b.*", "cbz", "cbnz", "tbz", "tbnz", NULL};
    static const char *const calls[] = {"bl", "blr", "blra*", NULL};
    static const char *const ends[] = {"ret*", "eret", "brk", "hlt", "udf", NULL};
    static const char *const jumps[] = {"b", "br", "bra?", "bra?z", NULL};

    return am_glob_any(branches, m) ? AM_FLOW_BRANCH
           : am_glob_any(calls, m)  ? AM_FLOW_CALL
           : am_glob_any(ends, m)   ? AM_FLOW_END
           : am_glob_any(jumps, m)  ? AM_FLOW_JUMP
                                    : AM_FLOW_NEXT;
}

static void see_target(struct am_insn *out, const cs_arm64 *in)
{
    const cs_arm64_op *const last = in->op_count ? &in->operands[in->op_count - 1] : NULL;

    out->aims = out->flow != AM_FLOW_NEXT && last && last->type == ARM64_OP_IMM;
    out->target = out->aims ? (uint64_t)last->imm : 0;
}

/* Groups of the encoding, which is stated in the manual of the architecture (C4.1): scalable
 * vectors have 0010 in bits 28 to 25, and memory from 100 on in bits 31 to 29, of which 111 stores;
 * other loads and stores have x1x0 there, and what they do is not told apart here (atomics do
 * both). */
static bool is_scalable(uint32_t word)
{
    return (word >> 25 & 0xf) == 2;
}

static bool is_unknown_access(uint32_t word)
{
    return is_scalable(word) ? word >> 31 == 1 : (word >> 25 & 5) == 4;
}

static bool is_unknown_store(uint32_t word)
{
    return is_scalable(word) && word >> 29 == 7;
}

static bool is_unknown_load(uint32_t word)
{
    return is_scalable(word) && word >> 29 != 7;
}

static uint64_t general_bit(uint32_t number)
{
    return (number & 31) < 31 ? UINT64_C(1) << (AM_REG_ARM_GENERAL + (number & 31)) : 0;
}

static enum am_status name_unknown(const unsigned char *bytes, struct am_arena *arena,
                                   struct am_insn *out)
{
    const uint32_t word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                          (uint32_t)bytes[3] << 24;

    out->mnemonic = "?";
    out->text = am_arena_printf(arena, ".word %#010x", word);
    out->maybe = general_bit(word);
    if (is_unknown_access(word) && !is_scalable(word)) /* exchanges write one or two others */
        out->maybe |= general_bit(word >> 16) | general_bit((word >> 16 & 31) + 1);
    out->loads = is_unknown_access(word) && !is_unknown_store(word);
    out->stores = is_unknown_access(word) && !is_unknown_load(word);
    return out->text ? AM_OK : AM_E_NOMEM;
}

static enum am_status decode(void *self, const unsigned char *bytes, size_t n, uint64_t address,
                             struct am_arena *arena, struct am_insn *out)
{
    const struct decoder *const d = self;
    const uint8_t *at = bytes;
    size_t left = WORD;
    uint64_t place = address;

    *out = (struct am_insn){.address = address,
                            .length = WORD,
                            .memory = {.base = AM_REG_COUNT, .index = AM_REG_COUNT}};
    if (n < WORD)
        return AM_E_USAGE;
    if (!cs_disasm_iter(d->handle, &at, &left, &place, d->insn))
        return name_unknown(bytes, arena, out);
    out->mnemonic = am_arena_strdup(arena, d->insn->mnemonic);
    out->text = am_arena_printf(arena, "%s%s%s", d->insn->mnemonic, d->insn->op_str[0] ? " " : "",
                                d->insn->op_str);
    if (!out->mnemonic || !out->text)
        return AM_E_NOMEM;
    out->flow = flow_of(out->mnemonic);
    see_operands(out, d, &d->insn->detail->arm64);
    see_flags(out, d);
    see_target(out, &d->insn->detail->arm64);
    return AM_OK;
}

static void stop(void *self)
{
    struct decoder *const d = self;

    if (d->insn)
        cs_free(d->insn, 1);
    (void)cs_close(&d->handle);
    free(d);
}

static void *start(void)
{
    struct decoder *const d = calloc(1, sizeof(*d));

    if (!d || cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &d->handle) != CS_ERR_OK) {
        free(d);
        return NULL;
    }
    if (cs_option(d->handle, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK)
        d->insn = cs_malloc(d->handle);
    if (d->insn)
        return d;
    stop(d);
    return NULL;
}

const struct am_decoder am_decoder_aarch64 = {.open = start, .close = stop, .decode = decode};
