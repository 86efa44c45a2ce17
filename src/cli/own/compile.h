/* SPDX-License-Identifier: MIT */
/* From source files to a folder with shared libraries, which the worker `own` loads.
 *
 * The compilers are the user's: --cc, else $CC, $CXX, $FC, else cc, c++, gfortran; words are
 * --flags behind what the file itself says behind $CFLAGS ($CXXFLAGS, $FCFLAGS; -O2 where they are
 * not set). What a compiler says goes to standard error as it is. Every file is compiled anew each
 * time, so that a changed header is never missed; the folder is named by a fingerprint of what came
 * out of it and lies in archmeter/own of the user's data folder, so that the same code is always
 * the same folder, and a run can be resumed with the code it was begun with. */
#ifndef AM_CLI_OWN_COMPILE_H
#define AM_CLI_OWN_COMPILE_H

#include "base/arena.h"
#include "base/status.h"
#include "cli/own/source.h"

#include <signal.h>

/* What the command line says in place of the environment; NULL: nothing. */
struct am_own_tools {
    const char *cc;
    const char *flags;                        /* words */
    const volatile sig_atomic_t *interrupted; /* ends compilers when it is set */
};

struct am_own_built {
    const char *folder;   /* full path */
    const char *digest;   /* its name: of the libraries in it */
    const char *compiler; /* first line of what it says of its version; "" of a library */
    const char
        *commands; /* as they were run, one per line; files made on the way are below $BUILD */
};

/* AM_E_USAGE when a compiler refuses the file (it has said why), AM_E_ABSENT when there is none. */
enum am_status am_own_compile(const struct am_own_source *source, const struct am_own_tools *tools,
                              struct am_arena *arena, struct am_own_built *out, struct am_err *err);

/* The folder of an earlier compilation, held until this process ends; NULL when it is not there, or
 * `digest` is no fingerprint. */
const char *am_own_find_built(const char *digest, struct am_arena *arena);

#endif
