/* SPDX-License-Identifier: MIT */
/* Instructions of x86-64 by Zydis. */
#include "model/block/insn.h"

#include "base/text.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 160 };

/* The number of a register by its full name; AM_REG_COUNT for what is not followed. */
static unsigned number_of(ZydisRegister reg)
{
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

    if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15)
        return AM_REG_GENERAL + (unsigned)(whole - ZYDIS_REGISTER_RAX);
    if (whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM31)
        return AM_REG_VECTOR + (unsigned)(whole - ZYDIS_REGISTER_ZMM0);
    if (reg >= ZYDIS_REGISTER_K0 && reg <= ZYDIS_REGISTER_K7)
        return AM_REG_MASK + (unsigned)(reg - ZYDIS_REGISTER_K0);
    if (whole == ZYDIS_REGISTER_RFLAGS)
        return AM_REG_FLAGS;
    return AM_REG_COUNT;
}

static uint64_t bit_of(ZydisRegister reg)
{
    const unsigned n = reg == ZYDIS_REGISTER_NONE ? (unsigned)AM_REG_COUNT : number_of(reg);

    return n < AM_REG_COUNT ? UINT64_C(1) << n : 0;
}

static void see_width(struct am_insn *out, ZydisRegister reg)
{
    const unsigned n = number_of(reg);
    const unsigned bits = (unsigned)ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg);

    if (n < AM_REG_VECTOR && bits > out->general_bits)
        out->general_bits = bits;
    else if (n >= AM_REG_VECTOR && n < AM_REG_MASK && bits > out->vector_bits)
        out->vector_bits = bits;
}

/* What a conditional move does not write, and what lies beside a byte or a word of a general
 * register, stays: the old value is an operand. */
static bool keeps_some(const ZydisDecodedOperand *op)
{
    return (op->actions & ZYDIS_OPERAND_ACTION_CONDWRITE) != 0 ||
           (number_of(op->reg.value) < AM_REG_VECTOR && op->size < 32);
}

static void see_register(struct am_insn *out, const ZydisDecodedOperand *op, bool visible,
                         bool first)
{
    const bool writes = (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    const bool reads =
        (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0 || (writes && keeps_some(op));
    const unsigned n = number_of(op->reg.value);

    if (op->encoding == ZYDIS_OPERAND_ENCODING_MASK && op->reg.value == ZYDIS_REGISTER_K0)
        return; /* how "no mask" is encoded: the register itself is not read */
    if (reads)
        out->reads |= bit_of(op->reg.value);
    if (writes)
        out->writes |= bit_of(op->reg.value);
    if (!visible)
        return;
    if (n < AM_REG_MASK)
        see_width(out, op->reg.value);
    if (first && writes) {
        out->to_general = n < AM_REG_VECTOR;
        out->to_vector = n >= AM_REG_VECTOR && n < AM_REG_MASK;
        out->to_mask = n >= AM_REG_MASK && n < AM_REG_FLAGS;
    } else if (n >= AM_REG_MASK && n < AM_REG_FLAGS) {
        out->masked = out->masked || op->encoding == ZYDIS_OPERAND_ENCODING_MASK;
    } else if (reads) {
        out->from_general = out->from_general || n < AM_REG_VECTOR;
        out->from_vector = out->from_vector || (n >= AM_REG_VECTOR && n < AM_REG_MASK);
        out->from_bits = op->size;
    }
    out->by_cl = out->by_cl || (op->reg.value == ZYDIS_REGISTER_CL && !first);
}

/* The number of a general register of 64 bits; AM_REG_COUNT for anything else. */
static unsigned general_of(ZydisRegister reg)
{
    return reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15
               ? AM_REG_GENERAL + (unsigned)(reg - ZYDIS_REGISTER_RAX)
               : (unsigned)AM_REG_COUNT;
}

static bool is_followed(ZydisRegister reg)
{
    return reg == ZYDIS_REGISTER_NONE || reg == ZYDIS_REGISTER_RIP ||
           general_of(reg) < AM_REG_COUNT;
}

static void see_memory(struct am_insn *out, const ZydisDecodedOperand *op)
{
    const ZydisDecodedOperandMem *const m = &op->mem;

    out->address_reads |= bit_of(m->base) | bit_of(m->index);
    out->address_parts = (m->base != ZYDIS_REGISTER_NONE) + (m->index != ZYDIS_REGISTER_NONE) +
                         (m->disp.has_displacement && m->disp.value != 0);
    out->address_scaled = m->index != ZYDIS_REGISTER_NONE && m->scale > 1;
    out->memory =
        (struct am_insn_memory){.base = general_of(m->base),
                                .index = general_of(m->index),
                                .scale = m->scale,
                                .displacement = m->disp.has_displacement ? m->disp.value : 0,
                                .known = is_followed(m->base) && is_followed(m->index)};
    if (m->type == ZYDIS_MEMOP_TYPE_AGEN)
        return;
    out->memory_bits = op->size;
    out->loads = out->loads || (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    out->stores = out->stores || (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

static void see_operands(struct am_insn *out, const ZydisDecodedInstruction *in,
                         const ZydisDecodedOperand *ops)
{
    ZydisRegister same = ZYDIS_REGISTER_NONE;
    size_t registers = 0, different = 0;

    for (ZyanU8 i = 0; i < in->operand_count; i++) {
        const bool visible = i < in->operand_count_visible;

        if (ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER) {
            see_register(out, &ops[i], visible, i == 0);
            if (visible && ops[i].encoding != ZYDIS_OPERAND_ENCODING_MASK) {
                different += registers && ops[i].reg.value != same;
                same = ops[i].reg.value;
                registers++;
            }
        } else if (ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
            see_memory(out, &ops[i]);
        } else if (ops[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
            out->immediate = true;
        }
    }
    out->same_sources = registers >= 2 && different == 0 && !out->loads;
}

/* Sums of a register and a constant: what becomes of addresses from one iteration to the next. */
static void see_move(struct am_insn *out, const ZydisDecodedInstruction *in,
                     const ZydisDecodedOperand *ops)
{
    const bool to = in->operand_count_visible >= 1 && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
    const bool by = in->operand_count_visible == 2 && ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

    out->moved_to = to ? general_of(ops[0].reg.value) : (unsigned)AM_REG_COUNT;
    out->moved_from = out->moved_to;
    if (in->mnemonic == ZYDIS_MNEMONIC_ADD && by)
        out->moved_by = ops[1].imm.value.s;
    else if (in->mnemonic == ZYDIS_MNEMONIC_SUB && by)
        out->moved_by = -ops[1].imm.value.s;
    else if (in->mnemonic == ZYDIS_MNEMONIC_INC)
        out->moved_by = 1;
    else if (in->mnemonic == ZYDIS_MNEMONIC_DEC)
        out->moved_by = -1;
    else if (in->mnemonic == ZYDIS_MNEMONIC_MOV && in->operand_count_visible == 2 &&
             ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
        out->moved_from = general_of(ops[1].reg.value);
    else if (in->mnemonic == ZYDIS_MNEMONIC_LEA && out->memory.index == AM_REG_COUNT) {
        out->moved_from = out->memory.base;
        out->moved_by = out->memory.displacement;
    } else {
        return;
    }
    out->moves = out->moved_to < AM_REG_COUNT && out->moved_from < AM_REG_COUNT;
}

/* Flags are one register here. Instructions name it as a hidden operand too, with its actions. */
static void see_flags(struct am_insn *out, const ZydisDecodedInstruction *in)
{
    if (!in->cpu_flags)
        return;
    if (in->cpu_flags->tested)
        out->reads |= UINT64_C(1) << AM_REG_FLAGS;
    else
        out->reads &= ~(UINT64_C(1) << AM_REG_FLAGS);
    if (in->cpu_flags->modified | in->cpu_flags->set_0 | in->cpu_flags->set_1)
        out->writes |= UINT64_C(1) << AM_REG_FLAGS;
}

/* Old encodings that write a part of a vector and leave the rest as it is: the old value is an
 * operand. Loads of scalars clear the rest. */
static void see_part(struct am_insn *out)
{
    static const char *const names[] = {"movlp?",   "movhp?",   "movlhps",  "movhlps",
                                        "cvtsi2s?", "cvtss2sd", "cvtsd2ss", "sqrts?",
                                        "rounds?",  "rcpss",    "rsqrtss",  NULL};
    static const char *const scalars[] = {"movss", "movsd", NULL};

    if (!out->vex && out->to_vector &&
        (am_glob_any(names, out->mnemonic) || (!out->loads && am_glob_any(scalars, out->mnemonic))))
        out->reads |= out->writes;
}

/* Atomic (xchg with memory is so without the prefix, too), or a store that leaves no line in a
 * cache. */
static bool is_apart(const struct am_insn *out, const ZydisDecodedInstruction *in)
{
    static const char *const names[] = {"movnt*", "vmovnt*", "maskmov?q*", "vmaskmovdqu", NULL};

    return (in->attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 ||
           (in->mnemonic == ZYDIS_MNEMONIC_XCHG && out->stores) ||
           (out->stores && am_glob_any(names, out->mnemonic));
}

static enum am_flow flow_of(const ZydisDecodedInstruction *in)
{
    switch (in->meta.category) {
    case ZYDIS_CATEGORY_COND_BR: return AM_FLOW_BRANCH;
    case ZYDIS_CATEGORY_UNCOND_BR: return AM_FLOW_JUMP;
    case ZYDIS_CATEGORY_CALL: return AM_FLOW_CALL;
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_INTERRUPT: return AM_FLOW_END;
    default: return AM_FLOW_NEXT;
    }
}

static bool has_vector(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
    for (ZyanU8 i = 0; i < in->operand_count_visible; i++) {
        const ZydisRegisterClass kind = ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER
                                            ? ZydisRegisterGetClass(ops[i].reg.value)
                                            : ZYDIS_REGCLASS_INVALID;

        if (kind == ZYDIS_REGCLASS_XMM || kind == ZYDIS_REGCLASS_YMM || kind == ZYDIS_REGCLASS_ZMM)
            return true;
    }
    return false;
}

/* As assemblers write it: Zydis puts the size of an operand in memory behind every name (vaddsdq),
 * where assemblers want it only if no register tells it, and fills targets of jumps up with zeros.
 */
static void write_text(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops,
                       uint64_t address, char *text, size_t size)
{
    const char *const name = ZydisMnemonicGetString(in->mnemonic);
    ZydisFormatter formatter;
    size_t longer;

    if (!ZYAN_SUCCESS(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT)))
        return;
    (void)ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
                                    ZYDIS_PADDING_DISABLED);
    (void)ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
    (void)ZydisFormatterFormatInstruction(&formatter, in, ops, in->operand_count_visible, text,
                                          size, address, NULL);
    longer = strcspn(text, " ");
    if (has_vector(in, ops) && longer > strlen(name) && strncmp(text, name, strlen(name)) == 0)
        memmove(text + strlen(name), text + longer, strlen(text + longer) + 1);
}

static bool translate(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops,
                      uint64_t address, struct am_arena *arena, struct am_insn *out)
{
    char text[TEXT_MAX] = "";

    *out = (struct am_insn){.address = address,
                            .length = in->length,
                            .mnemonic = ZydisMnemonicGetString(in->mnemonic),
                            .flow = flow_of(in),
                            .vex = in->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ||
                                   in->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ||
                                   in->encoding == ZYDIS_INSTRUCTION_ENCODING_XOP};
    out->memory = (struct am_insn_memory){.base = AM_REG_COUNT, .index = AM_REG_COUNT};
    see_operands(out, in, ops);
    see_move(out, in, ops);
    see_flags(out, in);
    see_part(out);
    out->apart = is_apart(out, in);
    if (out->flow != AM_FLOW_NEXT && in->operand_count_visible > 0 &&
        ops[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        ZyanU64 target = 0;

        out->aims = ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(in, &ops[0], address, &target));
        out->target = target;
    }
    write_text(in, ops, address, text, sizeof(text));
    out->text = am_arena_strdup(arena, text[0] ? text : out->mnemonic);
    return out->text != NULL;
}

static void *start(void)
{
    ZydisDecoder *const decoder = malloc(sizeof(*decoder));

    if (decoder &&
        ZYAN_SUCCESS(ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
        return decoder;
    free(decoder);
    return NULL;
}

static enum am_status decode(void *self, const unsigned char *bytes, size_t n, uint64_t address,
                             struct am_arena *arena, struct am_insn *out)
{
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(self, bytes, n, &in, ops)))
        return AM_E_USAGE;
    return translate(&in, ops, address, arena, out) ? AM_OK : AM_E_NOMEM;
}

const struct am_decoder am_decoder_x86_64 = {.open = start, .close = free, .decode = decode};
