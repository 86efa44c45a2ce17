/* SPDX-License-Identifier: MIT */
/* Which files this process runs: the program and the shared libraries that are loaded now, each
 * with the build id that its linker gave it; and which compilers made a program, with which flags.
 * For the record of what measured: a library that the loader chose says more than the one that was
 * there at the build. */
#ifndef AM_BASE_LOADED_H
#define AM_BASE_LOADED_H

#include <stdbool.h>
#include <stddef.h>

enum { AM_BUILD_ID_TEXT = 2 * 20 + 1, AM_COMPILERS_TEXT = 256, AM_FLAGS_TEXT = 1024 };

struct am_loaded {
    const char *path;                /* as it is on the disk, without links: it names the version */
    char build_id[AM_BUILD_ID_TEXT]; /* hexadecimal; "none" where there is none */
};

/* Calls `fn` for each, the program first; false from it ends. What is no file is left out. */
typedef bool am_loaded_fn(void *self, const struct am_loaded *loaded);
void am_loaded_each(am_loaded_fn *fn, void *self);

/* A file's name without its version: "libgomp.so" of "/usr/lib/libgomp.so.1.0.0". */
enum { AM_LIBRARY_NAME_MAX = 128 };
void am_library_name(const char *path, char out[AM_LIBRARY_NAME_MAX]);

/* The compilers of an ELF file, by its section .comment: "GCC: (Debian 12.2.0-14) 12.2.0". Several
 * are parted by "; ". False, and "" in `out`, when it does not say. */
bool am_loaded_compilers(const char *path, char out[AM_COMPILERS_TEXT]);

/* The flags that one of our programs was compiled with, by the section that its build put them
 * into. False, and "" in `out`, when it does not say. */
#define AM_FLAGS_SECTION ".archmeter.flags"
bool am_loaded_flags(const char *path, char out[AM_FLAGS_TEXT]);

#endif
