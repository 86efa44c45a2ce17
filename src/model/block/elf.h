/* SPDX-License-Identifier: MIT */
/* The code of one function, from an object file, a library, shared or static, or a program.
 *
 * The file may come from anybody: every offset and size is checked against its length before it is
 * used, and what does not fit is refused with a message. Nothing is copied: the code lies in the
 * file's bytes, which must outlive it. */
#ifndef AM_MODEL_BLOCK_ELF_H
#define AM_MODEL_BLOCK_ELF_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum am_arch { AM_ARCH_X86_64, AM_ARCH_AARCH64, AM_ARCHS };
extern const char *const am_arch_names[AM_ARCHS]; /* "x86-64" */

struct am_code {
    enum am_arch arch;
    const char *name;
    const unsigned char *bytes;
    size_t n;
    uint64_t address; /* of the first byte, as the file numbers them */
    unsigned kept;   /* bytes: multiples of so many may lie between an address and where the code is
                      * when it is executed, nothing else; 0: nothing is known */
    bool open_ended; /* there may be more behind the function: it ends where nothing leads on */
};

/* `file` is the name for messages. AM_E_USAGE: not such a file, or no such function in it, with the
 * nearest name. `name` NULL: the only function that there is. Where none is called exactly so, the
 * only one that may be meant (names.h) is taken. */
enum am_status am_elf_function(const char *file, const void *data, size_t n, const char *name,
                               struct am_arena *arena, struct am_code *out, struct am_err *err);

struct am_codes {
    struct am_code *items;
    size_t n, cap;
};

/* The blocks that are marked (marks.h) in all code of the file, in its order. AM_E_USAGE: not such
 * a file, none is marked, or one does not end. */
enum am_status am_elf_marked(const char *file, const void *data, size_t n, struct am_arena *arena,
                             struct am_codes *out, struct am_err *err);

#endif
