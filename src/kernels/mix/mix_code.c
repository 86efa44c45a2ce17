/* SPDX-License-Identifier: MIT */
/* The bytes of all forms, as the assembler made them of the catalogue's lines, and the code around
 * the loops that kernels/mix/mix.c makes of them.
 *
 * write_code() is never called: it is where the compiler lets us write assembly with the
 * catalogue's own templates. Each statement of it puts data into the section of constants. */
#include "kernels/mix/mix.h"

#include <string.h>

#if defined(__x86_64__)
#include "kernels/instr_x86_64.h"
#define FORMS "kernels/instr_x86_64.inc"
#define OWN_FORMS "kernels/mix/own_x86_64.inc"

#define LIST_gpr GENERALS
#define LIST_sse VECTORS
#define LIST_vex VECTORS
#define LIST_evex VECTORS
#define LIST_mask MASKS

#define LIST_OF_gpr AM_MIX_GENERALS
#define LIST_OF_sse AM_MIX_VECTORS
#define LIST_OF_vex AM_MIX_VECTORS
#define LIST_OF_evex AM_MIX_VECTORS
#define LIST_OF_mask AM_MIX_MASKS

#define BANK_OF_gpr AM_MIX_GPR
#define BANK_OF_sse AM_MIX_SSE
#define BANK_OF_vex AM_MIX_VEX
#define BANK_OF_evex AM_MIX_EVEX
#define BANK_OF_mask AM_MIX_EVEX

#define DECLARED(name)                                                                             \
    extern const unsigned char am_mix_code_##name[] __attribute__((visibility("hidden")));
#define FORM(name, cat, dom, bank, needs, n, chain_text, m, free_text) DECLARED(name)
#define FORM_LESS(name, cat, dom, bank, needs, n, chain_text, m, free_text, extra_text)            \
    DECLARED(name)
#define OWN(name, dom, bank, list, needs, text) DECLARED(name)
#include FORMS
#include OWN_FORMS
#undef FORM
#undef FORM_LESS
#undef OWN

#define DECLARED_FRAME(bank)                                                                       \
    DECLARED(enter_##bank)                                                                         \
    DECLARED(enter_end_##bank)                                                                     \
    DECLARED(leave_##bank)                                                                         \
    DECLARED(leave_end_##bank)
DECLARED_FRAME(gpr)
DECLARED_FRAME(sse)
DECLARED_FRAME(vex)
DECLARED_FRAME(evex)

#define PIECES(name, list, text)                                                                   \
    __asm__ volatile(".pushsection .rodata\nam_mix_code_" #name ":\n\t.irp d," list                \
                     "\n\t.byte 772f-771f\n771:\n\t" text                                          \
                     "\n772:\n\t.endr\n\t.byte 0\n\t.popsection"                                   \
                     :                                                                             \
                     :                                                                             \
                     : "memory");
#define FORM(name, cat, dom, bank, needs, n, chain_text, m, free_text)                             \
    PIECES(name, LIST_##bank, free_text)
#define FORM_LESS(name, cat, dom, bank, needs, n, chain_text, m, free_text, extra_text)            \
    PIECES(name, LIST_##bank, free_text)
#define OWN(name, dom, bank, list, needs, text) PIECES(name, LIST_##list, text)

/* Subnormal operands count as zero, and results too: bits 6 and 15 of MXCSR beside its default.
 * The caller's is kept in the unused words of the registers' memory. */
#define FRAME(bank)                                                                                \
    __asm__ volatile(                                                                              \
        ".pushsection .rodata\nam_mix_code_enter_" #bank ":\n\t.byte 0xf3, 0x0f, 0x1e, 0xfa\n\t"   \
        "push %%r12\n\tpush %%r13\n\tpush %%r14\n\tpush %%r15\n\txchg %%rdi, %%rsi\n\t"            \
        "stmxcsr 368(%%rsi)\n\tmovl $0x9fc0, 372(%%rsi)\n\tldmxcsr 372(%%rsi)\n\t" LOAD_##bank     \
        "test %%rdi, %%rdi\nam_mix_code_enter_end_" #bank ":\nam_mix_code_leave_" #bank            \
        ":\n\t" STORE_##bank "ldmxcsr 368(%%rsi)\n\tpop %%r15\n\tpop %%r14\n\tpop %%r13\n\t"       \
                             "pop %%r12\n\tret\nam_mix_code_leave_end_" #bank ":\n\t.popsection"   \
        :                                                                                          \
        :                                                                                          \
        : "memory");

static __attribute__((used)) void write_code(void)
{
    FRAME(gpr)
    FRAME(sse)
    FRAME(vex)
    FRAME(evex)
#include FORMS
#include OWN_FORMS
}
#undef FORM
#undef FORM_LESS
#undef OWN

_Static_assert(offsetof(struct am_instr_regs, unused) == 368, "two words for MXCSR");
_Static_assert(offsetof(struct am_mix_area, stores) == 10240, "where stores go");

#define ENTRY(form, dom, bnk, lst, need, m)                                                        \
    {.name = #form,                                                                                \
     .needs = need,                                                                                \
     .domain = AM_INSTR_##dom,                                                                     \
     .bank = BANK_OF_##bnk,                                                                        \
     .list = LIST_OF_##lst,                                                                        \
     .instructions = m,                                                                            \
     .code = am_mix_code_##form},
#define FORM(name, cat, dom, bank, needs, n, chain_text, m, free_text)                             \
    ENTRY(name, dom, bank, bank, needs, m)
#define FORM_LESS(name, cat, dom, bank, needs, n, chain_text, m, free_text, extra_text)            \
    ENTRY(name, dom, bank, bank, needs, m)
#define OWN(name, dom, bank, list, needs, text) ENTRY(name, dom, bank, list, needs, 1)
const struct am_mix_form am_mix_forms[] = {
#include FORMS
#include OWN_FORMS
    {.name = NULL},
};
#undef FORM
#undef FORM_LESS
#undef OWN

#define ROW(bank)                                                                                  \
    {                                                                                              \
        .enter = am_mix_code_enter_##bank, .enter_end = am_mix_code_enter_end_##bank,              \
        .leave = am_mix_code_leave_##bank, .leave_end = am_mix_code_leave_end_##bank               \
    }
const struct am_mix_frame am_mix_frames[AM_MIX_BANKS] = {[AM_MIX_GPR] = ROW(gpr),
                                                         [AM_MIX_SSE] = ROW(sse),
                                                         [AM_MIX_VEX] = ROW(vex),
                                                         [AM_MIX_EVEX] = ROW(evex)};

size_t am_mix_jump_back(unsigned char *at, const unsigned char *top)
{
    static const unsigned char dec_jnz[] = {0x48, 0xff, 0xcf, 0x0f, 0x85}; /* dec %rdi; jnz */
    const size_t length = sizeof(dec_jnz) + sizeof(int32_t);
    const int32_t distance = (int32_t)(top - (at + length));

    memcpy(at, dec_jnz, sizeof(dec_jnz));
    memcpy(at + sizeof(dec_jnz), &distance, sizeof(distance));
    return length;
}

const char *const am_mix_unsupported = NULL;

#define SELECTED_OWN                                                                               \
    "xor_r32_zero,mov_r64_m64_row,mov_m64_r64,movups_xmm_m128,vmovups_xmm_m128,movups_m128_xmm,"   \
    "vmovups_m128_xmm,vaddpd_xmm,vmulpd_xmm,vpand_xmm,vpaddd_xmm,vpslld_xmm,vpmuludq_xmm,"         \
    "vpshufd_xmm,vcvtdq2ps_xmm,movq_r64_xmm,vmovq_r64_xmm,movq_xmm_r64,vmovq_xmm_r64,vdivsd_xmm,"  \
    "vmovups_ymm_m256,vmovups_m256_ymm,vmovups_zmm_m512,vmovups_m512_zmm,vbroadcastsd_ymm_m64,"    \
    "vcvttsd2si_r64_xmm,vcvtsi2sd_xmm_r64,cmp_r64,movsd_xmm_m64,movsd_m64_xmm,sete_r8,"            \
    "movzbl_r32_m8,vmovsd_xmm_m64"
#define SELECTED                                                                                   \
    "add_r64,shl_r64,imul_r64_imm,cmovb_r64,lea_r64,lea_r64_scaled,popcnt_r64,movzbl_r32,mov_r64," \
    "add_r64_m64,addpd_xmm,mulpd_xmm,pand_xmm,paddd_xmm,pslld_xmm,pmuludq_xmm,pshufd_xmm,"         \
    "cvtdq2ps_xmm,divsd_xmm,addsd_xmm,mulsd_xmm,vaddpd_ymm,vmulpd_ymm,vfmadd231pd_ymm,vdivpd_ymm," \
    "vsqrtpd_ymm,vmaxpd_ymm,vcmpltpd_ymm,vandpd_ymm,vpaddd_ymm,vpmulld_ymm,vpslld_ymm,"            \
    "vpshufb_ymm,vshufps_ymm,vpermd_ymm,vperm2f128_ymm,vblendvpd_ymm,vcvtdq2pd_ymm,"               \
    "vcvtpd2ps_ymm,vaddpd_zmm,vfmadd231pd_zmm,vpaddd_zmm,vpermd_zmm"
const char am_mix_selection[] = SELECTED "," SELECTED_OWN;

#elif defined(__aarch64__)
#include "kernels/instr_aarch64.h"
#define FORMS "kernels/instr_aarch64.inc"

/* Nothing can be mixed here yet: the names stand for what cpu.instr has. */
const struct am_mix_form am_mix_forms[] = {{.name = NULL}};
const struct am_mix_frame am_mix_frames[AM_MIX_BANKS] = {{.enter = NULL}};
const char *const am_mix_unsupported = "mixes are made of x86-64 instructions only";
const char am_mix_selection[] = SELECTION;

size_t am_mix_jump_back(unsigned char *at, const unsigned char *top)
{
    (void)at;
    (void)top;
    return 0;
}
#endif

#define FORM(name, cat, dom, bank, needs, n, chain_text, m, free_text) #name,
#define FORM_LESS(name, cat, dom, bank, needs, n, chain_text, m, free_text, extra_text) #name,
#define OWN(name, dom, bank, list, needs, text) #name,
const char *const am_mix_names[] = {
#include FORMS
#ifdef OWN_FORMS
#include OWN_FORMS
#endif
    NULL,
};
