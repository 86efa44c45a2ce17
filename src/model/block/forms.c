/* SPDX-License-Identifier: MIT */
/* Forms by architecture. */
#include "model/block/forms.h"

typedef void name_fn(const struct am_insn *insn, const struct am_insn_around *around,
                     am_form_known_fn *known, const void *self, struct am_insn_forms *out);

static const struct {
    name_fn *name;
    const char *slot, *load, *sum, *forward[AM_FORWARDS], *lines, *halves;
    struct am_form_pair indexed[AM_INDEXED], crossing;
    struct am_form_halves loads;
} archs[AM_ARCHS] = {
    [AM_ARCH_X86_64] = {am_insn_forms_x86_64,
                        "xor_r32_zero",
                        "mov_r64_m64",
                        "add_r64",
                        {[AM_FORWARD_SAME] = "store_load_r64",
                         [AM_FORWARD_OTHER] = "store_load_r64_other",
                         [AM_FORWARD_SIGNED] = "store_load_r64_signed",
                         [AM_FORWARD_SMALL] = "store_load_r8",
                         [AM_FORWARD_UPDATE] = "and_m64_r64",
                         [AM_FORWARD_UPDATE_CONSTANT] = "and_m64_imm",
                         [AM_FORWARD_VECTOR] = "store_load_xmm"},
                        "mov_m64_r64_lines",
                        "mov_m64_r64_halves",
                        {[AM_INDEXED_LOAD] = {"cmp_r64_m64", "cmp_r64_m64_indexed"},
                         [AM_INDEXED_UPDATE] = {"add_r64_m64", "add_r64_m64_indexed"},
                         [AM_INDEXED_OLD_VECTOR] = {"addsd_xmm_m64", "addsd_xmm_m64_indexed"},
                         [AM_INDEXED_VECTOR_LOAD] = {"vaddsd_xmm_m64", "vaddsd_xmm_m64_indexed"},
                         [AM_INDEXED_STORE] = {"mov_m64_r64", "mov_m64_r64_indexed"},
                         [AM_INDEXED_CONSTANT_STORE] = {"mov_m64_imm", "mov_m64_imm_indexed"},
                         [AM_INDEXED_VECTOR_STORE] = {"movups_m128_xmm",
                                                      "movups_m128_xmm_indexed"}},
                        {"vmovups_ymm_m256", "vmovups_ymm_m256_crossing"},
                        {"movlpd_xmm_m64", "movhpd_xmm_m64", "movlpd_movhpd_xmm_m64"}},
    [AM_ARCH_AARCH64] = {
        .name = am_insn_forms_aarch64,
        .slot = "nop",
        .load = "ldr_x",
        .sum = "add_x",
        .forward = {[AM_FORWARD_SAME] = "str_ldr_x", [AM_FORWARD_VECTOR] = "str_ldr_q"},
    }};

const char *am_form_slot(enum am_arch arch)
{
    return archs[arch].slot;
}

const char *am_form_load(enum am_arch arch)
{
    return archs[arch].load;
}

const char *am_form_sum(enum am_arch arch)
{
    return archs[arch].sum;
}

const char *am_form_forward(enum am_arch arch, enum am_forward how)
{
    return archs[arch].forward[how];
}

const struct am_form_pair *am_form_indexed(enum am_arch arch, enum am_form_indexed what)
{
    const struct am_form_pair *const pair = &archs[arch].indexed[what];

    return pair->plain ? pair : NULL;
}

const char *am_form_store_lines(enum am_arch arch)
{
    return archs[arch].lines;
}

const char *am_form_store_halves(enum am_arch arch)
{
    return archs[arch].halves;
}

const struct am_form_pair *am_form_crossing(enum am_arch arch)
{
    return archs[arch].crossing.plain ? &archs[arch].crossing : NULL;
}

const struct am_form_halves *am_form_halves(enum am_arch arch)
{
    return archs[arch].loads.both ? &archs[arch].loads : NULL;
}

void am_insn_forms(const struct am_insn *insn, const struct am_insn_around *around,
                   am_form_known_fn *known, const void *self, struct am_insn_forms *out)
{
    *out = (struct am_insn_forms){.match = AM_FORM_EXACT, .times = 1};
    archs[insn->arch].name(insn, around, known, self, out);
}
