/* SPDX-License-Identifier: MIT */
/* The anchors of cpu.ports: forms of which each is known to keep a few units of a core busy, and
 * beside which every other form is measured.
 *
 * An anchor is a role with two forms on x86-64, one for loops of legacy encodings and one for all
 * others: the two kinds may not stand in one loop, because cores merge the upper halves of
 * registers then. AArch64 has one kind of encodings. "": none; such roles come last. The wide ones
 * are for what 512-bit vectors do to others: some cores close ports while there are any. Names
 * only, so that whoever reads results needs no kernels. */
#ifndef AM_KERNELS_MIX_ANCHORS_H
#define AM_KERNELS_MIX_ANCHORS_H

#include <stddef.h>

/* role, form in legacy loops, form in others, form on AArch64, what it keeps busy */
#define AM_MIX_ANCHOR_MAP(X)                                                                       \
    X(slot, "xor_r32_zero", "xor_r32_zero", "nop", "a slot of the front end and nothing else")     \
    X(alu, "add_r64", "add_r64", "add_x", "an integer unit")                                       \
    X(shift, "shl_r64", "shl_r64", "lsl_x", "an integer unit that shifts")                         \
    X(imul, "imul_r64_imm", "imul_r64_imm", "mul_x", "the integer multiplier")                     \
    X(cmov, "cmovb_r64", "cmovb_r64", "csel_x", "an integer unit that reads flags")                \
    X(lea, "lea_r64", "lea_r64", "add_x_shifted", "a sum of addresses")                            \
    X(load, "mov_r64_m64_row", "mov_r64_m64_row", "ldr_x_row", "a load of 64 bits")                \
    X(store, "mov_m64_r64", "mov_m64_r64", "str_x", "a store of 64 bits")                          \
    X(vload, "movups_xmm_m128", "vmovups_xmm_m128", "ldr_q", "a load of 128 bits")                 \
    X(vstore, "movups_m128_xmm", "vmovups_m128_xmm", "str_q", "a store of 128 bits")               \
    X(fadd, "addpd_xmm", "vaddpd_xmm", "fadd_2d", "a floating-point addition")                     \
    X(fmul, "mulpd_xmm", "vmulpd_xmm", "fmul_2d", "a floating-point product")                      \
    X(logic, "pand_xmm", "vpand_xmm", "and_16b", "vector logic")                                   \
    X(vadd, "paddd_xmm", "vpaddd_xmm", "add_4s", "a vector of integer additions")                  \
    X(vshift, "pslld_xmm", "vpslld_xmm", "shl_4s", "a vector shift")                               \
    X(vmul, "pmuludq_xmm", "vpmuludq_xmm", "mul_4s", "a vector of integer products")               \
    X(shuffle, "pshufd_xmm", "vpshufd_xmm", "zip1_4s", "a shuffle within 128 bits")                \
    X(convert, "cvtdq2ps_xmm", "vcvtdq2ps_xmm", "scvtf_4s", "a conversion between number formats") \
    X(to_general, "movq_r64_xmm", "vmovq_r64_xmm", "fmov_x_d",                                     \
      "a move from a vector to a general register")                                                \
    X(to_vector, "movq_xmm_r64", "vmovq_xmm_r64", "fmov_d_x",                                      \
      "a move from a general register to a vector")                                                \
    X(divide, "divsd_xmm", "vdivsd_xmm", "fdiv_d", "the divider of floating-point numbers")        \
    X(wide, "", "vpxord_zmm_zero", "", "a zero of 512 bits, a slot only")                          \
    X(wide_shift, "", "vpslld_zmm", "", "a shift of 512 bits")                                     \
    X(wide_shuffle, "", "vpermd_zmm", "", "a shuffle of 512 bits")

#define AM_MIX_ANCHOR_ENUM(role, legacy, other, arm, what) AM_MIX_##role,
enum am_mix_anchor { AM_MIX_ANCHOR_MAP(AM_MIX_ANCHOR_ENUM) AM_MIX_ANCHORS };
#undef AM_MIX_ANCHOR_ENUM

/* What cpu.loop has in rows, before twice as many that need no unit: cores may hand out fewer of a
 * kind per cycle than slots. X(kind, form on x86-64, form on AArch64 or "") */
#define AM_MIX_ROW_MAP(X)                                                                          \
    X(operations, "add_r64", "add_x")                                                              \
    X(loads, "mov_r64_m64_row", "ldr_x_row")                                                       \
    X(stores, "mov_m64_r64", "str_x")                                                              \
    X(vector_loads, "movups_xmm_m128", "ldr_q")                                                    \
    X(loading_operations, "cmp_r64_m64", "")
#define AM_MIX_ROW_ENUM(kind, other, arm) AM_MIX_ROW_##kind,
enum am_mix_row { AM_MIX_ROW_MAP(AM_MIX_ROW_ENUM) AM_MIX_ROWS };
#undef AM_MIX_ROW_ENUM
enum { AM_MIX_ROW_SLOTS = 2 }; /* of these behind each of the row */

/* What cpu.loop has by turns with loads of vectors, in runs: cores may give loads and stores to
 * units of memory before these are free. X(kind, form on x86-64, form on AArch64) */
#define AM_MIX_RUN_MAP(X)                                                                          \
    X(load_runs, "mov_r64_m64_row", "ldr_x_row")                                                   \
    X(store_runs, "mov_m64_r64", "str_x")
#define AM_MIX_RUN_ENUM(kind, other, arm) AM_MIX_RUN_##kind,
enum am_mix_run { AM_MIX_RUN_MAP(AM_MIX_RUN_ENUM) AM_MIX_RUNS };
#undef AM_MIX_RUN_ENUM
/* How long the runs of the AM_MIX_SET loops are: X(loads of vectors, of the kind behind them). */
#define AM_MIX_RUN_LENGTH_MAP(X)                                                                   \
    X(1, 1)                                                                                        \
    X(2, 1)                                                                                        \
    X(3, 1)                                                                                        \
    X(4, 1)                                                                                        \
    X(5, 1)                                                                                        \
    X(6, 1)                                                                                        \
    X(1, 2)                                                                                        \
    X(2, 2)                                                                                        \
    X(3, 2)                                                                                        \
    X(4, 2)                                                                                        \
    X(5, 2)                                                                                        \
    X(6, 2)                                                                                        \
    X(2, 3)                                                                                        \
    X(3, 3)                                                                                        \
    X(4, 3)                                                                                        \
    X(6, 3)                                                                                        \
    X(2, 4) X(3, 4) X(4, 4) X(6, 4) X(8, 4) X(6, 6) X(8, 6) X(8, 8)
enum { AM_MIX_RUN_TURNS = 6 }; /* so many runs of each in a loop */

/* Vectors in cpu.loop, of which cores may take in fewer per cycle than slots: loop i has n = i + 8
 * zeros, so that what waits for itself is ready, and n that need a unit; where they are moved, (n +
 * 1) / 2 loads and (n + 3) / 4 stores, too. X(name, whether they are) */
#define AM_MIX_ALL_VECTORS_MAP(X)                                                                  \
    X(vectors, false)                                                                              \
    X(moved_vectors, true)
#define AM_MIX_ALL_VECTORS_ENUM(name, moved) AM_MIX_IN_##name,
enum am_mix_vectors { AM_MIX_ALL_VECTORS_MAP(AM_MIX_ALL_VECTORS_ENUM) AM_MIX_ALL_VECTORS };
#undef AM_MIX_ALL_VECTORS_ENUM
/* How many loop i has of zeros, of others, of loads and of stores. */
#define AM_MIX_ALL_VECTORS_OF(i, moved)                                                            \
    {                                                                                              \
        (i) + 8, (i) + 8, (moved) ? ((i) + 9) / 2 : 0, (moved) ? ((i) + 11) / 4 : 0                \
    }

/* Where loops of cpu.loop lie that have nothing but what needs no unit, and how long they are:
 * X(name, bytes behind the beginning of a line, bytes more in each instruction, instructions of the
 * first of AM_MIX_SET loops, and so many more in each further one). */
#define AM_MIX_PLACE_MAP(X)                                                                        \
    X(nothing, 0, 0, 1, 1)                                                                         \
    X(halfway, 32, 0, 1, 1)                                                                        \
    X(many, 0, 0, 18, 2)                                                                           \
    X(many_halfway, 40, 0, 18, 2)                                                                  \
    X(longer, 16, 1, 2, 2)                                                                         \
    X(longest, 48, 3, 2, 2)
#define AM_MIX_PLACE_ONE(name, begin, more, fewest, step) +1
enum { AM_MIX_PLACES = 0 AM_MIX_PLACE_MAP(AM_MIX_PLACE_ONE) };
#undef AM_MIX_PLACE_ONE
enum { AM_MIX_LINE = 64 }; /* bytes, to which the top of a loop is aligned otherwise */

/* A point of cpu.mix is a set of so many random mixes; their metrics are mix_1 and so on. */
#define AM_MIX_SET_MAP(X)                                                                          \
    X(1)                                                                                           \
    X(2)                                                                                           \
    X(3)                                                                                           \
    X(4)                                                                                           \
    X(5)                                                                                           \
    X(6)                                                                                           \
    X(7)                                                                                           \
    X(8)                                                                                           \
    X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24)
#define AM_MIX_SET_ONE(i) +1
enum { AM_MIX_SET = 0 AM_MIX_SET_MAP(AM_MIX_SET_ONE) };
#undef AM_MIX_SET_ONE
/* Sets whose number is a multiple of this are not fitted: they test what was. */
enum { AM_MIX_HELD = 4 };

/* Instructions that a loop is filled up to with copies of its mix. */
enum { AM_MIX_TARGET = 96 };

/* Copies in the loop of a mix of so many instructions; the loop's own decrement and jump, which
 * cores fuse, are one more instruction per so many copies. */
static inline size_t am_mix_copies(size_t instructions)
{
    const size_t copies =
        instructions ? (2 * AM_MIX_TARGET + instructions) / (2 * instructions) : 1;

    return copies ? copies : 1;
}

#endif
