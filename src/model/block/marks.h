/* SPDX-License-Identifier: MIT */
/* Blocks that a program's author has marked in the machine code.
 *
 * The marks are those that other analysers of code read too (IACA's, which OSACA has for AArch64):
 * an instruction that loads 111 at the beginning or 222 behind the end into a register, and three
 * or four bytes that do nothing. include/archmeter/block.h has them as macros. */
#ifndef AM_MODEL_BLOCK_MARKS_H
#define AM_MODEL_BLOCK_MARKS_H

#include "model/block/elf.h"

/* What lies between the next pair of marks. */
struct am_marked {
    size_t first, n; /* bytes */
    size_t behind;   /* where to look on */
};

enum am_marking { AM_MARKS_NONE, AM_MARKS_FOUND, AM_MARKS_OPEN };

/* Looks from `from` on. AM_MARKS_OPEN: one begins at `first` and does not end. */
enum am_marking am_marks_next(enum am_arch arch, const unsigned char *bytes, size_t n, size_t from,
                              struct am_marked *out);

#endif
