/* SPDX-License-Identifier: MIT */
/* Instructions of AArch64 by Capstone.
 *
 * Which operands are written is decided here by the mnemonic: the library's own answers are wrong
 * of a dozen of them (cmp, adds, movi, tbl, ld1 and others). Words that it does not know, among
 * them all scalable vectors, are instructions without a name: they take a slot and nothing else. */
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

static void see_memory(struct am_insn *out, const struct decoder *d, const cs_arm64 *in,
                       const cs_arm64_op *op)
{
    out->address_reads |= bit_of(d, op->mem.base) | bit_of(d, op->mem.index);
    out->address_parts = 1 + (op->mem.index != ARM64_REG_INVALID) + (op->mem.disp != 0);
    out->address_scaled = op->shift.type != ARM64_SFT_INVALID;
    if (in->writeback)
        out->beside |= bit_of(d, op->mem.base);
}

static void see_operands(struct am_insn *out, const struct decoder *d, const cs_arm64 *in)
{
    unsigned registers = 0;

    out->loads = is_load(out->mnemonic);
    out->stores = is_store(out->mnemonic);
    for (uint8_t i = 0; i < in->op_count; i++) {
        const cs_arm64_op *const op = &in->operands[i];

        if (op->type == ARM64_OP_REG && registers++ == 0)
            see_first(out, d, op);
        else if (op->type == ARM64_OP_REG)
            see_later(out, d, op);
        else if (op->type == ARM64_OP_MEM)
            see_memory(out, d, in, op);
        else if (op->type == ARM64_OP_IMM || op->type == ARM64_OP_FP)
            out->immediate = true;
    }
    out->moved = registers;
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

static enum am_status name_unknown(const unsigned char *bytes, struct am_arena *arena,
                                   struct am_insn *out)
{
    const uint32_t word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                          (uint32_t)bytes[3] << 24;

    out->mnemonic = "?";
    out->text = am_arena_printf(arena, ".word %#010x", word);
    return out->text ? AM_OK : AM_E_NOMEM;
}

static enum am_status decode(void *self, const unsigned char *bytes, size_t n, uint64_t address,
                             struct am_arena *arena, struct am_insn *out)
{
    const struct decoder *const d = self;
    const uint8_t *at = bytes;
    size_t left = WORD;
    uint64_t place = address;

    *out = (struct am_insn){.address = address, .length = WORD};
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
