/* SPDX-License-Identifier: MIT */
/* How AArch64 kernels of cpu.instr are made from a line of instr_aarch64.inc.
 *
 * Registers: vectors 0 to 11 and x8 to x15 are chains; vector 12 holds zeros, 13 ones, 14 numbers
 * near 1 with all bits in use, 15 indices; x5, x6 and x7 are operands; x1 points to the registers'
 * memory and x0 counts. In a template \d is the chain's number. */
#ifndef AM_KERNELS_INSTR_AARCH64_H
#define AM_KERNELS_INSTR_AARCH64_H

#include "kernels/instr_repeat.h"

/* Forms that stand for the rest. */
#define SELECTION                                                                                  \
    "add_x,mul_x,udiv_x,clz_x,lsl_x,ldr_x,fadd_d,fmul_d,fmadd_d,fdiv_d,fsqrt_d,fmov_x_d_pair,"     \
    "fadd_2d,fmul_2d,fmla_2d,fmla_4s,fdiv_2d,fsqrt_2d,add_4s,mul_4s,tbl_16b,zip1_4s,scvtf_2d,"     \
    "cnt_16b"

#define STANDARDS "add_x", "mul_x", "fmadd_d"

/* Banks: gpr and vec. */
#define LOAD_gpr                                                                                   \
    "ldr x5, [x1, #320]\n\tldr x6, [x1, #328]\n\tldr x7, [x1, #336]\n\t"                           \
    ".irp d,8,9,10,11,12,13,14,15\n\tldr x\\d, [x1, #344]\n\t.endr\n\t"
#define LOAD_vec                                                                                   \
    LOAD_gpr ".irp d,0,1,2,3,4,5,6,7,8,9,10,11\n\tldr q\\d, [x1]\n\t.endr\n\t"                     \
             "ldr q12, [x1, #64]\n\tldr q13, [x1, #128]\n\tldr q14, [x1, #192]\n\t"                \
             "ldr q15, [x1, #256]\n\t"
#define STORE_gpr ".irp d,8,9,10,11,12,13,14,15\n\tstr x\\d, [x1, #64*\\d]\n\t.endr\n\t"
#define STORE_vec ".irp d,0,1,2,3,4,5,6,7,8,9,10,11\n\tstr q\\d, [x1, #512+64*\\d]\n\t.endr\n\t"

#define CHAIN_gpr(n) AM_CHAIN_##n("8")
#define CHAIN_vec(n) AM_CHAIN_##n("0")
#define FREE_gpr(n) AM_FREE_8_##n("8,9,10,11,12,13,14,15")
#define FREE_vec(n) AM_FREE_12_##n("0,1,2,3,4,5,6,7,8,9,10,11")

/* What the assembler may know; what a form needs of the CPU stands in its line. */
#define ARCH ".arch armv8-a+crc+crypto\n\t"

/* Flags begin the same each time: forms that read them have the same work. */
#define KERNEL(fn, bank, list, text)                                                               \
    static void fn(struct am_instr_regs *regs, uint64_t loops)                                     \
    {                                                                                              \
        register uint64_t count __asm__("x0") = loops;                                             \
        register struct am_instr_regs *memory __asm__("x1") = regs;                                \
                                                                                                   \
        __asm__ volatile(ARCH LOAD_##bank                                                          \
                         "cmp x0, #0\n\t.p2align 6\n1:\n\t.irp d," list "\n\t" text                \
                         "\n\t.endr\n\tsub x0, x0, #1\n\tcbnz x0, 1b\n\t" STORE_##bank             \
                         : "+r"(count)                                                             \
                         : "r"(memory)                                                             \
                         : "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", \
                           "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",      \
                           "v11", "v12", "v13", "v14", "v15", "cc", "memory");                     \
    }

/* Shapes; FORM and FORM_LESS are those of instr_x86_64.h. */
#define SAME(name, bank, cat, dom, needs, text) FORM(name, cat, dom, bank, needs, 1, text, 1, text)
#define APART(name, bank, cat, dom, needs, chain, free)                                            \
    FORM(name, cat, dom, bank, needs, 1, chain, 1, free)
#define PAIR(name, bank, cat, dom, needs, there, back)                                             \
    FORM(name, cat, dom, bank, needs, 2, there "\n\t" back, 2, there "\n\t" back)
#define BOTH_WAYS(name, bank, dom, needs, there, back, free)                                       \
    FORM(name, move, dom, bank, needs, 2, there "\n\t" back, 1, free)

/* General registers, r is x or w: d = d op a; d = op d; d = d op immediate. */
#define G3(mn, r, cat)                                                                             \
    APART(mn##_##r, gpr, cat, I, "", #mn " " #r "\\d, " #r "\\d, " #r "5",                         \
          #mn " " #r "\\d, " #r "6, " #r "5")
#define G2(mn, r, cat)                                                                             \
    APART(mn##_##r, gpr, cat, I, "", #mn " " #r "\\d, " #r "\\d", #mn " " #r "\\d, " #r "5")
#define GI(mn, r, cat, imm)                                                                        \
    APART(mn##_##r, gpr, cat, I, "", #mn " " #r "\\d, " #r "\\d, #" #imm,                          \
          #mn " " #r "\\d, " #r "5, #" #imm)
#define G4(mn, r, cat)                                                                             \
    APART(mn##_##r, gpr, cat, I, "", #mn " " #r "\\d, " #r "\\d, " #r "5, " #r "6",                \
          #mn " " #r "\\d, " #r "7, " #r "5, " #r "6")

/* Scalar floating point, r is d or s: two sources, one, three. */
#define F3(mn, r, cat, dom, s)                                                                     \
    APART(mn##_##r, vec, cat, dom, "", #mn " " #r "\\d, " #r "\\d, " #r #s,                        \
          #mn " " #r "\\d, " #r "14, " #r #s)
/* the chain runs through the second source */
#define F3R(mn, r, cat, dom, s)                                                                    \
    APART(mn##_##r, vec, cat, dom, "", #mn " " #r "\\d, " #r #s ", " #r "\\d",                     \
          #mn " " #r "\\d, " #r #s ", " #r "13")
#define F2(mn, r, cat, dom)                                                                        \
    APART(mn##_##r, vec, cat, dom, "", #mn " " #r "\\d, " #r "\\d", #mn " " #r "\\d, " #r "14")
#define F4(mn, r, dom)                                                                             \
    APART(mn##_##r, vec, arithmetic, dom, "", #mn " " #r "\\d, " #r "13, " #r "12, " #r "\\d",     \
          #mn " " #r "\\d, " #r "13, " #r "12, " #r "14")
/* root and square, less the multiplication */
#define FROOT(r, dom)                                                                              \
    FORM_LESS(fsqrt_##r, extended, dom, vec, "", 1,                                                \
              "fsqrt " #r "\\d, " #r "\\d\n\tfmul " #r "\\d, " #r "\\d, " #r "\\d", 1,             \
              "fsqrt " #r "\\d, " #r "14", "fmul " #r "\\d, " #r "\\d, " #r "13")

/* Vectors, t is the arrangement: two sources, one, accumulating, by an immediate, widening. */
#define N3(mn, t, cat, dom, s)                                                                     \
    APART(mn##_##t, vec, cat, dom, "asimd", #mn " v\\d\\()." #t ", v\\d\\()." #t ", v" #s "." #t,  \
          #mn " v\\d\\()." #t ", v14." #t ", v" #s "." #t)
#define N3R(mn, t, cat, dom, s)                                                                    \
    APART(mn##_##t, vec, cat, dom, "asimd", #mn " v\\d\\()." #t ", v" #s "." #t ", v\\d\\()." #t,  \
          #mn " v\\d\\()." #t ", v" #s "." #t ", v13." #t)
#define N2(mn, t, cat, dom)                                                                        \
    APART(mn##_##t, vec, cat, dom, "asimd", #mn " v\\d\\()." #t ", v\\d\\()." #t,                  \
          #mn " v\\d\\()." #t ", v14." #t)
#define ND(mn, t, cat, dom, a, b)                                                                  \
    SAME(mn##_##t, vec, cat, dom, "asimd", #mn " v\\d\\()." #t ", v" #a "." #t ", v" #b "." #t)
#define NI(mn, t, cat, imm)                                                                        \
    APART(mn##_##t, vec, cat, I, "asimd", #mn " v\\d\\()." #t ", v\\d\\()." #t ", #" #imm,         \
          #mn " v\\d\\()." #t ", v14." #t ", #" #imm)
#define NROOT(t, dom)                                                                              \
    FORM_LESS(fsqrt_##t, extended, dom, vec, "asimd", 1,                                           \
              "fsqrt v\\d\\()." #t ", v\\d\\()." #t "\n\tfmul v\\d\\()." #t ", v\\d\\()." #t       \
              ", v\\d\\()." #t,                                                                    \
              1, "fsqrt v\\d\\()." #t ", v14." #t,                                                 \
              "fmul v\\d\\()." #t ", v\\d\\()." #t ", v13." #t)

#endif
