/* SPDX-License-Identifier: MIT */
/* Instruction sets: the one table of those that kernels exist for, on all architectures.
 *
 * To add one, begin here; what is forgotten after that fails the build or a test:
 * - kernels/isa.h (which architecture has it), kernels/isa.c (how a CPU is asked for it) and
 *   kernels/meson.build (its flags) do not compile or link without it;
 * - vec.h refuses another width than this table's;
 * - tests/structure/check_isas.py compares all tables that have a row per set: those just named,
 * the generator of slices, the tests of generated code; and finds private lists of sets.
 *
 * Rank: what a set of a higher rank does in a second bounds those below it, but for its rival
 * (am_isa_rival()). Sets of different architectures never meet in one run. */
#ifndef AM_CORE_ISAS_H
#define AM_CORE_ISAS_H

/* X(name, bytes of a vector), narrowest and oldest first. scalar: one element of at most 8 bytes.
 */
#define AM_ISAS(X) X(scalar, 8) X(sse2, 16) X(neon, 16) X(avx, 32) X(avx2, 32) X(avx512, 64)

#define AM_ISA_RANK(isa, bytes) AM_ISA_RANK_##isa,
enum { AM_ISAS(AM_ISA_RANK) AM_ISA_RANKS };
#undef AM_ISA_RANK

#define AM_ISA_BYTES(isa, bytes) AM_ISA_BYTES_##isa = bytes,
enum { AM_ISAS(AM_ISA_BYTES) };
#undef AM_ISA_BYTES

/* The place in the table; -1 of a name that is not there, or of NULL. */
int am_isa_rank(const char *isa);

/* The narrower set that can be as fast as this one or faster, NULL when there is none such: whoever
 * wants the fastest must measure both. */
const char *am_isa_rival(const char *isa);

#endif
