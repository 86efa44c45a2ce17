/* SPDX-License-Identifier: MIT */
/* From decoded x86-64 instructions to the names of measured forms (kernels/instr_x86_64.inc and
 * kernels/mix/own_x86_64.inc). */
#include "model/block/forms.h"

#include "base/text.h"

#include <string.h>

enum { LIKES_MAX = 6 }; /* forms that are tried in place of another */

struct naming {
    const struct am_insn *insn;
    const struct am_insn_around *around;
    am_form_known_fn *known;
    const void *self;
};

/* ---- moves ---- */

/* Moves of whole registers and vectors, which memory turns into a load or a store. */
static bool is_plain_move(const char *m)
{
    static const char *const names[] = {
        "mov",    "movabs",  "movaps",  "movapd",  "movups",  "movupd",   "movdqa",
        "movdqu", "vmovaps", "vmovapd", "vmovups", "vmovupd", "vmovdqa*", "vmovdqu*",
        "movsd",  "movss",   "vmovsd",  "vmovss",  "movq",    "vmovq",    "movd",
        "vmovd",  "lddqu",   "vlddqu",  "movnt*",  "vmovnt*", NULL};

    return am_glob_any(names, m);
}

/* Stores of one half of a vector; as loads they are operations, which merge. */
static bool is_half_store(const struct am_insn *in)
{
    static const char *const names[] = {"*movlp?", "*movhp?", NULL};

    return in->stores && am_glob_any(names, in->mnemonic);
}

/* The form that loads so many bits into a register of the instruction's kind. */
static const char *load_form(const struct am_insn *in)
{
    if (in->vector_bits == 0 && !in->to_vector)
        return in->memory_bits >= 32                           ? "mov_r64_m64_row"
               : in->to_general && is_plain_move(in->mnemonic) ? "mov_r8_m8"
                                                               : "movzbl_r32_m8";
    if (!in->vex)
        return in->memory_bits >= 128  ? "movups_xmm_m128"
               : in->memory_bits >= 64 ? "movsd_xmm_m64"
                                       : "movss_xmm_m32";
    return in->memory_bits >= 512   ? in->masked ? "vmovups_zmm_m512_zeroed" : "vmovups_zmm_m512"
           : in->memory_bits >= 256 ? "vmovups_ymm_m256"
           : in->memory_bits >= 128 ? "vmovups_xmm_m128"
                                    : "vmovsd_xmm_m64";
}

static const char *store_form(const struct am_insn *in, bool other_line)
{
    if (am_glob_match("*movhp?", in->mnemonic))
        return in->vex ? "vmovhpd_m64_xmm" : "movhpd_m64_xmm";
    if (in->vector_bits == 0 && other_line)
        return "mov_m64_r64_lines";
    if (in->vector_bits == 0)
        return in->immediate ? "mov_m64_imm" : "mov_m64_r64";
    if (!in->vex)
        return in->memory_bits >= 128  ? "movups_m128_xmm"
               : in->memory_bits >= 64 ? "movsd_m64_xmm"
                                       : "movss_m32_xmm";
    return in->memory_bits >= 512   ? in->masked ? "vmovups_m512_zmm_masked" : "vmovups_m512_zmm"
           : in->memory_bits >= 256 ? "vmovups_m256_ymm"
           : in->memory_bits >= 128 ? "vmovups_m128_xmm"
                                    : "vmovsd_m64_xmm";
}

/* Between registers. */
static const char *move_form(const struct am_insn *in)
{
    if (in->to_general && in->from_vector)
        return in->vex ? "vmovq_r64_xmm" : "movq_r64_xmm";
    if (in->to_vector && in->from_general)
        return in->vex ? "vmovq_xmm_r64" : "movq_xmm_r64";
    if (in->to_vector && (strstr(in->mnemonic, "movss") || strstr(in->mnemonic, "movsd")))
        return "movsd_xmm"; /* merges */
    if (in->to_vector)
        return in->vector_bits >= 512 ? "vmovdqa64_zmm" : in->vex ? "vmovaps_ymm" : "movaps_xmm";
    if (in->immediate)
        return "mov_r32_imm";
    return in->general_bits >= 64 ? "mov_r64" : "mov_r32";
}

/* ---- other operations ---- */

static const char *extension_form(const struct am_insn *in)
{
    const unsigned from = in->memory_bits ? in->memory_bits : in->from_bits;
    const bool is_signed = in->mnemonic[3] == 's';

    if (in->loads)
        return is_signed ? "movsbq_r64_m8" : "movzbl_r32_m8";
    if (!is_signed)
        return from >= 16 ? "movzwl_r32" : "movzbl_r32";
    return from >= 32 ? "movslq_r64" : from >= 16 ? "movswq_r64" : "movsbq_r64";
}

static const char *address_form(const struct am_insn *in)
{
    if (in->address_scaled || in->address_parts > 2)
        return "lea_r64_scaled";
    return in->address_parts == 2 ? "lea_r64" : "lea_r64_base";
}

static const char *product_form(const struct am_insn *in)
{
    return in->immediate ? "imul_r64_imm" : in->general_bits >= 64 ? "imul_r64" : "imul_r32";
}

static const char *condition_form(const struct am_insn *in)
{
    if (strncmp(in->mnemonic, "set", 3) == 0)
        return "sete_r8";
    return in->mnemonic[4] == 'b' || in->mnemonic[4] == 'n' ? "cmovb_r64" : "cmove_r64";
}

static const char *conversion_form(const struct am_insn *in)
{
    if (in->to_general)
        return in->vex ? "vcvttsd2si_r64_xmm" : "cvttsd2si_r64_xmm";
    return in->vex ? "vcvtsi2sd_xmm_r64" : "cvtsi2sd_xmm_r64";
}

static const char *comparison_form(const struct am_insn *in)
{
    return in->vex ? "vucomisd_xmm" : "ucomisd_xmm";
}

/* A comparison or a test of vectors into a mask: of numbers, of bits, of small or large integers.
 */
static const char *to_mask_form(const struct am_insn *in)
{
    static const char *const small[] = {"*b", "*w", NULL};
    const bool narrow = in->vector_bits < 512;

    if (strncmp(in->mnemonic, "vpmov", 5) == 0)
        return narrow ? "vpmovd2m_k_ymm" : "vpmovd2m_k_zmm";
    if (strncmp(in->mnemonic, "vcmp", 4) == 0)
        return narrow ? "vcmpltpd_k_ymm" : "vcmpltpd_k_zmm";
    if (strncmp(in->mnemonic, "vptest", 6) == 0)
        return narrow ? "vptestmb_k_ymm" : "vptestmb_k_zmm";
    if (am_glob_any(small, in->mnemonic))
        return narrow ? "vpcmpeqb_k_ymm" : "vpcmpeqb_k_zmm";
    return narrow ? "vpcmpeqd_k_ymm" : "vpcmpeqd_k_zmm";
}

static const char *mask_test_form(const struct am_insn *in)
{
    return in->mnemonic[1] == 't' ? "ktestd_k" : "kortestd_k";
}

/* One element to a general register, or from one. */
static const char *element_form(const struct am_insn *in)
{
    if (in->to_general)
        return in->vex ? "vpextrq_r64_xmm" : "pextrw_r32_xmm";
    if (in->from_general)
        return in->vex ? "vpinsrq_xmm_r64" : "pinsrw_xmm_r32";
    return NULL;
}

/* A store of those elements that a vector names: the more there are, the longer some cores take. */
static const char *masked_store_form(const struct am_insn *in)
{
    static const char *const large[] = {"*pd", "*q", NULL};

    if (!in->stores)
        return NULL;
    return am_glob_any(large, in->mnemonic) ? "vmaskmovpd_m256_ymm" : "vmaskmovps_m256_ymm";
}

static const char *sign_mask_form(const struct am_insn *in)
{
    const bool bytes = strstr(in->mnemonic, "pmovmskb") != NULL;

    if (!in->vex)
        return bytes ? "pmovmskb_r32_xmm" : "movmskpd_r32_xmm";
    return bytes ? "vpmovmskb_r32_ymm" : "vmovmskpd_r32_ymm";
}

static const char *broadcast_form(const struct am_insn *in)
{
    if (in->vector_bits >= 512)
        return in->memory_bits >= 128  ? "vbroadcastf32x4_zmm_m128"
               : in->memory_bits >= 64 ? "vbroadcastsd_zmm_m64"
                                       : "vbroadcastss_zmm_m32";
    return in->memory_bits >= 64 ? "vbroadcastsd_ymm_m64" : "vbroadcastss_ymm_m32";
}

/* From memory these are loads: elements are doubled on the way. */
static const char *doubling_form(const struct am_insn *in)
{
    if (!in->loads)
        return NULL;
    return in->vector_bits >= 512   ? "vmovddup_zmm_m512"
           : in->vector_bits >= 256 ? "vmovups_ymm_m256"
                                    : load_form(in);
}

static const char *mask_move_form(const struct am_insn *in)
{
    const bool large = in->mnemonic[4] == 'd' || in->mnemonic[4] == 'q';

    if (in->to_general)
        return large ? "kmovd_r32_k" : "kmovw_r32_k";
    return in->from_general ? "kmovw_k_r32" : "kmovw_k";
}

static const char *gpr_conversion(const struct am_insn *in)
{
    if (in->loads && !in->to_general && !in->from_general)
        return in->vex ? "vcvtsi2sd_xmm_m64" : "cvtsi2sd_xmm_m64";
    return (in->to_general || in->from_general) ? conversion_form(in) : NULL;
}

/* Sums with a small constant, which some cores do while they rename. */
static const char *sum_form(const struct am_insn *in)
{
    static const int64_t small = 128;
    const bool one = strcmp(in->mnemonic, "inc") == 0 || strcmp(in->mnemonic, "dec") == 0;
    const bool large = in->moves && (in->moved_by >= small || in->moved_by < -small);

    return (one || in->immediate) && in->to_general && !in->loads && !in->stores && !large &&
                   in->general_bits >= 32
               ? "add_r64_imm"
               : NULL;
}

/* Operations whose form is not the mnemonic and a width; the first that matches and has a form
 * counts. `whole`: memory is part of the form, no load stands beside it. */
static const struct {
    const char *mnemonic; /* glob */
    const char *(*form)(const struct am_insn *in);
    bool whole;
} special[] = {
    {"movzx", extension_form, true},
    {"movsx*", extension_form, true},
    {"*movddup", doubling_form, true},
    {"*movs?dup", doubling_form, true},
    {"lea", address_form, true},
    {"imul", product_form, false},
    {"cmov*", condition_form, false},
    {"set*", condition_form, false},
    {"*cvtsi2s?", gpr_conversion, false},
    {"vcvtusi2s?", gpr_conversion, false},
    {"*pextr?", element_form, false},
    {"*pinsr?", element_form, false},
    {"v*maskmov*", masked_store_form, true},
    {"*cvt*s?2si", gpr_conversion, false},
    {"*comis?", comparison_form, false},
    {"*movmsk*", sign_mask_form, false},
    {"kmov?", mask_move_form, false},
    {"kortest?", mask_test_form, false},
    {"ktest?", mask_test_form, false},
    {"add", sum_form, false},
    {"sub", sum_form, false},
    {"inc", sum_form, false},
    {"dec", sum_form, false},
};

/* ---- names by width ---- */

static bool is_known(const struct naming *n, char *out, const char *mnemonic, const char *width,
                     const char *what)
{
    return am_str_format(out, AM_FORM_NAME_MAX, "%s_%s%s", mnemonic, width, what) &&
           n->known(n->self, out);
}

/* The same with its operand in memory as a part of the form: some operations are other work then
 * than on a register and a load. */
static bool is_known_whole(const struct naming *n, char *out, const char *mnemonic,
                           const char *width)
{
    return n->insn->loads && !n->insn->stores && n->insn->vector_bits &&
           am_str_format(out, AM_FORM_NAME_MAX, "%s_%s_m%u", mnemonic, width,
                         n->insn->memory_bits) &&
           n->known(n->self, out);
}

/* The widths that a form may have, its own first; ended by NULL. */
static const char *const *widths_of(const struct am_insn *in)
{
    static const char
        *const zmm[] = {"zmm", "ymm", NULL},
               *const ymm[] = {"ymm", "xmm", NULL}, *const xmm[] = {"xmm", "ymm", NULL},
               *const r64[] = {"r64", "r32", NULL}, *const r32[] = {"r32", "r64", NULL},
               *const small[] = {"r16", "r32", "r64", NULL},
               *const byte[] = {"r8", "r32", "r64", NULL}, *const mask[] = {"k", NULL};

    if (in->vector_bits)
        return in->vector_bits >= 512 ? zmm : in->vector_bits >= 256 ? ymm : xmm;
    if (in->to_mask)
        return mask;
    if (in->general_bits >= 64 || (in->general_bits == 0 && in->memory_bits >= 64))
        return r64;
    if (in->general_bits == 16)
        return small;
    return in->general_bits == 8 ? byte : r32;
}

/* A form of the mnemonic in any width; `exact` stays only with the first one. */
static bool find_width(const struct naming *n, const char *mnemonic, bool *exact, char *out)
{
    const char *const what = n->insn->by_cl ? "_cl" : "";

    for (const char *const *w = widths_of(n->insn); *w; w++) {
        if (is_known_whole(n, out, mnemonic, *w) || is_known(n, out, mnemonic, *w, what))
            return true;
        *exact = false;
    }
    return n->insn->by_cl && is_known(n, out, mnemonic, "r64", "");
}

/* The mnemonic as forms are called: any order of a fused product, any relation of a comparison. */
static void canonical(const struct am_insn *in, char *out, size_t cap)
{
    static const char *const fused[] = {"vfmadd*", "vfmsub*", "vfnmadd*", "vfnmsub*", NULL};
    static const char *const compared[] = {"cmpp?", "cmps?", "vcmpp?", "vcmps?", NULL};
    const size_t len = strlen(in->mnemonic);

    if (am_glob_any(fused, in->mnemonic) && len > 2)
        (void)am_str_format(out, cap, "vfmadd231%s", in->mnemonic + len - 2);
    else if (am_glob_any(compared, in->mnemonic))
        (void)am_str_format(out, cap, "%scmplt%s", in->vex ? "v" : "", in->mnemonic + len - 2);
    else
        (void)am_str_copy(out, cap, in->mnemonic);
}

/* By the mnemonic, with and without its v, then by what is done alike. */
static enum am_form_match find_operation(const struct naming *n, char *out)
{
    char mnemonic[AM_FORM_NAME_MAX], other[AM_FORM_NAME_MAX];
    const char *base;
    bool exact = true;

    canonical(n->insn, mnemonic, sizeof(mnemonic));
    if (find_width(n, mnemonic, &exact, out))
        return exact ? AM_FORM_EXACT : AM_FORM_LIKE;
    base = n->insn->vex && mnemonic[0] == 'v' ? mnemonic + 1 : mnemonic;
    for (int i = 0; base && i < LIKES_MAX; i++) {
        const bool v = n->insn->vex && n->insn->vector_bits;

        (void)am_str_format(other, sizeof(other), "%s%s", v ? "v" : "", base);
        if (find_width(n, other, &exact, out) || find_width(n, base, &exact, out))
            return AM_FORM_LIKE;
        (void)am_str_format(other, sizeof(other), "v%s", base);
        if (n->insn->vector_bits && find_width(n, other, &exact, out))
            return AM_FORM_LIKE;
        base = am_form_like_x86_64(base);
    }
    return AM_FORM_UNKNOWN;
}

/* ---- all of an instruction ---- */

static bool is_fused(const struct am_insn *in, const struct am_insn *before)
{
    static const char *const with[] = {"cmp", "test", "add", "sub", "inc", "dec", "and", NULL};

    return in->flow == AM_FLOW_BRANCH && before && am_glob_any(with, before->mnemonic) &&
           !(before->stores || (before->loads && before->immediate));
}

static bool is_zero(const struct am_insn *in)
{
    static const char *const names[] = {"xor",    "sub",      "*pxor*", "*xorp?",
                                        "*psub?", "*pcmpgt?", NULL};

    return in->same_sources && am_glob_any(names, in->mnemonic);
}

static bool is_nothing(const struct am_insn *in)
{
    static const char *const names[] = {"nop", "endbr64", "vzeroupper", NULL};

    return am_glob_any(names, in->mnemonic);
}

/* What stands for a load, a store or a move that was not measured; followed until one was. */
static const struct {
    const char *form, *like;
} stand_ins[] = {
    {"movzbl_r32_m8", "mov_r64_m64_row"},
    {"movsbq_r64_m8", "mov_r64_m64_row"},
    {"mov_r8_m8", "movzbl_r32_m8"},
    {"mov_m64_imm", "mov_m64_r64"},
    {"mov_m64_r64_lines", "mov_m64_r64"},
    {"mov_r32", "mov_r64"},
    {"mov_r32_imm", "add_r64"},
    {"sete_r8", "cmovb_r64"},
    {"cmove_r64", "cmovb_r64"},
    {"movss_xmm_m32", "movsd_xmm_m64"},
    {"movss_m32_xmm", "movsd_m64_xmm"},
    {"movsd_xmm_m64", "movups_xmm_m128"},
    {"movsd_m64_xmm", "movups_m128_xmm"},
    {"vmovsd_xmm_m64", "vmovups_xmm_m128"},
    {"vmovsd_m64_xmm", "vmovups_m128_xmm"},
    {"movhpd_m64_xmm", "movsd_m64_xmm"},
    {"vmovhpd_m64_xmm", "vmovsd_m64_xmm"},
    {"vbroadcastss_ymm_m32", "vbroadcastsd_ymm_m64"},
    {"vbroadcastsd_ymm_m64", "vmovups_ymm_m256"},
    {"vbroadcastss_zmm_m32", "vbroadcastsd_zmm_m64"},
    {"vbroadcastf32x4_zmm_m128", "vbroadcastsd_zmm_m64"},
    {"vbroadcastsd_zmm_m64", "vbroadcastsd_ymm_m64"},
    {"vmovddup_zmm_m512", "vmovups_zmm_m512"},
    {"vmovups_zmm_m512_zeroed", "vmovups_zmm_m512"},
    {"vmovups_m512_zmm_masked", "vmovups_m512_zmm"},
    {"vptestmb_k_ymm", "vpcmpeqb_k_ymm"},
    {"vpcmpeqb_k_ymm", "vpcmpeqd_k_ymm"},
    {"vpcmpeqd_k_ymm", "vpcmpeqd_k_zmm"},
    {"vcmpltpd_k_ymm", "vcmpltpd_k_zmm"},
    {"vptestmb_k_zmm", "vpcmpeqb_k_zmm"},
    {"vpcmpeqb_k_zmm", "vpcmpeqd_k_zmm"},
    {"vpmovd2m_k_ymm", "vptestmb_k_ymm"},
    {"vpmovd2m_k_zmm", "vptestmb_k_zmm"},
    {"kmovd_r32_k", "kmovw_r32_k"},
    {"vmaskmovpd_m256_ymm", "vmaskmovps_m256_ymm"},
    {"vcvtsi2sd_xmm_m64", "vcvtsi2sd_xmm_r64"},
    {"cvtsi2sd_xmm_m64", "cvtsi2sd_xmm_r64"},
    {"vpextrq_r64_xmm", "vmovq_r64_xmm"},
    {"pextrw_r32_xmm", "movq_r64_xmm"},
    {"vpinsrq_xmm_r64", "vmovq_xmm_r64"},
    {"pinsrw_xmm_r32", "movq_xmm_r64"},
    {"ktestd_k", "kortestd_k"},
    {"kortestd_k", "kmovw_r32_k"},
    {"movsd_xmm", "pshufd_xmm"},
    {"movaps_xmm", "xor_r32_zero"},
    {"vmovaps_ymm", "xor_r32_zero"},
    {"vmovdqa64_zmm", "xor_r32_zero"},
    {"imul_r64", "imul_r64_imm"},
    {"imul_r32", "imul_r64"},
    {"lea_r64_base", "lea_r64"},
    {"add_r64_imm", "inc_r64"},
    {"inc_r64", "add_r64"},
    {"movzwl_r32", "movzbl_r32"},
    {"movslq_r64", "movzbl_r32"},
    {"movswq_r64", "movzbl_r32"},
    {"movsbq_r64", "movzbl_r32"},
    {"cvttsd2si_r64_xmm", "movq_r64_xmm"},
    {"movmskpd_r32_xmm", "movq_r64_xmm"},
    {"pmovmskb_r32_xmm", "movq_r64_xmm"},
    {"vmovmskpd_r32_ymm", "vmovq_r64_xmm"},
    {"vpmovmskb_r32_ymm", "vmovq_r64_xmm"},
    {"ucomisd_xmm", "movq_r64_xmm"},
    {"vucomisd_xmm", "vmovq_r64_xmm"},
};

/* Takes the form of that name, or the first of its stand-ins that was measured. */
static enum am_form_match take(const struct naming *n, const char *name, char *out)
{
    enum am_form_match match = AM_FORM_EXACT;

    for (size_t i = 0;
         name && i < sizeof(stand_ins) / sizeof(stand_ins[0]) && !n->known(n->self, name);) {
        if (strcmp(stand_ins[i].form, name) == 0) {
            name = stand_ins[i].like;
            match = AM_FORM_LIKE;
            i = 0;
        } else {
            i++;
        }
    }
    if (!name || !n->known(n->self, name))
        return AM_FORM_UNKNOWN;
    (void)am_str_copy(out, AM_FORM_NAME_MAX, name);
    return match;
}

/* A load, a store or a move between registers, and nothing else. */
static enum am_form_match name_move(const struct naming *n, struct am_insn_forms *out)
{
    const struct am_insn *const in = n->insn;

    if (in->loads)
        return take(n, load_form(in), out->load);
    return in->stores ? take(n, store_form(in, n->around->other_line), out->store)
                      : take(n, move_form(in), out->operation);
}

static enum am_form_match name_operation(const struct naming *n, bool *whole, char *out)
{
    const struct am_insn *const in = n->insn;
    const bool broadcast = am_glob_match("v*broadcast*", in->mnemonic) && in->loads;

    *whole = broadcast;
    if (broadcast)
        return take(n, broadcast_form(in), out);
    if (n->around->after && is_fused(n->around->after, in))
        return find_operation(n, out); /* with its branch it needs a unit, whatever it is alone */
    if (in->to_mask && in->vector_bits)
        return am_form_lesser(take(n, to_mask_form(in), out), AM_FORM_LIKE);
    for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
        const enum am_form_match match = am_glob_match(special[i].mnemonic, in->mnemonic)
                                             ? take(n, special[i].form(in), out)
                                             : AM_FORM_UNKNOWN;

        if (match != AM_FORM_UNKNOWN) {
            *whole = special[i].whole;
            return match;
        }
    }
    return find_operation(n, out);
}

/* Whether the form holds the load: "vunpcklpd_ymm_m256". */
static bool holds_load(const char *form)
{
    const char *const memory = strstr(form, "_m");

    return memory && memory[2] >= '0' && memory[2] <= '9';
}

/* Whether it holds the store: "vmaskmovps_m256_ymm", a scatter. */
static bool holds_store(const char *form)
{
    static const char *const names[] = {"*_m???_?mm", "*scatter*", NULL};

    return am_glob_any(names, form);
}

void am_insn_forms_x86_64(const struct am_insn *insn, const struct am_insn_around *around,
                          am_form_known_fn *known, const void *self, struct am_insn_forms *out)
{
    const struct naming n = {.insn = insn, .around = around, .known = known, .self = self};
    bool whole = false;

    if (is_fused(insn, around->before)) {
        out->match = AM_FORM_NONE;
    } else if (insn->flow == AM_FLOW_BRANCH || insn->flow == AM_FLOW_JUMP) {
        out->match = am_form_lesser(take(&n, "add_r64", out->operation), AM_FORM_LIKE);
    } else if (is_zero(insn) || is_nothing(insn)) {
        out->eliminated = true;
        out->match = take(&n, "xor_r32_zero", out->operation);
    } else if (am_glob_match("prefetch*", insn->mnemonic)) {
        out->match = am_form_lesser(take(&n, "mov_r64_m64_row", out->load), AM_FORM_LIKE);
    } else if (is_plain_move(insn->mnemonic) || is_half_store(insn)) {
        out->match = name_move(&n, out);
    } else {
        out->match = name_operation(&n, &whole, out->operation);
        if (out->match == AM_FORM_UNKNOWN)
            out->operation[0] = '\0';
        if (insn->loads && !whole && !holds_load(out->operation))
            out->match = am_form_lesser(out->match, take(&n, load_form(insn), out->load));
        if (insn->stores && !holds_store(out->operation))
            out->match = am_form_lesser(out->match,
                                        take(&n, store_form(insn, around->other_line), out->store));
    }
    if (insn->apart) { /* it takes what its load and store take at least */
        out->operation[0] = '\0';
        out->match = AM_FORM_UNKNOWN;
    }
}
