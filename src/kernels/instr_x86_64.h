/* SPDX-License-Identifier: MIT */
/* How x86-64 kernels of cpu.instr are made from a line of instr_x86_64.inc.
 *
 * Registers: vectors 0 to 11, r8 to r15 and k1 to k6 are chains; vector 12 holds zeros, 13 ones, 14
 * numbers near 1 with all bits in use, 15 indices; rax, rcx, rdx and k7 are operands; rsi points to
 * the registers' memory and rdi counts. In a template \d is the chain's number. */
#ifndef AM_KERNELS_INSTR_X86_64_H
#define AM_KERNELS_INSTR_X86_64_H

#include "kernels/instr_repeat.h"

/* Forms that stand for the rest: those that nearly every machine has. */
#define SELECTION                                                                                  \
    "add_r64,imul_r64,div_r64,popcnt_r64,shl_r64,lea_r64,mov_r64_m64,"                             \
    "addsd_xmm,mulsd_xmm,addpd_xmm,divsd_xmm,movq_r64_xmm_pair,"                                   \
    "vaddpd_ymm,vmulpd_ymm,vfmadd231pd_ymm,vfmadd231ps_ymm,vdivpd_ymm,vsqrtpd_ymm,vpaddd_ymm,"     \
    "vpmulld_ymm,vpermd_ymm,vpshufb_ymm,vcvtdq2pd_ymm,vpgatherdd_ymm"

#define STANDARDS "add_r64", "imul_r64", "vfmadd231pd_ymm"

/* Banks: gpr, sse (legacy encodings: the upper halves must stay clean), vex, evex, mask. */
#define LOAD_GPR                                                                                   \
    "mov 320(%%rsi), %%rax\n\tmov 328(%%rsi), %%rcx\n\tmov 336(%%rsi), %%rdx\n\t"                  \
    ".irp d,8,9,10,11,12,13,14,15\n\tmov 344(%%rsi), %%r\\d\n\t.endr\n\t"
#define LOAD_VEC(mov, w)                                                                           \
    ".irp d,0,1,2,3,4,5,6,7,8,9,10,11\n\t" mov " (%%rsi), %%" w "\\d\n\t.endr\n\t" mov             \
    " 64(%%rsi), %%" w "12\n\t" mov " 128(%%rsi), %%" w "13\n\t" mov " 192(%%rsi), %%" w           \
    "14\n\t" mov " 256(%%rsi), %%" w "15\n\t"
#define LOAD_K                                                                                     \
    ".irp d,1,2,3,4,5,6\n\tkmovw 352(%%rsi), %%k\\d\n\t.endr\n\tkmovw 360(%%rsi), %%k7\n\t"
#define STORE_VEC(mov, w)                                                                          \
    ".irp d,0,1,2,3,4,5,6,7,8,9,10,11\n\t" mov " %%" w "\\d, 512+64*\\d(%%rsi)\n\t.endr\n\t"

#define LOAD_gpr LOAD_GPR
#define LOAD_sse LOAD_GPR LOAD_VEC("movups", "xmm")
#define LOAD_vex LOAD_GPR LOAD_VEC("vmovups", "ymm")
#define LOAD_evex LOAD_GPR LOAD_VEC("vmovups", "zmm") LOAD_K
#define LOAD_mask LOAD_evex

#define STORE_gpr ".irp d,8,9,10,11,12,13,14,15\n\tmov %%r\\d, 64*\\d(%%rsi)\n\t.endr\n\t"
#define STORE_sse STORE_VEC("movups", "xmm")
#define STORE_vex STORE_VEC("vmovups", "ymm") "vzeroupper\n\t"
#define STORE_evex STORE_VEC("vmovups", "zmm") "vzeroupper\n\t"
#define STORE_mask                                                                                 \
    ".irp d,1,2,3,4,5,6\n\tkmovw %%k\\d, 448+64*\\d(%%rsi)\n\t.endr\n\tvzeroupper\n\t"

#define VECTORS "0,1,2,3,4,5,6,7,8,9,10,11"
#define GENERALS "8,9,10,11,12,13,14,15"
#define MASKS "1,2,3,4,5,6"
#define CHAIN_gpr(n) AM_CHAIN_##n("8")
#define CHAIN_sse(n) AM_CHAIN_##n("0")
#define CHAIN_vex(n) AM_CHAIN_##n("0")
#define CHAIN_evex(n) AM_CHAIN_##n("0")
#define CHAIN_mask(n) AM_CHAIN_##n("1")
#define FREE_gpr(n) AM_FREE_8_##n(GENERALS)
#define FREE_sse(n) AM_FREE_12_##n(VECTORS)
#define FREE_vex(n) AM_FREE_12_##n(VECTORS)
#define FREE_evex(n) AM_FREE_12_##n(VECTORS)
#define FREE_mask(n) AM_FREE_6_##n(MASKS)

/* Compilers do not know of vectors 16 to 31, upper halves and k registers here: this is compiled
 * for the baseline. Flags begin cleared; dec leaves the carry alone, which some chains run
 * through. */
#define KERNEL(fn, bank, list, text)                                                               \
    static void fn(struct am_instr_regs *regs, uint64_t loops)                                     \
    {                                                                                              \
        __asm__ volatile(                                                                          \
            LOAD_##bank "test %%rdi, %%rdi\n\t.p2align 6\n1:\n\t.irp d," list "\n\t" text          \
                        "\n\t.endr\n\tdec %%rdi\n\tjnz 1b\n\t" STORE_##bank                        \
            : "+D"(loops)                                                                          \
            : "S"(regs)                                                                            \
            : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",   \
              "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",     \
              "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");                        \
    }

/* Shapes. FORM(name, category, domain, bank, needs, n, chain template, n, free template) and
 * FORM_LESS(..., extra template), which n counts instructions of the form in a template, are what
 * the includer makes of a line. */

/* General registers by width: the chain's, and the operand. */
#define D_r64 "%%r\\d"
#define D_r32 "%%r\\d\\()d"
#define D_r16 "%%r\\d\\()w"
#define D_r8 "%%r\\d\\()b"
#define A_r64 "%%rax"
#define A_r32 "%%eax"
#define A_r16 "%%ax"
#define A_r8 "%%al"

#define G_FORM(name, cat, needs, chain, free) FORM(name, cat, I, gpr, needs, 1, chain, 1, free)
/* d = d op a; d = op d; d = d op immediate; d = op d (any source); d = d op a (any source) */
#define G2(mn, w, cat, needs)                                                                      \
    G_FORM(mn##_##w, cat, needs, #mn " " A_##w ", " D_##w, #mn " " A_##w ", " D_##w)
#define G1(mn, w, cat, needs) G_FORM(mn##_##w, cat, needs, #mn " " D_##w, #mn " " D_##w)
#define GI(mn, w, cat, imm, needs)                                                                 \
    G_FORM(mn##_##w, cat, needs, #mn " $" #imm ", " D_##w, #mn " $" #imm ", " D_##w)
#define GC(mn, w, cat, needs)                                                                      \
    G_FORM(mn##_##w##_cl, cat, needs, #mn " %%cl, " D_##w, #mn " %%cl, " D_##w)
#define GU(mn, w, cat, needs)                                                                      \
    G_FORM(mn##_##w, cat, needs, #mn " " D_##w ", " D_##w, #mn " " A_##w ", " D_##w)
#define GUI(mn, w, cat, imm, needs)                                                                \
    G_FORM(mn##_##w, cat, needs, #mn " $" #imm ", " D_##w ", " D_##w,                              \
           #mn " $" #imm ", " A_##w ", " D_##w)
#define G3(mn, w, cat, needs)                                                                      \
    G_FORM(mn##_##w, cat, needs, #mn " " A_##w ", " D_##w ", " D_##w,                              \
           #mn " " A_##w ", %%rdx, " D_##w)
/* from a narrower register */
#define GX(mn, w, from, cat, needs)                                                                \
    G_FORM(mn##_##w, cat, needs, #mn " " D_##from ", " D_##w, #mn " " A_##from ", " D_##w)
/* division: implicit registers, so that independence needs fresh ones */
#define GDIV(mn, w, c, dom)                                                                        \
    FORM(mn##_##w, extended, dom, gpr, "", 1, #mn " %%" c, 1,                                      \
         "mov 320(%%rsi), %%rax\n\tmov 336(%%rsi), %%rdx\n\t" #mn " %%" c)

/* Legacy vectors: d = d op s; d = op d; with an immediate. */
#define S2(mn, cat, dom, s, needs)                                                                 \
    FORM(mn##_xmm, cat, dom, sse, needs, 1, #mn " %%xmm" #s ", %%xmm\\d", 1,                       \
         #mn " %%xmm" #s ", %%xmm\\d")
#define S1(mn, cat, dom, needs)                                                                    \
    FORM(mn##_xmm, cat, dom, sse, needs, 1, #mn " %%xmm\\d, %%xmm\\d", 1, #mn " %%xmm14, %%xmm\\d")
#define S2I(mn, cat, dom, s, imm, needs)                                                           \
    FORM(mn##_xmm, cat, dom, sse, needs, 1, #mn " $" #imm ", %%xmm" #s ", %%xmm\\d", 1,            \
         #mn " $" #imm ", %%xmm" #s ", %%xmm\\d")
#define S1I(mn, cat, dom, imm, needs)                                                              \
    FORM(mn##_xmm, cat, dom, sse, needs, 1, #mn " $" #imm ", %%xmm\\d, %%xmm\\d", 1,               \
         #mn " $" #imm ", %%xmm14, %%xmm\\d")
#define SI(mn, cat, imm, needs)                                                                    \
    FORM(mn##_xmm, cat, I, sse, needs, 1, #mn " $" #imm ", %%xmm\\d", 1, #mn " $" #imm ", %%xmm\\d")
/* root and square, less the multiplication */
#define SROOT(mn, mul, dom)                                                                        \
    FORM_LESS(mn##_xmm, extended, dom, sse, "", 1,                                                 \
              #mn " %%xmm\\d, %%xmm\\d\n\t" #mul " %%xmm\\d, %%xmm\\d", 1,                         \
              #mn " %%xmm14, %%xmm\\d", #mul " %%xmm13, %%xmm\\d")

/* Encodings with a destination of their own. */
#define BANK_xmm vex
#define BANK_ymm vex
#define BANK_zmm evex
#define FORM_W(name, cat, dom, w, needs, chain, free)                                              \
    FORM_BANK(name, cat, dom, BANK_##w, needs, 1, chain, 1, free)
#define FORM_BANK(name, cat, dom, bank, needs, n, chain, m, free)                                  \
    FORM(name, cat, dom, bank, needs, n, chain, m, free)
#define V3(mn, w, cat, dom, s, needs)                                                              \
    FORM_W(mn##_##w, cat, dom, w, needs, #mn " %%" #w #s ", %%" #w "\\d, %%" #w "\\d",             \
           #mn " %%" #w #s ", %%" #w "14, %%" #w "\\d")
/* the chain runs through the last source: the divisor, the data of a permutation, a multiplier */
#define V3R(mn, w, cat, dom, s, needs)                                                             \
    FORM_W(mn##_##w, cat, dom, w, needs, #mn " %%" #w "\\d, %%" #w #s ", %%" #w "\\d",             \
           #mn " %%" #w "13, %%" #w #s ", %%" #w "\\d")
#define V2(mn, w, cat, dom, needs)                                                                 \
    FORM_W(mn##_##w, cat, dom, w, needs, #mn " %%" #w "\\d, %%" #w "\\d",                          \
           #mn " %%" #w "14, %%" #w "\\d")
#define V2I(mn, w, cat, dom, imm, needs)                                                           \
    FORM_W(mn##_##w, cat, dom, w, needs, #mn " $" #imm ", %%" #w "\\d, %%" #w "\\d",               \
           #mn " $" #imm ", %%" #w "14, %%" #w "\\d")
#define V3I(mn, w, cat, dom, s, imm, needs)                                                        \
    FORM_W(mn##_##w, cat, dom, w, needs, #mn " $" #imm ", %%" #w #s ", %%" #w "\\d, %%" #w "\\d",  \
           #mn " $" #imm ", %%" #w #s ", %%" #w "14, %%" #w "\\d")
/* from another width */
#define VX(mn, from, to, w, cat, dom, needs)                                                       \
    FORM_W(mn##_##w, cat, dom, w, needs, #mn " %%" #from "\\d, %%" #to "\\d",                      \
           #mn " %%" #from "14, %%" #to "\\d")
#define VXI(mn, from, to, w, cat, dom, imm, needs)                                                 \
    FORM_W(mn##_##w, cat, dom, w, needs, #mn " $" #imm ", %%" #from "\\d, %%" #to "\\d",           \
           #mn " $" #imm ", %%" #from "14, %%" #to "\\d")
/* d = a * b + d, or d = a * d + b: the same registers, another operand order */
#define FMA(mn, w, dom, needs)                                                                     \
    FORM_W(mn##_##w, arithmetic, dom, w, needs, #mn " %%" #w "12, %%" #w "13, %%" #w "\\d",        \
           #mn " %%" #w "12, %%" #w "13, %%" #w "\\d")
#define FMA_MULTIPLIER(mn, w, dom, needs)                                                          \
    FORM_W(mn##_##w##_multiplier, arithmetic, dom, w, needs,                                       \
           #mn " %%" #w "12, %%" #w "13, %%" #w "\\d", #mn " %%" #w "12, %%" #w "13, %%" #w "\\d")
/* destructive with two sources */
#define V3D(mn, w, cat, dom, s, t, needs)                                                          \
    FORM_W(mn##_##w, cat, dom, w, needs, #mn " %%" #w #s ", %%" #w #t ", %%" #w "\\d",             \
           #mn " %%" #w #s ", %%" #w #t ", %%" #w "\\d")
#define VROOT(mn, mul, w, dom, needs) VROOT_BANK(mn, mul, w, dom, BANK_##w, needs)
#define VROOT_BANK(mn, mul, w, dom, bank, needs)                                                   \
    FORM_LESS(mn##_##w, extended, dom, bank, needs, 1,                                             \
              #mn " %%" #w "\\d, %%" #w "\\d\n\t" #mul " %%" #w "\\d, %%" #w "\\d, %%" #w "\\d",   \
              1, #mn " %%" #w "14, %%" #w "\\d", #mul " %%" #w "13, %%" #w "\\d, %%" #w "\\d")

/* Templates written out: one for both kernels, one for each, two instructions that go there and
 * back, and a move that goes back and forth. */
#define SAME(name, bank, cat, dom, needs, text) FORM(name, cat, dom, bank, needs, 1, text, 1, text)
#define APART(name, bank, cat, dom, needs, chain, free)                                            \
    FORM(name, cat, dom, bank, needs, 1, chain, 1, free)
#define PAIR(name, bank, cat, dom, needs, there, back)                                             \
    FORM(name, cat, dom, bank, needs, 2, there "\n\t" back, 2, there "\n\t" back)
#define BOTH_WAYS(name, bank, dom, needs, there, back, free)                                       \
    FORM(name, move, dom, bank, needs, 2, there "\n\t" back, 1, free)

/* A gather consumes its mask, so that a new one is made for each; index and destination differ. */
#define GATHER_ONE(mn, w, idx, scale, i, d)                                                        \
    "vpcmpeqd %%" #w "15, %%" #w "15, %%" #w "15\n\t" #mn " %%" #w "15, 384(%%rsi,%%" #idx i       \
    "," #scale "), %%" #w d
#define GATHER_K_ONE(mn, w, idx, scale, i, d)                                                      \
    "kxnorw %%k1, %%k1, %%k1\n\t" #mn " 384(%%rsi,%%" #idx i "," #scale "), %%" #w d "%{%%k1%}"
#define GATHER(mn, w, idx, scale, needs)                                                           \
    FORM(mn##_##w, gather, Z, vex, needs, 2,                                                       \
         GATHER_ONE(mn, w, idx, scale, "0", "1") "\n\t" GATHER_ONE(mn, w, idx, scale, "1", "0"),   \
         1, GATHER_ONE(mn, w, idx, scale, "12", "\\d"))
#define GATHER_K(mn, w, idx, scale, needs)                                                         \
    FORM(mn##_##w, gather, Z, evex, needs, 2,                                                      \
         GATHER_K_ONE(mn, w, idx, scale, "0", "1") "\n\t" GATHER_K_ONE(mn, w, idx, scale, "1",     \
                                                                       "0"),                       \
         1, GATHER_K_ONE(mn, w, idx, scale, "12", "\\d"))

/* Mask registers. */
#define K3(mn, cat, needs)                                                                         \
    FORM(mn##_k, cat, I, mask, needs, 1, #mn " %%k7, %%k\\d, %%k\\d", 1,                           \
         #mn " %%k7, %%k\\d, %%k\\d")
#define K2(mn, cat, needs)                                                                         \
    FORM(mn##_k, cat, I, mask, needs, 1, #mn " %%k\\d, %%k\\d", 1, #mn " %%k7, %%k\\d")
#define K2I(mn, cat, imm, needs)                                                                   \
    FORM(mn##_k, cat, I, mask, needs, 1, #mn " $" #imm ", %%k\\d, %%k\\d", 1,                      \
         #mn " $" #imm ", %%k7, %%k\\d")

#endif
