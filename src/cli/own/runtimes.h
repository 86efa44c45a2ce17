/* SPDX-License-Identifier: MIT */
/* OpenMP runtimes that a user added: worker programs made of our sources by the user's compiler.
 *
 * The sources and a library with the rest of a worker are installed with this program. Adding one
 * compiles them as benches of the user's own are compiled (cli/own/compile.h), asks the new program
 * which OpenMP library serves it, and keeps three things in the folder archmeter/runtimes of the
 * user's data: the program, where the catalogue finds it; NAME.runtime, lines "key: value" with
 * what it is; and with --library a folder NAME.lib, in which the names under which programs look
 * for OpenMP libraries lead to the given one. A program appears last, with all the rest in place.
 */
#ifndef AM_CLI_OWN_RUNTIMES_H
#define AM_CLI_OWN_RUNTIMES_H

#include "base/arena.h"
#include "base/status.h"
#include "cli/own/compile.h"

#include <stdbool.h>
#include <stddef.h>

/* Texts are "" where a description does not say. */
struct am_runtime {
    const char *name, *compiler, *flags, *commands;
    const char *library, *build_id, *kind, *version; /* of the OpenMP library */
    const char *program;
    const char *trouble; /* why it cannot be used any more; "" when it can */
};

struct am_runtimes {
    struct am_runtime *items;
    size_t n, cap;
};

/* The folder of added runtimes; NULL where nothing says where it is. It need not be there. */
const char *am_runtimes_folder(struct am_arena *arena);

/* `library` NULL: the one that programs of the compiler find. AM_E_USAGE for a name that cannot be
 * or is taken, and when the compiler refuses. */
enum am_status am_runtime_add(const char *name, const struct am_own_tools *tools,
                              const char *library, struct am_arena *arena, struct am_runtime *out,
                              struct am_err *err);
/* All that were added, by name, each asked again for its library. */
enum am_status am_runtimes_load(struct am_arena *arena, struct am_runtimes *out,
                                struct am_err *err);
/* AM_E_USAGE when there is none of this name. */
enum am_status am_runtime_remove(const char *name, struct am_arena *arena, struct am_err *err);

#endif
