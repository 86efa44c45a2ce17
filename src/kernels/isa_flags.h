/* SPDX-License-Identifier: MIT */
/* How a compiler is told to use an instruction set: the words of src/kernels/meson.build, for files
 * that are compiled at run time. */
#ifndef AM_KERNELS_ISA_FLAGS_H
#define AM_KERNELS_ISA_FLAGS_H

/* Words parted by blanks; NULL of a set that this architecture has not. */
const char *am_isa_flags(const char *isa);

#endif
