/* SPDX-License-Identifier: MIT */
/* What `archmeter run ./file.c` names: source files, objects, libraries, folders of them.
 *
 * A word of the command line is such a name when it has a slash, or ends like a source file
 * (am_own_is_source()). Reading one finds its files with their languages, keeps their texts, and
 * reads what they say of their own build, in a comment anywhere:
 *
 *     archmeter-flags: -O3 -ffast-math      words for the compiler
 *     archmeter-libs: -lm                   words for the linker, behind the objects
 *     archmeter-isa: all                    compile it once per instruction set (or: scalar,avx2)
 *
 * Nothing is compiled here. */
#ifndef AM_CLI_OWN_SOURCE_H
#define AM_CLI_OWN_SOURCE_H

#include "base/arena.h"
#include "base/array.h"
#include "base/status.h"

#include "cli/stencil/description.h"

#include <stdbool.h>
#include <stddef.h>

enum am_language {
    AM_LANGUAGE_C,
    AM_LANGUAGE_CXX,
    AM_LANGUAGE_FORTRAN,
    AM_LANGUAGE_STENCIL, /* .sten: C is made of it, which is compiled */
    AM_LANGUAGE_OBJECT,  /* .o: is linked */
    AM_LANGUAGE_LIBRARY, /* .so: is taken as it is */
    AM_LANGUAGES,
};

struct am_own_file {
    const char *path; /* as the user wrote it, or below the folder that was named */
    enum am_language language;
    const char *text;                     /* NULL of objects and libraries */
    const char *made;                     /* what is compiled in its place; NULL: the file itself */
    const struct am_description *stencil; /* NULL: it is no description */
    struct am_strings flags;
};

struct am_own_source {
    const char *name; /* as on the command line */
    struct am_own_file *files;
    size_t n, cap;
    struct am_strings libs;
    const char *isas; /* names parted by commas, all known; NULL: compiled once */
    bool program;     /* is linked as a program of that name, in place of a library */
};

/* Whether the word names files and no benches. */
bool am_own_is_source(const char *word);

/* Reads one description of a stencil, and makes the bench of it. AM_E_USAGE with the place. */
enum am_status am_own_read_stencil(const char *path, struct am_arena *arena,
                                   struct am_own_file *out, struct am_err *err);

/* Finds and reads the files. AM_E_USAGE with the place for what is wrong. */
enum am_status am_own_read(const char *name, struct am_arena *arena, struct am_own_source *out,
                           struct am_err *err);

#endif
