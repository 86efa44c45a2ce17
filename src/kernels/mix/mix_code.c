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
#define ARCH
#define HEAD ".byte 772f-771f"
#define BANK_MAP(X) X(gpr) X(sse) X(vex) X(evex)

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

/* The register that a chain runs through. */
#define LINK_gpr "8"
#define LINK_sse "0"
#define LINK_vex "0"
#define LINK_evex "0"
#define LINK_mask "1"

/* X(bank, kind, form that it is, text): additions of zeros, and for masks what changes nothing. */
#define LINK_MAP(X)                                                                                \
    X(gpr, float, "add_r64", "add $0, %%r\\d")                                                     \
    X(gpr, integer, "add_r64", "add $0, %%r\\d")                                                   \
    X(sse, float, "addpd_xmm", "addpd %%xmm12, %%xmm\\d")                                          \
    X(sse, integer, "paddd_xmm", "paddd %%xmm12, %%xmm\\d")                                        \
    X(vex, float, "vaddpd_ymm", "vaddpd %%ymm12, %%ymm\\d, %%ymm\\d")                              \
    X(vex, integer, "vpaddd_ymm", "vpaddd %%ymm12, %%ymm\\d, %%ymm\\d")                            \
    X(evex, float, "vaddpd_zmm", "vaddpd %%zmm12, %%zmm\\d, %%zmm\\d")                             \
    X(evex, integer, "vpaddd_zmm", "vpaddd %%zmm12, %%zmm\\d, %%zmm\\d")                           \
    X(mask, float, "kandw_k", "kandw %%k\\d, %%k\\d, %%k\\d")                                      \
    X(mask, integer, "kandw_k", "kandw %%k\\d, %%k\\d, %%k\\d")
#define LINKS_OF_gpr AM_MIX_GPR
#define LINKS_OF_sse AM_MIX_SSE
#define LINKS_OF_vex AM_MIX_VEX
#define LINKS_OF_evex AM_MIX_EVEX
#define LINKS_OF_mask AM_MIX_BANKS

#elif defined(__aarch64__)
#include "kernels/instr_aarch64.h"
#define FORMS "kernels/instr_aarch64.inc"
#define OWN_FORMS "kernels/mix/own_aarch64.inc"
#define HEAD ".byte 772f-771f, 0, 0, 0"
#define BANK_MAP(X) X(gpr) X(vec)

#define LIST_gpr "8,9,10,11,12,13,14,15"
#define LIST_vec "0,1,2,3,4,5,6,7,8,9,10,11"

#define LIST_OF_gpr AM_MIX_GENERALS
#define LIST_OF_vec AM_MIX_VECTORS

#define BANK_OF_gpr AM_MIX_GPR
#define BANK_OF_vec AM_MIX_VEX

#define LINK_gpr "8"
#define LINK_vec "0"

#define LINK_MAP(X)                                                                                \
    X(gpr, float, "add_x", "add x\\d, x\\d, #0")                                                   \
    X(gpr, integer, "add_x", "add x\\d, x\\d, #0")                                                 \
    X(vec, float, "fadd_2d", "fadd v\\d\\().2d, v\\d\\().2d, v12.2d")                              \
    X(vec, integer, "add_4s", "add v\\d\\().4s, v\\d\\().4s, v12.4s")
#define LINKS_OF_gpr AM_MIX_GPR
#define LINKS_OF_vec AM_MIX_VEX
#endif

/* ---- the forms ---- */

#define DECLARED(name)                                                                             \
    extern const unsigned char am_mix_code_##name[] __attribute__((visibility("hidden")));
#define FORM(name, cat, dom, bank, needs, n, chain_text, m, free_text)                             \
    DECLARED(name)                                                                                 \
    DECLARED(chain_##name)
#define FORM_LESS(name, cat, dom, bank, needs, n, chain_text, m, free_text, extra_text)            \
    DECLARED(name)                                                                                 \
    DECLARED(chain_##name)                                                                         \
    DECLARED(less_##name)
#define OWN(name, dom, bank, list, needs, text) DECLARED(name)
#define OWN_CHAINED(name, dom, bank, list, needs, m, text, chain_text)                             \
    DECLARED(name)                                                                                 \
    DECLARED(chain_##name)
#define DECLARED_LINK(bank, kind, form, text) DECLARED(link_##kind##_##bank)
LINK_MAP(DECLARED_LINK)
#include FORMS
#include OWN_FORMS
#undef FORM
#undef FORM_LESS
#undef OWN
#undef OWN_CHAINED

#define DECLARED_FRAME(bank)                                                                       \
    DECLARED(enter_##bank)                                                                         \
    DECLARED(enter_end_##bank)                                                                     \
    DECLARED(leave_##bank)                                                                         \
    DECLARED(leave_end_##bank)
BANK_MAP(DECLARED_FRAME)

#define PIECES(name, list, text)                                                                   \
    __asm__ volatile(ARCH ".pushsection .rodata\n\t.balign 4\nam_mix_code_" #name                  \
                          ":\n\t.irp d," list "\n\t" HEAD "\n771:\n\t" text                        \
                          "\n772:\n\t.endr\n\t.byte 0\n\t.popsection"                              \
                     :                                                                             \
                     :                                                                             \
                     : "memory");
#define FORM(name, cat, dom, bank, needs, n, chain_text, m, free_text)                             \
    PIECES(name, LIST_##bank, free_text)                                                           \
    PIECES(chain_##name, LINK_##bank, chain_text)
#define FORM_LESS(name, cat, dom, bank, needs, n, chain_text, m, free_text, extra_text)            \
    PIECES(name, LIST_##bank, free_text)                                                           \
    PIECES(chain_##name, LINK_##bank, chain_text)                                                  \
    PIECES(less_##name, LINK_##bank, extra_text)
#define OWN(name, dom, bank, list, needs, text) PIECES(name, LIST_##list, text)
#define OWN_CHAINED(name, dom, bank, list, needs, m, text, chain_text)                             \
    PIECES(name, LIST_##list, text)                                                                \
    PIECES(chain_##name, LINK_##list, chain_text)
#define LINK_PIECES(bank, kind, form, text) PIECES(link_##kind##_##bank, LINK_##bank, text)

/* ---- the code around them ---- */

#if defined(__x86_64__)
/* Subnormal operands count as zero, and results too: bits 6 and 15 of MXCSR beside its default.
 * rbx is zero, an index that moves no address. The caller's is kept in the unused words of the
 * registers' memory. */
#define FRAME(bank)                                                                                                                     \
    __asm__ volatile(                                                                                                                   \
        ".pushsection .rodata\nam_mix_code_enter_" #bank ":\n\t.byte 0xf3, 0x0f, 0x1e, 0xfa\n\t"                                        \
        "push %%r12\n\tpush %%r13\n\tpush %%r14\n\tpush %%r15\n\tpush %%rbx\n\t"                                                        \
        "xor %%ebx, %%ebx\n\txchg %%rdi, %%rsi\n\tstmxcsr 368(%%rsi)\n\tmovl $0x9fc0, 372(%%rsi)\n\tldmxcsr 372(%%rsi)\n\t" LOAD_##bank \
        "test %%rdi, %%rdi\nam_mix_code_enter_end_" #bank ":\nam_mix_code_leave_" #bank                                                 \
        ":\n\t" STORE_##bank                                                                                                            \
        "ldmxcsr 368(%%rsi)\n\tpop %%rbx\n\tpop %%r15\n\tpop %%r14\n\tpop %%r13\n\t"                                                    \
        "pop %%r12\n\tret\nam_mix_code_leave_end_" #bank ":\n\t.popsection"                                                             \
        :                                                                                                                               \
        :                                                                                                                               \
        : "memory");
_Static_assert(offsetof(struct am_instr_regs, unused) == 368, "two words for MXCSR");

#elif defined(__aarch64__)
/* Subnormal numbers count as zero: bit 24 of FPCR. Callers keep the lower halves of v8 to v15,
 * which go onto the stack; the caller's FPCR into the unused words of the registers' memory. */
#define FRAME(bank)                                                                                \
    __asm__ volatile(                                                                              \
        ".pushsection .rodata\n\t.balign 4\nam_mix_code_enter_" #bank ":\n\t"                      \
        "mov x9, x0\n\tmov x0, x1\n\tmov x1, x9\n\t"                                               \
        "stp d8, d9, [sp, #-64]!\n\tstp d10, d11, [sp, #16]\n\tstp d12, d13, [sp, #32]\n\t"        \
        "stp d14, d15, [sp, #48]\n\tmrs x9, fpcr\n\tstr x9, [x1, #368]\n\t"                        \
        "orr x9, x9, #0x1000000\n\tmsr fpcr, x9\n\t" LOAD_##bank                                   \
        "cmp x0, #0\nam_mix_code_enter_end_" #bank ":\nam_mix_code_leave_" #bank                   \
        ":\n\t" STORE_##bank                                                                       \
        "ldr x9, [x1, #368]\n\tmsr fpcr, x9\n\tldp d10, d11, [sp, #16]\n\t"                        \
        "ldp d12, d13, [sp, #32]\n\tldp d14, d15, [sp, #48]\n\tldp d8, d9, [sp], #64\n\tret\n"     \
        "am_mix_code_leave_end_" #bank ":\n\t.popsection"                                          \
        :                                                                                          \
        :                                                                                          \
        : "memory");
_Static_assert(offsetof(struct am_instr_regs, unused) == 368, "a word for FPCR");
#endif

static __attribute__((used)) void write_code(void)
{
    BANK_MAP(FRAME)
    LINK_MAP(LINK_PIECES)
#include FORMS
#include OWN_FORMS
}
#undef FORM
#undef FORM_LESS
#undef OWN
#undef OWN_CHAINED

_Static_assert(offsetof(struct am_mix_area, stores) == 10240, "where stores go");

#define ENTRY(form, dom, bnk, lst, need, m, ...)                                                   \
    {.name = #form,                                                                                \
     .needs = need,                                                                                \
     .domain = AM_INSTR_##dom,                                                                     \
     .bank = BANK_OF_##bnk,                                                                        \
     .list = LIST_OF_##lst,                                                                        \
     .instructions = m,                                                                            \
     .code = am_mix_code_##form,                                                                   \
     __VA_ARGS__},
#define FORM(name, cat, dom, bank, needs, n, chain_text, m, free_text)                             \
    ENTRY(name, dom, bank, bank, needs, m, .chain = am_mix_code_chain_##name, .links = (n))
#define FORM_LESS(name, cat, dom, bank, needs, n, chain_text, m, free_text, extra_text)            \
    ENTRY(name, dom, bank, bank, needs, m, .chain = am_mix_code_chain_##name, .links = (n),        \
          .less = am_mix_code_less_##name)
#define OWN(name, dom, bank, list, needs, text) ENTRY(name, dom, bank, list, needs, 1, .links = 0)
#define OWN_CHAINED(name, dom, bank, list, needs, m, text, chain_text)                             \
    ENTRY(name, dom, bank, list, needs, m, .chain = am_mix_code_chain_##name, .links = 1)
const struct am_mix_form am_mix_forms[] = {
#include FORMS
#include OWN_FORMS
    {.name = NULL},
};
#undef FORM
#undef FORM_LESS
#undef OWN
#undef OWN_CHAINED

#define LINK_KIND_float AM_MIX_FLOAT_LINK
#define LINK_KIND_integer AM_MIX_INTEGER_LINK
#define LINK_ENTRY(bnk, kind, form, text)                                                          \
    [LINKS_OF_##bnk][LINK_KIND_##kind] = {.name = (form),                                          \
                                          .needs = "",                                             \
                                          .bank = BANK_OF_##bnk,                                   \
                                          .list = LIST_OF_##bnk,                                   \
                                          .chain = am_mix_code_link_##kind##_##bnk,                \
                                          .links = 1},
const struct am_mix_form am_mix_links[AM_MIX_BANKS + 1][AM_MIX_LINKS] = {LINK_MAP(LINK_ENTRY)};

#define ROW(bank)                                                                                  \
    [BANK_OF_##bank] = {.enter = am_mix_code_enter_##bank,                                         \
                        .enter_end = am_mix_code_enter_end_##bank,                                 \
                        .leave = am_mix_code_leave_##bank,                                         \
                        .leave_end = am_mix_code_leave_end_##bank},
const struct am_mix_frame am_mix_frames[AM_MIX_BANKS] = {BANK_MAP(ROW)};

const char *const am_mix_unsupported = NULL;

#if defined(__x86_64__)
size_t am_mix_jump_back(unsigned char *at, const unsigned char *top)
{
    static const unsigned char dec_jnz[] = {0x48, 0xff, 0xcf, 0x0f, 0x85}; /* dec %rdi; jnz */
    const size_t length = sizeof(dec_jnz) + sizeof(int32_t);
    const int32_t distance = (int32_t)(top - (at + length));

    memcpy(at, dec_jnz, sizeof(dec_jnz));
    memcpy(at + sizeof(dec_jnz), &distance, sizeof(distance));
    return length;
}

#define SELECTED_OWN                                                                               \
    "xor_r32_zero,mov_r64_m64_row,mov_m64_r64,movups_xmm_m128,vmovups_xmm_m128,movups_m128_xmm,"   \
    "vmovups_m128_xmm,vaddpd_xmm,vmulpd_xmm,vpand_xmm,vpaddd_xmm,vpslld_xmm,vpmuludq_xmm,"         \
    "vpshufd_xmm,vcvtdq2ps_xmm,movq_r64_xmm,vmovq_r64_xmm,movq_xmm_r64,vmovq_xmm_r64,vdivsd_xmm,"  \
    "vmovups_ymm_m256,vmovups_m256_ymm,vmovups_zmm_m512,vmovups_m512_zmm,vbroadcastsd_ymm_m64,"    \
    "vcvttsd2si_r64_xmm,vcvtsi2sd_xmm_r64,cmp_r64,movsd_xmm_m64,movsd_m64_xmm,sete_r8,"            \
    "movzbl_r32_m8,vmovsd_xmm_m64,mov_m64_r64_lines,add_r64_imm,lea_r64_base,cmp_r64_m64,"         \
    "cmp_r64_m64_indexed,mov_m64_r64_indexed,vaddsd_xmm_m64,vaddsd_xmm_m64_indexed,"               \
    "vpxord_zmm_zero"
#define SELECTED                                                                                   \
    "add_r64,shl_r64,imul_r64_imm,cmovb_r64,lea_r64,lea_r64_scaled,popcnt_r64,movzbl_r32,mov_r64," \
    "add_r64_m64,addpd_xmm,mulpd_xmm,pand_xmm,paddd_xmm,pslld_xmm,pmuludq_xmm,pshufd_xmm,"         \
    "cvtdq2ps_xmm,divsd_xmm,addsd_xmm,mulsd_xmm,vaddpd_ymm,vmulpd_ymm,vfmadd231pd_ymm,vdivpd_ymm," \
    "vsqrtpd_ymm,vmaxpd_ymm,vcmpltpd_ymm,vandpd_ymm,vpaddd_ymm,vpmulld_ymm,vpslld_ymm,"            \
    "vpshufb_ymm,vshufps_ymm,vpermd_ymm,vperm2f128_ymm,vblendvpd_ymm,vcvtdq2pd_ymm,"               \
    "vcvtpd2ps_ymm,vaddpd_zmm,vfmadd231pd_zmm,vpaddd_zmm,vpslld_zmm,vpermd_zmm"
const char am_mix_selection[] = SELECTED "," SELECTED_OWN;

#elif defined(__aarch64__)
size_t am_mix_jump_back(unsigned char *at, const unsigned char *top)
{
    const uint32_t back = (uint32_t)((top - (at + 4)) / 4) & 0x7ffff;
    const uint32_t code[] = {0xd1000400, 0xb5000000 | back << 5}; /* sub x0, x0, #1; cbnz x0, top */

    memcpy(at, code, sizeof(code));
    return sizeof(code);
}

const char am_mix_selection[] =
    "add_x,lsl_x,mul_x,csel_x,add_x_shifted,clz_x,mov_x,udiv_x,madd_x,sxtw_x,fadd_d,fmul_d,fmadd_d,"
    "fdiv_d,fsqrt_d,fadd_2d,fmul_2d,fmla_2d,fmla_4s,fdiv_2d,fmax_2d,fcmgt_2d,and_16b,add_4s,mul_4s,"
    "shl_4s,zip1_4s,tbl_16b,ext_16b,bsl_16b,scvtf_2d,scvtf_4s,fcvtl_2d,cnt_16b,nop,ldr_x_row,str_x,"
    "ldr_q,str_q,ldr_d,str_d,ldrb_w,ldp_x,fmov_x_d,fmov_d_x,cmp_x,mov_x_imm,cset_x,fcmp_d,"
    "fcvtzs_x_d,scvtf_d_x,ld1r_2d";
#endif

#define FORM(name, cat, dom, bank, needs, n, chain_text, m, free_text) #name,
#define FORM_LESS(name, cat, dom, bank, needs, n, chain_text, m, free_text, extra_text) #name,
#define OWN(name, dom, bank, list, needs, text) #name,
#define OWN_CHAINED(name, dom, bank, list, needs, m, text, chain_text) #name,
const char *const am_mix_names[] = {
#include FORMS
#include OWN_FORMS
    NULL,
};
